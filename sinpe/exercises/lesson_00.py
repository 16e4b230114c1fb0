"""第 00 课的练习。"""

from __future__ import annotations

import numpy as np

from ._declare import GOLDEN, coding, guessing, loose, mistake, row

guessing(
    "0-1",
    asks="一个大约的位置，例如 50",
    right=524,
    near=0.2,
    reply="第 6 列是 sin(pos/1000)，它第一次超过 0.5 在位置 524：30° 是 π/6 弧度，乘 1000 就是。",
    misconceptions={
        "degrees-for-radians": (30000, "你以为正弦里的数是度：30° 的正弦是 0.5，可 np.sin 认的是弧度，30° 是 π/6。"),
        "first-pair": (1, "你看的像是第 0 列，它的角频率是 1。第 6 列是第 3 对：角频率是 10000 的 -6/8 次方。"),
        "third-frequency": (52, "角频率差了一级：第 6 列是第 3 对，不是第 2 对，d_model = 8 时每下一对慢十倍。"),
        "quarter-turn": (1571, "那是正弦到 1 的地方，转了四分之一圈；它到 0.5 要早得多。"),
        "index-is-exponent": (5236, "角频率差了一级：分母是 10000 的 6/8 次方，也就是 1000，不是 10000。"),
    },
)


@coding(
    "0-2",
    cases=[
        (1, 8),
        (0, 2),
        (1, 2),
        (1, 4),
        (2, 4),
        (1, 6),
        (3, 8),
        (7, 6),
        (100, 16),
        (1000, 64),
        (2, 512),
        (2049, 8),
        (32767, 4),
    ],
    random=lambda dice: [(dice.randint(3, 300), 2 * dice.randint(5, 40))],
    golden={key: GOLDEN[key] for key in ((1, 8), (1, 4), (2, 4))},
    atol=lambda expected, pos, d_model: loose(pos),  # 这一课还没有讲精度
    place=lambda index, *args: f"第 {index[0]} 列",
    table=lambda pos, d_model: ([pos], d_model, 10000.0),
    forbids=["sinpe"],
    tested="核对了 14 组位置和维度，位置从 0 到 32767，维度从 2 到 512；其中三行是另外算好的。",
    note="第 2i 列和第 2i+1 列共用一个角度，所以它们的平方和总是 1。",
)
def encode_one(pos, d_model):
    """返回一个位置的编码。"""
    return row(pos, d_model)


_WHICH_AXIS = "x 的三个轴依次是句子、位置、列；编码要沿位置的轴加，每一句都从位置 0 开始。"
_ONE_ROW = "取出的是一段：pe[a:b] 是 b - a 行，pe[a] 只有一行。"
_SLICE = "pe 常常比句子长：先切出前 seq_len 行。x 的哪个轴是 seq_len？"


_FIRST = "np.tile([1.0, 2.0, 3.0, 4.0], (1, 2, 1)), np.array([[0, 1, 0, 1], [0.8415, 0.5403, 0.01, 1.0], [5, 6, 7, 8]])"


def _numbers(shape, longest, dtype="float64"):
    """一批不重样的词嵌入，和一张不是编码的表：没有用上 pe 的，这时露馅。"""
    count, d = int(np.prod(shape)), shape[2]
    given = f"np.arange({count}).reshape({shape}) % 17 - 5.0, np.arange({longest * d}).reshape({longest}, {d}) % 11 / 4"
    return ", ".join(f"({part}).astype(np.{dtype})" for part in given.split(", np.")).replace("(arange", "(np.arange")


@coding(
    "0-3",
    cases=[
        _FIRST,
        *(
            _numbers(shape, longest, dtype)
            for shape, longest in [
                ((1, 2, 4), 5),
                ((2, 3, 4), 10),
                ((1, 1, 2), 1),
                ((1, 3, 4), 3),
                ((3, 1, 2), 5),
                ((3, 3, 4), 9),
                ((2, 5, 6), 6),
                ((2, 4, 8), 8),
                ((2, 4, 4), 4),
                ((4, 4, 4), 6),
                ((5, 7, 16), 50),
            ]
            for dtype in ("float64", "float32")
        ),
    ],
    golden={_FIRST: [[[1, 3, 3, 5], [1.8415, 2.5403, 3.01, 5]]]},
    atol=lambda expected, x, pe: 2.0**-22 * (1 + np.abs(expected)),  # 这一课还没有讲精度：float32 的和也算对
    place=lambda index, *args: f"第 {index[0]} 句、位置 {index[1]}、第 {index[2]} 列",
    mistakes=[
        mistake("add/whole-table", "整张表都加上了，没有切出前 seq_len 行", _SLICE, lambda x, pe: x + pe),
        mistake(
            "add/sliced-by-width", "切的行数用了 d_model，应是 seq_len", _SLICE, lambda x, pe: x + pe[: x.shape[2]]
        ),
        mistake("add/sliced-by-batch", "切的行数用了句子的个数，应是 seq_len", _SLICE, lambda x, pe: x + pe[: len(x)]),
        mistake("add/short", "少取了一行", _SLICE, lambda x, pe: x + pe[: x.shape[1] - 1]),
        mistake("add/long", "多取了一行", _SLICE, lambda x, pe: x + pe[: x.shape[1] + 1]),
        mistake("add/column", "取成了第 seq_len 列，不是前 seq_len 行", _ONE_ROW, lambda x, pe: x + pe[:, x.shape[1]]),
        mistake("add/one-row", "取成了第 seq_len 行，只有一行", _ONE_ROW, lambda x, pe: x + pe[x.shape[1]]),
        mistake("add/last-row", "取成了第 seq_len - 1 行，只有一行", _ONE_ROW, lambda x, pe: x + pe[x.shape[1] - 1]),
        mistake("add/columns", "切的是列，不是行", _ONE_ROW, lambda x, pe: x + pe[:, : x.shape[1]]),
        mistake(
            "add/later", "取成了后面的一段", "第一个词的位置是 0。", lambda x, pe: x + pe[x.shape[1] : 2 * x.shape[1]]
        ),
        mistake(
            "add/sentence-offset",
            "每句话的起点不同：第 k 句从位置 k 开始了",
            _WHICH_AXIS,
            lambda x, pe: np.array([x[k] + pe[k : k + x.shape[1]] for k in range(len(x))]),
        ),
        mistake("add/row-zero", "每个位置都加了同一行：总是位置 0", _ONE_ROW, lambda x, pe: x + pe[0]),
        mistake("add/row-one", "每个位置都加了同一行：总是位置 1", _ONE_ROW, lambda x, pe: x + pe[1]),
        mistake(
            "add/along-batch",
            "沿批的轴加了：第 k 句的每个词都加了位置 k",
            _WHICH_AXIS,
            lambda x, pe: x + pe[: len(x), None],
        ),
        mistake("add/from-one", "位置从 1 数起", "第一个词的位置是 0。", lambda x, pe: x + pe[1 : x.shape[1] + 1]),
        mistake(
            "add/last-rows", "取成了编码表的最后几行", "一句话从位置 0 开始。", lambda x, pe: x + pe[-x.shape[1] :]
        ),
        mistake("add/reversed", "位置的次序反了", "第一个词的位置是 0。", lambda x, pe: x + pe[: x.shape[1]][::-1]),
        mistake("add/subtracted", "减去了编码，应当相加", "看看符号。", lambda x, pe: x - pe[: x.shape[1]]),
        mistake("add/multiplied", "乘上了编码，应当相加", "看看符号。", lambda x, pe: x * pe[: x.shape[1]]),
        mistake(
            "add/only-encoding",
            "只返回了编码，没有加到 x 上",
            "x 用上了吗？",
            lambda x, pe: np.broadcast_to(pe[: x.shape[1]], x.shape),
        ),
        mistake("add/slice-only", "只返回了切出的编码", "x 用上了吗？", lambda x, pe: pe[: x.shape[1]]),
        mistake(
            "add/unchanged", "原样返回了 x，编码没有加上", "相加的结果是新的数组，要接住它再返回。", lambda x, pe: x
        ),
        mistake("add/twice", "编码加了两遍", "只加一遍。", lambda x, pe: x + 2 * pe[: x.shape[1]]),
        mistake(
            "add/own-table",
            "没有用传进来的 pe，自己又算了一张",
            "pe 是参数，里面可以是任何一张表；用它。",
            lambda x, pe: x + np.array([row(p, x.shape[2]) for p in range(x.shape[1])]),
        ),
        mistake(
            "add/scaled-input",
            "x 先乘了 √d_model，题目没有要求",
            "这个系数是另一件事，这道题只要相加。",
            lambda x, pe: x * x.shape[2] ** 0.5 + pe[: x.shape[1]],
        ),
        mistake(
            "add/scaled-encoding",
            "编码除以了 √d_model，题目没有要求",
            "这道题只要相加。",
            lambda x, pe: x + pe[: x.shape[1]] / x.shape[2] ** 0.5,
        ),
        mistake("add/halved", "编码只加了一半", "这道题只要相加。", lambda x, pe: x + pe[: x.shape[1]] / 2),
        mistake("add/averaged", "取了平均，题目要的是和", "不用除以 2。", lambda x, pe: (x + pe[: x.shape[1]]) / 2),
        mistake(
            "add/first-sentence",
            "只有第一句加上了编码",
            _WHICH_AXIS,
            lambda x, pe: x + pe[: x.shape[1]] * (np.arange(len(x)) == 0)[:, None, None],
        ),
        mistake(
            "add/first-word",
            "每句只有第一个词加上了编码",
            _WHICH_AXIS,
            lambda x, pe: x + pe[: x.shape[1]] * (np.arange(x.shape[1]) == 0)[:, None],
        ),
        mistake(
            "add/without-last",
            "每句的最后一个词没有加上编码",
            _WHICH_AXIS,
            lambda x, pe: x + pe[: x.shape[1]] * (np.arange(x.shape[1]) < x.shape[1] - 1)[:, None],
        ),
        mistake(
            "add/counted-on",
            "沿批的轴接着数位置：第二句没有从 0 开始",
            _WHICH_AXIS,
            lambda x, pe: x + pe[: len(x) * x.shape[1]].reshape(x.shape),
        ),
        mistake(
            "add/appended",
            "编码接在了 x 的后面，题目要的是相加",
            "相加不改变形状：d_model 列还是 d_model 列。",
            lambda x, pe: np.concatenate([x, np.broadcast_to(pe[: x.shape[1]], x.shape)], axis=-1),
        ),
    ],
    tested="核对了 12 组形状，float32 和 float64 都有；有一句话的、一个词的，也有句子数、词数、维度相等的；"
    "pe 里不一定是正弦、余弦。",
    note="广播从右边对齐，所以 (seq_len, d_model) 的表对每一句话都加同样的数，不必写循环。",
)
def add_encoding(x, pe):
    """把编码加到一批句子上。"""
    batch, seq_len, d_model = x.shape
    return [
        [[float(x[b, p, j]) + float(pe[p, j]) for j in range(d_model)] for p in range(seq_len)] for b in range(batch)
    ]
