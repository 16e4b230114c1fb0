"""旋转位置编码：与逐个数转动的循环、与真实系统的数组、与误差的承诺相比。

``golden/rotary.npz`` 是真实系统的代码在 CPU 上算出的（transformers 5.24.0，torch 2.13.0，float32）：``x`` 是
``(batch, heads, seq_len, d) = (2, 3, 6, 16)`` 的随机数，``positions`` 是 ``(2, 6)``。其余各项的来历：

- ``gptj``、``gptj_partial8``：models/gptj 的 ``create_sinusoidal_positions`` 与 ``apply_rotary_pos_emb``；
- ``llama``、``llama_500k``、``linear4``、``llama31``：models/llama 的 ``LlamaRotaryEmbedding`` 与
  ``apply_rotary_pos_emb``，底数 10000、500000，线性插值 4 倍，Llama 3.1（factor 8、low 1、high 4、原长 8192）；
- ``neox_partial4``：models/gpt_neox，``rotary_pct=0.25``；``phi_partial8``：models/phi，``partial_rotary_factor=0.5``；
- ``yarn``（及它的频率表与倍数）：models/llama，rope_type="yarn"，factor 4、原长 2048，分界取默认的 32 圈与 1 圈；
- ``longrope``：models/phi3，rope_type="longrope"，原长 2048、现长 8192，long_factor 是 1 1.5 2 4 8 16 32 64；
- ``glm_partial8``：models/glm，``partial_rotary_factor=0.5``；``cohere``：models/cohere，底数 500000；
- ``deepseek_v3``：models/deepseek_v3 的 ``apply_rotary_pos_emb_interleave``；``nanochat``：models/nanochat；
- ``qwen2vl``：models/qwen2_vl，``mrope_section=[2, 3, 3]``、底数 1000000，三个轴的位置是 ``thw``；
  ``pixtral``：models/pixtral，行与列是 ``thw[1:, 0]``。
"""

import math
import tracemalloc

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sinpe
from sinpe import rotary_embedding, rotary_tables

LAYOUTS = ("halves", "interleaved")


@pytest.fixture(scope="module")
def golden(pytestconfig):
    with np.load(pytestconfig.rootpath / "tests" / "golden" / "rotary.npz", allow_pickle=False) as arrays:
        return dict(arrays)


def by_loops(x, positions, layout="halves", base=10000.0, dim=None, omega=None):
    """逐个数地照定义转，全部用 Python 的浮点数。"""
    dim = dim or x.shape[-1]
    result = x.astype(np.float64)
    where = np.broadcast_to(positions, x.shape[:-1])
    for index in np.ndindex(*x.shape[:-1]):
        for i in range(dim // 2):
            j, k = (i, i + dim // 2) if layout == "halves" else (2 * i, 2 * i + 1)
            theta = float(where[index]) * (base ** (-2 * i / dim) if omega is None else omega[i])
            a, b = float(x[index][j]), float(x[index][k])
            result[index][j] = a * math.cos(theta) - b * math.sin(theta)
            result[index][k] = a * math.sin(theta) + b * math.cos(theta)
    return result


def allowed(x, positions, dtype):
    """角度的舍入随位置增长（承诺是 4·eps·|pos|，两项各一次），结果舍入一次；都按一对的长度来量。"""
    size = np.abs(x.astype(np.float64)).max() * math.sqrt(2)
    return size * (16 * 2.0**-52 * max(1, np.abs(positions).max()) + np.finfo(dtype).eps / 2)


# ------------------------------------------------------------------ 数


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("halves", [-1.9841106486, 1.9599006675, 2.4623779024, 4.0197996683]),
        ("interleaved", [-1.1426396637, 1.9220755965, 2.9598506679, 4.0297995017]),
    ],
)
def test_four_numbers_by_hand(layout, expected):
    turned = rotary_embedding(np.array([[1.0, 2.0, 3.0, 4.0]]), [1], layout=layout)
    np.testing.assert_allclose(turned, [expected], rtol=0, atol=6e-11)  # 只写了十位小数


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("dim", [2, 6, 10])
@pytest.mark.parametrize(
    "positions",
    [np.arange(5), np.arange(100000, 100005), [0, 2.5, -3, 7, 7], np.arange(10).reshape(2, 1, 5), 3, np.arange(5) - 2],
    ids=["从 0 起", "远处", "任意", "各句不同", "一个数", "负数"],
)
def test_the_result_is_that_of_the_loops(layout, dtype, dim, positions):
    x = np.random.default_rng(0).normal(size=(2, 3, 5, 10)).astype(dtype)
    turned = rotary_embedding(x, positions, layout=layout, rotary_dim=dim)
    assert turned.dtype == dtype
    expected = by_loops(x, positions, layout, dim=dim)
    np.testing.assert_allclose(turned, expected, rtol=0, atol=allowed(x, np.asarray(positions), dtype))
    np.testing.assert_array_equal(turned[..., dim:], x[..., dim:])


@settings(max_examples=30, deadline=None)
@given(
    heads=st.integers(1, 40),
    length=st.integers(0, 300),
    half=st.integers(1, 24),
    layout=st.sampled_from(LAYOUTS),
    base=st.floats(1.5, 1e6),
)
def test_blocks_do_not_show(heads, length, half, layout, base):
    x = np.random.default_rng(1).normal(size=(heads, length, 2 * half)).astype(np.float32)
    whole = rotary_embedding(x, np.arange(length), layout=layout, base=base)
    for h in {0, heads - 1}:
        one = rotary_embedding(x[h], np.arange(length), layout=layout, base=base)
        np.testing.assert_array_equal(whole[h], one)  # 同一张角度表，同样的运算


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("gptj", {"layout": "interleaved"}),
        ("gptj_partial8", {"layout": "interleaved", "rotary_dim": 8}),
        ("llama", {}),
        ("llama_500k", {"base": 500000.0}),
        ("neox_partial4", {"rotary_dim": 4}),
        ("phi_partial8", {"rotary_dim": 8}),
        ("glm_partial8", {"layout": "interleaved", "rotary_dim": 8}),
        ("cohere", {"layout": "interleaved", "base": 500000.0}),
    ],
)
def test_real_systems(name, options, golden):
    positions = golden["positions"][:, None]  # (batch, 1, seq_len)
    assert_same_as_float32(rotary_embedding(golden["x"], positions, **options), golden[name], golden["x"], positions)


def assert_same_as_float32(ours, theirs, x, positions):
    # 它们的角度用 float32 算，误差是 pos 的 2^-24 再放宽四倍（频率、乘积、正弦各舍入一次），乘以分量的大小
    atol = 4 * 2.0**-24 * np.abs(x).max() * np.maximum(1, positions)[..., None]
    assert (np.abs(ours - theirs) <= atol).all()


def test_deepseek_turns_pairs_and_stores_halves(golden):
    positions = golden["positions"][:, None]
    turned = rotary_embedding(golden["x"], positions, layout="interleaved")
    turned = np.concatenate([turned[..., 0::2], turned[..., 1::2]], axis=-1)
    assert_same_as_float32(turned, golden["deepseek_v3"], golden["x"], positions)


def test_nanochat_turns_the_other_way(golden):
    positions = golden["positions"][:, None]
    turned = rotary_embedding(golden["x"], -positions)
    assert_same_as_float32(turned, golden["nanochat"], golden["x"], positions)


def yarn(omega, factor=4.0, fast=32.0, slow=1.0, length=2048, base=10000.0):
    """YaRN 的频率表：转满 ``fast`` 圈的对不变，不满 ``slow`` 圈的除以 ``factor``，中间按对的编号线性过渡。"""
    first, last = (len(omega) * np.log(length / (turns * 2 * np.pi)) / np.log(base) for turns in (fast, slow))
    ramp = np.clip((np.arange(len(omega)) - np.floor(first)) / (np.ceil(last) - np.floor(first)), 0, 1)
    return omega * (1 - ramp + ramp / factor)


@pytest.mark.parametrize(
    ("name", "change", "times"),
    [
        ("yarn", yarn, 0.1 * math.log(4) + 1),
        ("longrope", lambda omega: omega / [1, 1.5, 2, 4, 8, 16, 32, 64], math.sqrt(1 + math.log(4) / math.log(2048))),
    ],
)
def test_a_ladder_and_a_factor(name, change, times, golden):
    positions = golden["positions"][:, None]
    omega = change(sinpe.angular_frequencies(16))
    turned = rotary_embedding(golden["x"], positions, frequencies=omega) * times
    assert_same_as_float32(turned, golden[name], golden["x"], positions)


def test_the_ladder_and_the_factor_of_yarn(golden):
    np.testing.assert_allclose(
        yarn(sinpe.angular_frequencies(16)), golden["yarn_inv_freq"], rtol=2e-6
    )  # float32 的乘方
    assert golden["yarn_attention_scaling"] == pytest.approx(0.1 * math.log(4) + 1, rel=1e-15)


def test_several_axes_one_after_another(golden):
    omega = sinpe.angular_frequencies(16, base=1000000.0)
    axis = np.repeat([0, 1, 2], [2, 3, 3])  # 时间两对，行三对，列三对
    turned = golden["x"]
    for k, places in enumerate(golden["thw"]):  # (batch, seq_len)
        turned = rotary_embedding(turned, places[:, None], frequencies=omega * (axis == k))
    assert_same_as_float32(turned, golden["qwen2vl"], golden["x"], golden["thw"].max(axis=0)[:, None])


def test_rows_and_columns_with_their_own_ladders(golden):
    omega = sinpe.angular_frequencies(16)
    omega, axis = np.r_[omega[0::2], omega[1::2]], np.repeat([0, 1], 4)  # 频率隔一个分给行，其余给列
    rows, columns = golden["thw"][1:, 0]
    turned = rotary_embedding(golden["x"], rows, frequencies=omega * (axis == 0))
    turned = rotary_embedding(turned, columns, frequencies=omega * (axis == 1))
    assert_same_as_float32(turned, golden["pixtral"], golden["x"], np.maximum(rows, columns))


def llama31(omega, factor=8.0, low=1.0, high=4.0, length=8192):
    """Llama 3.1 的频率表：波长不到 length/high 的不变，超过 length/low 的除以 factor，中间按圈数线性过渡。"""
    turns = length * omega / (2 * np.pi)
    share = np.clip((turns - low) / (high - low), 0, 1)
    return omega * (share + (1 - share) / factor)


@pytest.mark.parametrize(
    ("name", "base", "change"),
    [("linear4", 10000.0, lambda omega: omega / 4), ("llama31", 500000.0, llama31)],
)
def test_a_scaled_ladder_is_one_argument(name, base, change, golden):
    omega = change(sinpe.angular_frequencies(16, base=base))
    np.testing.assert_allclose(omega, golden[f"{name}_inv_freq"], rtol=2e-6)  # 它们用 float32 的乘方
    positions = golden["positions"][:, None]
    turned = rotary_embedding(golden["x"], positions, frequencies=omega)
    assert_same_as_float32(turned, golden[name], golden["x"], positions)


@pytest.mark.parametrize("name", ["llama", "llama_500k"])
def test_tables_are_what_the_systems_keep(name, golden):
    base = {"llama": 10000.0, "llama_500k": 500000.0}[name]
    cos, sin = rotary_tables(golden["positions"], 16, base=base)
    atol = 4 * 2.0**-24 * np.maximum(1, golden["positions"])[..., None]  # 它们的角度是 float32
    assert (np.abs(cos - golden[f"{name}_cos"]) <= atol).all()
    assert (np.abs(sin - golden[f"{name}_sin"]) <= atol).all()


# ------------------------------------------------------------------ 性质


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_score_depends_on_the_distance_only(layout):
    q, k = np.random.default_rng(2).normal(size=(2, 1, 64))
    for shift in (0, 1, 1000, 123456):
        turned_q = rotary_embedding(q, [shift + 7], layout=layout)
        turned_k = rotary_embedding(k, [shift], layout=layout)
        expected = by_loops(q, [7], layout) @ k.T
        atol = 64 * 16 * 2.0**-52 * max(1, shift) * np.abs(q).max() * np.abs(k).max()  # 64 项之和，角度的误差随位置增长
        np.testing.assert_allclose(turned_q @ turned_k.T, expected, rtol=0, atol=atol)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_angles_do_not_lose_digits_far_away(layout):
    # 与把角度在整数里约化过的真值相比：位置 2^24 + 1 在 float32 里存不下
    pos = 2**24 + 1
    turned = rotary_embedding(np.array([[1.0, 0.0]]), [pos], layout=layout)
    expected = [float(mpmath.cos(mpmath.mpf(pos))), float(mpmath.sin(mpmath.mpf(pos)))]
    np.testing.assert_allclose(turned[0], expected, rtol=0, atol=4 * 2.0**-52 * pos)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rounded_once(layout):
    x = np.random.default_rng(3).normal(size=(200, 16)).astype(np.float32)
    wide = rotary_embedding(x.astype(np.float64), np.arange(200), layout=layout)
    np.testing.assert_array_equal(rotary_embedding(x, np.arange(200), layout=layout), wide.astype(np.float32))


def test_tables_and_the_usual_formula_give_the_same():
    x = np.random.default_rng(4).normal(size=(6, 8))
    cos, sin = rotary_tables(np.arange(6), 8, dtype=np.float64)
    usual = x * cos + np.concatenate([-x[:, 4:], x[:, :4]], axis=1) * sin
    np.testing.assert_allclose(rotary_embedding(x, np.arange(6)), usual, rtol=0, atol=1e-15)
    cos, sin = rotary_tables(np.arange(6), 8, layout="interleaved", dtype=np.float64)
    swapped = np.stack([-x[:, 1::2], x[:, 0::2]], axis=2).reshape(6, 8)
    usual = x * cos + swapped * sin
    np.testing.assert_allclose(rotary_embedding(x, np.arange(6), layout="interleaved"), usual, rtol=0, atol=1e-15)


# ------------------------------------------------------------------ out、内存、坏参数


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dim", [8, 4])
def test_out_may_be_new_or_x_itself(layout, dim):
    x = np.random.default_rng(5).normal(size=(2, 700, 8)).astype(np.float32)
    expected = rotary_embedding(x, np.arange(700), layout=layout, rotary_dim=dim)
    out = np.full_like(x, np.nan)
    assert rotary_embedding(x, np.arange(700), layout=layout, rotary_dim=dim, out=out) is out
    np.testing.assert_array_equal(out, expected)
    own = x.copy()
    assert rotary_embedding(own, np.arange(700), layout=layout, rotary_dim=dim, out=own) is own
    np.testing.assert_array_equal(own, expected)


def test_out_may_overlap_x():
    store = np.random.default_rng(6).normal(size=(9, 8))
    expected = rotary_embedding(store[:-1].copy(), np.arange(8))
    np.testing.assert_array_equal(rotary_embedding(store[:-1], np.arange(8), out=store[1:]), expected)


def test_x_is_left_alone():
    x = np.ones((3, 4))
    rotary_embedding(x, np.arange(3))
    np.testing.assert_array_equal(x, np.ones((3, 4)))


def test_extra_memory_is_the_table_and_a_block():
    x, out = np.ones((2, 16, 4096, 64), np.float32), np.empty((2, 16, 4096, 64), np.float32)
    tracemalloc.start()
    rotary_embedding(x, np.arange(4096), out=out)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * 4096 * 64 + 8 * 2**20  # 一张 float64 的角度表，加上几块临时数组；x 有 32 MB


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"x": np.ones(4)}, "至少两维，收到 (4,)；只有一个位置时请写 x[None, :]。"),
        (
            {"x": np.ones((2, 3))},
            "x 的最后一维必须是正偶数（两个分量一对），收到 3；最近的可用值是 2 和 4；只转一部分",
        ),
        ({"rotary_dim": 6}, "rotary_dim 不能超过 x 的最后一维 4，收到 6；"),
        ({"rotary_dim": 3}, "rotary_dim 必须是正偶数（两个分量一对），收到 3；最近的可用值是 2 和 4。"),
        ({"positions": [0, 1, 2]}, "必须能广播到 x 去掉最后一维的形状 (2,)，收到 (3,)；每个词一个位置时请给 (2,)。"),
        (
            {"x": np.ones((3, 5, 2, 4)), "positions": np.zeros((3, 2))},
            "收到 (3, 2)；每个词一个位置时请给 (2,)，各句不同时请给 (3, 1, 2)。",
        ),
        (
            {"positions": [0, 2**40], "frequencies": [1.0, 2.0**14]},
            "positions · frequencies 的绝对值不能超过 2**53（再大就分不清相邻整数），收到 "
            "1.8014398509481984e+16（float）；请减小频率，单位是弧度每位置。",
        ),
        ({"positions": np.zeros((5, 2))}, "必须能广播到 x 去掉最后一维的形状 (2,)，收到 (5, 2)；"),
        ({"layout": "half"}, "layout 必须是 'halves'、'interleaved' 之一，收到 'half'"),
        ({"frequencies": [1.0]}, "frequencies 的形状必须是 (2,)，每对一个，收到 (1,)；"),
        ({"frequencies": [1.0, 0.1], "base": 500.0}, "frequencies 与 base 只能给一个，收到的 base 是 500.0"),
        ({"out": np.ones((2, 4), np.float32)}, "out 的 dtype 必须与参数 dtype 相同，应为 float64，收到 float32"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(arguments, words):
    with pytest.raises(ValueError, match=r"\A[^\n]*\Z") as error:
        rotary_embedding(**({"x": np.ones((2, 4)), "positions": [0, 1]} | arguments))
    assert words in str(error.value)


def test_integers_are_refused():
    with pytest.raises(TypeError, match="x 的 dtype 必须是 float16、float32 或 float64，收到 int64"):
        rotary_embedding(np.ones((2, 4), np.int64), [0, 1])


def test_what_no_longer_fits_is_refused():
    with pytest.raises(ValueError, match=r"\Ax 转动之后必须放得进 float16，收到绝对值接近上限 65504 的数；.*。\Z"):
        rotary_embedding(np.full((2, 4), 65504, np.float16), [0, 1])
