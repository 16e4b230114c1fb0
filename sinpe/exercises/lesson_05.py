"""第 05 课的练习。"""

from __future__ import annotations

import math

import numpy as np

from ._declare import GOLDEN, coding, each_row, guessing, loose, mistake, row
from ._look import Diagnosis, close, number

_TURN = "把 M @ p 的第一个数写出来：它应是 sin(ω(pos+k)) = sin cos + cos sin，右边的两项各带什么符号？"
_FOUR = "第 i 对的两个数放在第 i 列和第 i + d/2 列，所以四个系数在四条斜线上。"
_STEPS = "角度是 k 乘角频率。"
_BOTH_AXES = "布局换了，行和列都要照新的次序排。"


def _blocks(a, b, c, e, interleaved=False):
    """四个角上各是余弦、正弦的几倍：实部是余弦的倍数，虚部是正弦的倍数。"""

    def build(wrong, k, d):
        matrix, h = np.zeros((d, d)), d // 2
        for i, angle in enumerate(np.asarray(wrong.angles(k, d), np.float64)):
            first, second = (2 * i, 2 * i + 1) if interleaved else (i, i + h)
            for at_row, at_column, factor in (
                (first, first, a),
                (first, second, b),
                (second, first, c),
                (second, second, e),
            ):
                matrix[at_row, at_column] = complex(factor).real * np.cos(angle) + complex(factor).imag * np.sin(angle)
        return matrix

    return build


def _shaped(code, name, hint, formula, lesson="05 一对"):
    why = "拿位置 0 的一行 [0, …, 0, 1, …, 1] 乘你的矩阵，应得到位置 k 的一行。第一个数是什么，为什么？"
    return mistake(f"shift/{code}", name, hint, formula, why, lesson)


def _stepped(change):
    return lambda wrong, k, d: _RIGHT(wrong, change(k), d)


_RIGHT = _blocks(1, 1j, -1j, 1)
_TWINED = _blocks(1, 1j, -1j, 1, True)


def _halved(d):
    """交错布局的列，按分半布局的次序。"""
    return [*range(0, d, 2), *range(1, d, 2)]


def _observe_rotation(seen):
    """认不出时：先看是不是旋转，再读出转了多少。"""
    for s in seen:
        (k, d), matrix = s.case.args, s.array
        if not close(matrix @ matrix.T, np.eye(d)):
            return Diagnosis("shift/not-rotation", "不是旋转：M @ M.T 不是单位矩阵，长度变了", _TURN)
        for i in range(d // 2):
            turned, want = math.atan2(matrix[i, i + d // 2], matrix[i, i]), k * 10000 ** (-2 * i / d)
            if abs(math.remainder(turned - want, 2 * math.pi)) > 1e-5:
                said = f"移 {k} 步时，第 {i} 对转了 {number(turned)} 弧度，应为 {number(want)}"
                return Diagnosis("shift/angle", f"转过的角度不对：{said}", "看看角频率的指数和底数，再看 k。")
    return None


@coding(
    "5-2",
    cases=[(1, 4), (1, 2), (0, 4), (9, 8), (-3, 6), (2.5, 8), (1, 14), (1000, 64)],
    random=lambda dice: [(dice.randint(2, 50), 2 * dice.randint(3, 9))],
    golden={
        (1, 4): [
            [0.5403023059, 0, 0.8414709848, 0],
            [0, 0.9999500004, 0, 0.0099998333],
            [-0.8414709848, 0, 0.5403023059, 0],
            [0, -0.0099998333, 0, 0.9999500004],
        ]
    },
    atol=lambda expected, k, d: loose(k),
    mistakes=[
        _shaped(
            "not-diagonal",
            "四块拼的是一行数，不是对角矩阵",
            "一串角频率的余弦，用 np.diag 放到对角线上，再拼。",
            lambda k, d: np.block(
                [
                    [np.cos(a := k * 1e4 ** (-np.arange(0, d, 2) / d)), np.sin(a)],
                    [-np.sin(a), np.cos(a)],
                ]
            ),
        ),
        _shaped(
            "one-row",
            "四块横着接成了一排",
            "np.block 里要有两层方括号，一层是行。",
            lambda k, d: np.hstack([np.eye(d // 2)] * 4),
        ),
    ],
    via=_RIGHT,
    variants=[
        _shaped("backwards", "转反了方向：矩阵转置了，它往回移 k 步", _TURN, _blocks(1, -1j, 1j, 1), "05 往哪边转"),
        _shaped("interleaved", "成了交错布局的平移矩阵", _FOUR, _TWINED),
        _shaped(
            "interleaved-backwards", "成了交错布局的平移矩阵，还转反了方向", _FOUR + _TURN, _blocks(1, -1j, 1j, 1, True)
        ),
        _shaped("sine-unsigned", "正弦少了负号，不再是旋转", _TURN, _blocks(1, 1j, 1j, 1)),
        _shaped("sine-both-signed", "两处正弦都带了负号，不再是旋转", _TURN, _blocks(1, -1j, -1j, 1)),
        _shaped("flip-lower", "成了翻转，不是旋转：右下角的余弦多了负号", _TURN, _blocks(1, 1j, 1j, -1)),
        _shaped("flip-upper", "成了翻转，不是旋转：左上角的余弦多了负号", _TURN, _blocks(-1, 1j, 1j, 1)),
        _shaped("exchanged", "正弦、余弦对调了", _TURN, _blocks(1j, 1, -1, 1j)),
        _shaped("exchanged-backwards", "正弦、余弦对调了，还转反了方向", _TURN, _blocks(1j, -1, 1, 1j)),
        _shaped("exchanged-unsigned", "正弦、余弦对调了，没有负号", _TURN, _blocks(1j, 1, 1, 1j)),
        _shaped("exchanged-flip", "正弦、余弦对调了，负号在右下角", _TURN, _blocks(1j, 1, 1, -1j)),
        _shaped("cosines-only", "只有余弦，正弦的两块没有放", _FOUR, _blocks(1, 0, 0, 1)),
        _shaped("sines-only", "只有正弦，余弦的两块没有放", _FOUR, _blocks(0, 1j, -1j, 0)),
        _shaped("upper-only", "只有右上角的正弦，左下角没有放", _FOUR, _blocks(1, 1j, 0, 1)),
        _shaped("lower-only", "只有左下角的正弦，右上角没有放", _FOUR, _blocks(1, 0, -1j, 1)),
        _shaped("no-last", "右下角的余弦没有放", _FOUR, _blocks(1, 1j, -1j, 0)),
        _shaped("negated", "整个矩阵变了号", _TURN, _blocks(-1, -1j, 1j, -1)),
        # 分半布局的次序要换两处：行和列
        _shaped(
            "rows-only", "只换了行的次序，列还是交错布局的", _BOTH_AXES, lambda w, k, d: _TWINED(w, k, d)[_halved(d)]
        ),
        _shaped(
            "columns-only",
            "只换了列的次序，行还是交错布局的",
            _BOTH_AXES,
            lambda w, k, d: _TWINED(w, k, d)[:, _halved(d)],
        ),
        _shaped("one-step", "k 没有用上，总是移 1 步", _STEPS, _stepped(lambda k: 1)),
        _shaped("no-step", "k 没有用上，成了单位矩阵", _STEPS, _stepped(lambda k: 0)),
        _shaped("step-more", "多移了 1 步", "移 0 步应是单位矩阵。", _stepped(lambda k: k + 1)),
        _shaped("step-less", "少移了 1 步", "移 0 步应是单位矩阵。", _stepped(lambda k: k - 1)),
        _shaped("twice", "移了两倍的步数", _STEPS, _stepped(lambda k: 2 * k)),
        _shaped("absolute", "k 取了绝对值，往回移的也往前移了", "k 可以是负数。", _stepped(abs)),
        _shaped("truncated", "k 取了整", "k 可以是小数。", _stepped(math.trunc)),
        _shaped(
            "power", "成了 k 个转 1 步的矩阵相加", "移 k 步是连乘，不是连加。", lambda w, k, d: k * _RIGHT(w, 1, d)
        ),
    ],
    observe=_observe_rotation,
    tested="核对了 9 组步数和维度，步数有 0、负数、小数和 1000，维度从 2 到 64；其中一个矩阵是另外算好的。",
    note="它就是交错布局的平移矩阵，行和列一起换了次序；转置就是往回移，因为旋转矩阵的转置等于逆。",
)
def shift_matrix_halves(k, d_model):
    """返回分半布局的平移矩阵。"""
    matrix, h = np.zeros((d_model, d_model)), d_model // 2
    for i in range(h):
        c, s = math.cos(k / 10000 ** (2 * i / d_model)), math.sin(k / 10000 ** (2 * i / d_model))
        matrix[i, i] = matrix[i + h, i + h] = c
        matrix[i, i + h], matrix[i + h, i] = s, -s
    return matrix


_UNIT = "同一个位置与自己的相似度应是 1：每一行的长度是多少？"
_CIRCLE = "每一对的平方和应是 1，对角线应全是 1，每条斜线上的数应相同；回头检查编码表。"
_ROWS = "每一行是一个位置；结果应是 (seq_len, seq_len)。"


def _gram(wrong, n, d):
    table = wrong.table(range(n), d)
    return table @ table.T


def _scaled(code, name, hint, norm):
    why = "位置 0 与自己的相似度应是 1，你的是多少？差的倍数从哪里来，为什么？"
    return mistake(f"similarity/{code}", name, hint, lambda w, n, d: norm(_gram(w, n, d), d), why, "05 内积只看距离")


def _compared(code, name, hint, formula):
    return mistake(f"similarity/{code}", name, hint, formula, "对角线应全是 1，为什么？", "05 内积只看距离")


def _rows_of(n, d):
    return np.array([row(p, d) for p in range(n)])


def _unit_rows(wrong, n, d):
    table = wrong.table(range(n), d)
    table = table / np.linalg.norm(table, axis=1, keepdims=True)
    return table @ table.T


def _observe_gram(seen):
    for s in (s for s in seen if len(s.array) > 2 and np.isfinite(s.array).all()):
        if not close(s.array, s.array.T):
            hint = "位置 s 与 t 的相似度，和位置 t 与 s 的相同。"
            return Diagnosis("similarity/asymmetric", "矩阵不对称，或者只填了一半", hint)
        diagonal = np.diag(s.array)
        if np.abs(diagonal - 1).max() > 1e-4:
            odd = float(diagonal[np.argmax(np.abs(diagonal - 1))])
            return Diagnosis("similarity/diagonal", f"对角线上不全是 1，例如 {number(odd, 1)}", _UNIT)
        if np.abs(s.array[1:, 1:] - s.array[:-1, :-1]).max() > 1e-4:
            said = "斜线上的数不相同，相似度不只看距离：编码表里一对的两列没有共用角度"
            return Diagnosis("similarity/not-toeplitz", said, _CIRCLE)
        said = "对角线全是 1，每条斜线上的数也相同，但数不对：多半是编码表的角频率有错"
        return Diagnosis("similarity/frequencies", said, "把 i = 0 和 i = d/2 - 1 代进公式，指数各应是多少？")
    return None


_HALF_SQRT = "相似度是内积除以两个长度。"


@coding(
    "5-3",
    cases=[(3, 4), (1, 2), (6, 2), (4, 6), (8, 8), (20, 16), (5, 128), (8, 20), (6, 8), (150, 6)],
    random=lambda dice: [(dice.randint(3, 12), 2 * dice.randint(3, 20))],
    golden={
        (3, 4): [
            [1, 0.7701261532, 0.2918265851],
            [0.7701261532, 1, 0.7701261532],
            [0.2918265851, 0.7701261532, 1],
        ]
    },
    atol=lambda expected, n, d: 2.0**-22 + loose(1) * np.arange(n),  # 编码表可以是 float32 的
    place=lambda index, *args: f"位置 {index[0]} 与位置 {index[1]}",
    mistakes=[
        _compared("columns", "转置放错了：比的是列，不是行", _ROWS, lambda n, d: (t := _rows_of(n, d)).T @ t / (d / 2)),
        _compared(
            "columns-unscaled",
            "转置放错了：比的是列，不是行，也没有归一化",
            _ROWS,
            lambda n, d: (t := _rows_of(n, d)).T @ t,
        ),
        _compared(
            "untransposed", "缺了转置：表乘了自己", "行与行作内积，要转置一次。", lambda n, d: (t := _rows_of(n, d)) @ t
        ),
        _compared(
            "correlation",
            "每一行先减去了平均，成了相关系数",
            "余弦相似度不减平均：np.corrcoef 会减。",
            lambda n, d: np.corrcoef(_rows_of(n, d)).reshape(n, n),
        ),
        _compared(
            "centred",
            "每一列先减去了平均",
            "余弦相似度不减平均。",
            lambda n, d: (lambda t: t @ t.T / np.outer(q := np.linalg.norm(t, axis=1), q))(
                _rows_of(n, d) - _rows_of(n, d).mean(0)
            ),
        ),
        _compared(
            "one-row",
            "只比了位置 0 与别的位置",
            "任意两个位置都要比。",
            lambda n, d: _rows_of(n, d) @ row(0, d) / (d / 2),
        ),
        _compared(
            "repeated-row",
            "每一行都是位置 0 的那一行",
            "任意两个位置都要比。",
            lambda n, d: [_rows_of(n, d) @ row(0, d) / (d / 2)] * n,
        ),
        _compared(
            "upper",
            "只填了上半边",
            "位置 s 与 t 的相似度，和位置 t 与 s 的相同。",
            lambda n, d: np.triu((t := _rows_of(n, d)) @ t.T / (d / 2)),
        ),
        _compared(
            "lower",
            "只填了下半边",
            "位置 s 与 t 的相似度，和位置 t 与 s 的相同。",
            lambda n, d: np.tril((t := _rows_of(n, d)) @ t.T / (d / 2)),
        ),
        _compared(
            "no-diagonal",
            "对角线没有填",
            "自己与自己也要比，是 1。",
            lambda n, d: (t := _rows_of(n, d)) @ t.T / (d / 2) * (1 - np.eye(n)),
        ),
        _compared(
            "elementwise", "逐个相乘了，没有求和", "内积是逐个相乘再相加：用 @。", lambda n, d: _rows_of(n, d) ** 2
        ),
        _compared(
            "sum-of-positions",
            "位置相加了，应当相减",
            "内积是余弦的差角公式。",
            lambda n, d: np.cos(
                np.add.outer(np.arange(n), np.arange(n))[..., None] * 1e4 ** (-np.arange(0, d, 2) / d)
            ).mean(-1),
        ),
    ],
    via=lambda w, n, d: _gram(w, n, d) / (d / 2),
    blames="编码表有错：",
    variants=[
        _scaled("inner-product", "没有归一化：给的是内积", _UNIT, lambda g, d: g),
        _scaled("over-d", "归一化时除以了 d_model，应是它的一半", _UNIT, lambda g, d: g / d),
        _scaled("over-sqrt-d", "归一化时除以了 √d_model", _UNIT, lambda g, d: g / d**0.5),
        _scaled("over-one-length", "归一化时只除以了一个长度，应除以两个", _UNIT, lambda g, d: g / (d / 2) ** 0.5),
        _scaled("over-four-lengths", "归一化时除以了长度的平方的平方", _UNIT, lambda g, d: g / (d / 2) ** 2),
        _scaled(
            "over-sum-of-lengths",
            "归一化时除以了两个长度的和，应是积",
            _HALF_SQRT,
            lambda g, d: g / (2 * (d / 2) ** 0.5),
        ),
        _scaled("over-count", "归一化时除以了位置的个数", _UNIT, lambda g, d: g / len(g)),
        _scaled("over-largest", "归一化时除以了最大的数的平方", _UNIT, lambda g, d: g / g.max() ** 2),
        _scaled(
            "softmax",
            "归一化用了 softmax",
            "题目要的是相似度，不是注意力的权重。",
            lambda g, d: np.exp(g) / np.exp(g).sum(1, keepdims=True),
        ),
        _scaled(
            "over-row-sum",
            "每一行除以了自己的和",
            "题目要的是相似度，一行的和不必是 1。",
            lambda g, d: g / g.sum(1, keepdims=True),
        ),
        _scaled("one-minus", "给的是 1 减去相似度", _UNIT, lambda g, d: 1 - g / (d / 2)),
        _scaled("distance", "给的是距离，不是相似度", _UNIT, lambda g, d: np.sqrt(np.maximum(d - 2 * g, 0))),
        _scaled("squared-distance", "给的是距离的平方，不是相似度", _UNIT, lambda g, d: d - 2 * g),
        _scaled("absolute", "取了绝对值", "相似度可以是负的。", lambda g, d: abs(g) / (d / 2)),
        _scaled("squared", "平方了", "内积只乘一遍。", lambda g, d: (g / (d / 2)) ** 2),
        _scaled("clipped", "负的相似度成了 0", "相似度可以是负的。", lambda g, d: np.maximum(g / (d / 2), 0)),
        _scaled(
            "angle",
            "给的是夹角，不是它的余弦",
            "相似度就是夹角的余弦，不用再取反余弦。",
            lambda g, d: np.arccos(np.clip(g / (d / 2), -1, 1)),
        ),
        _scaled("centred-gram", "减去了平均", "题目没有要求减去平均。", lambda g, d: (g - g.mean()) / (d / 2)),
        mistake("similarity/own-lengths", "编码表有错，又按各行自己的长度归一化了", _CIRCLE, _unit_rows),
    ],
    observe=_observe_gram,
    tested="核对了 11 张表，从 1 个位置到 150 个位置，2 维到 128 维；其中一张是另外算好的。",
    note="每条斜线上的数相同，这就是特普利茨矩阵：相似度只看距离，不看位置。",
)
def similarity(seq_len, d_model):
    """返回任意两个位置的余弦相似度。"""
    pairs = range(d_model // 2)
    return [
        [sum(math.cos((s - t) / 10000 ** (2 * i / d_model)) for i in pairs) / (d_model / 2) for t in range(seq_len)]
        for s in range(seq_len)
    ]


_BOTH_WAYS = "位置差有正有负：3 个位置时依次是 2、1、0、-1、-2，一共 5 行。"
_WRAP = "拿负数作 NumPy 的下标，取到的是末尾的行；负的位置要另外算。"
_PARITY = "正弦是奇函数，余弦是偶函数：换成 -k，只有正弦那几列变号。"


def _differences(n):
    return range(n - 1, -n, -1)


def _listed(code, name, hint, positions):
    return _tabled(code, name, hint, lambda n, d: np.array([row(p, d) for p in positions(n)]).reshape(-1, d))


def _tabled(code, name, hint, formula):
    why = "n = 3 时，把你的每一行对应的位置差写出来：有没有 -1 和 -2？负的一半与正的一半差在哪几列，为什么？"
    return mistake(f"relative/{code}", name, hint, formula, why, "05 往哪边转")


def _square(n, d):
    if n > 100:
        raise OverflowError  # 大的不必真造出来
    return np.array([[row(s - t, d) for t in range(n)] for s in range(n)])


def _signed(sine, cosine):
    return lambda n, d: np.array(
        [[v * ((sine, cosine)[j % 2] if p < 0 else 1) for j, v in enumerate(row(abs(p), d))] for p in _differences(n)]
    )


@coding(
    "5-4",
    cases=[(3, 4), (1, 2), (2, 2), (4, 8), (5, 8), (9, 6), (40, 16), (9, 12), (5, 6), (2100, 2)],
    random=lambda dice: [(dice.randint(5, 30), 2 * dice.randint(3, 20))],
    golden={
        (3, 4): [
            GOLDEN[2, 4],
            GOLDEN[1, 4],
            GOLDEN[0, 4],
            [-0.8414709848, 0.5403023059, -0.0099998333, 0.9999500004],
            [-0.9092974268, -0.4161468365, -0.0199986667, 0.9998000067],
        ]
    },
    atol=lambda expected, n, d: each_row(loose, _differences(n), expected),
    place=lambda index, n, d: f"位置差 {n - 1 - index[0]}、第 {index[1]} 列",
    table=lambda n, d: (_differences(n), d, 10000.0),
    mistakes=[
        _listed("only-positive", "成了绝对位置的表：只有 seq_len 行，负的那一半没有", _BOTH_WAYS, range),
        _listed(
            "only-downward",
            "只有正的一半：从 seq_len - 1 数到 0，负的那一半没有",
            _BOTH_WAYS,
            lambda n: range(n - 1, -1, -1),
        ),
        _listed(
            "up-from-zero", "成了绝对位置的表：从 0 往上数，负的那一半没有", _BOTH_WAYS, lambda n: range(2 * n - 1)
        ),
        _listed(
            "down-to-zero",
            "成了绝对位置的表：倒着数到 0，负的那一半没有",
            _BOTH_WAYS,
            lambda n: range(2 * n - 2, -1, -1),
        ),
        _listed("mirrored", "负的那一半是正的那一半的镜像", _BOTH_WAYS + _PARITY, lambda n: map(abs, _differences(n))),
        _listed("ascending", "次序反了：从最小的位置差数起了", _BOTH_WAYS, lambda n: range(1 - n, n)),
        _listed(
            "zero-first-down",
            "0 排到了最前面，负的倒着接在正的后面",
            _BOTH_WAYS,
            lambda n: [*range(n), *range(-1, -n, -1)],
        ),
        _listed("zero-first", "0 排到了最前面，负的接在正的后面", _BOTH_WAYS, lambda n: [*range(n), *range(1 - n, 0)]),
        _listed("wrapped", "负的位置差被当成了倒数第几行", _WRAP, lambda n: [p % n for p in _differences(n)]),
        _listed(
            "wrapped-table", "负的位置差绕到了长表的末尾", _WRAP, lambda n: [p % (2 * n - 1) for p in _differences(n)]
        ),
        _listed("clipped", "负的位置差都成了 0", _BOTH_WAYS, lambda n: [max(p, 0) for p in _differences(n)]),
        _listed("one-more", "整体大了一步", _BOTH_WAYS, lambda n: range(n, 1 - n, -1)),
        _listed("one-less", "整体小了一步", _BOTH_WAYS, lambda n: range(n - 2, -n - 1, -1)),
        _listed("extra-row", "多了一行：负的一头数到了 -seq_len", _BOTH_WAYS, lambda n: range(n - 1, -n - 1, -1)),
        _listed("extra-first", "多了一行：从 seq_len 数起了", _BOTH_WAYS, lambda n: range(n, -n, -1)),
        _listed(
            "extra-both",
            "多了两行：位置差从 seq_len - 1 数起，不是 seq_len",
            _BOTH_WAYS,
            lambda n: range(n, -n - 1, -1),
        ),
        _listed("missing-last", "少了一行：最小的位置差漏掉了", _BOTH_WAYS, lambda n: range(n - 1, 1 - n, -1)),
        _listed("missing-zero", "少了一行：0 漏掉了", _BOTH_WAYS, lambda n: [p for p in _differences(n) if p]),
        _listed("zero-twice", "多了一行：0 有两个", _BOTH_WAYS, lambda n: [*range(n - 1, -1, -1), *range(0, -n, -1)]),
        _listed("doubled", "位置差大了一倍", _BOTH_WAYS, lambda n: [2 * p for p in _differences(n)]),
        _tabled("all-negated", "负的位置差，整行变了号", _PARITY, _signed(-1, -1)),
        _tabled("cosine-negated", "负的位置差，余弦变了号，正弦没有", _PARITY, _signed(1, -1)),
        _tabled(
            "square",
            "成了三个轴：每两个位置一行，重复的差没有并成一行",
            _BOTH_WAYS,
            _square,
        ),
    ],
    tested="核对了 11 张表，从 1 个位置到 2100 个位置；其中一张是另外算好的。",
    note="-k 那一行就是 k 那一行把正弦变号：余弦是偶函数，正弦是奇函数。",
)
def relative_table(seq_len, d_model):
    """返回全部位置差的编码，从大到小。"""
    return [row(p, d_model) for p in range(seq_len - 1, -seq_len, -1)]


guessing(
    "5-1",
    asks="平均的长度，两位小数，例如 4.00",
    right=5.49,
    near=0.002,
    reply="第 i 对的平均是位置 1 的那一对缩短 cos ω_i 倍：快的缩得多，慢的几乎不缩。",
    misconceptions={
        "average-stays-on-circle": (
            lambda a: 5.64 <= a <= 5.67,
            "你以为平均还是位置 1 的编码：圆上两点连线的中点，落在圆的里面。",
        ),
        "every-pair-like-the-first": (
            lambda a: 3.0 <= a <= 3.1,
            "你给每一对都乘了 cos 1 ≈ 0.54：只有第 0 对缩这么多，慢的对两点挨得近，几乎不缩。",
        ),
        "lengths-add": (
            lambda a: 11.2 <= a <= 11.4,
            "那是两个长度之和：平均还要除以 2，而且两个向量不同向，和的长度比长度的和短。",
        ),
    },
)
