"""第 01 课的练习。"""

from __future__ import annotations

import math

import numpy as np

from ._declare import INTEGERS, coding, guessing, mistake

guessing(
    "1-1",
    asks="四个 True 或 False：(a)、(b)、(c)，和换成“走 慢 慢”以后的 (b)，两个“慢”的输出相同吗",
    right=(True, True, False, False),
    reply="(b) 里头两个词相同时，第二个“慢”看到的是两个一样的值，平均还是它；前面换成“走”，两人看“走”的权重就不同了。",
    misconceptions={
        "mask-always-tells": (
            (True, False, False, False),
            "你以为因果掩码总能分清先后：它只改变看得见谁。第二个“慢”看见的是两个一样的值，平均出来是什么？",
        ),
        "mask-never-tells": (
            (True, True, False, True),
            "你以为因果掩码不管次序：换成“走 慢 慢”，第一个“慢”看见两个词，第二个看见三个，权重怎样分？",
        ),
        "attention-knows-order": (
            lambda a: a[0] is False,
            "你以为自注意力知道先后：对调两个“慢”，X 一点没变，输出怎么会变？",
        ),
        "encoding-changes-nothing": (
            lambda a: a[2] is True,
            "你以为加了编码还分不出：两个“慢”加上的是不同的两行，输入已经不同了。",
        ),
    },
)

guessing(
    "1-4",
    asks="True 或 False：换回次序以后，两句话还分得清吗",
    right=False,
    reply="位置 0 和位置 2 加上的是同一行，对调它们，编码表没有变，所以输出只是照样换了次序。",
    misconceptions={
        "any-encoding-tells": (
            True,
            "你以为只要加了编码就分得清：这张表的第 0 行与第 2 行相同，“我”和“你”对调以后，各自加上的数变了没有？",
        ),
        "one-row-does-not-matter": (
            lambda a: isinstance(a, str),
            "只有分得清、分不清两种：填 True 或 False。想一想对调之后，哪两个词加上的数变了。",
        ),
    },
)

_HIDDEN = -math.inf
_VISIBLE = "掩码加在分数上：看得见的加 0，分数不变；看不见的加负无穷，softmax 之后权重是 0。"
_COUNT = "拿三个词的矩阵，逐个位置写出距离 |s - t|，再看哪些不超过 1。"
_WHY_ADD = "分数加 0、加 1、加负无穷，softmax 之后各成了什么？看不见的词，权重为什么非得恰好是 0？"


def _mask(visible, yes=0.0, no=_HIDDEN):
    return lambda n: [[yes if visible(s, t, n) else no for t in range(n)] for s in range(n)]


def _near(s, t, n):
    return abs(s - t) <= 1


def _seen_as(code, name, hint, *mask, why="三个词时，把你的矩阵逐行念出来：第几个词看得见谁？为什么？"):
    return mistake(f"mask/{code}", name, hint, _mask(*mask), why, "01 因果掩码")


@coding(
    "1-2",
    cases=[(3,), (1,), (2,), (5,), (8,), (140,)],
    random=lambda dice: [(dice.randint(9, 20),)],
    golden={(3,): [[0, 0, _HIDDEN], [0, 0, 0], [_HIDDEN, 0, 0]]},
    dtype=lambda n: [np.float64, np.float32, np.float16, *INTEGERS],  # 一个词的掩码只有 0
    mistakes=[
        _seen_as("one-zero", "看得见的写成了 1，看不见的写成了 0", _VISIBLE, _near, 1, 0, why=_WHY_ADD),
        _seen_as("zero-one", "看得见的写成了 0，看不见的写成了 1", _VISIBLE, _near, 0, 1, why=_WHY_ADD),
        _seen_as("one-hidden", "看得见的写成了 1", _VISIBLE, _near, 1, why=_WHY_ADD),
        _seen_as("inverted", "看得见与看不见颠倒了", _VISIBLE, lambda s, t, n: abs(s - t) > 1),
        _seen_as("plus-infinity", "看不见的加了正无穷，应是负无穷", _VISIBLE, _near, 0, math.inf),
        _seen_as("nan-visible", "看得见的成了 nan", "0 乘以无穷是 nan；不用乘法，用 np.where 挑选。", _near, math.nan),
        _seen_as("nan-hidden", "看不见的写成了 nan", "np.where 两边都会先算；0 乘以无穷是 nan。", _near, 0, math.nan),
        _seen_as(
            "nan-all", "全都成了 nan", "0 乘以无穷是 nan；不用乘法，用 np.where 挑选。", _near, math.nan, math.nan
        ),
        _seen_as("not-self", "对角线也遮住了，词看不见自己", _COUNT, lambda s, t, n: abs(s - t) == 1),
        _seen_as("only-self", "只看得见自己", _COUNT, lambda s, t, n: s == t),
        _seen_as("left", "只看得见自己和左边的词", _COUNT, lambda s, t, n: s - t in (0, 1)),
        _seen_as("right", "只看得见自己和右边的词", _COUNT, lambda s, t, n: t - s in (0, 1)),
        _seen_as("only-left", "只看得见左边的词", _COUNT, lambda s, t, n: s - t == 1),
        _seen_as("only-right", "只看得见右边的词", _COUNT, lambda s, t, n: t - s == 1),
        _seen_as("causal", "成了因果掩码：前文全看得见", _COUNT, lambda s, t, n: t <= s),
        _seen_as("anticausal", "成了倒过来的因果掩码：后文全看得见", _COUNT, lambda s, t, n: t >= s),
        _seen_as("past-and-next", "前文全看得见，后面再看一个", _COUNT, lambda s, t, n: t - s <= 1),
        _seen_as("future-and-previous", "后文全看得见，前面再看一个", _COUNT, lambda s, t, n: s - t <= 1),
        _seen_as("two", "左右各看了两个词", _COUNT, lambda s, t, n: abs(s - t) <= 2),
        _seen_as("three", "左右各看了三个词", _COUNT, lambda s, t, n: abs(s - t) <= 3),
        _seen_as("ring", "首尾接成了一圈", "第一个词的左边没有词。", lambda s, t, n: (s - t) % n in (0, 1, n - 1)),
        _seen_as(
            "wraps-left",
            "第一个词看见了最后一个：负的下标绕到了末尾",
            "第一个词的左边没有词；下标 -1 是最后一个。",
            lambda s, t, n: abs(s - t) <= 1 or (s == 0 and t == n - 1),
        ),
        _seen_as(
            "wraps-right",
            "最后一个词看见了第一个：下标绕回了开头",
            "最后一个词的右边没有词。",
            lambda s, t, n: abs(s - t) <= 1 or (s == n - 1 and t == 0),
        ),
        _seen_as(
            "without-last",
            "最后一个词那一行没有写对",
            "循环走到最后一个词了吗？",
            lambda s, t, n: abs(s - t) <= 1 and s < n - 1,
        ),
        _seen_as(
            "without-first",
            "第一个词那一行没有写对",
            "循环从第一个词起了吗？",
            lambda s, t, n: abs(s - t) <= 1 and s > 0,
        ),
        _seen_as(
            "inner-only",
            "头尾两个词那两行没有写对",
            "头尾两个词只有一边有邻居，也要写。",
            lambda s, t, n: abs(s - t) <= 1 and 0 < s < n - 1,
        ),
        _seen_as("parity", "按奇偶挑选了", _COUNT, lambda s, t, n: (s - t) % 2 == 0),
        _seen_as(
            "first-row-only", "只写了第一行", "return 是不是缩进到循环里面了？", lambda s, t, n: s == 0 and t <= 1
        ),
        _seen_as("all", "全都看得见", _COUNT, lambda s, t, n: True),
        _seen_as("none", "全都看不见", _COUNT, lambda s, t, n: False),
        *(
            _seen_as(
                f"finite-{no:.3g}".replace("+", ""),
                f"看不见的写成了 {no:g}，不是负无穷",
                "加一个有限的数，权重只是小，不是 0；题目要 -np.inf。",
                _near,
                0,
                no,
                why=_WHY_ADD,
            )
            for no in (
                *(-(10.0**k) for k in (9, 4, 8, 5, 10, 30, 38, 0, 2, 1, 3, 6, 7, 12, 15, 18, 20, 300)),
                *(float(np.finfo(kind).min) for kind in (np.float16, np.float32, np.float64)),
            )
        ),
        mistake(
            "mask/distance",
            "返回的是距离，还没有换成 0 和负无穷",
            _VISIBLE,
            lambda n: abs(np.subtract.outer(range(n), range(n))),
        ),
    ],
    tested="核对了 7 种长度，从 1 个词到 140 个词；其中三个词的那张是手写的。",
    note="这个掩码是对称的，所以整句倒过来，它不变。",
)
def neighbor_mask(seq_len):
    """返回只许看自己和左右各一个词的掩码。"""
    return [[0.0 if abs(s - t) <= 1 else _HIDDEN for t in range(seq_len)] for s in range(seq_len)]


_ONE = "P @ X 的第 k 行是 P 的第 k 行乘 X；要它等于 X 的第 order[k] 行，那个 1 该放在第几列？"
_EACH = "每行每列恰有一个 1，其余是 0。"


def _moved(code, name, hint, formula, why="拿 [1, 2, 0] 和三行的 X，在纸上写出 P @ X：它等于 X[order] 吗，为什么？"):
    return mistake(f"permutation/{code}", name, hint, formula, why, "01 打乱输入")


def _only(rows):
    """只写了这几行的置换矩阵。"""
    return lambda o: np.eye(len(o))[o] * np.isin(np.arange(len(o)), rows(len(o)))[:, None]


@coding(
    "1-3",
    cases=[([1, 2, 0],), ([0],), ([1, 0],), ([0, 1, 2],), ([2, 0, 3, 1],), ([4, 2, 0, 1, 3],)],
    random=lambda dice: [(dice.sample(range(8), 8),)],
    golden={},
    dtype=lambda order: [np.float64, np.float32, np.float16, np.bool_, *INTEGERS],
    mistakes=[
        _moved("transposed", "矩阵转置了：它把次序换回去", _ONE, lambda o: np.eye(len(o))[:, o]),
        _moved("identity", "总是单位矩阵，次序没有换", _ONE, lambda o: np.eye(len(o))),
        _moved("rows-reversed", "行的次序整个反了", _ONE, lambda o: np.eye(len(o))[o[::-1]]),
        _moved("always-reversed", "总是整句倒过来", "order 用上了吗？", lambda o: np.eye(len(o))[::-1]),
        _moved("twice", "换了两遍次序", "只换一遍。", lambda o: np.eye(len(o))[o][o]),
        _moved("inverted", "0 和 1 颠倒了", _EACH, lambda o: 1 - np.eye(len(o))[o]),
        _moved(
            "next-column",
            "1 放的位置往右差了一列",
            "下标从 0 数起。",
            lambda o: np.eye(len(o))[[(k + 1) % len(o) for k in o]],
        ),
        _moved(
            "previous-column",
            "1 放的位置往左差了一列",
            "下标从 0 数起。",
            lambda o: np.eye(len(o))[[(k - 1) % len(o) for k in o]],
        ),
        _moved("order-itself", "返回的是次序本身，不是矩阵", _ONE, lambda o: o),
        _moved("one-row", "返回的是一行，不是矩阵", _ONE, lambda o: np.eye(len(o))[o[0]]),
        _moved("zeros", "全是 0，1 没有放进去", _EACH, lambda o: np.zeros((len(o), len(o)))),
        _moved("ones", "全是 1", _EACH, lambda o: np.ones((len(o), len(o)))),
        _moved(
            "whole-rows",
            "整行都成了 1：下标少了一个",
            _EACH,
            lambda o: np.eye(len(o))[o] * 0 + np.isin(range(len(o)), o)[:, None],
        ),
        _moved("values-by-column", "放的是列号，不是 1", _EACH, lambda o: np.eye(len(o))[o] * np.arange(len(o))),
        _moved("values-by-row", "放的是行号，不是 1", _EACH, lambda o: np.eye(len(o))[o] * np.arange(len(o))[:, None]),
        _moved("scaled-by-column", "放的是 order 的值，不是 1：按列", _EACH, lambda o: np.eye(len(o))[o] * np.array(o)),
        _moved(
            "scaled-by-row",
            "放的是 order 的值，不是 1：按行",
            _EACH,
            lambda o: np.eye(len(o))[o] * np.array(o)[:, None],
        ),
        _moved("first-row", "只写了第一行", "return 是不是缩进到循环里面了？", _only(lambda n: [0])),
        _moved("without-last", "最后一行没有写", "循环走到最后一行了吗？", _only(lambda n: range(n - 1))),
        _moved("without-first", "第一行没有写", "循环从 0 数起了吗？", _only(lambda n: range(1, n))),
        _moved("both", "次序和它的逆都放了 1", _EACH, lambda o: np.maximum(np.eye(len(o))[o], np.eye(len(o))[:, o])),
        _moved(
            "sorting",
            "返回的是给 order 排序用的次序",
            _ONE,
            lambda o: np.argsort(o),
        ),
    ],
    tested="核对了 7 种次序，最短的只有一个词。",
    note="np.eye(n)[order] 就是它：把单位矩阵的行换个次序。它的转置把次序换回去。",
)
def permutation_matrix(order):
    """返回 ``P``，使 ``P @ X`` 等于 ``X[order]``。"""
    return [[1.0 if column == k else 0.0 for column in range(len(order))] for k in order]
