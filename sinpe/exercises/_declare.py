"""一道练习由什么组成，怎样声明；声明了的都在 ``CODING`` 和 ``GUESSES`` 里。"""

from __future__ import annotations

import contextvars
import inspect
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..mistakes import Mistake

CODING: list[Exercise] = []
GUESSES: list[Guess] = []

BASE = contextvars.ContextVar("BASE", default=10000.0)  # 公式的底数；一个班的种子可以换掉它

_dice = random.Random()  # 自己的一颗，不动读者用 random.seed 定下的次序，也不受它影响


@dataclass
class Case:
    """一次调用：给什么，该得到什么。"""

    args: tuple
    kwargs: dict[str, Any]
    spelled: str  # 参数的源码：照着运行，就能重现
    expected: Any = None
    dtype: Any = None  # 许可的类型；None：float32、float64 都行
    atol: Any = 0.0
    refuses: str = ""  # 应当抛出 ValueError，报错的话里要有这几个字
    table: tuple[Any, int, float] | None = None  # 结果是编码表的：各行的位置、维度、底数
    random: bool = False  # 每次换一种的，背不下来；认错时不用它，免得每次说的不一样


@dataclass(frozen=True)
class Exercise:
    """一道写代码的练习；各项的意思见 ``sinpe.exercises`` 的说明。"""

    number: str
    spec: Callable[..., Any]
    cases: Sequence[Any]
    tested: str
    note: str
    random: Callable[[random.Random], Sequence[Any]] = lambda dice: ()
    golden: Mapping[Any, Any] = field(default_factory=dict)
    atol: Callable[..., Any] = lambda expected, *args: 0.0
    dtype: Callable[..., Any] = lambda *args: None
    place: Callable[..., str] = lambda index, *args: "、".join(
        f"第 {k} {axis}" for k, axis in zip(index, "行列" if len(index) > 1 else "个", strict=False)
    )
    returns: str = "array"  # array、number、pair
    refuses: Sequence[tuple[Any, str]] = ()
    forbids: Sequence[str] = ()  # 题目不许用的 sinpe 函数；"sinpe" 是整个模块
    mistakes: Sequence[Mistake] = ()
    table: Callable[..., tuple[Any, int, float]] | None = None
    via: Callable[..., Any] | None = None
    variants: Sequence[Mistake] = ()
    blames: str = ""  # 编码写错时，名字前面加的话
    observe: Callable[..., Any] = lambda seen: None

    @property
    def name(self) -> str:
        """读者写的函数的名字。"""
        return self.spec.__name__

    @property
    def title(self) -> str:
        """练习几；一题有几个函数时，还说是哪一个。"""
        shared = sum(e.number == self.number for e in CODING) > 1
        return f"练习 {self.number}（{self.name}）" if shared else f"练习 {self.number}"

    @property
    def lesson(self) -> int:
        return int(self.number.split("-")[0])

    def trials(self) -> list[Case]:
        """全部调用，从最小的起。"""
        cases = [self._case(given) for given in self.cases]
        cases += [self._case(given, random=True) for given in self.random(_dice)]
        return cases + [Case(*_arguments(given), refuses=words) for given, words in self.refuses]

    def _case(self, given: Any, **more: Any) -> Case:
        args, kwargs, spelled = _arguments(given)
        bound = inspect.signature(self.spec).bind(*args, **kwargs)
        bound.apply_defaults()
        expected = np.asarray(self.spec(*bound.args))
        for key, known in self.golden.items():
            if _arguments(key)[2] == spelled:
                expected = np.where(np.isnan(known), expected, known)
        return Case(
            args,
            kwargs,
            spelled,
            expected,
            self.dtype(*bound.args),
            self.atol(expected, *bound.args),
            table=self.table(*bound.args) if self.table else None,
            **more,
        )


def _arguments(given: Any) -> tuple[tuple, dict[str, Any], str]:
    """一次调用的参数：一串值，或者参数表的源码。"""
    if isinstance(given, str):
        args, kwargs = eval(f"(lambda *args, **kwargs: (args, kwargs))({given})", {"np": np})
        return args, kwargs, given
    return given, {}, ", ".join(map(repr, given))


def coding(number: str, **declared: Any) -> Callable[[Callable[..., Any]], Exercise]:
    """声明一道写代码的练习：修饰写成循环的规格。"""

    def declare(spec: Callable[..., Any]) -> Exercise:
        exercise = Exercise(number, spec, **declared)
        CODING.append(exercise)
        return exercise

    return declare


def mistake(code: str, name: str, hint: str, formula: Callable[..., Any], why: str = "", lesson: str = "") -> Mistake:
    """一种只属于某道题的错；``formula`` 收题目的参数，照样犯一遍。"""
    return Mistake(code, name, hint, "answer", formula, why, lesson)


@dataclass(frozen=True)
class Guess:
    """一道先猜的练习。"""

    number: str
    asks: str
    right: Any
    misconceptions: Mapping[str, tuple[Any, str]]
    reply: str
    options: Sequence[Any] = ()
    near: float = 0.0
    lesson_section: str = ""

    @property
    def lesson(self) -> int:
        return int(self.number.split("-")[0])


def guessing(
    number: str, asks: str, right: Any, reply: str, misconceptions: Mapping[str, tuple[Any, str]], **more: Any
) -> None:
    """声明一道先猜的练习；各项的意思见 ``sinpe.exercises`` 的说明。"""
    GUESSES.append(Guess(number, asks, right, misconceptions, reply, **more))


# ------------------------------------------------------------------ 规格里反复用到的


def row(pos: float, d: int, base: float | None = None) -> list[float]:
    """照公式逐个算出一行：这就是期望值。不写底数，就是 10000，或者种子换成的那个。"""
    base = BASE.get() if base is None else base
    result = []
    for i in range(d // 2):
        angle = pos / base ** (2 * i / d)
        result += [math.sin(angle), math.cos(angle)]
    return result


def loose(pos: Any) -> Any:
    """float32 的结果和角度也算对：结果舍入一次，角频率与角度各差几个 eps，随位置增长。"""
    return 2.0**-23 + 2.0**-22 * np.abs(pos)


def rounded_once(dtype: Any, pos: Any) -> Any:
    """结果舍入一次（至多四分之一个 eps，放宽一倍）；角度在 float64 里，误差随 eps·pos 增长，乘方与对数再加几个 eps。"""
    return float(np.finfo(dtype).eps) / 2 + 16 * 2.0**-52 * np.maximum(1.0, np.abs(pos))


CLOSE = 2.0**-19  # 角频率的相对误差：float32 的 exp 把指数（绝对值不到 14）的舍入放大十几倍
INTEGERS = [np.dtype(code) for code in np.typecodes["AllInteger"]]


def each_row(tolerance: Callable[[Any], Any], positions: Iterable[float], expected: Any) -> Any:
    """每一行照自己的位置定容差，摊成与结果一样的形状。"""
    where = np.asarray([*positions], np.float64)
    return np.broadcast_to(tolerance(where).reshape(-1, 1), (len(where), expected.shape[-1])).reshape(expected.shape)


# 另外用高精度算好、写死在这里的几行：公式的循环万一抄错了，这里会露馅
GOLDEN = {
    (0, 4): [0, 1, 0, 1],
    (1, 4): [0.8414709848, 0.5403023059, 0.0099998333, 0.9999500004],
    (2, 4): [0.9092974268, -0.4161468365, 0.0199986667, 0.9998000067],
    (3, 4): [0.1411200081, -0.9899924966, 0.0299955002, 0.9995500337],
    (1, 8): [
        *(0.8414709848, 0.5403023059, 0.0998334166, 0.9950041653),
        *(0.0099998333, 0.9999500004, 0.0009999998, 0.9999995000),
    ],
}
