"""第 11 课的练习。"""

from __future__ import annotations

import math

import numpy as np

from ._declare import coding, guessing, mistake

guessing(
    "11-1",
    asks="一个整数，例如 50",
    right=45,
    reply="对调以后仍在网格里的是 6 × 6 格，其中 30 格两两相撞，少 15 行。",
    misconceptions={
        "no-collision": (60, "你以为每格都不同：加法不分先后，(1, 2) 与 (2, 1) 的和相同。"),
        "halved": (30, "你把全部 60 格都两两配了对：第 6 列以后的格子，对调就出了网格。"),
        "diagonal": (42, "你把对角线上的格子也当成撞了：(2, 2) 对调后还是自己，没有少。"),
        "long-side": (15, "你用了 10 取 2：对调的两格，行号和列号都要小于 6。"),
    },
)

_SCALE = "最快的一对每份转 1 弧度：倍数乘以 step 等于 1。"
_BASE = "最慢的一对全程转的弧度是 倍数 · extent · b 的 -(d-2)/d 次方，令它等于 2π。"
_PARTS = "份数是 extent 除以 step。"
_TWO_PI = 2 * math.pi


def _rule(scale=lambda e, s: 1 / s, base=lambda n, d: (n / _TWO_PI) ** (d / (d - 2))):
    return lambda extent, step, d_model: [scale(extent, step), base(extent / step, d_model)]


def _choice(code, name, hint, formula, why=""):
    return mistake(f"rule/{code}", name, hint, formula, why, "11 挑倍数和底数")


@coding(
    "11-2",
    cases=[
        (1, 0.001, 256),
        (1.0, 0.01, 8),
        (512, 1, 512),
        (60.0, 0.02, 64),
        (86400, 30, 128),
        (0.5, 0.0625, 4),
        (1000, 2.5, 6),
    ],
    random=lambda dice: [(dice.uniform(50, 900), dice.uniform(0.05, 2), 2 * dice.randint(4, 99))],
    golden={(512, 1, 512): [1, 82.90573303014]},
    atol=lambda expected, *args: 1e-6 * expected,  # float32 的幂也算对
    place=lambda index, *args: ("倍数", "底数")[index[0]],
    returns="pair",
    mistakes=[
        _choice("exchanged", "倍数和底数的次序反了", "先倍数，后底数。", lambda *a: _rule()(*a)[::-1]),
        _choice(
            "scale-is-parts",
            "倍数取成了份数",
            _SCALE,
            _rule(scale=lambda e, s: e / s),
            "extent 不是 1 的时候，份数乘以 step 是多少？",
        ),
        _choice("scale-is-step", "倍数取成了 step，没有取倒数", _SCALE, _rule(scale=lambda e, s: s)),
        _choice("scale-by-extent", "倍数取成了 1/extent", _SCALE, _rule(scale=lambda e, s: 1 / e)),
        _choice("full-turn", "最快的一对每份转了一整圈", _SCALE, _rule(scale=lambda e, s: _TWO_PI / s)),
        _choice("thousand", "倍数总是 1000", _SCALE, _rule(scale=lambda e, s: 1000.0)),
        _choice(
            "no-turn", "没有除以 2π：最慢的一对全程只转 1 弧度", _BASE, _rule(base=lambda n, d: n ** (d / (d - 2)))
        ),
        _choice("times-turn", "2π 乘反了", _BASE, _rule(base=lambda n, d: (n * _TWO_PI) ** (d / (d - 2)))),
        _choice("half-turn", "最慢的一对只许转半圈", _BASE, _rule(base=lambda n, d: (n / math.pi) ** (d / (d - 2)))),
        _choice("no-power", "没有取 d/(d-2) 次方", _BASE, _rule(base=lambda n, d: n / _TWO_PI)),
        _choice(
            "inverse-power", "指数颠倒了，成了 (d-2)/d", _BASE, _rule(base=lambda n, d: (n / _TWO_PI) ** ((d - 2) / d))
        ),
        _choice("plus-two", "指数的分母成了 d + 2", _BASE, _rule(base=lambda n, d: (n / _TWO_PI) ** (d / (d + 2)))),
        _choice("minus-one", "指数的分母成了 d - 1", _BASE, _rule(base=lambda n, d: (n / _TWO_PI) ** (d / (d - 1)))),
        _choice(
            "no-step",
            "底数只用了 extent，没有除以 step",
            _PARTS,
            lambda e, s, d: [1 / s, (e / _TWO_PI) ** (d / (d - 2))],
        ),
        _choice("no-extent", "底数只用了 step", _PARTS, lambda e, s, d: [1 / s, (1 / s / _TWO_PI) ** (d / (d - 2))]),
        _choice(
            "parts-inverted",
            "份数颠倒了，成了 step 除以 extent",
            _PARTS,
            lambda e, s, d: [1 / s, (s / e / _TWO_PI) ** (d / (d - 2))],
        ),
        _choice("paper", "底数总是 10000", _BASE, _rule(base=lambda n, d: 10000.0)),
        _choice(
            "rounded", "底数进成了整数", "题目说底数不取整。", lambda *a: [_rule()(*a)[0], math.ceil(_rule()(*a)[1])]
        ),
    ],
    tested="核对了 8 组全程、间隔和维度，4 维到 512 维；全程有大于 1 的也有小于 1 的。",
    note="512 个词、512 维那一组的底数是 82.9，就是第 04 课的 83。",
)
def scale_and_base(extent, step, d_model):
    """返回倍数和最小的底数。"""
    scale = 1 / step
    slowest = -(d_model - 2) / d_model  # ω = b 的这么多次方
    base = math.exp(math.log(_TWO_PI / (scale * extent)) / slowest)
    return scale, base


_TURN = "一个周期转一整圈：角度是 2π 乘以时刻再除以周期。"
_PLACE = "第 n 个周期占第 2n、2n+1 列，先正弦后余弦。"


def _cycles(angle=lambda t, p: _TWO_PI * t / p, layout="interleaved", first=np.sin, second=np.cos):
    def build(times, periods):
        angles = np.array([[angle(t, p) for p in np.asarray(periods).tolist()] for t in np.asarray(times).tolist()])
        parts = first(angles), second(angles)
        if layout == "interleaved":
            return np.stack(parts, axis=-1).reshape(len(angles), -1)
        return np.hstack(parts)

    return build


def _cycle(code, name, hint, formula, why=""):
    return mistake(f"cycles/{code}", name, hint, formula, why, "11 日历")


def _times(times, periods):
    return f"np.array({times}), np.array({periods})"


_QUARTERS = _times([0.0, 6.0, 12.0, 18.0], [24.0])


@coding(
    "11-3",
    cases=[
        _QUARTERS,
        _times([0.0, 1.0, 23.0, 24.0], [24.0, 168.0]),
        _times([3.5], [1.0, 7.0, 30.5]),
        _times([-5.0, 2.25, 100.75], [12.0, 8766.0]),
        _times([0.1, 0.2], [0.5]),
        _times([0, 1, 2, 3, 4], [5, 9]),
    ],
    random=lambda dice: [
        _times([round(dice.uniform(-50, 50), 2) for _ in range(5)], [round(dice.uniform(2, 90), 2) for _ in range(3)])
    ],
    golden={_QUARTERS: [[0, 1], [1, 0], [0, -1], [-1, 0]]},
    atol=lambda expected, times, periods: 2.0**-20 * (1 + float(np.abs(times).max() / np.min(periods))),  # float32 也对
    mistakes=[
        _cycle("no-turn", "没有乘 2π", _TURN, _cycles(lambda t, p: t / p), "24 小时以后，你的角度增加了多少？"),
        _cycle("no-period", "没有用上周期", _TURN, _cycles(lambda t, p: _TWO_PI * t)),
        _cycle("times-period", "乘了周期，应是除以", _TURN, _cycles(lambda t, p: _TWO_PI * t * p)),
        _cycle("half-turn", "一个周期只转了半圈", _TURN, _cycles(lambda t, p: math.pi * t / p)),
        _cycle("degrees", "角度以度计", "np.sin 收弧度。", _cycles(lambda t, p: 360 * t / p)),
        _cycle("inverted", "时刻和周期除反了", _TURN, _cycles(lambda t, p: _TWO_PI * p / t if t else math.nan)),
        _cycle("backwards", "转的方向反了", _TURN, _cycles(lambda t, p: -_TWO_PI * t / p)),
        _cycle("whole", "时刻取了整", "时刻可以是小数。", _cycles(lambda t, p: _TWO_PI * int(t) / p)),
        _cycle("divided-whole", "除法取了整：作了整数除法", "/ 与 // 不同。", _cycles(lambda t, p: _TWO_PI * (t // p))),
        _cycle("exchanged", "正弦和余弦放反了", _PLACE, _cycles(first=np.cos, second=np.sin)),
        _cycle("halves", "先放了全部正弦，再放全部余弦", _PLACE, _cycles(layout="halves")),
        _cycle("sines", "两列都是正弦", _PLACE, _cycles(second=np.sin)),
        _cycle("cosines", "两列都是余弦", _PLACE, _cycles(first=np.cos)),
        _cycle(
            "first-period",
            "每一对都用了第 0 个周期",
            _PLACE,
            lambda times, periods: _cycles()(times, [periods[0]] * len(periods)),
        ),
        _cycle(
            "reversed",
            "周期的次序反了",
            _PLACE,
            lambda times, periods: _cycles()(times, np.asarray(periods)[::-1]),
        ),
        _cycle(
            "transposed",
            "行与列反了：应当一个时刻一行",
            "形状是 (len(times), 2 * len(periods))。",
            lambda *a: _cycles()(*a).T,
        ),
    ],
    tested="核对了 7 组时刻和周期；时刻有负数和小数，也有整数的数组；第一组是一天里的四个时刻。",
    note="转满一个周期就回到原处，所以 23 点与 0 点相邻。",
)
def encode_cycles(times, periods):
    """返回各个周期的正弦和余弦。"""
    rows = []
    for t in np.asarray(times).tolist():
        line = []
        for period in np.asarray(periods).tolist():
            angle = _TWO_PI * t / period
            line += [math.sin(angle), math.cos(angle)]
        rows.append(line)
    return rows


_YX = "y 的一半在前，x 的一半在后。"
_ROWS = "按行摊平：第 n 格是第 n // width 行、第 n % width 列。"
_OWN = "行号乘以 trained / height，列号乘以 trained / width。"
_HALF = "一个轴有 d_model // 4 个频率，指数是 -2i / (d_model // 2)。"
_SPLIT = "每一半里，先全部正弦，再全部余弦。"


def _axis(coordinate, width, exponent=lambda i, w: -2 * i / w, parts=(np.sin, np.cos), interleaved=False, base=10000.0):
    angles = np.array([coordinate * base ** exponent(i, width) for i in range(width // 2)])
    both = [part(angles) for part in parts]
    return np.stack(both, axis=-1).ravel() if interleaved else np.concatenate(both)


def _image(
    cell=lambda n, h, w: (n // w, n % w),
    place=lambda y, x, h, w, t: (y * t / h, x * t / w),
    order=("y", "x"),
    **axis,
):
    def build(height, width, d_model, trained):
        rows = []
        for n in range(height * width):
            y, x = place(*cell(n, height, width), height, width, trained)
            values = {"y": y, "x": x}
            rows.append(np.concatenate([_axis(values[name], d_model // 2, **axis) for name in order]))
        return np.array(rows)

    return build


def _picture(code, name, hint, formula, why=""):
    return mistake(f"image/{code}", name, hint, formula, why, "11 换一种大小")


_HIGH_AND_WIDE = "高和宽相同的网格，你的函数对不对？高和宽不同呢？"


@coding(
    "11-4",
    cases=[
        (1, 2, 4, 2),
        (2, 3, 8, 3),
        (3, 2, 8, 2),
        (3, 3, 8, 3),
        (4, 6, 16, 14),
        (5, 2, 12, 1),
        (2, 7, 24, 10),
    ],
    random=lambda dice: [(dice.randint(2, 6), dice.randint(7, 9), 4 * dice.randint(2, 6), dice.randint(3, 20))],
    golden={(1, 2, 4, 2): [[0, 1, 0, 1], [0, 1, 0.8414709848, 0.5403023059]]},
    atol=lambda expected, height, width, d_model, trained: 2.0**-22 * max(1.0, trained),  # float32 的角度也算对
    place=lambda index, height, width, d_model, trained: (
        f"第 {index[0] // width} 行第 {index[0] % width} 列那一格的第 {index[1]} 列"
    ),
    forbids=["grid_encoding"],
    mistakes=[
        _picture("x-first", "x 的一半放在了前面", _YX, _image(order=("x", "y")), _HIGH_AND_WIDE),
        _picture(
            "by-columns",
            "按列摊平了",
            _ROWS,
            _image(cell=lambda n, h, w: (n % h, n // h)),
            _HIGH_AND_WIDE,
        ),
        _picture(
            "sides-exchanged",
            "高和宽对调了",
            _ROWS,
            lambda h, w, d, t: _image()(w, h, d, t),
            _HIGH_AND_WIDE,
        ),
        _picture("divided-by-height", "取余数和商时除的是 height", _ROWS, _image(cell=lambda n, h, w: (n // h, n % h))),
        _picture("not-resized", "没有缩放坐标", _OWN, _image(place=lambda y, x, h, w, t: (y, x))),
        _picture(
            "scales-exchanged", "两个轴的倍数用反了", _OWN, _image(place=lambda y, x, h, w, t: (y * t / w, x * t / h))
        ),
        _picture(
            "by-height", "两个轴都用了 height 缩放", _OWN, _image(place=lambda y, x, h, w, t: (y * t / h, x * t / h))
        ),
        _picture(
            "by-width", "两个轴都用了 width 缩放", _OWN, _image(place=lambda y, x, h, w, t: (y * t / w, x * t / w))
        ),
        _picture("inverted", "倍数颠倒了", _OWN, _image(place=lambda y, x, h, w, t: (y * h / t, x * w / t))),
        _picture(
            "whole",
            "坐标取了整",
            "缩放以后是小数，照样编码。",
            _image(place=lambda y, x, h, w, t: (y * t // h, x * t // w)),
        ),
        _picture(
            "last-to-last",
            "把最后一格对到了 trained - 1",
            _OWN,
            _image(place=lambda y, x, h, w, t: (y * (t - 1) / max(h - 1, 1), x * (t - 1) / max(w - 1, 1))),
        ),
        _picture(
            "centred",
            "对齐了格子的中心",
            "题目的坐标从 0 起，直接乘。",
            _image(place=lambda y, x, h, w, t: ((y + 0.5) * t / h - 0.5, (x + 0.5) * t / w - 0.5)),
        ),
        _picture(
            "from-one",
            "行号、列号从 1 数起",
            "第一格是 0。",
            _image(place=lambda y, x, h, w, t: ((y + 1) * t / h, (x + 1) * t / w)),
        ),
        _picture("whole-width", "指数的分母用了 d_model", _HALF, _image(exponent=lambda i, w: -i / w)),
        _picture("doubled", "指数加倍了", _HALF, _image(exponent=lambda i, w: -4 * i / w)),
        _picture("endpoint", "指数的分母多减了 1", _HALF, _image(exponent=lambda i, w: -i / max(w // 2 - 1, 1))),
        _picture("inverse", "乘除颠倒了，越往右越快", _HALF, _image(exponent=lambda i, w: 2 * i / w)),
        _picture("interleaved", "正弦和余弦交错了", _SPLIT, _image(interleaved=True)),
        _picture("cosine-first", "余弦放在了正弦前面", _SPLIT, _image(parts=(np.cos, np.sin))),
        _picture("twice-y", "两半都编码了行号", _YX, _image(order=("y", "y"))),
        _picture("twice-x", "两半都编码了列号", _YX, _image(order=("x", "x"))),
        _picture("grid", "没有摊平", _ROWS, lambda h, w, d, t: _image()(h, w, d, t).reshape(h, w, d)),
    ],
    tested="核对了 8 种大小，高与宽多数不同；trained 有比网格大的，也有比它小的。",
    note="坐标是小数也照样编码，用不着插值。",
)
def encode_image(height, width, d_model, trained):
    """返回缩放到训练时大小的网格编码。"""
    result = []
    for y in range(height):
        for x in range(width):
            line = []
            for coordinate in (y * trained / height, x * trained / width):
                angles = [coordinate / 10000.0 ** (4 * i / d_model) for i in range(d_model // 4)]
                line += [math.sin(angle) for angle in angles] + [math.cos(angle) for angle in angles]
            result.append(line)
    return result
