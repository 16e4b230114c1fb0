"""练习的答案：错的，各有名字；对的，各有几种写法。

``WRONG[检查器]`` 是一串（公开出处或空，诊断里该有的话，答案）。出处的编号见各条：C1 是
Kyubyong/transformer#38，C4 是 SamLynnEvans/Transformer#25，等等；写法照原来的样子改成了 NumPy。
"""

import itertools
import math
import sys
import time

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


@wrong("encode_one", "每一对的角频率都是 1")
def one_integer_exponent(pos, d_model):
    i = pairs(d_model)
    return fill((pos / 10000 ** (2 * i // d_model))[None], (pos / 10000 ** (2 * i // d_model))[None])[0]


@wrong("encode_one", "float16", "E3")
def one_half_position(pos, d_model):
    return one_with_loop(float(np.float16(pos)), d_model)


@wrong("encode_one", "正弦、余弦对调")
def one_swapped(pos, d_model):
    row = np.empty(d_model)
    row[0::2], row[1::2] = np.cos(pos * omega(d_model)), np.sin(pos * omega(d_model))
    return row


@wrong("encode_one", "分半布局", "D3")
def one_halves(pos, d_model):
    return np.concatenate([np.sin(pos * omega(d_model)), np.cos(pos * omega(d_model))])


@wrong("encode_one", "角度当成度")
def one_degrees(pos, d_model):
    return fill(np.deg2rad(pos * omega(d_model))[None], np.deg2rad(pos * omega(d_model))[None])[0]


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


@wrong("add_encoding", "沿批的轴取了长度", "F12")
def add_length_of_batch(x, pe):
    return x + pe[: x.shape[0]]


@wrong("add_encoding", "就地改了输入")
def add_in_place(x, pe):
    x += pe[: x.shape[1]]
    return x


@wrong("add_encoding", "形状对不上")
def add_whole_table(x, pe):
    return x + pe


@wrong("add_encoding", "位置从 1 数起")
def add_from_one(x, pe):
    return x + pe[1 : x.shape[1] + 1]


@wrong("add_encoding", "没有照要求的 dtype", "J3")
def add_as_float64(x, pe):
    return x.astype(np.float64) + pe[: x.shape[1]]


@wrong("add_encoding", "√d_model")
def add_scaled(x, pe):
    return (x * np.sqrt(x.shape[2]) + pe[: x.shape[1]]).astype(x.dtype)


@wrong("add_encoding", "只返回了编码")
def add_forgets_x(x, pe):
    return np.zeros_like(x) + pe[: x.shape[1]]


@wrong("add_encoding", "原样返回了 x")
def add_forgets_pe(x, pe):
    pe[: x.shape[1]] + x
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


@wrong("neighbor_mask", "看得见的写成了 1，看不见的写成了 0")
def mask_of_ones(seq_len):
    return (mask_where(seq_len) == 0).astype(float)


@wrong("neighbor_mask", "看得见与看不见颠倒")
def mask_inverted(seq_len):
    return np.where(mask_where(seq_len) == 0, -np.inf, 0)


@wrong("neighbor_mask", "词看不见自己")
def mask_without_self(seq_len):
    pos = np.arange(seq_len)
    return np.where(np.abs(pos[:, None] - pos) == 1, 0, -np.inf)


@wrong("neighbor_mask", "只看得见自己")
def mask_strict_inequality(seq_len):
    pos = np.arange(seq_len)
    return np.where(np.abs(pos[:, None] - pos) < 1, 0, -np.inf)


@wrong("neighbor_mask", "因果掩码")
def mask_causal(seq_len):
    return np.triu(np.full((seq_len, seq_len), -np.inf), k=1)


@wrong("neighbor_mask", "前文全看得见，后面再看一个")
def mask_without_abs(seq_len):
    pos = np.arange(seq_len)
    return np.where(pos - pos[:, None] <= 1, 0, -np.inf)


@wrong("neighbor_mask", "首尾接成了一圈")
def mask_wraps(seq_len):
    mask = np.full((seq_len, seq_len), -np.inf)
    for s in range(seq_len):
        for t in (s - 1, s, s + 1):
            mask[s, t % seq_len] = 0
    return mask


@wrong("neighbor_mask", "不是负无穷")
def mask_finite(seq_len):
    return np.where(mask_where(seq_len) == 0, 0, -1e9)


@wrong("neighbor_mask", "nan")
def mask_with_nan(seq_len):
    with np.errstate(invalid="ignore"):
        return (mask_where(seq_len) != 0) * -np.inf


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


@wrong("permutation_matrix", "矩阵转置了")
def permutation_transposed(order):
    return np.eye(len(order))[:, order]


@wrong("permutation_matrix", "矩阵转置了")
def permutation_inverse(order):
    return np.eye(len(order))[np.argsort(order)]


@wrong("permutation_matrix", "总是单位矩阵")
def permutation_identity(order):
    return np.eye(len(order))


@wrong("permutation_matrix", "行的次序整个反了")
def permutation_backwards(order):
    return np.eye(len(order))[order][::-1]


@wrong("permutation_matrix", "换了两遍次序")
def permutation_twice(order):
    return np.eye(len(order))[order] @ np.eye(len(order))[order]


@wrong("permutation_matrix", "差了一列")
def permutation_from_one(order):
    return np.eye(len(order))[np.array(order) - 1]


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


@wrong("angular_frequencies", "指数加倍")
def frequencies_doubled(d_model, base):
    return 1 / base ** (2 * np.arange(0, d_model, 2) / d_model)


@wrong("angular_frequencies", "乘除颠倒", "C10")
def frequencies_inverted(d_model, base):
    return base ** (2 * pairs(d_model) / d_model)


@wrong("angular_frequencies", "i/(d/2-1)", "B1")
def frequencies_with_endpoint(d_model, base):
    with np.errstate(invalid="ignore"):
        return base ** -(pairs(d_model) / (d_model / 2 - 1))


@wrong("angular_frequencies", "i/(d/2-1)")
def frequencies_geomspace_to_the_end(d_model, base):
    return np.geomspace(1, 1 / base, d_model // 2) if d_model > 2 else np.array([np.nan])


@wrong("angular_frequencies", "括号放错了地方", "C16")
def frequencies_misplaced_bracket(d_model, base):
    with np.errstate(all="ignore"):
        return np.exp(np.arange(d_model // 2)) * -(np.log(base) / (d_model // 2 - 1))


@wrong("angular_frequencies", "波长")
def frequencies_as_wavelengths(d_model, base):
    return 2 * np.pi * base ** (2 * pairs(d_model) / d_model)


@wrong("angular_frequencies", "以 10 为底")
def frequencies_log10(d_model, base):
    return np.exp(-np.log10(base) * 2 * pairs(d_model) / d_model)


@wrong("angular_frequencies", "底数不对，用的是 10000")
def frequencies_ignore_base(d_model, base):
    return omega(d_model)


@wrong("angular_frequencies", "角频率的次序反了")
def frequencies_backwards(d_model, base):
    return frequencies_by_power(d_model, base)[::-1]


@wrong("angular_frequencies", "从 1 数起")
def frequencies_from_one(d_model, base):
    return base ** (-2 * np.arange(1, d_model // 2 + 1) / d_model)


@wrong("angular_frequencies", "i/d")
def frequencies_without_two(d_model, base):
    return base ** (-pairs(d_model) / d_model)


@wrong("angular_frequencies", "列多了一倍")
def frequencies_of_all_columns(d_model, base):
    return base ** (-np.arange(d_model) / d_model)


@wrong("angular_frequencies", "整数的底数")
def frequencies_of_integers(d_model, base):
    return int(base) ** -np.arange(d_model // 2)


@wrong("angular_frequencies", "等差")
def frequencies_linear(d_model, base):
    return np.linspace(1, 1 / base, d_model // 2, endpoint=False)


# ------------------------------------------------------------------ 2-3 三个编码


@right("frequency")
def frequency_first(f0, f1, f2):
    w = np.arccos((f0[0] + f2[0]) / f1[0] / 2)
    return w, 2 * np.pi / w


@right("frequency")
def frequency_least_squares(f0, f1, f2):
    t = f1 @ (f0 + f2) / (f1 @ f1)
    return np.array([math.acos(t / 2), 2 * math.pi / math.acos(t / 2)])


@wrong("frequency", "没有除以 2")
def frequency_without_half(f0, f1, f2):
    with np.errstate(invalid="ignore"):
        w = np.arccos((f0[0] + f2[0]) / f1[0])
        return w, 2 * np.pi / w


@wrong("frequency", "度")
def frequency_in_degrees(f0, f1, f2):
    w = frequency_first(f0, f1, f2)[0]
    return np.degrees(w), 360 / np.degrees(w)


@wrong("frequency", "2π")
def frequency_short_wavelength(f0, f1, f2):
    w = frequency_first(f0, f1, f2)[0]
    return w, 1 / w


@wrong("frequency", "次序反了")
def frequency_swapped(f0, f1, f2):
    return frequency_first(f0, f1, f2)[::-1]


@wrong("frequency", "f2 - f0")
def frequency_difference(f0, f1, f2):
    with np.errstate(invalid="ignore"):
        w = np.arccos((f2[0] - f0[0]) / f1[0] / 2)
        return w, 2 * np.pi / w


@wrong("frequency", "反正弦")
def frequency_arcsin(f0, f1, f2):
    w = np.arcsin((f0[0] + f2[0]) / f1[0] / 2)
    return w, 2 * np.pi / w


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


@wrong("encode_table", ["指数加倍", "余弦还用了自己的指数", "位置 0 的一行全是 0"], "C2")
def table_doubled_with_padding_row(seq_len, d_model, dtype=np.float32):
    table = table_textbook(seq_len, d_model, dtype)
    table[:1] = 0
    return table


@wrong("encode_one", ["指数加倍", "余弦还用了自己的指数", "位置 0 的一行全是 0"], "C2")
def one_doubled_with_padding_row(pos, d_model):
    return one_textbook_loop(pos, d_model) * (pos != 0)


@wrong("encode_one", "位置 0 的一行全是 0")
def one_zero_at_zero(pos, d_model):
    return one_in_float32(pos, d_model) * (pos != 0)


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


@wrong("encode_table", "角频率取了整")
def table_integer_omega(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = column(seq_len) * omega(d_model).astype(int)
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


@wrong("encode_table", ["底数不对，像是 1234", "位置从 1 数起"])
def table_odd_base_from_one(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = (column(seq_len) + 1) * 1234.0 ** (-2 * pairs(d_model) / d_model)
    return fill(angle, angle, dtype)


@wrong("encode_table", "余弦用了自己的指数", "C14")
def table_own_cosine(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    j = np.arange(d_model)
    return fill(column(seq_len) / 1e4 ** (j[0::2] / d_model), column(seq_len) / 1e4 ** (j[1::2] / d_model), dtype)


@wrong("encode_table", "余弦用了自己的指数（用了下一对的）")
def table_next_cosine(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    i = pairs(d_model)
    return fill(column(seq_len) / 1e4 ** (2 * i / d_model), column(seq_len) / 1e4 ** (2 * (i + 1) / d_model), dtype)


@wrong("encode_table", "乘方套住了 pos/base", "C17")
def table_power_of_position(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = (column(seq_len) / 10000) ** (2 * pairs(d_model) / d_model)
    return fill(angle, angle, dtype)


@wrong("encode_table", "i/(d/2-1)")
def table_endpoint(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    w = np.geomspace(1, 1e-4, d_model // 2) if d_model > 2 else np.ones(1)
    return fill(column(seq_len) * w, column(seq_len) * w, dtype)


@wrong("encode_table", "底数不对，像是 777")
def table_odd_base(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    w = 777.0 ** (-2 * pairs(d_model) / d_model)
    return fill(column(seq_len) * w, column(seq_len) * w, dtype)


@wrong("encode_table", "正弦、余弦对调")
def table_swapped(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len, d_model, dtype).reshape(seq_len, -1, 2)[:, :, ::-1].reshape(seq_len, d_model)


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


@wrong("encode_table", "行之间串了")
def table_stacked_first(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = column(seq_len) * omega(d_model)
    return np.stack([np.sin(angle), np.cos(angle)]).reshape(seq_len, d_model).astype(dtype)


@wrong("encode_table", ["分半布局", "位置从 1 数起"])
def table_halves_from_one(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = (column(seq_len) + 1) * omega(d_model)
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=1).astype(dtype)


@wrong("encode_table", "位置从 1 数起")
def table_from_one(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len + 1, d_model, dtype)[1:]


@wrong("encode_table", "奇数列也成了正弦")
def table_two_sines(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    return np.sin(np.repeat(column(seq_len) * omega(d_model), 2, axis=1)).astype(dtype)


@wrong("encode_table", "np.tile")
def table_tiled(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = column(seq_len) * np.tile(omega(d_model), 2)
    return np.where(np.arange(d_model) % 2, np.cos(angle), np.sin(angle)).astype(dtype)


@wrong("encode_table", "没有写，还是 0")
def table_without_cosine(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    pe = np.zeros((seq_len, d_model), dtype)
    pe[:, 0::2] = np.sin(column(seq_len) * omega(d_model))
    return pe


@wrong("encode_table", "缺一个轴")
def table_without_axis(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = np.arange(seq_len) * omega(d_model)
    pe = np.empty((seq_len, d_model), dtype)
    pe[:, 0::2], pe[:, 1::2] = np.sin(angle), np.cos(angle)
    return pe


@wrong("encode_table", "行和列颠倒了")
def table_transposed(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len, d_model, dtype).T


@wrong("encode_table", "批的轴")
def table_with_batch_axis(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len, d_model, dtype)[None]


@wrong("encode_table", "并进列里")
def table_without_reshape(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len, d_model, dtype).reshape(seq_len, -1, 2)


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


@wrong("encode_table", "没有拒绝 d_model = 0")
def table_accepts_zero(seq_len, d_model, dtype=np.float32):
    if d_model % 2:
        raise ValueError(f"收到 {d_model}")
    return table_stacked(seq_len, d_model, dtype) if d_model else np.empty((seq_len, 0), dtype)


@wrong("encode_table", "碰巧报的错", "A1")
def table_breaks_on_odd(seq_len, d_model, dtype=np.float32):
    pe = np.zeros((seq_len, d_model), dtype)
    div_term = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    pe[:, 0::2], pe[:, 1::2] = np.sin(column(seq_len) * div_term), np.cos(column(seq_len) * div_term)
    return pe


@wrong("encode_table", "弧度换成了度")
def table_in_degrees(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = np.degrees(column(seq_len) * omega(d_model))
    return fill(angle, angle, dtype)


@wrong("encode_table", "float16", "E3")
def table_half_positions(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = column(seq_len).astype(np.float16).astype(np.float64) * omega(d_model)
    return fill(angle, angle, dtype)


@wrong("encode_table", "8 位整数")
def table_byte_positions(seq_len, d_model, dtype=np.float32):
    refuse(d_model)
    angle = column(seq_len).astype(np.uint8) * omega(d_model)
    return fill(angle, angle, dtype)


@wrong("encode_table", "有的输入对，不对的那些：指数加倍")
def table_wrong_when_wide(seq_len, d_model, dtype=np.float32):
    return (table_stacked if d_model < 64 else table_doubled)(seq_len, d_model, dtype)


@wrong("encode_table", "位置 0 的一行全是 0", "F2")
def table_with_padding_row(seq_len, d_model, dtype=np.float32):
    table = table_stacked(seq_len, d_model, dtype)
    table[0] = 0
    return table


@wrong("encode_table", "整张表乘了")
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


@wrong("encode_table", "停不下来")
def table_sleeps(seq_len, d_model, dtype=np.float32):
    time.sleep(60)


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


@wrong("encode_table", "第二次的结果与第一次不同")
def table_remembers(seq_len, d_model, dtype=np.float32):
    first = (seq_len, d_model, dtype) != (5, 8, np.float32) or next(_counter) % 2 == 0
    return table_stacked(seq_len, d_model, dtype) * dtype(first)


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


@wrong("encode_at", "bfloat16")
def at_brain_float_positions(positions, d_model):
    bits = positions.astype(np.float32).view(np.uint32) if positions.shape else np.float32(positions).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)).astype(np.uint32).view(np.float32)
    return at(positions, rounded[..., None] * omega(d_model))


@wrong("encode_at", "精度", "E1")
def at_half_everything(positions, d_model):
    angle = positions.astype(np.float16)[..., None] * omega(d_model).astype(np.float16)
    return at(positions, angle)


@wrong("encode_at", "float32 算的", "E14")
def at_float32_angles(positions, d_model):
    return at(positions, positions.astype(np.float32)[..., None] * omega(d_model).astype(np.float32))


@wrong("encode_at", "位置取了整")
def at_integer_positions(positions, d_model):
    return at(positions, positions.astype(np.int64)[..., None] * omega(d_model))


@wrong("encode_at", "下标，没有用位置的值")
def at_uses_index(positions, d_model):
    return at(positions, np.arange(positions.size).reshape(positions.shape)[..., None] * omega(d_model))


@wrong("encode_at", "绝对值")
def at_absolute(positions, d_model):
    return at(positions, np.abs(positions.astype(float))[..., None] * omega(d_model))


@wrong("encode_at", "[..., None]")
def at_one_axis_only(positions, d_model):
    return at(positions, positions[:, None] * omega(d_model))


@wrong("encode_at", "结果成了整数")
def at_like_positions(positions, d_model):
    pe = np.empty((*positions.shape, d_model), positions.dtype)
    angle = positions[..., None] * omega(d_model)
    pe[..., 0::2], pe[..., 1::2] = np.sin(angle), np.cos(angle)
    return pe


@wrong("encode_at", ["整数除法"], "C7")
def at_floor_division(positions, d_model):
    return at(positions, positions[..., None] // 10000 ** (2 * pairs(d_model) / d_model))


@wrong("encode_at", "整数的底数", "C6")
def at_integer_powers(positions, d_model):
    return at(positions, positions[..., None] * 10000 ** (-2 * pairs(d_model) // d_model))


@wrong("encode_at", "没有照要求的 dtype", "J3")
def at_float64(positions, d_model):
    return at(positions, positions[..., None] * omega(d_model), np.float64)


@wrong("encode_at", "倒数第几行", "H4")
def at_looks_up(positions, d_model):
    table = np.array([one_with_loop(pos, d_model) for pos in range(int(positions.max()) + 1)], np.float32)
    return table[positions]


# ------------------------------------------------------------------ 3-4 两种布局


def both_layouts(words, source=""):
    def register(make):
        WRONG.setdefault("layouts", []).append((source, [words], make()))
        return make

    return register


def halves(table):
    return np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)


def interleaved(table):
    result = np.empty_like(table)
    result[:, 0::2], result[:, 1::2] = np.split(table, 2, axis=1)
    return result


RIGHT["layouts"] = [
    (halves, interleaved),
    (
        lambda t: t.reshape(len(t), -1, 2).swapaxes(1, 2).reshape(t.shape),
        lambda t: t.reshape(len(t), 2, -1).swapaxes(1, 2).reshape(t.shape),
    ),
    (
        lambda t: t[:, np.argsort(np.arange(t.shape[1]) % 2, kind="stable")],
        lambda t: np.dstack(np.hsplit(t, 2)).reshape(t.shape),
    ),
]


@both_layouts("to_interleaved：取成了另一个方向的转换", "D1")
def layouts_same_way_twice():
    return halves, halves


@both_layouts("to_halves：取成了另一个方向的转换")
def layouts_exchanged():
    return interleaved, halves


@both_layouts("to_halves：余弦放到了正弦前面", "D3")
def layouts_cosine_first():
    return lambda t: np.hstack([t[:, 1::2], t[:, 0::2]]), interleaved


@both_layouts("to_interleaved：余弦放到了正弦前面")
def layouts_cosine_first_back():
    return halves, lambda t: np.dstack(np.hsplit(t, 2)[::-1]).reshape(t.shape)


@both_layouts("原样返回了", "D2")
def layouts_unchanged():
    return halves, lambda t: t


@both_layouts("行之间串了")
def layouts_mix_rows():
    return lambda t: t.reshape(-1, 2).T.reshape(t.shape), interleaved


@both_layouts("没有用传进来的表")
def layouts_recomputed():
    return lambda t: halves(table_stacked(*t.shape, t.dtype)), interleaved


@both_layouts("就地改了输入")
def layouts_in_place():
    def to_halves(table):
        table[:] = halves(table)
        return table

    return to_halves, interleaved


@both_layouts("没有照要求的 dtype")
def layouts_float64():
    def to_interleaved(table):
        result = np.empty(table.shape)
        result[:] = interleaved(table)
        return result

    return halves, to_interleaved


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


@wrong("read_base", "多乘了 2")
def base_squared(row):
    return np.arctan2(row[2], row[3]) ** -len(row)


@wrong("read_base", "少了负号")
def base_reciprocal(row):
    return np.arctan2(row[2], row[3]) ** (len(row) / 2)


@wrong("read_base", "写死成了 -2")
def base_for_four_columns(row):
    return np.arctan2(row[2], row[3]) ** -2.0


@wrong("read_base", "放反了")
def base_arctan2_swapped(row):
    return np.arctan2(row[3], row[2]) ** (-len(row) / 2)


@wrong("read_base", "把正弦当成了角度")
def base_without_arctan(row):
    return row[2] ** (-len(row) / 2)


@wrong("read_base", "角度换算成了度")
def base_in_degrees(row):
    return np.degrees(np.arctan2(row[2], row[3])) ** (-len(row) / 2)


@wrong("read_base", "第 0 对")
def base_from_first_pair(row):
    return np.arctan2(row[0], row[1]) ** (-len(row) / 2)


@wrong("read_base", "差了一级")
def base_off_by_one(row):
    return np.arctan2(row[2], row[3]) ** -(len(row) / 2 - 1)


# ------------------------------------------------------------------ 4-3 最小的底数


@right("smallest_base")
def smallest_by_power(seq_len, d_model):
    return (seq_len / (2 * np.pi)) ** (d_model / (d_model - 2))


@right("smallest_base")
def smallest_by_logarithm(seq_len, d_model):
    return np.exp(np.log(seq_len / math.tau) / (1 - 2 / d_model))


@wrong("smallest_base", "2πb，指数差了一级")
def smallest_off_by_one(seq_len, d_model):
    return seq_len / (2 * np.pi)


@wrong("smallest_base", "指数颠倒了")
def smallest_turned_over(seq_len, d_model):
    return (seq_len / (2 * np.pi)) ** ((d_model - 2) / d_model)


@wrong("smallest_base", "少除了 2π")
def smallest_without_two_pi(seq_len, d_model):
    return seq_len ** (d_model / (d_model - 2))


@wrong("smallest_base", "少了括号")
def smallest_missing_bracket(seq_len, d_model):
    return (seq_len / 2 * np.pi) ** (d_model / (d_model - 2))


@wrong("smallest_base", "d/(d-1)")
def smallest_wrong_denominator(seq_len, d_model):
    return (seq_len / (2 * np.pi)) ** (d_model / (d_model - 1))


@wrong("smallest_base", "取了整")
def smallest_rounded_up(seq_len, d_model):
    return np.ceil((seq_len / (2 * np.pi)) ** (d_model / (d_model - 2)))


@wrong("smallest_base", "整数除法")
def smallest_floor_division(seq_len, d_model):
    return (seq_len / (2 * np.pi)) ** (d_model // (d_model - 2))


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


@wrong("shift_matrix_halves", "转反了方向")
def shift_transposed(k, d_model):
    return shift_block(k, d_model).T


@wrong("shift_matrix_halves", "转反了方向")
def shift_backwards(k, d_model):
    return shift_block(-k, d_model)


@wrong("shift_matrix_halves", "交错布局的平移矩阵")
def shift_interleaved(k, d_model):
    matrix = np.zeros((d_model, d_model))
    for i, w in enumerate(omega(d_model)):
        c, s = math.cos(w * k), math.sin(w * k)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
    return matrix


@wrong("shift_matrix_halves", "只换了行的次序")
def shift_rows_only(k, d_model):
    order = [*range(0, d_model, 2), *range(1, d_model, 2)]
    return shift_interleaved(k, d_model)[order]


@wrong("shift_matrix_halves", "只换了列的次序")
def shift_columns_only(k, d_model):
    order = [*range(0, d_model, 2), *range(1, d_model, 2)]
    return shift_interleaved(k, d_model)[:, order]


@wrong("shift_matrix_halves", "少了负号")
def shift_without_minus(k, d_model):
    C, S = corners(k, d_model)
    return np.block([[C, S], [S, C]])


@wrong("shift_matrix_halves", "翻转")
def shift_reflected(k, d_model):
    C, S = corners(k, d_model)
    return np.block([[C, S], [S, -C]])


@wrong("shift_matrix_halves", "正弦、余弦对调")
def shift_swapped(k, d_model):
    C, S = corners(k, d_model)
    return np.block([[S, C], [-C, S]])


@wrong("shift_matrix_halves", "不是对角矩阵")
def shift_without_diagonal(k, d_model):
    c, s = np.cos(k * omega(d_model)), np.sin(k * omega(d_model))
    return np.block([[c, s], [-s, c]])


@wrong("shift_matrix_halves", "指数加倍")
def shift_doubled(k, d_model):
    angle = k * 10000 ** (-2 * np.arange(0, d_model, 2) / d_model)
    C, S = np.diag(np.cos(angle)), np.diag(np.sin(angle))
    return np.block([[C, S], [-S, C]])


@wrong("shift_matrix_halves", "角度当成度")
def shift_in_degrees(k, d_model):
    return shift_block(np.radians(k), d_model)


@wrong("shift_matrix_halves", "不是旋转")
def shift_own_cosine(k, d_model):
    C, S = corners(k, d_model)
    own = np.diag(np.cos(k * 1e4 ** (-np.arange(1, d_model, 2) / d_model)))
    return np.block([[C, S], [-S, own]])


@wrong("shift_matrix_halves", "转过的角度不对")
def shift_odd_base(k, d_model):
    angle = k * 333.0 ** (-2 * pairs(d_model) / d_model)
    C, S = np.diag(np.cos(angle)), np.diag(np.sin(angle))
    return np.block([[C, S], [-S, C]])


@wrong("shift_matrix_halves", "k 没有用上")
def shift_ignores_k(k, d_model):
    return shift_block(1, d_model)


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


@wrong("similarity", "没有归一化")
def similarity_dot_product(seq_len, d_model):
    pe = table_stacked(seq_len, d_model, np.float64)
    return pe @ pe.T


@wrong("similarity", "归一化时除以了 d_model")
def similarity_over_d(seq_len, d_model):
    return similarity_dot_product(seq_len, d_model) / d_model


@wrong("similarity", "除以了 √d_model")
def similarity_like_attention(seq_len, d_model):
    return similarity_dot_product(seq_len, d_model) / np.sqrt(d_model)


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


@wrong("similarity", "比的是列")
def similarity_of_columns(seq_len, d_model):
    pe = table_stacked(seq_len, d_model, np.float64)
    return pe.T @ pe / (d_model / 2)


@wrong("similarity", "取了绝对值")
def similarity_without_sign(seq_len, d_model):
    return np.abs(similarity_product(seq_len, d_model))


@wrong("similarity", "只填了一半")
def similarity_one_triangle(seq_len, d_model):
    return np.triu(similarity_product(seq_len, d_model))


@wrong("similarity", "距离")
def similarity_as_distance(seq_len, d_model):
    pe = table_stacked(seq_len, d_model, np.float64)
    return np.linalg.norm(pe[:, None] - pe, axis=-1)


@wrong("similarity", "奇数列也成了正弦")
def similarity_of_sines(seq_len, d_model):
    pe = table_two_sines(seq_len, d_model, np.float64)
    return pe @ pe.T / (d_model / 2)


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


@wrong("relative_table", "次序反了")
def relative_ascending(seq_len, d_model):
    return relative_at_once(seq_len, d_model)[::-1]


@wrong("relative_table", "倒数第几行", "H4")
def relative_looked_up(seq_len, d_model):
    return table_stacked(seq_len, d_model)[np.arange(seq_len - 1, -seq_len, -1)]


@wrong("relative_table", "float16", "E3")
def relative_half_positions(seq_len, d_model):
    offsets = np.arange(seq_len - 1, -seq_len, -1).astype(np.float16).astype(float)[:, None]
    return fill(offsets * omega(d_model), offsets * omega(d_model))


@wrong("relative_table", "多了一行")
def relative_two_zeros(seq_len, d_model):
    ahead = table_stacked(seq_len, d_model)
    return np.concatenate([ahead[::-1], ahead * np.tile(np.float32([-1, 1]), d_model // 2)])


@wrong("relative_table", "分半布局")
def relative_halves(seq_len, d_model):
    return halves(relative_at_once(seq_len, d_model))


@wrong("relative_table", "余弦变了号")
def relative_wrong_parity(seq_len, d_model):
    return relative_at_once(seq_len, d_model) * np.tile([1, -1], d_model // 2)


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


@wrong("encode_rows", "下标，没有用位置的值")
def rows_ignore_start(start, seq_len, d_model, dtype):
    return rows_in_float64(0, seq_len, d_model, dtype)


@wrong("encode_rows", "位置从 1 数起")
def rows_from_one(start, seq_len, d_model, dtype):
    return rows_in_float64(start + 1, seq_len, d_model, dtype)


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


@wrong("double", "转反了方向")
def double_backwards(table):
    return np.vstack([table, turned(table, len(table), -1)])


@wrong("double", "步数少了 1")
def double_one_step_short(table):
    return np.vstack([table, turned(table, len(table) - 1)])


@wrong("double", "只转了 1 步")
def double_one_step(table):
    return np.vstack([table, turned(table, 1)])


@wrong("double", "重复了一遍")
def double_repeats(table):
    return np.tile(table, (2, 1))


@wrong("double", "改过的正弦")
def double_overwrites(table):
    new, w = table.copy(), len(table) * omega(table.shape[1])
    new[:, 0::2] = new[:, 0::2] * np.cos(w) + new[:, 1::2] * np.sin(w)
    new[:, 1::2] = new[:, 1::2] * np.cos(w) - new[:, 0::2] * np.sin(w)
    return np.vstack([table, new])


@wrong("double", "余弦那一行的符号错了")
def double_wrong_sign(table):
    new, w = turned(table, len(table)), len(table) * omega(table.shape[1])
    new[:, 1::2] = table[:, 1::2] * np.cos(w) + table[:, 0::2] * np.sin(w)
    return np.vstack([table, new])


@wrong("double", "只有一半的行")
def double_only_new(table):
    return turned(table, len(table))


@wrong("double", "拼接的方向错了")
def double_sideways(table):
    return np.hstack([table, turned(table, len(table))])


@wrong("double", "转过的角度不对")
def double_growing_steps(table):
    return np.vstack([table, *(turned(row[None], k + 1) for k, row in enumerate(table))])


@wrong("double", "没有用传进来的表")
def double_recomputed(table):
    return table_stacked(2 * len(table), table.shape[1], np.float64)


@wrong("double", "指数加倍")
def double_wrong_ladder(table):
    m, d = table.shape
    z = (table[:, 1::2] + 1j * table[:, 0::2]) * np.exp(1j * m * 1e4 ** (-2 * np.arange(0, d, 2) / d))
    return np.vstack([table, np.stack([z.imag, z.real], axis=-1).reshape(m, d)])


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


@wrong("endpoint_frequencies", "只有 d_model = 2 时不对")
def endpoint_zero_pair(d_model, base):
    return endpoint_by_power(d_model, base) if d_model > 2 else np.array([1 / base])


@wrong("endpoint_frequencies", "论文的频率表", "C12")
def endpoint_of_the_paper(d_model, base):
    return base ** (-2 * pairs(d_model) / d_model)


@wrong("endpoint_frequencies", "论文的频率表")
def endpoint_left_out(d_model, base):
    return np.geomspace(1, 1 / base, d_model // 2, endpoint=False)


@wrong("endpoint_frequencies", "分母是 d - 2")
def endpoint_without_two(d_model, base):
    return float(base) ** (-pairs(d_model) / max(d_model - 2, 1))


@wrong("endpoint_frequencies", "分母是 d - 1")
def endpoint_one_short(d_model, base):
    return base ** -(np.arange(0, d_model, 2) / (d_model - 1))


@wrong("endpoint_frequencies", "分母是 d/2 + 1")
def endpoint_wrong_way(d_model, base):
    return float(base) ** (-pairs(d_model) / (d_model // 2 + 1))


@wrong("endpoint_frequencies", "i 从 1 数起")
def endpoint_from_one(d_model, base):
    return float(base) ** (-np.arange(1, d_model // 2 + 1) / max(d_model // 2 - 1, 1))


@wrong("endpoint_frequencies", "乘除颠倒")
def endpoint_upwards(d_model, base):
    return np.geomspace(1, base, d_model // 2)


@wrong("endpoint_frequencies", "次序反了")
def endpoint_backwards(d_model, base):
    return endpoint_by_power(d_model, base)[::-1]


@wrong("endpoint_frequencies", "等差")
def endpoint_linear(d_model, base):
    return np.linspace(1, 1 / base, d_model // 2)


@wrong("endpoint_frequencies", "底数不对，用的是 10000")
def endpoint_ignores_base(d_model, base):
    return endpoint_by_power(d_model, 10000)


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


@wrong("token_positions", "多了 1")
def positions_inclusive(mask, cache):
    return (np.cumsum(mask, axis=1) + cache[:, None]) * mask


@wrong("token_positions", "填充处没有写 0")
def positions_unmasked(mask, cache):
    return np.cumsum(mask, axis=1) - 1 + cache[:, None]


@wrong("token_positions", "填充处成了 -1")
def positions_minus_one(mask, cache):
    return (np.cumsum(mask, axis=1) + cache[:, None]) * mask - 1


@wrong("token_positions", "填充处成了缓存的词数")
def positions_cache_last(mask, cache):
    return (np.cumsum(mask, axis=1) - 1) * mask + cache[:, None]


@wrong("token_positions", "填充处成了缓存的词数减 1")
def positions_mask_first(mask, cache):
    return np.cumsum(mask, axis=1) * mask - 1 + cache[:, None]


@wrong("token_positions", "加了同一个缓存")
def positions_shared_cache(mask, cache):
    return (np.cumsum(mask, axis=1) - 1 + cache.max()) * mask


@wrong("token_positions", "沿着句子加了")
def positions_down(mask, cache):
    return (np.cumsum(mask, axis=0) - 1 + cache[:, None]) * mask


@wrong("token_positions", "整批连着数")
def positions_flat(mask, cache):
    return (np.cumsum(mask).reshape(mask.shape) - 1 + cache[:, None]) * mask


@wrong("token_positions", "只扣掉了填充的总数")
def positions_left_only(mask, cache):
    padding = mask.shape[1] - mask.sum(axis=1)
    return (np.arange(mask.shape[1]) - padding[:, None] + cache[:, None]) * mask


@wrong("token_positions", "只扣掉了开头的填充")
def positions_leading_only(mask, cache):
    leading = np.array([np.argmax(row) if row.any() else row.size for row in mask])
    return (np.arange(mask.shape[1]) - leading[:, None] + cache[:, None]) * mask


@wrong("token_positions", "fairseq 的数法")
def positions_as_fairseq(mask, cache):
    return (np.cumsum(mask, axis=1) + cache[:, None]) * mask + 1


@wrong("token_positions", "就地改了输入")
def positions_in_place(mask, cache):
    mask *= np.cumsum(mask, axis=1) - 1 + cache[:, None]
    return mask


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


@wrong("grid_table", "一列接一列")
def grid_by_columns(height, width, d_model):
    x, y = np.meshgrid(np.arange(width), np.arange(height), indexing="ij")
    return np.hstack([one_axis(x, d_model // 2), one_axis(y, d_model // 2)])


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


@wrong("grid_table", "没有摊平")
def grid_not_flat(height, width, d_model):
    return grid_by_indices(height, width, d_model).reshape(height, width, d_model)


@wrong("grid_table", "列多了一倍")
def grid_too_wide(height, width, d_model):
    return grid_by_indices(height, width, 2 * d_model)


@wrong("grid_table", "相加了，应左右拼接")
def grid_added(height, width, d_model):
    y, x = np.indices((height, width))
    return one_axis(x, d_model // 2) + one_axis(y, d_model // 2)


@wrong("grid_table", "指数的分母用了整个 d_model")
def grid_wrong_denominator(height, width, d_model):
    y, x = np.indices((height, width))
    w = 1e4 ** (-2 * np.arange(d_model // 4) / d_model)
    return np.hstack([f(p.reshape(-1, 1) * w) for p in (x, y) for f in (np.sin, np.cos)])


@wrong("grid_table", "交错布局")
def grid_interleaved(height, width, d_model):
    y, x = np.indices((height, width))
    return np.hstack([fill(a, a) for a in (p.reshape(-1, 1) * omega(d_model // 2) for p in (x, y))])


@wrong("grid_table", "timm 的次序")
def grid_as_timm(height, width, d_model):
    y, x = np.indices((height, width))
    return np.hstack([f(p.reshape(-1, 1) * omega(d_model // 2)) for f in (np.sin, np.cos) for p in (x, y)])


@wrong("grid_table", "从 1 数起")
def grid_from_one(height, width, d_model):
    y, x = np.indices((height, width)) + 1
    return np.hstack([one_axis(x, d_model // 2), one_axis(y, d_model // 2)])


@wrong("grid_table", "tensor2tensor 的频率表")
def grid_with_endpoint(height, width, d_model):
    y, x = np.indices((height, width))
    w = np.geomspace(1, 1e-4, d_model // 4)
    return np.hstack([f(p.reshape(-1, 1) * w) for p in (x, y) for f in (np.sin, np.cos)])


@wrong("grid_table", "第几格")
def grid_by_number(height, width, d_model):
    k = np.arange(height * width)
    return np.hstack([one_axis(k, d_model // 2)] * 2)


# ------------------------------------------------------------------ 后来试出来的：曾经漏网，或者曾经认错


@wrong("encode_one", "四舍五入到了 4 位小数")
def one_rounded(pos, d_model):
    return one_with_loop(pos, d_model).round(4)


@wrong("encode_one", "四舍五入到了 6 位小数")
def one_rounded_to_six(pos, d_model):
    return one_with_loop(pos, d_model).round(6)


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


@wrong("encode_table", "没有照要求的 dtype")
def table_without_float16(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len, d_model, np.float32 if dtype is np.float16 else dtype)


@wrong("encode_table", "位置像是截断了")
def table_clipped(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len, d_model, dtype)[np.minimum(np.arange(seq_len), 2000)]


@wrong("encode_at", "float32")
def at_float32_positions(positions, d_model):
    return at(positions, positions.astype(np.float32).astype(float)[..., None] * omega(d_model))


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


@wrong("neighbor_mask", "不是负无穷")
def mask_lowest_float32(seq_len):
    return np.where(mask_where(seq_len) == 0, 0.0, np.finfo(np.float32).min)


@wrong("angular_frequencies", "四舍五入到了 6 位小数")
def frequencies_rounded(d_model, base):
    return frequencies_by_power(d_model, base).round(6)


@wrong("frequency", "四舍五入到了 4 位小数")
def frequency_rounded(f0, f1, f2):
    return tuple(np.round(frequency_first(f0, f1, f2), 4))


@wrong("frequency", "两个向量的夹角")
def frequency_between_vectors(f0, f1, f2):
    w = np.arccos(f0 @ f1 / np.linalg.norm(f0) / np.linalg.norm(f1))
    return w, 2 * np.pi / w


@wrong("read_base", "取了整")
def base_rounded(row):
    return float(np.round(base_by_arctan2(row)))


_bases_by_length: dict = {}


@wrong("smallest_base", "有的输入对")
def smallest_remembered_by_length(seq_len, d_model):
    return _bases_by_length.setdefault(seq_len, smallest_by_power(seq_len, d_model))


@wrong("similarity", "负的相似度成了 0")
def similarity_clipped(seq_len, d_model):
    return np.maximum(similarity_product(seq_len, d_model), 0)


@wrong("similarity", "相关系数")
def similarity_as_correlation(seq_len, d_model):
    with np.errstate(all="ignore"):
        return np.corrcoef(table_stacked(seq_len, d_model, np.float64)).reshape(seq_len, seq_len)


@wrong("relative_table", "余弦变了号，正弦没有")
def relative_wrong_parity_behind(seq_len, d_model):
    ahead = table_stacked(seq_len, d_model)
    return np.concatenate([ahead[::-1], ahead[1:] * np.tile(np.float32([1, -1]), d_model // 2)])


_rows_by_shape: dict = {}


@wrong("encode_rows", "有的输入对")
def rows_remembered_without_start(start, seq_len, d_model, dtype):
    key = (seq_len, d_model, dtype)
    return _rows_by_shape.setdefault(key, rows_in_float64(start, seq_len, d_model, dtype))


_buffers: dict = {}


@wrong("double", "同一个数组")
def double_into_one_buffer(table):
    result = _buffers.setdefault(table.shape, np.empty((2 * len(table), table.shape[1])))
    result[:] = double_by_angles(table)
    return result


@wrong("endpoint_frequencies", "四舍五入到了 6 位小数")
def endpoint_rounded(d_model, base):
    return endpoint_by_power(d_model, base).round(6)


@wrong("token_positions", "题目要整数的数组")
def positions_as_floats(mask, cache):
    return positions_by_cumsum(mask, cache).astype(float)


@wrong("token_positions", "16 位整数，溢出了")
def positions_as_int16(mask, cache):
    return positions_by_cumsum(mask, cache).astype(np.int16)


@wrong("token_positions", "填充处写了 1")
def positions_padding_one(mask, cache):
    return np.where(mask == 1, positions_by_cumsum(mask, cache), 1)


@wrong("grid_table", "四舍五入到了 6 位小数")
def grid_rounded(height, width, d_model):
    return grid_by_indices(height, width, d_model).round(6)


@wrong("grid_table", "[CLS]")
def grid_with_class_row(height, width, d_model):
    return np.vstack([np.zeros((1, d_model)), grid_by_indices(height, width, d_model)])


@wrong("encode_table", "yield")
def table_yields(seq_len, d_model, dtype=np.float32):
    yield table_stacked(seq_len, d_model, dtype)


@wrong("encode_table", "async")
async def table_async(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len, d_model, dtype)


@wrong("encode_table", "还没有写完")
def table_unfinished(seq_len, d_model, dtype=np.float32):
    return table_stacked(seq_len, d_model, dtype) if d_model > 4 else ...
