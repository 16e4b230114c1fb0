"""常见的数、圆整的数。"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

BASES = (1e4, 1e6, 5e5, 1e3, 100.0, 1e5, 500.0, 20.0, 1e7, 1e8)  # 真实系统里见过的底数，常见的在前
SCALES = (1.0, 0.5, 2.0, 10.0, 100.0, 1000.0, math.pi, 2 * math.pi, math.pi / 180, 180 / math.pi)
SIMPLE = 5  # 有效数字比这少的小数，比 1/k 圆整
MOST_PARTS = 2048
NEARBY = 0.05  # 圆整以后相差不到这么多倍，才值得一试


class Candidate(NamedTuple):
    value: float
    usual: bool


def rounded(value: float, digits: int) -> float:
    """保留几位有效数字。"""
    return float(f"{value:.{digits - 1}e}")


def candidates(value: float, usual: Iterable[float]) -> Iterator[Candidate]:
    """``value`` 附近的数，由圆整到不圆整，最后是它自己。"""
    near = [number for number in usual if number > 0 and abs(math.log(number / value)) < NEARBY]
    yield from (Candidate(number, True) for number in near)
    seen = set(near)
    rough = [rounded(value, digits) for digits in range(1, SIMPLE)]
    fine = [rounded(value, digits) for digits in range(SIMPLE, 16)]
    for number in [*rough, *_fractions(value), *fine]:
        if number not in seen and abs(math.log(number / value)) < NEARBY:
            seen.add(number)
            yield Candidate(number, False)
    yield Candidate(value, False)


def _fractions(value: float) -> Iterator[float]:
    """1/k、2/k 和它们乘以 π：位置除以长度、把长度当作一圈，都得到这样的比例。"""
    for unit in (1.0, 2.0, math.pi, 2 * math.pi):
        if 2 <= round(unit / value) <= MOST_PARTS:
            yield unit / round(unit / value)


def base_rank(base: float) -> tuple[int, int]:
    """越小越圆整：10000 最前，其次是见过的，再次看有效数字有几位。"""
    if base in BASES:
        return (0 if base == 1e4 else 1), BASES.index(base)
    return 2, next(digits for digits in range(1, 18) if rounded(base, digits) == base)
