"""第 03 课的练习。"""

from __future__ import annotations

import numpy as np

from ._declare import GOLDEN, coding, each_row, guessing, mistake, rounded_once, row

guessing(
    "3-1",
    asks="四个式子各是一个形状的元组，或者字符串 'error'，例如 ('error', (5, 4), 'error', 'error')",
    right=("error", "error", "error", (5, 1, 4)),
    reply="从右边对齐：前三个都有一对长度是 5 和 4，谁也不是 1。",
    misconceptions={
        "aligned-from-left": (
            lambda a: a[0] in ((5, 4), (5,)),
            "第一个你以为会自动配成 (5, 4)：pos[:, 0] 只剩 (5,)，与 (4,) 从右边对齐，是 5 对 4。",
        ),
        "transpose-makes-column": (
            lambda a: a[1] in ((5, 4), (4, 5), (1, 4)),
            "第二个你以为转置以后配得上：pos.T 是 (1, 5)，最右边是 5 对 4。",
        ),
        "column-against-column": (
            lambda a: a[2] in ((5, 4), (5, 1), (4, 1)),
            "第三个你以为两个列会铺成一张表：(5, 1) 对 (4, 1)，第 0 轴是 5 对 4，谁也不是 1。",
        ),
        "none-only-at-end": (
            lambda a: a[3] in ((5, 4), "error", (5, 4, 1)),
            "第四个：pos[:, :, None] 是 (5, 1, 1)，与 (4,) 从右边对齐，左边补 1。",
        ),
    },
)


def _kept(code, name, hint, formula):
    why = "位置 4099 的角度是几千弧度，float16 的刻度在那里有多宽？舍入应放在取正弦之前还是之后，为什么？"
    return mistake(f"encode-table/{code}", name, hint, formula, why, "03 类型")


def _table(n, d):
    return np.array([row(p, d) for p in range(n)]).reshape(n, d)


@coding(
    "3-2",
    cases=[
        *[(5, 8), (1, 2), (2, 4), (3, 2), (4, 8), (8, 8), (7, 6), (2, 512), (50, 64), (4100, 6)],
        *["5, 8, dtype=np.float64", "300, 6, dtype=np.float64", "4100, 4, np.float16"],
    ],
    random=lambda dice: [(dice.randint(9, 60), 2 * dice.randint(3, 30))],
    golden={(2, 4): [GOLDEN[0, 4], GOLDEN[1, 4]]},
    dtype=lambda n, d, dtype: dtype,
    atol=lambda expected, n, d, dtype: each_row(lambda p: rounded_once(dtype, p), range(n), expected),
    place=lambda index, *args: f"位置 {index[0]}、第 {index[1]} 列",
    table=lambda n, d, dtype: (range(n), d, 10000.0),
    refuses=[((5, d), str(d)) for d in (7, 1, 0, -4)],
    mistakes=[
        _kept(
            "missing-axis",
            "缺一个轴：位置没有变成一列",
            "位置要用 [:, None] 变成一列，(seq_len, 1) 乘 (d_model/2,) 才是 (seq_len, d_model/2)。",
            lambda n, d, dtype=None: np.repeat(np.arange(n) * 1e4 ** (-np.arange(0, d, 2) / d), 2),
        ),
        _kept(
            "columns-only",
            "只返回了正弦、余弦各自的表，没有合在一起",
            "np.stack 之后还要 reshape 成 (seq_len, d_model)。",
            lambda n, d, dtype=None: _table(n, d).reshape(n, d // 2, 2),
        ),
    ],
    tested="核对了 14 张表，从 (1, 2) 到 (4100, 6)、(2, 512)，三种 dtype 都有；还核对了 7、1、0、-4 四个维度都被拒绝。",
    note="dtype 只管结果怎样存放；角度始终在 float64 里，所以位置 4099 也只舍入一次。",
)
def encode_table(seq_len, d_model, dtype=np.float32):
    """返回编码表，拒绝不是正偶数的 ``d_model``。"""
    return [row(p, d_model) for p in range(seq_len)]


@coding(
    "3-3",
    cases=[
        "np.arange(4), 8",
        "np.array(1), 4",
        "np.array([3]), 2",
        "np.array([0, 5, 2], dtype=np.int32), 6",
        "np.array([[0, 1, 2], [7, 8, 9]]), 8",
        "np.array([[[0.5], [-1.0]], [[2.25], [300.0]]]), 4",
        "np.array([-2, -1, 0, 1, 5]), 6",
        "np.array([2047, 2048, 2049, 2050, 4095, 32766, 32767]), 8",
        "np.array([3, 1, 4, 1], dtype=np.uint8), 8",
        "np.array([[10.75, 20.25]], dtype=np.float32), 64",
        "np.array([300.1, 0.3, -70000.5, 16777217.0]), 6",
        "np.arange(6).reshape(2, 3).T, 4",
    ],
    random=lambda dice: [f"np.array({[dice.randint(-999, 999) for _ in range(5)]}), {2 * dice.randint(3, 30)}"],
    golden={"np.array(1), 4": GOLDEN[1, 4]},
    dtype=lambda positions, d: np.float32,
    atol=lambda expected, positions, d: each_row(
        lambda p: rounded_once(np.float32, p), positions.ravel().tolist(), expected
    ),
    place=lambda index, positions, d: f"位置 {positions[index[:-1]].item()}、第 {index[-1]} 列",
    table=lambda positions, d: (positions.ravel().tolist(), d, 10000.0),
    tested="核对了 13 组位置：零维到三维的数组，整数、小数、负数，最远到 16777217。",
    note="[..., None] 在最右边添一个轴，前面有几个轴都不用管。",
)
def encode_at(positions, d_model):
    """返回任意形状的位置的编码，float32。"""
    rows = [row(p, d_model) for p in positions.ravel().tolist()]
    return np.array(rows).reshape(*positions.shape, d_model)


def _given(*shapes):
    """每个数都不同的表，放错哪一个都看得出；两种类型。"""
    return [
        f"np.arange({n * d}, dtype=np.{dtype}).reshape({n}, {d}) + np.{dtype}(0.5)"
        for n, d in shapes
        for dtype in ("float64", "float32")
    ]


_SHAPES = [(2, 6), (1, 2), (1, 4), (3, 8), (8, 8), (2, 512)]
_PAIRWISE = "两种转换互为反函数，4 列时恰好相同，6 列时就不同了。"
_SINE_FIRST = "先全部正弦，再全部余弦；一对里也是正弦在前。"
_ROW = "reshape 时把 n 行单独留一个轴，只拆开列。"
_WHY = "在纸上写出 6 列时第 1 列该搬到第几列；只拿 4 列试，为什么看不出方向？"


def _evens_first(d):
    return [*range(0, d, 2), *range(1, d, 2)]


def _interleave(d):
    return [j // 2 + (j % 2) * (d // 2) for j in range(d)]


def _orders(right, other, direction):
    """搬法的错；right 是对的次序，other 是另一个方向的。"""

    def moved(code, name, hint, change):
        return mistake(f"{direction}/{code}", name, hint, lambda t: change(t, *t.shape), _WHY, "10 三种布局")

    return [
        moved("unmoved", "原样返回了，列没有动", "第 0、1 列各该到哪里去？", lambda t, n, d: t),
        moved("other-way", "取成了另一个方向的转换", _PAIRWISE, lambda t, n, d: t[:, other(d)]),
        moved("cosine-first", "余弦放到了正弦前面", _SINE_FIRST, lambda t, n, d: t[:, right(d)][:, _half_turn(d)])
        if direction == "to-halves"
        else moved("cosine-first", "余弦放到了正弦前面", _SINE_FIRST, lambda t, n, d: t[:, right(d)][:, _flip(d)]),
        moved("pairs-swapped", "只对调了一对里的两列", "看看整行，不只看一对。", lambda t, n, d: t[:, _flip(d)]),
        moved("halves-swapped", "只对调了左右两半", "看看一半里面的次序。", lambda t, n, d: t[:, _half_turn(d)]),
        moved("reversed", "列的次序整个反了", "第 0 列放的应是第一个正弦。", lambda t, n, d: t[:, ::-1]),
        moved("second-reversed", "后一半的次序反了", "余弦也从第 0 对排起。", lambda t, n, d: _back(t[:, right(d)], d)),
        moved("across-rows", "行之间串了：reshape 跨过了行", _ROW, lambda t, n, d: t.reshape(2, -1).T.reshape(n, d)),
        moved(
            "across-rows-pairs",
            "行之间串了：每两个数一拆，跨过了行",
            _ROW,
            lambda t, n, d: t.reshape(-1, 2).T.reshape(n, d),
        ),
        moved("across-rows-transposed", "行之间串了：转置之后才 reshape", _ROW, lambda t, n, d: t.reshape(d, n).T),
        moved(
            "not-merged",
            "两半叠成了一个轴，还没有并进列里",
            "最后 reshape 成 (n, d)。",
            lambda t, n, d: t.reshape(n, d // 2, 2),
        ),
        moved(
            "rows-moved",
            "移动的是行，不是列",
            "位置的次序不变，只换列的次序。",
            lambda t, n, d: t[[*range(0, n, 2), *range(1, n, 2)]],
        ),
        moved("sines-only", "只有正弦，余弦丢了", "余弦也要搬。", lambda t, n, d: np.hstack([t[:, 0::2], t[:, 0::2]])),
        moved("half-table", "只返回了一半的列", "余弦也要搬。", lambda t, n, d: t[:, 0::2]),
        moved(
            "stacked",
            "两半上下接了，应左右接",
            "哪个轴是列？接在那个轴上。",
            lambda t, n, d: np.vstack([t[:, 0::2], t[:, 1::2]]),
        ),
        moved(
            "recomputed",
            "没有用传进来的表，按公式重新算了一张",
            "转换只搬动列，不计算；传进来的可能是任何表。",
            lambda t, n, d: _table(n, d)[:, right(d)] if direction == "to-halves" else _table(n, d),
        ),
    ]


def _flip(d):
    return [j ^ 1 for j in range(d)]


def _half_turn(d):
    return [(j + d // 2) % d for j in range(d)]


def _back(t, d):
    return np.hstack([t[:, : d // 2], t[:, d // 2 :][:, ::-1]])


def _where_from(name):
    """每个数都不同，所以读得出每一列是从哪里来的。"""

    def observe(seen):
        from ._look import Diagnosis

        for s in seen:
            source = s.case.args[0].astype(np.float64)
            if source.shape != (2, 6):
                continue
            order = [next((j for j in range(6) if (source[:, j] == column).all()), None) for column in s.array.T]
            if None not in order:
                said = f"6 列时，依次放的是原来的第 {'、'.join(map(str, order))} 列"
                return Diagnosis(f"{name}/order", f"列的次序不对：{said}", "在纸上写出 6 列时每一列该到哪里去。")
        return None

    return observe


_CONVERTED = {
    "cases": _given(*_SHAPES),
    "random": lambda dice: _given((5, 2 * dice.randint(5, 20))),
    "dtype": lambda table: table.dtype.type,
    "tested": "核对了 7 种形状，float32 和 float64 各一遍，要求逐位相同；表里的数各不相同，放错一个也看得出。",
}


@coding(
    "3-4",
    **_CONVERTED,
    golden={_given((2, 6))[0]: [[0.5, 2.5, 4.5, 1.5, 3.5, 5.5], [6.5, 8.5, 10.5, 7.5, 9.5, 11.5]]},
    mistakes=_orders(_evens_first, _interleave, "to-halves"),
    observe=_where_from("to-halves"),
    note="只有 4 列（和 2 列）时，两个方向是同一种搬法；只拿 4 列来试，方向写反了也发现不了。",
)
def to_halves(table):
    """把交错布局的表换成分半布局。"""
    n, d = table.shape
    halves = np.empty_like(table)
    for k in range(n):
        for j in range(d):
            halves[k, j // 2 + (j % 2) * (d // 2)] = table[k, j]
    return halves


@coding(
    "3-4",
    **_CONVERTED,
    golden={_given((2, 6))[0]: [[0.5, 3.5, 1.5, 4.5, 2.5, 5.5], [6.5, 9.5, 7.5, 10.5, 8.5, 11.5]]},
    mistakes=_orders(_interleave, _evens_first, "to-interleaved"),
    observe=_where_from("to-interleaved"),
    note="两个方向合起来什么也不变：to_interleaved(to_halves(table)) 逐位等于 table。",
)
def to_interleaved(table):
    """把分半布局的表换成交错布局。"""
    n, d = table.shape
    interleaved = np.empty_like(table)
    for k in range(n):
        for j in range(d):
            interleaved[k, j] = table[k, j // 2 + (j % 2) * (d // 2)]
    return interleaved
