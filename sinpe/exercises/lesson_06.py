"""第 06 课的练习。"""

from __future__ import annotations

import math

import numpy as np

from ._declare import GOLDEN, coding, each_row, guessing, mistake, rounded_once, row
from ._look import Diagnosis, close, number

guessing(
    "6-1",
    asks="一个位置，例如 100000",
    right=8389,
    near=0.02,
    reply="0.001 除以 2 的 −23 次方，约是 8389；实际的误差只有估计的几分之一，所以粗估够用。",
    misconceptions={
        "integers-only": (
            2**24,
            "2 的 24 次方是 float32 存得下所有整数的界限；角度的误差早就超过 0.001 了：误差约是 eps 乘以角度。",
        ),
        "half-eps": (16777, "你用的是 2 的 −24 次方，那是一次舍入的误差；规律里的 eps 是 2 的 −23 次方。"),
        "float64": (lambda a: a > 1e10, "你用的是 float64 的 eps；float32 的是 2 的 −23 次方。"),
    },
)

_FAR = [
    (0, 4, 8, "float32"),
    (0, 1, 2, "float16"),
    (32766, 2, 4, "float16"),
    (2046, 6, 8, "float16"),
    (0, 3000, 4, "float16"),
    (250, 12, 6, "float16"),
    (4000, 100, 32, "float32"),
    (-3, 6, 8, "float16"),
    (70000, 4, 8, "float32"),
    (7, 5, 512, "float64"),
    (1000000, 3, 16, "float32"),
    (1000000, 4, 6, "float64"),
    (16777215, 4, 4, "float32"),
]


def _called(start, n, d, name):
    return f"{start}, {n}, {d}, np.{name}"


_NAN = math.nan


@coding(
    "6-2",
    cases=[_called(*case) for case in _FAR],
    random=lambda dice: [_called(dice.randint(30000, 999999), 5, 2 * dice.randint(3, 20), "float32")],
    golden={_called(*_FAR[2]): [[-0.7252358865, _NAN, _NAN, _NAN], [0.1875065539, _NAN, _NAN, _NAN]]},
    dtype=lambda start, n, d, dtype: dtype,
    atol=lambda expected, start, n, d, dtype: each_row(
        lambda p: rounded_once(dtype, p), range(start, start + n), expected
    ),
    place=lambda index, start, *args: f"位置 {start + index[0]}、第 {index[1]} 列",
    table=lambda start, n, d, dtype: (range(start, start + n), d, 10000.0),
    mistakes=[
        mistake(
            "encode-rows/stop-for-count",
            "seq_len 当成了终点，应是行数",
            "从 start 起的 seq_len 行，终点是 start + seq_len。",
            lambda start, n, d, dtype: np.array([row(p, d) for p in range(start, min(n, start + 4000))]).reshape(-1, d),
        ),
    ],
    tested="核对了 14 张表：float16、float32、float64 都有，位置从 -3 到 16777218，每个数都只差一次舍入。",
    note="float16 的结果也能用到很远的位置：粗的只是最后存下的那个数，不是角度。",
)
def encode_rows(start, seq_len, d_model, dtype):
    """返回只舍入一次的编码表。"""
    return [row(p, d_model) for p in range(start, start + seq_len)]


_WAY = "新的正弦是 sin cos + cos sin，新的余弦是 cos cos - sin sin；先写下和角公式，再对符号。"
_STEPS = "已有 m 行，第 0 行转几步才到第 m 行？"
_OWN = "题目要新的行由旧的行转出来：把旧的每一对转 m·ω，不重新算正弦、余弦。"


def _angle(wrong, m, d):
    return np.asarray(wrong.angles(m, d), np.float64)


def _turned(wrong, t, k, signs=(1, -1), stale=False):
    """把每一行转 k 步；signs 是两处正弦的符号，stale 是先改了正弦、再用改过的去算余弦。"""
    angle = _angle(wrong, k, t.shape[1])
    c, s = np.cos(angle), np.sin(angle)
    sine, cosine = t[:, 0::2], t[:, 1::2]
    result = np.empty(t.shape)
    result[:, 0::2] = sine * c + signs[0] * cosine * s
    result[:, 1::2] = cosine * c + signs[1] * (result[:, 0::2] if stale else sine) * s
    return result


def _swapped(t):
    return t[:, [j ^ 1 for j in range(t.shape[1])]]


def _halves_turned(wrong, t):
    h = t.shape[1] // 2
    order = [j // 2 + (j % 2) * h for j in range(2 * h)]
    back = [*range(0, 2 * h, 2), *range(1, 2 * h, 2)]
    return _turned(wrong, t[:, order], len(t))[:, back]


def _joined(code, name, hint, joined):
    why = "拿一对 (sin θ, cos θ) 写出转 ω 以后的两个数；再代 θ = 0 进你的式子，得到的是 (sin ω, cos ω) 吗，为什么？"
    return mistake(f"double/{code}", name, hint, joined, why, "06 四步造出")


def _new(code, name, hint, new):
    return _joined(code, name, hint, lambda w, t: np.vstack([t, new(w, t)]))


def _recomputed(code, name, start):
    def table(t):
        first = start(t)
        return np.vstack([t, [row(first + p, t.shape[1]) for p in range(len(t), 2 * len(t))]])

    return mistake(f"double/{code}", name, _OWN, table, lesson="06 四步造出")


def _observe_turn(seen):
    """认不出时：由新旧两行读出转了多少。"""
    for s in seen:
        m, d = s.case.args[0].shape
        if not close(s.array[:m], s.case.args[0]):
            return Diagnosis("double/old-rows", "前 m 行不是原来的 m 行", "旧的 m 行原样放在前面。")
        old = s.case.args[0]
        z = s.array[m:, 1::2] + 1j * s.array[m:, 0::2]
        before = old[:, 1::2] + 1j * old[:, 0::2]
        if not close(np.abs(z), np.abs(before)):
            said = "不是旋转：新的行里，有一对的长度变了"
            return Diagnosis("double/not-rotation", said, "正弦的平方加余弦的平方，转过之后不变。")
        turned = np.angle(z / before)
        for k, i in np.ndindex(turned.shape):
            want = m * 10000 ** (-2 * i / d)
            if abs(math.remainder(turned[k, i] - want, 2 * math.pi)) > 1e-6:
                said = f"第 {k} 行的第 {i} 对转了 {number(float(turned[k, i]))} 弧度，应为 {number(want)}（或差整圈）"
                return Diagnosis("double/angle", f"转过的角度不对：{said}", "每一行转的步数都是 m，角是 m 乘角频率。")
    return None


def _rows(start, m, d, scale=""):
    """一张连续的表，写成源码：小的写出每个数，大的写出怎样算。"""
    if m * d <= 16:
        values = [row(p, d) for p in range(start, start + m)]
        return f"{scale}np.array({values})"
    angles = f"np.outer(np.arange({start}, {start + m}), 1e4 ** (-(np.arange({d}) // 2) * 2 / {d}))"
    return f"{scale}np.sin({angles} + np.arange({d}) % 2 * np.pi / 2)"


@coding(
    "6-3",
    cases=[
        _rows(*case)
        for case in [
            (0, 2, 4),
            (0, 1, 2),
            (5, 3, 4),
            (100, 4, 8),
            (0, 64, 16),
            (-7, 5, 6),
            (40, 3, 4),
            (3, 2, 6, "0.5 * "),
        ]
    ],
    random=lambda dice: [_rows(dice.randint(50, 999), 6, 2 * dice.randint(3, 9))],
    golden={_rows(0, 2, 4): [GOLDEN[k, 4] for k in range(4)]},
    dtype=lambda table: np.float64,
    atol=lambda expected, table: 1e-9,  # 一次旋转只添几个 eps；写死的数有十位小数
    place=lambda index, table: f"第 {index[0]} 行、第 {index[1]} 列",
    mistakes=[
        _recomputed("from-zero", "没有用传进来的表，从位置 0 重新算了一张", lambda t: 0),
        mistake(
            "double/whole-from-zero",
            "没有用传进来的表，从位置 0 重新算了整张",
            "表的第 0 行不一定是位置 0。",
            lambda t: np.array([row(p, t.shape[1]) for p in range(2 * len(t))]),
        ),
        _recomputed(
            "slow-pair-start",
            "由最慢的一对读出位置，又重新算了正弦、余弦",
            lambda t: math.atan2(t[0, -2], t[0, -1]) * 10000 ** (1 - 2 / t.shape[1]),
        ),
        mistake(
            "double/reread-angles",
            "由旧的行求出角度，又重新算了正弦、余弦",
            _OWN,
            lambda t: np.vstack(
                [
                    t,
                    np.stack(
                        [
                            np.sin(
                                a := np.arctan2(t[:, 0::2], t[:, 1::2])
                                + len(t) * 1e4 ** (-np.arange(0, t.shape[1], 2) / t.shape[1])
                            ),
                            np.cos(a),
                        ],
                        -1,
                    ).reshape(t.shape),
                ]
            ),
        ),
        mistake(
            "double/new-only",
            "只返回了新的 m 行，旧的没有接上",
            "返回 2m 行：旧的在前，新的在后。",
            lambda t: np.vstack([_turned(_plain(), t, len(t))]),
        ),
    ],
    via=lambda w, t: np.vstack([t, _turned(w, t, len(t))]),
    variants=[
        _new("backwards", "转反了方向：新的行在旧的行前面 m 步", _WAY, lambda w, t: _turned(w, t, -len(t))),
        _new("step-less", "转的步数少了 1", _STEPS, lambda w, t: _turned(w, t, len(t) - 1)),
        _new("step-more", "转的步数多了 1", _STEPS, lambda w, t: _turned(w, t, len(t) + 1)),
        _new("one-step", "只转了 1 步", _STEPS, lambda w, t: _turned(w, t, 1)),
        _new("twice", "转了 2m 步", _STEPS, lambda w, t: _turned(w, t, 2 * len(t))),
        _new("unturned", "没有转，把旧的行重复了一遍", _STEPS, lambda w, t: t),
        _new("cosine-sign", "余弦那一行的符号错了", _WAY, lambda w, t: _turned(w, t, len(t), (1, 1))),
        _new("sine-sign", "正弦那一行的符号错了", _WAY, lambda w, t: _turned(w, t, len(t), (-1, -1))),
        _new(
            "stale",
            "先改了正弦，又拿改过的正弦去算余弦",
            "两个新的数都要由旧的两个数算出；右边先全部算完，再写回去。",
            lambda w, t: _turned(w, t, len(t), stale=True),
        ),
        _new("reversed", "新的行次序反了", _STEPS, lambda w, t: _turned(w, t, len(t))[::-1]),
        _new(
            "swapped",
            "新的一对里正弦、余弦放反了",
            "偶数列是正弦，奇数列是余弦。",
            lambda w, t: _swapped(_turned(w, t, len(t))),
        ),
        _new("cosine-only", "只乘了余弦，少了另一项", _WAY, lambda w, t: _turned(w, t, len(t), (0, 0))),
        _new("halves", "把前一半的列当成了正弦", "表是交错布局：正弦在偶数列。", _halves_turned),
        _new(
            "roles",
            "把余弦当成了正弦",
            "偶数列是正弦，奇数列是余弦。",
            lambda w, t: _swapped(_turned(w, _swapped(t), len(t))),
        ),
        _new(
            "sum",
            "两行编码直接相加了",
            _WAY,
            lambda w, t: t + _turned(w, np.tile([0.0, 1.0], (1, t.shape[1] // 2)), len(t)),
        ),
        _new(
            "last-row",
            "新的每一行都由最后一行转出",
            _STEPS,
            lambda w, t: np.vstack([_turned(w, t[-1:], k + 1) for k in range(len(t))]) * 0 + _turned(w, t[-1:], len(t)),
        ),
        _new(
            "own-step",
            "第 r 行转了 r 步，应都转 m 步",
            _STEPS,
            lambda w, t: np.vstack([_turned(w, t[r : r + 1], r) for r in range(len(t))]),
        ),
        _joined(
            "new-first", "新的行放到了旧的前面", "旧的 m 行在前。", lambda w, t: np.vstack([_turned(w, t, len(t)), t])
        ),
        _joined(
            "alternating",
            "新旧的行交替着放了",
            "旧的 m 行在前。",
            lambda w, t: np.stack([t, _turned(w, t, len(t))], 1).reshape(-1, t.shape[1]),
        ),
        _joined(
            "sideways",
            "新的行接到了右边，应接在下面",
            "哪个轴是位置？接在那个轴上。",
            lambda w, t: np.hstack([t, _turned(w, t, len(t))]),
        ),
    ],
    observe=_observe_turn,
    tested="核对了 9 张表，1 行到 64 行，2 列到 16 列；有的从位置 0 起，有的从别处或负数起，有一张整体缩小了一半。",
    note="新的行只由旧的行转出来，所以整张表缩小一半，新的行也缩小一半；转过的角度只与 m 有关，一行 d/2 个角就够。",
)
def double(table):
    """由连续的 ``m`` 行转出后面的 ``m`` 行。"""
    m, d = table.shape
    result = [list(map(float, old)) for old in table]
    for old in result[:m]:
        new = []
        for i in range(d // 2):
            c, s = math.cos(m / 10000 ** (2 * i / d)), math.sin(m / 10000 ** (2 * i / d))
            new += [old[2 * i] * c + old[2 * i + 1] * s, old[2 * i + 1] * c - old[2 * i] * s]
        result.append(new)
    return result


def _plain():
    from ._search import Wrong

    return Wrong([])
