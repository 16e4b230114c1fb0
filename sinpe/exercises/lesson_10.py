"""第 10 课的练习。"""

from __future__ import annotations

import math

import numpy as np

from ..mistakes import BASES
from ._declare import CLOSE, INTEGERS, coding, each_row, guessing, loose, mistake, row

_LAST = "最后一项应恰好是 1/base：i 最大是几？分母该是几？"
_FROM_ZERO = "第一个角频率是 1，所以 i 从 0 数起。"
_ONE_PAIR = "0/0 没有意义，要单独想：d_model = 2 时只有一个角频率，它该是几？"


def _ladder(
    code, name, hint, formula, why="d_model = 8 时把四个指数写出来：头一个是 0，末一个是 1 吗？分母为什么是那个数？"
):
    return mistake(f"endpoint/{code}", name, hint, formula, why, "10 两种频率表")


def _stepped(code, name, hint, exponent):
    """由对的编号和对的个数给出指数。"""
    return _ladder(code, name, hint, lambda d, base: np.array([base ** -exponent(i, d // 2) for i in range(d // 2)]))


def _right(d, base):
    return np.array([base ** -(i / max(d // 2 - 1, 1)) for i in range(d // 2)])


def _nan_for_one(d, base):
    i = np.arange(d // 2)
    return base ** -(i / np.float64(d // 2 - 1))


@coding(
    "10-2",
    cases=[
        (8, 10000.0),
        (2, 10000.0),
        (4, 10000.0),
        (6, 10000.0),
        (8, 100.0),
        (6, 2.0),
        (16, 10000),
        (10, 31.4),
        (512, 10000.0),
        (2, 500.0),
    ],
    random=lambda dice: [(2 * dice.randint(5, 40), float(dice.randint(20, 90000)))],
    golden={(8, 10000.0): [1, 0.046415888336, 0.002154434690, 0.0001]},
    atol=lambda expected, d, base: CLOSE * expected,
    place=lambda index, *args: f"第 {index[0]} 对",
    mistakes=[
        _ladder("nan", "d_model = 2 时只有一对，分母 d/2 - 1 是 0，除出了 nan", _ONE_PAIR, _nan_for_one),
        _ladder(
            "zero-division",
            "d_model = 2 时只有一对，分母 d/2 - 1 是 0，除法报错了",
            _ONE_PAIR,
            lambda d, base: [base ** -(i / (d // 2 - 1)) for i in range(d // 2)],
        ),
        *(
            _ladder(
                f"one-{code}",
                f"只有 d_model = 2 时不对：{name}",
                _ONE_PAIR,
                lambda d, base, value=value: np.full(1, value(base)) if d == 2 else _right(d, base),
            )
            for code, name, value in (
                ("zero", "唯一的角频率成了 0，应是 1", lambda base: 0.0),
                ("last", "唯一的角频率成了 1/base，应是 1", lambda base: 1 / base),
                ("base", "唯一的角频率成了 base，应是 1", lambda base: base),
            )
        ),
        _stepped("paper", "分母是 d/2，那是论文的频率表", _LAST, lambda i, h: i / h),
        _stepped("d", "分母是 d", _LAST, lambda i, h: i / (2 * h)),
        _stepped("d-less-one", "分母是 d - 1，少乘了 2", _LAST, lambda i, h: i / (2 * h - 1)),
        _stepped("d-less-one-doubled", "分母是 d - 1", _LAST, lambda i, h: 2 * i / (2 * h - 1)),
        _stepped("d-less-two", "分母是 d - 2，少乘了 2", _LAST, lambda i, h: i / max(2 * h - 2, 1)),
        _stepped("half-plus-one", "分母是 d/2 + 1", _LAST, lambda i, h: i / (h + 1)),
        _stepped("half-less-two", "分母是 d/2 - 2", _LAST, lambda i, h: i / max(h - 2, 1)),
        _stepped("doubled", "指数加倍了", _LAST, lambda i, h: 2 * i / max(h - 1, 1)),
        _stepped("from-one", "i 从 1 数起", _FROM_ZERO, lambda i, h: (i + 1) / max(h - 1, 1)),
        _stepped("from-one-paper", "i 从 1 数起，分母是 d/2", _FROM_ZERO, lambda i, h: (i + 1) / h),
        _stepped("multiplied", "乘除颠倒了，越来越大", "角频率从 1 减小到 1/base。", lambda i, h: -i / max(h - 1, 1)),
        _stepped("constant", "每一个都是 1，像是指数里作了整数除法", "/ 与 // 不同。", lambda i, h: i // h),
        _stepped(
            "floored", "指数里作了整数除法，只有最后一个不是 1", "/ 与 // 不同。", lambda i, h: i // max(h - 1, 1)
        ),
        _ladder(
            "wavelength",
            "给的是波长，不是角频率",
            "波长是 2π 除以角频率。",
            lambda d, base: 2 * math.pi / _right(d, base),
        ),
        _ladder("logarithm", "取了对数，忘了 exp", "最后一步取 exp。", lambda d, base: np.log(_right(d, base))),
        _ladder(
            "log10",
            "自然对数写成了以 10 为底的对数",
            "exp 的反函数是 np.log，不是 np.log10。",
            lambda d, base: _right(d, math.exp(math.log10(base))),
        ),
        _ladder("reversed", "角频率的次序反了", "第一个最快，是 1。", lambda d, base: _right(d, base)[::-1]),
        _ladder(
            "geomspace-reversed",
            "次序反了：从 1/base 数到 1",
            "第一个最快，是 1。",
            lambda d, base: np.geomspace(1 / base, 1, d // 2),
        ),
        _ladder(
            "arithmetic",
            "成了等差数列",
            "相邻两项之比相同，不是之差：geomspace，不是 linspace。",
            lambda d, base: np.linspace(1, 1 / base, d // 2),
        ),
        _ladder(
            "no-endpoint",
            "末一项没有取到：geomspace 写了 endpoint=False",
            _LAST,
            lambda d, base: np.geomspace(1, 1 / base, d // 2, endpoint=False),
        ),
        _ladder("base-end", "末一项成了 base，应是 1/base", _LAST, lambda d, base: np.geomspace(1, base, d // 2)),
        _ladder(
            "all-columns",
            "一共 d_model 个，编号数成了列",
            "一对一个角频率，一共 d_model // 2 个。",
            lambda d, base: np.geomspace(1, 1 / base, d),
        ),
        *(
            _ladder(m.code, m.name, "底数由参数 base 给出。", lambda d, base, m=m: _right(d, float(m.formula(base))))
            for m in BASES
        ),
    ],
    tested="核对了 11 组维度和底数，维度从 2 到 512；其中 8 维的四个数是另外算好的。",
    note="它与论文的频率表只差一个底数：b 换成 b 的 h/(h-1) 次方，h = d/2，一种就成了另一种。",
)
def endpoint_frequencies(d_model, base):
    """返回从 1 到 ``1/base`` 的频率表。"""
    half = d_model // 2
    return [1.0] if half == 1 else [math.exp(-math.log(base) * i / (half - 1)) for i in range(half)]


_BEFORE = "一个真实的词的位置，等于它前面的真实词数：缓存里的，加上这一行里左边的。"
_PADDING = "填充不占号，所以要数的是真实的词，不是列。"
_ITS_OWN = "每一句缓存的词数不同，cache[:, None] 让每一行加自己的那个数。"
_ZERO = "填充处写 0：最后乘以 mask。"
_ORDER = "减 1、加缓存都要在乘以 mask 之前。"


def _counted(code, name, hint, formula):
    why = "拿 mask = [0, 1, 0, 1]、缓存 3，在纸上给每一列写出位置；你的式子每一步得到什么，为什么？"
    return mistake(f"positions/{code}", name, hint, formula, why, "10 位置从几数起")


def _columns(m):
    return np.arange(m.shape[1])


def _restarting(m, c):
    """遇到填充就从头数。"""
    rows = []
    for words, known in zip(m.tolist(), c.tolist(), strict=True):
        count, line = known, []
        for word in words:
            line.append(count if word else 0)
            count = count + 1 if word else known
        rows.append(line)
    return np.array(rows)


def _batch(mask, cache):
    return f"np.array({mask}), np.array({cache})"


_LEFT, _ONE_BY_ONE = _batch([[0, 0, 1, 1], [1, 1, 1, 1]], [0, 0]), _batch([[1], [1], [1]], [2, 4, 0])


@coding(
    "10-3",
    cases=[
        _LEFT,  # 左填充
        _batch([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1], [1, 0, 0, 0, 0]], [0, 0, 0]),  # 右填充
        _batch([[0, 1, 0, 1, 1], [1, 1, 0, 0, 1]], [0, 0]),  # 夹在中间
        _ONE_BY_ONE,  # 每次一个新词
        _batch([[0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1]], [3, 3, 5, 7]),
        _batch([[0, 1, 1, 0, 1]], [6]),
        _batch([[0, 1, 1, 0, 1]], [0]),
        _batch([[1, 1, 0, 1], [1, 0, 1, 0]], [70000, 32767]),
    ],
    random=lambda dice: [_batch([[dice.randint(0, 1) for _ in range(9)] for _ in range(4)], dice.sample(range(20), 4))],
    golden={_LEFT: [[0, 0, 0, 1], [0, 1, 2, 3]], _ONE_BY_ONE: [[2], [4], [0]]},
    dtype=lambda mask, cache: INTEGERS,
    place=lambda index, *args: f"第 {index[0]} 句第 {index[1]} 列",
    forbids=["positions_from_mask"],
    mistakes=[
        _counted("columns", "用了列号，填充也占了号", _PADDING, lambda m, c: (_columns(m) + c[:, None]) * m),
        _counted(
            "columns-padding",
            "用了列号，填充也占了号，填充处也没有写 0",
            _PADDING,
            lambda m, c: _columns(m) + c[:, None] + 0 * m,
        ),
        _counted("columns-no-cache", "用了列号，也没有加上缓存", _PADDING, lambda m, c: _columns(m) * m),
        _counted(
            "columns-only", "用了列号，也没有加上缓存，填充处也没有写 0", _PADDING, lambda m, c: _columns(m) + 0 * m
        ),
        _counted("no-cache", "没有加上缓存", _BEFORE, lambda m, c: (m.cumsum(1) - 1) * m),
        _counted(
            "self-counted",
            "多了 1：数到自己为止，把自己也数了进去",
            _BEFORE,
            lambda m, c: (m.cumsum(1) + c[:, None]) * m,
        ),
        _counted("self-counted-no-cache", "多了 1，而且没有加上缓存", _BEFORE, lambda m, c: m.cumsum(1) * m),
        _counted("padding-kept", "填充处没有写 0", _ZERO, lambda m, c: m.cumsum(1) - 1 + c[:, None]),
        _counted("padding-kept-no-cache", "填充处没有写 0，缓存也没有加上", _ZERO, lambda m, c: m.cumsum(1) - 1),
        _counted("self-counted-padding", "多了 1，填充处也没有写 0", _ORDER, lambda m, c: m.cumsum(1) + c[:, None]),
        _counted(
            "cumsum-only", "只取了 cumsum：多了 1，没有加缓存，填充处也没有写 0", _BEFORE, lambda m, c: m.cumsum(1)
        ),
        _counted("padding-minus-one", "填充处成了 -1", _ORDER, lambda m, c: (m.cumsum(1) + c[:, None]) * m - 1),
        _counted(
            "padding-minus-one-no-cache", "填充处成了 -1，缓存也没有加上", _ORDER, lambda m, c: m.cumsum(1) * m - 1
        ),
        _counted(
            "padding-cache-less-one", "填充处成了缓存的词数减 1", _ORDER, lambda m, c: m.cumsum(1) * m - 1 + c[:, None]
        ),
        _counted("padding-cache", "填充处成了缓存的词数", _ORDER, lambda m, c: (m.cumsum(1) - 1) * m + c[:, None]),
        _counted(
            "padding-cache-self", "多了 1，填充处成了缓存的词数", _ORDER, lambda m, c: m.cumsum(1) * m + c[:, None]
        ),
        _counted(
            "largest-cache",
            "所有的句子加了同一个缓存，最大的那个",
            _ITS_OWN,
            lambda m, c: (m.cumsum(1) - 1 + c.max()) * m,
        ),
        _counted(
            "first-cache", "所有的句子加了同一个缓存，第一句的", _ITS_OWN, lambda m, c: (m.cumsum(1) - 1 + c[0]) * m
        ),
        _counted(
            "cache-by-column", "缓存加到了列上：第 j 列加了第 j 句的", _ITS_OWN, lambda m, c: (m.cumsum(1) - 1 + c) * m
        ),
        _counted(
            "down",
            "cumsum 沿着句子加了，应沿着词加",
            "axis=1：一行之内从左往右数。",
            lambda m, c: (m.cumsum(0) - 1 + c[:, None]) * m,
        ),
        _counted(
            "flat",
            "整批连着数下去了",
            "cumsum 不写 axis 会先摊平；写 axis=1，每一行重新数。",
            lambda m, c: (m.cumsum().reshape(m.shape) - 1 + c[:, None]) * m,
        ),
        _counted(
            "flattened",
            "整批连着数下去了，也没有 reshape 回来",
            "cumsum 不写 axis 会先摊平；写 axis=1。",
            lambda m, c: m.cumsum(),
        ),
        _counted(
            "right-to-left",
            "从右往左数了",
            "第一个词在最左边。",
            lambda m, c: (m[:, ::-1].cumsum(1)[:, ::-1] - 1 + c[:, None]) * m,
        ),
        _counted("restarting", "遇到填充就从头数了", "填充不占号，也不打断：前面有几个真实的词，就是几。", _restarting),
        _counted(
            "total-padding",
            "只扣掉了填充的总数，填充在左边时才对",
            "填充也会在右边和中间：只有它左边的填充才影响它。",
            lambda m, c: (_columns(m) - (1 - m).sum(1, keepdims=True) + c[:, None]) * m,
        ),
        _counted(
            "leading-padding",
            "只扣掉了开头的填充，夹在中间的没有扣",
            "填充也会夹在中间；数真实的词，就不用管填充在哪里。",
            lambda m, c: (_columns(m) - np.where(m.any(1), m.argmax(1), m.shape[1])[:, None] + c[:, None]) * m,
        ),
        _counted("cache-less-one", "缓存的词数减了 1", _BEFORE, lambda m, c: (m.cumsum(1) - 2 + c[:, None]) * m),
        _counted("cache-subtracted", "减去了缓存，应当加上", _BEFORE, lambda m, c: (m.cumsum(1) - 1 - c[:, None]) * m),
        _counted(
            "fairseq",
            "fairseq 的数法：从 2 数起，填充处写 1",
            "这道题从缓存的词数数起，填充处写 0。",
            lambda m, c: (m.cumsum(1) + c[:, None]) * m + 1,
        ),
        _counted("mask", "返回的是掩码", _BEFORE, lambda m, c: m),
        _counted(
            "inverted",
            "mask 用反了：真实的词写了 0",
            "1 是真实的词。",
            lambda m, c: (m.cumsum(1) - 1 + c[:, None]) * (1 - m),
        ),
        _counted(
            "padding-counted",
            "数的是填充，不是真实的词",
            "1 是真实的词。",
            lambda m, c: ((1 - m).cumsum(1) + c[:, None]) * m,
        ),
        _counted("last-only", "只返回了每句最后一个词的位置", "每一列都要。", lambda m, c: m.sum(1) - 1 + c),
        _counted(
            "clipped",
            "填充处没有写 0，只挡住了负数",
            "有缓存时，填充处不是负数；最后乘以 mask。",
            lambda m, c: np.maximum(m.cumsum(1) - 1 + c[:, None], 0),
        ),
        _counted(
            "clipped-early",
            "先挡住负数再加缓存，填充处成了别的数",
            _ZERO,
            lambda m, c: np.maximum(m.cumsum(1) - 1, 0) + c[:, None],
        ),
        *(
            _counted(
                f"padding-{code}",
                f"填充处写了 {pad}，题目要 0",
                "np.where 的最后一个参数，或者乘以 mask。",
                lambda m, c, pad=pad: np.where(m == 1, m.cumsum(1) - 1 + c[:, None], pad),
            )
            for code, pad in (("is-one", 1), ("is-minus-one", -1), ("is-minus-hundred", -100))
        ),
        _counted("cache-only", "只写了缓存的词数，没有数这一行的词", _BEFORE, lambda m, c: m * c[:, None]),
        *(
            _counted(
                f"int{bits}-{sign}",
                f"位置存成了 {bits} 位{'有' if sign else '无'}符号整数，溢出了",
                "缓存的词可以有几万个；换一种放得下的整数。",
                lambda m, c, sign=sign, bits=bits: (((m.cumsum(1) - 1 + c[:, None]) * m + sign) % 2**bits) - sign,
            )
            for bits in (8, 16)
            for sign in (0, 2 ** (bits - 1))
        ),
    ],
    tested="核对了 9 批句子：左填充、右填充、填充夹在中间、每次一个新词、各句缓存不同；其中两批是手写的。",
    note="这正是生成文本时的数法：有缓存时一个词一个词地送，与一次送全，位置相同。",
)
def token_positions(mask, cache):
    """返回真实的词的位置，填充处是 0。"""
    rows = []
    for words, known in zip(mask.tolist(), cache.tolist(), strict=True):
        line = []
        for word in words:
            line.append(known if word else 0)
            known += word
        rows.append(line)
    return rows


_FIRST_HALF = "第 0 列沿着哪个方向变？横着走一格，变的应是前一半。"
_ROW_BY_ROW = "第 1 行结果是哪一格？一行接一行地排，它在第一格的右边，x = 1、y = 0。"
_ONE_AXIS = "每一半是 d_model // 2 维的一张普通编码表，只有 d_model // 4 个角频率。"
_HALVES = "每一半之内，先全部正弦，再全部余弦。"
_DIRECT = "MAE 直接用行号、列号，不归一化。"
_SQUARE = "高和宽都是参数，不要从一个去猜另一个。"
_SIDE = "两半各占 d_model // 2 列，左右拼接：np.hstack。"


def _plain(s, c, S, C):
    return [*s, *c, *S, *C]


def _paired(s, c, S, C):
    return [v for pair in (*zip(s, c, strict=True), *zip(S, C, strict=True)) for v in pair]


def _cells(h, w):
    return [(y, x) for y in range(h) for x in range(w)]


def _grid(cells, places, exponent, columns, base=10000.0):
    """一张网格表：每格的两个位置、指数、列的次序、格子的次序，各可以错一处。"""

    def table(h, w, d):
        q, rows = d // 4, []
        for y, x in cells(h, w):
            angles = [[p * base ** -exponent(i, q) for i in range(q)] for p in places(y, x, h, w)]
            rows.append(columns(*([f(a) for a in angle] for angle in angles for f in (math.sin, math.cos))))
        return np.array(rows)

    return table


def _gridded(
    code,
    name,
    hint,
    places=lambda y, x, h, w: (x, y),
    exponent=lambda i, q: i / q,
    columns=_plain,
    cells=_cells,
    then=lambda t, h, w, d: t,
    base=10000.0,
):
    made = _grid(cells, places, exponent, columns, base)
    why = "在 2 × 3 的网格上，写出第 1 行结果的两半各是哪个位置的编码；你的第 1 行是什么，为什么？"
    return mistake(f"grid/{code}", name, hint, lambda h, w, d: then(made(h, w, d), h, w, d), why, "10 二维网格")


def _exchanged(y, x, h, w):
    return (y, x)


def _by_columns(h, w):
    return [(y, x) for x in range(w) for y in range(h)]


def _square(side):
    return lambda h, w: _cells(side(h, w), side(h, w))


@coding(
    "10-4",
    cases=[
        (2, 3, 4),
        (1, 1, 4),
        (1, 5, 8),
        (4, 1, 8),
        (3, 3, 8),
        (5, 3, 16),
        (3, 5, 16),
        (2, 3, 16),
        (1, 300, 8),
        (3, 7, 64),
    ],
    random=lambda dice: [(dice.randint(2, 6), dice.randint(7, 9), 4 * dice.randint(3, 8))],
    golden={
        (2, 3, 4): [
            [0, 1, 0, 1],
            [0.8414709848, 0.5403023059, 0, 1],
            [0.9092974268, -0.4161468365, 0, 1],
            [0, 1, 0.8414709848, 0.5403023059],
            [0.8414709848, 0.5403023059, 0.8414709848, 0.5403023059],
            [0.9092974268, -0.4161468365, 0.8414709848, 0.5403023059],
        ]
    },
    atol=lambda expected, h, w, d: each_row(loose, (max(y, x) for y, x in _cells(h, w)), expected),
    place=lambda index, h, w, d: f"第 {index[0] // w} 行第 {index[0] % w} 格的第 {index[1]} 个数",
    forbids=["grid_encoding"],
    mistakes=[
        _gridded("exchanged", "x 和 y 颠倒了：前一半编码的是行号", _FIRST_HALF, _exchanged),
        _gridded("by-columns", "格子一列接一列地排了，应一行接一行", _ROW_BY_ROW, cells=_by_columns),
        _gridded(
            "by-columns-exchanged",
            "格子一列接一列地排了，x 和 y 也颠倒了：像是 height 和 width 换了角色",
            _ROW_BY_ROW,
            _exchanged,
            cells=_by_columns,
        ),
        _gridded("both-x", "两半都编码了列号 x", "后一半编码行号 y。", lambda y, x, h, w: (x, x)),
        _gridded("both-y", "两半都编码了行号 y", "前一半编码列号 x。", lambda y, x, h, w: (y, y)),
        _gridded(
            "cell-number", "编码的是第几格，不是行号和列号", _FIRST_HALF, lambda y, x, h, w: (y * w + x, y * w + x)
        ),
        _gridded(
            "wrong-division",
            "由第几格算行号、列号时除错了：除数应是 width",
            _ROW_BY_ROW,
            lambda y, x, h, w: ((y * w + x) % h, (y * w + x) // h),
        ),
        _gridded("from-one", "位置从 1 数起", "左上角的格子，行号、列号都是 0。", lambda y, x, h, w: (x + 1, y + 1)),
        _gridded("over-size", "位置除以了网格的大小", _DIRECT, lambda y, x, h, w: (x / w, y / h)),
        _gridded(
            "two-pi",
            "位置归一化到了 2π",
            "那是 DETR 的做法；MAE 直接用行号、列号。",
            lambda y, x, h, w: (2 * math.pi * x / w, 2 * math.pi * y / h),
        ),
        _gridded("bottom-up", "行号从下往上数了", "第 0 行在最上面。", lambda y, x, h, w: (x, h - 1 - y)),
        _gridded("right-to-left", "列号从右往左数了", "第 0 列在最左边。", lambda y, x, h, w: (w - 1 - x, y)),
        _gridded(
            "unit", "行号、列号归一化到了 0 到 1", _DIRECT, lambda y, x, h, w: (x / max(w - 1, 1), y / max(h - 1, 1))
        ),
        mistake(
            "grid/one-string",
            "把格子当成了一串，没有分行号、列号",
            "每格有两个数：一半的列编码 x，一半编码 y。",
            lambda h, w, d: np.array([row(p, d) for p in range(h * w)]),
        ),
        mistake(
            "grid/one-string-halves",
            "把格子当成了一串，没有分行号、列号，排成分半布局",
            "每格有两个数：一半的列编码 x，一半编码 y。",
            lambda h, w, d: np.array([_sine_then_cosine(p, d) for p in range(h * w)]),
        ),
        mistake(
            "grid/wide-cut",
            "每个轴用了整个 d_model，再切下前 d_model 列：只剩列号",
            _ONE_AXIS,
            lambda h, w, d: np.array([_sine_then_cosine(x, d) for y, x in _cells(h, w)]),
        ),
        _gridded(
            "whole-width", "指数的分母用了整个 d_model，应是它的一半", _ONE_AXIS, exponent=lambda i, q: i / (2 * q)
        ),
        _gridded("doubled", "指数加倍了", _ONE_AXIS, exponent=lambda i, q: 2 * i / q),
        _gridded(
            "endpoint",
            "用了 tensor2tensor 的频率表，分母少了 1",
            "题目要论文的频率表。",
            exponent=lambda i, q: i / max(q - 1, 1),
        ),
        _gridded("multiplied", "乘除颠倒了", "角频率从 1 起越来越小。", exponent=lambda i, q: -i / q),
        *(_gridded(f"base-{b:g}", f"底数不对，用的是 {b:g}", "底数是 10000。", base=b) for b in (1000.0, 100.0, 1e5)),
        _gridded("paired", "每一半成了交错布局", _HALVES, columns=_paired),
        _gridded("paired-exchanged", "每一半成了交错布局，x 和 y 也颠倒了", _HALVES, _exchanged, columns=_paired),
        _gridded("cosine-first", "余弦放到了正弦前面", _HALVES, columns=lambda s, c, S, C: [*c, *s, *C, *S]),
        _gridded(
            "sines-first",
            "先两个轴的正弦，再两个轴的余弦：那是 timm 的次序",
            "前一半全是 x 的，后一半全是 y 的。",
            columns=lambda s, c, S, C: [*s, *S, *c, *C],
        ),
        _gridded(
            "axes-alternate",
            "两个轴的列一列一列地交替了",
            _SIDE,
            then=lambda t, h, w, d: t.reshape(-1, 2, d // 2).swapaxes(1, 2).reshape(t.shape),
        ),
        _gridded(
            "unflattened",
            "网格没有摊平",
            "最后 reshape 成 (height * width, d_model)。",
            then=lambda t, h, w, d: t.reshape(h, w, d),
        ),
        _gridded(
            "class-row",
            "多了一行，像是给 [CLS] 留的",
            "只要 height * width 行，一格一行。",
            then=lambda t, h, w, d: np.vstack([0 * t[:1], t]),
        ),
        _gridded("added", "两个轴相加了，应左右拼接", _SIDE, then=lambda t, h, w, d: t[:, : d // 2] + t[:, d // 2 :]),
        mistake(
            "grid/added-wide",
            "两个轴各用了整个 d_model，再相加；应各用一半，左右拼接",
            _SIDE,
            lambda h, w, d: np.array(
                [np.add(_sine_then_cosine(x, d), _sine_then_cosine(y, d)) for y, x in _cells(h, w)]
            ),
        ),
        mistake(
            "grid/wide",
            "每个轴用了整个 d_model，列多了一倍",
            _ONE_AXIS,
            lambda h, w, d: np.array([_sine_then_cosine(x, d) + _sine_then_cosine(y, d) for y, x in _cells(h, w)]),
        ),
        _gridded(
            "stacked-rows",
            "两半上下接了，应左右拼接",
            _SIDE,
            then=lambda t, h, w, d: np.vstack([t[:, : d // 2], t[:, d // 2 :]]),
        ),
        _gridded("x-only", "只有列号的一半", "后一半编码行号 y。", then=lambda t, h, w, d: t[:, : d // 2]),
        _gridded("square-height", "把网格当成了方的，只用了 height", _SQUARE, cells=_square(lambda h, w: h)),
        _gridded("square-width", "把网格当成了方的，只用了 width", _SQUARE, cells=_square(lambda h, w: w)),
        _gridded(
            "square-root",
            "把网格当成了方的，边长取了格数的平方根",
            _SQUARE,
            cells=_square(lambda h, w: math.isqrt(h * w)),
        ),
    ],
    tested="核对了 11 个网格，高与宽多半不同，维度从 4 到 64；其中一个是另外算好的。",
    note="方的网格上，x 和 y 颠倒前后，行是同一批，只是次序不同；所以要用高与宽不同的网格来测。",
)
def grid_table(height, width, d_model):
    """返回 MAE 的网格编码，列号在前。"""
    quarter, rows = d_model // 4, []
    for y in range(height):
        for x in range(width):
            line = []
            for place in (x, y):
                line += [math.sin(place / 10000 ** (i / quarter)) for i in range(quarter)]
                line += [math.cos(place / 10000 ** (i / quarter)) for i in range(quarter)]
            rows.append(line)
    return rows


def _sine_then_cosine(p, d):
    """一串位置的普通编码，分半布局，d 维。"""
    return row(p, d)[0::2] + row(p, d)[1::2]


guessing(
    "10-1",
    asks="一个底数，取整，例如 9000",
    right=10494,
    near=0.0005,
    reply="10000 的 192/191 次方：指数比 1 大一点点，底数也就大一点点。",
    misconceptions={
        "same-base": (10000, "你以为底数不变：底数不变、分母从 191 换成 192，末项就到不了 1/10000，表就不同了。"),
        "inverted-exponent": (
            lambda a: 9525 <= a <= 9536,
            "指数颠倒了：是 h/(h-1)，不是 (h-1)/h；论文的末项差一步才到 1/b，要够到 1/10000，b 得更大。",
        ),
        "columns-for-pairs": (
            lambda a: 10240 <= a <= 10244,
            "h 是对的个数 192，不是列数 384。",
        ),
        "proportional": (
            lambda a: 10051 <= a <= 10053,
            "你给底数乘了 192/191：变的是指数，不是底数本身。",
        ),
    },
)
