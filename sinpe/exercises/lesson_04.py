"""第 04 课的练习。"""

from __future__ import annotations

import math

import numpy as np

from ._declare import coding, guessing, mistake, row

guessing(
    "4-1",
    asks="多几对，一个整数",
    right=8,
    reply="加长 10 倍，梯子上多走一个“10 倍”：48 对平分 6 个“10 倍”，一个里有 8 对。",
    misconceptions={
        "proportional": (
            lambda n: n >= 40,
            "你以为加长 10 倍，转满一圈的对也多 10 倍：波长是等比的，长度乘 10，只多走一级“10 倍”。",
        ),
        "columns-for-pairs": (16, "你数的像是列：96 列是 48 对，48 对平分 6 个“10 倍”。"),
        "default-base": (12, "那是底数 10000 的答案，跨度是 4 个“10 倍”；底数一百万的跨度是 6 个。"),
        "length-does-not-matter": (0, "你以为与长度无关：文本越长，越慢的对也转得满一圈。"),
    },
)

_ANGLE_FIRST = "位置 1 的角度就是角频率：由正弦、余弦求角度，用 np.arctan2(正弦, 余弦)。"
_ROOT = "从 ω₁ = b 的 -2/d 次方解出 b：两边取几次方？"


def _read(code, name, hint, formula):
    why = "拿底数 100、8 列的一行代进你的式子：第 1 对的角是 100 的 -1/4 次方，取几次方才得到 100，为什么？"
    return mistake(f"read-base/{code}", name, hint, formula, why, "04 换一个底数")


def _omega(row_, pair=1):
    return math.atan2(row_[2 * pair], row_[2 * pair + 1])


def _from(code, name, hint, formula):
    """由第 1 对的角和列数得到的数。"""
    return _read(code, name, hint, lambda r: formula(_omega(r), len(r)))


def _powers(code, name, hint, angle):
    """角读错了，次方是对的。"""
    return _read(code, name, hint, lambda r: np.float64(angle(r)) ** (-len(r) / 2))


_GIVEN = "np.array([0.8415, 0.5403, 0.0998, 0.9950])"  # 题目里的，只有四位小数


def _rows(*cases):
    return [f"np.array({row(1, d, b)})" for d, b in cases]


@coding(
    "4-2",
    cases=[
        _GIVEN,
        *_rows((4, 10000.0), (4, 100.0), (6, 10000.0), (8, 500.0), (10, 20.0), (6, math.e), (64, 1e8), (512, 10000.0)),
    ],
    random=lambda dice: _rows((2 * dice.randint(3, 16), dice.uniform(20, 90000))),
    golden={_GIVEN: 100.0},
    atol=lambda expected, row: 1.0 if row[0] == 0.8415 else 1e-9 * expected,
    returns="number",
    mistakes=[
        _from("power-d", "次方取成了 -d，多乘了 2（读出的是底数的平方）", _ROOT, lambda w, d: w**-d),
        _from("power-quarter", "次方取成了 -d/4（读出的是底数的平方根）", _ROOT, lambda w, d: w ** (-d / 4)),
        _from("power-sign", "次方少了负号（读出的是底数的倒数）", _ROOT, lambda w, d: w ** (d / 2)),
        _from("power-inverse", "次方颠倒了，取成了 -2/d", _ROOT, lambda w, d: w ** (-2 / d)),
        _from("power-inverse-sign", "次方颠倒了，取成了 2/d", _ROOT, lambda w, d: w ** (2 / d)),
        *(
            _from(
                f"power-fixed-{k}",
                f"次方写死成了 -{k}，只有 {2 * k} 列时才对",
                "列数从 len(row) 来。",
                lambda w, d, k=k: w**-k,
            )
            for k in (1, 2, 3, 4, 8, 32, 256)
        ),
        _from(
            "power-less", "次方差了一级，用了 d/2 - 1", "指数是 2i/d，不是 i/(d/2-1)。", lambda w, d: w ** -(d / 2 - 1)
        ),
        _from("power-more", "次方差了一级，用了 d/2 + 1", _ROOT, lambda w, d: w ** -(d / 2 + 1)),
        _from("power-columns", "次方取成了 -(d-1)/2", _ROOT, lambda w, d: w ** (-(d - 1) / 2)),
        _from("omega", "读出的是角频率，不是底数", _ROOT, lambda w, d: w),
        _from("inverse-omega", "读出的是角频率的倒数，不是底数", _ROOT, lambda w, d: 1 / w),
        _from("logarithm", "读出的是底数的对数，还差一步 exp", _ROOT, lambda w, d: -d / 2 * math.log(w)),
        _from(
            "log10",
            "对数用了 log10，还原却用了 exp",
            "exp 的反函数是 np.log，不是 np.log10。",
            lambda w, d: math.exp(-d / 2 * math.log10(w)),
        ),
        _from(
            "log-then-ten",
            "对数用了自然对数，还原却用了 10 的次方",
            "np.log 的反函数是 np.exp；10 的次方配 np.log10。",
            lambda w, d: 10 ** (-d / 2 * math.log(w)),
        ),
        _from(
            "log2",
            "对数用了 log2，还原却用了 exp",
            "exp 的反函数是 np.log。",
            lambda w, d: math.exp(-d / 2 * math.log2(w)),
        ),
        _from("rounded", "取了整", "底数不一定是整数。", lambda w, d: round(w ** (-d / 2))),
        _from("truncated", "截成了整数", "底数不一定是整数。", lambda w, d: int(w ** (-d / 2))),
        _from("wavelength", "读出的是波长，不是底数", _ROOT, lambda w, d: 2 * math.pi / w),
        _powers("degrees", "角度换算成了度", _ANGLE_FIRST, lambda r: math.degrees(_omega(r))),
        _powers("radians", "角度又换算成了弧度，可它本来就是弧度", _ANGLE_FIRST, lambda r: math.radians(_omega(r))),
        _powers("exchanged", "arctan2 的两个参数放反了", _ANGLE_FIRST, lambda r: math.atan2(r[3], r[2])),
        _powers("sine", "把正弦当成了角度", _ANGLE_FIRST, lambda r: r[2]),
        _powers("cosine", "把余弦当成了角度", _ANGLE_FIRST, lambda r: r[3]),
        _powers("tangent", "把正切当成了角度", _ANGLE_FIRST, lambda r: r[2] / r[3]),
        _powers("cotangent", "把余切当成了角度", _ANGLE_FIRST, lambda r: r[3] / r[2]),
        _powers("pair-zero", "用了第 0 对，它的角频率总是 1", "第几对的角频率与底数有关？", lambda r: _omega(r, 0)),
        _powers(
            "last-pair",
            "用了最后一对，次方却是第 1 对的",
            "哪一对的角频率是 b 的 -2/d 次方？",
            lambda r: _omega(r, len(r) // 2 - 1),
        ),
        _powers("mixed", "用了两对的角，取错了列", "第 1 对是第 2、3 列。", lambda r: math.atan2(r[1], r[2])),
        _powers(
            "halves",
            "取成了分半布局的列",
            "这一行是交错布局：第 1 对是第 2、3 列。",
            lambda r: math.atan2(r[1], r[len(r) // 2 + 1]),
        ),
        _read("always-10000", "总是 10000", "用上 row 了吗？", lambda r: 10000.0),
        _read("always-100", "总是 100", "用上 row 了吗？", lambda r: 100.0),
    ],
    tested="核对了 10 行，4 到 512 列，底数从 2.7 到一亿；第一行就是题目里的四个数。",
    note="底数的相对误差是角频率的 d/2 倍，所以列越多，越要用没有舍入的数来读。",
)
def read_base(row):
    """由位置 1 的一行编码读出底数。"""
    base = 1.0
    for _ in range(len(row) // 2):  # ω₁ 的 -d/2 次方：连除 d/2 次
        base /= math.atan2(row[2], row[3])
    return base


_SOLVE = "从 2π · b 的 (d-2)/d 次方 = L 解出 b：先除以 2π，再取几次方？"
_LAST = "最后一对的编号是 d/2 - 1，不是 d/2：它的指数是 (d-2)/d，到不了 1。"
_TURN = 2 * math.pi


def _long(code, name, hint, formula):
    why = "把你的底数代回最长的波长 2π·b^((d-2)/d)，得到的恰好是 L 吗？差的那一步在哪里，为什么？"
    return mistake(f"smallest-base/{code}", name, hint, formula, why, "04 最长的波长")


def _raised(code, name, hint, exponent, divided=lambda n: n / _TURN):
    return _long(code, name, hint, lambda n, d: divided(n) ** exponent(d))


def _right(d):
    return d / (d - 2)


@coding(
    "4-3",
    cases=[(5000, 64), (100, 4), (512, 8), (7, 6), (100000, 512), (64, 10), (5000, 4), (7, 64)],
    random=lambda dice: [(dice.randint(20, 9000), 2 * dice.randint(3, 60))],
    golden={(5000, 64): 987.1065},
    atol=lambda expected, n, d: 1e-4 if (n, d) == (5000, 64) else 1e-9 * expected,
    returns="number",
    mistakes=[
        _raised("no-power", "最长的波长当成了 2πb，指数差了一级", _LAST, lambda d: 1),
        _long("length", "最长的波长当成了 b，少了 2π，指数也差了一级", _LAST, lambda n, d: float(n)),
        _raised("power-less-one", "指数差了一级，用了 d/(d-1)", _LAST, lambda d: d / (d - 1)),
        _raised("power-less-four", "指数差了一级，用了 d/(d-4)", _LAST, lambda d: d / (d - 4) if d > 4 else math.nan),
        _raised("power-plus-two", "指数差了一级，用了 d/(d+2)", _LAST, lambda d: d / (d + 2)),
        _raised("power-over", "指数差了一级，用了 (d+2)/d", _LAST, lambda d: (d + 2) / d),
        _raised(
            "power-pairs",
            "指数差了一级，用了 (d/2)/(d/2-2)",
            _LAST,
            lambda d: d / 2 / (d / 2 - 2) if d > 4 else math.nan,
        ),
        _raised("power-inverse", "指数颠倒了，用了 (d-2)/d", _SOLVE, lambda d: (d - 2) / d),
        _raised("power-half", "指数用了 d/2", _SOLVE, lambda d: d / 2),
        _raised("power-minus-two", "指数用了 d - 2，忘了除", _SOLVE, lambda d: d - 2),
        _raised("power-d", "指数用了 d", _SOLVE, lambda d: float(d)),
        _raised(
            "power-unbracketed", "少了括号：d / d - 2 先算除法，指数成了 -1", "a / b - 2 先除后减。", lambda d: -1.0
        ),
        _raised("power-sign", "指数变了号", _SOLVE, lambda d: -_right(d)),
        _raised("power-floored", "指数里用了整数除法", "/ 与 // 不同。", lambda d: d // (d - 2)),
        _raised("no-two-pi", "少除了 2π：角频率和波长差一个 2π", _SOLVE, _right, float),
        _raised("pi-only", "只除了 π", _SOLVE, _right, lambda n: n / math.pi),
        _raised("multiplied", "乘了 2π，应当除", _SOLVE, _right, lambda n: n * _TURN),
        _raised(
            "unbracketed-pi",
            "少了括号：除以 2 之后又乘了 π",
            "a / 2 * np.pi 从左往右算。",
            _right,
            lambda n: n / 2 * math.pi,
        ),
        _long(
            "power-of-two-pi",
            "少了括号：次方只管到 2π",
            "给 L/(2π) 整个加上括号。",
            lambda n, d: n / _TURN ** _right(d),
        ),
        _long("divided-late", "次方取过之后才除以 2π", _SOLVE, lambda n, d: n ** _right(d) / _TURN),
        _raised("length-less", "用了 L - 1", "题目要的是波长不小于 L。", _right, lambda n: (n - 1) / _TURN),
        _raised("length-more", "用了 L + 1", "题目要的是波长不小于 L。", _right, lambda n: (n + 1) / _TURN),
        _long("ceiled", "往上取了整", "底数不必是整数。", lambda n, d: math.ceil((n / _TURN) ** _right(d))),
        _long("floored", "往下取了整", "底数不必是整数。", lambda n, d: math.floor((n / _TURN) ** _right(d))),
        _long("rounded", "四舍五入成了整数", "底数不必是整数。", lambda n, d: round((n / _TURN) ** _right(d))),
        _raised("fixed-width", "指数写死了，只有 64 维时才对", "维度从参数来。", lambda d: 64 / 62),
        _long("always-987", "总是 987，那是例子的答案", "两个参数用上了吗？", lambda n, d: 987.1065 if n else 0.0),
        _long("logarithm", "返回的是底数的对数，还差一步 exp", _SOLVE, lambda n, d: math.log(n / _TURN) * _right(d)),
        _raised("power-half-bracketed", "少了括号：d - 2 / d 先算除法", "a - 2 / b 先除后减。", lambda d: d - 2 / d),
        _long(
            "exchanged",
            "两个参数放反了：长度当成了维度",
            "先 seq_len，后 d_model。",
            lambda n, d: (d / _TURN) ** (n / (n - 2)),
        ),
        _long("longest-wave", "返回的是最长的波长，不是底数", _SOLVE, lambda n, d: _TURN * 10000 ** ((d - 2) / d)),
        _raised("degrees", "2π 当成了 360", "公式里的角度是弧度，一圈是 2π。", _right, lambda n: n / 360),
    ],
    tested="核对了 9 组长度和维度，4 维到 512 维；5000 个位置、64 维的那个数是另外算好的。",
    note="维度越大，指数 d/(d-2) 越接近 1，答案越接近 L/2π；维度小的时候差得很多。",
)
def smallest_base(seq_len, d_model):
    """返回最长波长不小于 ``seq_len`` 的最小底数。"""
    return math.exp(math.log(seq_len / (2 * math.pi)) * d_model / (d_model - 2))


guessing(
    "4-4",
    asks="一个数，相当于哪个底数，例如 5000 或 1e5",
    right=160_000,
    near=1e-9,
    reply="指数成了 4i/d，b 的 4i/d 次方就是 b² 的 2i/d 次方：底数 400 换成了它的平方。",
    misconceptions={
        "doubled-base": (800, "你以为指数加倍就是底数加倍：b 的 2x 次方是 b² 的 x 次方，不是 2b 的 x 次方。"),
        "halved-exponent": (20, "方向反了：指数多乘了 2，各对转得更慢，等于换了更大的底数。"),
        "nothing-changed": (400, "你以为 i 跳着取正好抵消：i 取 0、2、4 时已经是 2 乘对的编号，指数里又乘了一次 2。"),
    },
)
