"""识别的结果。"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..conventions import Convention, _formula, _number_text


@dataclass(frozen=True)
class Match:
    """``identify`` 的一个结果：``encode(start + np.arange(n), d_model, convention)`` 重现这张表。

    Parameters
    ----------
    convention : Convention
        找到的约定：参数相同的有名字的约定，或按找到的参数新建的一个。有 ``mistakes`` 而没有约定相符时，是最接近的那个。
    start : int or float
        第一行的位置。
    residual : float
        与重现的表相差最多多少；有 ``mistakes`` 时，重现的是带着这些错的表。
    mistakes : tuple of str, default: ()
        像是哪些错，一处一句；没有就是空的。
    note : str, default: ""
        其他要说的，例如它和前一个结果是同一张表的两种读法。

    Raises
    ------
    TypeError
        少给了参数。由 ``identify`` 来造，不检查参数的值。

    Notes
    -----
    不可修改；打印它，看到的是约定、起点和差多少。

    Examples
    --------
    >>> import numpy as np
    >>> import sinpe
    >>> match = sinpe.identify(sinpe.encode(np.arange(20), 16, "whisper"))[0]
    >>> match.base, match.start, match.mistakes
    (10000.0, 0, ())
    """

    convention: Convention
    start: float
    residual: float
    mistakes: tuple[str, ...] = ()
    note: str = ""

    @property
    def mistake(self) -> str | None:
        """``mistakes`` 连成一句；没有就是 ``None``。"""
        return "；".join(self.mistakes) or None

    @property
    def base(self) -> float:
        """找到的底数。"""
        return self.convention.base

    def __str__(self) -> str:
        parts = [f"{self.convention.name}：{_formula(self.convention)}", f"第一行是位置 {_number_text(self.start)}"]
        parts += [f"像是这种错：{self.mistake}"] if self.mistakes else []
        parts += [self.note] if self.note else []
        return "；".join([*parts, f"最多相差 {self.residual:.1e}"])


class Matches(list):
    """``identify`` 的返回值：``Match`` 的列表，由好到差。空的时候，``reason`` 说为什么；不空时它是 ``""``。"""

    def __init__(self, matches: Iterable[Match] = (), reason: str = "") -> None:
        super().__init__(matches)
        self.reason = reason

    def __repr__(self) -> str:
        return super().__repr__() if self else f"[]（没有认出：{self.reason}）"
