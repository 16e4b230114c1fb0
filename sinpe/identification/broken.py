"""写错的公式：目录里的每一种错照样再犯一遍，看哪一种能重现整张表。

与正确的公式只差参数的错（例如底数取了平方）不在这里：那样的表本身是一种约定，对照 ``expected`` 才说得上错。
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..conventions import CONVENTIONS, Convention
from ..mistakes import ANGLES, Mistake
from .numbers import BASES, SCALES, candidates
from .result import Match
from .sheet import NEAR, Sheet
from .storage import Array
from .verdict import layout_difference, named, start_difference

READABLE = 0.05  # 角度的误差超过这么多，就不看
ANGLE_ERROR = 2.0**-22  # float32 的角度，频率与乘积各舍入几次
ENOUGH = 0.25  # 看得清的数至少要占这么多
PROBE_ROWS = (0, 1, 3)  # 先看这几行、这几对


class Guess(NamedTuple):
    scale: float
    start: int
    base: float


def _ratios(mistake: Mistake, base: float = 1e4) -> tuple[Array, bool]:
    """角度与位置成正比、正弦与余弦共用角度时，相邻两对的频率之比；否则是空的。第二项说频率是不是等差的。"""
    pos, i = np.array([[1.0], [2.0]]), np.arange(6)
    sine, cosine = (np.broadcast_to(mistake.formula(pos, i, 2 * i + k, 12, base), (2, 6)) for k in (0, 1))
    if not (np.array_equal(sine, cosine) and np.allclose(2 * sine[0], sine[1], rtol=1e-12, atol=0)):
        return np.array([]), False
    step = np.diff(sine[0])
    even = bool(np.allclose(step, step[0], rtol=1e-9, atol=0) and step[0])
    return (sine[0, 1:] / sine[0, :-1] if sine[0].all() else np.array([])), even


def _kind(mistake: Mistake) -> str:
    """``descending``：另一套参数的约定，不在这里找；``ascending``、``linear``：有系统有意这样设计；其余 ``broken``。"""
    ratios, even = _ratios(mistake)
    if even:
        return "linear"
    if len(ratios) and np.allclose(ratios, ratios[0], rtol=1e-9, atol=0):
        if 0 < ratios[0] < 1 - 1e-9:
            return "descending"
        if ratios[0] > 1 + 1e-9:
            return "ascending"
    return "broken"


_TRUNCATED = Mistake(
    "power-truncated",
    "指数取了整：乘方里的 2i/d 截成了整数",
    "指数是小数，不要转成整数。",
    "angle",
    lambda p, i, j, d, b: p * b ** -np.trunc(2 * i / d),
)
with np.errstate(all="ignore"):
    KINDS = {mistake.code: _kind(mistake) for mistake in [*ANGLES, _TRUNCATED] if mistake.where == "angle"}
_FORMULAS = [m for m in [*ANGLES, _TRUNCATED] if KINDS.get(m.code) in ("broken", "ascending", "linear")]
#: 交错布局、论文的频率表，没有系统这样设计
_NEVER_MEANT = ("multiplied", "interleaved", False)


def find_broken_formulas(sheet: Sheet, expected: Convention | None) -> list[Match]:
    if sheet.swapped:
        return []
    guesses = _guesses(sheet, expected)
    found: list[tuple[tuple, Match]] = []
    for order, mistake in enumerate(_FORMULAS):
        for endpoint in (False,) if sheet.odd == "extra_sine" else (False, True):
            design = KINDS[mistake.code] != "broken" and (mistake.code, sheet.layout, endpoint) != _NEVER_MEANT
            if design and expected is None:
                continue  # 升序的、等差的频率表，没有说要什么，就说不上错
            for guess in _survivors(sheet, mistake, endpoint, guesses):
                worst = _whole_residual(sheet, mistake, endpoint, guess)
                if worst is not None:
                    match = _match(sheet, mistake, endpoint, guess, worst, expected)
                    found.append(((*_strangeness(guess, endpoint, expected), order), match))
    return [min(found, key=lambda item: item[0])[1]] if found else []


def _strangeness(guess: Guess, endpoint: bool, expected: Convention | None) -> tuple[int, bool, int]:
    """离以为的（没有就离论文的）有多远：同一张表可以是另一个底数的另一种错。"""
    usual = expected or CONVENTIONS["paper"]
    same = (guess.scale == abs(usual.scale), guess.base == usual.base, guess.start == usual.start)
    return same.count(False), endpoint != usual.endpoint, (*BASES, guess.base).index(guess.base)


class _Guesses(NamedTuple):
    scales: Array
    starts: Array
    bases: Array


def _guesses(sheet: Sheet, expected: Convention | None) -> _Guesses:
    """常见的比例、起点、底数；比例不常见的，由第 0 列的正弦量出来：多数的错不改最快的一列。"""
    scales = [abs(expected.scale)] if expected else []
    scales += [*_measured_scales(sheet), *SCALES]
    starts = [expected.start, 0, 1, 2] if expected else [0, 1, 2]
    bases = [expected.base, *BASES] if expected else BASES
    return _Guesses(*(np.array([*dict.fromkeys(values)], float) for values in (scales, starts, bases)))


def _measured_scales(sheet: Sheet) -> Iterator[float]:
    """第 0 列是 ``sin(ω·(起点 + 行号))``：``s[n+1] + s[n-1] = 2·cos(ω)·s[n]`` 给出大概，再用最小二乘校准。"""
    s = sheet.sines[:, 0]
    if len(s) < 4 or (np.diff(sheet.rows) != 1).any() or not (weight := s[1:-1] @ s[1:-1]):
        return
    cosine = (s[2:] + s[:-2]) @ s[1:-1] / (2 * weight)
    if not abs(cosine) < 1:
        return
    omega = math.acos(cosine)
    for count in (NEAR, len(s)):
        rows, short = sheet.rows[:count], s[:count]
        for _ in range(8):  # 振幅、初相随频率一起拟合
            wave = np.stack([np.sin(omega * rows), np.cos(omega * rows)], axis=1)
            a, b = np.linalg.lstsq(wave, short, rcond=None)[0]
            slope = rows * (a * wave[:, 1] - b * wave[:, 0])
            step = np.linalg.lstsq(np.column_stack([wave, slope]), short, rcond=None)[0][2]
            if not abs(step) < 0.5:
                return
            omega += step
    if omega > 0:
        yield from (scale for scale, _ in candidates(omega, SCALES) if abs(scale - omega) < 1e-5 * omega)


def _survivors(sheet: Sheet, mistake: Mistake, endpoint: bool, guesses: _Guesses) -> Iterator[Guess]:
    """先看几行、几对：各种比例、起点、底数一起算。"""
    q = sheet.pairs
    i = np.unique([0, 1, 2, q // 2, q - 1])
    rows = np.array([row for row in PROBE_ROWS if row < len(sheet.rows)])
    scale, start, base = np.meshgrid(*guesses, indexing="ij")
    scale, start, base = (part.reshape(-1, 1, 1) for part in (scale, start, base))
    pos = scale * (start + sheet.rows[rows][:, None])
    good = np.ones(len(pos), bool)
    for k, column, function in ((0, sheet.sines, np.sin), (1, sheet.cosines, np.cos)):
        angle = mistake.formula(pos, i, 2 * i + k, 2 * sheet.width(endpoint), base)
        off, allowed, readable = _off(sheet, column[np.ix_(rows, i)], angle, function)
        good &= ((off <= allowed) | ~readable).all(axis=(1, 2))
    for index in np.flatnonzero(good):
        yield Guess(float(scale[index, 0, 0]), int(start[index, 0, 0]), float(base[index, 0, 0]))


def _off(sheet: Sheet, got: Array, angle: Array, function) -> tuple[Array, Array, Array]:
    """差多少、可以差多少、角度看不看得清。大到没有意义的角度和 NaN 不看。"""
    room = ANGLE_ERROR * (1 + np.abs(angle))
    readable = room < READABLE
    want = function(np.where(readable, angle, 0.0))
    return np.abs(got - want), sheet.storage.room(want) + room, readable


def _whole_residual(sheet: Sheet, mistake: Mistake, endpoint: bool, guess: Guess) -> float | None:
    worst, clear, count = 0.0, 0, 0
    i = np.arange(sheet.sines.shape[1])
    for part in (sheet.head(8), *sheet.blocks()):
        pos = guess.scale * (guess.start + part.rows)[:, None]
        for k, column, function in ((0, part.sines, np.sin), (1, part.cosines, np.cos)):
            some = i[: column.shape[1]]
            angle = mistake.formula(pos, some, 2 * some + k, 2 * sheet.width(endpoint), guess.base)
            off, allowed, readable = _off(part, column, angle + 0.0 * pos, function)
            if (off > allowed)[readable].any():
                return None
            worst = max(worst, float(off[readable].max(initial=0)))
            clear += int(readable.sum())
            count += off.size
    return worst if clear >= ENOUGH * count else None


def _match(
    sheet: Sheet, mistake: Mistake, endpoint: bool, guess: Guess, worst: float, expected: Convention | None
) -> Match:
    said = [mistake.name]
    if expected is not None and sheet.layout != expected.layout:
        said.append(layout_difference(sheet.layout, expected))
    if expected is not None and not math.isclose(guess.scale, abs(expected.scale), rel_tol=1e-9):
        said.append(f"位置多乘了 {guess.scale / abs(expected.scale):.10g}")
    if guess.start != (expected.start if expected else 0):
        said.append(start_difference(guess.start, expected))
    convention = named(sheet.like(endpoint, guess.base, guess.scale), sheet.d_model, guess.start)
    note = ""
    if KINDS[mistake.code] in ("ascending", "linear"):
        note = "也有系统有意这样设计（升序的：DiffWave；等差的：Perceiver）；若是那样，它不在 Convention 之内"
    return Match(convention, guess.start, worst, tuple(said), note)
