"""第 12 课的练习。"""

from __future__ import annotations

import math

import numpy as np

from ._declare import coding, guessing, mistake

guessing(
    "12-1",
    asks="一个位置，例如 1000",
    right=16,
    reply="4 位有效数字写得出 0 到 16 的每一个整数；17 要 5 位，舍入成 16。",
    misconceptions={
        "first-lost": (17, "17 是写不出的那一个，它舍入成 16；题目问的是与下一个分不开的那一个。"),
        "stored-bits": (8, "你按存下的 3 位尾数算了；前面还有一位默认的 1，一共 4 位。"),
        "all-kept": (15, "15 是 4 位二进制写得出的最大整数，可是 16 = 2^4 也存得下：尾数不变，指数加一。"),
        "bfloat16": (256, "256 是 bfloat16 的界限，它有 8 位有效数字；这里只有 4 位。"),
        "eight-bits": (lambda a: a > 100, "范围大不等于分得清：一共 8 位，大半给了符号和指数，有效数字只有 4 位。"),
    },
)

_PAIR = "第 i 个分量配第 i + d/2 个：左半是每一对的第一个数，右半是第二个。"
_FORMULA = "(a cos θ − b sin θ, a sin θ + b cos θ)：两项的符号，一减一加。"
_LADDER = "ω_i = 10000 的 −2i/d 次方，i 数的是对，一共 d/2 对。"


def _rotated(signs=(-1, 1), exponent=lambda i, d: 2 * i / d, angle=lambda p, w: p * w, swap=False):
    def wrong(x, positions):
        d = x.shape[1]
        omega = 10000.0 ** -np.array([exponent(i, d) for i in range(d // 2)], float)
        theta = angle(np.asarray(positions, float)[:, None], omega)
        a, b = x[:, : d // 2], x[:, d // 2 :]
        c, s = (np.sin(theta), np.cos(theta)) if swap else (np.cos(theta), np.sin(theta))
        return np.concatenate([a * c + signs[0] * b * s, signs[1] * a * s + b * c], axis=1)

    return wrong


def _interleaved(x, positions):
    d = x.shape[1]
    theta = np.asarray(positions, float)[:, None] * 10000.0 ** (-2 * np.arange(d // 2) / d)
    turned = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * theta)
    return np.stack([turned.real, turned.imag], axis=2).reshape(x.shape)


def _tiled(x, positions):
    """角度两列一换，却用了分半的配对。"""
    d = x.shape[1]
    theta = np.repeat(np.asarray(positions, float)[:, None] * 10000.0 ** (-2 * np.arange(d // 2) / d), 2, axis=1)
    return x * np.cos(theta) + np.concatenate([-x[:, d // 2 :], x[:, : d // 2]], axis=1) * np.sin(theta)


def _stale(x, positions):
    d = x.shape[1]
    theta = np.asarray(positions, float)[:, None] * 10000.0 ** (-2 * np.arange(d // 2) / d)
    a, b = x[:, : d // 2], x[:, d // 2 :]
    a = a * np.cos(theta) - b * np.sin(theta)
    return np.concatenate([a, a * np.sin(theta) + b * np.cos(theta)], axis=1)


def _added(x, positions):
    d = x.shape[1]
    theta = np.asarray(positions, float)[:, None] * 10000.0 ** (-2 * np.arange(d // 2) / d)
    return x + np.concatenate([np.sin(theta), np.cos(theta)], axis=1)


def _turn(code, name, hint, formula, why=""):
    return mistake(f"rotate/{code}", name, hint, formula, why, "12 两种配对")


def _given(seed, n, d, positions):
    return f"np.random.default_rng({seed}).normal(size=({n}, {d})), np.array({positions})"


@coding(
    "12-2",
    cases=[
        "np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([1])",
        "np.array([[3.0, 4.0]]), np.array([2])",
        "np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]), np.array([0])",
        _given(1, 3, 4, [0, 1, 2]),
        _given(2, 4, 6, [7, 3, 3, 0]),
        _given(3, 2, 8, [-5, 100000]),
        _given(4, 5, 16, [0.5, 1.5, 2.25, 40.0, 1000.0]),
        _given(5, 8, 8, list(range(8))),
    ],
    random=lambda dice: [
        _given(dice.randint(10, 99), 4, 2 * dice.randint(3, 12), [dice.randint(-500, 500) for _ in range(4)])
    ],
    golden={
        "np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([1])": [[-1.9841106486, 1.9599006675, 2.4623779024, 4.0197996683]]
    },
    # 角度用 float64；误差按 eps·pos 增长，写死的数有十位小数
    atol=lambda expected, x, positions: 1e-9 + 1e-13 * float(np.abs(positions).max()),
    dtype=lambda x, positions: [np.float64],
    mistakes=[
        _turn("interleaved", "用了相邻配对，题目要分半", _PAIR, _interleaved, "x 有 8 个分量，第 0 个的搭档是第几个？"),
        _turn("mixed", "角度两列一换，分量却隔开半截：两种配对混在一起了", _PAIR, _tiled),
        _turn("backwards", "转反了方向", _FORMULA, _rotated(signs=(1, -1)), "θ 很小时，(1, 0) 应转到哪一边？"),
        _turn("both-minus", "两项都成了减", _FORMULA, _rotated(signs=(-1, -1))),
        _turn("both-plus", "两项都成了加，不再是旋转", _FORMULA, _rotated(signs=(1, 1))),
        _turn("swapped", "正弦和余弦对调了", _FORMULA, _rotated(swap=True)),
        _turn("stale", "先改了左半，又拿改过的去算右半", "两半都要由旧的数算出。", _stale),
        _turn("doubled", "指数加倍了", _LADDER, _rotated(exponent=lambda i, d: 4 * i / d)),
        _turn("half-exponent", "指数少乘了 2，写成了 i/d", _LADDER, _rotated(exponent=lambda i, d: i / d)),
        _turn("endpoint", "指数写成了 i/(d/2-1)", _LADDER, _rotated(exponent=lambda i, d: i / max(d // 2 - 1, 1))),
        _turn("from-one", "编号从 1 数起", _LADDER, _rotated(exponent=lambda i, d: 2 * (i + 1) / d)),
        _turn("inverse", "乘除颠倒了，越往右越快", _LADDER, _rotated(exponent=lambda i, d: -2 * i / d)),
        _turn("one-frequency", "每一对都转同样的角度", _LADDER, _rotated(exponent=lambda i, d: 0)),
        _turn("reversed", "频率的次序反了", _LADDER, _rotated(exponent=lambda i, d: (d - 2 - 2 * i) / d)),
        _turn("degrees", "角度换算成了度", "角度本来就是弧度。", _rotated(angle=lambda p, w: np.degrees(p * w))),
        _turn("no-position", "位置没有乘进去", "每一行转的角度不同。", _rotated(angle=lambda p, w: 0 * p + w)),
        _turn(
            "row-number",
            "用了行号，没有用位置的值",
            "位置由 positions 给出。",
            lambda x, positions: _rotated()(x, np.arange(len(x))),
        ),
        _turn("whole", "位置取了整", "位置可以是小数。", _rotated(angle=lambda p, w: np.trunc(p) * w)),
        _turn("added", "把编码加上去了，没有转", "旋转不加东西，只把每一对转一个角度。", _added),
        _turn("untouched", "原样返回了", "一对一对地转。", lambda x, positions: x.copy()),
    ],
    tested="核对了 9 组：2 到 22 个以上的分量，位置有重复的、小数的、负数的，最远到 100000。",
    note="位置 0 的一行原样不变；每一行的长短也都不变。",
)
def rotate_halves(x, positions):
    """把每一行的各对分量转过位置乘角频率，分半配对。"""
    result = []
    for vector, pos in zip(x, positions, strict=True):
        d = len(vector)
        turned = [0.0] * d
        for i in range(d // 2):
            theta = float(pos) * 10000.0 ** (-2 * i / d)
            a, b = float(vector[i]), float(vector[i + d // 2])
            turned[i] = a * math.cos(theta) - b * math.sin(theta)
            turned[i + d // 2] = a * math.sin(theta) + b * math.cos(theta)
        result.append(turned)
    return result


_SLOWEST = "最慢的一对的指数是 (d-2)/d：从 b' 的 −(d−2)/d 次方 = b 的 −(d−2)/d 次方 ÷ scale 解出 b'。"


def _base(code, name, formula, hint=_SLOWEST, why=""):
    return mistake(f"ntk/{code}", name, hint, formula, why, "12 同样的 10000")


@coding(
    "12-3",
    cases=[
        (10000.0, 4.0, 64),
        (10000.0, 1.0, 64),
        (10000.0, 2.0, 4),
        (100.0, 8.0, 6),
        (500000.0, 8.0, 128),
        (20.0, 0.5, 10),
    ],
    random=lambda dice: [(float(dice.randint(20, 90000)), dice.uniform(1.5, 30), 2 * dice.randint(3, 60))],
    golden={(10000.0, 2.0, 4): 40000.0},
    atol=lambda expected, base, scale, d: 1e-9 * float(expected),
    returns="number",
    mistakes=[
        _base(
            "times-scale",
            "只乘了 scale，次方漏了：最慢的一对慢得不够",
            lambda b, s, d: b * s,
            why="d = 4 时，你的底数让最慢的一对慢几倍？",
        ),
        _base("inverse-power", "次方颠倒了，用了 (d-2)/d", lambda b, s, d: b * s ** ((d - 2) / d)),
        _base("power-half", "次方用了 d/2", lambda b, s, d: b * s ** (d / 2)),
        _base("power-one-less", "次方用了 d/(d-1)", lambda b, s, d: b * s ** (d / (d - 1))),
        _base("power-plus", "次方用了 (d+2)/d", lambda b, s, d: b * s ** ((d + 2) / d)),
        _base("power-four", "次方用了 d/(d-4)", lambda b, s, d: b * s ** (d / (d - 4)) if d > 4 else math.inf),
        _base(
            "whole-power", "整个 b·scale 取了次方", lambda b, s, d: (b * s) ** (d / (d - 2)), "次方只管 scale，不管 b。"
        ),
        _base("divided", "除以了 scale 的次方，频率反而变快了", lambda b, s, d: b / s ** (d / (d - 2))),
        _base("integer-division", "次方里用了整数除法", lambda b, s, d: b * s ** (d // (d - 2)), "/ 与 // 不同。"),
        _base(
            "frequency", "返回的是最慢的一对的角频率，不是底数", lambda b, s, d: b ** (-(d - 2) / d) / s, "题目要底数。"
        ),
        _base("own-base", "底数用了 10000，没有用参数", lambda b, s, d: 10000.0 * s ** (d / (d - 2)), "b 由参数给出。"),
        _base("unchanged", "底数没有变", lambda b, s, d: b, "scale 用上了吗？"),
        _base("factor", "只返回了倍数，没有乘 b", lambda b, s, d: s ** (d / (d - 2)), "新底数是旧底数乘以它。"),
        _base("rounded", "取了整", lambda b, s, d: round(b * s ** (d / (d - 2))), "底数不必是整数。"),
    ],
    tested="核对了 7 组底数、倍数和维度，4 维到 128 维；倍数有 1，也有小于 1 的。",
    note="维度越大，d/(d-2) 越接近 1，所以 128 维时只乘 scale 也差得不多；4 维时差一倍。",
)
def ntk_base(base, scale, d):
    """返回 NTK 的新底数。"""
    slowest = base ** (-(d - 2) / d) / scale
    return slowest ** (-d / (d - 2))
