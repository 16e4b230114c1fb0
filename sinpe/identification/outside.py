"""``Convention`` 写不出来的设计：认得出是什么，就说是什么；它们不是错。"""

from __future__ import annotations

import math

import numpy as np

from ..conventions import _LAYOUT_NAMES, _number_text
from .rates import row_turns
from .readings import find_readings
from .sheet import PAIRING, Sheet, unevenness
from .storage import Array

STRAIGHT = 0.02  # 相邻两对的相位差，离处处相同只差自身的这么多倍
TURNING = 0.1  # 相位差至少有这么多弧度在变，才看得出
FORWARD = "请照原系统的公式直接算"


def describe_outside(sheets: list[Sheet]) -> str:
    """返回一句话；都不像就是空的。``sheets`` 里正弦与余弦已经配对。"""
    for sheet in sheets:
        for find in (_doubling, _linear, _ascending):
            text = find(sheet)
            if text:
                return f"{_layout(sheet)}，{text}；Convention 只写从快到慢的等比频率表，不包括它，{FORWARD}"
    return ""


def without_ramps(table: Array) -> Array:
    """去掉开头等距的列（有的系统把位置本身也放进表里）。"""
    columns = 0
    while columns < 3 and columns < table.shape[1] - 6 and _is_ramp(table[:, columns]):
        columns += 1
    return table[:, columns:]


def _is_ramp(column: Array) -> bool:
    steps = np.diff(column)
    return bool(steps[0] != 0 and np.allclose(steps, steps.mean(), rtol=1e-3, atol=1e-6))


def paired(sheets: list[Sheet]) -> list[Sheet]:
    return [sheet for sheet in sheets if unevenness(sheet) <= PAIRING + 8 * sheet.unit]


def _layout(sheet: Sheet) -> str:
    return "交错布局，余弦在前" if sheet.swapped else _LAYOUT_NAMES[sheet.layout][0]


def _doubling(sheet: Sheet) -> str:
    """每一对的角度是前一对的两倍，位置可以任意。"""
    z, _ = sheet.phases()
    if sheet.pairs < 3 or np.abs(np.angle(z)).max() < TURNING:
        return ""
    off = np.abs(z[:, 1:] - z[:, :-1] ** 2)
    if np.quantile(off, 0.9) <= STRAIGHT + 8 * sheet.unit:
        return "每一对的频率是前一对的两倍（2^i）：NeRF、PyTorch3D 一类的谐波编码"
    return ""


def _linear(sheet: Sheet) -> str:
    """相邻两对的角度之差处处相同，位置可以任意。"""
    if sheet.pairs < 3:
        return ""
    z, _ = sheet.phases()
    step = z[:, 1:] * z[:, :-1].conj()
    usual = step.mean(axis=1, keepdims=True)
    turning = np.abs(np.angle(step)).max()
    off = np.abs(step - usual / np.abs(usual))
    if turning < TURNING or np.quantile(off, 0.95) > STRAIGHT * min(turning, 1.0) + 8 * sheet.unit:
        return ""
    return "频率成等差数列，不是等比的：Perceiver、Hyena、Zipformer 一类的傅里叶特征"


def _ascending(sheet: Sheet) -> str:
    """各对倒过来，就是一种约定：频率从慢到快。"""
    if not turns_evenly(sheet):
        return ""
    readings, *_ = find_readings(sheet.flipped(), None)
    if not readings:
        return ""
    convention = min(readings, key=lambda reading: reading.rank).convention
    fastest = abs(convention.scale)
    width = sheet.width(convention.endpoint)
    ratio = convention.base ** (1 / width)
    slowest = fastest * ratio ** -(sheet.pairs - 1)
    known = ""
    if math.isclose(slowest, 1, rel_tol=1e-5) and math.isclose(fastest, 1e4, rel_tol=1e-5):
        known = "，就是 10^(4i/(d/2-1))：DiffWave、CSDI 的扩散步编码"
    elif math.isclose(slowest, 2 * math.pi, rel_tol=1e-5):
        known = "，最慢的一对每个位置转一圈：Keras 的 DDIM 示例这样写"
    return f"频率是升序的等比数列，每行从 {_short(slowest)} 到 {_short(fastest)} 弧度{known}"


def _short(value: float) -> str:
    return _number_text(float(f"{value:.6g}"))


def turns_evenly(sheet: Sheet) -> bool:
    """约定的每一对每走一行转过同样的角度；随机的表在这里就否定，不必试遍各种读法。

    角度用 float32 算的，快的几对走远以后也不匀，所以只要有一半的对是匀的；可以有几处接缝。
    """
    turn = row_turns(sheet.head(64))
    if not len(turn):
        return False
    usual = np.median(turn.real, axis=0) + 1j * np.median(turn.imag, axis=0)
    even = np.abs(turn - usual) < EVEN
    return bool((even.mean(axis=0) >= 1 - SEAMS).mean() >= 0.5)


EVEN = 0.3  # 转角与通常的差不到这么多弧度；bfloat16 的角度在头几十行里差不到 0.2
SEAMS = 0.4  # 不匀的行至多占这么多：四五行里也可以有一处接缝
