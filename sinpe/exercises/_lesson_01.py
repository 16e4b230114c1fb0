"""第 01 课的检查器。"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ._check import _check
from ._mistakes import _diagnose_by
from ._trial import _dice, _Exercise, _Trial


def _masks() -> list[_Trial]:
    hidden = -math.inf
    trials = []
    for n in [3, 1, 2, 5, 8, 140, _dice.randint(9, 20)]:
        rows = [[0.0 if abs(s - t) <= 1 else hidden for t in range(n)] for s in range(n)]
        golden = [[0, 0, hidden], [0, 0, 0], [hidden, 0, 0]]
        trials.append(_Trial((n,), np.array(golden if n == 3 else rows), dtype=[np.float64, np.float32, np.float16]))
    return trials


def _mask(visible: Callable[[int, int, int], bool], yes: float = 0.0, no: float = -math.inf) -> Callable[[int], Any]:
    return lambda n: [[yes if visible(s, t, n) else no for t in range(n)] for s in range(n)]


_LOWEST = [float(np.finfo(kind).min) for kind in (np.float16, np.float32, np.float64)]
_VISIBLE = "掩码加在分数上：看得见的加 0，分数不变；看不见的加负无穷，softmax 之后权重是 0。"
_COUNT = "拿三个词的矩阵，逐个位置写出距离 |s - t|，再看哪些不超过 1。"
_NEIGHBOR_MASK = _Exercise(
    "1-2",
    ("neighbor_mask",),
    _masks,
    _diagnose_by(
        ("看得见的写成了 1，看不见的写成了 0", _VISIBLE, _mask(lambda s, t, n: abs(s - t) <= 1, 1, 0)),
        ("看得见的写成了 0，看不见的写成了 1", _VISIBLE, _mask(lambda s, t, n: abs(s - t) <= 1, 0, 1)),
        ("看得见的写成了 1", _VISIBLE, _mask(lambda s, t, n: abs(s - t) <= 1, 1)),
        ("看得见与看不见颠倒了", _VISIBLE, _mask(lambda s, t, n: abs(s - t) > 1)),
        ("看不见的加了正无穷，应是负无穷", _VISIBLE, _mask(lambda s, t, n: abs(s - t) <= 1, 0, math.inf)),
        (
            "看得见的成了 nan",
            "0 乘以无穷是 nan；不用乘法，用 np.where 挑选。",
            _mask(lambda s, t, n: abs(s - t) <= 1, math.nan),
        ),
        (
            "看不见的写成了 nan",
            "np.where 两边都会先算；0 乘以无穷是 nan。",
            _mask(lambda s, t, n: abs(s - t) <= 1, 0, math.nan),
        ),
        ("对角线也遮住了，词看不见自己", _COUNT, _mask(lambda s, t, n: abs(s - t) == 1)),
        ("只看得见自己", _COUNT, _mask(lambda s, t, n: s == t)),
        ("只看得见自己和左边的词", _COUNT, _mask(lambda s, t, n: s - t in (0, 1))),
        ("只看得见自己和右边的词", _COUNT, _mask(lambda s, t, n: t - s in (0, 1))),
        ("成了因果掩码：前文全看得见", _COUNT, _mask(lambda s, t, n: t <= s)),
        ("成了倒过来的因果掩码：后文全看得见", _COUNT, _mask(lambda s, t, n: t >= s)),
        ("前文全看得见，后面再看一个", _COUNT, _mask(lambda s, t, n: t - s <= 1)),
        ("后文全看得见，前面再看一个", _COUNT, _mask(lambda s, t, n: s - t <= 1)),
        ("左右各看了两个词", _COUNT, _mask(lambda s, t, n: abs(s - t) <= 2)),
        ("首尾接成了一圈", "第一个词的左边没有词。", _mask(lambda s, t, n: (s - t) % n in (0, 1, n - 1))),
        ("全都看得见", _COUNT, _mask(lambda s, t, n: True)),
        ("全都看不见", _COUNT, _mask(lambda s, t, n: False)),
        *(
            (
                f"看不见的写成了 {no:g}，不是负无穷",
                "加一个有限的数，权重只是小，不是 0；题目要 -np.inf。",
                _mask(lambda s, t, n: abs(s - t) <= 1, 0, no),
            )
            for no in (*(-(10.0**k) for k in (9, 4, 8, 5, 10, 30, 38, 0, 2, 1, 3, 6, 7, 12, 15, 18, 20, 300)), *_LOWEST)
        ),
    ),
    "核对了 7 种长度，从 1 个词到 140 个词；其中三个词的那张是手写的。",
    "这个掩码是对称的，所以整句倒过来，它不变。",
)


def check_neighbor_mask(answer: Callable[..., Any]) -> None:
    """检查练习 1-2：``neighbor_mask(seq_len)`` 返回只许看自己和左右各一个词的掩码。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_neighbor_mask(...)  # 还没有写
    练习 1-2：尚未作答。
    """
    _check(_NEIGHBOR_MASK, answer)


def _orders() -> list[_Trial]:
    trials = []
    for order in [[1, 2, 0], [0], [1, 0], [0, 1, 2], [2, 0, 3, 1], [4, 2, 0, 1, 3], _dice.sample(range(8), 8)]:
        n = len(order)
        golden = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
        rows = [[float(j == k) for j in range(n)] for k in order]
        trials.append(_Trial((order,), np.array(golden if order == [1, 2, 0] else rows), dtype=_NUMBERS))
    return trials


_NUMBERS = [np.float64, np.float32, np.float16, np.bool_, *map(np.dtype, np.typecodes["AllInteger"])]
_ONE_ROW_AT_A_TIME = "P @ X 的第 k 行是 P 的第 k 行乘 X；要它等于 X 的第 order[k] 行，那个 1 该放在第几列？"
_PERMUTATION_MATRIX = _Exercise(
    "1-3",
    ("permutation_matrix",),
    _orders,
    _diagnose_by(
        ("矩阵转置了：它把次序换回去", _ONE_ROW_AT_A_TIME, lambda o: np.eye(len(o))[:, o]),
        ("总是单位矩阵，次序没有换", _ONE_ROW_AT_A_TIME, lambda o: np.eye(len(o))),
        ("行的次序整个反了", _ONE_ROW_AT_A_TIME, lambda o: np.eye(len(o))[o[::-1]]),
        ("总是整句倒过来", "order 用上了吗？", lambda o: np.eye(len(o))[::-1]),
        ("换了两遍次序", "只换一遍。", lambda o: np.eye(len(o))[o][o]),
        ("0 和 1 颠倒了", "每行每列恰有一个 1。", lambda o: 1 - np.eye(len(o))[o]),
        ("1 放的位置差了一列", "下标从 0 数起。", lambda o: np.eye(len(o))[[(k + 1) % len(o) for k in o]]),
        ("1 放的位置差了一列", "下标从 0 数起。", lambda o: np.eye(len(o))[[(k - 1) % len(o) for k in o]]),
        ("返回的是次序本身，不是矩阵", _ONE_ROW_AT_A_TIME, lambda o: o),
        ("全是 0", "每行每列恰有一个 1。", lambda o: np.zeros((len(o), len(o)))),
        ("全是 1", "每行每列恰有一个 1。", lambda o: np.ones((len(o), len(o)))),
        ("放的是 order 的值，不是 1", "每行每列恰有一个 1，其余是 0。", lambda o: np.eye(len(o))[o] * np.array(o)),
        (
            "放的是 order 的值，不是 1",
            "每行每列恰有一个 1，其余是 0。",
            lambda o: np.eye(len(o))[o] * np.array(o)[:, None],
        ),
    ),
    "核对了 7 种次序，最短的只有一个词；其中 [1, 2, 0] 的那个矩阵是手写的。",
    "np.eye(n)[order] 就是它：把单位矩阵的行换个次序。它的转置把次序换回去。",
)


def check_permutation_matrix(answer: Callable[..., Any]) -> None:
    """检查练习 1-3：``permutation_matrix(order)`` 返回 ``P``，使 ``P @ X`` 等于 ``X[order]``。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_permutation_matrix(...)  # 还没有写
    练习 1-3：尚未作答。
    """
    _check(_PERMUTATION_MATRIX, answer)
