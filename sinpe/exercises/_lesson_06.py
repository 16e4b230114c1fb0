"""第 06 课的检查器。"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ._check import _check
from ._expected import _GOLDEN, _row, _table
from ._mistakes import _diagnose_by, _Rule, _rules, _search
from ._trial import _close, _Diagnosis, _dice, _Exercise, _number, _Seen, _Trial


def _far_rows() -> list[_Trial]:
    cases = [
        (0, 4, 8, "float32"),
        (0, 1, 2, "float16"),
        (32766, 2, 4, "float16"),
        (2046, 6, 8, "float16"),
        (0, 3000, 4, "float16"),
    ]
    cases += [
        (250, 12, 6, "float16"),
        (16777215, 4, 8, "float32"),
        (1000000, 3, 64, "float32"),
        (4000, 100, 32, "float32"),
        (-3, 6, 8, "float16"),
        (70000, 4, 8, "float32"),
    ]
    cases += [
        (1000000, 4, 6, "float64"),
        (7, 5, 512, "float64"),
        (_dice.randint(30000, 999999), 5, 2 * _dice.randint(3, 20), "float32"),
    ]
    trials = []
    for start, n, d, name in cases:
        dtype = np.dtype(name).type
        trial = _table(range(start, start + n), d, 10000.0, dtype, (start, n, d, dtype))
        if start == 32766:  # 另外用高精度算好的两个数
            trial.expected[:, 0] = [-0.7252358865, 0.1875065539]
        trials.append(trial)
    return trials


_ROUNDED = _Exercise(
    "6-2",
    ("encode_rows",),
    _far_rows,
    _search,
    "核对了 14 张表：float16、float32、float64 都有，位置从 -3 到 16777218，每个数都只差一次舍入。",
    "float16 的结果也能用到很远的位置：粗的只是最后存下的那个数，不是角度。",
)


def check_encode_rows(answer: Callable[..., Any]) -> None:
    """检查练习 6-2：``encode_rows(start, seq_len, d_model, dtype)`` 返回只舍入一次的编码表。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_encode_rows(...)  # 还没有写
    练习 6-2：尚未作答。
    """
    _check(_ROUNDED, answer)


def _to_double() -> list[_Trial]:
    trials = []
    for start, m, d in [
        (0, 1, 2),
        (0, 2, 4),
        (5, 3, 4),
        (100, 4, 8),
        (0, 64, 16),
        (-7, 5, 6),
        (40, 3, 4),
        (_dice.randint(50, 999), 6, 2 * _dice.randint(3, 9)),
    ]:
        positions = list(range(start, start + 2 * m))
        rows = np.array([_row(p, d) for p in positions])
        table = rows[:m].copy()
        if (start, m, d) == (0, 2, 4):
            rows = np.array(
                [[0, 1, 0, 1], _GOLDEN[1, 4], _GOLDEN[2, 4], [0.1411200081, -0.9899924966, 0.0299955002, 0.9995500337]]
            )
        trials.append(
            _Trial(
                (table,),
                rows,
                dtype=np.float64,
                atol=1e-9,  # 一次旋转只添几个 eps；写死的数有十位小数
                place=lambda index, start=start: f"第 {index[0]} 行（位置 {start + index[0]}）、第 {index[1]} 列",
            )
        )
    return trials


def _turned(
    table: Any, k: float, rule: _Rule | None = None, signs: tuple[int, int] = (1, -1), stale: bool = False
) -> Any:
    """把每一行转 k 步；signs 是两处正弦的符号，stale 是先改了正弦、再用改过的去算余弦。"""
    d = table.shape[1]
    rule = rule or _rules()[0]
    angle = [rule.angle(k, i, 2 * i, d, 10000.0) for i in range(d // 2)]
    c, s = np.cos(angle), np.sin(angle)
    sine, cosine = table[:, 0::2], table[:, 1::2]
    result = np.empty_like(table)
    result[:, 0::2] = sine * c + signs[0] * cosine * s
    result[:, 1::2] = cosine * c + signs[1] * (result[:, 0::2] if stale else sine) * s
    return result


def _double_mistakes() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    way = "新的正弦是 sin cos + cos sin，新的余弦是 cos cos - sin sin；先写下和角公式，再对符号。"
    steps = "已有 m 行，第 0 行转几步才到第 m 行？"
    for name, hint, new in (
        ("转反了方向：新的行在旧的行前面 m 步", way, lambda t: _turned(t, -len(t))),
        ("转的步数少了 1", steps, lambda t: _turned(t, len(t) - 1)),
        ("转的步数多了 1", steps, lambda t: _turned(t, len(t) + 1)),
        ("只转了 1 步", steps, lambda t: _turned(t, 1)),
        ("转了 2m 步", steps, lambda t: _turned(t, 2 * len(t))),
        ("没有转，把旧的行重复了一遍", steps, lambda t: t),
        ("余弦那一行的符号错了", way, lambda t: _turned(t, len(t), signs=(1, 1))),
        ("正弦那一行的符号错了", way, lambda t: _turned(t, len(t), signs=(-1, -1))),
        (
            "先改了正弦，又拿改过的正弦去算余弦",
            "两个新的数都要由旧的两个数算出；右边先全部算完，再写回去。",
            lambda t: _turned(t, len(t), stale=True),
        ),
        ("新的行次序反了", steps, lambda t: _turned(t, len(t))[::-1]),
        ("新的一对里正弦、余弦放反了", "偶数列是正弦，奇数列是余弦。", lambda t: _swapped(_turned(t, len(t)))),
        ("只乘了余弦，少了另一项", way, lambda t: _turned(t, len(t), signs=(0, 0))),
        ("把前一半的列当成了正弦", "表是交错布局：正弦在偶数列。", lambda t: _halves_turned(t)),
        ("把余弦当成了正弦", "偶数列是正弦，奇数列是余弦。", lambda t: _swapped(_turned(_swapped(t), len(t)))),
    ):
        yield name, hint, lambda t, new=new: np.vstack([t, new(t)])
    yield "新的行放到了旧的前面", "旧的 m 行在前。", lambda t: np.vstack([_turned(t, len(t)), t])
    yield (
        "新旧的行交替着放了",
        "旧的 m 行在前。",
        lambda t: np.stack([t, _turned(t, len(t))], 1).reshape(-1, t.shape[1]),
    )
    yield (
        "没有用传进来的表，从位置 0 重新算了一张",
        "表的第 0 行不一定是位置 0。",
        lambda t: [_row(p, t.shape[1]) for p in range(2 * len(t))],
    )
    for rule in _rules()[1:]:
        yield rule.name, rule.hint, lambda t, rule=rule: np.vstack([t, _turned(t, len(t), rule)])


def _observe_turn(seen: list[_Seen]) -> _Diagnosis | None:
    """认不出时：由新旧两行读出转了多少。"""
    for s in (s for s in seen if s.complaint and not s.diagnosis):
        m, d = s.trial.args[0].shape
        if not _close(s.array[:m], s.trial.args[0]):
            return _Diagnosis("前 m 行不是原来的 m 行", "旧的 m 行原样放在前面。")
        z = s.array[:, 1::2] + 1j * s.array[:, 0::2]
        if not _close(np.abs(z), np.ones(z.shape)):
            return _Diagnosis("不是旋转：新的行里，有一对的平方和不是 1", "正弦的平方加余弦的平方，转过之后还应是 1。")
        turned = np.angle(z[m:] / z[:m])
        for k, i in np.ndindex(turned.shape):
            want = m * 10000 ** (-2 * i / d)
            if abs(math.remainder(turned[k, i] - want, 2 * math.pi)) > 1e-6:
                said = f"第 {k} 行的第 {i} 对转了 {_number(turned[k, i])} 弧度，应为 {_number(want)}（或差整圈）"
                return _Diagnosis(f"转过的角度不对：{said}", "每一行转的步数都是 m，角是 m 乘角频率。")
    return None


def _swapped(table: Any) -> Any:
    return table[:, [j ^ 1 for j in range(table.shape[1])]]


def _halves_turned(table: Any) -> Any:
    h = table.shape[1] // 2
    order = [j // 2 + (j % 2) * h for j in range(2 * h)]
    back = [*range(0, 2 * h, 2), *range(1, 2 * h, 2)]
    return _turned(table[:, order], len(table))[:, back]


_DOUBLE = _Exercise(
    "6-3",
    ("double",),
    _to_double,
    lambda seen: _diagnose_by(*_double_mistakes())(seen) or _observe_turn(seen),
    "核对了 8 张表，1 行到 64 行，2 列到 16 列；有的从位置 0 起，有的从别处或负数起。",
    "新的行一个正弦、余弦也没有算：转过的角度只与 m 有关，整张表用同一行 d/2 个角。",
)


def check_double(answer: Callable[..., Any]) -> None:
    """检查练习 6-3：``double(table)`` 由连续的 ``m`` 行转出后面的 ``m`` 行。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_double(...)  # 还没有写
    练习 6-3：尚未作答。
    """
    _check(_DOUBLE, answer)
