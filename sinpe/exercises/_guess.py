"""先猜的练习：记下你猜的，认出猜错的背后是哪种想法。"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _seeds
from ._card import card, data, show, words
from ._declare import GUESSES, Guess


def guess(number: str, answer: Any, *, seed: str | None = None) -> None:
    """交上一道先猜的练习；还没有猜，就留着 ``...``。

    Parameters
    ----------
    number : str
        练习的编号，例如 ``"0-1"``。
    answer : int, float, bool, str, or tuple of them
        你猜的；多问的题，各问用逗号隔开，放在括号里。
    seed : str, optional
        一个班的种子：题目换了一套数的副本里才有，老师已经写好。

    Raises
    ------
    TypeError
        ``seed`` 不是字符串。
    ValueError
        没有这道先猜的练习。

    Examples
    --------
    >>> guess("0-1", ...)  # 还没有猜
    练习 0-1：尚未作答。把 ... 换成你猜的：一个大约的位置，例如 50。
    """
    found = next((g for g in GUESSES if g.number == number), None)
    if found is None:
        known = "、".join(g.number for g in GUESSES)
        raise ValueError(f"number 必须是一道先猜的练习的编号，收到 {number!r:.40}；现有 {known}。")
    with _seeds.given(found, seed) as declared:
        verdict, code, said = _judge(declared, answer)
    title = f"练习 {number}"
    plain = {"passed": "猜对了。", "wrong": "还不对。", "blank": "尚未作答。"}[verdict] + said
    show(f"{title}：{plain}", card(title, verdict, [words(said)]), data(number, "guess", "", verdict, code, seed))


def _judge(found: Guess, answer: Any) -> tuple[str, str | None, str]:
    """返回判定、错的代号、要说的话。"""
    if answer is ... or (isinstance(answer, tuple | list) and any(a is ... for a in answer)):
        return "blank", None, f"把 ... 换成你猜的：{found.asks}。"
    if _near(answer, found.right, found.near):
        return "passed", None, found.reply
    for code, (value, reply) in found.misconceptions.items():
        if _near(answer, value, found.near):
            return "wrong", code, reply
    if not _alike(answer, found.right) or (found.options and answer not in found.options):
        return "wrong", None, f"看不懂你猜的；要填的是：{found.asks}。"
    return "wrong", None, "换一个想法再猜，或者先算一个小的例子。"


def _plain(value: Any) -> Any:
    """字符串不计大小写和两头的空白，NumPy 的数换成普通的数。"""
    if isinstance(value, str):
        return value.strip().casefold()
    return value.item() if isinstance(value, np.generic) else value


def _near(answer: Any, value: Any, near: float) -> bool:
    """与声明的值是否算同一个；数许可差 near 倍，一个声明也可以是判断的函数。"""
    if callable(value):
        try:
            return bool(value(answer))
        except (TypeError, ValueError, IndexError):
            return False
    answer, value = _plain(answer), _plain(value)
    if isinstance(value, tuple):
        given = tuple(answer) if isinstance(answer, tuple | list) else ()
        return len(given) == len(value) and all(_near(a, v, near) for a, v in zip(given, value, strict=True))
    if isinstance(value, bool | str) or isinstance(answer, bool):
        return type(answer) is type(value) and answer == value
    return isinstance(answer, int | float) and abs(answer - value) <= near * abs(value)


def _alike(answer: Any, right: Any) -> bool:
    """答案的样子对不对：数对数，文字对文字，几问就几个。"""
    answer, right = _plain(answer), _plain(right)
    if isinstance(right, tuple):
        return isinstance(answer, tuple | list) and len(answer) == len(right)
    if isinstance(right, bool | str) or isinstance(answer, bool):
        return type(answer) is type(right)
    return isinstance(answer, int | float) or callable(right)
