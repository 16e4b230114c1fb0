"""一张表的数存成过什么样：浮点数有几位，十进制打印过几位。由此知道每个数可以差多少。"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

EPS = 2.0**-52
UNIT16, UNIT32, UNIT64 = 2.0**-12, 2.0**-25, 2.0**-53  # 最大的数在 1/2 与 1 之间时，半个末位
DECIMALS = range(3, 13)  # 打印过的小数位数。更少的，多数的对已经看不出在转
DIGITS = range(4, 10)  # 打印过的有效数字，例如 float32 最短写法至多九位
SPOT = 512  # 先抽这么多个数试，全对了再看整张表


def bfloat16(x: Array) -> Array:
    bits = np.asarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)


def float16(x: Array) -> Array:
    return np.asarray(x, np.float16).astype(np.float64)


def float32(x: Array) -> Array:
    return np.asarray(x, np.float32).astype(np.float64)


NARROW = (("bfloat16", 2.0**-9, bfloat16), ("float16", UNIT16, float16), ("float32", UNIT32, float32))


@dataclass(frozen=True)
class Storage:
    """``x`` 存下来至多差 ``relative·|x| + absolute``；``unit`` 是相对于最大的数的误差，用来粗略地比较。"""

    relative: float
    absolute: float
    unit: float
    narrow: bool  # 存成过 float32 或更窄的浮点数，或打印过：角度用没用 float64，未必看得出

    def room(self, want: Array) -> Array:
        return self.relative * np.abs(want) + self.absolute


def read_storage(table: Array) -> Storage:
    """每个数都放得进的最窄的浮点数，都打印得下的最少的位数；两样可以都有（例如打印出来的 bfloat16）。

    存好以后再整体缩放的，除以最大的数（余弦的 1）还原。
    """
    biggest = np.abs(table).max()
    for factor in (1.0, biggest):
        half, share = _printed(table / factor)
        if half or share:
            unit, subnormal = _narrowest_near(table / factor, half, share)
            # 半个末位相对于数本身至多是 2·unit；最短写法的小数自己又偏出至多半个末位
            relative = share + (4 if share and unit == UNIT32 else 2) * unit + 4 * EPS
            absolute = (half * (1 + 1e-9) + subnormal) * factor
            return Storage(relative, absolute, max(unit, share / 2, half / 2 * factor / biggest), True)
    own = _narrowest(table, 0.0)
    slack = 8 * own if own <= UNIT32 else 4 * EPS  # 3 倍的 bfloat16 恰好放得进 float16，不再舍入
    unit = max(own, _narrowest(table / biggest, slack))
    return Storage(2 * unit, _subnormal(unit) * max(1.0, biggest), unit, unit >= UNIT32)


def _narrowest(table: Array, slack: float) -> float:
    """每个数都在某种浮点数的刻度上（相差不过 ``slack`` 倍），最窄的那一种的舍入误差；都不是就当作 float64。"""
    for _, unit, fl in NARROW:
        if slack < unit / 64 and (np.abs(fl(table) - table) <= slack * np.abs(table)).all():
            return unit
    return UNIT64


def _subnormal(unit: float) -> float:
    """float16 的非正规数，半个末位是 2^-25；其余存法的非正规数小得看不见。"""
    return 2.0**-24 if unit == UNIT16 else 0.0


def _spot(table: Array) -> Array:
    flat = table[(table != 0) & (np.abs(table) != 1)]  # 0 和 1 怎样打印都一样，不作数
    return flat[:: max(1, flat.size // SPOT)]


def _printed(table: Array) -> tuple[float, float]:
    """打印过几位：返回（小数的半个末位，有效数字相对的半个末位），至多一个不是 0。

    几位小数的表，小的数有效数字也少；几位有效数字的表，小的数小数位数就多。
    """
    spot = _spot(table)
    # 个数太少，或小数本身就是短的二进数，都不足为凭
    if spot.size < 8 or np.array_equal(bfloat16(spot), spot) or np.array_equal(float16(spot), spot):
        return 0.0, 0.0
    single = np.array_equal(float32(spot), spot)
    places = _decimal_places(spot, table, 2.0**-24 if single else 2 * EPS)
    digits = 0 if single else _significant_digits(spot, table)  # float32 的数，直接按浮点数的刻度看
    leading = math.floor(math.log10(np.abs(spot).max()))
    if places and (not digits or places <= digits - 1 - leading):
        return 0.5 * 10.0**-places, 0.0
    return 0.0, 0.5 * 10.0 ** (1 - digits) if digits else 0.0


def _decimal_places(spot: Array, table: Array, own: float) -> int:
    """每个数都是几位小数；不是就返回 0。``own`` 是读回来时又舍入的误差。"""
    for places in DECIMALS:
        scale = 10.0**places
        if own * scale > 0.1:
            return 0
        room = 1e-3 * (places > 9)
        if all((np.abs(x * scale - np.rint(x * scale)) <= own * np.abs(x) * scale + room).all() for x in (spot, table)):
            return places
    return 0


def _significant_digits(spot: Array, table: Array) -> int:
    """每个数都是几位有效数字；不是就返回 0。"""
    for digits in DIGITS:
        if _has_digits(spot, digits) and _has_digits(table[table != 0], digits):
            return digits
    return 0


def _has_digits(x: Array, digits: int) -> bool:
    size = np.abs(x)
    mantissa = size * 10.0 ** (digits - 1 - np.floor(np.log10(size)))
    return bool((np.abs(mantissa - np.rint(mantissa)) <= 16 * EPS * mantissa).all())


def _narrowest_near(table: Array, half: float, share: float) -> tuple[float, float]:
    """打印之前存成过哪一种浮点数：舍入到那一种，差不过打印的半个末位。分得清的数要够多。"""
    room = (half + share * np.abs(table)) * (1 + 1e-6)
    for _, unit, fl in NARROW:
        telling = unit * np.abs(table) > 4 * room
        if telling.sum() >= 16 and 8 * telling.sum() >= table.size and (np.abs(fl(table) - table) <= room).all():
            return unit, _subnormal(unit)
    return (UNIT32 if 0 < share < 1e-7 else UNIT64), 0.0
