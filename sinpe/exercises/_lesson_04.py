"""第 04 课的检查器。"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ._check import _check
from ._expected import _row
from ._mistakes import _diagnose_by
from ._trial import _dice, _Exercise, _Trial


def _rows_of_position_one() -> list[_Trial]:
    cases = [(4, 100.0), (4, 10000.0), (6, 10000.0), (8, 500.0), (64, 1e8), (512, 10000.0), (10, 20.0), (6, math.e)]
    cases += [(2 * _dice.randint(3, 40), _dice.uniform(20, 90000))]
    given = _Trial((np.array([0.8415, 0.5403, 0.0998, 0.9950]),), np.array(100.0), atol=1.0)  # 题目只给四位小数
    return [given] + [_Trial((np.array(_row(1, d, b)),), np.array(b), atol=1e-9 * b) for d, b in cases]


_ANGLE_FIRST = "位置 1 的角度就是角频率：由正弦、余弦求角度，用 np.arctan2(正弦, 余弦)。"
_ROOT = "从 ω₁ = b 的 -2/d 次方解出 b：两边取几次方？"


def _from_omega(formula: Callable[[float, int], float], pair: int = 1) -> Callable[[Any], float]:
    return lambda row: formula(math.atan2(row[2 * pair], row[2 * pair + 1]), len(row))


_READ_BASE = _Exercise(
    "4-2",
    ("read_base",),
    _rows_of_position_one,
    _diagnose_by(
        ("次方取成了 -d，多乘了 2（读出的是底数的平方）", _ROOT, _from_omega(lambda w, d: w**-d)),
        ("次方取成了 -d/4（读出的是底数的平方根）", _ROOT, _from_omega(lambda w, d: w ** (-d / 4))),
        ("次方少了负号（读出的是底数的倒数）", _ROOT, _from_omega(lambda w, d: w ** (d / 2))),
        ("次方颠倒了，取成了 -2/d", _ROOT, _from_omega(lambda w, d: w ** (-2 / d))),
        ("次方颠倒了，取成了 2/d", _ROOT, _from_omega(lambda w, d: w ** (2 / d))),
        ("次方写死成了 -2，只有 4 列时才对", "列数从 len(row) 来。", _from_omega(lambda w, d: w**-2)),
        ("次方写死成了 -4，只有 8 列时才对", "列数从 len(row) 来。", _from_omega(lambda w, d: w**-4)),
        ("次方写死成了 -32，只有 64 列时才对", "列数从 len(row) 来。", _from_omega(lambda w, d: w**-32)),
        ("次方差了一级，用了 d/2 - 1", "指数是 2i/d，不是 i/(d/2-1)。", _from_omega(lambda w, d: w ** -(d / 2 - 1))),
        ("次方差了一级，用了 d/2 + 1", _ROOT, _from_omega(lambda w, d: w ** -(d / 2 + 1))),
        ("次方取成了 -(d-1)/2", _ROOT, _from_omega(lambda w, d: w ** (-(d - 1) / 2))),
        ("读出的是角频率，不是底数", _ROOT, _from_omega(lambda w, d: w)),
        ("读出的是角频率的倒数，不是底数", _ROOT, _from_omega(lambda w, d: 1 / w)),
        ("读出的是底数的对数，还差一步 exp", _ROOT, _from_omega(lambda w, d: -d / 2 * math.log(w))),
        (
            "对数用了 log10，还原却用了 exp",
            "exp 的反函数是 np.log，不是 np.log10。",
            _from_omega(lambda w, d: math.exp(-d / 2 * math.log10(w))),
        ),
        ("取了整", "底数不一定是整数。", _from_omega(lambda w, d: round(w ** (-d / 2)))),
        ("读出的是波长，不是底数", _ROOT, _from_omega(lambda w, d: 2 * math.pi / w)),
        ("角度换算成了度", _ANGLE_FIRST, _from_omega(lambda w, d: math.degrees(w) ** (-d / 2))),
        ("arctan2 的两个参数放反了", _ANGLE_FIRST, lambda row: math.atan2(row[3], row[2]) ** (-len(row) / 2)),
        ("把正弦当成了角度", _ANGLE_FIRST, lambda row: row[2] ** (-len(row) / 2)),
        ("把余弦当成了角度", _ANGLE_FIRST, lambda row: row[3] ** (-len(row) / 2)),
        ("把正切当成了角度", _ANGLE_FIRST, lambda row: (row[2] / row[3]) ** (-len(row) / 2)),
        ("用了第 0 对，它的角频率总是 1", "第几对的角频率与底数有关？", _from_omega(lambda w, d: w ** (-d / 2), 0)),
        ("用了两对的角，取错了列", "第 1 对是第 2、3 列。", lambda row: math.atan2(row[1], row[2]) ** (-len(row) / 2)),
        (
            "取成了分半布局的列",
            "这一行是交错布局：第 1 对是第 2、3 列。",
            lambda row: math.atan2(row[1], row[len(row) // 2 + 1]) ** (-len(row) / 2),
        ),
        ("总是 10000", "用上 row 了吗？", lambda row: 10000.0),
        ("总是 100", "用上 row 了吗？", lambda row: 100.0),
    ),
    "核对了 10 行，4 到 512 列，底数从 2.7 到一亿；第一行就是题目里的四个数。",
    "底数的相对误差是角频率的 d/2 倍，所以列越多，越要用没有舍入的数来读。",
)


def check_read_base(answer: Callable[..., Any]) -> None:
    """检查练习 4-2：``read_base(row)`` 由位置 1 的一行编码读出底数。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_read_base(...)  # 还没有写
    练习 4-2：尚未作答。
    """
    _check(_READ_BASE, answer)


def _texts() -> list[_Trial]:
    cases = [
        (5000, 64),
        (100, 4),
        (512, 8),
        (7, 6),
        (100000, 512),
        (64, 10),
        (5000, 4),
        (7, 64),
        (_dice.randint(20, 9000), 2 * _dice.randint(3, 60)),
    ]
    trials = []
    for n, d in cases:
        base = 987.1065 if (n, d) == (5000, 64) else (n / (2 * math.pi)) ** (d / (d - 2))
        trials.append(_Trial((n, d), np.array(base), atol=1e-4 if (n, d) == (5000, 64) else 1e-9 * base))
    return trials


_SOLVE = "从 2π · b 的 (d-2)/d 次方 = L 解出 b：先除以 2π，再取几次方？"
_LAST = "最后一对的编号是 d/2 - 1，不是 d/2：它的指数是 (d-2)/d，到不了 1。"
_SMALLEST_BASE = _Exercise(
    "4-3",
    ("smallest_base",),
    _texts,
    _diagnose_by(
        ("最长的波长当成了 2πb，指数差了一级", _LAST, lambda n, d: n / (2 * math.pi)),
        ("最长的波长当成了 b，少了 2π，指数也差了一级", _LAST, lambda n, d: float(n)),
        ("指数差了一级，用了 d/(d-1)", _LAST, lambda n, d: (n / (2 * math.pi)) ** (d / (d - 1))),
        ("指数差了一级，用了 d/(d-4)", _LAST, lambda n, d: (n / (2 * math.pi)) ** (d / (d - 4))),
        ("指数差了一级，用了 d/(d+2)", _LAST, lambda n, d: (n / (2 * math.pi)) ** (d / (d + 2))),
        ("指数差了一级，用了 (d+2)/d", _LAST, lambda n, d: (n / (2 * math.pi)) ** ((d + 2) / d)),
        ("指数颠倒了，用了 (d-2)/d", _SOLVE, lambda n, d: (n / (2 * math.pi)) ** ((d - 2) / d)),
        ("指数用了 d/2", _SOLVE, lambda n, d: (n / (2 * math.pi)) ** (d / 2)),
        ("指数用了 d - 2，忘了除", _SOLVE, lambda n, d: (n / (2 * math.pi)) ** (d - 2)),
        ("指数变了号", _SOLVE, lambda n, d: (n / (2 * math.pi)) ** (-d / (d - 2))),
        ("指数里用了整数除法", "/ 与 // 不同。", lambda n, d: (n / (2 * math.pi)) ** (d // (d - 2))),
        ("少除了 2π：角频率和波长差一个 2π", _SOLVE, lambda n, d: n ** (d / (d - 2))),
        ("只除了 π", _SOLVE, lambda n, d: (n / math.pi) ** (d / (d - 2))),
        ("乘了 2π，应当除", _SOLVE, lambda n, d: (n * 2 * math.pi) ** (d / (d - 2))),
        (
            "少了括号：除以 2 之后又乘了 π",
            "a / 2 * np.pi 从左往右算。",
            lambda n, d: (n / 2 * math.pi) ** (d / (d - 2)),
        ),
        ("少了括号：次方只管到 2π", "给 L/(2π) 整个加上括号。", lambda n, d: n / (2 * math.pi) ** (d / (d - 2))),
        ("次方取过之后才除以 2π", _SOLVE, lambda n, d: n ** (d / (d - 2)) / (2 * math.pi)),
        ("用了 L - 1", "题目要的是波长不小于 L。", lambda n, d: ((n - 1) / (2 * math.pi)) ** (d / (d - 2))),
        ("用了 L + 1", "题目要的是波长不小于 L。", lambda n, d: ((n + 1) / (2 * math.pi)) ** (d / (d - 2))),
        ("取了整", "底数不必是整数。", lambda n, d: math.ceil((n / (2 * math.pi)) ** (d / (d - 2)))),
        ("取了整", "底数不必是整数。", lambda n, d: math.floor((n / (2 * math.pi)) ** (d / (d - 2)))),
        ("取了整", "底数不必是整数。", lambda n, d: round((n / (2 * math.pi)) ** (d / (d - 2)))),
        ("返回的是最长的波长，不是底数", _SOLVE, lambda n, d: 2 * math.pi * 10000 ** ((d - 2) / d)),
        ("2π 当成了 360", "公式里的角度是弧度，一圈是 2π。", lambda n, d: (n / 360) ** (d / (d - 2))),
    ),
    "核对了 9 组长度和维度，4 维到 512 维；5000 个位置、64 维的那个数是另外算好的。",
    "维度越大，指数 d/(d-2) 越接近 1，答案越接近 L/2π；维度小的时候差得很多。",
)


def check_smallest_base(answer: Callable[..., Any]) -> None:
    """检查练习 4-3：``smallest_base(seq_len, d_model)`` 返回最长波长不小于 ``seq_len`` 的最小底数。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_smallest_base(...)  # 还没有写
    练习 4-3：尚未作答。
    """
    _check(_SMALLEST_BASE, answer)
