"""把读法说给人听：叫什么名字，与以为的差在哪里，同一张表还可以怎样读。"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from ..conventions import _LAYOUT_NAMES, CONVENTIONS, Convention, _amplitude, _frequencies, _number_text
from ..mistakes import ANGLES, MISTAKES, Mistake
from .numbers import BASES, base_rank, rounded
from .readings import LARGEST_BASE, Reading, residual
from .result import Match
from .sheet import Sheet

SAME = 1e-9  # 参数写法不同而相等：几次乘方、对数的舍入
MEASURED = 1e-6  # 量出来的参数：十来行 float32 的表能定到的
SHIFTS = (-1.0, -0.5, 0.5, 1.5, 2.0)  # 分母是 d/2 减去它；0 和 1 是 Convention 的两种
_DENOMINATORS = {False: "d/2", True: "d/2-1"}


def name(code: str) -> str:
    """目录里的名字。"""
    return MISTAKES[code].name


def matches_of(
    sheet: Sheet, readings: list[Reading], expected: Convention | None, said: tuple[str, ...] = ()
) -> list[Match]:
    """最圆整的一种读法，和同一张表的另一种读法。"""
    best = min(readings, key=lambda reading: reading.rank)
    worst, shows = residual(sheet, best.convention, best.first)
    said += ("角度用 float32 计算",) if shows else ()
    return both_readings(sheet, best.convention, best.first, worst, said, expected)


def both_readings(
    sheet: Sheet,
    best: Convention,
    first: float,
    worst: float,
    said: tuple[str, ...],
    expected: Convention | None,
) -> list[Match]:
    conventions = [best]
    if sheet.odd != "extra_sine" and 1 < (other := _other_base(sheet, best)) <= LARGEST_BASE:
        conventions.append(dataclasses.replace(best, endpoint=not best.endpoint, base=other))
    result = []
    for convention in conventions:
        mistakes = [name("swapped")] if sheet.swapped else []
        if expected is not None:
            mistakes += differences(convention, first, expected, sheet)
        notes = []
        if convention is not best:
            notes.append(f"与底数 {_number_text(best.base)} 的读法是同一张表，只是频率表的分母换了写法")
        else:
            notes += _backwards(sheet, convention, first) if expected is None else []
            notes += _shifted(sheet, convention)
        start = int(first) if first == int(first) else float(first)
        found = named(convention, sheet.d_model, first)
        result.append(Match(found, start, worst, (*mistakes, *said), "；".join(notes)))
    return result


def _other_base(sheet: Sheet, convention: Convention) -> float:
    """频率表的分母换一种写法，底数成了多少。"""
    log = math.log(convention.base) * sheet.width(not convention.endpoint) / sheet.width(convention.endpoint)
    if log > math.log(LARGEST_BASE):
        return math.inf
    base = convention.base ** (sheet.width(not convention.endpoint) / sheet.width(convention.endpoint))
    # 99999999.9999999 就是 1e8
    return rounded(base, 9) if math.isclose(base, rounded(base, 9), rel_tol=1e-13) else base


def _backwards(sheet: Sheet, convention: Convention, first: float) -> list[str]:
    if convention.scale > 0 or first >= 0:
        return []
    return [f"位置是倒着数的：从 {_number_text(-first)} 到 {_number_text(-first - sheet.rows[-1])}"]


def _shifted(sheet: Sheet, convention: Convention) -> list[str]:
    """底数不圆整，也许是分母的写法介于两种之间，例如 diffusers 的 downscale_freq_shift=0.5。"""
    if sheet.odd == "extra_sine" or base_rank(convention.base)[0] < 2:
        return []
    slope = math.log(convention.base) / sheet.width(convention.endpoint)  # 相邻两个频率之比的对数
    for base in BASES[:4]:
        for shift in SHIFTS:
            if math.isclose(math.log(base) / (sheet.pairs - shift), slope, rel_tol=MEASURED):
                denominator = f"d/2{-shift:+g}"
                return [
                    f"也就是底数 {base:g}、分母 {denominator} 的频率表（diffusers 的 downscale_freq_shift={shift:g}）"
                ]
    return []


def named(convention: Convention, d_model: int, first: float) -> Convention:
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


# ---- 与以为的差在哪里，一处一句


def differences(found: Convention, first: float, expected: Convention, sheet: Sheet) -> list[str]:
    return [
        *_layout_differences(found, expected),
        *_frequency_differences(found, expected, sheet.d_model),
        *_position_differences(found, first, expected, sheet),
        *_amplitude_differences(found, first, expected, sheet.d_model),
    ]


def _layout_differences(found: Convention, expected: Convention) -> list[str]:
    if found.layout == expected.layout:
        return []
    if {found.layout, expected.layout} == {"sin_cos", "cos_sin"}:
        return [name("swapped")]
    return [layout_difference(found.layout, expected)]


def layout_difference(layout: str, expected: Convention) -> str:
    return f"布局是{_LAYOUT_NAMES[layout][0]}，不是{_LAYOUT_NAMES[expected.layout][0]}"


def _frequency_differences(found: Convention, expected: Convention, d_model: int) -> list[str]:
    if d_model % 2 and found.odd != expected.odd:
        return ["奇数维的做法不同"]
    old, new = abs(expected.scale) * _frequencies(expected, d_model), abs(found.scale) * _frequencies(found, d_model)
    if np.allclose(old, new, rtol=SAME, atol=0):
        return []
    known = _known_angle(new, expected, d_model)
    if known:
        return [known.name]
    said = []
    if not np.allclose(old / abs(expected.scale), new / abs(found.scale), rtol=SAME, atol=0):
        if found.endpoint != expected.endpoint:
            said.append(f"频率表的分母是 {_DENOMINATORS[found.endpoint]}，不是 {_DENOMINATORS[expected.endpoint]}")
        if not math.isclose(found.base, expected.base, rel_tol=SAME):
            said.append(f"底数是 {_number_text(found.base)}，不是 {_number_text(expected.base)}")
    ratio = abs(found.scale / expected.scale)
    if not math.isclose(ratio, 1, rel_tol=SAME):
        said.append(f"位置多乘了 {_number_text(ratio)}")
    return said


def _known_angle(new: np.ndarray, expected: Convention, d_model: int) -> Mistake | None:
    """目录里哪一种错算出这样的频率。角度须与位置成正比；换一种分母另有说法。"""
    if len(new) < 3:
        return None
    pos = abs(expected.scale) * np.array([[1.0], [2.0]])
    den = denominator(expected, d_model)
    i = np.arange(len(new))
    for mistake in ANGLES:
        if mistake.where != "angle" or mistake.code == "denominator-endpoint":
            continue
        sine, cosine = (
            np.broadcast_to(mistake.formula(pos, i, 2 * i + k, den, expected.base), (2, len(new))) for k in (0, 1)
        )
        if np.array_equal(sine, cosine) and np.allclose(sine, pos / pos[0] * new, rtol=MEASURED, atol=0):
            return mistake
    return None


def denominator(convention: Convention, d_model: int) -> float:
    """目录里的公式的参数 ``d``：指数是 ``2i/d``。"""
    if d_model % 2 and convention.odd == "extra_sine":
        return d_model
    return 2 * (max(d_model // 2 - 1, 1) if convention.endpoint else d_model // 2)


def is_backwards(found: Convention, first: float, expected: Convention) -> bool:
    """方向相反而第一行的位置是正的，是倒着数；从 0 往负的数，是正弦变了号。"""
    return found.scale * expected.scale < 0 and first < 0


def _position_differences(found: Convention, first: float, expected: Convention, sheet: Sheet) -> list[str]:
    if is_backwards(found, first, expected):
        last = -first - sheet.rows[-1]
        where = "" if last == expected.start else f"：从 {_number_text(-first)} 到 {_number_text(last)}"
        return [name("reversed") + where]
    said = []
    if found.scale * expected.scale < 0 and not _cosine_negated(found, first, expected, sheet.d_model):
        said.append(name("negated"))
    # fairseq 的表从位置 0 数起，padding_idx 那一行全是 0，它的下一行才是第一个词
    padding = expected.start - 1 - first
    own_table = 0 <= padding < sheet.rows[-1] and padding not in sheet.rows
    if first != expected.start and not own_table:
        said.append(start_difference(first, expected))
    return said


def start_difference(first: float, expected: Convention | None) -> str:
    if expected is None:
        return f"位置从 {_number_text(first)} 数起"
    if (first, expected.start) == (1, 0):
        return name("from-one")
    return f"位置从 {_number_text(first)} 数起，不是 {expected.start}"


def _cosine_negated(found: Convention, first: float, expected: Convention, d_model: int) -> bool:
    """幅度和比例都变了号，就只有余弦变了号。"""
    return (
        found.scale * expected.scale < 0
        and _amplitude(found, d_model) * _amplitude(expected, d_model) < 0
        and not is_backwards(found, first, expected)
    )


def _amplitude_differences(found: Convention, first: float, expected: Convention, d_model: int) -> list[str]:
    old, new = _amplitude(expected, d_model), _amplitude(found, d_model)
    said = []
    if old * new < 0:
        said.append(name("cosine-negated" if _cosine_negated(found, first, expected, d_model) else "both-negated"))
    if not math.isclose(abs(old), abs(new), rel_tol=SAME):
        said.append(f"幅度是 {_number_text(abs(new))}，不是 {_number_text(abs(old))}")
    return said
