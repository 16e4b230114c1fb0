"""角度用 float16 或 bfloat16 算的表。"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..conventions import Convention, _frequencies
from .numbers import BASES
from .rates import wrap
from .readings import relative_error, residual
from .result import Match
from .sheet import Sheet, amplitude_of, unevenness
from .storage import EPS, NARROW, Array
from .verdict import both_readings

SAME_ANGLE = 32  # 一对里的正弦和余弦用同一个角度，s²+c² 就只差存储的舍入：至多 4·unit，留 8 倍
READABLE = 1.0  # 角度的误差超过这么多弧度，就看不出相位
ENOUGH = 0.3  # 看得出相位的数至少要占这么多
CLEARLY_BETTER = 0.9  # 同一张表的两种读法不分上下，先列的为准

_KINDS = [(kind, unit, fl) for kind, unit, fl in NARROW if kind != "float32"]


def usual_readings(
    sheet: Sheet, expected: Convention | None, amplitude: float = 1.0
) -> Iterator[tuple[Convention, float]]:
    """常见的底数、频率表和起点，以为的那个在前。"""
    bases = dict.fromkeys([expected.base, *BASES[:7]] if expected else BASES[:7])
    starts = dict.fromkeys([expected.start, 0, 1, 2] if expected else [0, 1, 2])
    for base in bases:
        for endpoint in (False,) if sheet.odd == "extra_sine" else (False, True):
            for start in starts:
                yield sheet.like(endpoint, base, expected.scale if expected else 1.0, amplitude), float(start)


def find_narrow_angles(sheet: Sheet, expected: Convention | None) -> list[Match]:
    """角度的相对误差处处不超过那种浮点数的几个舍入误差；大到看不出相位的角度不管。"""
    if sheet.swapped or unevenness(sheet, 1.0) > SAME_ANGLE * sheet.unit:
        return []
    sample = sheet.sample()
    z, size = sample.phases()
    phase = np.angle(z)
    # 存储的舍入把相位推偏多少：正弦、余弦各差一点，慢的几对正弦很小，几乎不偏。再多容一个末位
    storage = sheet.storage
    stored = 2 * storage.relative * np.abs(np.sin(2 * phase)) + 2 * storage.absolute / size.min() + 4 * EPS
    best = None
    for convention, first in usual_readings(sheet, expected, amplitude_of(sheet)):
        angle = np.outer(
            convention.scale * (first + sample.rows), _frequencies(convention, sheet.d_model)[: sheet.pairs]
        )
        off = np.maximum(np.abs(wrap(phase - angle)) - stored, 0)
        for _, unit, _ in reversed(_KINDS):  # 先试误差小的
            room = relative_error(convention, sheet.d_model, unit)[: sheet.pairs] * np.abs(angle)
            if not (off <= room)[room < READABLE].all():
                continue
            readable = (room < READABLE) & (angle != 0)
            if readable.mean() >= ENOUGH:
                score = np.median(off[readable] / np.abs(angle[readable]))
                if best is None or score < CLEARLY_BETTER * best[0]:
                    best = (score, convention, first)
                break
    if best is None:
        return []
    _, convention, first = best
    kind = _which_float(sample, phase, convention, first)
    worst = residual(sheet, convention, first)[0]
    return both_readings(sheet, convention, first, worst, (f"角度用 {kind} 计算",), expected)


def _which_float(sheet: Sheet, phase: Array, convention: Convention, first: float) -> str:
    """位置、频率、乘积各自舍入或不舍入，频率有乘方和指数两种写法：看用哪种浮点数最能重现这张表。"""
    omega = _frequencies(convention, sheet.d_model)[: phase.shape[1]]
    pos = convention.scale * (first + sheet.rows)
    scores = {}
    for kind, _, fl in _KINDS:
        for turned in (omega, fl(omega), fl(1 / fl(1 / omega)), fl(np.exp(fl(np.log(omega))))):
            for place in (pos, fl(pos)):
                for angle in (np.outer(place, turned), fl(np.outer(place, turned))):
                    off = np.abs(wrap(phase - angle))
                    scores[kind] = min(scores.get(kind, math.inf), float(off.mean()))
    return min(scores, key=scores.get)
