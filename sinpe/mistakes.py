"""写错的公式：一份目录，每一种错有代号、名字、提示、错在哪里，还能照样再犯一遍。

练习的检查器、``sinpe.identify`` 和测试都从这里取错法；课文可以用 ``commit`` 画出一种错的样子。
目录只供认错：应有的数由练习里的循环另外算出，与这里无关。

一种错改动四样东西里的一样：位置、底数、角度、布局（``Mistake.where``），``formula`` 的参数随之不同：

- ``"position"``：``formula(pos)``，由应有的位置（一维数组）给出错的位置；
- ``"base"``：``formula(base)``，给出错的底数；
- ``"angle"``、``"precision"``：``formula(pos, i, j, d, base)``，给出角度；``i`` 是第几对，``j`` 是交错布局里的列号，
  ``2i`` 或 ``2i + 1``。五个参数都可以是数组，照广播的规则算；频率表的分母换成 ``d - 2`` 时，把 ``d - 2`` 传给 ``d``；
- ``"layout"``：``formula(k, j, n, d)``，给出第 ``k`` 行第 ``j`` 列放的是哪一行、哪个函数（``FUNCTIONS`` 的下标）、
  交错布局里的哪一列。
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .encoding import _check_base, _check_d_model, _check_positions, _new, _show

__all__ = [
    "ANGLES",
    "BASES",
    "FUNCTIONS",
    "LADDERS",
    "LAYOUTS",
    "MISTAKES",
    "POSITIONS",
    "Mistake",
    "commit",
]


@dataclass(frozen=True)
class Mistake:
    """一种错。

    Attributes
    ----------
    code : str
        代号，ASCII，以后不改。
    name, hint : str
        名字，和不泄底的提示。
    where : str
        错在哪里：position、base、angle、precision、layout；别的值由用它的练习解释。
    formula : callable
        照样再犯一遍；参数见本模块的说明。
    why : str
        再犯时的追问：这样写的人相信了什么。
    lesson : str
        讲这件事的一节，写成“课号 标题里的几个字”；没有就是空的。
    atol : float
        照样犯错时，结果可以差多少：低精度的错里，舍入的次序不必与读者的相同。
    """

    code: str
    name: str
    hint: str
    where: str
    formula: Callable[..., Any]
    why: str = ""
    lesson: str = ""
    atol: float = 0.0


FUNCTIONS = (np.sin, np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.zeros_like, np.tan)
SIN, COS, MINUS_SIN, MINUS_COS, ZERO, TAN = range(6)


# ------------------------------------------------------------------ 角度

_PAIR = "第 2i 列和第 2i+1 列共用第 i 个角频率：先算出 d_model/2 个角度，再分给正弦和余弦。"
_TWICE = "编号若走的是 0、2、4、…，它就已经是 2i 了；从“第几对”重新数一遍。"
_ENDS = "把 i = 0 和 i = d_model/2 - 1 代进公式，指数各应是多少？"
_SLOWER = "角频率应从 1 起越来越小。"
_SLASH = "/ 与 // 不同；再看角度在变成正弦之前，有没有转成整数。"
_ORDER = "** 先算，* 和 / 从左往右；给整个指数加上括号。"
_POWER = "乘方只管底数，不管 pos。"
_RADIANS = "np.sin 和 math.sin 只认弧度；公式里的角度本来就是弧度，不用换算。"
_GEOMETRIC = "相邻两个角频率之比相同，不是之差。"
_LOG = "exp 的反函数是 np.log。"
_TURN = "公式里没有 2π：角频率本来就以弧度计。"
_LENGTH = "波长是 2π 除以角频率。"
_LOW = "位置和角频率先以 float64 相乘，取过正弦、余弦之后再换成低精度。"

_WHY = {  # 再犯时的追问：为什么这样写行不通
    _PAIR: "把位置 1 的一对拿出来，算两数的平方和：它是 1 吗？一对里的两个角度若不同，为什么就不再是圆上的一点？",
    _TWICE: "打印出你的编号，再打印每个指数：第 1 对的指数应是 2/d_model。你的循环数的是对，还是列？为什么？",
    _ENDS: "d_model = 8 时，四个指数写在纸上是多少？第一个、最后一个与你的差在哪里？为什么？",
    _SLOWER: "第 0 列和最后一对，哪一个应当变得快？把你的角频率打印出来看它增还是减，为什么会这样？",
    _SLASH: "在正弦之前把角度打印出来：有没有小数？哪一步把小数丢了，为什么？",
    _ORDER: "拿 2 ** 6 / 3 试一试：先算的是哪一个？你的式子里先算的是哪一步，为什么？",
    _POWER: "把 pos 加倍，角度应当加倍。你的角度加倍了吗？为什么？",
    _RADIANS: "位置 1 的第 0 列应是 sin 1 ≈ 0.8415，这里的 1 是度还是弧度？为什么？",
    _LOW: "位置 2049 存成你用的类型，再换回来，还是 2049 吗？为什么误差随位置增大？",
}


def _keep_bits(x: ArrayLike, bits: int) -> NDArray[np.float64]:
    """只留 bits 位二进制有效数字：24 是 float32，11 是 float16，8 是 bfloat16。"""
    x = np.asarray(x, np.float64)
    mantissa, exponent = np.frexp(x)
    kept = np.ldexp(np.rint(np.ldexp(mantissa, bits)), exponent - bits)
    return np.where(np.abs(x) >= 65520, np.copysign(np.inf, x), kept) if bits == 11 else kept  # float16 放不下


def _floor(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """向下取整；恰好除得尽的地方，末位差一点就差 1，各版 NumPy 不同：那里记 NaN，不看。"""
    near = (np.abs(x - np.rint(x)) <= 2.0**-46 * np.abs(x)) & (x != 0)
    return np.where(near & (np.abs(x) < 2.0**30), np.where(x == np.rint(x), x, np.nan), np.floor(x))


def _power(exponent: Callable[[Any, Any, Any], Any]) -> Callable[..., Any]:
    """角频率是 base 的 -exponent(i, j, d) 次方。"""
    return lambda p, i, j, d, b: p * b ** -(exponent(i, j, d) + 0.0 * i)


def _angle(code: str, name: str, hint: str, formula: Callable[..., Any], lesson: str = "", **more: Any) -> Mistake:
    return Mistake(code, name, hint, more.pop("where", "angle"), formula, _WHY.get(hint, ""), lesson, **more)


# 频率表的指数写错了：角频率是 base 的 -指数 次方
_EXPONENTS = [
    (
        "exponent-doubled",
        "指数加倍，2 乘了两遍（底数写成了它的平方，例如一亿，结果也一样）",
        _TWICE,
        lambda i, j, d: 4 * i / d,
    ),
    (
        "own-exponent-doubled",
        "指数加倍，余弦还用了自己的指数：编号数的是列，又乘了一次 2",
        _TWICE + _PAIR,
        lambda i, j, d: 2 * j / d,
    ),
    ("own-exponent", "余弦用了自己的指数（第几列就用几）", _PAIR, lambda i, j, d: j / d),
    ("next-exponent", "余弦用了自己的指数（用了下一对的）", _PAIR, lambda i, j, d: (2 * i + 2 * (j % 2)) / d),
    (
        "own-exponent-skewed",
        "余弦用了自己的指数（正弦加倍，余弦用了再下一列的）",
        _PAIR,
        lambda i, j, d: (4 * i + j % 2) / d,
    ),
    ("denominator-endpoint", "指数写成了 i/(d/2-1)，两头都取到", _ENDS, lambda i, j, d: 2 * i / (d - 2)),
    ("denominator-less-one", "指数的分母少了 1，写成了 d_model - 1", _ENDS, lambda i, j, d: 2 * i / (d - 1)),
    ("denominator-plus-one", "指数的分母多了 1", _ENDS, lambda i, j, d: 2 * i / (d + 1)),
    ("denominator-plus-two", "指数的分母多了 2", _ENDS, lambda i, j, d: 2 * i / (d + 2)),
    ("pairs-from-one", "编号从 1 数起，角频率整体挪了一格", _ENDS, lambda i, j, d: 2 * (i + 1) / d),
    ("exponent-plus-column", "指数差了一列，写成了 (2i+1)/d", _ENDS, lambda i, j, d: (2 * i + 1) / d),
    (
        "exponent-halved",
        "指数少乘了 2，写成了 i/d（底数写成了它的平方根，例如 100，结果也一样）",
        _ENDS,
        lambda i, j, d: i / d,
    ),
    ("ladder-reversed", "角频率的次序反了", "第 0 对应当最快，角频率是 1。", lambda i, j, d: (d - 2 - 2 * i) / d),
    (
        "ladder-reversed-from-one",
        "角频率的次序反了，还从 1 数起",
        "第 0 对应当最快，角频率是 1。",
        lambda i, j, d: (d - 2 * i) / d,
    ),
    (
        "exponent-zero",
        "每一对的角频率都是 1，像是指数里作了整数除法",
        "/ 与 // 不同；再看中间有没有转成整数。",
        lambda i, j, d: 0,
    ),
    (
        "last-frequency-only",
        "每一对的角频率都一样，用的都是最后一对的",
        "下标 i 用上了吗？",
        lambda i, j, d: (d - 2) / d,
    ),
    ("no-division", "指数忘了除以 d_model", _ENDS, lambda i, j, d: 2 * i),
    ("no-division-no-two", "指数忘了除以 d_model，也没有乘 2", _ENDS, lambda i, j, d: i),
    (
        "multiplied",
        "乘除颠倒了，pos/div_term 该乘的除了，或该除的乘了",
        _SLOWER,
        lambda i, j, d: -2 * i / d,
    ),
    ("multiplied-doubled", "乘除颠倒了，指数还加了倍", _TWICE + _SLOWER, lambda i, j, d: -4 * i / d),
    ("multiplied-own", "乘除颠倒了，余弦还用了自己的指数", _PAIR + _SLOWER, lambda i, j, d: -j / d),
    (
        "multiplied-own-doubled",
        "乘除颠倒了，每一列用自己的指数，还加了倍",
        _PAIR + _SLOWER,
        lambda i, j, d: -2 * j / d,
    ),
]
LADDERS: list[Mistake] = [
    _angle(code, name, hint, _power(exponent), "02 公式") for code, name, hint, exponent in _EXPONENTS
]
ANGLES: list[Mistake] = [
    *LADDERS,
    _angle("angle-zero", "所有的角度都是 0，像是作了整数除法", _SLASH, lambda p, i, j, d, b: 0.0 * p * i),
    _angle(
        "angle-floored",
        "作了整数除法，角度丢了小数",
        _SLASH,
        lambda p, i, j, d, b: _floor(p / b ** (2 * i / d)),
    ),
    _angle(
        "angle-and-divisor-floored",
        "作了整数除法，除数也取了整",
        _SLASH,
        lambda p, i, j, d, b: p // _whole(b ** (2 * i / d)),
    ),
    _angle(
        "exponent-truncated",
        "指数取了整：exp 里的数截成了整数",
        _SLASH,
        lambda p, i, j, d, b: p * np.exp(np.trunc(-2 * i / d * np.log(b))),
    ),
    _angle(
        "exponent-floored",
        "指数取了整：exp 里用了 //",
        _SLASH,
        lambda p, i, j, d, b: p * np.exp(-2 * i * np.log(b) // d),
    ),
    _angle(
        "negative-exponent-floored",
        "指数取了整：-2i/d 向下取整成了 -1",
        _SLASH,
        lambda p, i, j, d, b: p * b ** np.floor(-2 * i / d),
    ),
    _angle("angle-rounded", "角度四舍五入成了整数", _SLASH, lambda p, i, j, d, b: np.rint(p / b ** (2 * i / d))),
    _angle(
        "angle-truncated",
        "角度截成了整数",
        _SLASH,
        lambda p, i, j, d, b: np.copysign(_floor(np.abs(p) * b ** (-2 * i / d)), p),
    ),
    _angle("frequency-truncated", "角频率截成了整数", _SLASH, lambda p, i, j, d, b: p * np.trunc(b ** (-2 * i / d))),
    _angle("divisor-truncated", "除数截成了整数", _SLASH, lambda p, i, j, d, b: p / _whole(b ** (2 * i / d))),
    _angle("divisor-rounded", "除数四舍五入成了整数", _SLASH, lambda p, i, j, d, b: p / np.rint(b ** (2 * i / d))),
    _angle(
        "power-of-ratio",
        "乘方套住了 pos/base：(pos/base)**(2i/d)",
        _POWER,
        lambda p, i, j, d, b: (p / b) ** (2 * i / d),
    ),
    _angle(
        "power-of-ratio-own",
        "乘方套住了 pos/base，余弦还用了自己的指数：(pos/base)**(2j/d)",
        _POWER + _PAIR,
        lambda p, i, j, d, b: (p / b) ** (2 * j / d),
    ),
    _angle("power-of-product", "乘方套住了 pos 与 base 的积", _POWER, lambda p, i, j, d, b: (p * b) ** (-2 * i / d)),
    _angle("power-of-position", "乘方套住了 pos", _POWER, lambda p, i, j, d, b: p ** (2 * i / d) / b),
    _angle("order-squared", "指数没有加括号，先除以了 base 的平方", _ORDER, lambda p, i, j, d, b: p / b**2 * i / d),
    _angle("order-divided", "指数没有加括号，d_model 除在了外面", _ORDER, lambda p, i, j, d, b: p / b ** (2.0 * i) / d),
    _angle(
        "order-multiplied",
        "指数没有加括号，d_model 乘在了外面",
        _ORDER,
        lambda p, i, j, d, b: p / (b ** (2.0 * i) / d),
    ),
    _angle("order-outside", "指数没有加括号，乘在了外面", _ORDER, lambda p, i, j, d, b: p / (b**2 * i / d)),
    *(
        _angle(
            f"frequency-{digits}-decimals",
            f"角频率只留了 {digits} 位小数",
            "角频率不要四舍五入：位置会把误差放大。",
            lambda p, i, j, d, b, digits=digits: p * np.round(b ** (-2 * i / d), digits),
        )
        for digits in (1, 2, 3, 4, 5, 6)
    ),
    _angle(
        "arithmetic-endpoint",
        "角频率成了等差的，从 1 到 1/base，应当等比",
        _GEOMETRIC,
        lambda p, i, j, d, b: p * (1 - (1 - 1 / b) * i / (d / 2 - 1)),
        "02 第七条要求",
    ),
    _angle(
        "arithmetic-to-base",
        "角频率成了等差的，应当等比",
        _GEOMETRIC,
        lambda p, i, j, d, b: p * (1 - (1 - 1 / b) * 2 * i / d),
        "02 第七条要求",
    ),
    _angle(
        "arithmetic",
        "角频率成了等差的，从 1 减到 0，应当等比",
        _GEOMETRIC,
        lambda p, i, j, d, b: p * (1 - 2 * i / d),
        "02 第七条要求",
    ),
    _angle("product-for-power", "把乘方写成了乘法", "** 是乘方，* 是乘法。", lambda p, i, j, d, b: p / (b * 2 * i / d)),
    _angle(
        "negative-product-for-power",
        "把乘方写成了乘法，指数带着负号",
        "** 是乘方，* 是乘法。",
        lambda p, i, j, d, b: p * (b * -2 * i / d),
    ),
    _angle(
        "log10",
        "自然对数写成了以 10 为底的对数",
        _LOG,
        lambda p, i, j, d, b: p * np.exp(-2 * i / d * np.log10(b)),
        "02 公式",
    ),
    _angle(
        "log2",
        "自然对数写成了以 2 为底的对数",
        _LOG,
        lambda p, i, j, d, b: p * np.exp(-2 * i / d * np.log2(b)),
        "02 公式",
    ),
    _angle(
        "exp-of-index",
        "exp 的括号放错了地方，只套住了编号：exp(2i) 乘以 -ln(base)/d",
        "底数的对数要和编号一起放进 exp。",
        lambda p, i, j, d, b: -p * np.exp(2.0 * i) * np.log(b) / d,
        "02 公式",
    ),
    _angle(
        "log-outside",
        "ln(base) 乘在了 exp 的外面",
        "底数的对数要和编号一起放进 exp。",
        lambda p, i, j, d, b: p * np.exp(-2.0 * i / d) * np.log(b),
        "02 公式",
    ),
    _angle(
        "exp-of-index-endpoint",
        "exp 的括号放错了地方，只套住了编号：exp(i) 乘以 -ln(base)/(d/2-1)",
        "底数的对数要和编号一起放进 exp。",
        lambda p, i, j, d, b: -p * np.exp(1.0 * i) * np.log(b) / (d / 2 - 1),
        "02 公式",
    ),
    _angle(
        "exp-of-pair",
        "exp 的括号放错了地方，只套住了编号：exp(i) 乘以 -2ln(base)/d",
        "底数的对数要和编号一起放进 exp。",
        lambda p, i, j, d, b: -p * np.exp(1.0 * i) * np.log(b) * 2 / d,
        "02 公式",
    ),
    _angle(
        "wavelength",
        "用的是波长，不是角频率",
        _LENGTH,
        lambda p, i, j, d, b: p * 2 * math.pi * b ** (2 * i / d),
        "04 波长",
    ),
    _angle(
        "over-wavelength",
        "除以了波长，少乘了 2π",
        _LENGTH,
        lambda p, i, j, d, b: p / (2 * math.pi * b ** (2 * i / d)),
        "04 波长",
    ),
    _angle(
        "times-two-pi", "角度多乘了 2π", _TURN, lambda p, i, j, d, b: p * 2 * math.pi * b ** (-2 * i / d), "04 波长"
    ),
    _angle("times-pi", "角度多乘了 π", _TURN, lambda p, i, j, d, b: p * math.pi * b ** (-2 * i / d), "04 波长"),
    _angle("to-radians", "角度当成度，换成了弧度", _RADIANS, lambda p, i, j, d, b: np.radians(p * b ** (-2 * i / d))),
    _angle("to-degrees", "弧度换成了度", _RADIANS, lambda p, i, j, d, b: np.degrees(p * b ** (-2 * i / d))),
    *(
        _angle(
            f"times-{factor:g}",
            f"位置多乘了 {factor:g}",
            "公式里没有这个倍数。",
            lambda p, i, j, d, b, f=factor: f * p * b ** (-2 * i / d),
        )
        for factor in (1000.0, 100.0, 10.0, 2.0, 0.5, 0.1, 0.01, 0.001)
    ),
    _angle(
        "no-position", "位置没有乘进去，只有角频率", "每一行都应不同。", lambda p, i, j, d, b: b ** (-2 * i / d) + 0 * p
    ),
    _angle(
        "position-added",
        "角频率与位置相加了，应当相乘",
        "角度 = 位置 × 角频率。",
        lambda p, i, j, d, b: p + b ** (-2 * i / d),
    ),
    _angle(
        "missing-axis",
        "缺一个轴，第 i 列的位置成了 i",
        "位置要用 [:, None] 变成一列。",
        lambda p, i, j, d, b: i * b ** (-2 * i / d) + 0 * p,
        "03 形状错误",
    ),
    _angle(
        "roles-exchanged",
        "行和列颠倒了：位置和编号换了角色",
        "哪一个轴是位置，哪一个轴是列？",
        lambda p, i, j, d, b: i * b ** (-2 * p / d),
    ),
]


def _whole(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """截成整数；乘方差一点就到整数的，算到了。"""
    return np.floor(x * (1 + 2.0**-50))


def _stored(bits: int, kind: str) -> list[Mistake]:
    ways: tuple[tuple[str, str, Callable[..., Any]], ...] = (
        ("frequency", "角频率", lambda p, w: p * _keep_bits(w, bits)),
        ("angle", "角度", lambda p, w: _keep_bits(p * w, bits)),
        ("all", "位置、角频率和角度", lambda p, w: _keep_bits(_keep_bits(p, bits) * _keep_bits(w, bits), bits)),
    )
    return [
        _angle(
            f"{code}-{kind}",
            f"{what}存成了 {kind}",
            _LOW,
            lambda p, i, j, d, b, way=way: way(p, b ** (-2 * i / d)),
            "06 误差的规律",
            where="precision",
            atol=2.0**-9,
        )
        for code, what, way in ways
    ]


ANGLES += _stored(11, "float16") + _stored(8, "bfloat16")


# ------------------------------------------------------------------ 底数

_BASE = "论文的底数是 10000；有 base 这个参数时，要用参数的值。"


def base_mistake(base: float) -> Mistake:
    """用了另一个底数。

    Examples
    --------
    >>> base_mistake(100.0).name
    '底数不对，用的是 100'
    """
    why = "换了底数，哪几列变，哪几列不变？为什么第 0 对看不出来？"
    return Mistake(
        f"base-{base:.5g}", f"底数不对，用的是 {base:.5g}", _BASE, "base", lambda b: base + 0 * b, why, "04 底数"
    )


BASES = [
    base_mistake(b)
    for b in (1e4, 1e3, 100.0, 1e5, 1e6, 1e8, 10.0, 2.0, 500000.0, 20000.0, 512.0, 1024.0, 9999.0, 10001.0, math.e)
]


# ------------------------------------------------------------------ 位置

_FIRST = "第一个位置是 0。"
_GIVEN = "位置由参数给出，不一定是 0、1、2、…。"
_NO_LENGTH = "公式里没有长度。"
_ANY_REAL = "位置可以是小数，不要转成整数。"
_BIGGER = "换一种放得下的整数。"


def _position(code: str, name: str, hint: str, formula: Callable[..., Any], lesson: str = "") -> Mistake:
    return Mistake(code, name, hint, "position", formula, lesson=lesson)


def _wrap(bits: int, sign: int) -> Callable[..., Any]:
    return lambda p: (np.trunc(p) + sign) % 2.0**bits - sign


POSITIONS = [
    _position("from-one", "位置从 1 数起", _FIRST, lambda p: p + 1, "10 几数起"),
    _position("squared", "位置平方了", "角度与位置成正比。", lambda p: p * np.abs(p)),
    _position("log", "位置取了对数", "角度与位置成正比。", lambda p: np.sign(p) * np.log1p(np.abs(p))),
    _position("less-one", "位置少了 1", _FIRST, lambda p: p - 1),
    _position("negated", "正弦变了号，也就是位置的正负反了", "往哪边走是正？代一个数进去看。", lambda p: -p),
    _position("reversed", "位置的次序反了", "第一行应是哪个位置？", lambda p: p[::-1]),
    _position("index", "用了下标，没有用位置的值", _GIVEN, lambda p: np.arange(float(len(p)))),
    _position("index-from-one", "用了下标，没有用位置的值，还从 1 数起", _GIVEN, lambda p: np.arange(1.0, len(p) + 1)),
    _position("absolute", "负的位置取了绝对值", "负的位置和正的位置，正弦的符号相反。", abs),
    _position("clipped", "负的位置成了 0", "负的位置也照公式算。", lambda p: np.maximum(p, 0)),
    _position(
        "wrapped",
        "负的位置被当成了倒数第几行",
        "拿负数作 NumPy 的下标，取到的是末尾的行；负的位置要另外算。",
        lambda p: np.where(p >= 0, p, p + p.max() + 1),
    ),
    _position("truncated", "位置截成了整数", _ANY_REAL, np.trunc),
    _position("floored", "位置向下取了整", _ANY_REAL, np.floor),
    _position("rounded", "位置四舍五入成了整数", _ANY_REAL, np.rint),
    _position("over-length", "位置除以了长度", _NO_LENGTH, lambda p: p / len(p), "02 序号除以长度"),
    _position("over-length-less-one", "位置除以了长度减 1", _NO_LENGTH, lambda p: p / max(len(p) - 1, 1)),
    _position("over-largest", "位置除以了最大的位置", _NO_LENGTH, lambda p: p / (np.abs(p).max() or 1)),
    _position("minus-smallest", "位置减去了最小的一个", "位置由参数给出，照原样用。", lambda p: p - p.min()),
    _position("minus-first", "位置减去了第一个", "位置由参数给出，照原样用。", lambda p: p - p[0]),
    _position("all-zero", "每一行都成了位置 0", "位置用上了吗？", lambda p: 0 * p),
    _position("all-last", "每一行都成了最后一个位置", "下标选的是一段还是一行？", lambda p: p[-1] + 0 * p),
    _position(
        "position-float16",
        "位置存成了 float16，大的整数分不开",
        "float16 只有 11 位有效数字，2048 以上的整数就不全了；位置留在整数或 float64 里。",
        lambda p: _keep_bits(p, 11),
        "06 位置先丢",
    ),
    _position(
        "position-bfloat16",
        "位置存成了 bfloat16，大的整数分不开",
        "bfloat16 只有 8 位有效数字，256 以上的整数就不全了；位置留在整数或 float64 里。",
        lambda p: _keep_bits(p, 8),
        "06 位置先丢",
    ),
    _position(
        "position-float32",
        "位置存成了 float32，大的整数分不开",
        "float32 只有 24 位有效数字；位置留在整数或 float64 里。",
        lambda p: _keep_bits(p, 24),
        "06 位置先丢",
    ),
    _position("position-int8", "位置存成了 8 位整数，溢出了", _BIGGER, _wrap(8, 128)),
    _position("position-uint8", "位置存成了 8 位无符号整数，溢出了", _BIGGER, _wrap(8, 0)),
    _position("position-int16", "位置存成了 16 位整数，溢出了", _BIGGER, _wrap(16, 2**15)),
]


# ------------------------------------------------------------------ 布局

_NEIGHBOURS = "正弦放偶数列，余弦放奇数列：用 0::2 和 1::2，或者想好 reshape 之前哪个轴走得最快。"
_WHICH = "把位置 0 代进公式：sin 0 = 0，cos 0 = 1，第一行应是什么样子？"


def _by_parity(even: int, odd: int) -> Callable[..., Any]:
    return lambda k, j, n, d: (k, np.where(j % 2, odd, even), j)


def _by_half(left: int, right: int) -> Callable[..., Any]:
    return lambda k, j, n, d: (
        k,
        np.where(j < d // 2, left, right),
        2 * (j % (d // 2)) + np.where(j < d // 2, left % 2, right % 2),
    )


def _transposed_first(k: Any, j: Any, n: int, d: int) -> tuple[Any, Any, Any]:
    col, row = np.divmod(k * d + j, n)
    return row, col % 2, col


def _stacked_last(k: Any, j: Any, n: int, d: int) -> tuple[Any, Any, Any]:
    i, rest = np.divmod(k * d + j, 2 * n)
    row, odd = np.divmod(rest, 2)
    return row, odd, 2 * i + odd


def _stacked_first(k: Any, j: Any, n: int, d: int) -> tuple[Any, Any, Any]:
    block, rest = np.divmod(k * d + j, n * (d // 2))
    row, i = np.divmod(rest, d // 2)
    return row, block, 2 * i + block


def _layout(code: str, name: str, hint: str, formula: Callable[..., Any], lesson: str = "03 一次广播") -> Mistake:
    why = "先写出 d_model = 4 时位置 0 的四个数，再看你的第一行：哪一列放错了，为什么会放到那里？"
    return Mistake(code, name, hint, "layout", formula, why, lesson)


LAYOUTS = [
    _layout("swapped", "正弦、余弦对调了", _WHICH, _by_parity(COS, SIN)),
    _layout("halves", "成了分半布局：先全部正弦，再全部余弦", _NEIGHBOURS, _by_half(SIN, COS), "10 三种布局"),
    _layout("halves-cosine-first", "成了分半布局，而且余弦在前", _NEIGHBOURS, _by_half(COS, SIN), "10 三种布局"),
    _layout("all-sine", "奇数列也成了正弦", _WHICH, _by_parity(SIN, SIN)),
    _layout("all-cosine", "偶数列也成了余弦", _WHICH, _by_parity(COS, COS)),
    _layout("cosine-negated", "余弦变了号", "余弦前面多了一个负号吗？", _by_parity(SIN, MINUS_COS)),
    _layout("both-negated", "全部变了号", "多了一个负号吗？", _by_parity(MINUS_SIN, MINUS_COS)),
    _layout("odd-unwritten", "奇数列没有写，还是 0", "余弦放到奇数列了吗？", _by_parity(SIN, ZERO)),
    _layout("even-unwritten", "偶数列没有写，还是 0", "正弦放到偶数列了吗？", _by_parity(ZERO, COS)),
    _layout(
        "columns-reversed",
        "列的次序整个反了",
        "第 0 列应当变得最快。",
        lambda k, j, n, d: (k, (d - 1 - j) % 2, d - 1 - j),
    ),
    _layout(
        "tiled",
        "角频率重复的方式不对：应当每个连着用两次，却整串用了两遍",
        "np.tile 把整串重复，np.repeat 把每个数重复。",
        lambda k, j, n, d: (k, j % 2, j % (d // 2) * 2 + j % 2),
    ),
    _layout(
        "half-sine-paired",
        "前一半的列用了正弦，后一半用了余弦，角频率却两列一换",
        _NEIGHBOURS,
        lambda k, j, n, d: (k, np.where(j >= d // 2, COS, SIN), j),
    ),
    _layout(
        "stacked-first",
        "行之间串了：正弦、余弦叠成了最前面的轴",
        "stack 的 axis 放在哪里，reshape 才不会跨行？",
        _stacked_first,
    ),
    _layout("transposed-first", "行之间串了：转置之后才 reshape", "reshape 之前，位置应是第 0 轴。", _transposed_first),
    _layout("stacked-last", "行之间串了：叠好之后，位置不在第 0 轴", "reshape 之前，位置应是第 0 轴。", _stacked_last),
    _layout("tangent", "用了 tan", "一对里是正弦和余弦。", _by_parity(SIN, TAN)),
]
RIGHT_LAYOUT = _by_parity(SIN, COS)
RIGHT_ANGLE = _power(lambda i, j, d: 2 * i / d)

MISTAKES: dict[str, Mistake] = {m.code: m for m in [*ANGLES, *BASES, *POSITIONS, *LAYOUTS]}


# ------------------------------------------------------------------ 照样再犯一遍


def commit(
    mistakes: Mistake | str | Sequence[Mistake | str], positions: ArrayLike, d_model: int, base: float = 10000.0
) -> NDArray[np.float64]:
    """照样犯一种或几种错，返回错的编码表。

    Parameters
    ----------
    mistakes : Mistake, str, or sequence of them
        错，或者它的代号；位置、底数、角度、布局各至多一种。空的就是没有错。
    positions : array_like, shape (n,)
        应有的位置。
    d_model : int
        维度，正偶数。
    base : float, default: 10000.0
        应有的底数。

    Returns
    -------
    numpy.ndarray, shape (n, d_model), float64
        照错的写法算出的表；算不出来的地方是 NaN。

    Raises
    ------
    TypeError
        ``mistakes`` 不是错、代号或一串这样的东西；其余参数不是数。
    ValueError
        没有这个代号；位置不是一维的；``d_model`` 不是正偶数，或 ``base`` 不大于 1。

    Examples
    --------
    >>> commit("swapped", [0, 1], 2).round(4)
    array([[1.    , 0.    ],
           [0.5403, 0.8415]])
    """
    chosen = _chosen(mistakes)
    where = _check_positions("positions", positions)
    if where.ndim != 1:
        raise ValueError(f"positions 必须是一维的，收到形状 {where.shape}；请先用 ravel 摊平。")
    d_model, base, n = _check_d_model(d_model), _check_base(base), len(where)
    by = {"angle" if m.where == "precision" else m.where: m.formula for m in chosen}
    k, j = _new((2, n, d_model), np.int64)
    k[:], j[:] = np.arange(n)[:, None], np.arange(d_model)
    with np.errstate(all="ignore"):
        moved = by.get("position", lambda p: p)(where) if n else where
        row, function, col = by.get("layout", RIGHT_LAYOUT)(k, j, n, d_model)
        b = by.get("base", lambda b: b)(base)
        angle = by.get("angle", RIGHT_ANGLE)(moved[row], col // 2, col, d_model, b)
        return np.choose(function, [f(np.broadcast_to(angle, function.shape)) for f in FUNCTIONS])


def _chosen(mistakes: object) -> list[Mistake]:
    """错，代号，或者一串这样的东西，都变成一串错。"""
    given = [mistakes] if isinstance(mistakes, Mistake | str) else mistakes
    if isinstance(given, np.ndarray) and given.ndim == 1:
        given = given.tolist()
    if not isinstance(given, list | tuple) or not all(isinstance(m, Mistake | str) for m in given):
        raise TypeError(f'mistakes 必须是错的代号或一串代号，收到 {_show(mistakes)}；例如 "own-exponent"。')
    unknown = [m for m in given if isinstance(m, str) and m not in MISTAKES]
    if unknown:
        raise ValueError(f'mistakes 必须是 MISTAKES 里的代号，收到 {_show(unknown[0])}；例如 "own-exponent"。')
    return [MISTAKES[m] if isinstance(m, str) else m for m in given]
