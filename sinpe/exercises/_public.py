"""检查之外，读者用得着的几个：提示、解答、进度、严格模式。"""

from __future__ import annotations

from ..encoding import _check_int
from . import _notebooks
from ._card import show
from ._declare import CODING, GUESSES

strictness = {"on": False}
passed: set[tuple[str, str]] = set()  # （编号，函数名）
_shown: dict[str, int] = {}  # 每道题看过几级提示


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
    >>> from sinpe import exercises
    >>> exercises.check_encode_one(...)
    Traceback (most recent call last):
    AssertionError: 练习 0-2：尚未作答。
    >>> strict(False)
    """
    strictness["on"] = on


def _known(number: str) -> str:
    numbers = dict.fromkeys(e.number for e in sorted([*CODING, *GUESSES], key=lambda e: _order(e.number)))
    if number not in numbers:
        raise ValueError(f"number 必须是一道练习的编号，收到 {number!r:.40}；现有 {'、'.join(numbers)}。")
    return number


def _order(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split("-")))


def hint(number: str) -> None:
    """显示一道练习的提示：第一次是第一级，再来一次是下一级。看多少次都不算什么。

    Parameters
    ----------
    number : str
        练习的编号，例如 ``"0-3"``。

    Raises
    ------
    ValueError
        没有这道练习。
    """
    found = _notebooks.hints(_known(number))
    if found is None:
        show(f"练习 {number}：提示写在课文里，可是这里找不到课文的笔记本；请在课程的 notebooks 文件夹里运行。")
    elif not found:
        show(f"练习 {number}：这道题没有提示；先想好再展开它下面的答案。")
    else:
        level = min(_shown.get(number, 0), len(found) - 1)
        _shown[number] = level + 1
        title = f"练习 {number}，提示 {level + 1}/{len(found)}："
        show(f"{title}\n{found[level]}", markdown=f"{title}\n\n{found[level]}")


def solution(number: str) -> None:
    """显示一道写代码的练习的参考解答，取自 ``solutions`` 里的同名笔记本。看了也不算什么。

    Parameters
    ----------
    number : str
        练习的编号，例如 ``"0-3"``。

    Raises
    ------
    ValueError
        没有这道练习。
    """
    parts = _notebooks.solution(_known(number))
    if parts is None:
        show(
            f"练习 {number}：解答在课程的 notebooks/solutions 文件夹里，可是这里找不到；"
            "只安装了 sinpe 这个包时没有笔记本，请在课程的 notebooks 文件夹里运行。"
        )
    elif not parts:
        show(f"练习 {number}：解答的笔记本里没有这道题；它的答案折在课文的题目下面。")
    else:
        fenced = [source if kind == "markdown" else f"```python\n{source}\n```" for kind, source in parts]
        show("\n\n".join(source for _, source in parts), markdown="\n\n".join(fenced))


def progress(lesson: int | None = None) -> None:
    """印出代码练习通过了几道。只记在内核里，重启就清零；以每道题最近的一次检查为准。

    Parameters
    ----------
    lesson : int, optional
        课号；不写就逐课印出。

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
    lessons = sorted({exercise.lesson for exercise in CODING})
    if lesson is None:
        print("\n".join(f"第 {n:02} 课：{_line(n)}" for n in lessons))
        return
    lesson = _check_int("lesson", lesson, 3)
    if lesson not in lessons:
        raise ValueError(f"lesson 必须是有代码练习的课号，收到 {lesson}；例如 3。")
    print(_line(lesson))


def _line(lesson: int) -> str:
    numbers = dict.fromkeys(e.number for e in CODING if e.lesson == lesson)
    missing = [n for n in numbers if any(e.number == n and (n, e.name) not in passed for e in CODING)]
    rest = f"；还没有通过：练习 {'、'.join(missing)}" if missing else ""
    return f"代码练习 {len(numbers) - len(missing)}/{len(numbers)} 已通过{rest}"
