"""由一张表提出读法：哪种约定，第一行是什么位置。每一种读法都把表重新算一遍，差得出舍入误差就不算。

先试常见的比例和底数；不行，再由量出的频率拟合出比例、底数、起点，然后逐个换成圆整的数，贴合得不变差才换。
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..conventions import Convention, _amplitude, _frequencies
from .numbers import BASES, SCALES, base_rank, candidates, rounded
from .rates import SCATTERED, Rates, measure, unwrap, wrap
from .sheet import NEAR, Sheet, amplitude_of
from .storage import EPS, Array

SMALLEST_BASE = 1.5  # 再小，各对的频率几乎相同，不成其为频率表
LARGEST_BASE = 1e300
FARTHEST = 2.0**17  # 起点在这个范围内寻找
FASTEST = 2.0**7  # 最慢的一对每行也转这么多弧度，起点就无从找起
PATIENCE = 24  # 常见的读法里，频率相符的试了这么多种，没有一种找得到起点，就算了
ALIGNED = 0.02  # 各对的相位与起点对得上：64 行平均以后，窄的角度也差不到这么多弧度
ROUND = 8  # 圆整的数至多有几位有效数字
CLEARLY_BETTER = 4  # 均方根误差小这么多倍，才胜过常见的数
FLOAT32_FREQUENCY = 2.0**-19  # float32 的频率，几次舍入以后的相对误差
AS_GOOD = 64  # 换成圆整的数，误差的平方和至多增加平均值的这么多倍：舍入误差若各自独立，是八倍标准差，其实相邻几行的并不
PLAUSIBLE = 0.01  # 量出的频率与读法相差这么多，不值得细算
HALF = 0.5
MOST_OFF = 0.3  # 但整圈以外的频率，差这么多弧度就不像了
UNCLEAR = 1 / 20  # 误差容得下幅度的这么多，这个数就不算数


UNEVEN = "正弦和余弦成对，但相邻两行转过的角度时大时小：各行不是等距的位置，或次序打乱了"
NOT_GEOMETRIC = "各对的频率不成等比数列"
NO_START = "频率是等比数列，但各对的相位凑不出同一个起点"


class Proposal(NamedTuple):
    scale: float
    endpoint: bool
    base: float


class Reading(NamedTuple):
    convention: Convention
    first: float
    narrow: bool  # 角度的误差按 float32 的容
    measured: bool  # 有的参数是量出来的，本身有误差
    rms: float  # 相位的均方根误差

    @property
    def is_round(self) -> bool:
        return rounded(self.convention.scale, ROUND) == self.convention.scale and (
            rounded(self.convention.base, ROUND) == self.convention.base
        )

    @property
    def rank(self) -> tuple:
        """越小越好：底数圆整的，不是量出来的。"""
        return base_rank(self.convention.base), self.measured, self.convention.endpoint


class Near(NamedTuple):
    """没有认出时，最接近的读法，以及整张表里差得出舍入误差的数。"""

    convention: Convention
    first: float
    wrong: Array  # 布尔，按全部正弦、全部余弦排列
    off: Array

    @property
    def count(self) -> int:
        return int(self.wrong.sum())


def find_readings(sheet: Sheet, expected: Convention | None) -> tuple[list[Reading], Near | None, str]:
    """返回读法；没有读法时，另返回最接近的，和卡在哪里。"""
    search = _Search(sheet, expected)
    return search.run(), search.near(), search.stuck


class _Search:
    def __init__(self, sheet: Sheet, expected: Convention | None) -> None:
        self.sheet, self.expected = sheet, expected
        self.sample = sheet.sample()
        self.amplitude = amplitude_of(sheet)
        self.rates = measure(sheet)
        self.hopeful: list[tuple[Convention, list[float]]] = []
        self.stuck = NOT_GEOMETRIC if self.rates.scatter < SCATTERED else UNEVEN

    def run(self) -> list[Reading]:
        usual = self._usual()
        if any(not reading.narrow for reading in usual):
            return [reading for reading in usual if not reading.narrow]
        measured = self._measured()
        if not usual:
            return measured or self._usual_narrow()
        # 常见的读法要当角度是 float32 的才相符；也许是一个相近而圆整的数，例如 3.14159
        clearly = [r for r in measured if not r.narrow and r.rms * CLEARLY_BETTER < usual[0].rms and r.is_round]
        return clearly or usual

    # ---- 常见的读法

    def _usual(self) -> list[Reading]:
        """角度精确的；存成 float32 的，也容 float32 的角度：常见的读法胜过量得更贴合而不圆整的。"""
        found: list[Reading] = []
        failures = 0
        for proposal in _usual_proposals(self.sheet, self.expected, self.rates):
            if found and found[0].convention.scale != proposal.scale:
                break
            if any(reading.convention.endpoint == proposal.endpoint for reading in found):
                continue  # 同一种频率表已有更常见的底数
            self._no_start()
            convention, starts = self._starts(proposal)
            if starts:
                self.hopeful.append((convention, starts))
                narrow = (False, True) if self.sheet.storage.narrow else (False,)
                found += self._check(convention, starts, narrow)
            elif not self.hopeful and (failures := failures + 1) == PATIENCE:
                break  # 例如把正弦和余弦认反了
        return found

    def _usual_narrow(self) -> list[Reading]:
        return [reading for convention, starts in self.hopeful for reading in self._check(convention, starts, (True,))]

    def _no_start(self) -> None:
        self.stuck = NO_START if self.rates.scatter < SCATTERED else UNEVEN

    def _starts(self, proposal: Proposal) -> tuple[Convention, list[float]]:
        """幅度也可以是负的：先各试最常见的几个起点，再找远的。"""
        signs = [(self._like(proposal, sign), far) for far in (False, True) for sign in (1, -1)]
        for convention, far in signs:
            if starts := find_starts(self.sample, convention, self.expected, far):
                return convention, starts
        return signs[0][0], []

    def _like(self, proposal: Proposal, sign: int) -> Convention:
        amplitude = self.amplitude if sign > 0 else -self.amplitude
        return self.sheet.like(proposal.endpoint, proposal.base, proposal.scale, amplitude)

    def _check(
        self, convention: Convention, starts: list[float], narrow: tuple[bool, ...], slack: float = 0.0
    ) -> list[Reading]:
        for wide in narrow:
            for first in starts:
                if fits(self.sample, convention, first, wide, slack) and fits(
                    self.sheet, convention, first, wide, slack
                ):
                    return [Reading(convention, first, wide, slack > 0, Fit(self.sample, convention, first).rms)]
        return []

    # ---- 量出来的读法

    def _measured(self) -> list[Reading]:
        best = self._best_fit()
        if best is None:
            return []
        settled = [fit for endpoint in _endpoints(self.sheet) if (fit := self._settle(best.other(endpoint)))]
        self.hopeful += [(fit.convention, [fit.first]) for fit in settled]
        for narrow, slack in ((False, 0.0), (False, self.sheet.unit), (True, 0.0), (True, self.sheet.unit)):
            readings = [r for fit in settled for r in self._check(fit.convention, [fit.first], (narrow,), slack)]
            if readings:
                return sorted(readings, key=lambda reading: reading.rank)
        return []

    def _best_fit(self) -> Fit | None:
        """由量出的频率找到起点，再同时微调比例、底数、起点，先在开头几十行，后在全表。"""
        ladder = unwrap(self.rates)
        if ladder is None:
            return None
        endpoint = _endpoints(self.sheet)[-1]
        width = self.sheet.width(endpoint)
        if not math.log(SMALLEST_BASE) < ladder.slope * width <= math.log(LARGEST_BASE):
            self.stuck = f"频率之比接近 1 或大得没有意义：底数不在 {SMALLEST_BASE} 与 1e300 之间"
            return None
        measured_scale, measured_base = math.exp(ladder.log_scale), math.exp(ladder.slope * width)
        proposals = [Proposal(ladder.sign * measured_scale, endpoint, measured_base)]
        # 起点很远，量出的比例差一点，相位就对不上：换圆整的数再试
        proposals += [
            Proposal(ladder.sign * scale, endpoint, base)
            for scale, _ in candidates(measured_scale, SCALES)
            for base, _ in candidates(measured_base, self._usual_bases(endpoint))
            if 1 < base <= LARGEST_BASE
        ]
        plausible_ones = (proposal for proposal in proposals if plausible(self.sheet, proposal, self.rates))
        for proposal in itertools.islice(plausible_ones, PATIENCE):
            self._no_start()
            convention, starts = self._starts(proposal)
            if starts:
                return self._refined(convention, starts)
        return None

    def _usual_bases(self, endpoint: bool) -> list[float]:
        """常见的底数；分母介于两种之间的（diffusers 的 downscale_freq_shift=0.5），折算成这一种的底数。"""
        width = self.sheet.width(endpoint)
        return [*_bases(self.expected), 1e4 ** (width / (self.sheet.pairs - HALF))]

    def _refined(self, convention: Convention, starts: list[float]) -> Fit:
        fits_here = [Fit(self.sample.head(NEAR), convention, first).refine() for first in starts]
        near = min(fits_here, key=lambda fit: fit.rms)
        return Fit(self.sample, near.convention, near.first).refine()

    def _settle(self, fit: Fit) -> Fit | None:
        """底数、比例、起点依次换成最圆整的、贴合得不变差的数。

        角度若是 float32 的，各对的频率各错一点，对数又不多，拟合会把这些错也凑进去：常见的数只要差得不比这多，也采用。
        """
        if not SMALLEST_BASE < fit.convention.base <= LARGEST_BASE:
            return None
        inexact = fit.storage.narrow and not fit.exact
        allowance = math.sqrt(max(fit.limit**2 - fit.rms**2, 0.0))  # 每取整一个参数，误差可以再多这么多

        def good(name: str, value: float, now: float, usual: bool) -> bool:
            step = math.log(value / now)
            return fit.cost(name, step) <= math.hypot(fit.rms, allowance) or (
                usual and inexact and abs(step) < FLOAT32_FREQUENCY
            )

        now = fit.convention.base
        for base, usual in candidates(now, self._usual_bases(fit.convention.endpoint)):
            if 1 < base <= LARGEST_BASE and good("base", base, now, usual):
                fit = fit.fix(base=base)
                break
        now, sign = abs(fit.convention.scale), math.copysign(1.0, fit.convention.scale)
        for scale, usual in candidates(now, [abs(self.expected.scale), *SCALES] if self.expected else SCALES):
            if good("scale", scale, now, usual):
                fit = fit.fix(scale=sign * scale)
                break
        limit = math.hypot(fit.rms, allowance)
        for first in dict.fromkeys([float(round(fit.first)), rounded(fit.first, 6), fit.first]):
            if fit.cost("first", first - fit.first) <= limit:
                return fit.fix(first=first)
        return fit

    # ---- 没有认出

    def near(self) -> Near | None:
        """找得到起点的读法里，差得出舍入误差的数最少的一种。"""
        best = None
        for convention, starts in self.hopeful[:8]:
            for first in starts[:2]:
                wrong, off = _wrong(self.sheet, convention, first)
                if best is None or wrong.sum() < best.count:
                    best = Near(convention, first, wrong, off)
        return best


def _endpoints(sheet: Sheet) -> tuple[bool, ...]:
    return (False,) if sheet.odd == "extra_sine" else (False, True)


def _bases(expected: Convention | None) -> list[float]:
    bases = [expected.base, expected.base**2, *BASES] if expected and expected.base < 1e150 else [*BASES]
    return [base for base in dict.fromkeys(bases) if base <= LARGEST_BASE]


def _usual_proposals(sheet: Sheet, expected: Convention | None, rates: Rates) -> Iterator[Proposal]:
    scales = dict.fromkeys([abs(expected.scale), *SCALES] if expected else SCALES)
    signs = (-1.0, 1.0) if expected and expected.scale < 0 else (1.0, -1.0)
    for scale in scales:
        for sign in signs:
            for base in _bases(expected):
                for endpoint in _endpoints(sheet):
                    proposal = Proposal(sign * scale, endpoint, base)
                    if plausible(sheet, proposal, rates):
                        yield proposal


def plausible(sheet: Sheet, proposal: Proposal, rates: Rates) -> bool:
    """与量出的频率大致相符。"""
    want = proposal.scale * proposal.base ** -sheet.exponents(proposal.endpoint)[: sheet.pairs]
    off = np.abs(wrap(rates.rate - want))
    room = np.minimum(PLAUSIBLE * np.abs(want), MOST_OFF)
    return bool((off <= 16 * rates.error + room + 1e-9).all())


def find_starts(sheet: Sheet, convention: Convention, expected: Convention | None, far: bool) -> list[float]:
    """第一行可能的位置：``far=False`` 只试最常见的几个；否则用时针找，绝对值小的、整数在前。

    各对的相位像几根时针：最慢的给出大概，快的逐根校准。
    """
    rate = convention.scale * _frequencies(convention, sheet.d_model)[: sheet.pairs]
    part = sheet.head(NEAR)
    z, _ = part.phases()
    phase = np.angle(
        math.copysign(1.0, convention.amplitude) * (z * np.exp(-1j * np.outer(part.rows, rate))).sum(axis=0)
    )
    tolerance = ALIGNED + 8 * sheet.unit
    if not far:
        usual = np.array(list(dict.fromkeys([expected.start if expected else 0, 0, 1, 2])), float)
        off = np.abs(wrap(phase - np.outer(usual, rate))).max(axis=1)
        return [float(start) for start in usual[off < tolerance]]
    if abs(rate[-1]) > FASTEST:
        return []
    laps = math.ceil(FARTHEST * abs(rate[-1]) / (2 * math.pi))
    first = (phase[-1] + 2 * math.pi * np.arange(-laps, laps + 1)) / rate[-1]
    first, slower = first[np.abs(first) <= FARTHEST], rate[-1]
    for i in range(sheet.pairs - 2, -1, -1):
        phi, speed = phase[i], rate[i]
        if 0 < i and abs(speed) < 2 * abs(slower):
            continue  # 只快一点点的时针校准不出什么
        step = wrap(phi - speed * first) / speed
        sure = np.abs(step * slower) < tolerance  # 校准得太多，就和较慢的那根对不上了
        first, slower = first[sure] + step[sure], speed
    off = np.abs(wrap(phase - np.outer(first, rate))).max(axis=1)
    first = first[off < tolerance]
    step = wrap(phase - np.outer(first, rate))
    first = first + step @ rate / (rate @ rate)
    # 周期恰好公倍的频率表（例如 1、0.1、0.01）分不清相差一个周期的起点，取整数的、绝对值小的
    fractional = np.abs(first - np.round(first)) > 1e-6 + 4 * sheet.unit
    if sheet.unit >= 2.0**-12:  # 位数少，远处的小数起点凑得出任何相位
        first, fractional = (part[~fractional | (np.abs(first) < 64)] for part in (first, fractional))
    found: list[float] = []
    for i in np.lexsort([np.abs(first), fractional])[:4]:
        found += [rounded(first[i], 6), float(first[i])] if fractional[i] else [float(round(first[i]))]
    return found


class Fit:
    """相位对比例、底数、起点的最小二乘拟合。"""

    FREE = ("scale", "base", "first")

    def __init__(self, sheet: Sheet, convention: Convention, first: float, free: tuple[str, ...] = FREE) -> None:
        self.sheet, self.convention, self.first, self.free = sheet, convention, first, free
        self.storage = sheet.storage
        z, size = sheet.phases()
        x = sheet.exponents(convention.endpoint)[: sheet.pairs]
        self.rate = convention.scale * convention.base**-x
        self.angle = np.outer(first + sheet.rows, self.rate)
        self.slopes = {"scale": self.angle, "base": -x * self.angle, "first": np.broadcast_to(self.rate, z.shape)}
        phase = np.angle(math.copysign(1.0, convention.amplitude) * z)
        self.rest = wrap(phase - self.angle)
        self.rms = float(np.sqrt(np.mean(self.rest**2)))
        # 存储的舍入均匀分布，均方根是最大误差的 1/√3；正弦、余弦各差一点，平均下来合起来是 relative·|sin·cos|
        stored = sheet.storage.relative * np.abs(z.real * z.imag) + sheet.storage.absolute / size
        self.grain = float(2 * EPS * np.sqrt(np.mean(self.angle**2)) + EPS)  # float64 的角度自己的误差
        self.law = float(np.sqrt(np.mean(stored**2) / 3))
        # 只有存储的误差，角度没有错；十来个数的均方根自己也有起伏
        self.exact = bool(self.rms <= 1.5 * self.law + self.grain)

    @property
    def limit(self) -> float:
        """均方根误差到这里为止，还说不上更差。

        存储的误差各个数互不相干，有多少个数就有多少份凭据；角度的误差同一对的都相同，只有几对的凭据。
        """
        # 数少的时候，拟合把误差也凑没了：至少取存储该有的误差
        evidence, noise = self.rest.shape[1], self.rms
        if self.exact:
            evidence, noise = self.rest.size, max(self.rms, self.law)
        return max(math.hypot(self.rms, noise * math.sqrt(AS_GOOD / evidence)), self.grain)

    def _normal(self) -> tuple[Array, Array, Array]:
        """正规方程，各参数先除以自己的大小，免得相差太大。"""
        columns = [self.slopes[name] for name in self.free]
        size = np.array([np.sqrt(np.mean(column**2)) or 1.0 for column in columns])
        gram = np.array([[np.mean(a * b) for b in columns] for a in columns]) / np.outer(size, size)
        return gram, np.array([np.mean(a * self.rest) for a in columns]) / size, size

    def refine(self, rounds: int = 4) -> Fit:
        fit = self
        for _ in range(rounds):
            gram, target, size = fit._normal()
            if not (np.isfinite(gram).all() and np.isfinite(target).all()):
                return fit
            step = dict(zip(fit.free, np.linalg.lstsq(gram, target, rcond=1e-13)[0] / size, strict=True))
            if not all(map(math.isfinite, step.values())) or max(map(abs, step.values())) > 1e6:
                return fit
            log_base = math.log(fit.convention.base) + step.get("base", 0.0)
            scale = fit.convention.scale * math.exp(min(step.get("scale", 0.0), 1.0))
            if not (0 < log_base <= math.log(LARGEST_BASE) and scale):
                return fit
            base = math.exp(log_base) if "base" in step else fit.convention.base
            convention = dataclasses.replace(fit.convention, base=base, scale=scale)
            after = Fit(fit.sheet, convention, fit.first + step.get("first", 0.0), fit.free)
            if after.rms >= fit.rms:
                return fit
            fit = after
        return fit

    def cost(self, name: str, step: float) -> float:
        """把一个参数挪开 ``step``，其余的重新拟合，均方根误差成了多少。"""
        if name not in self.free:
            return self.rms
        gram, _, size = self._normal()
        if not np.isfinite(gram).all():
            return math.inf
        spread = np.linalg.pinv(gram, rcond=1e-13)[self.free.index(name), self.free.index(name)]
        return math.hypot(self.rms, step * size[self.free.index(name)] / math.sqrt(max(spread, 1e-300)))

    def fix(self, **value: float) -> Fit:
        (name,) = value
        free = tuple(other for other in self.free if other != name)
        first = value.pop("first", self.first)
        moved = Fit(self.sheet, dataclasses.replace(self.convention, **value), first, free)
        return moved.refine() if free else moved

    def other(self, endpoint: bool) -> Fit:
        """同一张表，频率表的分母换一种写法。"""
        if endpoint == self.convention.endpoint:
            return self
        ratio = self.sheet.width(endpoint) / self.sheet.width(not endpoint)
        base = math.exp(min(math.log(self.convention.base) * ratio, math.log(LARGEST_BASE)))
        return Fit(self.sheet, dataclasses.replace(self.convention, endpoint=endpoint, base=base), self.first)


# ---- 核对：重新算一遍


def compare(part: Sheet, convention: Convention, first: float) -> tuple[Array, Array, Array]:
    """角度、与重新算出的表相差多少、重新算出的表；后两个的列是全部正弦、全部余弦。"""
    amplitude = _amplitude(convention, part.d_model)
    angle = np.outer(convention.scale * (first + part.rows), _frequencies(convention, part.d_model))
    want = amplitude * np.concatenate([np.sin(angle), np.cos(angle[:, : part.pairs])], axis=1)
    return angle, np.abs(np.concatenate([part.sines, part.cosines], axis=1) - want), want


def relative_error(convention: Convention, d_model: int, unit: float) -> Array:
    """每一对的角度的相对误差：频率、乘积各舍入几次；写成 exp(-x) 的频率，误差还要乘上 x。"""
    return 4 * (1 - np.log(_frequencies(convention, d_model))) * unit


def angle_error(convention: Convention, d_model: int, narrow: bool) -> Array:
    """角度用 float64 或 float32 算的，相对误差至多多少。"""
    if not narrow:
        return relative_error(convention, d_model, 4 * EPS)
    # MLX 由慢往快推：exp(x·ln(base) - ln(base))，两数相消，最快的一对误差也和最慢的一样大
    relative = relative_error(convention, d_model, 2.0**-24)
    return np.full_like(relative, relative.max())


def _allowed(part: Sheet, convention: Convention, angle: Array, want: Array, narrow: bool, slack: float) -> Array:
    """每个数可以差多少：角度的误差、存储的误差、量出来的参数自己的误差。"""
    amplitude = abs(_amplitude(convention, part.d_model))
    floor = amplitude * (angle_error(convention, part.d_model, narrow) * (1 + np.abs(angle)) + slack)
    if part.storage.narrow:
        floor += 2.0**-24 * amplitude  # float32 的正弦函数自己的末位
    return np.concatenate([floor, floor[:, : part.pairs]], axis=1)


def fits(sheet: Sheet, convention: Convention, first: float, narrow: bool, slack: float) -> bool:
    amplitude = abs(_amplitude(convention, sheet.d_model))
    unclear = 0
    for part in sheet.blocks():
        angle, off, want = compare(part, convention, first)
        floor = _allowed(part, convention, angle, want, narrow, slack)
        if not (off <= part.storage.room(want) + floor).all():
            return False
        unclear += int((floor > amplitude * UNCLEAR).sum())
    count = len(sheet.rows) * (sheet.sines.shape[1] + sheet.pairs)
    return 2 * unclear < count  # 误差大到什么都容得下，就不算相符


def _wrong(sheet: Sheet, convention: Convention, first: float) -> tuple[Array, Array]:
    parts = []
    for part in sheet.blocks():
        angle, off, want = compare(part, convention, first)
        parts.append((off > part.storage.room(want) + _allowed(part, convention, angle, want, True, 0.0), off))
    return tuple(np.concatenate(kind) for kind in zip(*parts, strict=True))


def residual(sheet: Sheet, convention: Convention, first: float) -> tuple[float, bool]:
    """整张表的最大差，以及它是否大到看得出角度不是用 float64 算的。"""
    amplitude = abs(_amplitude(convention, sheet.d_model))
    worst, shows = 0.0, False
    for part in sheet.blocks():
        angle, off, _ = compare(part, convention, first)
        worst = max(worst, float(off.max(initial=0)))
        # 存储只差半个末位，留 32 倍的余地；float64 的角度另有 eps·angle
        room = amplitude * (32 * max(sheet.unit, 2.0**-40) + 64 * EPS * np.abs(angle))
        shows |= bool((off > np.concatenate([room, room[:, : part.pairs]], axis=1)).any())
    return worst, shows
