"""第 02 课的练习。"""

from __future__ import annotations

import math

import numpy as np

from ._declare import CLOSE, coding, guessing, mistake

guessing(
    "2-1",
    asks="过几项，0 到 6 的整数",
    right=5,
    reply="只有平移一致不过：sin 2(p+k) 展开有 cos 2p，编码里没有。",
    misconceptions={
        "two-numbers-suffice": (6, "你以为凑成两个数就够了：把 sin 2(p+k) 用和角公式展开，右边的每一项编码里都有吗？"),
        "needs-cosine-everywhere": (
            lambda n: n in (0, 1, 2, 3, 4),
            "你以为没有余弦就处处不行：有界、唯一、与长度无关，都只看数本身。真正要余弦的是哪一项？",
        ),
    },
)

guessing(
    "2-5",
    asks="一个数，D² 平均增加多少",
    right=32,
    near=0.02,
    reply="每慢十倍有 16 根指针，间隔每远十倍就换 16 根，每根加 2。",
    misconceptions={
        "base-alone-decides": (16, "你以为只由底数决定：底数定的是一共慢多少倍，维度加倍，这一段里的级数变不变？"),
        "hands-of-64": (8, "你数出来的是 64 维时每慢十倍的根数：维度加倍以后有几根，每根又加几？"),
        "four-times": (64, "你把维度加倍算了两次：根数加倍，可是每换一根加的还是 2。"),
    },
)

_TURNS = [
    ("wavelength", "给的是波长，不是角频率", "波长是 2π 除以角频率。", lambda w: 2 * np.pi / w),
    ("turns", "给的是频率（圈数），不是角频率（弧度）", "一圈是 2π 弧度。", lambda w: w / (2 * np.pi)),
    ("reciprocal", "给的是角频率的倒数，是公式里的分母", "角度是位置除以分母，也就是乘角频率。", lambda w: 1 / w),
    ("times-two-pi", "多乘了 2π", "公式里没有 2π：角频率本来就以弧度计。", lambda w: 2 * np.pi * w),
    ("degrees", "换算成了度", "公式里的角度本来就是弧度，不用换算。", np.degrees),
    ("radians", "换算成了弧度，可它本来就是弧度", "公式里的角度本来就是弧度，不用换算。", np.radians),
    ("negated", "变了号", "角频率是正的。", lambda w: -w),
    ("logarithm", "取了对数，忘了 exp", "最后一步取 exp。", np.log),
    ("sine", "多取了一次正弦", "角频率是角度的系数，还没有到取正弦的时候。", np.sin),
    ("cosine", "多取了一次余弦", "角频率是角度的系数，还没有到取余弦的时候。", np.cos),
    (
        "repeated",
        "每个角频率写了两遍，长度成了 d_model",
        "一对只要一个角频率，一共 d_model/2 个。",
        lambda w: np.repeat(w, 2),
    ),
]


@coding(
    "2-2",
    cases=[
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
    ],
    random=lambda dice: [(2 * dice.randint(5, 40), float(dice.randint(20, 90000)))],
    golden={(6, 10000.0): [1, 0.046415888336, 0.002154434690], (8, 10000.0): [1, 0.1, 0.01, 0.001]},
    atol=lambda expected, d, base: CLOSE * expected,
    place=lambda index, *args: f"第 {index[0]} 对",
    mistakes=[
        mistake(
            "frequencies/columns",
            "编号数的是列，一共 d_model 个",
            "编号 i 数的是对，一共 d_model // 2 个。",
            lambda d, base: base ** (-np.arange(d) / d),
        ),
        mistake(
            "frequencies/columns-doubled",
            "编号数的是列，又乘了一次 2，一共 d_model 个",
            "编号 i 数的是对，一共 d_model // 2 个。",
            lambda d, base: base ** (-2 * np.arange(d) / d),
        ),
        mistake(
            "frequencies/first-only",
            "只返回了第一个",
            "return 是不是缩进到循环里面了？",
            lambda d, base: np.array(1.0),
        ),
    ],
    via=lambda wrong, d, base: wrong.angles(1, d, base),
    variants=[
        mistake(f"frequencies/{code}", name, hint, lambda wrong, d, base, turn=turn: turn(wrong.angles(1, d, base)))
        for code, name, hint, turn in _TURNS
    ],
    tested="核对了 11 组维度和底数，维度从 2 到 512，底数从 2 到一百万；其中两组是另外算好的。",
    note="第一个总是 1，最后一个总到不了 1/b：指数最大只到 (d-2)/d。",
)
def angular_frequencies(d_model, base):
    """返回每一对的角频率。"""
    return [1 / base ** (2 * i / d_model) for i in range(d_model // 2)]


def _three(omega, a, b, c, e):
    """三个相邻位置的编码，写成源码。"""
    rows = [
        [a * math.sin(omega * p) + b * math.cos(omega * p), c * math.sin(omega * p) + e * math.cos(omega * p)]
        for p in range(3)
    ]
    return ", ".join(f"np.array({r})" for r in rows)


def _omega(f0, f1, f2):
    return math.acos(_ratio(f0, f1, f2) / 2)


def _ratio(f0, f1, f2):
    """2c(1) = (f(0) + f(2)) / f(1)，两个分量一起用。"""
    return float((f0 + f2) @ f1 / (f1 @ f1))


def _by_component(component):
    def both(f0, f1, f2):
        w = np.arccos((f0[component] + f2[component]) / f1[component] / 2)
        return [w, 2 * math.pi / w]

    return both


def _from(omega, wave=lambda w: 2 * math.pi / w):
    """由 2c(1) 得到角频率，由角频率得到波长，各可以错。"""

    def both(*f):
        w = omega(_ratio(*f))
        return [w, wave(w)]

    return both


def _period(wave):
    return lambda *f: [_omega(*f), wave(_omega(*f))]


def _told(
    code, name, hint, formula, why="位置 0 到 1 转了多少弧度，几步转满 2π？把 ω = 0.7 代进你的式子，得到什么，为什么？"
):
    return mistake(f"frequency/{code}", name, hint, formula, why, "02 六步推到底")


_ARCCOS = "和是中间那个的 2cos ω 倍：先除以 2，再取反余弦，得到的就是弧度。"
_ROUND = "一圈是 2π 弧度，一步转 ω 弧度，几步转一圈？"
_GIVEN = "np.array([1.0, -2.0]), np.array([2.6975, -0.8855]), np.array([3.1263, 0.6455])"  # 题目里的，只有四位小数
_TRIPLES = [
    (0.7, 1.0, 0.4, -2.0, 0.3),
    (1.0, 1.0, 0.0, 0.0, 1.0),
    (0.1, 2.0, 1.0, 0.5, -1.0),
    (4 / 3, 1.0, 1.0, 0.5, -1.0),
    (2.5, 1.0, 0.7, -0.4, 2.0),
    (0.01, 3.0, 1.0, -1.0, 2.0),
    (0.8, math.cos(0.8), -math.sin(0.8), 1.0, 0.5),  # f(1) 的第 0 个分量恰好是 0
    (0.6, 1.0, 0.5, math.cos(0.6), -math.sin(0.6)),  # 第 1 个分量恰好是 0
]


@coding(
    "2-3",
    cases=[_GIVEN, *(_three(*triple) for triple in _TRIPLES)],
    random=lambda dice: [_three(dice.uniform(0.2, 1.4), 1.5, 0.5, -0.5, 1.0)],
    golden={_GIVEN: [0.7, 8.976]},
    atol=lambda expected, f0, f1, f2: np.array([5e-4, 5e-3]) if f1[0] == 2.6975 else 1e-8 * expected,
    place=lambda index, *args: ("角频率", "波长")[index[0]],
    returns="pair",
    mistakes=[
        _told(
            "first-component",
            "只用了第 0 个分量，它是 0 时除不了",
            "三个编码是任意的，任何一个分量都可能是 0；换一个分量，或者用内积把两个合起来。",
            _by_component(0),
        ),
        _told(
            "second-component",
            "只用了第 1 个分量，它是 0 时除不了",
            "三个编码是任意的，任何一个分量都可能是 0；换一个分量，或者用内积把两个合起来。",
            _by_component(1),
        ),
        _told(
            "exchanged",
            "角频率和波长的次序反了",
            "先角频率，后波长。",
            lambda *f: [2 * math.pi / _omega(*f), _omega(*f)],
        ),
        _told(
            "not-halved",
            "没有除以 2 就取了反余弦",
            _ARCCOS,
            _from(lambda t: math.acos(t) if abs(t) <= 1 else math.nan),
        ),
        _told("degrees", "角度换算成了度", _ARCCOS, _from(lambda t: math.degrees(math.acos(t / 2)))),
        _told("degrees-only", "角频率以度计", _ARCCOS, lambda *f: [math.degrees(_omega(*f)), 2 * math.pi / _omega(*f)]),
        _told(
            "degrees-both",
            "角频率以度计，波长用 360 除",
            _ARCCOS,
            _from(lambda t: math.degrees(math.acos(t / 2)), lambda w: 360 / w),
        ),
        _told("arcsin", "把反余弦写成了反正弦", _ARCCOS, _from(lambda t: math.asin(t / 2))),
        _told("no-arccos", "忘了取反余弦", _ARCCOS, _from(lambda t: t / 2)),
        _told("no-arccos-no-half", "忘了取反余弦，也没有除以 2", _ARCCOS, _from(lambda t: t)),
        _told("cosine", "把反余弦写成了余弦", _ARCCOS, _from(lambda t: math.cos(t / 2))),
        _told("arctan", "把反余弦写成了反正切", _ARCCOS, _from(lambda t: math.atan(t / 2))),
        _told("doubled", "角频率大了一倍", _ARCCOS, _from(lambda t: 2 * math.acos(t / 2))),
        _told("halved", "角频率小了一半", _ARCCOS, _from(lambda t: math.acos(t / 2) / 2)),
        _told("negated", "角频率变了号", _ARCCOS, _from(lambda t: -math.acos(t / 2))),
        _told(
            "difference",
            "用了 f2 - f0，应是 f2 + f0",
            "把 f(p+1) 和 f(p-1) 相加，正弦的那一项抵消了。",
            lambda f0, f1, f2: [w := np.arccos((f2[0] - f0[0]) / f1[0] / 2), 2 * math.pi / w],
        ),
        _told(
            "angle-between",
            "用了 f(0) 和 f(1) 两个向量的夹角",
            "编码不一定在圆上，夹角不等于转过的角度；三个编码要一起用。",
            lambda f0, f1, f2: [w := math.acos(f0 @ f1 / math.hypot(*f0) / math.hypot(*f1)), 2 * math.pi / w],
        ),
        _told(
            "arctan2-difference",
            "用了两个编码各自的方位角之差",
            "编码不一定在圆上，方位角之差不等于转过的角度；三个编码要一起用。",
            lambda f0, f1, f2: [w := math.atan2(*f1) - math.atan2(*f0), 2 * math.pi / w],
        ),
        _told(
            "turns",
            "角频率除以了 2π，成了每步转几圈",
            _ROUND,
            lambda *f: [_omega(*f) / (2 * math.pi), 2 * math.pi / _omega(*f)],
        ),
        _told("pi-rounded", "π 只取了 3.14", "用 np.pi。", _period(lambda w: 2 * 3.14 / w)),
        _told("wave-rounded", "波长取了整", "波长不必是整数。", _period(lambda w: round(2 * math.pi / w))),
        _told("wave-no-two-pi", "波长少乘了 2π", _ROUND, _period(lambda w: 1 / w)),
        _told("wave-pi", "波长只乘了 π", _ROUND, _period(lambda w: math.pi / w)),
        _told("wave-upside-down", "波长颠倒了，成了每步转几圈", _ROUND, _period(lambda w: w / (2 * math.pi))),
        _told("wave-360", "波长用 360 除，角频率却是弧度", _ROUND, _period(lambda w: 360 / w)),
        _told("wave-multiplied", "波长写成了 2π 乘角频率", _ROUND, _period(lambda w: 2 * math.pi * w)),
        _told("omega-twice", "两个数都是角频率", _ROUND, _period(lambda w: w)),
    ],
    tested="核对了 10 组编码，角频率从 0.01 到 2.5，有的分量是 0；第一组就是题目里的三个编码。",
    note="三个编码就够了，不必知道坐标轴怎样取；但角频率只在 0 到 π 之间认得出，再快就分不清是往哪边转的。",
)
def frequency(f0, f1, f2):
    """返回角频率和波长。"""
    top = bottom = 0.0
    for component in range(2):  # f(0) + f(2) = 2c(1)·f(1) 的两个分量，各乘 f(1) 的那个分量再相加
        top += (f0[component] + f2[component]) * f1[component]
        bottom += f1[component] * f1[component]
    omega = math.acos(top / bottom / 2)
    return omega, 2 * math.pi / omega
