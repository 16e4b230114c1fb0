"""第 05 课的检查器。"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ._check import _check
from ._expected import _GOLDEN, _loose, _row
from ._mistakes import _ENDS, _LAYOUTS, _PAIR, _SHIFTS, _Change, _diagnose_by, _Rule, _rules, _search, _value
from ._trial import _close, _Diagnosis, _dice, _Exercise, _number, _Seen, _Trial


def _blocks(a: float, b: float, c: float, e: float, interleaved: bool = False) -> Callable[..., Any]:
    """四个角上各是余弦、正弦的几倍：正的是余弦的倍数，虚的是正弦的倍数。"""

    def build(k: float, d: int, rule: _Rule) -> Any:
        matrix = np.zeros((d, d))
        h = d // 2
        for i in range(h):
            angle = rule.angle(k, i, 2 * i, d, 10000.0)
            turn = complex(math.cos(angle), math.sin(angle))
            first, second = (2 * i, 2 * i + 1) if interleaved else (i, i + h)
            for row, col, factor in ((first, first, a), (first, second, b), (second, first, c), (second, second, e)):
                matrix[row, col] = factor.real * turn.real + factor.imag * turn.imag
        return matrix

    return build


def _shifts() -> list[_Trial]:
    cases = [
        (1, 2),
        (0, 4),
        (1, 4),
        (9, 8),
        (-3, 6),
        (2.5, 8),
        (1, 14),
        (1000, 64),
        (_dice.randint(2, 50), 2 * _dice.randint(3, 9)),
    ]
    golden = [
        [0.5403023059, 0, 0.8414709848, 0],
        [0, 0.9999500004, 0, 0.0099998333],
        [-0.8414709848, 0, 0.5403023059, 0],
        [0, -0.0099998333, 0, 0.9999500004],
    ]
    trials = []
    for k, d in cases:
        expected = np.zeros((d, d))
        for i in range(d // 2):
            c, s = math.cos(k / 10000 ** (2 * i / d)), math.sin(k / 10000 ** (2 * i / d))
            expected[i, i] = expected[i + d // 2, i + d // 2] = c
            expected[i, i + d // 2], expected[i + d // 2, i] = s, -s
        trials.append(_Trial((k, d), np.array(golden) if (k, d) == (1, 4) else expected, atol=_loose(k)))
    return trials


_TURN = "把 M @ p 的第一个数写出来：它应是 sin(ω(pos+k)) = sin cos + cos sin，右边的两项各带什么符号？"
_FOUR = "第 i 对的两个数放在第 i 列和第 i + d/2 列，所以四个系数在四条斜线上。"
_STRUCTURES = [
    ("", "", _blocks(1, 1j, -1j, 1)),
    ("转反了方向：矩阵转置了，它往回移 k 步", _TURN, _blocks(1, -1j, 1j, 1)),
    ("成了交错布局的平移矩阵", _FOUR, _blocks(1, 1j, -1j, 1, True)),
    ("成了交错布局的平移矩阵，还转反了方向", _FOUR + _TURN, _blocks(1, -1j, 1j, 1, True)),
    ("正弦少了负号，不再是旋转", _TURN, _blocks(1, 1j, 1j, 1)),
    ("两处正弦都带了负号，不再是旋转", _TURN, _blocks(1, -1j, -1j, 1)),
    ("成了翻转，不是旋转：右下角的余弦多了负号", _TURN, _blocks(1, 1j, 1j, -1)),
    ("成了翻转，不是旋转：左上角的余弦多了负号", _TURN, _blocks(-1, 1j, 1j, 1)),
    ("正弦、余弦对调了", _TURN, _blocks(1j, 1, -1, 1j)),
    ("正弦、余弦对调了", _TURN, _blocks(1j, 1, 1, -1j)),
    ("正弦、余弦对调了", _TURN, _blocks(1j, -1, 1, 1j)),
    ("只有余弦，正弦的两块没有放", _FOUR, _blocks(1, 0, 0, 1)),
    ("只有右上角的正弦，左下角没有放", _FOUR, _blocks(1, 1j, 0, 1)),
    ("整个矩阵变了号", _TURN, _blocks(-1, -1j, 1j, -1)),
]


def _halved(d: int) -> list[int]:
    """交错布局的列，按分半布局的次序。"""
    return [*range(0, d, 2), *range(1, d, 2)]


def _shift_mistakes() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    right, *rules = _rules()
    for name, hint, build in _STRUCTURES[1:]:
        yield name, hint, lambda k, d, build=build: build(k, d, right)
    # 分半布局的次序要换两处：行和列
    twined = _STRUCTURES[2][2]
    yield "只换了行的次序，列还是交错布局的", _FOUR, lambda k, d: twined(k, d, right)[_halved(d)]
    yield "只换了列的次序，行还是交错布局的", _FOUR, lambda k, d: twined(k, d, right)[:, _halved(d)]
    build = _STRUCTURES[0][2]
    for name, hint, change in (
        ("k 没有用上，总是移 1 步", "角度是 k 乘角频率。", lambda k: 1),
        ("k 没有用上，成了单位矩阵", "角度是 k 乘角频率。", lambda k: 0),
        ("多移了 1 步", "移 0 步应是单位矩阵。", lambda k: k + 1),
        ("移了两倍的步数", "角度是 k 乘角频率。", lambda k: 2 * k),
        ("k 取了绝对值，往回移的也往前移了", "k 可以是负数。", abs),
        ("k 取了整", "k 可以是小数。", math.trunc),
    ):
        yield name, hint, lambda k, d, change=change: build(change(k), d, right)
    for rule in rules:
        yield rule.name, rule.hint, lambda k, d, rule=rule: build(k, d, rule)
    for (name, hint, other), rule in itertools.product(_STRUCTURES[1:], rules[:40]):
        yield f"{name}；{rule.name}", hint + rule.hint, lambda k, d, build=other, rule=rule: build(k, d, rule)


def _observe_rotation(seen: list[_Seen]) -> _Diagnosis | None:
    """认不出时：先看是不是旋转，再读出转了多少。"""
    for s in (s for s in seen if s.complaint and not s.diagnosis):
        (k, d), matrix = s.trial.args, s.array
        if not _close(matrix @ matrix.T, np.eye(d)):
            return _Diagnosis("不是旋转：M @ M.T 不是单位矩阵，长度变了", _TURN + _PAIR)
        for i in range(d // 2):
            turned, want = math.atan2(matrix[i, i + d // 2], matrix[i, i]), k * 10000 ** (-2 * i / d)
            if abs(math.remainder(turned - want, 2 * math.pi)) > 1e-5:
                said = f"移 {k} 步时，第 {i} 对转了 {_number(turned)} 弧度，应为 {_number(want)}"
                return _Diagnosis(f"转过的角度不对：{said}", "看看角频率的指数和底数，再看 k。")
    return None


def _diagnose_shift(seen: list[_Seen]) -> _Diagnosis | None:
    if all(
        s.value.shape == (2, s.trial.args[1]) for s in seen if isinstance(s.value, np.ndarray) and s.trial.args[1] > 2
    ):
        if any(isinstance(s.value, np.ndarray) for s in seen):
            return _Diagnosis("四块拼的是一行数，不是对角矩阵", "一串角频率的余弦，用 np.diag 放到对角线上，再拼。")
    return _diagnose_by(*_shift_mistakes())(seen) or _observe_rotation(seen)


_SHIFT = _Exercise(
    "5-2",
    ("shift_matrix_halves",),
    _shifts,
    _diagnose_shift,
    "核对了 9 组步数和维度，步数有 0、负数、小数和 1000，维度从 2 到 64；其中一个矩阵是另外算好的。",
    "它就是交错布局的平移矩阵，行和列一起换了次序；转置就是往回移，因为旋转矩阵的转置等于逆。",
)


def check_shift_matrix_halves(answer: Callable[..., Any]) -> None:
    """检查练习 5-2：``shift_matrix_halves(k, d_model)`` 返回分半布局的平移矩阵。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_shift_matrix_halves(...)  # 还没有写
    练习 5-2：尚未作答。
    """
    _check(_SHIFT, answer)


def _similarities() -> list[_Trial]:
    golden = [[1, 0.7701261532, 0.2918265851], [0.7701261532, 1, 0.7701261532], [0.2918265851, 0.7701261532, 1]]
    trials = []
    for n, d in [
        (3, 4),
        (1, 2),
        (6, 2),
        (4, 6),
        (8, 8),
        (20, 16),
        (5, 128),
        (8, 20),
        (6, 8),
        (150, 6),
        (_dice.randint(3, 12), 2 * _dice.randint(3, 20)),
    ]:
        rows = [
            [sum(math.cos((s - t) / 10000 ** (2 * i / d)) for i in range(d // 2)) / (d / 2) for t in range(n)]
            for s in range(n)
        ]
        trial = _Trial((n, d), np.array(golden if (n, d) == (3, 4) else rows))
        trial.atol = 2.0**-22 + _loose(1) * np.arange(n)  # 编码表可以是 float32 的
        trial.place = lambda index: f"位置 {index[0]} 与位置 {index[1]}"
        trials.append(trial)
    return trials


_UNIT = "同一个位置与自己的相似度应是 1：每一行的长度是多少？"
_CIRCLE = "每一对的平方和应是 1，对角线应全是 1，每条斜线上的数应相同；回头检查编码表。"
_NORMS: list[tuple[str, str, Callable[[Any, int], Any]]] = [
    ("", "", lambda g, d: g / (d / 2)),
    ("没有归一化：给的是内积", _UNIT, lambda g, d: g),
    ("归一化时除以了 d_model，应是它的一半", _UNIT, lambda g, d: g / d),
    ("归一化时除以了 √d_model", _UNIT, lambda g, d: g / d**0.5),
    ("归一化时只除以了一个长度，应除以两个", _UNIT, lambda g, d: g / (d / 2) ** 0.5),
    ("归一化时除以了长度的平方的平方", _UNIT, lambda g, d: g / (d / 2) ** 2),
    ("归一化时除以了位置的个数", _UNIT, lambda g, d: g / len(g)),
    (
        "归一化用了 softmax",
        "题目要的是相似度，不是注意力的权重。",
        lambda g, d: np.exp(g) / np.exp(g).sum(1, keepdims=True),
    ),
    ("给的是 1 减去相似度", _UNIT, lambda g, d: 1 - g / (d / 2)),
    ("给的是距离，不是相似度", _UNIT, lambda g, d: np.sqrt(np.maximum(d - 2 * g, 0))),
    ("给的是距离的平方，不是相似度", _UNIT, lambda g, d: d - 2 * g),
    ("取了绝对值", "相似度可以是负的。", lambda g, d: abs(g) / (d / 2)),
    ("平方了", "内积只乘一遍。", lambda g, d: (g / (d / 2)) ** 2),
    ("负的相似度成了 0", "相似度可以是负的。", lambda g, d: np.maximum(g / (d / 2), 0)),
    (
        "给的是夹角，不是它的余弦",
        "相似度就是夹角的余弦，不用再取反余弦。",
        lambda g, d: np.arccos(np.clip(g / (d / 2), -1, 1)),
    ),
    ("减去了平均", "题目没有要求减去平均。", lambda g, d: (g - g.mean()) / (d / 2)),
]


def _gram(n: int, d: int, rule: _Rule, layout: _Change, shift: _Change, own: bool = False) -> Any:
    moved = shift.change(list(range(n)))
    table = np.empty((n, d))
    for k, j in itertools.product(range(n), range(d)):
        row, function, col = layout.change(k, j, n, d)
        table[k, j] = _value(function, rule.angle, moved[row], col // 2, col, d, 10000.0)[0]
    if own:
        table = table / np.linalg.norm(table, axis=1, keepdims=True) * (d / 2) ** 0.5
    return table @ table.T


def _similarity_mistakes() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    (right, *rules), same, start = _rules(), _LAYOUTS[0], _SHIFTS[0]
    for name, hint, norm in _NORMS[1:]:
        yield name, hint, lambda n, d, norm=norm: norm(_gram(n, d, right, same, start), d)
    yield (
        "转置放错了：比的是列，不是行",
        "每一行是一个位置；结果应是 (seq_len, seq_len)。",
        lambda n, d: [
            [sum(_row(p, d)[a] * _row(p, d)[b] for p in range(n)) / (d / 2) for b in range(d)] for a in range(d)
        ],
    )
    yield (
        "缺了转置：表乘了自己",
        "每一行是一个位置；行与行作内积，要转置一次。",
        lambda n, d: (table := np.array([_row(p, d) for p in range(n)])) @ table / (d / 2),
    )
    yield (
        "每一行先减去了平均，成了相关系数",
        "余弦相似度不减平均：np.corrcoef 会减。",
        lambda n, d: np.corrcoef([_row(p, d) for p in range(n)]).reshape(n, n),
    )
    yield "只给了一行", "任意两个位置都要比。", lambda n, d: [_gram(n, d, right, same, start)[0] / (d / 2)] * n
    yield (
        "位置相加了，应当相减",
        "内积是余弦的差角公式。",
        lambda n, d: [
            [sum(math.cos((s + t) / 10000 ** (2 * i / d)) for i in range(d // 2)) / (d / 2) for t in range(n)]
            for s in range(n)
        ],
    )
    tables = sorted(itertools.product(_LAYOUTS, [right, *rules[:75]]), key=lambda t: bool(t[0].name) + bool(t[1].name))
    for own, (layout, rule) in itertools.product((False, True), tables):  # 先试只有一处错的
        if layout.name or rule.name:
            said = "；".join(filter(None, (layout.name, rule.name)))
            yield (
                f"编码表有错：{said}，所以相似度不再只看距离，或者快慢不对",
                _CIRCLE + rule.hint,
                (lambda n, d, own=own, layout=layout, rule=rule: _gram(n, d, rule, layout, start, own) / (d / 2)),
            )
    for (name, hint, norm), rule in itertools.product(_NORMS[1:6], rules[:40]):
        yield (
            f"{name}；编码表也有错：{rule.name}",
            hint + _CIRCLE,
            (lambda n, d, norm=norm, rule=rule: norm(_gram(n, d, rule, same, start), d)),
        )


def _diagnose_similarity(seen: list[_Seen]) -> _Diagnosis | None:
    shapes = [(s.value.shape, *s.trial.args) for s in seen if isinstance(s.value, np.ndarray)]
    if any(shape == (d, d) != (n, n) for shape, n, d in shapes):
        return _Diagnosis("转置放错了：比的是列，不是行", "每一行是一个位置；结果应是 (seq_len, seq_len)。")
    if found := _diagnose_by(*_similarity_mistakes())(seen):
        return found
    for s in (s for s in seen if s.complaint and not s.diagnosis and len(s.array) > 2 and np.isfinite(s.array).all()):
        if not _close(s.array, s.array.T):
            return _Diagnosis("矩阵不对称，或者只填了一半", "位置 s 与 t 的相似度，和位置 t 与 s 的相同。")
        diagonal = np.diag(s.array)
        if np.abs(diagonal - 1).max() > 1e-4:
            odd = float(diagonal[np.argmax(np.abs(diagonal - 1))])
            return _Diagnosis(f"对角线上不全是 1，例如 {_number(odd, 1)}", _UNIT)
        if np.abs(s.array[1:, 1:] - s.array[:-1, :-1]).max() > 1e-4:
            return _Diagnosis(
                "斜线上的数不相同，相似度不只看距离（不是特普利茨矩阵）：编码表里一对的两列没有共用角度", _CIRCLE
            )
        return _Diagnosis("对角线全是 1，每条斜线上的数也相同，但数不对：多半是编码表的角频率有错", _ENDS)
    return None


_SIMILARITY = _Exercise(
    "5-3",
    ("similarity",),
    _similarities,
    _diagnose_similarity,
    "核对了 11 张表，从 1 个位置到 150 个位置，2 维到 128 维；其中一张是另外算好的。",
    "每条斜线上的数相同，这就是特普利茨矩阵：相似度只看距离，不看位置。",
)


def check_similarity(answer: Callable[..., Any]) -> None:
    """检查练习 5-3：``similarity(seq_len, d_model)`` 返回任意两个位置的余弦相似度。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_similarity(...)  # 还没有写
    练习 5-3：尚未作答。
    """
    _check(_SIMILARITY, answer)


def _relatives() -> list[_Trial]:
    trials = []
    for n, d in [
        (3, 4),
        (1, 2),
        (2, 2),
        (4, 8),
        (5, 9 - 1),
        (9, 6),
        (40, 16),
        (9, 12),
        (5, 6),
        (2100, 2),
        (_dice.randint(5, 30), 2 * _dice.randint(3, 20)),
    ]:
        positions = list(range(n - 1, -n, -1))
        rows = np.array([_row(p, d) for p in positions])
        if (n, d) == (3, 4):
            back = np.array([-1, 1, -1, 1])
            rows = np.array([_GOLDEN[2, 4], _GOLDEN[1, 4], [0, 1, 0, 1], back * _GOLDEN[1, 4], back * _GOLDEN[2, 4]])
        trials.append(
            _Trial(
                (n, d),
                rows,
                atol=np.array([[_loose(p)] * d for p in positions]),
                place=lambda index, n=n: f"位置差 {n - 1 - index[0]}、第 {index[1]} 列",
                table=(positions, d, 10000.0),
            )
        )
    return trials


def _relative(positions: Callable[[int], Iterable[float]]) -> Callable[..., Any]:
    return lambda n, d: [_row(p, d) for p in positions(n)]


_BOTH_WAYS = "位置差有正有负：3 个位置时依次是 2、1、0、-1、-2，一共 5 行。"
_RELATIVE_MISTAKES = _diagnose_by(
    ("成了绝对位置的表：从 0 往上数，负的那一半没有", _BOTH_WAYS, _relative(lambda n: range(2 * n - 1))),
    ("成了绝对位置的表：倒着数到 0，负的那一半没有", _BOTH_WAYS, _relative(lambda n: range(2 * n - 2, -1, -1))),
    (
        "成了绝对位置的表：负的那一半是正的那一半的镜像",
        _BOTH_WAYS + "正弦是奇函数。",
        _relative(lambda n: map(abs, range(n - 1, -n, -1))),
    ),
    ("次序反了：从最小的位置差数起了", _BOTH_WAYS, _relative(lambda n: range(1 - n, n))),
    ("0 排到了最前面，负的接在正的后面", _BOTH_WAYS, _relative(lambda n: [*range(n), *range(-1, -n, -1)])),
    ("0 排到了最前面，负的接在正的后面", _BOTH_WAYS, _relative(lambda n: [*range(n), *range(1 - n, 0)])),
    (
        "负的位置差被当成了倒数第几行",
        "拿负数作 NumPy 的下标，取到的是末尾的行；负的位置要另外算。",
        _relative(lambda n: [p % n for p in range(n - 1, -n, -1)]),
    ),
    (
        "负的位置差被当成了倒数第几行",
        "拿负数作 NumPy 的下标，取到的是末尾的行；负的位置要另外算。",
        _relative(lambda n: [p % (2 * n - 1) for p in range(n - 1, -n, -1)]),
    ),
    *(
        (
            name,
            "正弦是奇函数，余弦是偶函数：换成 -k，只有正弦那几列变号。",
            lambda n, d, sine=sine, cosine=cosine: [
                [v * ((sine, cosine)[j % 2] if p < 0 else 1) for j, v in enumerate(_row(abs(p), d))]
                for p in range(n - 1, -n, -1)
            ],
        )
        for name, sine, cosine in (("负的位置差，整行变了号", -1, -1), ("负的位置差，余弦变了号，正弦没有", 1, -1))
    ),
    ("负的位置差都成了 0", _BOTH_WAYS, _relative(lambda n: [max(p, 0) for p in range(n - 1, -n, -1)])),
    ("整体差了一步", _BOTH_WAYS, _relative(lambda n: range(n, 1 - n, -1))),
    ("整体差了一步", _BOTH_WAYS, _relative(lambda n: range(n - 2, -n - 1, -1))),
)


def _diagnose_relative(seen: list[_Seen]) -> _Diagnosis | None:
    shapes = [(s.value.shape, s.trial.args) for s in seen if isinstance(s.value, np.ndarray) and s.trial.args[0] > 2]
    for rows, name in (
        (lambda n: n, "成了绝对位置的表：只有 seq_len 行，负的那一半没有"),
        (lambda n: 2 * n, "多了一行：0 只有一个，一共 2·seq_len - 1 行"),
        (lambda n: 2 * n - 2, "少了一行：0 漏掉了，或者少了一头"),
        (lambda n: 2 * n + 1, "多了两行：位置差从 seq_len - 1 数起，不是 seq_len"),
    ):
        if shapes and all(shape == (rows(n), d) for shape, (n, d) in shapes):
            return _Diagnosis(name, _BOTH_WAYS)
    return _RELATIVE_MISTAKES(seen) or _search(seen)


_RELATIVE = _Exercise(
    "5-4",
    ("relative_table",),
    _relatives,
    _diagnose_relative,
    "核对了 11 张表，从 1 个位置到 2100 个位置；其中一张是另外算好的。",
    "-k 那一行就是 k 那一行把正弦变号：余弦是偶函数，正弦是奇函数。",
)


def check_relative_table(answer: Callable[..., Any]) -> None:
    """检查练习 5-4：``relative_table(seq_len, d_model)`` 返回全部位置差的编码，从大到小。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_relative_table(...)  # 还没有写
    练习 5-4：尚未作答。
    """
    _check(_RELATIVE, answer)
