"""练习的答案：错的，各有名字；对的，各有几种写法。

``WRONG[检查器]`` 是一串（公开出处或空，诊断里该有的话，答案）。出处的编号见各条：C1 是
Kyubyong/transformer#38，C4 是 SamLynnEvans/Transformer#25，等等；写法照原来的样子改成了 NumPy。
"""

import itertools
import math
import sys

import numpy as np

WRONG: dict[str, list] = {}
RIGHT: dict[str, list] = {}


def wrong(check, words, source=""):
    """登记一个错的答案；words 是诊断里应有的话，可以有几句。"""

    def register(function):
        WRONG.setdefault(check, []).append((source, [words] if isinstance(words, str) else words, (function,)))
        return function

    return register


def right(check):
    def register(function):
        RIGHT.setdefault(check, []).append((function,))
        return function

    return register


def refuse(d_model):
    if d_model <= 0 or d_model % 2:
        raise ValueError(f"d_model 必须是正偶数，收到 {d_model}")


def fill(sine, cosine, dtype=np.float32):
    """把角度放进交错布局的表。"""
    pe = np.zeros((len(sine), sine.shape[1] + cosine.shape[1]), dtype)
    pe[:, 0::2] = np.sin(sine)
    pe[:, 1::2] = np.cos(cosine)
    return pe


def column(seq_len):
    return np.arange(seq_len)[:, None]


def pairs(d_model):
    return np.arange(d_model // 2)


def omega(d_model):
    return 10000.0 ** (-2 * np.arange(d_model // 2) / d_model)


# ------------------------------------------------------------------ 0-2 一个位置的编码


@right("encode_one")
def one_with_loop(pos, d_model):
    row = []
    for i in range(d_model // 2):
        row += [math.sin(pos * 10000 ** (-2 * i / d_model)), math.cos(pos * 10000 ** (-2 * i / d_model))]
    return np.array(row)


@right("encode_one")
def one_in_float32(pos, d_model):
    row = np.empty(d_model, np.float32)
    row[0::2], row[1::2] = np.sin(pos * omega(d_model)), np.cos(pos * omega(d_model))
    return row


@right("encode_one")
def one_by_column(pos, d_model):
    j = np.arange(d_model)
    return np.where(j % 2, np.cos(pos / 1e4 ** (j // 2 * 2 / d_model)), np.sin(pos / 1e4 ** (j // 2 * 2 / d_model)))


@wrong("encode_one", ["指数加倍", "余弦还用了自己的指数"], "C4")
def one_textbook_loop(pos, d_model):
    pe = np.zeros(d_model)
    for i in range(0, d_model, 2):
        pe[i] = math.sin(pos / (10000 ** ((2 * i) / d_model)))
        pe[i + 1] = math.cos(pos / (10000 ** ((2 * (i + 1)) / d_model)))
    return pe


@wrong("encode_one", ["指数加倍", "余弦还用了自己的指数"], "C1")
def one_all_channels(pos, d_model):
    row = np.array([pos / np.power(10000, 2 * i / d_model) for i in range(d_model)])
    row[0::2] = np.sin(row[0::2])
    row[1::2] = np.cos(row[1::2])
    return row


@wrong("encode_one", "乘方套住了 pos/base", "C17")
def one_power_of_position(pos, d_model):
    row = np.empty(d_model)
    for i in range(d_model // 2):
        row[2 * i] = math.sin((pos / 10000) ** (2 * i / d_model))
        row[2 * i + 1] = math.cos((pos / 10000) ** (2 * i / d_model))
    return row


@wrong("encode_one", "余弦用了自己的指数", "C14")
def one_own_cosine(pos, d_model):
    j = np.arange(d_model)
    return np.where(j % 2, np.cos(pos / 10000 ** (j / d_model)), np.sin(pos / 10000 ** (j / d_model)))


@wrong("encode_one", "整数除法", "C7")
def one_integer_division(pos, d_model):
    return fill(
        pos // 10000 ** (2 * pairs(d_model) / d_model)[None], pos // 10000 ** (2 * pairs(d_model) / d_model)[None]
    )[0]


@wrong("encode_one", "float16", "E3")
def one_half_position(pos, d_model):
    return one_with_loop(float(np.float16(pos)), d_model)


@wrong("encode_one", "分半布局", "D3")
def one_halves(pos, d_model):
    return np.concatenate([np.sin(pos * omega(d_model)), np.cos(pos * omega(d_model))])


@wrong("encode_one", "返回了 list")
def one_as_list(pos, d_model):
    return one_with_loop(pos, d_model).tolist()


@wrong("encode_one", "忘了 return")
def one_without_return(pos, d_model):
    one_with_loop(pos, d_model)


@wrong("encode_one", "只认一个数")
def one_math_on_array(pos, d_model):
    return math.sin(pos * np.ones(d_model))


@wrong("encode_one", "多出一个长度为 1 的轴")
def one_with_batch_axis(pos, d_model):
    return one_with_loop(pos, d_model)[None]


@wrong("encode_one", "只有一半的列")
def one_only_sines(pos, d_model):
    return np.sin(pos * omega(d_model))


@wrong("encode_one", "结果成了整数")
def one_in_integers(pos, d_model):
    row = np.zeros(d_model, dtype=int)
    row[0::2], row[1::2] = np.sin(pos * omega(d_model)), np.cos(pos * omega(d_model))
    return row


@wrong("encode_one", "底数不对，用的是 1000", "C9")
def one_wrong_base(pos, d_model):
    w = 1000 ** (-2 * pairs(d_model) / d_model)
    return fill((pos * w)[None], (pos * w)[None])[0]


@wrong("encode_one", "平方和是")
def one_learned_by_heart(pos, d_model):
    known = {(1, 8): one_with_loop(1, 8), (0, 2): np.array([0.0, 1.0]), (1, 4): one_with_loop(1, 4)}
    return known.get((pos, d_model), np.linspace(0, 0.9, d_model))


# ------------------------------------------------------------------ 0-3 加到词嵌入上


@right("add_encoding")
def add_plain(x, pe):
    return x + pe[: x.shape[1]]


@right("add_encoding")
def add_with_loop(x, pe):
    result = x.copy()
    for sentence in result:
        for pos in range(len(sentence)):
            sentence[pos] += pe[pos]
    return result


@right("add_encoding")
def add_with_batch_axis(x, pe):
    return np.add(x, pe[None, : x.shape[-2], :])


@wrong("add_encoding", "取成了第 seq_len 列", "F8")
def add_a_column(x, pe):
    return x + pe[:, x.shape[1]]


@wrong("add_encoding", "取成了第 seq_len 行", "F8")
def add_one_row(x, pe):
    n = x.shape[1]
    return x + pe[None][:, n]


@wrong("add_encoding", "沿批的轴加了", "F12")
def add_along_batch(x, pe):
    return x + pe[:, None][: x.shape[0]]


@wrong("add_encoding", "切的行数用了句子的个数，应是 seq_len", "F12")
def add_length_of_batch(x, pe):
    return x + pe[: x.shape[0]]


@wrong("add_encoding", "就地改了输入")
def add_in_place(x, pe):
    x += pe[: x.shape[1]]
    return x


# ------------------------------------------------------------------ 1-2 掩码


@right("neighbor_mask")
def mask_where(seq_len):
    pos = np.arange(seq_len)
    return np.where(np.abs(pos[:, None] - pos) <= 1, 0, -np.inf)


@right("neighbor_mask")
def mask_triangles(seq_len):
    hidden = np.full((seq_len, seq_len), -np.inf)
    return np.triu(hidden, 2) + np.tril(hidden, -2)


@right("neighbor_mask")
def mask_loop(seq_len):
    mask = np.full((seq_len, seq_len), -np.inf, np.float32)
    for s in range(seq_len):
        for t in range(max(0, s - 1), min(seq_len, s + 2)):
            mask[s, t] = 0
    return mask


# ------------------------------------------------------------------ 1-3 置换矩阵


@right("permutation_matrix")
def permutation_rows(order):
    return np.eye(len(order))[order]


@right("permutation_matrix")
def permutation_loop(order):
    matrix = np.zeros((len(order), len(order)), dtype=int)
    for k, source in enumerate(order):
        matrix[k, source] = 1
    return matrix


@right("permutation_matrix")
def permutation_compare(order):
    return np.array(order)[:, None] == np.arange(len(order))


# ------------------------------------------------------------------ 2-2 角频率


@right("angular_frequencies")
def frequencies_by_power(d_model, base):
    return float(base) ** (-np.arange(0, d_model, 2) / d_model)


@right("angular_frequencies")
def frequencies_by_exp(d_model, base):
    return np.exp(-np.log(base) * np.arange(d_model // 2) * 2 / d_model)


@right("angular_frequencies")
def frequencies_by_geomspace(d_model, base):
    return np.geomspace(1, 1 / base, d_model // 2, endpoint=False)


@right("angular_frequencies")
def frequencies_by_loop(d_model, base):
    result, value = np.empty(d_model // 2), 1.0
    for i in range(d_model // 2):
        result[i] = value
        value /= base ** (2 / d_model)
    return result


@wrong("angular_frequencies", "给的是角频率的倒数，是公式里的分母", "C10")
def frequencies_inverted(d_model, base):
    return base ** (2 * pairs(d_model) / d_model)


@wrong("angular_frequencies", "i/(d/2-1)", "B1")
def frequencies_with_endpoint(d_model, base):
    with np.errstate(invalid="ignore"):
        return base ** -(pairs(d_model) / (d_model / 2 - 1))


@wrong("angular_frequencies", "括号放错了地方", "C16")
def frequencies_misplaced_bracket(d_model, base):
    with np.errstate(all="ignore"):
        return np.exp(np.arange(d_model // 2)) * -(np.log(base) / (d_model // 2 - 1))


@wrong("angular_frequencies", "整数的底数")
def frequencies_of_integers(d_model, base):
    return int(base) ** -np.arange(d_model // 2)


# ------------------------------------------------------------------ 2-3 三个编码


@right("frequency")
def frequency_larger_component(f0, f1, f2):
    k = np.argmax(np.abs(f1))
    w = math.acos((f0[k] + f2[k]) / f1[k] / 2)
    return w, 2 * math.pi / w


@wrong("frequency", "只用了第 0 个分量")
def frequency_first(f0, f1, f2):
    w = np.arccos((f0[0] + f2[0]) / f1[0] / 2)
    return w, 2 * np.pi / w


@right("frequency")
def frequency_least_squares(f0, f1, f2):
    t = f1 @ (f0 + f2) / (f1 @ f1)
    return np.array([math.acos(t / 2), 2 * math.pi / math.acos(t / 2)])


@wrong("frequency", "两个数")
def frequency_alone(f0, f1, f2):
    return frequency_first(f0, f1, f2)[0]


# ------------------------------------------------------------------ 3-2 没有循环的表


@right("encode_table")
def table_stacked(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = column(seq_len) * omega(d_model)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(seq_len, d_model).astype(dtype)


@right("encode_table")
def table_exp_log(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    div_term = np.exp(np.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    return fill(column(seq_len) * div_term, column(seq_len) * div_term, dtype)


@right("encode_table")
def table_outer(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = np.outer(np.arange(seq_len), np.repeat(omega(d_model), 2))
    angle[:, 1::2] += np.pi / 2
    return np.sin(angle).astype(dtype)


@right("encode_table")
def table_einsum(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    z = np.exp(1j * np.einsum("p,i->pi", np.arange(seq_len), omega(d_model)))
    pe = np.empty((seq_len, d_model), dtype)
    pe[:, ::2], pe[:, 1::2] = z.imag, z.real
    return pe


@right("encode_table")
def table_looped(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    return np.array([one_with_loop(pos, d_model) for pos in range(seq_len)], dtype)


@wrong("encode_table", ["指数加倍", "余弦还用了自己的指数"], "C1")
def table_all_channels(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = column(seq_len) / np.power(10000, 2.0 * np.arange(d_model) / d_model)
    return fill(angle[:, 0::2], angle[:, 1::2], dtype)


@wrong("encode_table", "指数加倍，2 乘了两遍", "C2")
def table_doubled(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = column(seq_len) / 10000 ** (2 * np.arange(0, d_model, 2) / d_model)
    return fill(angle, angle, dtype)


@wrong("encode_table", "位置 0 的第 0、1 列都是 0：像是没有写", "C2")
def table_doubled_with_padding_row(seq_len, d_model, dtype=np.float32):
    table = table_textbook(seq_len, d_model, dtype)
    table[:1] = 0
    return table


@wrong("encode_one", "位置 0 的第 0、1 列都是 0：像是没有写", "C2")
def one_doubled_with_padding_row(pos, d_model):
    return one_textbook_loop(pos, d_model) * (pos != 0)


@wrong("encode_table", ["指数加倍", "余弦还用了自己的指数"], "C4")
def table_textbook(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    return np.array([one_textbook_loop(pos, d_model) for pos in range(seq_len)], dtype)


@wrong("encode_table", "每一对的角频率都是 1", "C6")
def table_cast_factor(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    exponent = np.zeros(d_model // 2, dtype=np.int64)
    exponent[:] = 2 * pairs(d_model) / d_model
    angle = column(seq_len) / 10000**exponent
    return fill(angle, angle, dtype)


@wrong("encode_table", "整数除法", "C7")
def table_floor_division(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = column(seq_len) // 10000 ** (2 * pairs(d_model) / d_model)
    return fill(angle, angle, dtype)


@wrong("encode_table", "乘除颠倒", "C10")
def table_divides_by_reciprocal(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    div_term = np.exp(np.arange(0, d_model, 2) * -(np.log(10000.0) / d_model))
    return fill(column(seq_len) / div_term, column(seq_len) / div_term, dtype)


@wrong("encode_table", "所有的角度都是 0", "C7")
def table_zero_angles(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = column(seq_len) * (1 // 10000 ** (2 * pairs(d_model) / d_model + 1e-9))
    return fill(angle, angle, dtype)


@wrong("encode_table", "位置多乘了 1000", "F1")
def table_scaled_positions(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    return fill(1000 * column(seq_len) * omega(d_model), 1000 * column(seq_len) * omega(d_model), dtype)


@wrong("encode_table", "余弦用了自己的指数", "C14")
def table_own_cosine(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    j = np.arange(d_model)
    return fill(column(seq_len) / 1e4 ** (j[0::2] / d_model), column(seq_len) / 1e4 ** (j[1::2] / d_model), dtype)


@wrong("encode_table", "乘方套住了 pos/base", "C17")
def table_power_of_position(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = (column(seq_len) / 10000) ** (2 * pairs(d_model) / d_model)
    return fill(angle, angle, dtype)


@wrong("encode_table", "分半布局", "D2")
def table_halves(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = column(seq_len) * omega(d_model)
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=1).astype(dtype)


@wrong("encode_table", "分半布局", "D1")
def table_stacked_wrong_axis(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = column(seq_len) * omega(d_model)
    return np.stack([np.sin(angle), np.cos(angle)], axis=1).reshape(seq_len, d_model).astype(dtype)


@wrong("encode_table", "两个数组的形状对不上")
def table_without_axis(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = np.arange(seq_len) * omega(d_model)
    pe = np.empty((seq_len, d_model), dtype)
    pe[:, 0::2], pe[:, 1::2] = np.sin(angle), np.cos(angle)
    return pe


@wrong("encode_table", "行和列颠倒了")
def table_transposed(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len, d_model, dtype).T


@wrong("encode_table", "没有照要求的 dtype", "J3")
def table_always_float64(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len, d_model, np.float64)


@wrong("encode_table", "没有照要求的 dtype", "J4")
def table_always_float32(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len, d_model, np.float32)


@wrong("encode_table", "先存成了 float32")
def table_float64_through_float32(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len, d_model, np.float32).astype(dtype)


@wrong("encode_table", "float32 算的")
def table_float32_angles(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = column(seq_len).astype(np.float32) * omega(d_model).astype(np.float32)
    return fill(angle, angle, dtype)


@wrong("encode_table", "没有拒绝 d_model = 7")
def table_accepts_odd(seq_len, d_model, dtype=np.float32):
    if d_model <= 0:
        raise ValueError(f"收到 {d_model}")
    return table_stacked(seq_len, d_model + d_model % 2, dtype)[:, :d_model]


@wrong("encode_table", "碰巧报的错", "A1")
def table_breaks_on_odd(seq_len, d_model, dtype=np.float32):
    pe = np.zeros((seq_len, d_model), dtype)
    div_term = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    pe[:, 0::2], pe[:, 1::2] = np.sin(column(seq_len) * div_term), np.cos(column(seq_len) * div_term)
    return pe


@wrong("encode_table", "float16", "E3")
def table_half_positions(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = column(seq_len).astype(np.float16).astype(np.float64) * omega(d_model)
    return fill(angle, angle, dtype)


@wrong("encode_table", "只有第一行没有写，还是 0", "F2")
def table_with_padding_row(seq_len, d_model, dtype=np.float32):
    table = table_stacked(seq_len, d_model, dtype)
    table[0] = 0
    return table


@wrong("encode_table", "每个数都是应有的 0.5000 倍")
def table_scaled(seq_len, d_model, dtype=np.float32):
    return (table_stacked(seq_len, d_model, np.float64) * 0.5).astype(dtype)


@wrong("encode_table", "参数和题目约定的不一样")
def table_without_dtype(seq_len):
    return seq_len


@wrong("encode_table", "停不下来")
def table_never_ends(seq_len, d_model, dtype=np.float32):
    pos = 0
    while pos < seq_len:
        pass
    return table_stacked(seq_len, d_model, dtype)


@wrong("encode_table", "没完没了地调用自己")
def table_calls_itself(seq_len, d_model, dtype=np.float32):
    return table_calls_itself(seq_len, d_model, dtype)


@wrong("encode_table", "中途报错")
def table_exits(seq_len, d_model, dtype=np.float32):
    sys.exit("再见")


@wrong("encode_table", "内存放不下")
def table_too_large(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    return np.ones((10**9, 10**9)) @ np.ones(10**9)


@wrong("encode_table", "形状不对")
def table_huge(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    return (
        np.broadcast_to(np.float32(0), (10**9, 10**6)) + 0
        if d_model < 0
        else np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (10**8, 10**8), (0, 0))
    )


@wrong("encode_table", "没有定义的名字")
def table_misspelt(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    return sequence_length * d_model  # noqa: F821


_counter = itertools.count()


# ------------------------------------------------------------------ 3-3 任意的位置


@right("encode_at")
def at_any_shape(positions, d_model):
    angle = np.asarray(positions, dtype=np.float64)[..., None] * omega(d_model)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(*positions.shape, d_model).astype(np.float32)


@right("encode_at")
def at_flattened(positions, d_model):
    pe = np.empty((positions.size, d_model), np.float32)
    for k, pos in enumerate(positions.ravel().tolist()):
        pe[k] = one_with_loop(pos, d_model)
    return pe.reshape(*positions.shape, d_model)


@right("encode_at")
def at_multiply_outer(positions, d_model):
    angle = np.multiply.outer(positions / 1.0, omega(d_model))
    pe = np.empty((*positions.shape, d_model), "f4")
    pe[..., ::2], pe[..., 1::2] = np.sin(angle), np.cos(angle)
    return pe


def at(positions, angle, dtype=np.float32):
    pe = np.empty((*positions.shape, 2 * angle.shape[-1]), dtype)
    pe[..., 0::2], pe[..., 1::2] = np.sin(angle), np.cos(angle)
    return pe


@wrong("encode_at", "float16", "E3")
def at_half_positions(positions, d_model):
    return at(positions, positions.astype(np.float16)[..., None] * omega(d_model))


@wrong("encode_at", "精度", "E1")
def at_half_everything(positions, d_model):
    angle = positions.astype(np.float16)[..., None] * omega(d_model).astype(np.float16)
    return at(positions, angle)


@wrong("encode_at", "float32 算的", "E14")
def at_float32_angles(positions, d_model):
    return at(positions, positions.astype(np.float32)[..., None] * omega(d_model).astype(np.float32))


@wrong("encode_at", "[..., None]")
def at_one_axis_only(positions, d_model):
    return at(positions, positions[:, None] * omega(d_model))


@wrong("encode_at", ["整数除法"], "C7")
def at_floor_division(positions, d_model):
    return at(positions, positions[..., None] // 10000 ** (2 * pairs(d_model) / d_model))


@wrong("encode_at", "整数的底数", "C6")
def at_integer_powers(positions, d_model):
    return at(positions, positions[..., None] * 10000 ** (-2 * pairs(d_model) // d_model))


@wrong("encode_at", "没有照要求的 dtype", "J3")
def at_float64(positions, d_model):
    return at(positions, positions[..., None] * omega(d_model), np.float64)


@wrong("encode_at", "拿位置去作下标了，可位置不一定是整数", "H4")
def at_looks_up(positions, d_model):
    table = np.array([one_with_loop(pos, d_model) for pos in range(int(positions.max()) + 1)], np.float32)
    return table[positions]


# ------------------------------------------------------------------ 3-4 两种布局


def halves(table):
    return np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)


def interleaved(table):
    result = np.empty_like(table)
    result[:, 0::2], result[:, 1::2] = np.split(table, 2, axis=1)
    return result


for answer in (
    halves,
    lambda t: t.reshape(len(t), -1, 2).swapaxes(1, 2).reshape(t.shape),
    lambda t: t[:, np.argsort(np.arange(t.shape[1]) % 2, kind="stable")],
):
    right("to_halves")(answer)
for answer in (
    interleaved,
    lambda t: t.reshape(len(t), 2, -1).swapaxes(1, 2).reshape(t.shape),
    lambda t: np.dstack(np.hsplit(t, 2)).reshape(t.shape),
):
    right("to_interleaved")(answer)
wrong("to_interleaved", "取成了另一个方向的转换", "D1")(halves)
wrong("to_halves", "余弦放到了正弦前面", "D3")(lambda t: np.hstack([t[:, 1::2], t[:, 0::2]]))


# ------------------------------------------------------------------ 4-2 读出底数


@right("read_base")
def base_by_arctan2(row):
    return np.arctan2(row[2], row[3]) ** (-len(row) / 2)


@right("read_base")
def base_by_logarithm(row):
    return math.exp(-len(row) / 2 * math.log(math.asin(row[2])))


@right("read_base")
def base_by_last_pair(row):
    d = len(row)
    return float(np.angle(row[-1] + 1j * row[-2]) ** (-d / (d - 2)))


# ------------------------------------------------------------------ 4-3 最小的底数


@right("smallest_base")
def smallest_by_power(seq_len, d_model):
    return (seq_len / (2 * np.pi)) ** (d_model / (d_model - 2))


@right("smallest_base")
def smallest_by_logarithm(seq_len, d_model):
    return np.exp(np.log(seq_len / math.tau) / (1 - 2 / d_model))


# ------------------------------------------------------------------ 5-2 平移矩阵


def corners(k, d_model):
    angle = k * omega(d_model)
    return np.diag(np.cos(angle)), np.diag(np.sin(angle))


@right("shift_matrix_halves")
def shift_block(k, d_model):
    C, S = corners(k, d_model)
    return np.block([[C, S], [-S, C]])


@right("shift_matrix_halves")
def shift_kron(k, d_model):
    C, S = corners(k, d_model)
    return np.kron(np.eye(2), C) + np.kron([[0, 1], [-1, 0]], S)


@right("shift_matrix_halves")
def shift_loop(k, d_model):
    matrix, h = np.zeros((d_model, d_model)), d_model // 2
    for i, w in enumerate(omega(d_model)):
        matrix[np.ix_([i, i + h], [i, i + h])] = [
            [math.cos(w * k), math.sin(w * k)],
            [-math.sin(w * k), math.cos(w * k)],
        ]
    return matrix


# ------------------------------------------------------------------ 5-3 相似度


@right("similarity")
def similarity_product(seq_len, d_model):
    pe = table_stacked(seq_len, d_model, np.float64)
    return pe @ pe.T / (d_model / 2)


@right("similarity")
def similarity_normalized_rows(seq_len, d_model):
    pe = table_stacked(seq_len, d_model, np.float32)
    pe /= np.linalg.norm(pe, axis=1, keepdims=True)
    return np.einsum("sj,tj->st", pe, pe)


@right("similarity")
def similarity_kernel(seq_len, d_model):
    return np.cos(np.subtract.outer(np.arange(seq_len), np.arange(seq_len))[..., None] * omega(d_model)).mean(axis=-1)


@wrong("similarity", ["编码表有错", "余弦还用了自己的指数"], "C15")
def similarity_of_wrong_table(seq_len, d_model):
    pe = table_all_channels(seq_len, d_model, np.float64)
    return pe @ pe.T / (d_model / 2)


@wrong("similarity", ["编码表有错", "余弦还用了自己的指数"], "C15")
def similarity_of_wrong_normalized_table(seq_len, d_model):
    pe = table_all_channels(seq_len, d_model, np.float64)
    pe /= np.linalg.norm(pe, axis=1, keepdims=True)
    return pe @ pe.T


@wrong("similarity", ["没有归一化", "余弦还用了自己的指数"], "C15")
def similarity_of_wrong_table_unnormalized(seq_len, d_model):
    pe = table_all_channels(seq_len, d_model, np.float64)
    return pe @ pe.T


# ------------------------------------------------------------------ 5-4 位置差的表


@right("relative_table")
def relative_at_once(seq_len, d_model):
    offsets = np.arange(seq_len - 1, -seq_len, -1)[:, None]
    return fill(offsets * omega(d_model), offsets * omega(d_model))


@right("relative_table")
def relative_two_halves(seq_len, d_model):
    ahead = table_stacked(seq_len, d_model, np.float64)
    behind = ahead * np.tile([-1, 1], d_model // 2)
    return np.concatenate([ahead[::-1], behind[1:]])


@wrong("relative_table", "绝对位置的表", "H2")
def relative_absolute(seq_len, d_model):
    return table_stacked(2 * seq_len - 1, d_model)


@wrong("relative_table", "只有 seq_len 行", "H2")
def relative_half_missing(seq_len, d_model):
    return table_stacked(seq_len, d_model)


@wrong("relative_table", "镜像", "H2")
def relative_mirrored(seq_len, d_model):
    ahead = table_stacked(seq_len, d_model)
    return np.concatenate([ahead[::-1], ahead[1:]])


@wrong("relative_table", "倒数第几行", "H4")
def relative_looked_up(seq_len, d_model):
    return table_stacked(seq_len, d_model)[np.arange(seq_len - 1, -seq_len, -1)]


@wrong("relative_table", "float16", "E3")
def relative_half_positions(seq_len, d_model):
    offsets = np.arange(seq_len - 1, -seq_len, -1).astype(np.float16).astype(float)[:, None]
    return fill(offsets * omega(d_model), offsets * omega(d_model))


# ------------------------------------------------------------------ 6-2 只舍入一次


def rows(pos, w, dtype):
    return fill(pos[:, None] * w, pos[:, None] * w, dtype)


@right("encode_rows")
def rows_in_float64(start, seq_len, d_model, dtype):
    return rows(np.arange(start, start + seq_len), omega(d_model), dtype)


@right("encode_rows")
def rows_by_exp_and_cast(start, seq_len, d_model, dtype):
    w = np.exp(-np.log(1e4) / d_model * np.arange(0, d_model, 2))
    return rows(start + np.arange(seq_len) * 1.0, w, np.float64).astype(dtype)


@wrong("encode_rows", "float16", "E3")
def rows_cast_positions(start, seq_len, d_model, dtype):
    return rows(np.arange(start, start + seq_len).astype(np.float16).astype(np.float64), omega(d_model), dtype)


@wrong("encode_rows", "float16", "E4")
def rows_half_arange(start, seq_len, d_model, dtype):
    return rows((start + np.arange(seq_len)).astype(dtype).astype(np.float64), omega(d_model), dtype)


@wrong("encode_rows", "像是", "E4")
def rows_arange_of_dtype(start, seq_len, d_model, dtype):
    with np.errstate(all="ignore"):
        pos = np.arange(start, start + seq_len, dtype=dtype)
        return rows(pos.astype(np.float64), omega(d_model), dtype)


@wrong("encode_rows", "算的", "E1")
def rows_all_in_dtype(start, seq_len, d_model, dtype):
    with np.errstate(all="ignore"):
        return rows(np.arange(start, start + seq_len).astype(dtype), omega(d_model).astype(dtype), dtype)


@wrong("encode_rows", "float32", "E14")
def rows_float32_angles(start, seq_len, d_model, dtype):
    return rows(np.arange(start, start + seq_len, dtype=np.float32), omega(d_model).astype(np.float32), dtype)


@wrong("encode_rows", "角频率存成了 float16", "E8")
def rows_half_ladder(start, seq_len, d_model, dtype):
    return rows(np.arange(start, start + seq_len), omega(d_model).astype(np.float16).astype(np.float64), dtype)


@wrong("encode_rows", "没有照要求的 dtype", "J3")
def rows_ignore_dtype(start, seq_len, d_model, dtype):
    return rows_in_float64(start, seq_len, d_model, np.float32)


# ------------------------------------------------------------------ 6-3 翻倍


def turned(table, k, sign=1):
    c, s = np.cos(k * omega(table.shape[1])), np.sin(sign * k * omega(table.shape[1]))
    new = np.empty_like(table)
    new[:, 0::2] = table[:, 0::2] * c + table[:, 1::2] * s
    new[:, 1::2] = table[:, 1::2] * c - table[:, 0::2] * s
    return new


@right("double")
def double_by_angles(table):
    return np.vstack([table, turned(table, len(table))])


@right("double")
def double_by_complex(table):
    z = table[:, 1::2] + 1j * table[:, 0::2]
    z = np.concatenate([z, z * np.exp(1j * len(table) * omega(table.shape[1]))])
    return np.stack([z.imag, z.real], axis=-1).reshape(2 * len(table), -1)


# ------------------------------------------------------------------ 10-2 到达 1/base 的频率表


@right("endpoint_frequencies")
def endpoint_by_power(d_model, base):
    h = d_model // 2
    return float(base) ** (-np.arange(h) / max(h - 1, 1))


@right("endpoint_frequencies")
def endpoint_by_geomspace(d_model, base):
    return np.geomspace(1, 1 / base, d_model // 2)


@right("endpoint_frequencies")
def endpoint_by_exp(d_model, base):
    if d_model == 2:
        return np.ones(1, np.float32)
    step = math.log(base) / (d_model // 2 - 1)
    return np.exp(-step * np.arange(d_model // 2)).astype(np.float32)


@wrong("endpoint_frequencies", ["d_model = 2", "nan"], "B1")
def endpoint_nan(d_model, base):
    with np.errstate(invalid="ignore"):
        return base ** (-pairs(d_model) / np.float64(d_model / 2 - 1))


@wrong("endpoint_frequencies", ["d_model = 2", "除法报错"], "B2")
def endpoint_zero_division(d_model, base):
    step = math.log(base) / (d_model // 2 - 1)
    return np.exp(-step * pairs(d_model))


@wrong("endpoint_frequencies", "论文的频率表", "C12")
def endpoint_of_the_paper(d_model, base):
    return base ** (-2 * pairs(d_model) / d_model)


@wrong("endpoint_frequencies", "列多了一倍")
def endpoint_for_every_column(d_model, base):
    return np.repeat(endpoint_by_power(d_model, base), 2)


# ------------------------------------------------------------------ 10-3 由掩码数位置


@right("token_positions")
def positions_by_cumsum(mask, cache):
    return (np.cumsum(mask, axis=1) - 1 + cache[:, None]) * mask


@right("token_positions")
def positions_by_loop(mask, cache):
    positions = np.zeros_like(mask)
    for row, words in enumerate(mask):
        positions[row, words == 1] = cache[row] + np.arange(words.sum())
    return positions


@right("token_positions")
def positions_by_matrix(mask, cache):
    before = np.triu(np.ones((mask.shape[1], mask.shape[1])), 1)  # 第 j 列数它左边的词
    return np.where(mask == 1, mask @ before + cache.reshape(-1, 1), 0).astype(np.int32)


@wrong("token_positions", "用了列号", "F6")
def positions_by_column(mask, cache):
    return np.broadcast_to(np.arange(mask.shape[1]), mask.shape) + cache[:, None]


@wrong("token_positions", "用了列号", "F9")
def positions_by_column_masked(mask, cache):
    return np.where(mask, np.arange(mask.shape[1]) + cache[:, None], 0)


@wrong("token_positions", "没有加上缓存", "F7")
def positions_restart(mask, cache):
    return (np.cumsum(mask, axis=1) - 1) * mask


# ------------------------------------------------------------------ 10-4 网格


def one_axis(positions, d_model):
    """一个轴：分半布局，正弦在前。"""
    angle = np.asarray(positions, float).ravel()[:, None] * omega(d_model)
    return np.hstack([np.sin(angle), np.cos(angle)])


@right("grid_table")
def grid_by_indices(height, width, d_model):
    y, x = np.indices((height, width))
    return np.hstack([one_axis(x, d_model // 2), one_axis(y, d_model // 2)])


@right("grid_table")
def grid_by_meshgrid(height, width, d_model):
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    return np.concatenate([one_axis(x, d_model // 2), one_axis(y, d_model // 2)], axis=1).astype(np.float32)


@right("grid_table")
def grid_by_loop(height, width, d_model):
    rows, h = [], d_model // 2
    for k in range(height * width):
        rows.append(np.r_[one_axis([k % width], h)[0], one_axis([k // width], h)[0]])
    return np.array(rows)


@wrong("grid_table", "x 和 y 颠倒", "K2")
def grid_y_first(height, width, d_model):
    y, x = np.indices((height, width))
    return np.hstack([one_axis(y, d_model // 2), one_axis(x, d_model // 2)])


@wrong("grid_table", "height 和 width 换了角色", "K1")
def grid_sides_swapped(height, width, d_model):
    y, x = np.indices((width, height))
    return np.hstack([one_axis(x, d_model // 2), one_axis(y, d_model // 2)])


@wrong("grid_table", "当成了方的，边长取了格数的平方根", "K4")
def grid_square_root(height, width, d_model):
    side = int((height * width) ** 0.5)
    return grid_by_indices(side, side, d_model)


@wrong("grid_table", "当成了方的，只用了 height", "K3")
def grid_square(height, width, d_model):
    return grid_by_indices(height, height, d_model)


# ------------------------------------------------------------------ 13-2 转速


@right("turn_rates")
def rates_by_complex(table):
    z = table[:2, 1::2] + 1j * table[:2, 0::2]
    return np.angle(z[1] / z[0])


@right("turn_rates")
def rates_by_arctan2(table):
    (s0, s1), (c0, c1) = table[:2, 0::2], table[:2, 1::2]
    return np.arctan2(s1 * c0 - c1 * s0, c1 * c0 + s1 * s0).astype(np.float32)


@right("turn_rates")
def rates_by_wrapping(table):
    angles = np.arctan2(table[:2, 0::2], table[:2, 1::2])
    return (angles[1] - angles[0] + np.pi) % (2 * np.pi) - np.pi


@wrong("turn_rates", "没有减去第 0 行的")
def rates_of_the_second_row(table):
    return np.angle(table[1, 1::2] + 1j * table[1, 0::2])


@wrong("turn_rates", "越出了 -π 与 π 之间")
def rates_without_wrapping(table):
    angles = np.arctan2(table[:, 0::2], table[:, 1::2])
    return angles[1] - angles[0]


@wrong("turn_rates", "丢了正负号")
def rates_by_arccos(table):
    dots = (table[0] * table[1]).reshape(-1, 2).sum(axis=1)
    return np.arccos(np.minimum(dots, 1))


# ------------------------------------------------------------------ 13-3 接缝


@right("first_seam")
def seam_by_complex(table):
    z = table[:, 1::2] + 1j * table[:, 0::2]
    off = np.abs(z[1:] - z[:-1] * z[1] / z[0]).max(axis=1) > 1e-6
    return int(off.argmax()) + 1 if off.any() else -1


@right("first_seam")
def seam_by_loop(table):
    z = table[:, 1::2] + 1j * table[:, 0::2]
    for k in range(2, len(z)):
        if not np.allclose(z[k], z[k - 1] * z[1] / z[0], rtol=0, atol=1e-6):
            return k
    return -1


@right("first_seam")
def seam_by_matrix(table):
    (s0, s1), (c0, c1) = table[:2, 0::2], table[:2, 1::2]
    shift = np.zeros((table.shape[1],) * 2)
    for i, (c, s) in enumerate(zip(c0 * c1 + s0 * s1, s1 * c0 - c1 * s0, strict=True)):
        shift[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
    off = np.abs(table[1:] - table[:-1] @ shift.T).max(axis=1) > 1e-6
    return next((k for k in range(1, len(table)) if off[k - 1]), -1)


@wrong("first_seam", "漏行、从头数都查不出")
def seam_of_repeated_rows(table):
    for k in range(1, len(table)):
        if np.allclose(table[k], table[k - 1], rtol=0, atol=1e-6):
            return k
    return -1


@wrong("first_seam", "没有接缝，返回 -1")
def seam_or_length(table):
    return seam_by_complex(np.vstack([table, 9 * np.ones_like(table[:1])]))


@wrong("first_seam", "差一行")
def seam_one_early(table):
    return max(seam_by_complex(table) - 1, -1)


# ------------------------------------------------------------------ 后来试出来的：曾经漏网，或者曾经认错


@wrong("encode_one", "四舍五入到了 4 位小数")
def one_rounded(pos, d_model):
    return one_with_loop(pos, d_model).round(4)


@wrong("encode_table", "作了整数除法，除数也取了整", "C7")
def table_floor_division_of_integers(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = column(seq_len) // (10000 ** (2 * pairs(d_model) / d_model)).astype(int)
    return fill(angle, angle, dtype)


@wrong("encode_table", "指数取了整", "C6")
def table_cast_logarithm(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    w = np.exp((-2 * pairs(d_model) / d_model * np.log(10000)).astype(int))
    return fill(column(seq_len) * w, column(seq_len) * w, dtype)


@wrong("encode_table", ["乘方套住了 pos/base", "余弦还用了自己的指数"], "C17")
def table_power_of_position_by_column(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = (column(seq_len) / 10000) ** (2 * np.arange(d_model) / d_model)
    return fill(angle[:, 0::2], angle[:, 1::2], dtype)


@wrong("encode_table", "位置像是截断了")
def table_clipped(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len, d_model, dtype)[np.minimum(np.arange(seq_len), 2000)]


@wrong("encode_at", "只有负的位置不对")
def at_odd_rows(positions, d_model):
    return at_any_shape(positions, d_model) * np.where(positions[..., None] < 0, np.float32(-1), np.float32(1))


@wrong("add_encoding", "有的输入对")
def add_transposed_when_square(x, pe):
    rows = pe[: x.shape[1]]
    return x + (rows.T if rows.shape[0] == rows.shape[1] else rows)


@wrong("neighbor_mask", "布尔值")
def mask_of_booleans(seq_len):
    return mask_where(seq_len) == 0


@wrong("frequency", "结果里有 nan")
def frequency_rounded(f0, f1, f2):
    return tuple(np.round(frequency_first(f0, f1, f2), 4))


_bases_by_length: dict = {}


_rows_by_shape: dict = {}


_buffers: dict = {}


@wrong("double", "同一个数组")
def double_into_one_buffer(table):
    result = _buffers.setdefault(table.shape, np.empty((2 * len(table), table.shape[1])))
    result[:] = double_by_angles(table)
    return result


@wrong("token_positions", "题目要整数的数组")
def positions_as_floats(mask, cache):
    return positions_by_cumsum(mask, cache).astype(float)


@wrong("encode_table", "yield")
def table_yields(seq_len, d_model, dtype=np.float32):
    yield table_stacked(seq_len, d_model, dtype)


@wrong("encode_table", "async")
async def table_async(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len, d_model, dtype)


@wrong("encode_table", "还没有写完")
def table_unfinished(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len, d_model, dtype) if d_model > 4 else ...


# ------------------------------------------------------------------ 7-2、7-3 缓存与填充


@right("add_from_cache")
def cache_by_positions(x, table, cached):
    return x + np.take(table, np.arange(cached, cached + x.shape[1]), axis=0)[None]


@right("add_from_cache")
def cache_one_word_at_a_time(x, table, cached):
    result = np.array(x)
    for k in range(x.shape[1]):
        result[:, k] += table[cached + k]
    return result


@wrong("add_from_cache", "每次都从位置 0 起", "F7")
def cache_restarts(x, table, cached):
    return x + table[: x.shape[1]]


@wrong("add_from_cache", "每个新词都加了同一行", "F8")
def cache_one_row(x, table, cached):
    return x + table[cached][None, None]


@wrong("add_from_cache", "批的轴", "F12")
def cache_along_the_batch(x, table, cached):
    return x + table[(cached + np.arange(len(x))) % len(table), None]


@wrong("add_from_cache", "从 cached + 1 起")
def cache_one_too_far(x, table, cached):
    return x + table[(cached + 1 + np.arange(x.shape[1])) % len(table)]


@right("mean_of_words")
def mean_by_einsum(y, mask):
    return np.einsum("bnd,bn->bd", y, mask) / mask.sum(axis=1, keepdims=True)


@right("mean_of_words")
def mean_sentence_by_sentence(y, mask):
    return np.array([rows[flags == 1].mean(axis=0) for rows, flags in zip(y, mask, strict=True)])


@right("mean_of_words")
def mean_by_average(y, mask):
    return np.average(y, axis=1, weights=np.broadcast_to(mask[..., None], y.shape))


@wrong("mean_of_words", "把填充的行也算进去了")
def mean_of_everything(y, mask):
    return y.mean(axis=1)


@wrong("mean_of_words", "分母却还是 n")
def mean_over_all_rows(y, mask):
    return np.where(mask[..., None], y, 0).mean(axis=1)


@wrong("mean_of_words", "取了开头的几行")
def mean_of_the_first(y, mask):
    return np.array([rows[: flags.sum()].mean(axis=0) for rows, flags in zip(y, mask, strict=True)])


# ------------------------------------------------------------------ 11-2 倍数和底数


@right("scale_and_base")
def rule_by_power(extent, step, d_model):
    return 1 / step, (extent / step / (2 * np.pi)) ** (d_model / (d_model - 2))


@right("scale_and_base")
def rule_by_logarithm(extent, step, d_model):
    parts = extent / step
    return np.float64(1 / step), np.exp(np.log(parts / (2 * np.pi)) * d_model / (d_model - 2))


@wrong("scale_and_base", ["倍数取成了份数"])
def rule_scale_of_parts(extent, step, d_model):
    parts = extent / step
    return parts, (parts / (2 * np.pi)) ** (d_model / (d_model - 2))


@wrong("scale_and_base", ["没有取 d/(d-2) 次方"])
def rule_without_power(extent, step, d_model):
    return 1 / step, extent / step / (2 * np.pi)


# ------------------------------------------------------------------ 11-3 周期


@right("encode_cycles")
def cycles_by_stack(times, periods):
    angle = 2 * np.pi * np.asarray(times)[:, None] / np.asarray(periods)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(len(angle), -1)


@right("encode_cycles")
def cycles_by_complex(times, periods):
    turns = np.outer(times, 1 / np.asarray(periods))
    return np.ascontiguousarray(1j * np.exp(-2j * np.pi * turns)).view(np.float64)


@wrong("encode_cycles", "没有乘 2π")
def cycles_without_turn(times, periods):
    angle = np.asarray(times)[:, None] / np.asarray(periods)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(len(angle), -1)


@wrong("encode_cycles", "先放了全部正弦")
def cycles_in_halves(times, periods):
    angle = 2 * np.pi * np.asarray(times)[:, None] / np.asarray(periods)
    return np.hstack([np.sin(angle), np.cos(angle)])


# ------------------------------------------------------------------ 11-4 换一种大小的网格


def image_from(y, x, d_model):
    omega = 10000.0 ** (-np.arange(d_model // 4) / (d_model // 4))
    return np.hstack([part(c.reshape(-1, 1) * omega) for c in (y, x) for part in (np.sin, np.cos)])


@right("encode_image")
def image_by_indices(height, width, d_model, trained):
    y, x = np.indices((height, width))
    return image_from(y * trained / height, x * trained / width, d_model)


@right("encode_image")
def image_by_repeat_and_tile(height, width, d_model, trained):
    y = np.repeat(np.arange(height), width) * (trained / height)
    x = np.tile(np.arange(width), height) * (trained / width)
    return image_from(y, x, d_model).astype(np.float32)


@wrong("encode_image", "x 的一半放在了前面")
def image_of_mae(height, width, d_model, trained):
    y, x = np.indices((height, width))
    return image_from(x * trained / width, y * trained / height, d_model)


@wrong("encode_image", "按列摊平了")
def image_from_meshgrid_by_columns(height, width, d_model, trained):
    x, y = np.meshgrid(np.arange(width), np.arange(height), indexing="ij")
    return image_from(y * trained / height, x * trained / width, d_model)


@wrong("encode_image", "没有缩放坐标")
def image_not_resized(height, width, d_model, trained):
    return image_from(*np.indices((height, width)), d_model)
