"""第 10 课的检查器。"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ._check import _check
from ._expected import _CLOSE, _loose, _row
from ._mistakes import _BASES, _diagnose_by
from ._trial import _Diagnosis, _dice, _Exercise, _Seen, _Trial


def _endpoint_frequencies() -> list[_Trial]:
    cases = [
        (8, 10000.0),
        (2, 10000.0),
        (4, 10000.0),
        (6, 10000.0),
        (8, 100.0),
        (6, 2.0),
        (16, 10000),
        (10, 31.4),
        (512, 10000.0),
    ]
    cases += [(2 * _dice.randint(5, 40), float(_dice.randint(20, 90000))), (2, 500.0)]
    golden = {(8, 10000.0): [1, 0.046415888336, 0.002154434690, 0.0001], (2, 10000.0): [1]}
    trials = []
    for d, base in cases:
        omega = [1.0] if d == 2 else [math.exp(-math.log(base) * i / (d // 2 - 1)) for i in range(d // 2)]
        expected = np.array(golden.get((d, base)) or omega)
        trial = _Trial((d, base), expected, atol=_CLOSE * expected)
        trial.place = lambda index: f"第 {index[0]} 对"
        trials.append(trial)
    return trials


_LAST = "最后一项应恰好是 1/base：i 最大是几？分母该是几？"


def _stepped(exponent: Callable[[int, int], float]) -> Callable[[int, float], Any]:
    """由对的编号和对的个数给出指数。"""
    return lambda d, base: [base ** -exponent(i, d // 2) for i in range(d // 2)]


def _endpoint_mistakes() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    yield "分母是 d/2，那是论文的频率表", _LAST, _stepped(lambda i, h: i / h)
    yield "分母是 d", _LAST, _stepped(lambda i, h: i / (2 * h))
    yield "分母是 d - 1", _LAST, _stepped(lambda i, h: i / (2 * h - 1))
    yield "分母是 d - 1", _LAST, _stepped(lambda i, h: 2 * i / (2 * h - 1))
    yield "分母是 d - 2，少乘了 2", _LAST, _stepped(lambda i, h: i / max(2 * h - 2, 1))
    yield "分母是 d/2 + 1", _LAST, _stepped(lambda i, h: i / (h + 1))
    yield "分母是 d/2 - 2", _LAST, _stepped(lambda i, h: i / max(h - 2, 1))
    yield "指数加倍了", _LAST, _stepped(lambda i, h: 2 * i / max(h - 1, 1))
    yield "i 从 1 数起", "第一个角频率是 1，所以 i 从 0 数起。", _stepped(lambda i, h: (i + 1) / max(h - 1, 1))
    yield "i 从 1 数起，分母是 d/2", "第一个角频率是 1，所以 i 从 0 数起。", _stepped(lambda i, h: (i + 1) / h)
    yield "乘除颠倒了，越来越大", "角频率从 1 减小到 1/base。", _stepped(lambda i, h: -i / max(h - 1, 1))
    yield (
        "给的是波长，不是角频率",
        "波长是 2π 除以角频率。",
        lambda d, base: [2 * math.pi * base ** (i / max(d // 2 - 1, 1)) for i in range(d // 2)],
    )
    yield (
        "角频率的次序反了",
        "第一个最快，是 1。",
        lambda d, base: _stepped(lambda i, h: i / max(h - 1, 1))(d, base)[::-1],
    )
    yield (
        "成了等差数列",
        "相邻两项之比相同，不是之差：geomspace，不是 linspace。",
        lambda d, base: np.linspace(1, 1 / base, d // 2),
    )
    for other in _BASES:
        name = f"底数不对，用的是 {other:g}"
        yield (
            name,
            "底数由参数 base 给出。",
            lambda d, base, other=other: _stepped(lambda i, h: i / max(h - 1, 1))(d, other),
        )


_ONE_PAIR = "d_model = 2 时只有一对，分母 d/2 - 1 是 0"


def _diagnose_endpoint(seen: list[_Seen]) -> _Diagnosis | None:
    pairs = [s for s in seen if s.trial.args[0] == 2]
    others = [s for s in seen if s.trial.args[0] > 2]
    if any(s.complaint for s in pairs) and not any(s.complaint for s in others):
        hint = "0/0 没有意义，要单独想：只有一个角频率，它该是几？"
        if any(isinstance(s.error, ZeroDivisionError) for s in pairs):
            return _Diagnosis(f"{_ONE_PAIR}，除法报错了", hint)
        if any(s.array is not None and np.isnan(s.array).any() for s in pairs):
            return _Diagnosis(f"{_ONE_PAIR}，除出了 nan", hint)
        return _Diagnosis(f"只有 d_model = 2 时不对：{_ONE_PAIR}", hint)
    return _diagnose_by(*_endpoint_mistakes())(others)


_ENDPOINT = _Exercise(
    "10-2",
    ("endpoint_frequencies",),
    _endpoint_frequencies,
    _diagnose_endpoint,
    "核对了 11 组维度和底数，维度从 2 到 512；其中 8 维的四个数是另外算好的。",
    "它与论文的频率表只差一个底数：b 换成 b 的 h/(h-1) 次方，h = d/2，一种就成了另一种。",
)


def check_endpoint_frequencies(answer: Callable[..., Any]) -> None:
    """检查练习 10-2：``endpoint_frequencies(d_model, base)`` 返回从 1 到 ``1/base`` 的频率表。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_endpoint_frequencies(...)  # 还没有写
    练习 10-2：尚未作答。
    """
    _check(_ENDPOINT, answer)


def _masks_with_cache() -> list[_Trial]:
    cases = [
        ([[0, 0, 1, 1], [1, 1, 1, 1]], [0, 0]),  # 左填充
        ([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1], [1, 0, 0, 0, 0]], [0, 0, 0]),  # 右填充
        ([[0, 1, 0, 1, 1], [1, 1, 0, 0, 1]], [0, 0]),  # 夹在中间
        ([[1], [1], [1]], [2, 4, 0]),  # 每次一个新词
        ([[0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1]], [3, 3, 5, 7]),
        ([[0, 1, 1, 0, 1]], [6]),
        ([[0, 1, 1, 0, 1]], [0]),
        ([[1, 1, 0, 1], [1, 0, 1, 0]], [70000, 32767]),
        ([[_dice.randint(0, 1) for _ in range(9)] for _ in range(4)], _dice.sample(range(20), 4)),
    ]
    golden = {0: [[0, 0, 0, 1], [0, 1, 2, 3]], 3: [[2], [4], [0]]}
    trials = []
    for number, (mask, cache) in enumerate(cases):
        rows = []
        for words, known in zip(mask, cache, strict=True):
            row = []
            for word in words:
                row.append(known if word else 0)
                known += word
            rows.append(row)
        expected = np.array(golden.get(number, rows))
        trials.append(_Trial((np.array(mask), np.array(cache)), expected, dtype=_COUNTS))
    return trials


_COUNTS = [np.dtype(code).type for code in np.typecodes["AllInteger"]]
_BEFORE = "一个真实的词的位置，等于它前面的真实词数：缓存里的，加上这一行里左边的。"
_PADDING = "填充不占号，所以要数的是真实的词，不是列。"
_ITS_OWN = "每一句缓存的词数不同，cache[:, None] 让每一行加自己的那个数。"
_TOKEN_POSITIONS = _Exercise(
    "10-3",
    ("token_positions",),
    _masks_with_cache,
    _diagnose_by(
        ("用了列号，填充也占了号", _PADDING, lambda m, c: (np.arange(m.shape[1]) + c[:, None]) * m),
        (
            "用了列号，填充也占了号，填充处也没有写 0",
            _PADDING,
            lambda m, c: np.arange(m.shape[1]) + c[:, None] + 0 * m,
        ),
        ("用了列号，也没有加上缓存", _PADDING, lambda m, c: np.arange(m.shape[1]) * m),
        ("用了列号，也没有加上缓存，填充处也没有写 0", _PADDING, lambda m, c: np.arange(m.shape[1]) + 0 * m),
        ("没有加上缓存", _BEFORE, lambda m, c: (m.cumsum(1) - 1) * m),
        ("多了 1：数到自己为止，把自己也数了进去", _BEFORE, lambda m, c: (m.cumsum(1) + c[:, None]) * m),
        ("多了 1，而且没有加上缓存", _BEFORE, lambda m, c: m.cumsum(1) * m),
        ("填充处没有写 0", "最后乘以 mask。", lambda m, c: m.cumsum(1) - 1 + c[:, None]),
        ("填充处没有写 0，缓存也没有加上", "最后乘以 mask。", lambda m, c: m.cumsum(1) - 1),
        ("填充处成了 -1", "减 1 要在乘以 mask 之前。", lambda m, c: (m.cumsum(1) + c[:, None]) * m - 1),
        ("填充处成了 -1，缓存也没有加上", "减 1 要在乘以 mask 之前。", lambda m, c: m.cumsum(1) * m - 1),
        (
            "填充处成了缓存的词数减 1",
            "减 1、加缓存都要在乘以 mask 之前。",
            lambda m, c: m.cumsum(1) * m - 1 + c[:, None],
        ),
        ("填充处成了缓存的词数", "加缓存要在乘以 mask 之前。", lambda m, c: (m.cumsum(1) - 1) * m + c[:, None]),
        ("所有的句子加了同一个缓存，最大的那个", _ITS_OWN, lambda m, c: (m.cumsum(1) - 1 + c.max()) * m),
        ("所有的句子加了同一个缓存，第一句的", _ITS_OWN, lambda m, c: (m.cumsum(1) - 1 + c[0]) * m),
        (
            "cumsum 沿着句子加了，应沿着词加",
            "axis=1：一行之内从左往右数。",
            lambda m, c: (m.cumsum(0) - 1 + c[:, None]) * m,
        ),
        (
            "整批连着数下去了",
            "cumsum 不写 axis 会先摊平；写 axis=1，每一行重新数。",
            lambda m, c: (m.cumsum().reshape(m.shape) - 1 + c[:, None]) * m,
        ),
        (
            "从右往左数了",
            "第一个词在最左边。",
            lambda m, c: (m[:, ::-1].cumsum(1)[:, ::-1] - 1 + c[:, None]) * m,
        ),
        (
            "只扣掉了填充的总数，填充在左边时才对",
            "填充也会在右边和中间：只有它左边的填充才影响它。",
            lambda m, c: (np.arange(m.shape[1]) - (1 - m).sum(1, keepdims=True) + c[:, None]) * m,
        ),
        (
            "只扣掉了开头的填充，夹在中间的没有扣",
            "填充也会夹在中间；数真实的词，就不用管填充在哪里。",
            lambda m, c: (
                (np.arange(m.shape[1]) - np.where(m.any(1), m.argmax(1), m.shape[1])[:, None] + c[:, None]) * m
            ),
        ),
        ("缓存的词数减了 1", _BEFORE, lambda m, c: (m.cumsum(1) - 2 + c[:, None]) * m),
        (
            "fairseq 的数法：从 2 数起，填充处写 1",
            "这道题从缓存的词数数起，填充处写 0。",
            lambda m, c: (m.cumsum(1) + c[:, None]) * m + 1,
        ),
        ("返回的是掩码", _BEFORE, lambda m, c: m),
        ("mask 用反了：真实的词写了 0", "1 是真实的词。", lambda m, c: (m.cumsum(1) - 1 + c[:, None]) * (1 - m)),
        (
            "填充处没有写 0，只挡住了负数",
            "有缓存时，填充处不是负数；最后乘以 mask。",
            lambda m, c: np.maximum(m.cumsum(1) - 1 + c[:, None], 0),
        ),
        *(
            (
                f"填充处写了 {pad}，题目要 0",
                "np.where 的最后一个参数，或者乘以 mask。",
                lambda m, c, pad=pad: np.where(m == 1, m.cumsum(1) - 1 + c[:, None], pad),
            )
            for pad in (1, -1, -100)
        ),
        ("只写了缓存的词数，没有数这一行的词", _BEFORE, lambda m, c: m * c[:, None]),
        *(
            (
                f"位置存成了 {bits} 位整数，溢出了",
                "缓存的词可以有几万个；换一种放得下的整数。",
                lambda m, c, sign=sign, bits=bits: (((m.cumsum(1) - 1 + c[:, None]) * m + sign) % 2**bits) - sign,
            )
            for bits in (8, 16)
            for sign in (0, 2 ** (bits - 1))
        ),
    ),
    "核对了 9 批句子：左填充、右填充、填充夹在中间、每次一个新词、各句缓存不同；其中两批是手写的。",
    "这正是生成文本时的数法：有缓存时一个词一个词地送，与一次送全，位置相同。",
)


def check_token_positions(answer: Callable[..., Any]) -> None:
    """检查练习 10-3：``token_positions(mask, cache)`` 返回真实的词的位置，填充处是 0。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_token_positions(...)  # 还没有写
    练习 10-3：尚未作答。
    """
    _check(_TOKEN_POSITIONS, answer)


def _grids() -> list[_Trial]:
    golden = [[0, 1, 0, 1], [0.8414709848, 0.5403023059, 0, 1], [0.9092974268, -0.4161468365, 0, 1]]
    golden += [[0, 1, *golden[1][:2]], [*golden[1][:2]] * 2, [*golden[2][:2], *golden[1][:2]]]
    trials = []
    sizes = [
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
    ]
    for height, width, d in [*sizes, (_dice.randint(2, 6), _dice.randint(7, 9), 4 * _dice.randint(3, 8))]:
        quarter, rows, atols = d // 4, [], []
        for y in range(height):
            for x in range(width):
                row, atol = [], []
                for place in (x, y):
                    atol += [_loose(place)] * (2 * quarter)
                    row += [math.sin(place / 10000 ** (i / quarter)) for i in range(quarter)]
                    row += [math.cos(place / 10000 ** (i / quarter)) for i in range(quarter)]
                rows.append(row)
                atols.append(atol)
        expected = np.array(golden if (height, width, d) == (2, 3, 4) else rows)
        trial = _Trial((height, width, d), expected, atol=np.array(atols))
        trial.place = lambda index, width=width: (
            f"第 {index[0] // width} 行第 {index[0] % width} 格的第 {index[1]} 个数"
        )
        trials.append(trial)
    return trials


def _gridded(
    places: Callable[..., tuple[float, float]] = lambda y, x, h, w: (x, y),
    exponent: Callable[[int, int], float] = lambda i, q: i / q,
    columns: Callable[[Any, Any, Any, Any], list] = lambda s, c, S, C: [*s, *c, *S, *C],
    by_columns: bool = False,
) -> Callable[[int, int, int], Any]:
    """一张网格表：每格的两个位置、指数、列的次序、格子的次序，各可以错一处。"""

    def table(height: int, width: int, d: int) -> Any:
        q = d // 4
        cells = [(y, x) for y in range(height) for x in range(width)]
        if by_columns:
            cells = [(y, x) for x in range(width) for y in range(height)]
        rows = []
        for y, x in cells:
            angles = [[p * 10000 ** -exponent(i, q) for i in range(q)] for p in places(y, x, height, width)]
            parts = [[f(a) for a in angle] for angle in angles for f in (math.sin, math.cos)]
            rows.append(columns(*parts))
        return rows

    return table


_FIRST_HALF = "第 0 列沿着哪个方向变？横着走一格，变的应是前一半。"
_ROW_BY_ROW = "第 1 行结果是哪一格？一行接一行地排，它在第一格的右边，x = 1、y = 0。"
_ONE_AXIS = "每一半是 d_model // 2 维的一张普通编码表，只有 d_model // 4 个角频率。"
_HALVES = "每一半之内，先全部正弦，再全部余弦。"


def _paired(s: list, c: list, S: list, C: list) -> list:
    return [v for pair in (*zip(s, c, strict=True), *zip(S, C, strict=True)) for v in pair]


_GRID_MISTAKES = _diagnose_by(
    ("x 和 y 颠倒了：前一半编码的是行号", _FIRST_HALF, _gridded(lambda y, x, h, w: (y, x))),
    ("格子一列接一列地排了，应一行接一行", _ROW_BY_ROW, _gridded(by_columns=True)),
    (
        "格子一列接一列地排了，x 和 y 也颠倒了：像是 height 和 width 换了角色",
        _ROW_BY_ROW,
        _gridded(lambda y, x, h, w: (y, x), by_columns=True),
    ),
    ("两半都编码了列号 x", "后一半编码行号 y。", _gridded(lambda y, x, h, w: (x, x))),
    ("两半都编码了行号 y", "前一半编码列号 x。", _gridded(lambda y, x, h, w: (y, y))),
    ("编码的是第几格，不是行号和列号", _FIRST_HALF, _gridded(lambda y, x, h, w: (y * w + x, y * w + x))),
    ("位置从 1 数起", "左上角的格子，行号、列号都是 0。", _gridded(lambda y, x, h, w: (x + 1, y + 1))),
    (
        "位置除以了网格的大小",
        "MAE 直接用行号、列号，不归一化。",
        _gridded(lambda y, x, h, w: (x / w, y / h)),
    ),
    (
        "位置归一化到了 2π",
        "那是 DETR 的做法；MAE 直接用行号、列号。",
        _gridded(lambda y, x, h, w: (2 * math.pi * x / w, 2 * math.pi * y / h)),
    ),
    ("行号从下往上数了", "第 0 行在最上面。", _gridded(lambda y, x, h, w: (x, h - 1 - y))),
    (
        "行号、列号归一化到了 0 到 1",
        "MAE 直接用行号、列号，不归一化。",
        _gridded(lambda y, x, h, w: (x / max(w - 1, 1), y / max(h - 1, 1))),
    ),
    (
        "把格子当成了一串，没有分行号、列号",
        "每格有两个数：一半的列编码 x，一半编码 y。",
        lambda h, w, d: [_row(p, d) for p in range(h * w)],
    ),
    ("指数的分母用了整个 d_model，应是它的一半", _ONE_AXIS, _gridded(exponent=lambda i, q: i / (2 * q))),
    ("指数加倍了", _ONE_AXIS, _gridded(exponent=lambda i, q: 2 * i / q)),
    (
        "用了 tensor2tensor 的频率表，分母少了 1",
        "题目要论文的频率表。",
        _gridded(exponent=lambda i, q: i / max(q - 1, 1)),
    ),
    ("每一半成了交错布局", _HALVES, _gridded(columns=_paired)),
    (
        "每一半成了交错布局，x 和 y 也颠倒了",
        _HALVES,
        _gridded(lambda y, x, h, w: (y, x), columns=_paired),
    ),
    ("余弦放到了正弦前面", _HALVES, _gridded(columns=lambda s, c, S, C: [*c, *s, *C, *S])),
    (
        "先两个轴的正弦，再两个轴的余弦：那是 timm 的次序",
        "前一半全是 x 的，后一半全是 y 的。",
        _gridded(columns=lambda s, c, S, C: [*s, *S, *c, *C]),
    ),
)


def _diagnose_grid(seen: list[_Seen]) -> _Diagnosis | None:
    shapes = [(s.value.shape, s.trial.args) for s in seen if isinstance(s.value, np.ndarray)]
    for name, hint, shape in (
        ("网格没有摊平", "最后 reshape 成 (height * width, d_model)。", lambda h, w, d: (h, w, d)),
        (
            "把网格当成了方的，边长取了格数的平方根",
            "高和宽都是参数，不要从格数去猜。",
            lambda h, w, d: (math.isqrt(h * w) ** 2, d),
        ),
        ("把网格当成了方的，只用了 height", "宽是 width。", lambda h, w, d: (h * h, d)),
        ("把网格当成了方的，只用了 width", "高是 height。", lambda h, w, d: (w * w, d)),
        ("每个轴用了整个 d_model，列多了一倍", _ONE_AXIS, lambda h, w, d: (h * w, 2 * d)),
        ("多了一行，像是给 [CLS] 留的", "只要 height * width 行，一格一行。", lambda h, w, d: (h * w + 1, d)),
        ("两个轴相加了，应左右拼接", "两半各占 d_model // 2 列：np.hstack。", lambda h, w, d: (h * w, d // 2)),
    ):
        if shapes and all(got == shape(*args) for got, args in shapes) and any(s.complaint for s in seen):
            if any(got != (h * w, d) for got, (h, w, d) in shapes):
                return _Diagnosis(name, hint)
    return _GRID_MISTAKES(seen)


_GRID = _Exercise(
    "10-4",
    ("grid_table",),
    _grids,
    _diagnose_grid,
    "核对了 11 个网格，高与宽多半不同，维度从 4 到 64；其中一个是另外算好的。",
    "方的网格上，x 和 y 颠倒前后，行是同一批，只是次序不同；所以要用高与宽不同的网格来测。",
)


def check_grid_table(answer: Callable[..., Any]) -> None:
    """检查练习 10-4：``grid_table(height, width, d_model)`` 返回 MAE 的网格编码，列号在前。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_grid_table(...)  # 还没有写
    练习 10-4：尚未作答。
    """
    _check(_GRID, answer)
