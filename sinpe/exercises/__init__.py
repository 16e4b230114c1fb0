"""练习的检查器：不只说对错，还说第一处错在哪里、像是哪种错。

每道代码练习有一个 ``check_…``，把你写的函数交给它。期望值由这里用循环逐个算出，不用 ``sinpe`` 的编码。
认错的办法是把常见的错照样犯一遍，看结果与你的是否处处相同，所以换了形状和底数也认得出。
"""

from __future__ import annotations

from ..encoding import _check_int
from . import _lesson_00, _lesson_01, _lesson_02, _lesson_03, _lesson_04, _lesson_05, _lesson_06, _lesson_10
from ._check import _passed, _state
from ._lesson_00 import check_add_encoding, check_encode_one
from ._lesson_01 import check_neighbor_mask, check_permutation_matrix
from ._lesson_02 import check_angular_frequencies, check_frequency
from ._lesson_03 import check_encode_at, check_encode_table, check_layouts
from ._lesson_04 import check_read_base, check_smallest_base
from ._lesson_05 import check_relative_table, check_shift_matrix_halves, check_similarity
from ._lesson_06 import check_double, check_encode_rows
from ._lesson_10 import check_endpoint_frequencies, check_grid_table, check_token_positions
from ._trial import _Exercise

_LESSONS = (_lesson_00, _lesson_01, _lesson_02, _lesson_03, _lesson_04, _lesson_05, _lesson_06, _lesson_10)
_EXERCISES = [value for lesson in _LESSONS for value in vars(lesson).values() if isinstance(value, _Exercise)]

__all__ = [
    "check_add_encoding",
    "check_angular_frequencies",
    "check_double",
    "check_encode_at",
    "check_encode_one",
    "check_encode_rows",
    "check_encode_table",
    "check_endpoint_frequencies",
    "check_frequency",
    "check_grid_table",
    "check_layouts",
    "check_neighbor_mask",
    "check_permutation_matrix",
    "check_read_base",
    "check_relative_table",
    "check_shift_matrix_halves",
    "check_similarity",
    "check_smallest_base",
    "check_token_positions",
    "progress",
    "strict",
]


def strict(on: bool = True) -> None:
    """打开严格模式：从此以后，没有通过的检查（包括尚未作答）一律抛出 ``AssertionError``。

    解答笔记本的第一格调用它，所以解答若有错，测试会发现。

    Parameters
    ----------
    on : bool, default: True
        传 False 则关掉。

    Examples
    --------
    >>> strict()
    >>> check_encode_one(...)
    Traceback (most recent call last):
    AssertionError: 练习 0-2：尚未作答。
    >>> strict(False)
    """
    _state["strict"] = on


def progress(lesson: int) -> None:
    """印出一课的代码练习通过了几道。只记在内核里，重启就清零；以每道题最近的一次检查为准。

    Parameters
    ----------
    lesson : int
        课号。

    Raises
    ------
    TypeError
        课号不是整数。
    ValueError
        这一课没有代码练习。

    Examples
    --------
    >>> progress(6)
    代码练习 0/2 已通过；还没有通过：练习 6-2、6-3
    """
    lesson = _check_int("lesson", lesson, 3)
    numbers = [e.number for e in _EXERCISES if int(e.number.split("-")[0]) == lesson]
    if not numbers:
        raise ValueError(f"lesson 必须是有代码练习的课号，收到 {lesson}；例如 3。")
    missing = [number for number in numbers if number not in _passed]
    rest = f"；还没有通过：练习 {'、'.join(missing)}" if missing else ""
    print(f"代码练习 {len(numbers) - len(missing)}/{len(numbers)} 已通过{rest}")
