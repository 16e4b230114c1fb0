"""第 00 课的检查器。"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._check import _check
from ._expected import _GOLDEN, _loose, _row
from ._mistakes import _diagnose_by, _search
from ._trial import _dice, _Exercise, _Trial


def _one_row() -> list[_Trial]:
    cases = [
        (1, 8),
        (0, 2),
        (1, 2),
        (1, 4),
        (2, 4),
        (1, 6),
        (3, 8),
        (7, 6),
        (100, 16),
        (1000, 64),
        (2, 512),
        (2049, 8),
        (32767, 4),
    ]
    cases += [(_dice.randint(3, 300), 2 * _dice.randint(5, 40))]  # 每次换一组，背不下来
    return [
        _Trial(
            (pos, d),
            np.array(_GOLDEN.get((pos, d)) or _row(pos, d)),
            atol=_loose(pos),  # 这一课还没有讲精度
            place=lambda index: f"第 {index[0]} 列",
            table=([pos], d, 10000.0),
        )
        for pos, d in cases
    ]


_ENCODE_ONE = _Exercise(
    "0-2",
    ("encode_one",),
    _one_row,
    _search,
    "核对了 14 组位置和维度，位置从 0 到 32767，维度从 2 到 512；其中三行是另外算好的。",
    "第 2i 列和第 2i+1 列共用一个角度，所以它们的平方和总是 1。",
)


def check_encode_one(answer: Callable[..., Any]) -> None:
    """检查练习 0-2：``encode_one(pos, d_model)`` 返回一个位置的编码。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_encode_one(...)  # 还没有写
    练习 0-2：尚未作答。
    """
    _check(_ENCODE_ONE, answer)


def _in_sentence(index: tuple[int, ...]) -> str:
    return f"第 {index[0]} 句、位置 {index[1]}、第 {index[2]} 列"


def _additions() -> list[_Trial]:
    x, pe = np.tile([1.0, 2.0, 3.0, 4.0], (1, 2, 1)), np.array([_row(p, 4) for p in range(5)])
    golden = [[[1, 3, 3, 5], [1.8414709848, 2.5403023059, 3.0099998333, 4.9999500004]]]
    trials = [_Trial((x, pe), np.array(golden), dtype=np.float64, atol=1e-9, place=_in_sentence)]
    random_ = np.random.default_rng(0)
    for batch, n, d, longest in [
        (1, 2, 4, 5),
        (2, 3, 4, 10),
        (1, 1, 2, 1),
        (1, 3, 4, 3),
        (3, 1, 2, 5),
        (3, 3, 4, 9),
        (2, 5, 6, 6),
        (2, 4, 8, 8),
        (2, 4, 4, 4),
        (4, 4, 4, 6),
        (5, 7, 16, 50),
    ]:
        for dtype in (np.float32, np.float64):
            x = random_.normal(size=(batch, n, d)).astype(dtype)
            pe = np.array([_row(p, d) for p in range(longest)], dtype)
            expected = np.array(
                [[[float(x[b, p, j]) + float(pe[p, j]) for j in range(d)] for p in range(n)] for b in range(batch)]
            )
            trials.append(
                _Trial(
                    (x, pe),
                    expected,
                    dtype=dtype,
                    atol=4 * float(np.finfo(dtype).eps),  # 一次加法，和不超过 8
                    place=_in_sentence,
                )
            )
    return trials


_ONE_ROW_FOR_ALL = "pe[n] 和 pe[:, n] 取的是一行、一列，pe[:n] 取的才是前 n 行；中间的冒号不要漏，也不要放错地方。"
_WHICH_AXIS = "x 的形状是 (batch, seq_len, d_model)：句子是第 0 轴，位置是第 1 轴。"
_ADD_ENCODING = _Exercise(
    "0-3",
    ("add_encoding",),
    _additions,
    _diagnose_by(
        ("每个位置都加了同一行：取成了第 seq_len 行", _ONE_ROW_FOR_ALL, lambda x, pe: x + pe[x.shape[1]]),
        ("加上的是一列，不是一段：取成了第 seq_len 列", _ONE_ROW_FOR_ALL, lambda x, pe: x + pe[:, x.shape[1]]),
        (
            "加上的是一列，不是一段：取成了第 seq_len 列",
            _ONE_ROW_FOR_ALL,
            lambda x, pe: x + pe[: x.shape[1], x.shape[1]][:, None],
        ),
        ("每个位置都加了同一行：取成了最后一行", _ONE_ROW_FOR_ALL, lambda x, pe: x + pe[x.shape[1] - 1]),
        ("每个位置都加了同一行：取成了表的最后一行", _ONE_ROW_FOR_ALL, lambda x, pe: x + pe[-1]),
        ("每个位置都加了同一行：取了各行的平均", _ONE_ROW_FOR_ALL, lambda x, pe: x + pe[: x.shape[1]].mean(axis=0)),
        ("取成了后面的一段", "第一个词的位置是 0。", lambda x, pe: x + pe[x.shape[1] : 2 * x.shape[1]]),
        (
            "每句话的起点不同：第 k 句从位置 k 开始了",
            _WHICH_AXIS,
            lambda x, pe: np.array([x[k] + pe[k : k + x.shape[1]] for k in range(len(x))]),
        ),
        ("每个位置都加了同一行：总是位置 0", _ONE_ROW_FOR_ALL, lambda x, pe: x + pe[0]),
        ("每个位置都加了同一行：总是位置 1", _ONE_ROW_FOR_ALL, lambda x, pe: x + pe[1]),
        ("沿批的轴加了：第 k 句的每个词都加了位置 k", _WHICH_AXIS, lambda x, pe: x + pe[: x.shape[0], None]),
        ("沿批的轴取了长度：x.shape[0] 是句子的个数", _WHICH_AXIS, lambda x, pe: x + pe[: x.shape[0]]),
        ("位置从 1 数起", "第一个词的位置是 0。", lambda x, pe: x + pe[1 : x.shape[1] + 1]),
        ("取成了编码表的最后几行", "一句话从位置 0 开始。", lambda x, pe: x + pe[-x.shape[1] :]),
        ("位置的次序反了", "第一个词的位置是 0。", lambda x, pe: x + pe[: x.shape[1]][::-1]),
        ("减去了编码，应当相加", "看看符号。", lambda x, pe: x - pe[: x.shape[1]]),
        ("乘上了编码，应当相加", "看看符号。", lambda x, pe: x * pe[: x.shape[1]]),
        ("只返回了编码，没有加到 x 上", "x 用上了吗？", lambda x, pe: np.broadcast_to(pe[: x.shape[1]], x.shape)),
        ("原样返回了 x，编码没有加上", "相加的结果是新的数组，要接住它再返回。", lambda x, pe: x),
        ("编码加了两遍", "只加一遍。", lambda x, pe: x + 2 * pe[: x.shape[1]]),
        (
            "x 先乘了 √d_model，题目没有要求",
            "这个系数是另一件事，这道题只要相加。",
            lambda x, pe: x * x.shape[2] ** 0.5 + pe[: x.shape[1]],
        ),
        (
            "编码除以了 √d_model，题目没有要求",
            "这道题只要相加。",
            lambda x, pe: x + pe[: x.shape[1]] / x.shape[2] ** 0.5,
        ),
        ("取了平均，题目要的是和", "不用除以 2。", lambda x, pe: (x + pe[: x.shape[1]]) / 2),
        (
            "只有第一句加上了编码",
            _WHICH_AXIS,
            lambda x, pe: x + pe[: x.shape[1]] * (np.arange(len(x)) == 0)[:, None, None],
        ),
        (
            "沿批的轴接着数位置：第二句没有从 0 开始",
            _WHICH_AXIS,
            lambda x, pe: x + pe[: x.shape[0] * x.shape[1]].reshape(x.shape),
        ),
    ),
    "核对了 12 组形状，float32 和 float64 都有；有一句话的、一个词的，也有句子数、词数、维度相等的；其中一批是手算的。",
    "广播从右边对齐，所以 (seq_len, d_model) 的表对每一句话都加同样的数，不必写循环。",
)


def check_add_encoding(answer: Callable[..., Any]) -> None:
    """检查练习 0-3：``add_encoding(x, pe)`` 把编码加到一批句子上。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_add_encoding(...)  # 还没有写
    练习 0-3：尚未作答。
    """
    _check(_ADD_ENCODING, answer)
