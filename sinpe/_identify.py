"""``sinpe.identify`` 的做法：由便宜到贵地提出读法，每一种都把表重新算一遍，差得出舍入误差就不算。

记号：``sines``、``cosines`` 是表的正弦列和余弦列，``z = cos + j·sin`` 是各对的相位；``rate`` 是每走一行转过的弧度，
等于 ``scale·omega``；``first`` 是第一行的位置；``unit`` 是存储的舍入误差（半个刻度比上 1）。
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .conventions import (
    _AMPLITUDES,
    _LAYOUTS,
    CONVENTIONS,
    Convention,
    Match,
    _amplitude,
    _frequencies,
    _number,
    _split,
)

_Array = NDArray[np.float64]
_EPS = 2.0**-52
_UNIT32 = 2.0**-25
_BASES = (1e4, 1e6, 5e5, 1e3, 100.0, 1e5, 500.0, 20.0, 1e7, 1e8)  # 真实系统里见过的底数，常见的在前
_SCALES = (1.0, 0.5, 2.0, 10.0, 100.0, 1000.0, 2 * math.pi, math.pi / 180, 180 / math.pi)
_SMALLEST_BASE = 1.5  # 再小，各对的频率几乎相同，不成其为频率表
_FARTHEST = 2.0**17  # 起点在这个范围内寻找
_FASTEST = 2.0**7  # 最慢的一对每行也转这么多弧度，起点就无从找起
_PATIENCE = 24  # 提了这么多种读法，没有一种找得到起点，就算了
_SAMPLE = 48  # 先用这么多行筛选，留下的才用整张表核对


@dataclass(frozen=True)
class _Sheet:
    """表的一种拆法：哪些列是正弦，哪些是余弦。全是 0 的行已经去掉，``rows`` 是留下的行号。"""

    layout: str
    swapped: bool  # 交错布局，而余弦在前：不属于任何约定
    odd: str
    rows: _Array
    sines: _Array
    cosines: _Array
    unit: float

    @property
    def d_model(self) -> int:
        return self.sines.shape[1] + self.cosines.shape[1] + (self.odd == "zero_column")

    def head(self, count: int) -> _Sheet:
        """前 ``count`` 行。"""
        return self.pick(slice(count))

    def pick(self, index: slice | NDArray) -> _Sheet:
        return dataclasses.replace(self, rows=self.rows[index], sines=self.sines[index], cosines=self.cosines[index])

    def sample(self) -> _Sheet:
        """开头的几十行，加上往后越来越疏的几十行。"""
        count = len(self.rows)
        far = np.geomspace(1, count, _SAMPLE).astype(int) - 1
        return self.pick(np.unique(np.concatenate([np.arange(min(count, _SAMPLE)), far])))

    def like(self, endpoint: bool, base: float, scale: float = 1.0, amplitude: float = 1.0) -> Convention:
        return Convention("", self.layout, endpoint, base, 0, scale, amplitude, self.odd)


def identify_table(table: _Array, expected: Convention | None) -> list[Match]:
    """见 ``sinpe.identify``；``table`` 已经检查过。"""
    kept = np.flatnonzero(table.any(axis=1))
    if len(kept) < 4:
        return []
    unit = _storage_unit(table)
    sheets = list(_sheets(table[kept], kept.astype(np.float64), unit))
    # 写错的公式要逐个数重现，比角度窄的表查得严，所以在前
    for find in (_find_conventions, _find_broken_formulas, _find_narrow_angles, _find_repeated_rows):
        if matches := [match for sheet in sheets for match in find(sheet, expected)]:
            return sorted(matches, key=lambda match: _rank(match, expected))
    return []


def _storage_unit(table: _Array) -> float:
    """每个数都放得进哪一种浮点数，就当它存成过哪一种；存好以后再整体缩放的，除以最大的数（余弦的 1）还原。"""
    own = _narrowest(table, 0.0)
    slack = 8 * own if own <= _UNIT32 else 4 * _EPS  # 3 倍的 bfloat16 恰好放得进 float16，不再舍入
    return max(own, _narrowest(table / np.abs(table).max(), slack))


def _narrowest(table: _Array, slack: float) -> float:
    """每个数都在某种浮点数的刻度上（相差不过 ``slack`` 倍），最窄的那一种的舍入误差；都不是就当作 float64。"""
    for unit, fl in ((2.0**-9, _bfloat16), (2.0**-12, _float16), (_UNIT32, _float32)):
        if slack < unit / 64 and (np.abs(fl(table) - table) <= slack * np.abs(table)).all():
            return unit
    return 2.0**-53


def _subnormal(unit: float) -> float:
    """float16 的非正规数，刻度是 2^-24；其余存法的非正规数小得看不见。"""
    return 2.0**-24 if unit == 2.0**-12 else 0.0


def _sheets(table: _Array, rows: _Array, unit: float) -> Iterator[_Sheet]:
    odd = "error"
    if table.shape[1] % 2:
        odd = "extra_sine" if table[:, -1].any() else "zero_column"
    for layout in _LAYOUTS:
        sines, cosines, _ = _split(table, layout, table.shape[1] % 2 and odd)
        yield _Sheet(layout, False, odd, rows, sines, cosines, unit)
        if layout == "interleaved" and sines.shape == cosines.shape:
            yield _Sheet(layout, True, odd, rows, cosines, sines, unit)


# ---- 第一关：约定 ------------------------------------------------------------


def _find_conventions(sheet: _Sheet, expected: Convention | None) -> list[Match]:
    """角度精确的表，以及角度用 float32 算的表：后者的误差随角度增长，也算相符，但要说出来。"""
    amplitude = _common_amplitude(sheet)
    if amplitude is None or not _turns_evenly(sheet):
        return []
    sample = sheet.sample()
    hopeful: list[tuple[Convention, bool, list[float]]] = []
    readings: list[tuple[Convention, float, float]] = []

    def check(convention: Convention, starts: list[float], narrow: bool, slack: float) -> None:
        if any((other.endpoint, other.scale) == (convention.endpoint, convention.scale) for other, *_ in readings):
            return  # 同一种频率表已有更圆整的底数
        for first in starts:
            spread = _spread(sample, convention, first, narrow, slack)
            if spread is not None and _spread(sheet, convention, first, narrow, slack) is not None:
                readings.append((convention, first, spread))
                return

    failures = 0
    for scale, endpoint, base, guessed in _proposals(sheet, expected):
        if readings and (readings[0][0].scale != scale or (guessed and readings[0][0].base == 1e4)):
            break  # 不会有更圆整的了
        convention = sheet.like(endpoint, base, scale, amplitude)
        if starts := _starts(sample, convention, expected):
            hopeful.append((convention, guessed, starts))
            check(convention, starts, narrow=False, slack=0.0)
            if not guessed and sheet.unit >= _UNIT32:  # 存成 float32 的，常见的读法胜过量得更贴合而不圆整的
                check(convention, starts, narrow=True, slack=0.0)
        elif guessed and not hopeful and (failures := failures + 1) == _PATIENCE:
            break  # 频率相符而相位怎么也对不上，例如把正弦和余弦认反了
    # 角度也许是 float32 算的；底数若是量出来的，本身有误差，再多容一个舍入误差
    for narrow, slack in ((True, 0.0), (False, sheet.unit), (True, sheet.unit)):
        if readings:
            break
        for convention, guessed, starts in hopeful:
            if (guessed or slack == 0) and (not readings or readings[0][0].scale == convention.scale):
                check(convention, starts, narrow, slack)
    return _matches(sheet, readings, expected) if readings else []


def _common_amplitude(sheet: _Sheet) -> float | None:
    """各对的 ``s² + c²`` 处处相同才是真的配对；返回幅度，取最圆整的写法。"""
    power = sheet.sines[:, : sheet.cosines.shape[1]] ** 2 + sheet.cosines**2
    mean = power.mean()
    if not (mean > 0 and np.abs(power - mean).max() <= 32 * sheet.unit * mean):  # 溢出成 NaN 的也不算
        return None
    amplitude = math.sqrt(mean)
    usual = [1.0, math.sqrt(sheet.d_model)] + [make(sheet.d_model) for make in _AMPLITUDES.values()]
    for choice in usual + [_round(amplitude, digits) for digits in range(1, 8)]:
        if abs(amplitude - choice) <= 4 * sheet.unit * amplitude:
            return choice
    return amplitude


def _turns_evenly(sheet: _Sheet) -> bool:
    """约定的每一对每走一行转过同样的角度；随机的表在这里就否定，不必试遍各种读法。

    角度用 float32 算的，快的几对走远以后也不匀，所以只要有一半的对是匀的。
    """
    part = sheet.head(64)
    near = np.flatnonzero(np.diff(part.rows) == 1)
    z = part.cosines + 1j * part.sines[:, : part.cosines.shape[1]]
    turn = z[near + 1] * z[near].conj()
    turn /= np.abs(turn)
    even = np.abs(turn - turn[:1]) < 0.3
    return bool(even.all(axis=0).mean() >= 0.5)


def _proposals(sheet: _Sheet, expected: Convention | None) -> Iterator[tuple[float, bool, float, bool]]:
    """逐个提出（比例，频率表，底数，是不是量出来的）：先是常见的，再是由频率量出来的，圆整的在前。"""
    q = sheet.cosines.shape[1]
    width = {False: q if sheet.odd != "extra_sine" else sheet.d_model / 2, True: q - 1}
    endpoints = (False,) if sheet.odd == "extra_sine" else (False, True)
    usual_bases = [expected.base, expected.base**2, *_BASES] if expected else _BASES
    usual_bases = [base for base in dict.fromkeys(usual_bases) if base <= 1e300]
    usual_scales = dict.fromkeys([expected.scale, *_SCALES] if expected else _SCALES)
    rate, error = _rates(sheet)

    def plausible(scale: float, endpoint: bool, base: float) -> bool:
        """与量出的频率大致相符；差得远的不值得细算。"""
        want = scale * _frequencies(sheet.like(endpoint, base), sheet.d_model)[:q]
        return bool((np.abs(_wrap(rate - want)) <= 16 * error + 0.01 * np.abs(want) + 1e-9).all())

    for scale in usual_scales:
        for sign in (1.0, -1.0):
            for base in usual_bases:
                for endpoint in endpoints:
                    if plausible(sign * scale, endpoint, base):
                        yield sign * scale, endpoint, base, False
    for measured, sign in _unwrapped(rate, error):
        index = np.flatnonzero(measured)
        weight = (measured[index] / error[index]) ** 2
        log_rate = np.log(measured[index])
        log_scale = _line(index, log_rate, weight)[0]
        if abs(log_scale) > math.log(1e300):
            continue
        for scale, exact in _rounder(math.exp(log_scale), usual_scales):
            if scale > math.pi and not exact:
                continue  # 最快的一对每行转过半圈以上，比例本来就量不出，只认常见的
            # 比例定下以后，过这一点的直线的斜率就是公比
            moment = np.sum(weight * index**2)
            if moment == 0:
                continue
            slope = -np.sum(weight * index * (log_rate - math.log(scale))) / moment
            for endpoint in endpoints:
                if not math.log(_SMALLEST_BASE) < slope * width[endpoint] <= math.log(1e300):
                    continue
                for base, known in _rounder(math.exp(slope * width[endpoint]), usual_bases):
                    if 1 < base <= 1e300 and plausible(sign * scale, endpoint, base):
                        yield sign * scale, endpoint, base, not (exact and known)


def _rates(sheet: _Sheet) -> tuple[_Array, _Array]:
    """每一对走一行转过的弧度，和它的误差。先由相邻的行估计，再用更长的一段直线拟合。"""
    q = sheet.cosines.shape[1]
    rate = error = None
    for count in (64, 8192):
        part = sheet.head(count)
        z = part.cosines + 1j * part.sines[:, :q]
        size = np.abs(z)
        z /= size
        if rate is None:
            near = np.flatnonzero(np.diff(part.rows) == 1)
            if not len(near):
                return np.zeros(q), np.ones(q)
            rate = np.angle(np.sum(z[near + 1] * z[near].conj(), axis=0))
        elif len(part.rows) <= 64:
            break
        t = part.rows - part.rows.mean()
        rest = np.unwrap(np.angle(z * np.exp(-1j * np.outer(part.rows, rate))), axis=0)
        rest -= rest.mean(axis=0)
        slope = t @ rest / (t @ t)
        # 直线拟合的误差：相位的误差除以行号的离散程度。相位的误差取实测的与存储舍入的较大者
        storage = 2 * sheet.unit * np.abs(z.real * z.imag).mean(axis=0) + _subnormal(sheet.unit) / size.min()
        scatter = np.maximum((rest - np.outer(t, slope)).std(axis=0), storage)
        if error is not None and scatter.max() > 0.3:
            break  # 走远以后相位散开了：角度的误差大，只信开头
        rate = rate + slope
        error = scatter / math.sqrt(t @ t) + (4 * _EPS + sheet.unit / 1000) * np.abs(rate) + 1e-300
    return rate, error


def _unwrapped(rate: _Array, error: _Array) -> Iterator[tuple[_Array, float]]:
    """只留下量得准的频率（其余记 0），并还原每行转过半圈以上的那些；返回频率和方向。"""
    sure = np.flatnonzero(np.abs(rate) > 8 * error)
    if len(sure) < 2:
        return
    sign = math.copysign(1.0, rate[sure[-1]])
    plain = np.where((np.arange(len(rate)) >= sure[0]) & (sign * rate > 8 * error), sign * rate, 0.0)
    if (np.diff(plain[plain > 0]) <= 0).all():
        yield plain, sign
    # 从最慢的几对开始，一路往快的推：每一步由已有的公比猜下一个，差几圈就补几圈
    full = np.zeros(len(rate))
    known = sure[-2:]
    full[known] = sign * rate[known]
    if full[known[0]] <= full[known[1]]:
        return
    for i in sure[:-2][::-1]:
        index = np.flatnonzero(full)
        intercept, slope = _line(index, np.log(full[index]), (full[index] / error[index]) ** 2)
        guess = math.exp(min(intercept + slope * i, 700.0))
        if not guess < 2.0**53:  # 一行转过这么多圈，早已量不出了
            return
        full[i] = sign * rate[i] + 2 * math.pi * round((guess - sign * rate[i]) / (2 * math.pi))
        if not full[i] > 0:
            return
    if not np.array_equal(full, plain):
        yield full, sign


def _line(x: NDArray, y: _Array, weight: _Array) -> tuple[float, float]:
    """加权的最小二乘直线，返回截距和斜率。"""
    weight = weight / weight.sum()
    x0, y0 = weight @ x, weight @ y
    moment = weight @ (x - x0) ** 2
    slope = weight @ ((x - x0) * (y - y0)) / moment if moment > 0 else 0.0
    return y0 - slope * x0, slope


def _rounder(value: float, usual: object) -> Iterator[tuple[float, bool]]:
    """``value`` 附近的数，由圆整到不圆整；第二项说它是不是常见的数。"""
    near = [number for number in usual if number > 0 and abs(math.log(number / value)) < 0.05]
    yield from ((number, True) for number in near)
    seen = set(near)
    for digits in range(1, 16):
        number = _round(value, digits)
        if number not in seen and abs(math.log(number / value)) < 0.05:
            seen.add(number)
            yield number, False
    yield value, False


def _round(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}")


def _starts(sheet: _Sheet, convention: Convention, expected: Convention | None) -> list[float]:
    """第一行可能的位置。各对的相位像几根时针：最慢的给出大概，快的逐根校准；绝对值小的、整数在前。"""
    q = sheet.cosines.shape[1]
    rate = convention.scale * _frequencies(convention, sheet.d_model)[:q]
    part = sheet.head(64)
    z = part.cosines + 1j * part.sines[:, :q]
    phase = np.angle(np.sum(z * np.exp(-1j * np.outer(part.rows, rate)), axis=0))
    tolerance = 0.02 + 8 * sheet.unit
    # 先试最常见的几个，再用时针
    usual = np.array(list(dict.fromkeys([expected.start if expected else 0, 0, 1, 2])), float)
    off = np.abs(_wrap(phase - np.outer(usual, rate))).max(axis=1)
    found = [float(start) for start in usual[off < tolerance]]
    if found:
        return found
    if abs(rate[-1]) > _FASTEST:
        return []
    laps = math.ceil(_FARTHEST * abs(rate[-1]) / (2 * math.pi))
    first = (phase[-1] + 2 * math.pi * np.arange(-laps, laps + 1)) / rate[-1]
    first, slower = first[np.abs(first) <= _FARTHEST], rate[-1]
    for i in range(q - 2, -1, -1):
        phi, speed = phase[i], rate[i]
        if 0 < i and abs(speed) < 2 * abs(slower):
            continue  # 只快一点点的时针校准不出什么
        step = _wrap(phi - speed * first) / speed
        sure = np.abs(step * slower) < tolerance  # 校准得太多，就和较慢的那根对不上了
        first, slower = first[sure] + step[sure], speed
    off = np.abs(_wrap(phase - np.outer(first, rate))).max(axis=1)
    first = first[off < tolerance]
    step = _wrap(phase - np.outer(first, rate))
    first = first + step @ rate / (rate @ rate)
    # 周期恰好公倍的频率表（例如 1、0.1、0.01）分不清相差一个周期的起点，取整数的、绝对值小的
    fractional = np.abs(first - np.round(first)) > 1e-6 + 4 * sheet.unit
    if sheet.unit >= 2.0**-12:  # 位数少，远处的小数起点凑得出任何相位
        first, fractional = (part[~fractional | (np.abs(first) < 64)] for part in (first, fractional))
    for i in np.lexsort([np.abs(first), fractional])[:4]:
        found += [_round(first[i], 6), float(first[i])] if fractional[i] else [float(round(first[i]))]
    return found


def _wrap(angle: _Array) -> _Array:
    return angle - 2 * math.pi * np.round(angle / (2 * math.pi))


def _spread(sheet: _Sheet, convention: Convention, first: float, narrow: bool, slack: float) -> float | None:
    """与重新算出的表相差的均方根；有一个数差得超过舍入误差，就返回 ``None``。"""
    amplitude = _amplitude(convention, sheet.d_model)
    relative = _angle_error(convention, sheet.d_model, narrow)
    if narrow:  # MLX 由慢往快推：exp(x·ln(base) - ln(base))，两数相消，最快的一对误差也和最慢的一样大
        relative = np.full_like(relative, relative.max())
    total, unclear = 0.0, 0
    for part in _blocks(sheet):
        angle, off, want = _compare(part, convention, first)
        floor = amplitude * (relative * (1 + np.abs(angle)) + slack)
        floor += _subnormal(sheet.unit) * max(1.0, amplitude)
        floor += 2.0**-24 * amplitude if sheet.unit == _UNIT32 else 0.0  # float32 的正弦函数自己的末位
        floor = np.concatenate([floor, floor[:, : sheet.cosines.shape[1]]], axis=1)
        if not (off <= 2 * sheet.unit * np.abs(want) + floor).all():
            return None
        unclear += int((floor > amplitude / 20).sum())
        total += np.square(off).sum()
    count = len(sheet.rows) * (sheet.sines.shape[1] + sheet.cosines.shape[1])
    return math.sqrt(total) if 2 * unclear < count else None  # 误差大到什么都容得下，就不算相符


def _angle_error(convention: Convention, d_model: int, narrow: bool) -> _Array:
    """每一对的角度的相对误差：频率、乘积各舍入几次；写成 exp(-x) 的频率，误差还要乘上 x。"""
    logs = -np.log(_frequencies(convention, d_model))
    return 4 * (1 + logs) * (2.0**-24 if narrow else 4 * _EPS)


def _compare(part: _Sheet, convention: Convention, first: float) -> tuple[_Array, _Array, _Array]:
    """角度、与重新算出的表相差多少、重新算出的表；后两个的列是全部正弦、全部余弦。"""
    amplitude = _amplitude(convention, part.d_model)
    angle = np.outer(convention.scale * (first + part.rows), _frequencies(convention, part.d_model))
    want = amplitude * np.concatenate([np.sin(angle), np.cos(angle[:, : part.cosines.shape[1]])], axis=1)
    return angle, np.abs(np.concatenate([part.sines, part.cosines], axis=1) - want), want


def _blocks(sheet: _Sheet) -> Iterator[_Sheet]:
    size = max(1, (1 << 18) // sheet.d_model)
    for start in range(0, len(sheet.rows), size):
        yield sheet.pick(slice(start, start + size))


def _matches(
    sheet: _Sheet, readings: list[tuple[Convention, float, float]], expected: Convention | None
) -> list[Match]:
    """最圆整的一种读法，和同一张表的另一种读法。"""
    best, first, _ = min(readings, key=lambda reading: (_base_rank(reading[0].base), reading[2]))
    residual, shows = _residual(sheet, best, first)
    return _both_readings(sheet, best, first, residual, ["角度用 float32 计算"] if shows else [], expected)


def _both_readings(
    sheet: _Sheet,
    best: Convention,
    first: float,
    residual: float,
    said: list[str],
    expected: Convention | None,
) -> list[Match]:
    readings = [best]
    h = sheet.d_model // 2
    other = best.base ** (h / (h - 1) if best.endpoint else (h - 1) / h)
    if math.isclose(other, _round(other, 9), rel_tol=1e-13):  # 99999999.9999999 就是 1e8
        other = _round(other, 9)
    if sheet.odd != "extra_sine" and 1 < other <= 1e300:
        readings.append(dataclasses.replace(best, endpoint=not best.endpoint, base=other))
    result = []
    for convention in readings:
        mistakes = ["正弦与余弦对调了"] if sheet.swapped else []
        if expected is not None:
            mistakes += _differences(convention, first, expected, sheet)
        note = ""
        if convention is not best:
            note = f"与底数 {_number(best.base)} 的读法是同一张表，只是频率表的分母换了写法"
        start = int(first) if first == int(first) else float(first)
        named = _named(convention, sheet.d_model, first)
        result.append(Match(named, start, residual, "；".join(mistakes + said) or None, note))
    return result


def _residual(sheet: _Sheet, convention: Convention, first: float) -> tuple[float, bool]:
    """整张表的最大差，以及它是否大到看得出角度不是用 float64 算的。"""
    amplitude = _amplitude(convention, sheet.d_model)
    worst, shows = 0.0, False
    for part in _blocks(sheet):
        angle, off, _ = _compare(part, convention, first)
        worst = max(worst, float(off.max(initial=0)))
        # 存储只差半个刻度，留 32 倍的余地；float64 的角度另有 eps·angle
        room = amplitude * (32 * max(sheet.unit, 2.0**-40) + 64 * _EPS * np.abs(angle))
        shows |= bool((off > np.concatenate([room, room[:, : part.cosines.shape[1]]], axis=1)).any())
    return worst, shows


def _base_rank(base: float) -> tuple[int, int]:
    if base in _BASES:
        return (0 if base == 1e4 else 1), _BASES.index(base)
    digits = next(digits for digits in range(1, 18) if _round(base, digits) == base)
    return 2, digits


def _named(convention: Convention, d_model: int, first: float) -> Convention:
    """参数相同的有名字的约定，起点也相同的优先；没有就叫“未命名”。"""

    def same(other: Convention) -> bool:
        return (
            (other.layout, other.endpoint, other.base, other.scale)
            == (convention.layout, convention.endpoint, convention.base, convention.scale)
            and math.isclose(_amplitude(other, d_model), _amplitude(convention, d_model), rel_tol=1e-12)
            and (d_model % 2 == 0 or other.odd == convention.odd)
        )

    alike = [other for other in CONVENTIONS.values() if same(other)]
    alike.sort(key=lambda other: other.start != first)  # 稳定排序：其余次序不变
    start = int(first) if abs(first) <= 2 and first == int(first) else 0
    return alike[0] if alike else dataclasses.replace(convention, name="未命名", start=start)


def _differences(found: Convention, first: float, expected: Convention, sheet: _Sheet) -> list[str]:
    """找到的与以为的差在哪里，一处一句。"""
    said, d_model = [], sheet.d_model
    if found.layout != expected.layout:
        if {found.layout, expected.layout} == {"sin_cos", "cos_sin"}:
            said.append("正弦与余弦对调了")
        else:
            said.append(f"布局是{_LAYOUTS[found.layout][0]}，不是{_LAYOUTS[expected.layout][0]}")
    if d_model % 2 and found.odd != expected.odd:
        said.append("奇数维的做法不同")
    else:
        want = _frequencies(expected, d_model)
        if not np.allclose(_frequencies(found, d_model), want, rtol=1e-9, atol=0):
            if found.endpoint != expected.endpoint:
                names = {False: "d/2", True: "d/2-1"}
                said.append(f"频率表的分母是 {names[found.endpoint]}，不是 {names[expected.endpoint]}")
            if math.isclose(found.base, expected.base**2, rel_tol=1e-6):
                said.append("指数加倍了，相当于底数取了平方")
            elif not math.isclose(found.base, expected.base, rel_tol=1e-9):
                said.append(f"底数是 {_number(found.base)}，不是 {_number(expected.base)}")
    ratio = found.scale / expected.scale
    reverse = ratio == -1 and -first == expected.start + sheet.rows[-1]
    if reverse:
        said.append("位置是倒着数的")
    elif ratio == -1:
        said.append("正弦取了负号")
    elif math.isclose(ratio, math.pi / 180, rel_tol=1e-6):
        said.append("角度当成了度，弧度被乘以 π/180")
    elif not math.isclose(ratio, 1, rel_tol=1e-9):
        said.append(f"位置多乘了 {_number(ratio)}")
    # fairseq 的表从位置 0 数起，padding_idx 那一行全是 0，它的下一行才是第一个词
    padding = expected.start - 1 - first
    own_table = 0 <= padding < sheet.rows[-1] and padding not in sheet.rows
    if first != expected.start and not reverse and not own_table:
        said.append(f"位置从 {_number(first)} 数起，不是 {expected.start}")
    old, new = _amplitude(expected, d_model), _amplitude(found, d_model)
    if not math.isclose(old, new, rel_tol=1e-9):
        said.append(f"幅度是 {_number(new)}，不是 {_number(old)}")
    return said


def _rank(match: Match, expected: Convention | None) -> tuple:
    """以为是什么，就先列差得最少的读法，底数与以为的相同的在前；其次是圆整的。"""
    count = 0 if expected is None or match.mistake is None else 1 + match.mistake.count("；")
    other_base = expected is not None and match.base != expected.base
    return (count, other_base, bool(match.note), _base_rank(match.base), match.residual)


# ---- 第二关：角度用 float16 或 bfloat16 算的表 ----------------------------------


def _find_narrow_angles(sheet: _Sheet, expected: Convention | None) -> list[Match]:
    """角度的相对误差处处不超过那种浮点数的几个舍入误差；大到看不出相位的角度不管。"""
    amplitude = _common_amplitude(sheet)
    if amplitude is None or sheet.swapped:
        return []
    sample, q = sheet.sample(), sheet.cosines.shape[1]
    phase = np.arctan2(sample.sines[:, :q], sample.cosines)
    # 存储的舍入把相位推偏多少：正弦、余弦各有至多 2·unit 的相对误差，慢的几对正弦很小，几乎不偏。再多容一个末位
    size = np.hypot(sample.sines[:, :q], sample.cosines).min()
    storage = 4 * sheet.unit * np.abs(np.sin(2 * phase)) + 2 * _subnormal(sheet.unit) / size + 4 * _EPS
    best = None
    for convention, first in _usual(sheet, expected, amplitude):
        angle = np.outer(convention.scale * (first + sample.rows), _frequencies(convention, sheet.d_model)[:q])
        off = np.maximum(np.abs(_wrap(phase - angle)) - storage, 0)
        for unit in (2.0**-12, 2.0**-9):
            room = _angle_error(convention, sheet.d_model, True)[:q] * (unit * 2.0**24) * np.abs(angle)
            if not (off <= room)[room < 1.0].all():
                continue
            readable = (room < 1.0) & (angle != 0)
            if readable.mean() >= 0.3:
                score = np.median(off[readable] / np.abs(angle[readable]))
                if best is None or score < 0.9 * best[0]:  # 同一张表的两种读法不分上下，先列的为准
                    best = (score, convention, first)
                break
    if best is None:
        return []
    _, convention, first = best
    kind = _which_float(sample, phase, convention, first)
    residual = _residual(sheet, convention, first)[0]
    return _both_readings(sheet, convention, first, residual, [f"角度用 {kind} 计算"], expected)


def _which_float(sheet: _Sheet, phase: _Array, convention: Convention, first: float) -> str:
    """位置、频率、乘积各自舍入或不舍入，频率有乘方和指数两种写法：看用哪种浮点数最能重现这张表。"""
    omega = _frequencies(convention, sheet.d_model)[: phase.shape[1]]
    pos = convention.scale * (first + sheet.rows)
    scores = {}
    for kind, fl in _ROUNDINGS.items():
        for turned in (omega, fl(omega), fl(1 / fl(1 / omega)), fl(np.exp(fl(np.log(omega))))):
            for place in (pos, fl(pos)):
                for angle in (np.outer(place, turned), fl(np.outer(place, turned))):
                    off = np.abs(_wrap(phase - angle))
                    scores[kind] = min(scores.get(kind, math.inf), float(off.mean()))
    return min(scores, key=scores.get)


def _bfloat16(x: _Array) -> _Array:
    bits = np.asarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)


def _float32(x: _Array) -> _Array:
    return np.asarray(x, np.float32).astype(np.float64)


def _float16(x: _Array) -> _Array:
    return np.asarray(x, np.float16).astype(np.float64)


_ROUNDINGS = {"float16": _float16, "bfloat16": _bfloat16}


def _usual(sheet: _Sheet, expected: Convention | None, amplitude: float = 1.0) -> Iterator[tuple[Convention, float]]:
    """常见的底数、频率表和起点，以为的那个在前。"""
    bases = dict.fromkeys([expected.base, *_BASES[:7]] if expected else _BASES[:7])
    starts = dict.fromkeys([expected.start, 0, 1, 2] if expected else [0, 1, 2])
    for base in bases:
        for endpoint in (False,) if sheet.odd == "extra_sine" else (False, True):
            for start in starts:
                yield sheet.like(endpoint, base, expected.scale if expected else 1.0, amplitude), float(start)


# ---- 第三关：公式写错了的表 ------------------------------------------------------

_Angles = Callable[[_Array, _Array, float, float], tuple[_Array, _Array]]


def _own(pos: _Array, x: _Array, step: float, base: float) -> tuple[_Array, _Array]:
    return pos * base**-x, pos * base ** -(x + step / 2)


def _own_doubled(pos: _Array, x: _Array, step: float, base: float) -> tuple[_Array, _Array]:
    return pos * base ** -(2 * x), pos * base ** -(2 * x + step)


def _shared(angle: Callable[[_Array, _Array, float, float], _Array]) -> _Angles:
    """正弦与余弦共用一个角度的错。"""

    def both(pos: _Array, x: _Array, step: float, base: float) -> tuple[_Array, _Array]:
        value = np.broadcast_to(angle(pos, x, step, base), (len(pos), x.size))
        return value, value

    return both


def _floored(pos: _Array, x: _Array, step: float, base: float) -> _Array:
    """恰好除得尽的地方，乘方的末位差一点，截下来就差 1，各版 NumPy 不同：那里记 NaN，不看。"""
    angle = pos * base**-x
    near = np.abs(angle - np.round(angle)) <= 64 * _EPS * np.abs(angle)
    return np.where(near & (x != 0) & (angle != 0), np.nan, np.floor(angle))


# 错的名字：怎样由位置 (n, 1)、指数 x = 2i/d（或 i/(d/2-1)）、相邻指数之差和底数算出两种角度
_BROKEN: tuple[tuple[str, _Angles], ...] = (
    ("余弦用了自己的指数 (2i+1)/d", _own),
    ("每一列用自己的指数，而且加倍了：2j/d，j 是列号", _own_doubled),
    ("该除以的乘上了，频率越往右越高", _shared(lambda pos, x, step, base: pos * base**x)),
    (
        "该除以的乘上了，而且余弦用了自己的指数",
        lambda pos, x, step, base: (pos * base**x, pos * base ** (x + step / 2)),
    ),
    (
        "该除以的乘上了，而且每一列的指数加倍了",
        lambda pos, x, step, base: (pos * base ** (2 * x), pos * base ** (2 * x + step)),
    ),
    ("所有角度都是 0：用了整数除法", _shared(lambda pos, x, step, base: pos * 0)),
    ("指数被截成整数，所有频率都成了 1", _shared(lambda pos, x, step, base: pos * base ** -np.trunc(x))),
    ("指数被截成整数：-2i/d 向下取整成了 -1", _shared(lambda pos, x, step, base: pos * base ** np.floor(-x))),
    ("角度被截成整数：用了整数除法", _shared(_floored)),
    ("频率被截成整数", _shared(lambda pos, x, step, base: pos * np.trunc(base**-x))),
    ("除数被截成整数", _shared(lambda pos, x, step, base: pos / np.floor(base**x * (1 + 4 * _EPS)))),
    ("先除以底数再乘方：(pos/base)^(2i/d)", _shared(lambda pos, x, step, base: np.abs(pos / base) ** x)),
    (
        "括号放错了：exp(i) 乘以 -ln(base)，而不是 exp(-i·ln(base))",
        _shared(lambda pos, x, step, base: -pos * np.exp(x / step) * math.log(base) * step),
    ),
)


def _find_broken_formulas(sheet: _Sheet, expected: Convention | None) -> list[Match]:
    """按每一种写错的公式重新算，看哪一种能重现整张表。先用四行筛选。"""
    if sheet.swapped:
        return []
    p, q = sheet.sines.shape[1], sheet.cosines.shape[1]
    few, sample = sheet.head(4), sheet.head(32)
    width = sheet.d_model / 2 if sheet.odd == "extra_sine" else q
    for convention, first in _usual(sheet, expected):
        steps = q - 1 if convention.endpoint else width
        arguments = (np.arange(p) / steps, 1 / steps, convention.base)  # 乘以 1/steps，末一个就未必恰好是 1
        for name, angles in _BROKEN:
            residual = 0.0
            for part in (few, sample, *_blocks(sheet)):
                off = _broken_residual(part, angles, first, arguments)
                if off is None:
                    break
                residual = max(residual, off)
            else:
                said = [name]
                if expected is not None and sheet.layout != expected.layout:
                    said.append(f"布局是{_LAYOUTS[sheet.layout][0]}，不是{_LAYOUTS[expected.layout][0]}")
                if first != (expected.start if expected else 0):
                    said.append(f"位置从 {_number(first)} 数起")
                named = _named(convention, sheet.d_model, first)
                return [Match(named, int(first), residual, "；".join(said))]
    return []


def _broken_residual(
    part: _Sheet, angles: _Angles, first: float, arguments: tuple[_Array, float, float]
) -> float | None:
    q = part.cosines.shape[1]
    sine, cosine = angles((first + part.rows)[:, None], *arguments)
    worst = 0.0
    sure = 0
    for got, angle, function in ((part.sines, sine, np.sin), (part.cosines, cosine[:, :q], np.cos)):
        room = 2.0**-22 * (1 + np.abs(angle))  # float32 的角度；大到没有意义的角度和 NaN 不管
        readable = room < 0.05
        off = np.abs(got - function(np.where(readable, angle, 0.0)))[readable]
        if (off > (2 * part.unit + room[readable])).any():
            return None
        sure += readable.sum()
        worst = max(worst, float(off.max(initial=0)))
    return worst if sure * 4 >= part.sines.size + part.cosines.size else None


# ---- 第四关：位置先被截成整数的表 --------------------------------------------------


def _find_repeated_rows(sheet: _Sheet, expected: Convention | None) -> list[Match]:
    """小数的位置被截成整数，就有成串相同的行。每串留一行再认。"""
    whole = np.concatenate([sheet.sines, sheet.cosines], axis=1)
    fresh = np.concatenate([[True], (whole[1:] != whole[:-1]).any(axis=1)])
    runs = np.diff(np.flatnonzero(fresh))[1:]  # 中间各串的长度；首尾两串可能没有走完
    if len(runs) < 2 or runs.max() < 2 or np.ptp(runs) > 1:
        return []
    part = sheet.pick(fresh)
    part = dataclasses.replace(part, rows=np.arange(float(fresh.sum())))
    return [
        dataclasses.replace(match, mistake="位置被截成了整数，成串的行相同")
        for match in _find_conventions(part, None)
        if match.mistake is None
    ]
