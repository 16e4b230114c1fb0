"""量出各对每走一行转过的弧度，还原转过的整圈，拟合出比例和公比。"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .sheet import NEAR, Sheet
from .storage import EPS, Array

LONG = 8192  # 用这么长的一段拟合直线
SCATTERED = 0.3  # 走远以后相位离直线这么多弧度，就只信开头
SURE = 8  # 转过的弧度是误差的这么多倍，才算量得准
ON_LINE = 0.01  # 对数频率离直线的余地：窄的角度，频率本身也错百分之几


class Rates(NamedTuple):
    rate: Array  # 弧度每行，不计整圈
    error: Array
    scatter: float  # 开头几十行里，相位离直线至多多远


class Ladder(NamedTuple):
    """频率 ``sign · exp(log_scale - slope·i)``。"""

    sign: float
    log_scale: float
    slope: float


def wrap(angle: Array) -> Array:
    return angle - 2 * math.pi * np.round(angle / (2 * math.pi))


def row_turns(sheet: Sheet) -> Array:
    """相邻的两行之间，各对转过的角度，写成长度 1 的复数。行号不相邻的不看。"""
    near = np.flatnonzero(np.diff(sheet.rows) == 1)
    z, _ = sheet.phases()
    return z[near + 1] * z[near].conj()


def measure(sheet: Sheet) -> Rates:
    """先由相邻的行估计，再用更长的一段直线拟合。"""
    rate = error = None
    loose = math.inf
    for count in (NEAR, LONG):
        part = sheet.head(count)
        if rate is None:
            turns = row_turns(part)
            if not len(turns):
                return Rates(np.zeros(sheet.pairs), np.ones(sheet.pairs), math.inf)
            rate = np.angle(turns.sum(axis=0))
        elif len(part.rows) <= NEAR:
            break
        z, size = part.phases()
        t = part.rows - part.rows.mean()
        rest = np.unwrap(np.angle(z * np.exp(-1j * np.outer(part.rows, rate))), axis=0)
        rest -= rest.mean(axis=0)
        slope = t @ rest / (t @ t)
        # 直线拟合的误差：相位的误差除以行号的离散程度。相位的误差取实测的与存储舍入的较大者
        stored = part.storage.relative * np.abs(z.real * z.imag).mean(axis=0) + part.storage.absolute / size.min()
        scatter = np.maximum((rest - np.outer(t, slope)).std(axis=0), stored)
        loose = float(scatter.max()) if error is None else loose
        if error is not None and scatter.max() > SCATTERED:
            break
        rate = rate + slope
        error = scatter / math.sqrt(t @ t) + (4 * EPS + part.unit / 1000) * np.abs(rate) + 1e-300
    return Rates(rate, error, loose)


def unwrap(measured: Rates) -> Ladder | None:
    """由慢的一端找出落在一条直线上的最长一段（每行转不到半圈），再逐对往快的推：差几圈补几圈。"""
    rate, error, _ = measured
    sure = np.flatnonzero(np.abs(rate) > SURE * error)
    if len(sure) < 2:
        return None
    sign = math.copysign(1.0, rate[sure[-1]])
    full = np.where(sign * rate > SURE * error, sign * rate, 0.0)
    first = next((k for k in range(len(sure) - 1) if _on_a_line(sure[k:], full, error)), None)
    if first is None:
        return None
    known = sure[first:]
    full[: known[0]] = 0.0
    for i in range(known[0] - 1, -1, -1):
        fit = _Line(np.flatnonzero(full), full, error)
        guess = math.exp(min(fit.at(i), 700.0))
        if not fit.doubt(i) * guess < 1.0:  # 差了几圈也分不清：到此为止
            break
        value = sign * rate[i] + 2 * math.pi * round((guess - sign * rate[i]) / (2 * math.pi))
        full[i] = max(value, 0.0)
    fit = _Line(np.flatnonzero(full), full, error)
    if not (abs(fit.intercept) < math.log(1e300) and fit.slope < 0):
        return None
    return Ladder(sign, fit.intercept, -fit.slope)


def _on_a_line(index: Array, full: Array, error: Array) -> bool:
    if (full[index] <= 0).any() or (np.diff(full[index]) >= 0).any():
        return False
    fit = _Line(index, full, error)
    off = np.abs(np.exp(np.minimum(fit.intercept + fit.slope * index, 700.0)) - full[index])
    return bool((off <= SURE * error[index] + ON_LINE * full[index]).all())


class _Line:
    """对数频率的加权最小二乘直线；权是相对误差的平方的倒数。"""

    def __init__(self, index: Array, full: Array, error: Array) -> None:
        y, weight = np.log(full[index]), (full[index] / error[index]) ** 2
        self.total = weight.sum()
        weight = weight / self.total
        self.x0, self.y0 = weight @ index, weight @ y
        self.moment = weight @ (index - self.x0) ** 2
        self.slope = weight @ ((index - self.x0) * (y - self.y0)) / self.moment if self.moment > 0 else 0.0
        self.intercept = self.y0 - self.slope * self.x0
        # 实测的误差比预计的大，就照实测的放大
        self.excess = max(1.0, math.sqrt(self.total * (weight @ (y - self.intercept - self.slope * index) ** 2)))

    def at(self, i: float) -> float:
        return self.intercept + self.slope * i

    def doubt(self, i: float) -> float:
        """外推到 ``i`` 处，对数频率的误差。"""
        if not self.moment > 0:
            return math.inf
        return 3 * self.excess * math.sqrt((1 + (i - self.x0) ** 2 / self.moment) / self.total)
