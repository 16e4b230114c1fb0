"""表的一种拆法：哪些列是正弦，哪些是余弦。"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..conventions import _AMPLITUDES, _LAYOUT_NAMES, Convention, _split
from .numbers import rounded
from .storage import Array, Storage

NEAR = 64  # 先由开头这么多行量出大概
SPREAD_OUT = 48  # 往后越来越疏地再取这么多行
PAIRING = 0.02  # s²+c² 至多这样不等：bfloat16 存储差 0.008；正弦与余弦的角度各算各的，float32 走到十万行差 0.01


@dataclass(frozen=True)
class Sheet:
    """全是 0 的行已经去掉，``rows`` 是留下的行号。"""

    layout: str
    swapped: bool  # 交错布局，而余弦在前：不属于任何约定
    odd: str
    rows: Array
    sines: Array
    cosines: Array
    storage: Storage

    @property
    def d_model(self) -> int:
        return self.sines.shape[1] + self.cosines.shape[1] + (self.odd == "zero_column")

    @property
    def pairs(self) -> int:
        return self.cosines.shape[1]

    @property
    def unit(self) -> float:
        return self.storage.unit

    def width(self, endpoint: bool) -> float:
        """指数 ``x = i/width``：频率是 ``base**-x``。"""
        if self.odd == "extra_sine":
            return self.d_model / 2
        return max(self.pairs - 1, 1) if endpoint else self.pairs

    def exponents(self, endpoint: bool) -> Array:
        return np.arange(self.sines.shape[1]) / self.width(endpoint)

    def phases(self) -> tuple[Array, Array]:
        """每一对的 ``(cos + j·sin, 长度)``，前者的长度是 1。"""
        z = self.cosines + 1j * self.sines[:, : self.pairs]
        size = np.abs(z)
        return z / size, size

    def head(self, count: int) -> Sheet:
        return self.pick(slice(count))

    def pick(self, index: slice | NDArray) -> Sheet:
        return dataclasses.replace(self, rows=self.rows[index], sines=self.sines[index], cosines=self.cosines[index])

    def sample(self) -> Sheet:
        """开头的几十行，加上往后越来越疏的几十行。"""
        count = len(self.rows)
        far = np.geomspace(1, count, SPREAD_OUT).astype(int) - 1
        return self.pick(np.unique(np.concatenate([np.arange(min(count, SPREAD_OUT)), far])))

    def flipped(self) -> Sheet:
        """各对倒过来排：频率升序的表，倒过来就是降序的。"""
        return dataclasses.replace(self, sines=self.sines[:, ::-1], cosines=self.cosines[:, ::-1])

    def blocks(self) -> Iterator[Sheet]:
        size = max(1, (1 << 18) // self.d_model)
        for start in range(0, len(self.rows), size):
            yield self.pick(slice(start, start + size))

    def like(self, endpoint: bool, base: float, scale: float = 1.0, amplitude: float = 1.0) -> Convention:
        return Convention("", self.layout, endpoint, base, 0, scale, amplitude, self.odd)


def sheets_of(table: Array, rows: Array, storage: Storage) -> Iterator[Sheet]:
    """各种布局的拆法。"""
    odd = "error"
    if table.shape[1] % 2:
        odd = "extra_sine" if table[:, -1].any() else "zero_column"
    for layout in _LAYOUT_NAMES:
        sines, cosines, _ = _split(table, layout, table.shape[1] % 2 and odd)
        yield Sheet(layout, False, odd, rows, sines, cosines, storage)
        if layout == "interleaved" and sines.shape == cosines.shape:
            yield Sheet(layout, True, odd, rows, cosines, sines, storage)


def unevenness(sheet: Sheet, share: float = 0.9) -> float:
    """各对的 ``s² + c²`` 离它们的中位数多远；只看最近的 ``share``，几个坏了的数不算。"""
    power = sheet.sines[:, : sheet.pairs] ** 2 + sheet.cosines**2
    middle = np.median(power)
    return float(np.quantile(np.abs(power - middle), share) / middle) if middle > 0 else math.inf


def amplitude_of(sheet: Sheet) -> float:
    """幅度，取最圆整的写法。"""
    power = sheet.sines[:, : sheet.pairs] ** 2 + sheet.cosines**2
    size = math.sqrt(np.median(power))
    room = 4 * sheet.unit * size
    usual = [1.0, math.sqrt(sheet.d_model)] + [make(sheet.d_model) for make in _AMPLITUDES.values()]
    for choice in usual + [rounded(size, digits) for digits in range(1, 8)]:
        if abs(size - choice) <= room:
            return choice
    return size
