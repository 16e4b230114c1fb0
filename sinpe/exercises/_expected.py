"""期望值：公式用循环逐个算，另有几行写死的数作旁证；和怎样的误差算对。"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._trial import _show, _Trial


def _row(pos: float, d: int, base: float = 10000.0) -> list[float]:
    """照公式逐个算出一行：这就是期望值。"""
    row = []
    for i in range(d // 2):
        angle = pos / base ** (2 * i / d)
        row += [math.sin(angle), math.cos(angle)]
    return row


def _loose(pos: float) -> float:
    """float32 的结果和角度也算对：结果舍入一次，角频率与角度各差几个 eps，随位置增长。"""
    return 2.0**-23 + 2.0**-22 * abs(pos)


def _atol(dtype: Any, pos: float) -> float:
    """结果舍入一次（至多四分之一个 eps，放宽一倍）；角度在 float64 里，误差随 eps·pos 增长，乘方与对数再加几个 eps。"""
    return float(np.finfo(dtype).eps) / 2 + 16 * 2.0**-52 * max(1.0, abs(pos))


def _table(
    positions: Sequence[float], d: int, base: float, dtype: Any, args: tuple, shape: Any = None, **more: Any
) -> _Trial:
    """一次调用，应返回这些位置的编码表。"""
    rows = [_row(p, d, base) for p in positions]
    if dtype is np.float32 and base == 10000:  # 写死的数只有十位小数，够核对 float32
        rows = [_GOLDEN.get((p, d), row) for p, row in zip(positions, rows, strict=True)]
    shape = (len(positions), d) if shape is None else shape
    atol = np.array([[_atol(dtype, p)] * d for p in positions]).reshape(shape)

    def place(index: tuple[int, ...]) -> str:
        k = int(np.ravel_multi_index(index, shape)) // d
        return f"位置 {_show(positions[k])}、第 {index[-1]} 列"

    expected = np.array(rows).reshape(shape)
    return _Trial(args, expected, dtype=dtype, atol=atol, place=place, table=([*positions], d, base), **more)


# 另外用高精度算好、写死在这里的几行：公式的循环万一抄错了，这里会露馅
_GOLDEN = {
    (1, 4): [0.8414709848, 0.5403023059, 0.0099998333, 0.9999500004],
    (2, 4): [0.9092974268, -0.4161468365, 0.0199986667, 0.9998000067],
    (1, 8): [
        0.8414709848,
        0.5403023059,
        0.0998334166,
        0.9950041653,
        0.0099998333,
        0.9999500004,
        0.0009999998,
        0.9999995000,
    ],
}

_CLOSE = 2.0**-19  # 角频率的相对误差：float32 的 exp 把指数（绝对值不到 14）的舍入放大十几倍
