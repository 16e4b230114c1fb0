"""由全部调用的结果认出是哪种错：照样犯一遍，处处相同的就是它；一般的错在前，数值上的错在后。"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..mistakes import (
    ANGLES,
    BASES,
    FUNCTIONS,
    LADDERS,
    LAYOUTS,
    POSITIONS,
    RIGHT_ANGLE,
    RIGHT_LAYOUT,
    Mistake,
    base_mistake,
    commit,
)
from ._declare import Case, Exercise, row
from ._look import Diagnosis, close, named, number, spell
from ._run import Seen


def diagnose(exercise: Exercise, seen: list[Seen]) -> Diagnosis:
    """像是哪种错；诊断说的是第一次不对的那次调用。"""
    wrong = [s for s in seen if s.fault]
    first = wrong[0]
    if first.fault.kind not in ("value", "error", "shape", "type"):
        return first.fault.found
    steady = [s for s in seen if not s.case.random and not s.case.refuses] or seen
    if first not in steady:
        steady = [*steady, first]
    if found := _own(exercise, steady, first):
        return found
    if first.fault.found:
        return (_fixed_size(steady) if first.fault.kind == "shape" else None) or first.fault.found
    bad = [s for s in steady if s.fault]
    found = _own(exercise, bad, first) or _numeric(exercise, bad, first)
    if found and found.again and not _explains(found, steady):
        found = _numeric(exercise, steady, first) or dataclasses.replace(
            found, name=f"有的输入对，不对的那些：{found.name}"
        )
    return found or _describe(exercise, seen, first)


def _explains(found: Diagnosis, seen: list[Seen]) -> bool:
    """这种错也说得通那些对的结果。"""
    return all(s.fault or s.case.refuses or _alike(s, found.again(s.case)) is not False for s in seen)


def _numeric(exercise: Exercise, seen: list[Seen], first: Seen) -> Diagnosis | None:
    return (
        _constant(seen)
        or _fixed_size(seen)
        or _unwritten([s for s in seen if s.fault])
        or _rounded([s for s in seen if s.fault])
        or _through(exercise, seen, first)
        or (search(seen, first) if exercise.table else None)
    )


# ------------------------------------------------------------------ 照样犯一遍


def again(formula: Callable[..., Any], case: Case) -> Any:
    """照样犯一遍这一次调用；报错也是一种结果。"""
    try:
        with np.errstate(all="ignore"):
            return np.asarray(formula(*case.args, **case.kwargs), np.float64)
    except Exception as error:
        return error


def _alike(seen: Seen, made: Any) -> bool | None:
    """这一次的结果与照样犯错的是否一样；没有可比的是 None。"""
    if isinstance(made, Exception):
        if seen.array is not None:
            return None if isinstance(made, ArithmeticError) else False
        return isinstance(seen.error, type(made))
    if seen.array is None:
        # 溢出、除以 0、整数的负次幂：照样犯错时用浮点数，不报错，没有可比的
        odd = isinstance(seen.error, ArithmeticError) or "negative integer powers" in str(seen.error)
        return False if seen.error and not odd else None
    if np.isnan(seen.array).all() != np.isnan(made).all():
        return None  # 有一边根本算不出来
    return _near(seen, made)


def _near(seen: Seen, made: Any) -> bool:
    """照样犯错的与这一次的结果是否处处相近；这一次许可的误差大，就放宽些。"""
    got = seen.array
    if got.shape != made.shape:
        return False
    expected = seen.case.expected
    slack = float(np.max(seen.case.atol / np.maximum(np.abs(expected), 1), initial=0)) if expected.size else 0.0
    return bool(np.allclose(got, made, rtol=1e-5 + 2 * slack, atol=1e-6 + 2 * slack, equal_nan=True))


def agrees(formula: Callable[..., Any], seen: list[Seen], first: Seen) -> bool:
    """错的写法与看得懂的结果处处相同，与第一次不对的那次也相同。"""
    made = again(formula, first.case)
    if _alike(first, made) is not True:
        return False
    if first.fault.kind == "value" and (np.abs(made - first.case.expected) <= first.case.atol).all():
        return False  # 与应有的分不开，说明不了什么
    others = [s for s in seen if s is not first and not s.case.refuses]
    verdicts = [_alike(s, again(formula, s.case)) for s in others]
    if False in verdicts:
        return False
    # 只有报错可比时，话也要相同；还有算得出的结果可比，报错的种类相同就够了
    told = any(v and s.array is not None for v, s in zip(verdicts, others, strict=True))
    return told or not isinstance(made, Exception) or str(made) == str(first.error)


def _own(exercise: Exercise, seen: list[Seen], first: Seen) -> Diagnosis | None:
    """这道题自己列出的错。"""
    right = Wrong([])
    own = [(m, m.formula) for m in exercise.mistakes]
    own += [(m, functools.partial(m.formula, right)) for m in exercise.variants]
    for m, formula in own:
        if agrees(formula, seen, first):
            return named([m], functools.partial(again, formula))
    return None


class Wrong:
    """犯了几种错的编码，``via`` 由它得到错的结果。"""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = [*mistakes]
        by = {"angle" if m.where == "precision" else m.where: m.formula for m in self.mistakes}
        self._angle, self._base = by.get("angle", RIGHT_ANGLE), by.get("base", lambda b: b)

    def angles(self, pos: Any, d: int, base: float = 10000.0) -> Any:
        """各对的角度，形状 ``(*pos.shape, d/2)``。"""
        i = np.arange(d // 2)
        return self._angle(np.asarray(pos, np.float64)[..., None], i, 2 * i, d, self._base(float(base))) + 0.0 * i

    def table(self, positions: Any, d: int, base: float = 10000.0) -> Any:
        return commit(self.mistakes, [*positions], d, base)


def _through(exercise: Exercise, seen: list[Seen], first: Seen) -> Diagnosis | None:
    """编码写错了，于是这道题的结果也错；结构上的错可以与它叠加。"""
    if exercise.via is None:
        return None
    structures: list[tuple[list[Mistake], Callable[..., Any]]] = [([], exercise.via)]
    structures += [([m], m.formula) for m in exercise.variants]
    codes: list[list[Mistake]] = [[], *([m] for m in [*ANGLES, *BASES, *LAYOUTS])]
    doubles = [[a, b] for a, b in itertools.product(LAYOUTS, ANGLES)]
    for few in (
        [(structures[0], c) for c in codes[1:]],
        [(s, c) for s, c in itertools.product(structures[1:], codes[1:])],
        [(structures[0], c) for c in doubles],
    ):
        for (structure, formula), mistakes in few:
            wrong = Wrong(mistakes)

            def made(*args: Any, formula: Any = formula, wrong: Wrong = wrong, **kwargs: Any) -> Any:
                return formula(wrong, *args, **kwargs)

            if agrees(made, seen, first):
                found = named([*structure, *mistakes], lambda case, made=made: again(made, case))
                blamed = f"{exercise.blames}{found.name}" if mistakes else found.name
                return dataclasses.replace(found, name=blamed)
    return None


# ------------------------------------------------------------------ 一般的错：没有写全，写死了大小，舍入了


def _constant(seen: list[Seen]) -> Diagnosis | None:
    """不管给什么，返回的都一样。"""
    arrays = [s for s in seen if s.array is not None and s.array.size <= 2 and s.array.shape == s.case.expected.shape]
    if len(arrays) < 3 or any(close(s.case.expected, arrays[0].case.expected) for s in arrays[1:3]):
        return None
    if any(s.array.shape != arrays[0].array.shape or (s.array != arrays[0].array).any() for s in arrays):
        return None
    said = "、".join(number(float(x)) for x in arrays[0].array.ravel())
    return Diagnosis("constant", f"不管给什么，总返回 {said}", "参数用上了吗？哪一个数字是从例子里抄来的？")


def _fixed_size(seen: list[Seen]) -> Diagnosis | None:
    """要的形状不同，给的形状总一样。"""
    arrays = [s for s in seen if s.array is not None and not s.case.refuses]
    if len(arrays) < 3:
        return None
    wanted = [s.case.expected.shape for s in arrays]
    for axis in range(min(len(shape) for shape in wanted)):
        if any(s.array.ndim != s.case.expected.ndim for s in arrays):
            return None
        if len({shape[axis] for shape in wanted}) > 2 and len({s.array.shape[axis] for s in arrays}) == 1:
            size = arrays[0].array.shape[axis]
            return Diagnosis("fixed-size", f"大小写死了，总是 {size}", "大小由参数来；哪一个数字是从例子里抄来的？")
    return None


_LAST = "循环走到最后一个了吗？range(n) 到 n - 1 为止。"
_RETURN = "return 是不是缩进到循环里面了？循环走完一圈就返回了。"


def _unwritten(wrong: list[Seen]) -> Diagnosis | None:
    """全是 0，只写了开头的，末尾或开头没有写，写死了写多少。"""
    arrays = [s for s in wrong if s.array is not None and s.array.ndim and s.array.shape == s.case.expected.shape]
    if not arrays:
        return None
    if not any(s.array.any() for s in arrays) and any(s.array.size > 2 for s in arrays):
        return Diagnosis(
            "all-zero", "结果全是 0：新建的数组没有写进去", "写进去的那几行运行到了吗？写的是返回的那个数组吗？"
        )
    axes = min(s.array.ndim for s in arrays)
    for axis in range(-axes, 0) if axes == max(s.array.ndim for s in arrays) else [-1]:
        parts = [part for part in (_bad_along(s, axis) for s in arrays) if part[0] > 1]
        if parts and (found := _place_of(parts, axis, axes)):
            return found
    return None


def _bad_along(s: Seen, axis: int) -> tuple[int, list[int], bool]:
    """沿一个轴：长度，不对的各在第几，那里是不是全是 0。"""
    off = ~((s.array == s.case.expected) | (np.abs(s.array - s.case.expected) <= s.case.atol))
    bad = np.flatnonzero(np.moveaxis(off, axis, 0).reshape(off.shape[axis], -1).any(axis=1))
    return off.shape[axis], bad.tolist(), not np.moveaxis(s.array, axis, 0)[bad].any()


def _place_of(parts: list[tuple[int, list[int], bool]], axis: int, axes: int) -> Diagnosis | None:
    """每次不对的都在同样的地方，才说。"""
    word = "个" if axes == 1 else "块行列"[axis]
    blank = all(empty for *_, empty in parts)
    said = "没有写，还是 0" if blank else "不对，别的都对"
    if not any(n > 2 for n, *_ in parts):
        return None
    if all(bad == [n - 1] for n, bad, _ in parts):
        return Diagnosis("last-missing", f"只有最后一{word}{said}", _LAST)
    if all(bad == [0] for n, bad, _ in parts):
        return Diagnosis("first-missing", f"只有第一{word}{said}", "从 0 数起了吗？第一个要不要另外处理？")
    if axis == -1 and all(bad in ([n - 2, n - 1], [n - 1], [n - 2]) for n, bad, _ in parts):
        return Diagnosis("last-pair-missing", f"只有最后一对{said}", "循环走到最后一对了吗？一共有 d_model // 2 对。")
    starts = {bad[0] for n, bad, _ in parts}
    tails = all(bad == [*range(bad[0], n)] for n, bad, _ in parts)
    if not (tails and blank and len(starts) == 1):
        return None
    start = starts.pop()
    if start == 1 or (start == 2 and axis == -1):
        return Diagnosis("first-only", f"只写了第一{word if start == 1 else '对'}，后面的还是 0", _RETURN)
    if start > 1 and len({n for n, *_ in parts}) > 1:
        said = f"第 {start} {word}起没有写：个数像是写死成了 {start}"
        return Diagnosis("fixed-size", said, "个数由参数来；哪一个数字是从例子里抄来的？")
    return None


def _rounded(wrong: list[Seen]) -> Diagnosis | None:
    """每个不对的数，是不是应有的数四舍五入到几位小数。"""
    kept = [s for s in wrong if s.fault.kind == "value"]
    for digits in range(9):
        off = 0.6 * 10.0**-digits
        if any(np.abs(s.array - s.case.expected)[np.isfinite(s.case.expected)].max(initial=0) > off for s in kept):
            break
        pairs = [(s, np.round(s.case.expected, digits)) for s in kept]
        if any(np.array_equal(r, s.case.expected) for s, r in pairs):
            continue  # 本来就没有更多的位数，说明不了什么
        if all(np.allclose(s.array, r, rtol=1e-7, atol=1e-2 * off + np.max(s.case.atol)) for s, r in pairs) and pairs:
            what = f"到了 {digits} 位小数" if digits else "成了整数"
            return Diagnosis(
                f"rounded-{digits}",
                f"结果四舍五入{what}",
                "返回原样的数；要少看几位，打印的时候再舍入。",
                again=lambda case, digits=digits: np.round(case.expected, digits),
            )
    return None


# ------------------------------------------------------------------ 编码表：布局、位置、底数、角度各错一处


def search(seen: list[Seen], first: Seen) -> Diagnosis | None:
    """在四方面的错里，找改动最少而与全部结果相符的一种。"""
    seen = [s for s in seen if s.array is not None and s.array.size and s.array.shape == s.case.expected.shape]
    if first not in seen:
        return None
    tables = [_Table(s) for s in seen]
    probe = _Probe(max((t for t in tables if t.seen.fault), key=lambda t: min(t.n, 8) * min(t.d, 8)))
    rules = _rules(tables)
    costs = np.array([cost for cost, _ in rules])
    best: tuple[float, list[list[Mistake]]] = (3.5, [])
    layouts: list[Mistake | None] = [None, *LAYOUTS]
    moves: list[Mistake | None] = [None, *POSITIONS]
    pairs = [*itertools.product(layouts, moves)]
    for layout, move in sorted(pairs, key=lambda pair: (pair[0] is not None) + (pair[1] is not None)):
        placed = [m for m in (layout, move) if m]
        if len(placed) >= best[0]:
            break
        even, odd = probe.screen(layout, move, rules)
        for r in np.flatnonzero(even & odd & (len(placed) + costs < best[0])):
            if all(t.fits(layout, move, rules[r][1], None) for t in tables):
                best = (len(placed) + costs[r], [[*placed, *rules[r][1]]])
                break
        if best[0] <= len(placed) + 1.3 or len(placed) == 2:
            continue
        halves = []
        for parity, some in ((0, even), (1, odd)):
            passing = (rules[r] for r in np.flatnonzero(some)[:12])
            halves.append(next((r for r in passing if all(t.fits(layout, move, r[1], parity) for t in tables)), None))
            if not halves[-1]:
                break
        if all(halves):
            total = len(placed) + max(1.3, halves[0][0] + halves[1][0])
            if total < best[0]:
                best = (total, [placed, halves[0][1], halves[1][1]])
    if len(best[1]) == 1:
        mistakes = best[1][0]
        return named(mistakes, lambda case: _again(seen[0].case, mistakes, case)) if mistakes else None
    if best[1]:
        placed, sine, cosine = best[1]
        words = ["；".join(m.name for m in part) or "对" for part in (sine, cosine)]
        found = named([*placed, *(sine or cosine)])
        name = "；".join(
            [*(m.name for m in placed), f"一对里的两列没有共用角度（偶数列：{words[0]}；奇数列：{words[1]}）"]
        )
        return Diagnosis("pair-split+" + found.code, name, found.hint, found.why, "00 维度为什么必须是偶数")
    return None


def _again(_: Case, mistakes: list[Mistake], case: Case) -> Any:
    positions, d, base = case.table
    return commit(mistakes, positions, d, base).reshape(case.expected.shape)


def _rules(tables: list[_Table]) -> list[tuple[float, list[Mistake]]]:
    """角度和底数上的错，从最像的到最不像的，各有代价；第一个是对的。"""
    rules: list[tuple[float, list[Mistake]]] = [(0, [])]
    rules += [(1.5 if m.where == "precision" else 1, [m]) for m in ANGLES]
    rules += [(1.2, [m]) for m in BASES]
    rules += [(1.3, [base_mistake(b)]) for t in tables[:6] for b in t.bases()]
    rules += [(2.2, [a, b]) for a, b in itertools.product(LADDERS, BASES)]
    return sorted(rules, key=lambda rule: rule[0])


class _Table:
    """一次调用给出的编码表，和照样犯错时逐个数比较的办法。"""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen
        positions, self.d, self.base = seen.case.table
        self.positions = np.asarray(positions, np.float64)
        self.n = len(self.positions)
        self.got = seen.array.reshape(self.n, self.d)
        half = np.asarray(seen.value).dtype == np.float16
        self.floor = 2.0**-10 if half else 2e-6
        k, j = (_ends(self.n), _ends(self.d))
        self.k, self.j = np.repeat(k, len(j)), np.tile(j, len(k))

    def moved(self, move: Mistake | None) -> Any:
        return self.positions if move is None else move.formula(self.positions)

    def angle(self, rule: list[Mistake], p: Any, j: Any) -> Any:
        by = {m.where == "base": m.formula for m in rule}
        base = by[True](self.base) if True in by else self.base
        value = by.get(False, RIGHT_ANGLE)(p, j // 2, j, self.d, base)
        return np.broadcast_to(value, np.broadcast(p, j).shape)

    def place(self, layout: Mistake | None, k: Any, j: Any) -> tuple[Any, Any, Any]:
        return (layout.formula if layout else RIGHT_LAYOUT)(k, j, self.n, self.d)

    def fits(self, layout: Mistake | None, move: Mistake | None, rule: list[Mistake], parity: int | None) -> bool:
        """照这种错法，长的表看两头和中间，是否都对得上；算不出来的（0/0）多于一半，就不作数。"""
        row_, function, col = self.place(layout, self.k, self.j)
        theta = self.angle(rule, self.moved(move)[row_], col)
        ok, telling = _same(self.got[self.k, self.j], theta, function, self.floor + sum(m.atol for m in rule))
        mine = telling if parity is None else telling & (col % 2 == parity)
        skipped = np.isnan(theta).sum()
        return bool(ok[mine].all()) and (skipped == 0 or mine.sum() > 2 * skipped)

    def bases(self) -> Iterator[float]:
        """由相邻两行之间转过的角读出底数，所以从哪里数起都行；第 1 对在第 2、3 列，分半布局则在第 1、d/2+1 列。"""
        d, rows = self.d, self.got
        if d < 4:
            return
        if self.n > 1 and abs(self.positions[1] - self.positions[0]) == 1:
            before, after = rows[:2]
        elif self.positions[0] == 1:
            halves = rows[0, 3] <= 0.5
            before, after = np.repeat([0.0, 1.0], d // 2) if halves else np.tile([0.0, 1.0], d // 2), rows[0]
        else:
            return
        for sine, cosine in ((2, 3), (1, d // 2 + 1)):
            turn = complex(after[cosine], after[sine]) * complex(before[cosine], -before[sine])
            omega = abs(math.atan2(turn.imag, turn.real))
            if 0 < omega < 1 and -d / 2 * math.log(omega) < 50:
                yield float(f"{omega ** (-d / 2):.5g}")


class _Probe:
    """一张错的表上的几十个数，先用来筛掉绝大多数的错法。"""

    def __init__(self, table: _Table) -> None:
        self.table = table
        few = np.unique(np.linspace(0, len(table.k) - 1, 40).astype(int))
        self.k, self.j = table.k[few], table.j[few]
        self.places = {m.code if m else "": table.place(m, self.k, self.j) for m in (None, *LAYOUTS)}
        self.rows, self.columns = (np.concatenate([p[axis] for p in self.places.values()]) for axis in (0, 2))
        self.kept: dict[str, Any] = {}
        self.slack: Any = 0.0

    def screen(self, layout: Mistake | None, move: Mistake | None, rules: list[Any]) -> tuple[Any, Any]:
        """每种错法与偶数列、奇数列（交错布局里的）各是否相符。"""
        moved, key = move.code if move else "", layout.code if layout else ""
        if moved not in self.kept:
            p = self.table.moved(move)[self.rows]
            self.slack = np.array([[sum(m.atol for m in rule)] for _, rule in rules])
            self.kept[moved] = np.stack([self.table.angle(rule, p, self.columns) for _, rule in rules])
        start = [*self.places].index(key) * len(self.k)
        theta = self.kept[moved][:, start : start + len(self.k)]
        _, function, col = self.places[key]
        ok, telling = _same(self.table.got[self.k, self.j], theta, function, self.table.floor + self.slack)
        passes = ok | ~telling
        return passes[:, col % 2 == 0].all(axis=1), passes[:, col % 2 == 1].all(axis=1)


def _ends(n: int) -> Any:
    """长的轴只看两头和中间，够认错用了。"""
    return np.arange(n) if n <= 24 else np.unique(np.r_[:10, n // 2 - 3 : n // 2 + 3, n - 6 : n])


def _same(got: Any, theta: Any, function: Any, floor: Any) -> tuple[Any, Any]:
    """逐个数：与照样犯错的是否相符，这个数说不说明问题（角度大到什么都说明不了的不算）。"""
    with np.errstate(all="ignore"):
        want = np.empty(theta.shape)
        for f in np.unique(function):  # 只算用得着的
            want[..., function == f] = FUNCTIONS[f](theta[..., function == f])
        atol = floor + 4e-7 * np.abs(theta)  # 读者的角度可能是 float32 的
        return np.abs(got - want) <= atol, np.isfinite(want) & (atol < 0.1)


# ------------------------------------------------------------------ 没有认出来时，说看得见的

_PRECISIONS = [  # 结果舍入到它，误差至多多大；角度舍入到它，误差至多是位置的多少倍
    ("float32", 2.0**-24, 2.0**-22),
    ("float16", 2.0**-11, 2.0**-9),
    ("bfloat16", 2.0**-8, 2.0**-6),
]
_LOW = "位置和角频率先以 float64 相乘，取过正弦、余弦之后再换成低精度。"
_INTEGERS = [(600, "bfloat16"), (4200, "float16"), (2.0**15, "16 位的类型"), (2.0**26, "float32")]


def _describe(exercise: Exercise, seen: list[Seen], first: Seen) -> Diagnosis:
    wrong = [s for s in seen if s.fault and s.fault.kind == "value"]
    found = _not_a_number(wrong) or exercise.observe(wrong)
    if not found and exercise.table:
        found = next(filter(None, (see(wrong) for see in (_precision, _rows_alike, _negative_rows))), None)
        found = (
            found
            or _scaled(wrong)
            or next(filter(None, map(_one_table, sorted(wrong, key=lambda s: s.array.size))), None)
        )
    return found or _whole(exercise, wrong) or _which(exercise, seen)


def _seen(code: str, name: str, hint: str, known: bool = True) -> Diagnosis:
    return Diagnosis(f"seen/{code}", name, hint, known=known)


def _not_a_number(wrong: list[Seen]) -> Diagnosis | None:
    if any(np.isnan(s.array).any() and not np.isnan(s.case.expected).any() for s in wrong):
        return _seen("nan", "结果里有 nan", "找第一个出现 nan 的中间量：0/0、0 乘无穷，还是超出了定义域？")
    if any(np.isinf(s.array).any() and np.isfinite(s.case.expected).all() for s in wrong):
        return _seen("inf", "结果里有无穷大", "找第一个出现 inf 的中间量：除以了 0，还是大到放不下？")
    return None


def _whole(exercise: Exercise, wrong: list[Seen]) -> Diagnosis | None:
    """整个结果换一种样子：转置，倒过来，乘上一个数，加上一个数，精度不够。"""
    pairs = [(s.array, s.case.expected) for s in wrong]
    for code, name, hint, change in (
        ("transposed", "行和列颠倒了", "转置一下，看是不是它。", lambda want: want.T),
        ("rows-reversed", "行的次序整个反了", "第一行应是什么？", lambda want: want[::-1]),
        ("columns-reversed", "列的次序整个反了", "第一列应是什么？", lambda want: want[..., ::-1]),
        ("negated", "每个数都变了号", "多了一个负号吗？", lambda want: -want),
    ):
        if all(want.ndim and close(got, change(want)) for got, want in pairs):
            return _seen(code, name, hint)
    if all(np.allclose(got, want, rtol=1e-3, atol=1e-3) for got, want in pairs):
        most = max(float(np.nanmax(np.abs(got - want) / np.maximum(1, np.abs(want)))) for got, want in pairs)
        said = f"都很接近，差得最多的也只差 {most:.1g}（大于 1 的数按相对误差算）"
        hint = "像是精度不够：中间有没有四舍五入，有没有用 float32、float16，常数的位数够不够？"
        return _seen("close", said, hint, known=False)
    return _scaled(wrong)


def _scaled(wrong: list[Seen]) -> Diagnosis | None:
    got, want = wrong[0].array, wrong[0].case.expected
    if want.any():
        k = np.argmax(np.where(np.isfinite(want), np.abs(want), 0))
        scale = float(got.flat[k] / want.flat[k])
        if all(_near(s, scale * s.case.expected) for s in wrong):
            return _seen("scaled", f"每个数都是应有的 {number(scale)} 倍", "多乘了什么，或者少除了什么？")
        offset = float((got - want).flat[0])
        if abs(offset) > 1e-5 and all(_near(s, s.case.expected + offset) for s in wrong):
            return _seen("offset", f"每个数都多了 {number(offset)}", "题目里没有这个常数。")
    return None


def _which(exercise: Exercise, seen: list[Seen]) -> Diagnosis:
    calls = {bool(s.fault): spell(exercise, s.case) for s in reversed(seen)}
    if len(calls) == 2:
        said = f"有的输入对，例如 {calls[False]}；有的不对，例如 {calls[True]}"
        return _seen("some", said, "对的与不对的，输入有什么不同？", known=False)
    return _seen("none", "每一次都不对", "从最小的一次调用开始，手算一个数，再打印中间的每一步。", known=False)


def _precision(wrong: list[Seen]) -> Diagnosis | None:
    """低精度：结果舍入到它，或者角度舍入到它（误差与位置成正比，太大的位置什么都说明不了）。"""
    for kind, rounding, per_step in _PRECISIONS:
        if max(np.abs(s.array - s.case.expected).max() for s in wrong) <= rounding:
            said = f"结果的精度不够：像是先存成了 {kind}，再换成别的类型"
            return _seen(f"stored-{kind}", said, "结果一直留在 float64 里，最后才换一次类型。")
        telling = grows = False
        for s in wrong:
            positions, d, _ = s.case.table
            error = np.abs(s.array - s.case.expected).reshape(-1, d)
            limit = per_step * np.maximum(np.abs(np.asarray(positions, np.float64)), 1)[:, None]
            readable = np.broadcast_to(limit < 0.5, error.shape)
            atol = np.broadcast_to(s.case.atol, s.case.expected.shape).reshape(-1, d)
            grows |= bool((error > limit)[readable].any())
            telling |= bool((error > atol)[readable].any())
        if telling and not grows:
            said = f"公式对，精度不够，误差随位置增大：像是角度用 {kind} 算的"
            return Diagnosis(f"seen/angle-{kind}", said, _LOW, lesson="06 误差的规律")
    return None


def _rows_alike(wrong: list[Seen]) -> Diagnosis | None:
    for s in wrong:
        positions = np.asarray(s.case.table[0], np.float64)
        got = s.array.reshape(len(positions), -1)
        if len(got) < 3 or (np.diff(positions) == 0).any():
            continue
        same = (got[1:] == got[:-1]).all(axis=1)
        if same.all():
            return _seen("rows-same", "每一行都一样", "位置用上了吗？下标选的是一段还是一行？")
        if same.any():
            k = int(np.argmax(same))
            run = int(np.argmin(np.append(same[k:], False))) + 1
            here = number(float(positions[k]))
            if run > 4 + np.abs(positions).max() / 2**7:  # 比 bfloat16 最宽的间隔还长
                said = f"位置 {here} 起，连着 {run} 行一模一样：位置像是截断了"
                return _seen("rows-clipped", said, "位置由参数给出，多大都照公式算。")
            kind = next((name for limit, name in _INTEGERS if abs(positions[k]) <= limit), "放不下它的类型")
            said = f"位置 {here} 与下一个位置的编码一模一样：位置像是存成了 {kind}"
            hint = "低精度的浮点数放不下大的整数；位置留在整数或 float64 里。"
            return Diagnosis("seen/rows-merged", said, hint, lesson="06 位置先丢")
    return None


def _negative_rows(wrong: list[Seen]) -> Diagnosis | None:
    for s in wrong:
        positions, d, _ = s.case.table
        below = np.asarray(positions, np.float64) < 0
        bad = (np.abs(s.array - s.case.expected) > s.case.atol).reshape(-1, d).any(axis=1)
        if below.any() and not below.all() and (bad == below).all():
            here = number(float(np.asarray(positions)[below][0]))
            said = f"只有负的位置不对，例如位置 {here}"
            return _seen("negative-rows", said, "负的位置也照公式算：正弦变号，余弦不变。")
    return None


def _one_table(s: Seen) -> Diagnosis | None:
    """一张表上看得见的毛病。"""
    positions, d, base = s.case.table
    got = s.array.reshape(-1, d)
    right = np.array([row(p, d, base) for p in positions])
    n = len(got)
    if got.size > 4000:
        return None
    for axis, word, a, b in ((1, "列", got.T, right.T), (0, "行", got, right)):
        same = np.abs(a[:, None] - b).max(axis=-1) < 1e-5
        order = np.where(same.any(axis=1), same.argmax(axis=1), -1)
        if n > 1 and (order >= 0).all() and (order != np.arange(len(order))).any():
            k = int(np.argmax(order != np.arange(len(order))))
            said = f"{word}的次序不对：第 {k} {word}放的像是应有的第 {order[k]} {word}"
            return _seen(f"order-{axis}", said, f"在纸上写出每一{word}应放什么。")
    if np.abs(got).max() > 1.001:
        return _seen("range", "有的数超出了 [-1, 1]", "正弦、余弦不会超出 1；最后一步取过正弦、余弦吗？")
    circle = got[:, 0::2] ** 2 + got[:, 1::2] ** 2
    if np.abs(circle - 1).max() > 1e-3:
        k, i = (int(x) for x in np.argwhere(np.abs(circle - 1) > 1e-3)[0])
        here = number(float(positions[k]))
        if circle[k, i] == 0:
            said = f"位置 {here} 的第 {2 * i}、{2 * i + 1} 列都是 0：像是没有写"
            return _seen("unwritten", said, "每个位置、每一对都要写到；位置 0 的一行是 0、1 交替。")
        said = f"位置 {here} 的第 {2 * i}、{2 * i + 1} 列，平方和是 {number(float(circle[k, i]))}，不是 1"
        hint = "一对里的两列共用一个角度，一个取正弦，一个取余弦，平方和就是 1。"
        return Diagnosis("seen/circle", said, hint, lesson="00 维度为什么必须是偶数")
    if n > 1 and positions[1] == positions[0] + 1:
        z = got[:2, 1::2] + 1j * got[:2, 0::2]
        read, omega = np.angle(z[1] / z[0]), np.array([base ** (-2 * i / d) for i in range(d // 2)])
        odd = np.abs(np.angle(np.exp(1j * (read - omega)))) > 1e-4 + 4 * np.max(s.case.atol)
        if odd.any():
            i = int(np.argmax(odd))
            said = f"由前两行读出，第 {i} 对的角频率是 {number(float(read[i]))}，应为 {number(float(omega[i]))}"
            hint = "把 i = 0 和 i = d_model/2 - 1 代进公式，指数各应是多少？"
            return _seen("frequency", "角频率不对：" + said, hint)
    return None
