"""第 07 课的练习。"""

from __future__ import annotations

import numpy as np

from ._declare import coding, guessing, mistake

guessing(
    "7-1",
    asks="一个位置，例如 10",
    right=5,
    reply="五个词占了 0 到 4，填充不占号。缓存有几格，与新词在第几个位置，是两回事。",
    misconceptions={
        "cache-slots": (8, "你数的是缓存的格数：其中 3 格是填充，不占位置。"),
        "cache-slots-from-one": (9, "你数的是缓存的格数，还从 1 数起；填充不占位置，第一个真实的词在 0。"),
        "forgot-cache": (0, "你让它从头数起：缓存里的词已经占了前面的位置。"),
        "last-word": (4, "那是缓存里最后一个词的位置，新词还要往后一个。"),
        "from-one": (6, "你从 1 数起了：第一个真实的词在位置 0。"),
        "padding-only": (3, "那是填充的格数；要数的是真实的词。"),
    },
)

_FIRST = "缓存里有 cached 个词，它们占了位置 0 到 cached − 1。"
_AXIS = "位置沿着词的轴变：(n, d) 与 (batch, n, d) 从右边对齐。"


def _cache(code, name, hint, formula, why=""):
    return mistake(f"cache/{code}", name, hint, formula, why, "07 一个词一个词地生成")


def _given(seed, batch, n, d, rows, cached):
    draw = f"np.random.default_rng({seed}).normal(size"
    other = f"np.random.default_rng({seed + 1}).normal(size"
    return f"{draw}=({batch}, {n}, {d})), {other}=({rows}, {d})), {cached}"


@coding(
    "7-2",
    cases=[
        "np.array([[[1.0, 2.0]]]), np.array([[10.0, 20.0], [30.0, 40.0], [50.0, 60.0]]), 1",
        _given(10, 2, 3, 4, 9, 0),
        _given(20, 1, 1, 2, 6, 5),
        _given(30, 3, 3, 6, 12, 4),
        _given(40, 2, 5, 4, 20, 15),
        _given(50, 4, 2, 2, 30, 7),
    ],
    random=lambda dice: [
        _given(dice.randint(100, 900), dice.randint(2, 4), dice.randint(2, 5), 4, 40, dice.randint(2, 30))
    ],
    golden={"np.array([[[1.0, 2.0]]]), np.array([[10.0, 20.0], [30.0, 40.0], [50.0, 60.0]]), 1": [[[31.0, 42.0]]]},
    atol=lambda expected, *args: 1e-5,  # float32 的结果也算对
    place=lambda index, *args: f"第 {index[0]} 句、第 {index[1]} 个新词、第 {index[2]} 个数",
    mistakes=[
        _cache(
            "ignored",
            "没有用上 cached，每次都从位置 0 起",
            _FIRST,
            lambda x, t, c: x + t[: x.shape[1]],
            "逐个送进 20 个词，你的函数给它们的位置各是几？",
        ),
        _cache(
            "one-more",
            "多走了一格，从 cached + 1 起",
            _FIRST,
            lambda x, t, c: x + np.roll(t, -c - 1, axis=0)[: x.shape[1]],
        ),
        _cache(
            "one-less",
            "少走了一格，从 cached − 1 起",
            _FIRST,
            lambda x, t, c: x + np.roll(t, 1 - c, axis=0)[: x.shape[1]],
        ),
        _cache("one-row", "每个新词都加了同一行", _FIRST, lambda x, t, c: x + t[c]),
        _cache("from-end", "取了表末尾的几行", _FIRST, lambda x, t, c: x + t[len(t) - x.shape[1] :]),
        _cache(
            "by-sentence",
            "位置沿着句子走了：第二句接着第一句数",
            _AXIS,
            lambda x, t, c: (
                x + np.array([np.roll(t, -c - b * x.shape[1], axis=0)[: x.shape[1]] for b in range(len(x))])
            ),
        ),
        _cache(
            "batch-axis",
            "加到了批的轴上：每一句加一行",
            _AXIS,
            lambda x, t, c: x + np.roll(t, -c, axis=0)[: len(x), None],
        ),
        _cache(
            "only-code",
            "返回的是编码，没有加上词",
            "返回 x 加上那几行。",
            lambda x, t, c: 0 * x + t[c : c + x.shape[1]],
        ),
        _cache("only-words", "编码没有加上去", "返回 x 加上那几行。", lambda x, t, c: x.copy()),
        _cache("multiplied", "相乘了，应相加", "编码是加上去的。", lambda x, t, c: x * t[c : c + x.shape[1]]),
        _cache("subtracted", "相减了，应相加", "编码是加上去的。", lambda x, t, c: x - t[c : c + x.shape[1]]),
    ],
    tested="核对了 7 组：一句到四句，一个到五个新词，缓存从 0 到二十几；表里的数是随机的。",
    note="cached = 0 就是平常的相加；一个词一个词地送，cached 每次加 1。",
)
def add_from_cache(x, table, cached):
    """返回新词加上从 cached 起的几行编码。"""
    return [
        [[float(v) + float(table[cached + t][j]) for j, v in enumerate(row)] for t, row in enumerate(sentence)]
        for sentence in x
    ]


_COUNT = "分母是这一句真实的词数，不是 n。"


def _mean(code, name, hint, formula, why=""):
    return mistake(f"mean/{code}", name, hint, formula, why, "07 填充")


def _masked(seed, mask, d):
    return f"np.random.default_rng({seed}).normal(size=({len(mask)}, {len(mask[0])}, {d})) + 1, np.array({mask})"


@coding(
    "7-3",
    cases=[
        "np.array([[[2.0, 4.0], [6.0, 8.0], [9.0, 9.0]]]), np.array([[1, 1, 0]])",
        _masked(1, [[1]], 2),
        _masked(2, [[1, 1, 0], [1, 0, 0]], 2),
        _masked(3, [[0, 0, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]], 3),
        _masked(4, [[1, 1], [0, 1]], 2),
        _masked(5, [[0, 1, 1, 1, 0], [1, 0, 0, 0, 0]], 4),
    ],
    random=lambda dice: [
        _masked(dice.randint(10, 99), [[1, *(dice.randint(0, 1) for _ in range(5)), 0] for _ in range(3)], 3)
    ],
    golden={"np.array([[[2.0, 4.0], [6.0, 8.0], [9.0, 9.0]]]), np.array([[1, 1, 0]])": [[4.0, 6.0]]},
    atol=lambda expected, *args: 1e-5,  # float32 的结果也算对
    place=lambda index, *args: f"第 {index[0]} 句、第 {index[1]} 个数",
    mistakes=[
        _mean(
            "all-rows",
            "把填充的行也算进去了",
            _COUNT,
            lambda y, m: y.mean(axis=1),
            "一句话补上十个填充，你的平均变不变？",
        ),
        _mean("over-n", "填充没有加进去，分母却还是 n", _COUNT, lambda y, m: (y * m[:, :, None]).mean(axis=1)),
        _mean("sum", "只求了和，没有除", _COUNT, lambda y, m: (y * m[:, :, None]).sum(axis=1)),
        _mean(
            "inverted",
            "掩码用反了：平均的是填充",
            "1 是真实的词。",
            lambda y, m: (y * (1 - m)[:, :, None]).sum(axis=1) / np.maximum((1 - m).sum(axis=1), 1)[:, None],
        ),
        _mean(
            "unmasked-sum",
            "求和时没有挡住填充，分母却是真实的词数",
            "先让填充的行成为 0。",
            lambda y, m: y.sum(axis=1) / m.sum(axis=1)[:, None],
        ),
        _mean(
            "one-count",
            "所有的句子除以了同一个词数",
            "各句的词数不同。",
            lambda y, m: (y * m[:, :, None]).sum(axis=1) / m.sum(axis=1).mean(),
        ),
        _mean(
            "total-count",
            "分母是整批的词数",
            "各句的词数不同。",
            lambda y, m: (y * m[:, :, None]).sum(axis=1) / m.sum(),
        ),
        _mean(
            "first-rows",
            "取了开头的几行：填充在左边、在中间时就错了",
            "哪几行是词，由 mask 说，不一定在开头。",
            lambda y, m: np.array([row[: int(k)].mean(axis=0) for row, k in zip(y, m.sum(axis=1), strict=True)]),
        ),
        _mean(
            "last-word",
            "取的是最后一个真实的词",
            "题目要平均。",
            lambda y, m: np.array([row[np.flatnonzero(k)[-1]] for row, k in zip(y, m, strict=True)]),
        ),
        _mean(
            "maximum",
            "取了最大的，题目要平均",
            "题目要平均。",
            lambda y, m: np.where(m[:, :, None] == 1, y, -np.inf).max(axis=1),
        ),
        _mean(
            "whole-batch",
            "整批一起平均了",
            "每一句各有各的平均。",
            lambda y, m: np.tile(y[m == 1].mean(axis=0), (len(y), 1)),
        ),
    ],
    tested="核对了 7 批：填充在右边、在左边、夹在中间，有的句子只有一个词。",
    note="这样求的平均，补多少填充都不变。",
)
def mean_of_words(y, mask):
    """返回每一句真实的词的平均。"""
    result = []
    for rows, flags in zip(y, mask, strict=True):
        kept = [row for row, flag in zip(rows, flags, strict=True) if flag]
        result.append([sum(float(row[j]) for row in kept) / len(kept) for j in range(len(rows[0]))])
    return result
