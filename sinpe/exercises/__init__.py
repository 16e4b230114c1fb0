"""练习的检查器：不只说对错，还说第一处错在哪里、像是哪种错。

读者用的：``check_…(函数)`` 检查写代码的题，``guess("4-1", 猜的)`` 检查先猜的题，``hint("0-3")``、``solution("0-3")``
看提示和解答，``progress()`` 看进度。期望值由练习里的循环逐个算出，不用 ``sinpe`` 的编码，也不用错法的目录。

**怎样加一道练习**。在 ``sinpe/exercises/lesson_NN.py`` 里写一处声明，别处不用登记：``check_函数名``、它的说明、
练习的列表都由声明得来。写代码的题，修饰写成循环的规格，名字和参数就是题目给的那一行 ``def``::

    @coding(
        "0-2",  # 编号，只在这里写一次
        cases=[(1, 8), (0, 2)],  # 各次调用的参数，从小到大；大的数组写成源码，如 "np.arange(4), 8"
        random=lambda dice: [(dice.randint(3, 300), 8)],  # 每次换一种的，可省
        golden={(1, 8): [0.84, …]},  # 另外用高精度算好的结果；NaN 的地方用规格的
        atol=lambda expected, pos, d_model: loose(pos),  # 容差，可省；见 _declare 里的 loose、rounded_once
        table=lambda pos, d_model: ([pos], d_model, 10000.0),  # 结果若是编码表：位置、维度、底数，目录里的错就都认得出
        mistakes=[mistake("encode-one/…", "名字", "不泄底的提示", 错的写法, "再犯时的追问？", "05 推导")],
        tested="核对了 …", note="…",  # 通过时说的两句话
    )
    def encode_one(pos, d_model):
        \"\"\"返回一个位置的编码。\"\"\"  # check_encode_one 的说明由此得来
        return row(pos, d_model)

还可以写：``dtype``（许可的类型）、``place``（怎样说一个下标在哪里）、``returns``（``"number"``、``"pair"``）、
``refuses``（应当拒绝的参数和报错里该有的字）、``forbids``（不许用的 ``sinpe`` 函数）、
``via``（由写错的编码得到写错的结果，收 ``wrong.angles(pos, d)``、``wrong.table(positions, d)``）、``blames``
（编码写错时，名字前面加的话）、``variants``（结构上的错，参数与 ``via`` 相同，可以与目录里的错叠加）、``observe``
（都没有认出时，说看得见的）。错的写法收题目的参数，照样犯一遍；报的错、错的形状也算犯了一遍。

先猜的题::

    guessing(
        "4-1", asks="一个数，例如 50", right=63, near=0.01,  # near：数许可差多少倍
        reply="猜对了以后说的话。",
        misconceptions={"period-is-base": (10000, "你以为 10000 是周期；…")},  # 代号：（值或判断的函数，回一句话）
    )

``right`` 可以是数、真假、文字（用 ``options`` 列出可选的），或者几问合成的元组。

**课文里怎样写**。每道写代码的题是一格，头一行 ``from sinpe import exercises``，所以没有运行导入格，这一格也能检查
（函数里用到的 ``np`` 若没有导入，检查器会说先运行第一格）；先猜的题也一样::

    from sinpe import exercises

    exercises.guess("4-1", ...)

提示取自题目下面的 ``<details><summary>提示…</summary>``，解答取自 ``solutions`` 里以 ``**练习 N-k**`` 开头的那一格。
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

from ._check import make_check
from ._declare import CODING
from ._guess import guess
from ._public import hint, progress, solution, strict

for _module in pkgutil.iter_modules(__path__):
    if _module.name.startswith("lesson_"):
        importlib.import_module(f"{__name__}.{_module.name}")

_checks = {f"check_{exercise.name}": make_check(exercise) for exercise in CODING}
globals().update(_checks)


def check_layouts(to_halves: Callable[..., Any], to_interleaved: Callable[..., Any]) -> None:
    """检查练习 3-4 的两个函数；等于先后调用 ``check_to_halves`` 和 ``check_to_interleaved``。

    Parameters
    ----------
    to_halves, to_interleaved : callable
        你写的两个函数本身，后面不加括号。

    Examples
    --------
    >>> check_layouts(..., ...)  # 还没有写
    练习 3-4（to_halves）：尚未作答。
    练习 3-4（to_interleaved）：尚未作答。
    """
    _checks["check_to_halves"](to_halves)
    _checks["check_to_interleaved"](to_interleaved)


__all__ = [*sorted(_checks), "check_layouts", "guess", "hint", "progress", "solution", "strict"]
__test__ = {name: check.__doc__ or "" for name, check in _checks.items()}  # 造出来的函数，doctest 自己找不到
