"""编码的单元测试。期望值来自两处，都不用本库的代码：纯循环的规格，和手算的数。"""

import dataclasses
import inspect
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sinpe
from sinpe import (
    add_positional_encoding,
    angular_frequencies,
    encode_positions,
    sinusoidal_positional_encoding,
    wavelengths,
)

ROOT = Path(__file__).parent.parent
EPS = np.finfo(np.float64).eps
HALF_ULP_BELOW_1 = 2.0**-25  # float32 在 1 以下的半个单位：舍入一次的上限
SHAPES = [(1, 2), (5, 8), (7, 6), (50, 64), (33, 512)]


def specification(positions, d_model, base=10000.0):
    """论文 3.5 节的公式，逐个元素用 math 计算，float64。"""
    table = np.empty((len(positions), d_model))
    for row, pos in enumerate(positions):
        for j in range(d_model):
            angle = pos / math.pow(base, (j - j % 2) / d_model)
            table[row, j] = math.cos(angle) if j % 2 else math.sin(angle)
    return table


def angle_error(positions):
    """两种算法算同一角度，各有几次舍入，角度之差随位置增长；下限 1 管位置 0 附近正弦、余弦自身的舍入。"""
    return 4 * EPS * max(1.0, max((abs(p) for p in positions), default=0.0))


# --- 值 ---------------------------------------------------------------------------------------------


def test_seed_example_matches_values_computed_by_hand():
    # d_model = 8：角频率是 1, 0.1, 0.01, 0.001；正弦、余弦取自数学用表，八位小数
    by_hand = [
        [0, 1, 0, 1, 0, 1, 0, 1],
        [0.84147098, 0.54030231, 0.09983342, 0.99500417, 0.00999983, 0.99995000, 0.00100000, 0.99999950],
        [0.90929743, -0.41614684, 0.19866933, 0.98006658, 0.01999867, 0.99980001, 0.00200000, 0.99999800],
    ]
    np.testing.assert_allclose(sinusoidal_positional_encoding(5, 8)[:3], by_hand, rtol=0, atol=3.5e-8)


@pytest.mark.parametrize(("seq_len", "d_model"), SHAPES)
@pytest.mark.parametrize("base", [1.5, 100.0, 10000.0, 1e300])
def test_table_equals_the_plain_loop_specification(seq_len, d_model, base):
    positions = range(seq_len)
    expected = specification(positions, d_model, base)
    got64 = sinusoidal_positional_encoding(seq_len, d_model, base=base, dtype=np.float64)
    np.testing.assert_allclose(got64, expected, rtol=0, atol=angle_error(positions))
    got32 = sinusoidal_positional_encoding(seq_len, d_model, base=base)
    np.testing.assert_allclose(got32, expected, rtol=0, atol=HALF_ULP_BELOW_1 + angle_error(positions))


@pytest.mark.parametrize("offset", [3, -3, 0.25, -1000.5, 10**6, 16777217])
def test_offset_shifts_the_first_position(offset):
    positions = [offset + k for k in range(6)]
    got = sinusoidal_positional_encoding(6, 8, offset=offset, dtype=np.float64)
    np.testing.assert_allclose(got, specification(positions, 8), rtol=0, atol=angle_error(positions))


def test_far_positions_are_as_exact_as_near_ones_in_float32():
    # 角度若在 float32 里算，位置 1000000 的误差约 4e-2，16777217 根本存不下
    for pos in (10**6, 16777217):
        got = sinusoidal_positional_encoding(1, 64, offset=pos)[0]
        expected = specification([pos], 64)[0]
        np.testing.assert_allclose(got, expected, rtol=0, atol=HALF_ULP_BELOW_1 + 2 * EPS * pos)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_narrow_output_is_the_float64_result_rounded_once(dtype):
    wide = sinusoidal_positional_encoding(300, 32, offset=5000, dtype=np.float64)
    np.testing.assert_array_equal(sinusoidal_positional_encoding(300, 32, offset=5000, dtype=dtype), wide.astype(dtype))
    free = encode_positions(5000 + np.arange(300), 32, dtype=np.float64)
    np.testing.assert_array_equal(encode_positions(5000 + np.arange(300), 32, dtype=dtype), free.astype(dtype))


def test_table_is_c_contiguous_and_float32_by_default():
    pe = sinusoidal_positional_encoding(5, 8)
    assert (pe.shape, pe.dtype, pe.flags.c_contiguous) == ((5, 8), np.float32, True)


def test_empty_table_keeps_its_width():
    assert sinusoidal_positional_encoding(0, 8).shape == (0, 8)
    assert encode_positions(np.empty((2, 0)), 8).shape == (2, 0, 8)


def test_long_tables_are_right_across_the_block_boundaries():
    # 逐块计算：块与块相接处最容易错位；两块多一点的长度能照到每一处
    from sinpe import encoding

    seq_len = 2 * (encoding._BLOCK // 2) + 3
    got = sinusoidal_positional_encoding(seq_len, 4)
    rows = np.unique(np.linspace(0, seq_len - 1, 501).astype(int))
    np.testing.assert_allclose(
        got[rows], specification(rows.tolist(), 4), rtol=0, atol=HALF_ULP_BELOW_1 + angle_error([seq_len])
    )


def test_positions_of_any_shape_get_one_more_axis():
    positions = np.array([[0, 1, 2], [-1.5, 0.5, 7.25]])
    got = encode_positions(positions, 6, dtype=np.float64)
    assert got.shape == (2, 3, 6)
    expected = specification(positions.ravel().tolist(), 6).reshape(2, 3, 6)
    np.testing.assert_allclose(got, expected, rtol=0, atol=angle_error(positions.ravel()))
    assert encode_positions(3, 6).shape == (6,)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.float16, np.float32])
def test_positions_are_not_narrowed_or_wrapped(kind):
    got = encode_positions(np.array([0, 1, 100], dtype=kind), 8, dtype=np.float64)
    np.testing.assert_allclose(got, specification([0, 1, 100], 8), rtol=0, atol=angle_error([100]))


def test_table_and_free_positions_agree_within_one_rounding():
    table = sinusoidal_positional_encoding(200, 16, offset=-70)
    free = encode_positions(np.arange(-70, 130), 16)
    np.testing.assert_allclose(table, free, rtol=0, atol=2 * HALF_ULP_BELOW_1)


def test_frequencies_are_the_geometric_ladder():
    expected = np.geomspace(1, 1 / 10000, 256, endpoint=False)
    np.testing.assert_allclose(angular_frequencies(512), expected, rtol=0, atol=2 * EPS)
    np.testing.assert_allclose(angular_frequencies(8), [1, 0.1, 0.01, 0.001], rtol=0, atol=2 * EPS)


def test_wavelengths_start_at_two_pi_and_stop_short_of_base_times_two_pi():
    lam = wavelengths(512)
    np.testing.assert_allclose(lam[[0, -1]], [2 * math.pi, 60611.4772], rtol=1e-8)  # 手算到九位
    assert np.all(np.diff(lam) > 0)
    assert lam[-1] < 2 * math.pi * 10000


# --- 一行只取决于它的位置：从哪里切开都逐位相同 ----------------------------------------------------------


@pytest.mark.parametrize("d_model", [2, 8, 64, 100, 512, 768, 4096, 40000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_does_not_depend_on_where_the_table_was_cut(d_model, dtype):
    rng = np.random.default_rng(d_model)
    total = min(2**18, 2**23 // d_model)
    whole = sinusoidal_positional_encoding(total, d_model, dtype=dtype)
    shortest = 2048 // d_model + 1  # 再短就直接算
    for _ in range(12):
        length = int(rng.integers(shortest, max(shortest + 1, min(total, 2**19 // d_model))))
        offset = int(rng.integers(0, total - length + 1))
        part = sinusoidal_positional_encoding(length, d_model, offset=offset, dtype=dtype)
        np.testing.assert_array_equal(part, whole[offset : offset + length])
        mirrored = sinusoidal_positional_encoding(length, d_model, offset=1 - offset - length, dtype=dtype)
        np.testing.assert_array_equal(mirrored[:, 0::2], -part[::-1, 0::2])
        np.testing.assert_array_equal(mirrored[:, 1::2], part[::-1, 1::2])


@pytest.mark.parametrize("start", [2**20 - 4097, 2**40 + 12345, 0.5, 777.25])
def test_cuts_far_away_and_between_the_integers_agree_too(start):
    whole = sinusoidal_positional_encoding(4096, 64, offset=start)
    for cut in (1, 500, 1024, 4000):
        part = sinusoidal_positional_encoding(4096 - cut, 64, offset=start + cut)
        np.testing.assert_array_equal(part, whole[cut:])


def test_small_tables_are_the_rows_of_encode_positions_bit_for_bit():
    for seq_len, d_model in ((4, 512), (1, 2048), (32, 64), (1024, 2)):
        small = sinusoidal_positional_encoding(seq_len, d_model, offset=123456)
        np.testing.assert_array_equal(small, encode_positions(123456 + np.arange(seq_len), d_model))


@pytest.mark.parametrize("start", [0.5, 1000.25, -700.75, 123456.7])
def test_encode_rotates_from_fractional_starts_too(start, monkeypatch):
    positions = start + np.arange(3000)
    expected = sinpe.encode_positions(positions, 64, dtype=np.float64)

    def direct(*arguments):
        raise AssertionError("逐个算了正弦、余弦")

    monkeypatch.setattr("sinpe.conventions._fill_each", direct)
    got = sinpe.encode(positions, 64, dtype=np.float64)
    np.testing.assert_allclose(got, expected, rtol=0, atol=4 * EPS * np.abs(positions).max())


def test_encode_of_positions_that_are_not_consecutive_is_not_rotated():
    for positions in ([0, 1, 2, 4] * 500, np.arange(2000)[::-1], 0.5 * np.arange(2000), np.zeros(2000)):
        got = sinpe.encode(positions, 64, dtype=np.float64)
        np.testing.assert_array_equal(got, encode_positions(positions, 64, dtype=np.float64))


@pytest.mark.parametrize("name", ["paper", "fairseq", "musicgen", "mlx", "hf_xlm", "guided_diffusion"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_encode_writes_into_out_and_takes_a_base(name, dtype, tmp_path):
    width = 7 if name in ("hf_xlm", "guided_diffusion") else 8
    expected = sinpe.encode([[0, 1.5, 2], [7, 8, 9]], width, name, dtype=dtype)
    for out in (np.full(expected.shape, np.nan, dtype), np.memmap(tmp_path / "x", dtype, "w+", shape=expected.shape)):
        assert sinpe.encode([[0, 1.5, 2], [7, 8, 9]], width, name, dtype=dtype, out=out) is out
        np.testing.assert_array_equal(out, expected)
    other = dataclasses.replace(sinpe.CONVENTIONS[name], base=100.0)
    changed = sinpe.encode([1, 2], width, name, base=100, dtype=dtype)
    np.testing.assert_array_equal(changed, sinpe.encode([1, 2], width, other, dtype=dtype))
    assert np.abs(changed.astype(float) - sinpe.encode([1, 2], width, name, dtype=dtype)).max() > 0.01


# --- out、别名与不变性 -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_out_is_filled_and_returned(dtype):
    out = np.full((4, 6), np.nan, dtype)
    assert sinusoidal_positional_encoding(4, 6, dtype=dtype, out=out) is out
    np.testing.assert_array_equal(out, sinusoidal_positional_encoding(4, 6, dtype=dtype))
    out = np.full((2, 2, 6), np.nan, dtype)
    assert encode_positions([[0, 1], [2, 3]], 6, dtype=dtype, out=out) is out
    np.testing.assert_array_equal(out.reshape(4, 6), sinusoidal_positional_encoding(4, 6, dtype=dtype))


def test_out_may_be_a_memmap(tmp_path):
    out = np.memmap(tmp_path / "pe.bin", np.float32, "w+", shape=(100, 16))
    assert sinusoidal_positional_encoding(100, 16, out=out) is out
    out.flush()
    stored = np.fromfile(tmp_path / "pe.bin", np.float32).reshape(100, 16)
    np.testing.assert_array_equal(stored, sinusoidal_positional_encoding(100, 16))


def test_out_may_overlap_the_positions():
    # 逐块写 out 时，后面各块的位置不能已被覆盖：长到要分好几块才看得出
    memory = np.arange(160_000.0)
    expected = encode_positions(np.arange(40_000), 4, dtype=np.float64)
    got = encode_positions(memory[:40_000], 4, dtype=np.float64, out=memory.reshape(40_000, 4))
    np.testing.assert_array_equal(got, expected)


def test_two_calls_share_no_memory_and_two_bases_share_no_cache():
    first, second = sinusoidal_positional_encoding(5, 8), sinusoidal_positional_encoding(5, 8, base=100.0)
    np.testing.assert_allclose(second, specification(range(5), 8, 100.0), rtol=0, atol=1e-7)
    again = sinusoidal_positional_encoding(5, 8)
    assert not np.shares_memory(first, again)
    first[...] = 7
    np.testing.assert_allclose(again, specification(range(5), 8), rtol=0, atol=1e-7)


def test_inputs_are_left_unchanged():
    positions = np.array([3.0, -1.0])
    positions.flags.writeable = False
    encode_positions(positions, 4, dtype=np.float64)
    x = np.ones((2, 4), np.float32)
    x.flags.writeable = False
    add_positional_encoding(x)
    np.testing.assert_array_equal(x, np.ones((2, 4), np.float32))


# --- 相加 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_sum_is_rounded_once_to_the_dtype_of_x(dtype):
    x = np.random.default_rng(0).normal(size=(3, 5, 8)).astype(dtype)
    got = add_positional_encoding(x, offset=2)
    expected = (x.astype(np.float64) + specification(range(2, 7), 8)).astype(dtype)
    assert got.dtype == dtype
    # float64 的规格与库各有自己的舍入；更窄的 dtype 上两者舍入到同一个数
    np.testing.assert_allclose(got, expected, rtol=0, atol=angle_error([7]) if dtype == np.float64 else 0)


def test_sequence_axis_is_the_last_but_one():
    # 两个相同的样本必须得到相同的结果：若把批次当成序列，第二个样本会多走一步
    x = np.zeros((2, 3, 4), np.float32)
    got = add_positional_encoding(x)
    np.testing.assert_array_equal(got[0], got[1])
    np.testing.assert_array_equal(got[0], sinusoidal_positional_encoding(3, 4))


def test_step_by_step_generation_equals_the_full_pass():
    x = np.random.default_rng(1).normal(size=(6, 8)).astype(np.float32)
    steps = [add_positional_encoding(x[k : k + 1], offset=k) for k in range(6)]
    np.testing.assert_array_equal(np.concatenate(steps), add_positional_encoding(x))


def test_sum_takes_fractional_offsets_and_any_number_of_leading_axes():
    x = np.zeros((2, 3, 4, 6))
    expected = np.broadcast_to(specification([2.5, 3.5, 4.5, 5.5], 6), x.shape)
    np.testing.assert_allclose(add_positional_encoding(x, offset=2.5), expected, rtol=0, atol=angle_error([5.5]))


def test_a_left_padded_batch_is_one_line():
    mask = np.array([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]])
    x = np.random.default_rng(3).normal(size=(2, 5, 8)).astype(np.float32)
    got = add_positional_encoding(x, positions=sinpe.positions_from_mask(mask))
    # 去掉填充，各自从 0 数起
    np.testing.assert_array_equal(got[0, 2:], add_positional_encoding(x[0, 2:]))
    np.testing.assert_array_equal(got[1], add_positional_encoding(x[1]))


@pytest.mark.parametrize("shape", [(3,), (1, 3), (4, 3), (2, 1, 3), (2, 4, 3)])
def test_positions_spread_over_the_leading_axes(shape):
    x = np.random.default_rng(4).normal(size=(2, 4, 3, 6))
    positions = np.random.default_rng(5).integers(-9, 9, shape) + 0.5
    got = add_positional_encoding(x, positions=positions, base=100.0)
    for index in np.ndindex(2, 4, 3):
        pos = np.broadcast_to(positions, (2, 4, 3))[index]
        np.testing.assert_allclose(got[index], x[index] + specification([pos], 6, 100.0)[0], rtol=0, atol=4 * EPS * 16)


@pytest.mark.parametrize("positions", [[0, 1], 5, [[0], [1]], np.zeros((3, 3)), np.zeros((1, 1, 3))], ids=np.shape)
def test_positions_that_do_not_fit_are_refused(positions):
    with pytest.raises(
        ValueError, match=r"^positions 的形状必须是 \(3,\)，或能扩展成 \(2, 3\)，收到 .*；最后一维是词"
    ) as caught:
        add_positional_encoding(np.zeros((2, 3, 4)), positions=positions)
    assert "\n" not in str(caught.value)


def test_base_reaches_the_sum():
    np.testing.assert_allclose(
        add_positional_encoding(np.zeros((3, 4)), base=100.0), specification(range(3), 4, 100.0), rtol=0, atol=4 * EPS
    )


# --- 报错：规则、收到什么、怎么改，一行 -----------------------------------------------------------------


class Hostile:
    """什么都做不了的值：报错本身不能因它而出错。"""

    def __repr__(self):
        raise RuntimeError

    def __index__(self):
        raise RuntimeError

    def __array__(self, *args, **kwargs):
        raise RuntimeError


BAD_CALLS = [
    (
        lambda: add_positional_encoding(np.zeros((2, 4)), offset=0, positions=[0, 1]),
        ValueError,
        "offset 和 positions 只能给一个，收到 offset=0（int）；起点不同请加进 positions 里。",
    ),
    (
        lambda: sinpe.encode([0], 8, base=1),
        ValueError,
        "base 必须大于 1（等于 1 时各对频率全相同，小于 1 时越往右越快），收到 1（int）；论文取 10000。",
    ),
    (
        lambda: sinpe.encode([0], 8, "fairseq", out=np.empty((2, 8), np.float32)),
        ValueError,
        "out 的形状必须是 (1, 8)，收到 (2, 8)；请用 np.empty((1, 8), np.float32) 新建。",
    ),
    (lambda: sinusoidal_positional_encoding(5, 7), ValueError, "d_model 必须是正偶数，收到 7；最近的可用值是 6 和 8。"),
    (lambda: sinusoidal_positional_encoding(5, 0), ValueError, "d_model 必须是正偶数，收到 0；最小的可用值是 2。"),
    (lambda: angular_frequencies(-4), ValueError, "d_model 必须是正偶数，收到 -4；最小的可用值是 2。"),
    (lambda: wavelengths(8.0), TypeError, "d_model 必须是整数，收到 8.0（float）；请换成整数，例如 8。"),
    (lambda: angular_frequencies("8"), TypeError, "d_model 必须是整数，收到 '8'（str）；请换成整数，例如 8。"),
    (lambda: angular_frequencies(True), TypeError, "d_model 必须是整数，收到 True（bool）；请换成整数，例如 8。"),
    (
        lambda: angular_frequencies(np.True_),
        TypeError,
        f"d_model 必须是整数，收到 {np.True_!r}（{type(np.True_).__name__}）；请换成整数，例如 8。",
    ),
    (lambda: angular_frequencies(None), TypeError, "d_model 必须是整数，收到 None（NoneType）；请换成整数，例如 8。"),
    (
        lambda: angular_frequencies(10**5000),
        ValueError,
        f"d_model 不能超过 {sys.maxsize}，收到 无法显示的值（int）；请换成小一些的整数，例如 8。",
    ),
    (lambda: sinusoidal_positional_encoding(-1, 8), ValueError, "seq_len 不能是负数，收到 -1；要空表请写 0。"),
    (
        lambda: sinusoidal_positional_encoding(2.5, 8),
        TypeError,
        "seq_len 必须是整数，收到 2.5（float）；请换成整数，例如 5。",
    ),
    (
        lambda: sinusoidal_positional_encoding(2**50, 512),
        ValueError,
        f"内存必须放得下结果，收到形状 ({2**50}, 512)、dtype float32；请减小形状，大表可用 out=np.memmap(...)。",
    ),
    (
        lambda: angular_frequencies(8, base=1),
        ValueError,
        "base 必须大于 1（等于 1 时各对频率全相同，小于 1 时越往右越快），收到 1（int）；论文取 10000。",
    ),
    (
        lambda: wavelengths(8, base=1e301),
        ValueError,
        "base 不能超过 1e300（再大，最低的频率接近 float64 能存下的最小的数），收到 1e+301（float）；论文取 10000。",
    ),
    (
        lambda: encode_positions([0], 8, base=math.inf),
        ValueError,
        "base 必须是有限的数，收到 inf（float）；请换成一个有限的数，例如 10000。",
    ),
    (
        lambda: add_positional_encoding(np.zeros((2, 4)), base="10000"),
        TypeError,
        "base 必须是实数，收到 '10000'（str）；请换成一个数，例如 10000。",
    ),
    (
        lambda: angular_frequencies(8, base=True),
        TypeError,
        "base 必须是实数，收到 True（bool）；请换成一个数，例如 10000。",
    ),
    (
        lambda: sinusoidal_positional_encoding(2, 4, offset=math.nan),
        ValueError,
        "offset 必须是有限的数，收到 nan（float）；请换成一个有限的数，例如 0。",
    ),
    (
        lambda: sinusoidal_positional_encoding(2, 4, offset=None),
        TypeError,
        "offset 必须是实数，收到 None（NoneType）；请换成一个数，例如 0。",
    ),
    (
        lambda: sinusoidal_positional_encoding(2, 4, offset=-(2**53) - 1),
        ValueError,
        "offset 的绝对值不能超过 2**53（再大就分不清相邻整数），收到 -9007199254740993（int）；请减去公共起点。",
    ),
    (
        lambda: sinusoidal_positional_encoding(3, 4, offset=2**53 - 1),
        ValueError,
        "offset + seq_len - 1 的绝对值不能超过 2**53（再大就分不清相邻整数），"
        "收到 9007199254740993（int）；请减去公共起点。",
    ),
    (
        lambda: encode_positions([[0, 1], [math.nan, 2]], 4),
        ValueError,
        "positions 必须全部有限，下标 (1, 0) 处是 nan；请先去掉或填补它。",
    ),
    (
        lambda: encode_positions(-math.inf, 4),
        ValueError,
        "positions 必须全部有限，收到 -inf；请先去掉或填补它。",
    ),
    (
        lambda: encode_positions([2**53 + 1], 4),  # 先转成 float64 再检查，就会漏掉
        ValueError,
        "positions 的绝对值不能超过 2**53（再大就分不清相邻整数），收到 9007199254740993（int）；请减去公共起点。",
    ),
    (
        lambda: encode_positions([-(2**63)], 4),  # int64 的最小值取绝对值仍是负数
        ValueError,
        "positions 的绝对值不能超过 2**53（再大就分不清相邻整数），收到 -9223372036854775808（int）；请减去公共起点。",
    ),
    (
        lambda: encode_positions([0, 1, 2**53 + 1], 4),
        ValueError,
        "positions 的绝对值不能超过 2**53（再大就分不清相邻整数），收到 9007199254740993（int）；请减去公共起点。",
    ),
    (
        lambda: encode_positions([-(2**53) - 1, 0, 1], 4),
        ValueError,
        "positions 的绝对值不能超过 2**53（再大就分不清相邻整数），收到 -9007199254740993（int）；请减去公共起点。",
    ),
    (
        lambda: encode_positions([0, 10**20], 4),  # 超出 64 位，NumPy 只能存成 object
        ValueError,
        "positions 的绝对值不能超过 2**53（再大就分不清相邻整数），收到 100000000000000000000（int）；请减去公共起点。",
    ),
    (
        lambda: encode_positions([1.0, math.nan, math.nan], 4),
        ValueError,
        "positions 必须全部有限，下标 (1,) 处是 nan；请先去掉或填补它。",
    ),
    (
        lambda: encode_positions([1j], 4),
        TypeError,
        "positions 必须是整数或浮点数，收到 dtype 为 complex128 的 [1j]（list）；请先转换成数。",
    ),
    (
        lambda: encode_positions(Hostile(), 4),
        TypeError,
        "positions 必须能变成 NumPy 数组，收到 无法显示的值（Hostile）；请先用 np.asarray 转换。",
    ),
    (
        lambda: encode_positions(np.ma.array([1, 5], mask=[0, 1]), 4),
        TypeError,
        "positions 不能是带掩码的数组，被遮住的值会悄悄露出来，"
        "收到 masked_array(data=[1, --], mask=[False,…（MaskedArray）；"
        "请先用 filled 填好。",
    ),
    (
        lambda: angular_frequencies(Hostile()),
        TypeError,
        "d_model 必须是整数，收到 无法显示的值（Hostile）；请换成整数，例如 8。",
    ),
    (
        lambda: angular_frequencies(np.zeros((3, 3))),  # 多行的值也只占一行
        TypeError,
        "d_model 必须是整数，收到 array([[0., 0., 0.], [0., 0., 0.], [0.,…（ndarray）；请换成整数，例如 8。",
    ),
    (
        lambda: angular_frequencies(-(10**5000)),
        ValueError,
        f"d_model 不能超过 {sys.maxsize}，收到 无法显示的值（int）；请换成小一些的整数，例如 8。",
    ),
    (
        lambda: angular_frequencies(8, base=-math.inf),
        ValueError,
        "base 必须是有限的数，收到 -inf（float）；请换成一个有限的数，例如 10000。",
    ),
    (
        lambda: angular_frequencies(8, base=10**400),  # 有限，只是 float 放不下
        ValueError,
        "base 不能超过 1e300（再大，最低的频率接近 float64 能存下的最小的数），"
        "收到 100000000000000000000000000000000000000…（int）；论文取 10000。",
    ),
    (
        lambda: sinusoidal_positional_encoding(1, 4, offset=np.int64(2**53 + 1)),
        ValueError,
        "offset 的绝对值不能超过 2**53（再大就分不清相邻整数），收到 9007199254740993（int）；请减去公共起点。",
    ),
    (
        lambda: sinusoidal_positional_encoding(1, 4, offset=-math.inf),
        ValueError,
        "offset 必须是有限的数，收到 -inf（float）；请换成一个有限的数，例如 0。",
    ),
    (
        lambda: sinusoidal_positional_encoding(1, 4, offset=np.timedelta64(8, "s")),
        TypeError,
        f"offset 必须是实数，收到 {np.timedelta64(8, 's')!r}（timedelta64）；请换成一个数，例如 0。",
    ),
    (
        lambda: add_positional_encoding(np.zeros((2, 4), ">f4" if sys.byteorder == "little" else "<f4")),
        TypeError,
        f"x 的 dtype 必须是 float16、float32 或 float64，收到 {'>' if sys.byteorder == 'little' else '<'}f4；"
        "请先写 x.astype(np.float32)。",
    ),
    (
        lambda: encode_positions([True, False], 4),
        TypeError,
        "positions 必须是整数或浮点数，收到 dtype 为 bool 的 [True, False]（list）；请先转换成数。",
    ),
    (
        lambda: encode_positions(["一"], 4),
        TypeError,
        "positions 必须是整数或浮点数，收到 dtype 为 <U1 的 ['一']（list）；请先转换成数。",
    ),
    (
        lambda: encode_positions([1, [2]], 4),
        TypeError,
        "positions 必须能变成 NumPy 数组，收到 [1, [2]]（list）；请先用 np.asarray 转换。",
    ),
    *(
        (
            lambda dtype=dtype: sinusoidal_positional_encoding(2, 4, dtype=dtype),
            TypeError,
            f"dtype 必须是 float16、float32 或 float64，收到 {shown}；编码是 [-1, 1] 内的小数，请用 np.float32。",
        )
        for dtype, shown in [
            (int, "<class 'int'>（type）"),
            ("bfloat16", "'bfloat16'（str）"),
            (None, "None（NoneType）"),
            (
                ">f4" if sys.byteorder == "little" else "<f4",
                "'>f4'（str）" if sys.byteorder == "little" else "'<f4'（str）",
            ),
        ]
    ),
    (
        lambda: sinusoidal_positional_encoding(2, 4, out=np.empty((2, 3), np.float32)),
        ValueError,
        "out 的形状必须是 (2, 4)，收到 (2, 3)；请用 np.empty((2, 4), np.float32) 新建。",
    ),
    (
        lambda: sinusoidal_positional_encoding(2, 4, out=np.empty((2, 4))),
        ValueError,
        "out 的 dtype 必须与参数 dtype 相同，应为 float32，收到 float64；请写 dtype=out.dtype。",
    ),
    (
        lambda: sinusoidal_positional_encoding(2, 4, out=np.empty((4, 2), np.float32).T),
        ValueError,
        "out 必须按行连续（C-contiguous），收到步长 (4, 8)；请用 np.empty 新建，再复制过去。",
    ),
    (
        lambda: encode_positions([0, 1], 4, out=np.frombuffer(bytes(32), np.float32).reshape(2, 4)),
        ValueError,
        "out 必须可写，收到只读数组；请换一个可写的数组，memmap 请用 mode='r+' 打开。",
    ),
    (
        lambda: sinusoidal_positional_encoding(1, 2, out=[[0, 0]]),
        TypeError,
        "out 必须是 NumPy 数组，收到 [[0, 0]]（list）；请用 np.empty((1, 2), np.float32) 新建。",
    ),
    (
        lambda: sinusoidal_positional_encoding(1, 2, out=np.ma.zeros((1, 2), np.float32)),
        TypeError,
        "out 不能是带掩码的数组，被遮住的数写了也看不见，收到 masked_array(data=[[0., 0.]], mask=Fals…（MaskedArray）；"
        "请改传 out.data。",
    ),
    (
        lambda: add_positional_encoding(np.zeros((2, 4), int)),
        TypeError,
        "x 的 dtype 必须是 float16、float32 或 float64，收到 int64；请先写 x.astype(np.float32)。",
    ),
    (
        lambda: add_positional_encoding(np.zeros(4)),
        ValueError,
        "x 的形状必须是 (..., seq_len, d_model)，至少两维，收到 (4,)；只有一个位置时请写 x[None, :]。",
    ),
    (
        lambda: add_positional_encoding(np.zeros((2, 3))),
        ValueError,
        "d_model 必须是正偶数，收到 3；最近的可用值是 2 和 4。",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), BAD_CALLS)
def test_bad_input_is_refused_in_one_line(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == text


def test_refused_out_is_left_unchanged():
    out = np.full((2, 4), 7, np.float32)
    with pytest.raises(ValueError, match="offset"):
        sinusoidal_positional_encoding(2, 4, offset=math.inf, out=out)
    with pytest.raises(ValueError, match="positions"):
        encode_positions([0, math.nan], 4, out=out)
    np.testing.assert_array_equal(out, 7)


def test_legal_extremes_are_accepted():
    assert sinusoidal_positional_encoding(0, 4, offset=-(2**53)).shape == (0, 4)
    assert sinusoidal_positional_encoding(1, 4, offset=2**53).shape == (1, 4)
    np.testing.assert_array_equal(angular_frequencies(4, base=1 + 2**-40) <= 1, True)
    expected = sinusoidal_positional_encoding(2, 4, offset=3, base=100.0)
    got = sinusoidal_positional_encoding(np.int8(2), np.uint16(4), offset=np.float32(3), base=np.int64(100))
    np.testing.assert_array_equal(got, expected)


def test_results_do_not_depend_on_the_floating_point_error_settings():
    calls = [
        lambda: sinusoidal_positional_encoding(5000, 64, dtype=np.float16),
        lambda: sinusoidal_positional_encoding(5000, 8, base=1e300, dtype=np.float64),
        lambda: encode_positions([5e-324, 1.0], 8),
        lambda: encode_positions(np.longdouble("1e-320") / 3, 8),  # 扩展精度，换成 float64 就下溢
        lambda: add_positional_encoding(np.zeros((50, 512), np.float16)),
    ]
    for call in calls:
        with np.errstate(all="raise"):
            strict = call()
        np.testing.assert_array_equal(strict, call())


# --- 包 ---------------------------------------------------------------------------------------------

SEED_EXAMPLE = """\
(5, 8)
[[ 0.      1.      0.      1.      0.      1.      0.      1.    ]
 [ 0.8415  0.5403  0.0998  0.995   0.01    0.9999  0.001   1.    ]
 [ 0.9093 -0.4161  0.1987  0.9801  0.02    0.9998  0.002   1.    ]
 [ 0.1411 -0.99    0.2955  0.9553  0.03    0.9996  0.003   1.    ]
 [-0.7568 -0.6536  0.3894  0.9211  0.04    0.9992  0.004   1.    ]]
"""


@pytest.mark.parametrize("arguments", [["-m", "sinpe"], [str(ROOT / "sinpe" / "encoding.py")]])
def test_running_it_prints_the_seed_example(arguments, tmp_path):
    run = subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == (SEED_EXAMPLE, "")


def test_encoding_file_works_alone(tmp_path):
    (tmp_path / "encoding.py").write_bytes((ROOT / "sinpe" / "encoding.py").read_bytes())
    code = "import sys, encoding; print(encoding.encode_positions(0, 2)); assert 'sinpe' not in sys.modules"
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout == "[0. 1.]\n"


def test_import_gives_exactly_the_public_names():
    modules = {name for name, value in vars(sinpe).items() if inspect.ismodule(value)}
    names = {name for name in vars(sinpe) if not name.startswith("_")} - modules
    assert names == set(sinpe.__all__)


def test_import_loads_nothing_heavier_than_numpy():
    code = "import numpy, sys; before = set(sys.modules); import sinpe; print(*sorted(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in run.stdout.split()}
    assert loaded <= {"sinpe", "numpy", "__future__", "dataclasses", "copy"}, loaded  # 后两个在标准库里


@pytest.mark.parametrize("name", [name for name in sinpe.__all__ if callable(getattr(sinpe, name))])
def test_every_public_function_is_typed_and_documented(name):
    function = getattr(sinpe, name)
    returns = [] if inspect.isclass(function) else ["return"]
    assert set(function.__annotations__) == {*inspect.signature(function).parameters, *returns}
    doc = inspect.getdoc(function)
    for section in ("Parameters", *(["Returns"] if returns else []), "Raises", "Notes", "Examples"):
        assert f"\n{section}\n----" in doc, section
    for parameter in inspect.signature(function).parameters:
        assert f"\n{parameter} : " in doc, parameter
