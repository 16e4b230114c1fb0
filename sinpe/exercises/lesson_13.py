"""第 13 课的练习。"""

from __future__ import annotations

import math

import numpy as np

from ._declare import coding, guessing, mistake

guessing(
    "13-1",
    asks='四个词里的一个，例如 "首频"',
    right="同距",
    options=("首频", "渐慢", "公比", "同距"),
    reply="内积是各对的余弦之和，各对怎样排列，和都一样，所以仍只取决于距离。",
    misconceptions={
        "first-turn": ("首频", "你以为最前面的一对照样每步转 1 弧度：次序反了，它成了最慢的，转 1 弧度的是最后一对。"),
        "slower": ("渐慢", "你以为反过来仍是渐慢：从前往后看，它一对比一对快。"),
        "ladder": ("公比", "你以为相邻之比不变：反过来以后，比值成了原来的倒数，哪一对都对不上。"),
    },
)


def _joined(positions, omegas):
    """交错布局的表的源码：各行的位置，各对每一步转过的弧度。"""
    angles = f"np.array({list(positions)})[:, None] * np.array({list(omegas)})"
    return f"np.stack([f({angles}) for f in (np.sin, np.cos)], axis=-1).reshape({len(positions)}, -1)"


_PAIR = "交错布局：第 i 对是第 2i 列的正弦和第 2i + 1 列的余弦。"
_BOTH = "第 0 行不一定是位置 0；要的是两行角度之差。"
_RANGE = "差在 -π 与 π 之间；两个反正切相减，会越出这个范围。"


def _rates(code, name, hint, formula, why=""):
    return mistake(f"turn-rates/{code}", name, hint, formula, why, "13 转速")


def _turned(t):
    z = np.asarray(t[:, 1::2] + 1j * t[:, 0::2])
    return np.angle(z[1] * z[0].conj())


@coding(
    "13-2",
    cases=[
        _joined([0, 1], [1.0]),
        _joined([0, 1], [1.0, 0.1]),
        _joined([5, 6, 7], [1.0, 0.01]),
        _joined([2, 1], [1.0, 0.5, 0.25]),
        _joined([10, 12, 15], [1.0, 0.3, 0.1, 0.03]),
        _joined([3, 4], [3.0, 2.5, 0.001]),
    ],
    random=lambda dice: [
        _joined([s := dice.randint(2, 90), s + 1, s + 2], [round(dice.uniform(0.1, 3), 4) for _ in range(4)])
    ],
    golden={_joined([0, 1], [1.0, 0.1]): [1.0, 0.1]},
    atol=lambda expected, table: 1e-5,  # float32 的表也算对
    place=lambda index, table: f"第 {index[0]} 对",
    mistakes=[
        _rates(
            "second-row", "只看了第 1 行的角度，没有减去第 0 行的", _BOTH, lambda t: np.arctan2(t[1, 0::2], t[1, 1::2])
        ),
        _rates("arcsin", "只用了第 1 行的正弦，取了反正弦", _BOTH, lambda t: np.arcsin(t[1, 0::2])),
        _rates(
            "unwrapped",
            "两个角度直接相减，越出了 -π 与 π 之间",
            _RANGE,
            lambda t: np.arctan2(t[1, 0::2], t[1, 1::2]) - np.arctan2(t[0, 0::2], t[0, 1::2]),
            "角度从 3 走到 4，反正切给出的第二个数是多少？",
        ),
        _rates("backwards", "方向反了：第 0 行减了第 1 行", "往后走，转过的弧度是正的。", lambda t: -_turned(t)),
        _rates(
            "arccos",
            "由内积取了反余弦，丢了正负号",
            "余弦是偶函数，转 θ 和转 -θ 的余弦相同。",
            lambda t: np.arccos(np.clip(t[0, 0::2] * t[1, 0::2] + t[0, 1::2] * t[1, 1::2], -1, 1)),
        ),
        _rates(
            "swapped",
            "正弦、余弦认反了",
            _PAIR,
            lambda t: np.angle((t[1, 0::2] + 1j * t[1, 1::2]) * (t[0, 0::2] - 1j * t[0, 1::2])) + 0 * t[0, 0::2],
        ),
        _rates(
            "halves",
            "当成了分半布局：前一半正弦，后一半余弦",
            _PAIR,
            lambda t: _turned(np.stack([t[:, : t.shape[1] // 2], t[:, t.shape[1] // 2 :]], axis=2).reshape(t.shape)),
        ),
        _rates(
            "last-row",
            "用了最后一行，不是第 1 行",
            "只要头两行。",
            lambda t: _turned(t[[0, -1]]),
        ),
        _rates("sine-only", "没有求角，给的是转角的正弦", "正弦还要变回角度。", lambda t: np.sin(_turned(t))),
        _rates("repeated", "每个数给了两遍", "一对一个数，共 d/2 个。", lambda t: np.repeat(_turned(t), 2)),
        _rates("degrees", "换算成了度", "题目要弧度。", lambda t: np.degrees(_turned(t))),
    ],
    tested="核对了 7 张表，起点有 0 有别的，有往回走的，也有一步转过将近一圈的一半的。",
    note="这就是“转速”那三条检查的第一步；频率读出来以后，底数、分母也就读得出来。",
)
def turn_rates(table):
    """返回各对从第 0 行到第 1 行转过的弧度。"""
    first, second = [[float(x) for x in row] for row in table[:2]]
    result = []
    for i in range(len(first) // 2):
        s0, c0, s1, c1 = first[2 * i], first[2 * i + 1], second[2 * i], second[2 * i + 1]
        result.append(math.atan2(s1 * c0 - c1 * s0, c1 * c0 + s1 * s0))
    return result


_STEP = "走一步，每一对转过固定的角度；这个角度由头两行得到。"


def _places(t, over=1e-6, step=None):
    """不是由前一行走一步得到的那些行。"""
    z = t[:, 1::2] + 1j * t[:, 0::2]
    step = z[1] * z[0].conj() if step is None else step
    return np.flatnonzero(np.abs(z[1:] - z[:-1] * step).max(axis=1) > over) + 1


def _seam(code, name, hint, formula, why=""):
    return mistake(f"first-seam/{code}", name, hint, formula, why, "13 逐步")


def _first(found, none=-1):
    return int(found[0]) if len(found) else none


_TWO = [1.0, 0.1]
_FOUR = [1.0, 0.316, 0.1, 0.0316]


@coding(
    "13-3",
    returns="number",
    cases=[
        _joined([0, 1, 1, 2], _TWO),
        _joined([0, 1, 2, 3], _TWO),
        _joined([0, 1, 2, 5, 6], _TWO),
        _joined([0, 1], [1.0]),
        _joined([7, 8, 9, 10, 0, 1, 2, 0, 1], _TWO),
        _joined([3, 4, 5, 6, 7, 7, 8, 8], _FOUR),
        _joined([10, 12, 14, 16, 17, 19], _FOUR),
        _joined([0, 1, 2, 1, 0], _FOUR),
        _joined([0, 1, 2, 3, 9, 10], [2 * math.pi / 5, 0.3]),
        _joined([*range(30), *range(29, 40)], _FOUR),
    ],
    random=lambda dice: [_joined([*range(k := dice.randint(3, 25)), *range(k - dice.randint(1, 3), k + 9)], _FOUR)],
    golden={_joined([0, 1, 1, 2], _TWO): 2, _joined([0, 1, 2, 3], _TWO): -1},
    mistakes=[
        _seam(
            "row-before",
            "差一行：给的是接缝之前的那一行",
            "要的是接缝之后的那一行的行号。",
            lambda t: _first(_places(t) - 1),
        ),
        _seam(
            "row-after",
            "差一行：给的是接缝之后的再下一行",
            "行号从 0 数起。",
            lambda t: _first(_places(t) + 1),
        ),
        _seam("last", "给的是最后一道接缝", "要的是头一道。", lambda t: int(_places(t)[-1]) if len(_places(t)) else -1),
        _seam("count", "给的是接缝的道数", "要的是行号。", lambda t: len(_places(t))),
        _seam(
            "none-is-length",
            "没有接缝时返回了行数",
            "没有接缝，返回 -1。",
            lambda t: _first(_places(t), len(t)),
        ),
        _seam("none-is-zero", "没有接缝时返回了 0", "没有接缝，返回 -1。", lambda t: _first(_places(t), 0)),
        _seam(
            "repeats-only",
            "只找了重复的行：漏行、从头数都查不出",
            _STEP,
            lambda t: _first(np.flatnonzero(np.abs(np.diff(t, axis=0)).max(axis=1) < 1e-6) + 1),
            "漏了几行的时候，前后两行相同吗？",
        ),
        _seam(
            "first-pair",
            "只看了第 0 对：它转了整圈，就看不出来",
            "每一对都要看。",
            lambda t: _first(_places(t[:, :2]) if len(t) else []),
            "第 0 对若是 5 步转一圈，多走 5 步，它看得出吗？",
        ),
        _seam(
            "first-row",
            "只看哪一行又成了第 0 行",
            _STEP,
            lambda t: _first(np.flatnonzero(np.abs(t[1:] - t[0]).max(axis=1) < 1e-6) + 1),
        ),
        _seam(
            "unit-step",
            "步长当成了 1 弧度：头两行走几步，要由它们自己看",
            _STEP,
            lambda t: _first(_places(t[:, :2], step=np.exp(1j))),
        ),
        _seam(
            "loose",
            "容差太大，慢慢错开的看不出来",
            "题目说差不到 0.000001 才算相同。",
            lambda t: _first(_places(t, over=1.2)),
        ),
    ],
    tested="核对了 11 张表：重复的、漏行的、从头数的、往回走的、没有接缝的，也有不从 0 起、一次走两步的。",
    note="它与“平移”是同一条检查，只是这里的平移由头两行读出来，不用知道频率。",
)
def first_seam(table):
    """返回头一道接缝的行号，没有就是 -1。"""
    rows = [[float(x) for x in row] for row in table]
    pairs = range(len(rows[0]) // 2)
    step = []
    for i in pairs:
        (s0, c0), (s1, c1) = rows[0][2 * i : 2 * i + 2], rows[1][2 * i : 2 * i + 2]
        step.append((s1 * c0 - c1 * s0, c1 * c0 + s1 * s0))
    for k in range(1, len(rows)):
        for i in pairs:
            s, c = rows[k - 1][2 * i : 2 * i + 2]
            sine, cosine = step[i]
            if (
                math.hypot(rows[k][2 * i] - (s * cosine + c * sine), rows[k][2 * i + 1] - (c * cosine - s * sine))
                > 1e-6
            ):
                return k
    return -1
