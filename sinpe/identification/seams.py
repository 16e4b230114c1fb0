"""位置不是一路连续的表：接缝、截成整数的小数、取了绝对值的负数。"""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np

from ..conventions import Convention, _number_text
from .rates import row_turns
from .readings import Reading, find_readings, find_starts, fits
from .result import Match
from .sheet import Sheet
from .storage import Array
from .verdict import matches_of, name

MOST_SEAMS = 8
MOST_REPEATS = 2  # 重复的行再多，就是夹住的、截断的位置，不是接缝
SHORTEST = 4  # 最长的一段至少这么多行，才认得出
LEAST_JUMP = 6  # 转角的偏差是通常的这么多倍，才算一处接缝


def find_seams(sheet: Sheet, expected: Convention | None) -> list[Match]:
    """除了几处接缝，各段都是同一种约定的连续的位置。"""
    breaks = _breaks(sheet)
    if not 0 < len(breaks) <= MOST_SEAMS:
        return []
    edges = [0, *(breaks + 1), len(sheet.rows)]
    parts = [sheet.pick(slice(start, stop)) for start, stop in itertools.pairwise(edges)]
    longest = max(range(len(parts)), key=lambda k: len(parts[k].rows))
    if len(parts[longest].rows) < SHORTEST:
        return []
    readings, *_ = find_readings(parts[longest], expected)
    if not readings:
        return []
    best = min(readings, key=lambda reading: reading.rank)
    firsts = _firsts(parts, longest, best)
    if firsts is None:
        return []
    if sum(two - one == -1 for one, two in itertools.pairwise(firsts)) > MOST_REPEATS:
        return []
    said = [_seam(int(part.rows[0]), *step) for part, step in zip(parts[1:], itertools.pairwise(firsts), strict=True)]
    # 对照以为的，看第一段；误差看最长的一段
    moved = [reading._replace(first=firsts[0]) for reading in readings]
    return matches_of(parts[0], moved, expected, tuple(said))


def _breaks(sheet: Sheet) -> Array:
    """在哪几行之后，转角与别处不同。"""
    if (np.diff(sheet.rows) != 1).any():
        return np.array([], int)
    turns = row_turns(sheet)
    usual = np.median(turns.real, axis=0) + 1j * np.median(turns.imag, axis=0)
    off = np.abs(turns - usual).max(axis=1)
    return np.flatnonzero(off > LEAST_JUMP * np.median(off) + 16 * sheet.unit + 1e-9)


def _firsts(parts: list[Sheet], longest: int, best: Reading) -> list[float] | None:
    """各段的起点（折算到整张表的第 0 行）。由最长的一段往两边推，先试差一两行，再试从头数。"""
    firsts = {longest: best.first}
    order = [*range(longest + 1, len(parts)), *range(longest - 1, -1, -1)]
    for k in order:
        neighbour = firsts[k - 1 if k > longest else k + 1]
        row = parts[k].rows[0]
        shifts = (-1, 1, -2, 2, *range(-16, 17))
        tries = [neighbour + shift for shift in shifts if shift] + [start - row for start in (0, 1, 2)]
        tries += find_starts(parts[k], best.convention, None, far=True)
        good = (first for first in tries if fits(parts[k], best.convention, first, best.narrow, parts[k].unit))
        firsts[k] = next(good, None)
        if firsts[k] is None:
            return None
    return [firsts[k] for k in range(len(parts))]


def _seam(row: int, before: float, after: float) -> str:
    step = after - before
    where = f"第 {row} 行（从 0 数）"
    if step == -1:
        return f"接缝：{where}与前一行重复"
    if step > 0:
        return f"接缝：{where}之前缺了 {_number_text(step)} 行"
    return f"接缝：{where}的位置退回到 {_number_text(after + row)}"


def find_truncated(sheet: Sheet, expected: Convention | None) -> list[Match]:
    """小数的位置被截成整数，就有成串相同的行。每串留一行再认。"""
    whole = np.concatenate([sheet.sines, sheet.cosines], axis=1)
    fresh = np.concatenate([[True], (whole[1:] != whole[:-1]).any(axis=1)])
    runs = np.diff(np.flatnonzero(fresh))[1:]  # 中间各串的长度；首尾两串可能没有走完
    if len(runs) < 2 or runs.max() < 2 or np.ptp(runs) > 1:
        return []
    part = sheet.pick(fresh)
    part = dataclasses.replace(part, rows=np.arange(float(fresh.sum())))
    readings, *_ = find_readings(part, expected)
    return matches_of(part, readings, expected, (name("truncated"),)) if readings else []


def find_absolute(sheet: Sheet, expected: Convention | None) -> list[Match]:
    """位置 L … 1 0 1 … L：相对位置取了绝对值，正弦丢了符号。"""
    count = len(sheet.rows)
    whole = np.concatenate([sheet.sines, sheet.cosines], axis=1)
    if count % 2 == 0 or count // 2 + 1 < SHORTEST or not np.array_equal(whole, whole[::-1]):
        return []
    half = sheet.pick(slice(count // 2, None))
    half = dataclasses.replace(half, rows=half.rows - half.rows[0])
    readings, *_ = find_readings(half, expected)
    at_zero = [reading for reading in readings if reading.first == 0]
    found = matches_of(half, at_zero, expected, (name("absolute"),)) if at_zero else []
    return [dataclasses.replace(match, start=int(half.rows[-1])) for match in found]
