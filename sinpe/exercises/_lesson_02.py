"""第 02 课的检查器。"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ._check import _check
from ._expected import _CLOSE
from ._mistakes import _DEGREES, _diagnose_by, _Rule, _rules
from ._trial import _dice, _Exercise, _Trial


def _frequencies() -> list[_Trial]:
    cases = [
        (6, 10000.0),
        (2, 10000.0),
        (4, 10000.0),
        (8, 10000.0),
        (8, 100.0),
        (6, 2.0),
        (16, 10000),
        (10, 31.4),
        (64, 1e6),
        (512, 10000.0),
    ]
    cases += [(2 * _dice.randint(5, 40), float(_dice.randint(20, 90000)))]
    golden = {(6, 10000.0): [1, 0.046415888336, 0.002154434690], (8, 10000.0): [1, 0.1, 0.01, 0.001]}
    trials = []
    for d, base in cases:
        omega = np.array(golden.get((d, base)) or [1 / base ** (2 * i / d) for i in range(d // 2)])
        trials.append(_Trial((d, base), omega, atol=_CLOSE * omega, place=lambda index: f"第 {index[0]} 对"))
    return trials


def _frequency_mistakes() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    turns: list[tuple[str, str, Callable[[float], float]]] = [
        ("", "", lambda w: w),
        ("给的是波长，不是角频率", "波长是 2π 除以角频率。", lambda w: 2 * math.pi / w),
        ("给的是频率（圈数），不是角频率（弧度）", "一圈是 2π 弧度。", lambda w: w / (2 * math.pi)),
        ("多乘了 2π", "公式里没有 2π：角频率本来就以弧度计。", lambda w: 2 * math.pi * w),
        ("换算成了度", _DEGREES, math.degrees),
        ("换算成了弧度，可它本来就是弧度", _DEGREES, math.radians),
        ("变了号", "角频率是正的。", lambda w: -w),
        ("取了对数，忘了 exp", "最后一步取 exp。", lambda w: math.log(w)),
        ("平方了", "指数里的 2 只乘一遍。", lambda w: w * w),
    ]
    for (name, hint, turn), rule in itertools.product(turns, _rules()):
        if name or rule.name:
            words, hints = "；".join(filter(None, (rule.name, name))), "".join(dict.fromkeys((rule.hint, hint)))

            def wrong(d: int, base: float, turn: Any = turn, rule: _Rule = rule) -> list[float]:
                return [turn(rule.angle(1, i, 2 * i, d, base)) for i in range(d // 2)]

            yield words, hints, wrong


_ANGULAR_FREQUENCIES = _Exercise(
    "2-2",
    ("angular_frequencies",),
    _frequencies,
    lambda seen: _diagnose_by(*_frequency_mistakes())(seen),
    "核对了 11 组维度和底数，维度从 2 到 512，底数从 2 到一百万；其中两组是另外算好的。",
    "第一个总是 1，最后一个总到不了 1/b：指数最大只到 (d-2)/d。",
)


def check_angular_frequencies(answer: Callable[..., Any]) -> None:
    """检查练习 2-2：``angular_frequencies(d_model, base)`` 返回每一对的角频率。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_angular_frequencies(...)  # 还没有写
    练习 2-2：尚未作答。
    """
    _check(_ANGULAR_FREQUENCIES, answer)


def _triples() -> list[_Trial]:
    trials = []
    cases = [
        (0.7, 1.0, 0.4, -2.0, 0.3),
        (1.0, 1.0, 0.0, 0.0, 1.0),
        (0.1, 2.0, 1.0, 0.5, -1.0),
        (4 / 3, 1.0, 1.0, 0.5, -1.0),
        (2.5, 1.0, 0.7, -0.4, 2.0),
    ]
    cases += [(0.01, 3.0, 1.0, -1.0, 2.0), (_dice.uniform(0.2, 1.4), 1.5, 0.5, -0.5, 1.0)]
    for omega, a, b, c, e in cases:
        rows = [
            (a * math.sin(omega * p) + b * math.cos(omega * p), c * math.sin(omega * p) + e * math.cos(omega * p))
            for p in range(3)
        ]
        trials.append(
            _Trial(tuple(map(np.array, rows)), (w := np.array([omega, 2 * math.pi / omega])), atol=1e-8 * w, pair=True)
        )
    rounded = ([1.0, -2.0], [2.6975, -0.8855], [3.1263, 0.6455])  # 题目里的三个编码，只有四位小数
    golden = _Trial(tuple(map(np.array, rounded)), np.array([0.7, 8.976]), atol=[5e-4, 5e-3], pair=True)
    for trial in trials:
        trial.place = golden.place = lambda index: ("角频率", "波长")[index[0]]
    return [golden, *trials]


def _sum_rule(f0: Any, f1: Any, f2: Any) -> float:
    return float((f0[0] + f2[0]) / f1[0])


def _both(omega: Callable[[float], float]) -> Callable[..., Any]:
    return lambda *f: [w := omega(_sum_rule(*f)), 2 * math.pi / w]


_THREE = "t = 2cos ω：先除以 2，再取反余弦，得到的就是弧度。"
_ROUND = "一圈是 2π 弧度，一步转 ω 弧度，几步转一圈？"
_FREQUENCY = _Exercise(
    "2-3",
    ("frequency",),
    _triples,
    _diagnose_by(
        (
            "角频率和波长的次序反了",
            "先角频率，后波长。",
            lambda *f: [2 * math.pi / (w := math.acos(_sum_rule(*f) / 2)), w],
        ),
        ("t 没有除以 2 就取了反余弦", _THREE, _both(lambda t: math.acos(t) if abs(t) <= 1 else math.nan)),
        ("角度换算成了度", _THREE, _both(lambda t: math.degrees(math.acos(t / 2)))),
        ("角频率以度计", _THREE, lambda *f: [math.degrees(w := math.acos(_sum_rule(*f) / 2)), 2 * math.pi / w]),
        ("角频率以度计", _THREE, lambda *f: [(w := math.degrees(math.acos(_sum_rule(*f) / 2))), 360 / w]),
        ("把反余弦写成了反正弦", _THREE, _both(lambda t: math.asin(t / 2))),
        ("忘了取反余弦", _THREE, _both(lambda t: t / 2)),
        ("忘了取反余弦，也没有除以 2", _THREE, _both(lambda t: t)),
        ("把反余弦写成了余弦", _THREE, _both(lambda t: math.cos(t / 2))),
        ("角频率大了一倍", _THREE, _both(lambda t: 2 * math.acos(t / 2))),
        ("角频率小了一半", _THREE, _both(lambda t: math.acos(t / 2) / 2)),
        ("角频率变了号", _THREE, _both(lambda t: -math.acos(t / 2))),
        (
            "用了 f2 - f0，应是 f2 + f0",
            "把 f(p+1) 和 f(p-1) 相加，正弦的那一项抵消了。",
            lambda f0, f1, f2: [w := math.acos((f2[0] - f0[0]) / f1[0] / 2), 2 * math.pi / w],
        ),
        (
            "用了 f(0) 和 f(1) 两个向量的夹角",
            "编码不一定在圆上，夹角不等于转过的角度；三个编码要一起用。",
            lambda f0, f1, f2: [w := math.acos(f0 @ f1 / math.hypot(*f0) / math.hypot(*f1)), 2 * math.pi / w],
        ),
        (
            "角频率除以了 2π，成了每步转几圈",
            _ROUND,
            lambda *f: [(w := math.acos(_sum_rule(*f) / 2)) / (2 * math.pi), 2 * math.pi / w],
        ),
        ("π 只取了 3.14", "用 np.pi。", lambda *f: [w := math.acos(_sum_rule(*f) / 2), 2 * 3.14 / w]),
        ("波长取了整", "波长不必是整数。", lambda *f: [w := math.acos(_sum_rule(*f) / 2), round(2 * math.pi / w)]),
        ("波长少乘了 2π", _ROUND, lambda *f: [w := math.acos(_sum_rule(*f) / 2), 1 / w]),
        ("波长只乘了 π", _ROUND, lambda *f: [w := math.acos(_sum_rule(*f) / 2), math.pi / w]),
        ("波长颠倒了，成了每步转几圈", _ROUND, lambda *f: [w := math.acos(_sum_rule(*f) / 2), w / (2 * math.pi)]),
        ("波长用 360 除，角频率却是弧度", _ROUND, lambda *f: [w := math.acos(_sum_rule(*f) / 2), 360 / w]),
        ("波长写成了 2π 乘角频率", _ROUND, lambda *f: [w := math.acos(_sum_rule(*f) / 2), 2 * math.pi * w]),
    ),
    "核对了 8 组编码，角频率从 0.01 到 2.5；第一组就是题目里的三个编码。",
    "三个编码就够了，不必知道坐标轴怎样取；但角频率只在 0 到 π 之间认得出，再快就分不清是往哪边转的。",
)


def check_frequency(answer: Callable[..., Any]) -> None:
    """检查练习 2-3：``frequency(f0, f1, f2)`` 返回角频率和波长。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_frequency(...)  # 还没有写
    练习 2-3：尚未作答。
    """
    _check(_FREQUENCY, answer)
