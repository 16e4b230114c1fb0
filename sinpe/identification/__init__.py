"""认出一张编码表用的是哪种约定：``identify``，和它的结果 ``Match``。

由便宜到贵地提出读法，每一种都把表重新算一遍，差得出舍入误差就不算：

- ``storage``：数存成过什么样，可以差多少；``sheet``：怎样拆成正弦列和余弦列；
- ``rates``：各对每走一行转过的弧度；``numbers``：常见的数、圆整的数；
- ``readings``：约定和起点；``verdict``：与以为的差在哪里；
- ``broken``、``narrow``、``seams``：公式写错的、角度太窄的、位置不连续的；``outside``：另一类设计。

记号：``z = cos + j·sin`` 是各对的相位；``rate`` 是每走一行转过的弧度，等于 ``scale·omega``；``first`` 是第一行的位置；
``unit`` 是存储的舍入误差（半个末位比上 1）。
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ..conventions import Convention, _as_convention, _check_table, _number_text
from .broken import find_broken_formulas
from .narrow import find_narrow_angles
from .numbers import BASES, base_rank
from .outside import describe_outside, paired, turns_evenly, without_ramps
from .readings import UNEVEN, Near, find_readings
from .result import Match, Matches
from .seams import find_absolute, find_seams, find_truncated
from .sheet import Sheet, sheets_of, unevenness
from .storage import DECIMALS, Array, read_storage
from .verdict import matches_of, named

__all__ = ["Match", "Matches", "identify"]

LEAST_ROWS, LEAST_COLUMNS = 4, 6
MOSTLY = 0.5  # 差得出舍入误差的数不到这么多，读法又常见，才值得说“最像”哪一种
NEARLY = 0.05  # 读法不常见的，要更少


def identify(table: ArrayLike, *, expected: str | Convention | None = None) -> Matches:
    r"""认出一张编码表用的是哪种约定。

    Parameters
    ----------
    table : array_like of float, shape (seq_len, d_model)
        编码表，各行是连续的位置。``seq_len`` 至少 4，``d_model`` 至少 6。可以存成 float16 或 bfloat16，可以打印成
        3 至 12 位小数或 4 至 9 位有效数字再读回来，可以整体缩放。全是 0 的行（填充）略过不看。
    expected : str or Convention, optional
        你以为它是什么；给了它，``mistakes`` 就说出两者差在哪里。

    Returns
    -------
    Matches
        ``Match`` 的列表，由好到差。都不像就是空的，绝不猜，这时 ``reason`` 说为什么。一张表有两种读法时两种都给出，
        底数 10000 的在前。

    Raises
    ------
    TypeError
        ``table`` 不是实数数组，``expected`` 不是名字或 ``Convention``。
    ValueError
        ``table`` 不是两维、行列太少、或有非有限的数。

    See Also
    --------
    convert : 认出以后换成另一种。

    Notes
    -----
    做法：正确配对时 :math:`s^2 + c^2` 处处相同，由此定出布局和幅度；相邻两行转过的角度给出频率，频率的公比给出底数；
    第一行的相位像几根时针，合起来给出起点。最后总是把整张表重新算一遍，差得出舍入误差就不算。量出来的比例、底数、起点，
    换成圆整的数而贴合得不变差，才写成圆整的数。

    ``endpoint=True``、底数 :math:`b` 的表，也是 ``endpoint=False``、底数 :math:`b^{h/(h-1)}` 的表，:math:`h = d/2`，
    所以总有两种读法。

    说得出的错：``sinpe.mistakes`` 里的写错的公式（比例可以不是 1）；角度用 float32、float16、bfloat16 计算；
    位置截成了整数、取了绝对值、次序反了；至多八处接缝（行重复、缺行、从头数）。

    频率升序的（DiffWave、CSDI、谐波编码）、等差的（Perceiver、Hyena、Zipformer）是另一类设计，``Convention`` 写不出来：
    不给 ``expected`` 时返回空列表，``reason`` 说它是什么。

    认不出的：各行不是连续的位置；起点在 ±131072 以外；底数小于 1.5；每行转不到半圈的不足三对，而比例又不常见；
    存成 float16、bfloat16 或打印成三四位小数，行数很少、起点很远而底数又不常见；写错的公式里，底数不常见。

    Examples
    --------
    >>> from sinpe import encode
    >>> table = encode(np.arange(50), 64, "whisper")
    >>> for match in identify(table, expected="paper"):
    ...     print(match.convention.name, round(match.base, 1), match.start, match.mistake)
    tensor2tensor 10000.0 0 布局是分半布局，正弦在前，不是交错布局；频率表的分母是 d/2-1，不是 d/2
    未命名 13459.6 0 布局是分半布局，正弦在前，不是交错布局；底数是 13459.60324，不是 10000
    >>> identify(np.ones((4, 6)))
    []（没有认出：每一行都相同，看不出位置）
    """
    table = _check_table(table)
    if table.ndim != 2:
        raise ValueError(
            f"table 必须是两维 (seq_len, d_model)，收到形状 {table.shape}；有批次维请取出一张，例如 table[0]。"
        )
    if table.shape[0] < LEAST_ROWS or table.shape[1] < LEAST_COLUMNS:
        raise ValueError(
            f"table 至少要 {LEAST_ROWS} 行、{LEAST_COLUMNS} 列才认得出，收到形状 {table.shape}；请给出更多行或更多列。"
        )
    expected = None if expected is None else _as_convention("expected", expected)
    # 试探各种读法，途中溢出、出现 NaN 都不要紧：每种读法最后总要核对
    with np.errstate(all="ignore"):
        return _identify(table.astype(np.float64), expected)


def _identify(table: Array, expected: Convention | None) -> Matches:
    kept = np.flatnonzero(table.any(axis=1))
    if len(kept) < LEAST_ROWS:
        return Matches(reason=f"不全是 0 的只有 {len(kept)} 行，至少要 {LEAST_ROWS} 行")
    storage = read_storage(table)
    sheets = list(sheets_of(table[kept], kept.astype(np.float64), storage))
    pairs = paired(sheets)
    even = [sheet for sheet in pairs if turns_evenly(sheet)]
    search = _Search()
    for find, among in (
        (search.conventions, even),
        (find_seams, even),
        (find_broken_formulas, sheets),  # 要逐个数重现，比角度窄的表查得严，所以在前
        (find_narrow_angles, pairs),
        (find_truncated, pairs),
        (find_absolute, pairs),
    ):
        found = [(order, match) for sheet in among for order, match in enumerate(find(sheet, expected))]
        if found:
            found.sort(key=lambda item: _rank(*item, expected))
            return Matches(match for _, match in found)
    return Matches(reason=search.reason(table[kept], kept, sheets, pairs, even))


def _rank(order: int, match: Match, expected: Convention | None) -> tuple:
    """以为是什么，就先列差得最少的读法，底数与以为的相同的在前；其次是圆整的。``order`` 是在同一种拆法里的先后。"""
    count = 0 if expected is None else len(match.mistakes)
    other_base = expected is not None and match.base != expected.base
    return count, other_base, order, base_rank(match.base), match.residual


class _Search:
    """第一关的搜寻，并记下卡在哪里：没有认出时，由此说为什么。"""

    def __init__(self) -> None:
        self.nearest: tuple[Sheet, Near] | None = None
        self.stuck = ""

    def conventions(self, sheet: Sheet, expected: Convention | None) -> list[Match]:
        readings, near, self.stuck = find_readings(sheet, expected)
        if readings:
            return matches_of(sheet, readings, expected)
        if near is not None and 0 < near.count < (self.nearest[1].count if self.nearest else math.inf):
            self.nearest = sheet, near
        return []

    def _is_telling(self, near: Near) -> bool:
        usual = near.convention.base in BASES and near.first in (0, 1, 2)
        return bool(near.wrong.mean() < (MOSTLY if usual else NEARLY))

    def reason(self, table: Array, rows: Array, sheets: list[Sheet], pairs: list[Sheet], even: list[Sheet]) -> str:
        if (table == table[0]).all():
            return "每一行都相同，看不出位置"
        if self.nearest is not None and self._is_telling(self.nearest[1]):
            return _near_miss(table, rows, *self.nearest)
        bare = without_ramps(table)
        more = pairs
        if bare.shape[1] < table.shape[1]:
            more = pairs + paired(list(sheets_of(bare, rows.astype(np.float64), read_storage(bare))))
        if outside := describe_outside(more):
            return outside
        if not pairs:
            closest = min(map(unevenness, sheets))
            return (
                "不是成对的正弦和余弦：哪一种布局里，同一对的 s² + c² 都不是处处相同"
                + (f"（最接近的一种也差 {closest:.0%}）" if closest < 10 else "")
                + _few_decimals(table)
            )
        if not even:
            return UNEVEN
        return self.stuck + _few_decimals(table)


def _few_decimals(table: Array) -> str:
    least = DECIMALS[0]
    if not np.array_equal(table, np.rint(table)) and np.allclose(table, np.round(table, least - 1), rtol=0, atol=1e-12):
        return f"；这些数只有不到 {least} 位小数，也许是打印时丢了"
    return ""


def _near_miss(table: Array, rows: Array, sheet: Sheet, near: Near) -> str:
    """最像哪一种，差得出舍入误差的数有几个，第一个在哪里。"""
    closest = named(near.convention, sheet.d_model, near.first)
    bad = np.argwhere(near.wrong)
    row, column = bad[0]
    # 按全部正弦、全部余弦排列的列号，换回表里的列号
    value = np.concatenate([sheet.sines, sheet.cosines], axis=1)[row, column]
    place = np.flatnonzero(table[row] == value)
    where = f"第 {rows[row]} 行第 {place[0] if len(place) else column} 列"
    return (
        f"最像 {closest.name}（底数 {_number_text(closest.base)}，第一行是位置 {_number_text(near.first)}），"
        f"但有 {len(bad)} 个数差得超过舍入误差，头一个在{where}（从 0 数），差 {near.off[row, column]:.1e}"
    )
