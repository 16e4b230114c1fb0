"""别的系统里真有人遇到过的错，一种现象一个测试；方括号里的编号（A1、C10 …）是一次真实的报告。

期望值由 40 位精度的计算得来，写到小数点后十位。
"""

import math
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sinpe import (
    CONVENTIONS,
    Convention,
    add_positional_encoding,
    angular_frequencies,
    convert,
    encode,
    encode_positions,
    grid_encoding,
    identify,
    positions_from_mask,
    sinusoidal_positional_encoding,
)

TEN_DIGITS = 5.1e-11  # 期望值写到十位小数，差不超过末位的一半
ODD_D = [name for name, convention in CONVENTIONS.items() if convention.odd in ("extra_sine", "zero_column")]


def reported(*ids):
    return pytest.mark.parametrize("report", ids)


def assert_values(got, expected):
    np.testing.assert_allclose(np.asarray(got, np.float64), expected, rtol=0, atol=TEN_DIGITS)


def wide(positions, d_model, convention="paper"):
    return encode(positions, d_model, convention, dtype=np.float64)


# ---- A：奇数维 -----------------------------------------------------------------


@reported("A1", "A5", "A10")
def test_an_odd_width_crashes_deep_inside(report):
    d_model = {"A1": 29, "A5": 141, "A10": 127}[report]
    assert encode(range(3), d_model, "hf_xlm").shape == (3, d_model)
    with pytest.raises(ValueError, match=f"正偶数，收到 {d_model}；最近的可用值是 {d_model - 1} 和 {d_model + 1}"):
        encode(range(3), d_model, "paper")


@reported("A2")
def test_the_message_does_not_say_that_the_width_is_odd(report):
    with pytest.raises(ValueError, match="d_model 必须是正偶数，收到 5；最近的可用值是 4 和 6。"):
        sinusoidal_positional_encoding(3, 5)
    with pytest.raises(ValueError, match=r"必须是正偶数，收到 5；.*换一种 odd"):
        encode(range(3), 5)


@pytest.mark.parametrize(
    ("d_model", "convention", "expected"),
    [
        pytest.param(
            7,
            "hf_xlm",
            [0.8414709848, 0.5403023059, 0.0719064568, 0.9974113803, 0.0051794515, 0.9999865866, 0.0003727594],
            id="A3-A6",
        ),
        pytest.param(3, "hf_xlm", [0.8414709848, 0.5403023059, 0.0021544330], id="A4"),
        pytest.param(
            7,
            "hf_marian",
            [0.8414709848, 0.0719064568, 0.0051794515, 0.0003727594, 0.5403023059, 0.9974113803, 0.9999865866],
            id="A7",
        ),
    ],
)
def test_one_extra_sine_has_the_exponent_of_the_real_width(d_model, convention, expected):
    assert_values(wide([1], d_model, convention), [expected])


@reported("A8")
@pytest.mark.parametrize("d_model", [10, 7, 169])
def test_channels_of_a_grid_do_not_split_evenly(report, d_model):
    low = d_model - d_model % 4
    with pytest.raises(ValueError, match=f"收到 {d_model}；最近的可用值是 {low} 和 {low + 4}。"):
        grid_encoding(2, 3, d_model)


@reported("A12")
@pytest.mark.parametrize("name", ODD_D)
def test_an_odd_width_silently_gives_another_number_of_columns(report, name):
    assert encode(range(4), 7, name).shape == (4, 7)


# ---- B：只有一个频率 ------------------------------------------------------------


@reported("B1")
@pytest.mark.parametrize("name", CONVENTIONS)
def test_two_dimensions_are_all_nan(report, name):
    convention = replace(CONVENTIONS[name], layout="sin_cos", amplitude=1.0)
    assert_values(wide([0, 1], 2, convention), [[0, 1], [0.8414709848, 0.5403023059]])


@reported("B2")
def test_tiny_widths_divide_by_zero_or_lose_a_column(report):
    assert_values(wide([1], 3, "ddpm"), [[0.8414709848, 0.5403023059, 0]])
    assert_values(wide([1], 2, replace(CONVENTIONS["mlx"], amplitude=1.0)), [[0.8414709848, 0.5403023059]])
    for d_model in (0, -2, 1):
        with pytest.raises(ValueError, match=f"收到 {d_model}；最小的可用值是 2"):
            encode([1], d_model, "mlx")
    with pytest.raises(ValueError, match="正偶数，收到 3"):
        encode([1], 3, "mlx")


# ---- C：频率错了 ----------------------------------------------------------------

EIGHT = [
    0.8414709848,
    0.5403023059,
    0.0998334166,
    0.9950041653,
    0.0099998333,
    0.9999500004,
    0.0009999998,
    0.9999995000,
]


@reported("C1")
def test_the_exponent_is_doubled(report):
    assert_values(wide([1], 8), [EIGHT])
    doubled = [1 / 10000 ** (2 * j / 8) for j in range(8)]
    bug = [[math.cos(p * w) if j % 2 else math.sin(p * w) for j, w in enumerate(doubled)] for p in range(5)]
    assert "加倍" in identify(bug)[0].mistake


@reported("C3")
def test_sine_and_cosine_do_not_pair(report):
    table = wide(range(1000), 64)
    # 每一对由十来个单位复数连乘而来：每个数、每次乘法至多差 3·2**-53，平方放大一倍，合计不到 2**-46
    np.testing.assert_allclose(table[:, 0::2] ** 2 + table[:, 1::2] ** 2, 1, rtol=0, atol=2.0**-46)


@reported("C4")
def test_the_index_is_counted_twice(report):
    assert_values(wide([1], 4), [[0.8414709848, 0.5403023059, 0.0099998333, 0.9999500004]])


@reported("C6")
def test_integer_positions_and_integer_base_turn_every_frequency_into_one(report):
    integer = encode_positions(np.arange(4), 8, base=np.int64(10000))
    np.testing.assert_array_equal(integer, encode_positions(np.arange(4.0), 8, base=10000.0))
    convention = replace(CONVENTIONS["paper"], base=np.int64(10000))
    assert_values(wide(np.array([1]), 8, convention), [EIGHT])


@reported("C7")
def test_integer_division_turns_every_angle_into_zero(report):
    assert_values(wide(np.int64(1), 4)[2], 0.0099998333)


@reported("C10")
def test_frequencies_grow_because_it_multiplies_instead_of_divides(report):
    omega = angular_frequencies(64)
    assert omega[0] == 1
    assert (np.diff(omega) < 0).all()
    bug = [[f(p * 10000 ** (2 * i / 8)) for i in range(4) for f in (math.sin, math.cos)] for p in range(5)]
    assert "乘除颠倒" in identify(bug)[0].mistake


@reported("C11")
def test_the_shortest_timescale_comes_out_as_its_reciprocal(report):
    # 最短的时间尺度 2、最长的 200：频率从 1/2 到 1/200，就是比例 1/2、底数 100
    convention = Convention("", "sin_cos", endpoint=True, base=100, scale=0.5)
    assert_values(np.arcsin(wide(1, 8, convention)[:4]), [0.5, 0.1077217345, 0.0232079442, 0.005])


@reported("C12")
def test_nothing_says_which_of_the_two_ladders_is_meant(report):
    assert_values(wide(10, 8, "hf_marian")[1], 0.8414709848)
    assert_values(wide(10, 8, "ddpm")[1], 0.4476708347)
    assert "10000^(-2i/d)" in str(CONVENTIONS["hf_marian"])
    assert "10000^(-i/(d/2-1))" in str(CONVENTIONS["ddpm"])
    with pytest.raises(ValueError, match="频率不同"):
        convert(wide(range(11), 8, "ddpm"), "ddpm", "hf_marian")


@reported("C15")
def test_the_dot_product_picture_is_not_toeplitz(report):
    gram = wide(range(60), 64) @ wide(range(60), 64).T
    for k in range(60):
        diagonal = np.diagonal(gram, k)
        assert np.ptp(diagonal) < 1e-12  # 64 项之和，角度至多 60


@reported("C17")
def test_the_formula_is_read_as_a_power_of_the_position(report):
    np.testing.assert_array_equal(wide([0], 4), [[0, 1, 0, 1]])
    assert_values(wide([2], 4), [[0.9092974268, -0.4161468365, 0.0199986667, 0.9998000067]])


# ---- D：布局 -------------------------------------------------------------------


@reported("D1")
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_layout_fix_breaks_trained_models(report, dtype):
    split = encode(range(30), 64, "hf_marian", dtype=dtype)
    there = convert(split, "hf_marian", "paper")
    np.testing.assert_array_equal(there, encode(range(30), 64, "paper", dtype=dtype))
    np.testing.assert_array_equal(convert(there, "paper", "hf_marian"), split)


@reported("D2")
def test_a_release_changes_the_layout_and_no_name_tells(report):
    with np.load(Path(__file__).with_name("golden") / "golden.npz", allow_pickle=False) as archive:
        table = archive["tatp22/p1_n16_d6"]
    assert identify(table)[0].convention.layout == "interleaved"
    assert "[s0 c0 s1 c1 …]" in str(CONVENTIONS["paper"])
    assert "[s0 s1 … | c0 c1 …]" in str(CONVENTIONS["hf_marian"])


@reported("D3")
@pytest.mark.parametrize("name", ["paper", "hf_marian", "guided_diffusion"])
def test_nobody_can_tell_the_layout_from_the_table(report, name):
    assert identify(encode(range(20), 16, name))[0].convention.layout == CONVENTIONS[name].layout


# ---- E：精度 -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pos", "d_model", "column", "expected"),
    [
        pytest.param(1857, 32, 3, 0.3066928098, id="E1"),
        pytest.param(32766, 64, 0, -0.7252358865, id="E3-even"),
        pytest.param(32767, 64, 0, 0.1875065539, id="E3-odd"),
        pytest.param(998.3897, 64, 0, -0.5945966098, id="E6-sin"),
        pytest.param(998.3897, 64, 1, 0.8040241735, id="E6-cos"),
        pytest.param(4095, 64, 0, -0.9978212104, id="E8-sin"),
        pytest.param(4095, 64, 1, -0.0659759966, id="E8-cos"),
        pytest.param(256, 64, 0, -0.9992080341, id="E12-256-sin"),
        pytest.param(256, 64, 1, -0.0397907599, id="E12-256-cos"),
        pytest.param(257, 64, 0, -0.5733571748, id="E12-257-sin"),
        pytest.param(257, 64, 1, 0.8193055291, id="E12-257-cos"),
        pytest.param(10**6, 64, 0, -0.3499935022, id="E14-million-sin"),
        pytest.param(10**6, 64, 1, 0.9367521275, id="E14-million-cos"),
        pytest.param(16777217, 64, 0, 0.1058325673, id="E14-sin"),
        pytest.param(16777217, 64, 1, 0.9943839639, id="E14-cos"),
    ],
)
def test_angles_computed_in_a_narrow_type_are_wrong_far_out(pos, d_model, column, expected):
    assert_values(wide(pos, d_model)[column], expected)
    # 结果存成 float32、float16，也只多一次舍入
    for dtype, half_unit in ((np.float32, 2.0**-25), (np.float16, 2.0**-12)):
        assert abs(float(encode(pos, d_model, dtype=dtype)[column]) - expected) <= half_unit + TEN_DIGITS
        table = sinusoidal_positional_encoding(1, d_model, offset=pos, dtype=dtype)
        assert abs(float(table[0, column]) - expected) <= half_unit + TEN_DIGITS


@reported("E2")
def test_the_table_rebuilt_in_half_precision_differs(report):
    positions = np.concatenate([np.arange(5000), [65504, 10**6, 16777217]])
    np.testing.assert_array_equal(
        encode(positions, 64, dtype=np.float16), encode(positions, 64, dtype=np.float64).astype(np.float16)
    )


@pytest.mark.parametrize(
    "pos", [pytest.param(32766, id="E3"), pytest.param(2048, id="E4"), pytest.param(256, id="E12")]
)
def test_neighbouring_rows_are_identical_in_half_precision(pos):
    table = sinusoidal_positional_encoding(2, 64, offset=pos, dtype=np.float16)
    assert np.abs(np.diff(table.astype(float), axis=0)).max() > 0.4


@reported("E10")
def test_positions_pass_through_a_narrower_type(report):
    assert abs(wide(1999.9, 8)[0] - math.sin(1999.9)) < 1e-12  # 角度的舍入 eps·2000
    assert abs(math.sin(1999.9) - math.sin(2000.0)) > 0.03  # float16 里 1999.9 就是 2000


@reported("E11")
def test_float32_positions_are_widened_and_the_dtype_is_as_asked(report):
    positions = np.array([12345.5, 99999.75], np.float32)
    for dtype in (np.float16, np.float32, np.float64):
        got = encode(positions, 16, dtype=dtype)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, wide(positions.astype(np.float64), 16).astype(dtype))


@reported("E13")
def test_half_precision_cannot_be_asked_for(report):
    assert sinusoidal_positional_encoding(10, 8, dtype=np.float16).dtype == np.float16
    assert add_positional_encoding(np.zeros((10, 8), np.float16)).dtype == np.float16


# ---- F：位置怎样编号 -------------------------------------------------------------


@reported("F1")
def test_times_between_zero_and_one_give_almost_constant_vectors(report):
    assert_values(wide(0.5, 8, "guided_diffusion")[:2], [0.8775825619, 0.9987502604])
    scaled = replace(CONVENTIONS["guided_diffusion"], scale=1000)
    assert_values(wide(0.5, 8, scaled)[:2], [-0.8838492734, 0.9649660285])


@reported("F2")
def test_the_first_word_is_zeroed_instead_of_the_padding(report):
    mask = np.array([[1, 1, 0, 0]])
    plain = encode(positions_from_mask(mask), 8, "hf_marian")
    assert (np.linalg.norm(plain, axis=-1) > 1).all()  # 不要求，就什么都不清零
    zeroed = plain * mask[..., None]
    np.testing.assert_array_equal(np.linalg.norm(zeroed, axis=-1) > 0, mask == 1)


@reported("F3")
def test_generation_runs_past_the_end_of_the_table(report):
    positions = positions_from_mask([[1]], padding_idx=1, cache=10)
    np.testing.assert_array_equal(positions, [[12]])
    np.testing.assert_array_equal(encode(positions, 8, "fairseq")[0, 0], encode(12, 8, "fairseq"))


@reported("F4")
def test_nobody_says_why_the_first_word_reads_row_two(report):
    positions = positions_from_mask([[1]], padding_idx=1)
    assert CONVENTIONS["fairseq"].start == positions[0, 0] == 2
    assert_values(wide(positions, 4, "fairseq")[0, 0], [0.9092974268, 0.0002, -0.4161468365, 0.99999998])


@reported("F6")
def test_left_padded_prompts_share_one_position_vector(report):
    mask = np.array([[0, 0, 1, 1], [1, 1, 1, 1]])
    positions = positions_from_mask(mask)
    np.testing.assert_array_equal(positions[mask == 1], [0, 1, 0, 1, 2, 3])


@reported("F7")
@pytest.mark.parametrize("start", [1, 5, 1000])
def test_decoding_from_a_context_restarts_at_step_zero(report, start):
    whole = sinusoidal_positional_encoding(start + 6, 16)
    np.testing.assert_array_equal(sinusoidal_positional_encoding(6, 16, offset=start), whole[start:])
    np.testing.assert_array_equal(encode(start + np.arange(6), 16), encode(np.arange(start + 6), 16)[start:])


@reported("F9")
def test_two_relatives_number_left_padding_differently(report):
    ids, pad = np.array([[1, 1, 5, 6]]), 1
    np.testing.assert_array_equal(positions_from_mask(ids != pad, padding_idx=pad), [[1, 1, 2, 3]])
    np.testing.assert_array_equal(np.where(ids != pad, np.arange(4) + pad + 1, pad), [[1, 1, 4, 5]])


@reported("F11")
def test_a_timestep_off_by_one_float_gives_something_else(report):
    difference = np.abs(wide(254, 320, "guided_diffusion") - wide(254.00001525878906, 320, "guided_diffusion"))
    assert 0 < difference.max() < 2e-5


@reported("F12")
def test_the_encoding_is_added_along_the_batch_axis(report):
    added = add_positional_encoding(np.zeros((2, 3, 4)))
    np.testing.assert_array_equal(added[0], added[1])
    assert np.abs(np.diff(added[0], axis=0)).max(axis=1).min() > 0.1
    with pytest.raises(ValueError, match="至少两维"):
        add_positional_encoding(np.zeros(4))


# ---- G：长度的上限 ---------------------------------------------------------------


@reported("G1")
def test_a_fixed_table_limits_the_length(report):
    np.testing.assert_array_equal(encode(229, 8), sinusoidal_positional_encoding(230, 8)[229])


@reported("G2")
def test_one_far_position_needs_the_whole_table(report):
    tracemalloc.start()
    try:
        encode(10**6, 512)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100_000  # 一行 2 KB；整张表是 2 GB


@reported("G3")
def test_the_error_does_not_say_which_length(report):
    with pytest.raises(ValueError, match=r"不能超过 2\*\*53.*收到 9007199254740993"):
        encode(2**53 + 1, 8)


@reported("G4")
def test_a_table_has_no_negative_and_no_huge_positions(report):
    for pos in (10**9, -5):
        angles = [pos * 10.0**-i for i in range(4)]
        expected = [f(angle) for angle in angles for f in (math.sin, math.cos)]
        np.testing.assert_allclose(wide(pos, 8), expected, rtol=0, atol=4 * 2.0**-52 * abs(pos))


# ---- H：负的与相对的位置 -----------------------------------------------------------


@reported("H2", "H3")
def test_the_negative_half_of_the_relative_table_is_missing(report):
    table = wide([2, 1, 0, -1, -2], 8)
    flip = np.tile([-1.0, 1.0], 4)  # 正弦变号，余弦不变
    np.testing.assert_array_equal(table[::-1], table * flip)
    assert_values(table[3, :2], [-0.8414709848, 0.5403023059])


@reported("H4")
def test_minus_one_silently_reads_the_last_row(report):
    n = 10
    assert np.abs(encode(-1, 8) - encode(n - 1, 8)).max() > 0.5
    assert_values(wide(-1, 8)[0], -0.8414709848)


# ---- I：缓存与状态 ----------------------------------------------------------------


@reported("I1")
def test_the_second_call_returns_the_first_result(report):
    first = sinusoidal_positional_encoding(4, 8, offset=0)
    second = sinusoidal_positional_encoding(4, 8, offset=5)
    assert np.abs(first - second).max() > 0.5
    assert np.abs(encode(range(4), 8, "paper") - encode(range(4), 8, "whisper")).max() > 0.5


@reported("I5")
@pytest.mark.parametrize(
    "call",
    [
        lambda: encode(range(4), 8, "whisper"),
        lambda: convert(encode(range(4), 8, "hf_marian"), "hf_marian", "paper"),
        lambda: convert(encode(range(4), 8), "paper", "paper"),
        lambda: positions_from_mask([[1, 1, 0, 1]]),
        lambda: grid_encoding(2, 2, 8),
    ],
    ids=["encode", "convert", "convert to itself", "positions", "grid"],
)
def test_changing_a_result_changes_the_next_one(report, call):
    first = call()
    before = first.copy()
    first[:] = 7
    np.testing.assert_array_equal(call(), before)


@reported("I5")
def test_converting_to_itself_hands_back_the_same_memory(report):
    table = encode(range(4), 8)
    assert not np.shares_memory(table, convert(table, "paper", "paper"))


@reported("I7")
def test_a_cache_keyed_by_shape_only_returns_the_wrong_type(report):
    narrow, broad = (encode(range(4), 8, dtype=dtype) for dtype in (np.float32, np.float64))
    assert (narrow.dtype, broad.dtype) == (np.float32, np.float64)
    assert np.abs(narrow - broad).max() > 1e-9  # 后一个不是由前一个变来的


@reported("I8")
def test_amplitude_zero_is_replaced_by_the_default(report):
    silent = replace(CONVENTIONS["mlx"], amplitude=0.0)
    np.testing.assert_array_equal(encode(range(4), 8, silent), np.zeros((4, 8)))


# ---- J：dtype 与形状 ---------------------------------------------------------------


@reported("J2")
def test_a_wrong_number_of_channels_goes_unnoticed(report):
    with pytest.raises(ValueError, match="正偶数，收到 5"):
        add_positional_encoding(np.zeros((3, 5)))
    assert add_positional_encoding(np.zeros((3, 10))).shape == (3, 10)
    with pytest.raises(ValueError, match=r"形状必须是 \(3, 10\)，收到 \(3, 8\)"):
        sinusoidal_positional_encoding(3, 10, out=np.empty((3, 8), np.float32))


@reported("J3", "J4")
def test_the_dtype_is_fixed_by_the_library(report):
    dtype = {"J3": np.float32, "J4": np.float64}[report]
    for table in (
        sinusoidal_positional_encoding(3, 8, dtype=dtype),
        encode(range(3), 8, "whisper", dtype=dtype),
        grid_encoding(2, 3, 8, dtype=dtype),
        add_positional_encoding(np.zeros((3, 8), dtype)),
    ):
        assert table.dtype == dtype


# ---- K：网格 ---------------------------------------------------------------------


@reported("K1")
def test_images_that_are_not_square_get_transposed_positions(report):
    grid = grid_encoding(2, 3, 4, dtype=np.float64)
    assert_values(grid[1], [0, 1, 0.8414709848, 0.5403023059])
    assert_values(grid[3], [0.8414709848, 0.5403023059, 0, 1])


@reported("K2")
def test_the_variable_for_height_holds_the_width(report):
    assert_values(grid_encoding(2, 3, 4, axes=("x", "y"), dtype=np.float64)[1], [0.8414709848, 0.5403023059, 0, 1])


@reported("K3")
def test_only_square_images_work(report):
    tall, flat = grid_encoding(3, 2, 8), grid_encoding(2, 3, 8)
    assert tall.shape == flat.shape == (6, 8)
    # 转置图像，就是交换两个轴
    np.testing.assert_array_equal(
        tall.reshape(3, 2, 8).swapaxes(0, 1), grid_encoding(2, 3, 8, axes=("x", "y")).reshape(2, 3, 8)
    )
    assert np.abs(tall - flat).max() > 0.5


@reported("K4")
def test_the_grid_is_guessed_from_the_number_of_patches(report):
    grid = grid_encoding(8, 32, 8)  # 256 块：不是 16×16
    assert grid.shape == (256, 8)
    np.testing.assert_array_equal(grid.reshape(8, 32, 8)[:, 31, 4:], np.tile(encode(31, 4, "hf_marian"), (8, 1)))


@reported("K5")
def test_the_offset_and_the_scale_are_applied_in_the_wrong_order(report):
    # 归一化由调用者来做：先除以（末个加 1e-6），再乘 2π
    y, x = np.cumsum(np.ones((1, 2)), axis=0), np.cumsum(np.ones((1, 2)), axis=1)
    y = y / (y[-1:] + 1e-6) * 2 * np.pi
    x = x / (x[:, -1:] + 1e-6) * 2 * np.pi
    assert_values(y, [[6.2831790240, 6.2831790240]])
    assert_values(x, [[3.1415910828, 6.2831821656]])
    image = np.concatenate([wide(y, 4), wide(x, 4)], axis=-1)
    assert_values(image[0, :, 0], [-0.0000062832, -0.0000062832])
