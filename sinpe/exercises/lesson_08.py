"""第 08 课的练习。"""

from __future__ import annotations

import math

import numpy as np

from ._declare import coding, guessing, mistake

guessing(
    "8-1",
    asks="一个位置，例如 50",
    right=103,
    reply="转置就是转回去，分数是 g(m − n + 3)，在往后三步的 103 最高。",
    misconceptions={
        "transpose-changes-nothing": (97, "你以为转置了还是它：旋转的转置是逆，平移的方向跟着反过来。"),
        "looks-at-itself": (100, "你以为它退而看自己：有因果掩码、看不见后面时才这样；这里没有掩码。"),
        "double": (lambda a: a in (94, 106), "你多走了一倍：转置把往回三步变成往后三步，步数没有变。"),
    },
)

_BLOCK = "第 i 块是 [[cos θ, sin θ], [-sin θ, cos θ]]，θ = k·ω_i。"
_WHERE = "交错布局：第 i 对占第 2i、2i+1 行，也占第 2i、2i+1 列。"
_OMEGA = "ω_i = base 的 -2i/d_model 次方；base 由参数给出。"


def _blocks(cells, angle=lambda k, i, d, base: k * base ** (-2 * i / d), place=lambda i, d: (2 * i, 2 * i + 1)):
    """由一块的四个数和角度的算法，拼成整个矩阵。"""

    def build(d_model, k, base):
        matrix = np.zeros((d_model, d_model))
        for i in range(d_model // 2):
            theta = angle(k, i, d_model, base)
            a, b = place(i, d_model)
            c, s = math.cos(theta), math.sin(theta)
            (matrix[a, a], matrix[a, b]), (matrix[b, a], matrix[b, b]) = cells(c, s)
        return matrix

    return build


def _turn(c, s):
    return (c, s), (-s, c)


def _head(code, name, hint, build, why=""):
    return mistake(f"head/{code}", name, hint, build, why, "08 两个矩阵")


@coding(
    "8-2",
    cases=[
        (2, 1, 10000.0),
        (2, 0, 10000.0),
        (4, 3, 10000.0),
        (4, -2, 100.0),
        (6, 0.5, 10000.0),
        (8, 7, 500.0),
        (16, 1000, 10000),
        (64, 3, 10000.0),
    ],
    random=lambda dice: [(2 * dice.randint(3, 20), dice.randint(-99, 99), float(dice.randint(20, 90000)))],
    golden={(2, 1, 10000.0): [[0.5403023059, 0.8414709848], [-0.8414709848, 0.5403023059]]},
    atol=lambda expected, d_model, k, base: 2.0**-22 * max(1.0, abs(k)),  # float32 的角度也算对
    mistakes=[
        _head(
            "transposed",
            "方向反了：成了往后看 k 步（块是转置的）",
            _BLOCK,
            _blocks(lambda c, s: ((c, -s), (s, c))),
            "拿一对、k = 1 手算：位置 0 的 (0, 1) 应变成哪个位置的编码？",
        ),
        _head("symmetric", "块的左下角少了负号", _BLOCK, _blocks(lambda c, s: ((c, s), (s, c)))),
        _head("no-sine", "只有余弦，没有正弦：往左往右分不开", _BLOCK, _blocks(lambda c, s: ((c, 0), (0, c)))),
        _head("swapped", "正弦和余弦放反了", _BLOCK, _blocks(lambda c, s: ((s, c), (-c, s)))),
        _head(
            "halves",
            "成了分半布局：第 i 对放在第 i、i + d/2 行",
            _WHERE,
            _blocks(_turn, place=lambda i, d: (i, i + d // 2)),
        ),
        _head("own-base", "底数不是参数给的，用的是 10000", _OMEGA, lambda d, k, base: _blocks(_turn)(d, k, 10000.0)),
        _head("doubled", "指数加倍了", _OMEGA, _blocks(_turn, lambda k, i, d, base: k * base ** (-4 * i / d))),
        _head("half-exponent", "指数少乘了 2", _OMEGA, _blocks(_turn, lambda k, i, d, base: k * base ** (-i / d))),
        _head(
            "inverse", "乘除颠倒了，越往右越快", _OMEGA, _blocks(_turn, lambda k, i, d, base: k * base ** (2 * i / d))
        ),
        _head(
            "endpoint", "指数写成了 i/(d/2-1)", _OMEGA, _blocks(_turn, lambda k, i, d, b: k * b ** (-2 * i / (d - 2)))
        ),
        _head("one-frequency", "每一块都用了第 0 对的角频率", _OMEGA, _blocks(_turn, lambda k, i, d, base: k)),
        _head(
            "degrees",
            "角度换算成了度",
            "角度本来就是弧度。",
            _blocks(_turn, lambda k, i, d, b: math.degrees(k * b ** (-2 * i / d))),
        ),
        _head("one-step", "没有用上 k，总是一步", _BLOCK, lambda d, k, base: _blocks(_turn)(d, 1, base)),
        _head("whole-steps", "k 取了整", "k 可以是小数。", lambda d, k, base: _blocks(_turn)(d, int(k), base)),
        _head("absolute", "k 的正负号丢了", "k 可以是负数。", lambda d, k, base: _blocks(_turn)(d, abs(k), base)),
        _head("minus", "整个矩阵变了号", _BLOCK, lambda d, k, base: -_blocks(_turn)(d, k, base)),
    ],
    tested="核对了 9 组维度、步数和底数，2 维到 64 维；步数有 0、负数和小数。",
    note="它就是第 05 课的平移矩阵。k = 0 时是单位矩阵：分数最高的是自己。",
)
def look_back_head(d_model, k, base):
    """返回使分数在往回 k 步最大的 B。"""
    matrix = [[0.0] * d_model for _ in range(d_model)]
    for i in range(d_model // 2):
        theta = k * base ** (-2 * i / d_model)
        matrix[2 * i][2 * i] = matrix[2 * i + 1][2 * i + 1] = math.cos(theta)
        matrix[2 * i][2 * i + 1] = math.sin(theta)
        matrix[2 * i + 1][2 * i] = -math.sin(theta)
    return matrix


_ORDER = "次序是：词作查询词作键、词作查询位置作键、位置作查询词作键、位置作查询位置作键。"
_QUERY = "第 m 行是第 m 个作查询：左边的因子是查询，右边的转置之后才是键。"


def _terms(one=lambda q, b, k: q @ b @ k.T, order=((0, 0), (0, 1), (1, 0), (1, 1))):
    return lambda e, p, b: np.stack([one((e, p)[i], b, (e, p)[j]) for i, j in order])


def _split(code, name, hint, formula, why=""):
    return mistake(f"four-terms/{code}", name, hint, formula, why, "08 加上词")


def _random_terms(seed, n, d):
    made = ", ".join(
        f"np.random.default_rng({seed + k}).normal(size=({rows}, {d}))" for k, rows in enumerate((n, n, d))
    )
    return made


@coding(
    "8-3",
    cases=[
        "np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 1.0], [3.0, 0.0]]), np.array([[1.0, 2.0], [0.0, 1.0]])",
        "np.array([[2.0]]), np.array([[3.0]]), np.array([[5.0]])",
        _random_terms(10, 3, 2),
        _random_terms(20, 2, 3),
        _random_terms(30, 4, 4),
        _random_terms(40, 7, 6),
    ],
    random=lambda dice: [_random_terms(dice.randint(100, 999), dice.randint(2, 6), dice.randint(2, 6))],
    golden={
        "np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 1.0], [3.0, 0.0]]), np.array([[1.0, 2.0], [0.0, 1.0]])": [
            [[1, 4], [0, 4]],
            [[2, 3], [2, 0]],
            [[0, 2], [3, 12]],
            [[1, 0], [6, 9]],
        ]
    },
    atol=lambda expected, *args: 1e-5 * max(1.0, float(np.abs(expected).max())),  # float32 也算对
    place=lambda index, *args: f"第 {index[0]} 项的第 {index[1]} 行第 {index[2]} 列",
    mistakes=[
        _split("cross-swapped", "词—位与位—词放反了", _ORDER, _terms(order=((0, 0), (1, 0), (0, 1), (1, 1)))),
        _split("position-first", "位置的项放到了最前面", _ORDER, _terms(order=((1, 1), (1, 0), (0, 1), (0, 0)))),
        _split("transposed", "每一项都转置了：行成了键", _QUERY, _terms(lambda q, b, k: (q @ b @ k.T).T)),
        _split(
            "b-transposed",
            "用的是 b 的转置",
            _QUERY,
            _terms(lambda q, b, k: q @ b.T @ k.T),
            "b 对称时看不出来；它对称吗？",
        ),
        _split("no-b", "没有用上 b", "每一项都是三个矩阵的乘积。", _terms(lambda q, b, k: q @ k.T)),
        _split(
            "same-cross",
            "位—词用了词—位的转置：b 对称时才相等",
            _QUERY,
            lambda e, p, b: np.stack([e @ b @ e.T, e @ b @ p.T, (e @ b @ p.T).T, p @ b @ p.T]),
        ),
        _split(
            "scaled", "多除了 √d", "题目只要四项，不缩放。", _terms(lambda q, b, k: q @ b @ k.T / k.shape[1] ** 0.5)
        ),
        _split("sum", "四项都写成了总和", _ORDER, lambda e, p, b: np.stack([(e + p) @ b @ (e + p).T] * 4)),
        _split(
            "added", "把四项加起来了，只剩一张", "四项各占一层：np.stack。", lambda e, p, b: (e + p) @ b @ (e + p).T
        ),
        _split(
            "last-axis", "四项放到了最后一个轴", "第 0 轴是项。", lambda e, p, b: np.stack(_terms()(e, p, b), axis=-1)
        ),
        _split(
            "side-by-side",
            "四项左右拼了起来",
            "np.stack 添一个新的轴，np.concatenate 不添。",
            lambda e, p, b: np.concatenate(_terms()(e, p, b), axis=1),
        ),
    ],
    tested="核对了 7 组，行数和列数有相等的也有不等的；b 都不对称；第一组是手算的。",
    note="四项加起来就是整个分数；b 不对称时，词—位与位—词不是互为转置。",
)
def four_terms(e, p, b):
    """返回分数的四项。"""
    result = []
    for query in (e, p):
        for key in (e, p):
            result.append(
                [
                    [
                        sum(float(q[i]) * float(b[i][j]) * float(k[j]) for i in range(len(b)) for j in range(len(b)))
                        for k in key
                    ]
                    for q in query
                ]
            )
    return result
