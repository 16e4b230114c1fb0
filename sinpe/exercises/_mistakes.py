"""编码表：照样犯一遍常见的错，看是哪一种。"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._expected import _row
from ._trial import _close, _Diagnosis, _number, _Seen, _show


class _Rule(NamedTuple):
    """角度的一种算法。angle(pos, i, col, d, b)：col 是交错布局里的列号，2i 或 2i + 1。"""

    name: str
    hint: str
    angle: Callable[[float, int, int, int, float], float]
    cost: float = 1
    atol: float = 0.0


class _Change(NamedTuple):
    """位置或布局的一种改动。"""

    name: str
    hint: str
    change: Callable[..., Any]


def _keep_bits(x: float, bits: int) -> float:
    """只留 bits 位二进制有效数字：24 是 float32，11 是 float16，8 是 bfloat16。"""
    if bits == 11 and abs(x) >= 65520:  # float16 放不下
        return math.copysign(math.inf, x)
    mantissa, exponent = math.frexp(x)
    return math.ldexp(round(math.ldexp(mantissa, bits)), exponent - bits)


def _power(exponent: Callable[[int, int, int], float]) -> Callable[[float, int, int, int, float], float]:
    return lambda p, i, col, d, b: p * b ** -exponent(i, col, d)


_PAIR = "第 2i 列和第 2i+1 列共用第 i 个角频率：先算出 d_model/2 个角度，再分给正弦和余弦。"
_TWICE = "编号若走的是 0、2、4、…，它就已经是 2i 了；从“第几对”重新数一遍。"
_ENDS = "把 i = 0 和 i = d_model/2 - 1 代进公式，指数各应是多少？"

# 角频率是 base**(-指数)：（名字，提示，指数）
_LADDERS = [
    ("指数加倍，2 乘了两遍（底数写成了它的平方，例如一亿，结果也一样）", _TWICE, lambda i, col, d: 4 * i / d),
    ("指数加倍，余弦还用了自己的指数：编号数的是列，又乘了一次 2", _TWICE + _PAIR, lambda i, col, d: 2 * col / d),
    ("余弦用了自己的指数（第几列就用几）", _PAIR, lambda i, col, d: col / d),
    ("余弦用了自己的指数（用了下一对的）", _PAIR, lambda i, col, d: (2 * i + 2 * (col % 2)) / d),
    ("余弦用了自己的指数（正弦加倍，余弦用了再下一列的）", _PAIR, lambda i, col, d: (4 * i + col % 2) / d),
    ("指数写成了 i/(d/2-1)，两头都取到", _ENDS, lambda i, col, d: 2 * i / (d - 2)),
    ("指数的分母少了 1，写成了 d_model - 1", _ENDS, lambda i, col, d: 2 * i / (d - 1)),
    ("指数的分母多了 1", _ENDS, lambda i, col, d: 2 * i / (d + 1)),
    ("指数的分母多了 2", _ENDS, lambda i, col, d: 2 * i / (d + 2)),
    ("编号从 1 数起，角频率整体挪了一格", _ENDS, lambda i, col, d: 2 * (i + 1) / d),
    ("指数差了一列，写成了 (2i+1)/d", _ENDS, lambda i, col, d: (2 * i + 1) / d),
    ("指数少乘了 2，写成了 i/d（底数写成了它的平方根，例如 100，结果也一样）", _ENDS, lambda i, col, d: i / d),
    ("角频率的次序反了", "第 0 对应当最快，角频率是 1。", lambda i, col, d: (d - 2 - 2 * i) / d),
    ("角频率的次序反了", "第 0 对应当最快，角频率是 1。", lambda i, col, d: (d - 2 * i) / d),
    ("每一对的角频率都是 1，像是指数里作了整数除法", "/ 与 // 不同；再看中间有没有转成整数。", lambda i, col, d: 0),
    ("每一对的角频率都一样，用的都是最后一对的", "下标 i 用上了吗？", lambda i, col, d: (d - 2) / d),
    ("指数忘了除以 d_model", _ENDS, lambda i, col, d: 2 * i),
    ("指数忘了除以 d_model，也没有乘 2", _ENDS, lambda i, col, d: i),
    ("乘除颠倒了，pos/div_term 该乘的除了，或该除的乘了", "角频率应从 1 起越来越小。", lambda i, col, d: -2 * i / d),
    ("乘除颠倒了，指数还加了倍", _TWICE + "角频率应从 1 起越来越小。", lambda i, col, d: -4 * i / d),
    ("乘除颠倒了，余弦还用了自己的指数", _PAIR + "角频率应从 1 起越来越小。", lambda i, col, d: -col / d),
]
_DEGREES = "np.sin 和 math.sin 只认弧度；公式里的角度本来就是弧度，不用换算。"
_SLASH = "/ 与 // 不同；再看角度在变成正弦之前，有没有转成整数。"
_ORDER = "** 先算，* 和 / 从左往右；给整个指数加上括号。"
_SPECIAL = [
    ("所有的角度都是 0，像是作了整数除法", _SLASH, lambda p, i, col, d, b: 0.0),
    ("作了整数除法，角度丢了小数", _SLASH, lambda p, i, col, d, b: p // b ** (2 * i / d)),
    ("作了整数除法，除数也取了整", _SLASH, lambda p, i, col, d, b: p // math.trunc(b ** (2 * i / d))),
    ("指数取了整", _SLASH, lambda p, i, col, d, b: p * math.exp(math.trunc(-2 * i / d * math.log(b)))),
    ("指数取了整", _SLASH, lambda p, i, col, d, b: p * math.exp(-2 * i * math.log(b) // d)),
    (
        "乘方套住了 pos/base，余弦还用了自己的指数：(pos/base)**(2j/d)",
        "乘方只管底数，不管 pos。" + _PAIR,
        lambda p, i, col, d, b: (p / b) ** (2 * col / d),
    ),
    ("角度取了整", _SLASH, lambda p, i, col, d, b: float(round(p / b ** (2 * i / d)))),
    ("角度取了整", _SLASH, lambda p, i, col, d, b: float(math.trunc(p / b ** (2 * i / d)))),
    ("角频率取了整", _SLASH, lambda p, i, col, d, b: p * math.trunc(b ** (-2 * i / d))),
    ("除数取了整", _SLASH, lambda p, i, col, d, b: p / math.trunc(b ** (2 * i / d))),
    ("除数取了整", _SLASH, lambda p, i, col, d, b: p / round(b ** (2 * i / d))),
    (
        "乘方套住了 pos/base：(pos/base)**(2i/d)",
        "乘方只管底数，不管 pos。",
        lambda p, i, col, d, b: (p / b) ** (2 * i / d),
    ),
    ("乘方套住了 pos", "乘方只管底数，不管 pos。", lambda p, i, col, d, b: (p * b) ** (-2 * i / d)),
    ("乘方套住了 pos", "乘方只管底数，不管 pos。", lambda p, i, col, d, b: p ** (2 * i / d) / b),
    ("指数没有加括号，先除以了 base 的平方", _ORDER, lambda p, i, col, d, b: p / b**2 * i / d),
    ("指数没有加括号，d_model 除在了外面", _ORDER, lambda p, i, col, d, b: p / b ** (2 * i) / d),
    ("指数没有加括号，d_model 乘在了外面", _ORDER, lambda p, i, col, d, b: p / (b ** (2 * i) / d)),
    ("指数没有加括号，乘在了外面", _ORDER, lambda p, i, col, d, b: p / (b**2 * i / d)),
    *(
        (
            f"角频率只留了 {digits} 位小数",
            "角频率不要四舍五入：位置会把误差放大。",
            lambda p, i, col, d, b, digits=digits: p * round(b ** (-2 * i / d), digits),
        )
        for digits in (1, 2, 3, 4, 5, 6)
    ),
    (
        "角频率成了等差的，应当等比",
        "相邻两个角频率之比相同，不是之差。",
        lambda p, i, col, d, b: p * (1 - (1 - 1 / b) * i / (d // 2 - 1)),
    ),
    ("把乘方写成了乘法", "** 是乘方，* 是乘法。", lambda p, i, col, d, b: p / (b * 2 * i / d)),
    ("把乘方写成了乘法", "** 是乘方，* 是乘法。", lambda p, i, col, d, b: p * (b * -2 * i / d)),
    (
        "角频率成了等差的，应当等比",
        "相邻两个角频率之比相同，不是之差。",
        lambda p, i, col, d, b: p * (1 - (1 - 1 / b) * 2 * i / d),
    ),
    ("角频率成了等差的，应当等比", "相邻两个角频率之比相同，不是之差。", lambda p, i, col, d, b: p * (1 - 2 * i / d)),
    (
        "自然对数写成了以 10 为底的对数",
        "exp 的反函数是 np.log，不是 np.log10。",
        lambda p, i, col, d, b: p * math.exp(-2 * i / d * math.log10(b)),
    ),
    (
        "自然对数写成了以 2 为底的对数",
        "exp 的反函数是 np.log，不是 np.log2。",
        lambda p, i, col, d, b: p * math.exp(-2 * i / d * math.log2(b)),
    ),
    (
        "exp 的括号放错了地方，只套住了编号",
        "底数的对数要和编号一起放进 exp。",
        lambda p, i, col, d, b: -p * math.exp(2 * i) * math.log(b) / d,
    ),
    (
        "exp 的括号放错了地方，只套住了编号",
        "底数的对数要和编号一起放进 exp。",
        lambda p, i, col, d, b: -p * math.exp(i) * math.log(b) / (d // 2 - 1),
    ),
    ("用的是波长，不是角频率", "波长是 2π 除以角频率。", lambda p, i, col, d, b: p * 2 * math.pi * b ** (2 * i / d)),
    ("除以了波长，少乘了 2π", "波长是 2π 除以角频率。", lambda p, i, col, d, b: p / (2 * math.pi * b ** (2 * i / d))),
    (
        "正弦里多乘了 2π",
        "公式里没有 2π：角频率本来就以弧度计。",
        lambda p, i, col, d, b: p * 2 * math.pi * b ** (-2 * i / d),
    ),
    ("正弦里多乘了 π", "公式里没有 π：角频率本来就以弧度计。", lambda p, i, col, d, b: p * math.pi * b ** (-2 * i / d)),
    ("角度当成度，换成了弧度", _DEGREES, lambda p, i, col, d, b: math.radians(p * b ** (-2 * i / d))),
    ("弧度换成了度", _DEGREES, lambda p, i, col, d, b: math.degrees(p * b ** (-2 * i / d))),
    *(
        (f"位置多乘了 {factor:g}", "公式里没有这个倍数。", lambda p, i, col, d, b, f=factor: f * p * b ** (-2 * i / d))
        for factor in (1000.0, 100.0, 10.0, 2.0, 0.5, 0.1, 0.01, 0.001)
    ),
    ("位置没有乘进去，只有角频率", "每一行都应不同。", lambda p, i, col, d, b: b ** (-2 * i / d)),
    ("角频率与位置相加了，应当相乘", "角度 = 位置 × 角频率。", lambda p, i, col, d, b: p + b ** (-2 * i / d)),
    ("缺一个轴，第 i 列的位置成了 i", "位置要用 [:, None] 变成一列。", lambda p, i, col, d, b: i * b ** (-2 * i / d)),
    (
        "行和列颠倒了：位置和编号换了角色",
        "哪一个轴是位置，哪一个轴是列？",
        lambda p, i, col, d, b: i * b ** (-2 * p / d),
    ),
]
_BASES = [10000.0, 1000.0, 100.0, 1e5, 1e6, 1e8, 10.0, 2.0, 500000.0, 20000.0, 512.0, 1024.0, 9999.0, 10001.0, math.e]
_BASE = "论文的底数是 10000；有 base 这个参数时，要用参数的值。"
_LOW = "位置和角频率先以 float64 相乘，取过正弦、余弦之后再换成低精度。"


def _based(b0: float) -> Callable[[float, int, int, int, float], float]:
    return lambda p, i, col, d, b: p * b0 ** (-2 * i / d)


def _rules() -> list[_Rule]:
    """角度的各种算法，从最像的到最不像的；第一个是对的。"""
    rules = [_Rule("", "", _power(lambda i, col, d: 2 * i / d), 0)]
    rules += [_Rule(name, hint, _power(exponent)) for name, hint, exponent in _LADDERS]
    rules += [_Rule(*special) for special in _SPECIAL]
    for base in _BASES:
        name = f"底数不对，用的是 {base:g}"
        rules.append(_Rule(name, _BASE, _based(base), 1.2))
    for bits, kind in ((11, "float16"), (8, "bfloat16")):
        for what, angle in (
            ("角频率", lambda p, w, keep: p * keep(w)),
            ("角度", lambda p, w, keep: keep(p * w)),
            ("位置、角频率和角度", lambda p, w, keep: keep(keep(p) * keep(w))),
        ):
            keep = functools.partial(_keep_bits, bits=bits)
            rule = functools.partial(lambda p, i, col, d, b, f, keep: f(p, b ** (-2 * i / d), keep), f=angle, keep=keep)
            rules.append(_Rule(f"{what}存成了 {kind}", _LOW, rule, 1.5, 2.0**-9))
    for (name, hint, exponent), base in itertools.product(_LADDERS, (10000.0, 1000.0, 100.0, 1e5, 1e6)):

        def angle(p, i, col, d, b, exponent=exponent, base=base):
            return p * base ** -exponent(i, col, d)

        rules.append(_Rule(f"{name}；底数也不对，用的是 {base:g}", hint, angle, 2.2))
    return rules


def _from_the_end(positions: Sequence[float]) -> list[float]:
    rows = max(positions) + 1
    return [p if p >= 0 else p + rows for p in positions]


def _over_the_largest(positions: Sequence[float]) -> list[float]:
    largest = max(map(abs, positions)) or 1
    return [p / largest for p in positions]


# 位置的改动：由应有的位置得到错的位置
_SHIFTS = [
    _Change("", "", lambda ps: ps),
    _Change("位置从 1 数起", "第一个位置是 0。", lambda ps: [p + 1 for p in ps]),
    _Change("位置少了 1", "第一个位置是 0。", lambda ps: [p - 1 for p in ps]),
    _Change("正弦变了号，也就是位置的正负反了", "往哪边走是正？代一个数进去看。", lambda ps: [-p for p in ps]),
    _Change("位置的次序反了", "第一行应是哪个位置？", lambda ps: ps[::-1]),
    _Change("用了下标，没有用位置的值", "位置由参数给出，不一定是 0、1、2、…。", lambda ps: [*range(len(ps))]),
    _Change(
        "用了下标，没有用位置的值，还从 1 数起",
        "位置由参数给出，不一定是 0、1、2、…。",
        lambda ps: [*range(1, len(ps) + 1)],
    ),
    _Change("负的位置取了绝对值", "负的位置和正的位置，正弦的符号相反。", lambda ps: [abs(p) for p in ps]),
    _Change("负的位置成了 0", "负的位置也照公式算。", lambda ps: [max(p, 0) for p in ps]),
    _Change(
        "负的位置被当成了倒数第几行",
        "拿负数作 NumPy 的下标，取到的是末尾的行；负的位置要另外算。",
        _from_the_end,
    ),
    _Change("位置取了整", "位置可以是小数，不要转成整数。", lambda ps: [math.trunc(p) for p in ps]),
    _Change("位置取了整", "位置可以是小数，不要转成整数。", lambda ps: [math.floor(p) for p in ps]),
    _Change("位置取了整", "位置可以是小数，不要转成整数。", lambda ps: [round(p) for p in ps]),
    _Change("位置除以了长度", "公式里没有长度。", lambda ps: [p / len(ps) for p in ps]),
    _Change("位置除以了长度减 1", "公式里没有长度。", lambda ps: [p / max(len(ps) - 1, 1) for p in ps]),
    _Change("位置除以了最大的位置", "公式里没有长度。", _over_the_largest),
    _Change("位置减去了最小的一个", "位置由参数给出，照原样用。", lambda ps: [p - q for q in [min(ps)] for p in ps]),
    _Change("位置减去了第一个", "位置由参数给出，照原样用。", lambda ps: [p - ps[0] for p in ps]),
    _Change("每一行都成了位置 0", "位置用上了吗？", lambda ps: [0 for _ in ps]),
    _Change("每一行都成了同一个位置", "下标选的是一段还是一行？", lambda ps: [ps[-1] for _ in ps]),
    _Change(
        "位置存成了 float16，大的整数分不开",
        "float16 只有 11 位有效数字，2048 以上的整数就不全了；位置留在整数或 float64 里。",
        lambda ps: [_keep_bits(p, 11) for p in ps],
    ),
    _Change(
        "位置存成了 bfloat16，大的整数分不开",
        "bfloat16 只有 8 位有效数字，256 以上的整数就不全了；位置留在整数或 float64 里。",
        lambda ps: [_keep_bits(p, 8) for p in ps],
    ),
    _Change(
        "位置存成了 float32，大的整数分不开",
        "float32 只有 24 位有效数字；位置留在整数或 float64 里。",
        lambda ps: [_keep_bits(p, 24) for p in ps],
    ),
    _Change(
        "位置存成了 8 位整数，溢出了",
        "换一种放得下的整数。",
        lambda ps: [(math.trunc(p) + 128) % 256 - 128 for p in ps],
    ),
    _Change("位置存成了 8 位整数，溢出了", "换一种放得下的整数。", lambda ps: [math.trunc(p) % 256 for p in ps]),
    _Change(
        "位置存成了 16 位整数，溢出了",
        "换一种放得下的整数。",
        lambda ps: [(math.trunc(p) + 2**15) % 2**16 - 2**15 for p in ps],
    ),
]


def _minus_sin(x: float) -> float:
    return -math.sin(x)


def _minus_cos(x: float) -> float:
    return -math.cos(x)


def _zero(x: float) -> float:
    return 0.0


def _alternate(even: Callable[[float], float], odd: Callable[[float], float]) -> Callable[..., Any]:
    return lambda k, j, n, d: (k, (even, odd)[j % 2], j)


def _halves(left: Callable[[float], float], right: Callable[[float], float]) -> Callable[..., Any]:
    return lambda k, j, n, d: (k, left, 2 * j) if j < d // 2 else (k, right, 2 * j - d + 1)


def _transposed_first(k: int, j: int, n: int, d: int) -> tuple[int, Callable[[float], float], int]:
    col, row = divmod(k * d + j, n)
    return row, (math.sin, math.cos)[col % 2], col


def _stacked_last(k: int, j: int, n: int, d: int) -> tuple[int, Callable[[float], float], int]:
    i, rest = divmod(k * d + j, 2 * n)
    row, odd = divmod(rest, 2)
    return row, (math.sin, math.cos)[odd], 2 * i + odd


def _stacked_first(k: int, j: int, n: int, d: int) -> tuple[int, Callable[[float], float], int]:
    block, rest = divmod(k * d + j, n * (d // 2))
    row, i = divmod(rest, d // 2)
    return row, (math.sin, math.cos)[block], 2 * i + block


_NEIGHBOURS = "正弦放偶数列，余弦放奇数列：用 0::2 和 1::2，或者想好 reshape 之前哪个轴走得最快。"
_WHICH = "把位置 0 代进公式：sin 0 = 0，cos 0 = 1，第一行应是什么样子？"
# 布局的改动：第 k 行第 j 列放的是（哪一行，哪个函数，交错布局里的哪一列）
_LAYOUTS = [
    _Change("", "", _alternate(math.sin, math.cos)),
    _Change("正弦、余弦对调了", _WHICH, lambda k, j, n, d: (k, (math.cos, math.sin)[j % 2], j)),
    _Change("成了分半布局：先全部正弦，再全部余弦", _NEIGHBOURS, _halves(math.sin, math.cos)),
    _Change(
        "成了分半布局，而且余弦在前",
        _NEIGHBOURS,
        lambda k, j, n, d: (k, math.cos, 2 * j + 1) if j < d // 2 else (k, math.sin, 2 * j - d),
    ),
    _Change("奇数列也成了正弦", _WHICH, _alternate(math.sin, math.sin)),
    _Change("偶数列也成了余弦", _WHICH, _alternate(math.cos, math.cos)),
    _Change("正弦变了号，也就是位置的正负反了", "角度前面多了一个负号吗？", _alternate(_minus_sin, math.cos)),
    _Change("余弦变了号", "余弦前面多了一个负号吗？", _alternate(math.sin, _minus_cos)),
    _Change("全部变了号", "多了一个负号吗？", _alternate(_minus_sin, _minus_cos)),
    _Change("奇数列没有写，还是 0", "余弦放到奇数列了吗？", _alternate(math.sin, _zero)),
    _Change("偶数列没有写，还是 0", "正弦放到偶数列了吗？", _alternate(_zero, math.cos)),
    _Change(
        "列的次序整个反了", "第 0 列应当变得最快。", lambda k, j, n, d: (k, (math.cos, math.sin)[j % 2], d - 1 - j)
    ),
    _Change(
        "角频率重复的方式不对：应当每个连着用两次，却整串用了两遍",
        "np.tile 把整串重复，np.repeat 把每个数重复。",
        lambda k, j, n, d: (k, (math.sin, math.cos)[j % 2], j % (d // 2) * 2 + j % 2),
    ),
    _Change(
        "前一半的列用了正弦，后一半用了余弦，角频率却两列一换",
        _NEIGHBOURS,
        lambda k, j, n, d: (k, (math.sin, math.cos)[j >= d // 2], j),
    ),
    _Change("行之间串了：正弦、余弦叠成了最前面的轴", "stack 的 axis 放在哪里，reshape 才不会跨行？", _stacked_first),
    _Change("行之间串了：转置之后才 reshape", "reshape 之前，位置应是第 0 轴。", _transposed_first),
    _Change("行之间串了：转置之后才 reshape", "reshape 之前，位置应是第 0 轴。", _stacked_last),
    _Change("用了 tan", "一对里是正弦和余弦。", _alternate(math.sin, math.tan)),
]


def _value(function: Callable[[float], float], angle: Callable[..., float], *args: Any) -> tuple[float, float]:
    """返回一个数和它的角度；算不出来（除以 0、溢出）就是 nan。"""
    try:
        theta = angle(*args)
        return function(theta), abs(theta)
    except (ArithmeticError, ValueError, TypeError):
        return math.nan, 0.0


def _cells(seen: list[_Seen], moves: list, layout: _Change, some: Callable[[int], Iterable[int]]) -> tuple[list, list]:
    """取结果里的一些数，各配上照样犯错时用的位置、函数和列号；偶数列的和奇数列的分开。"""
    cells: tuple[list, list] = ([], [])
    for s, moved in zip(seen, moves, strict=True):
        positions, d, base = s.trial.table
        n, table = len(positions), s.array.reshape(-1, d)
        floor = 2.0**-10 if s.value.dtype == np.float16 else 2e-6
        for k, j in itertools.product(some(n), some(d)):
            if not table[k].any():  # 整行是 0：没有写的一行，另外说，不妨碍认出别的错
                continue
            row, function, col = layout.change(k, j, n, d)
            cells[col % 2].append((function, (moved[row], col // 2, col, d, base), float(table[k, j]), floor))
    return cells


def _fits(rule: _Rule, cells: list) -> bool:
    """照这种算法，这些数是否都对得上；算不出来的（0/0），和角度大到什么都说明不了的，不作数。"""
    compared = skipped = 0
    for function, args, got, floor in cells:
        want, theta = _value(function, rule.angle, *args)
        atol = floor + rule.atol + 4e-7 * theta  # 读者的角度可能是 float32 的
        if want == want and atol < 0.1:
            if not abs(got - want) <= atol:
                return False
            compared += 1
        skipped += want != want
    return compared > 2 * skipped


def _few(n: int) -> Iterable[int]:
    return range(n) if n <= 4 else (1, 2, 3, n - 1)


def _many(n: int) -> Iterable[int]:
    """长的轴只看两头和中间，够认错用了。"""
    return range(n) if n <= 24 else sorted({*range(10), *range(n // 2 - 3, n // 2 + 3), *range(n - 6, n)})


def _bases_in(seen: list[_Seen]) -> Iterable[float]:
    """由相邻两行之间转过的角读出底数，所以从哪里数起都行；第 1 对在第 2、3 列，分半布局则在第 1、d/2+1 列。"""
    for s in seen:
        positions, d, _ = s.trial.table
        rows = s.array.reshape(-1, d)
        if d >= 4 and len(rows) > 1 and abs(positions[1] - positions[0]) == 1:
            before, after = rows[:2]
        elif d >= 4 and positions[0] == 1:
            before, after = (
                np.array([0, 1] * (d // 2) if rows[0, 3] > 0.5 else [0] * (d // 2) + [1] * (d // 2)),
                rows[0],
            )
        else:
            continue
        for sine, cosine in ((2, 3), (1, d // 2 + 1)):
            turn = complex(after[cosine], after[sine]) * complex(before[cosine], -before[sine])
            omega = abs(math.atan2(turn.imag, turn.real))
            if 0 < omega < 1 and -d / 2 * math.log(omega) < 50:
                yield float(f"{omega ** (-d / 2):.5g}")
        return


def _rows(seen: _Seen) -> Any:
    return seen.array.reshape(-1, seen.trial.table[1])


def _empty_row(position: float) -> _Diagnosis:
    said = f"位置 {_show(position)} 的一行全是 0：没有写，或者当成了填充"
    return _Diagnosis(said, "每个位置都有编码；位置 0 的一行是 0、1 交替。")


def _search(seen: list[_Seen]) -> _Diagnosis | None:
    """在布局、位置、角度三方面的错里，找改动最少而与全部结果相符的一种。"""
    seen = [s for s in seen if s.array is not None and s.array.size and s.trial.table]
    if not seen:
        return None
    best: tuple[float, list[tuple[str, str]]] = (3.5, [])
    rules = _rules() + [_Rule(f"底数不对，像是 {b:.5g}", _BASE, _based(b), 1.3) for b in _bases_in(seen)]
    moves = [[shift.change(s.trial.table[0]) for s in seen] for shift in _SHIFTS]
    for (c, layout), (a, shift) in itertools.product(enumerate(_LAYOUTS), enumerate(_SHIFTS)):
        cost = (a > 0) + (c > 0) + 0.001 * (a + c)
        if cost >= best[0]:
            continue
        cheap = [rule for rule in rules if cost + rule.cost < best[0]]
        found = [[rule for rule in cheap if _fits(rule, half)] for half in _cells(seen, moves[a], layout, _few)]
        if not all(found):
            continue
        halves = _cells(seen, moves[a], layout, _many)
        found = [[rule for rule in some if _fits(rule, half)] for some, half in zip(found, halves, strict=True)]
        if not all(found):
            continue
        parts = [(change.name, change.hint) for change in (layout, shift) if change.name]
        both = [rule for rule in found[0] if rule in found[1]]
        if both:
            rule = min(both, key=lambda rule: rule.cost)
            parts += [(rule.name, rule.hint)] if rule.name else []
            total = cost + rule.cost
        else:
            sine, cosine = found[0][0], found[1][0]
            words = [rule.name or "对" for rule in (sine, cosine)]
            parts.append((f"一对里的两列没有共用角度（偶数列：{words[0]}；奇数列：{words[1]}）", _PAIR))
            total = cost + max(1.1, sine.cost + cosine.cost)
        if total < best[0]:
            best = (total, parts)
    parts = best[1]
    empty = [p for s in seen for p, row in zip(s.trial.table[0], _rows(s), strict=True) if not row.any()]
    if empty and best[0] < 3.5 and not any("还是 0" in name for name, _ in parts):
        parts = [*parts, _empty_row(empty[0])]
    if not parts:
        return None
    return _Diagnosis("；".join(name for name, _ in parts), "".join(dict.fromkeys(hint for _, hint in parts)))


_INTEGERS = [(600, "bfloat16"), (4200, "float16"), (2.0**15, "16 位的类型"), (2.0**26, "float32")]
# 结果舍入到它，误差至多多大；角度舍入到它，误差至多是位置的多少倍
_PRECISIONS = [
    ("float32", 2.0**-24, 2.0**-22),
    ("float16", 2.0**-11, 2.0**-9),
    ("bfloat16", 2.0**-8, 2.0**-6),
]


def _places(got: Any, right: Any) -> list[int]:
    """got 的每一行是 right 的第几行；找不到的是 -1。"""
    same = np.abs(got[:, None] - right).max(axis=-1) < 1e-5
    return np.where(same.any(axis=1), same.argmax(axis=1), -1).tolist()


def _grows_no_faster(seen: list[_Seen], per_step: float) -> bool:
    """低精度的角度，误差与位置成正比：误差是否都不超过位置的 per_step 倍。太大的位置什么都说明不了，不算。"""
    telling = False
    for s in seen:
        positions, d, _ = s.trial.table
        error = np.abs(s.array - s.trial.expected).reshape(-1, d)
        limit = per_step * np.maximum(np.abs(np.array(positions, np.float64)), 1)[:, None]
        if (error > limit)[np.broadcast_to(limit < 0.5, error.shape)].any():
            return False
        telling |= bool(
            (
                (limit < 0.5)
                & (error > np.reshape(s.trial.atol, (-1, 1) if np.ndim(s.trial.atol) == 0 else error.shape))
            ).any()
        )
    return telling


def _observe(seen: list[_Seen]) -> _Diagnosis | None:
    """照样犯错也对不上时，靠不变量说出看得见的毛病。"""
    wrong = [s for s in seen if s.complaint and not s.diagnosis and s.array.size and s.trial.table]
    if wrong and max(np.mean(np.abs(s.array - s.trial.expected) > s.trial.atol) for s in wrong) > 0.2:
        scales = [float((s.array * s.trial.expected).sum() / (s.trial.expected**2).sum()) for s in wrong]
        if abs(scales[0] - 1) > 1e-5 and all(
            np.allclose(s.array, scales[0] * s.trial.expected, atol=max(1e-6, np.max(s.trial.atol))) for s in wrong
        ):
            return _Diagnosis(f"整张表乘了 {_number(scales[0], 1)}", "公式里没有这个倍数。")
        offset = float((wrong[0].array - wrong[0].trial.expected).flat[0])
        if abs(offset) > 1e-5 and all(_close(s.array, s.trial.expected + offset) for s in wrong):
            return _Diagnosis(f"每个数都多了 {_number(offset)}", "公式里没有这个常数。")
        for name, rounding, per_step in _PRECISIONS:
            if max(np.abs(s.array - s.trial.expected).max() for s in wrong) <= rounding:
                said = f"结果的精度不够：像是先存成了 {name}，再换成别的类型"
                return _Diagnosis(said, "结果一直留在 float64 里，最后才换一次类型。")
            if _grows_no_faster(wrong, per_step):
                return _Diagnosis(f"公式对，精度不够，误差随位置增大：像是角度用 {name} 算的", _LOW)
    for s in sorted(wrong, key=lambda s: (s.array.size > 4000, -s.array.size)):  # 太大的表留到最后，省时间
        positions, d, base = s.trial.table
        got = s.array.reshape(-1, d)
        right = np.array([_row(p, d, base) for p in positions])
        if np.isnan(got).any():
            return _Diagnosis("结果里有 nan", "找第一个出现 nan 的中间量：有没有 0/0，或者没有写进去的格子？")
        empty = ~got.any(axis=1)
        if empty.any() and not empty.all():
            return _empty_row(positions[int(np.argmax(empty))])
        if len(got) > 1 and not (got != got[0]).any():
            return _Diagnosis("每一行都一样", "位置用上了吗？下标选的是一段还是一行？")
        where = np.abs(np.array(positions, dtype=np.float64))
        error = np.abs(got - right).max(axis=1)
        below = np.array(positions, dtype=np.float64) < 0
        bad = (np.abs(got - right) > np.broadcast_to(s.trial.atol, s.trial.expected.shape).reshape(-1, d)).any(axis=1)
        if below.any() and not below.all() and (bad == below).all():
            said = f"只有负的位置不对，例如位置 {_show(positions[int(np.argmax(below))])}"
            return _Diagnosis(said, "负的位置也照公式算：正弦变号，余弦不变。")
        same = np.abs(np.diff(got, axis=0)).max(axis=1, initial=0) == 0
        if len(got) > 2 and same.any() and not (np.diff(positions) == 0).any():
            most, run = 0, 0
            for equal in same:
                run = run + 1 if equal else 0
                most = max(most, run)
            if most > 4 + where.max() / 2**7:  # 比 bfloat16 最宽的间隔还长
                said = f"位置 {_show(positions[int(np.argmax(same))])} 起，连着 {most + 1} 行一模一样：位置像是截断了"
                return _Diagnosis(said, "位置由参数给出，多大都照公式算。")
            kind = next((name for limit, name in _INTEGERS if where[1:][same].min() <= limit), "放不下它的类型")
            said = f"位置 {_show(positions[int(np.argmax(same))])} 与下一个位置的编码一模一样：位置像是存成了 {kind}"
            return _Diagnosis(said, "低精度的浮点数放不下大的整数；位置留在整数或 float64 里。")
        near = where <= 64
        if near.any() and not near.all() and error[near].max() < 2e-2 < 10 * error[~near].max():
            return _Diagnosis("小的位置都对，大的位置才错：像是中间用了低精度", _LOW)
        if got.size > 4000:
            continue
        order = _places(got.T, right.T)
        if -1 not in order and len(got) > 1 and order != [*range(d)]:
            j = next(j for j in range(d) if order[j] != j)
            return _Diagnosis(f"列的次序不对：第 {j} 列放的像是应有的第 {order[j]} 列", _NEIGHBOURS)
        rows = _places(got, right)
        if -1 not in rows and rows != [*range(len(got))]:
            k = next(k for k in range(len(got)) if rows[k] != k)
            return _Diagnosis(f"行的次序不对：第 {k} 行放的像是应有的第 {rows[k]} 行", "第 k 行是哪个位置？")
        if got.min() < -1.001 or got.max() > 1.001:
            return _Diagnosis("有的数超出了 [-1, 1]", "正弦、余弦不会超出 1；最后一步取过正弦、余弦吗？")
        circle = got[:, 0::2] ** 2 + got[:, 1::2] ** 2
        if np.abs(circle - 1).max() > 1e-3:
            k, i = (int(x) for x in np.argwhere(np.abs(circle - 1) > 1e-3)[0])
            said = f"位置 {positions[k]} 的第 {2 * i}、{2 * i + 1} 列，平方和是 {_number(circle[k, i])}，不是 1"
            return _Diagnosis("一对里的两列没有共用角度：" + said, _PAIR)
        if len(got) > 1 and positions[1] == positions[0] + 1:
            z = got[:2, 1::2] + 1j * got[:2, 0::2]
            read, omega = np.angle(z[1] / z[0]), [base ** (-2 * i / d) for i in range(d // 2)]
            odd = np.abs(read - omega) > 1e-4 + 4 * np.max(s.trial.atol)
            if not odd.any():
                continue
            i = int(np.argmax(odd))
            said = f"由前两行读出，第 {i} 对的角频率是 {_number(read[i])}，应为 {_number(omega[i])}"
            return _Diagnosis("角频率不对：" + said, _ENDS)
    return None


def _diagnose_by(*mistakes: tuple[str, str, Callable[..., Any]]) -> Callable[[list[_Seen]], _Diagnosis | None]:
    """由一串“名字、提示、错的算法”得到诊断：错的算法与全部结果相符，就是它。"""

    def diagnose(seen: list[_Seen]) -> _Diagnosis | None:
        for name, hint, wrong in mistakes:
            if _agrees(seen, wrong):
                return _Diagnosis(name, hint)
        return None

    return diagnose


def _agrees(seen: list[_Seen], wrong: Callable[..., Any]) -> bool:
    """错的算法与看得懂的结果处处相同，而且至少有一次真的是错的。"""
    telling = False
    for s in seen:
        if s.array is None:
            continue
        try:
            with np.errstate(all="ignore"):
                want = np.asarray(wrong(*s.trial.args, **s.trial.kwargs), dtype=np.float64)
        except (ArithmeticError, ValueError, TypeError, IndexError):
            continue  # 这一次没有可比的
        if want.size and np.isnan(want).all():
            continue
        if not _close(s.array, want):
            return False
        telling |= not _close(want, np.asarray(s.trial.expected))
    return telling
