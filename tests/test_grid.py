"""网格编码的单元测试。期望值由纯循环逐格计算，只用 math，不用 NumPy，也不用被测的代码。"""

import math
import tracemalloc

import numpy as np
import pytest

from sinpe import grid_encoding

EPS = 2.0**-52
SHAPES = [(2, 3), (3, 2), (1, 4), (5, 1), (4, 7)]  # 高与宽总不相等：正方形照不出行列颠倒


def waves(pos, d_axis, endpoint=False, base=10000.0):
    """一个轴上的 ``(正弦列表, 余弦列表)``。"""
    count = d_axis // 2
    angles = []
    for i in range(count):
        steps = max(count - 1, 1) if endpoint else count
        angles.append(pos / math.pow(base, i / steps))
    return [math.sin(a) for a in angles], [math.cos(a) for a in angles]


def mae(height, width, d):
    rows = []
    for y in range(height):
        for x in range(width):
            (sy, cy), (sx, cx) = waves(y, d // 2), waves(x, d // 2)
            rows.append(sx + cx + sy + cy)
    return rows


def hf_vit_mae(height, width, d):
    rows = []
    for y in range(height):
        for x in range(width):
            (sy, cy), (sx, cx) = waves(y, d // 2), waves(x, d // 2)
            rows.append(sy + cy + sx + cx)
    return rows


def moco_v3(height, width, d):
    rows = []
    for x in range(width):
        for y in range(height):
            (sy, cy), (sx, cx) = waves(y, d // 2), waves(x, d // 2)
            rows.append(sx + cx + sy + cy)
    return rows


def big_vision(height, width, d):
    rows = []
    for y in range(height):
        for x in range(width):
            (sy, cy), (sx, cx) = waves(y, d // 2, endpoint=True), waves(x, d // 2, endpoint=True)
            rows.append(sx + cx + sy + cy)
    return rows


def timm(height, width, d, base=10000.0):
    rows = []
    for y in range(height):
        for x in range(width):
            (sy, cy), (sx, cx) = waves(y, d // 2, base=base), waves(x, d // 2, base=base)
            rows.append(sy + sx + cy + cx)
    return rows


def timm_base_100(height, width, d):
    return timm(height, width, d, base=100.0)


def timm_reversed(height, width, d):
    # 系统把 (height, width) 倒过来再排网格：x 走得慢，也在前
    rows = []
    for x in range(width):
        for y in range(height):
            (sy, cy), (sx, cx) = waves(y, d // 2), waves(x, d // 2)
            rows.append(sx + sy + cx + cy)
    return rows


def detr(height, width, d):
    rows = []
    for y in range(1, height + 1):
        for x in range(1, width + 1):
            row = []
            for pos in (y, x):
                for s, c in zip(*waves(pos, d // 2), strict=True):
                    row += [s, c]
            rows.append(row)
    return rows


def loftr(height, width, d):
    rows = []
    for y in range(1, height + 1):
        for x in range(1, width + 1):
            (sy, cy), (sx, cx) = waves(y, d // 2), waves(x, d // 2)
            row = []
            for i in range(d // 4):
                row += [sx[i], cx[i], sy[i], cy[i]]
            rows.append(row)
    return rows


SYSTEMS = {
    mae: {"axes": ("x", "y")},
    hf_vit_mae: {},
    moco_v3: {"axes": ("x", "y"), "order": "F"},
    big_vision: {"axes": ("x", "y"), "endpoint": True},
    timm: {"layout": "timm"},
    timm_base_100: {"layout": "timm", "base": 100},
    timm_reversed: {"layout": "timm", "axes": ("x", "y"), "order": "F"},
    detr: {"layout": "interleaved", "start": 1},
    loftr: {"layout": "loftr", "axes": ("x", "y"), "start": 1},
}


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.__name__)
@pytest.mark.parametrize(("height", "width"), SHAPES)
@pytest.mark.parametrize("d_model", [4, 8, 24, 64])
def test_each_system_is_reproduced_cell_by_cell(system, height, width, d_model):
    got = grid_encoding(height, width, d_model, dtype=np.float64, **SYSTEMS[system])
    assert got.flags.c_contiguous
    # 频率与角度各舍入几次，位置不超过 7
    expected = system(height, width, d_model)
    assert got.shape == np.shape(expected)
    np.testing.assert_allclose(got, expected, rtol=0, atol=4 * EPS * 8)


def test_the_systems_are_told_apart_by_a_grid_that_is_not_square():
    tables = [grid_encoding(2, 3, 16, **options) for options in SYSTEMS.values()]
    for k, one in enumerate(tables):
        for other in tables[:k]:
            assert np.abs(one - other).max() > 0.05


# ---------------------------------------------------------------- 三个轴


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    ("axes", "widths"), [(None, None), (("x", "z", "y"), None), (None, (6, 4, 8)), (("y", "x", "z"), (2, 12, 4))]
)
@pytest.mark.parametrize(("depth", "height", "width"), [(2, 3, 4), (5, 1, 2), (1, 2, 3)])
@pytest.mark.parametrize("layout", ["sin_cos", "interleaved"])
def test_three_axes_cell_by_cell(depth, height, width, axes, widths, order, layout):
    got = grid_encoding(
        height, width, 18, depth=depth, axes=axes, widths=widths, order=order, layout=layout, start=1, dtype=np.float64
    )
    cells = [(z, y, x) for z in range(depth) for y in range(height) for x in range(width)]
    if order == "F":
        cells.sort(key=lambda cell: cell[::-1])
    expected = []
    for cell in cells:
        row = []
        for axis, share in zip(axes or ("z", "y", "x"), widths or (6, 6, 6), strict=True):
            s, c = waves(1 + cell["zyx".index(axis)], share)
            row += s + c if layout == "sin_cos" else [v for pair in zip(s, c, strict=True) for v in pair]
        expected.append(row)
    np.testing.assert_allclose(got, expected, rtol=0, atol=4 * EPS * 8)


@pytest.mark.parametrize("layout", ["timm", "loftr"])
def test_three_axes_in_the_layouts_that_mix_the_axes(layout):
    got = grid_encoding(2, 3, 12, depth=2, layout=layout, dtype=np.float64)
    expected = []
    for z in range(2):
        for y in range(2):
            for x in range(3):
                s, c = zip(*(waves(pos, 4) for pos in (z, y, x)), strict=True)
                if layout == "timm":
                    expected.append([v for part in (s, c) for axis in part for v in axis])
                else:
                    expected.append([v for i in range(2) for k in range(3) for v in (s[k][i], c[k][i])])
    np.testing.assert_allclose(got, expected, rtol=0, atol=4 * EPS * 8)


# golden/grid3d.npz 里是真实系统自己的代码算出的表。V-JEPA：facebookresearch/jepa 的 src/models/utils/pos_embs.py，
# get_3d_sincos_pos_embed，float64；diffusers 0.42.1 的同名函数，网格是 float32（整数，没有舍入），频率表是 float64
VIDEO = {
    "v_jepa/d16_g3_t2": ((3, 3, 16), {"depth": 2, "widths": (8, 4, 4)}, 4 * EPS * 8),
    "v_jepa/d64_g2_t5": ((2, 2, 64), {"depth": 5, "widths": (32, 16, 16)}, 4 * EPS * 8),
    "v_jepa/d24_g3_t2_uniform": ((3, 3, 24), {"depth": 2}, 4 * EPS * 8),
    "v_jepa/d12_g2_t3_uniform": ((2, 2, 12), {"depth": 3}, 4 * EPS * 8),
    "diffusers/t3_w4_h2_d16": ((2, 4, 16), {"depth": 3, "axes": ("z", "x", "y"), "widths": (4, 6, 6)}, 4 * EPS * 8),
}


@pytest.mark.parametrize("name", VIDEO)
def test_real_video_systems_are_reproduced(name, pytestconfig):
    with np.load(pytestconfig.rootpath / "tests" / "golden" / "grid3d.npz", allow_pickle=False) as golden:
        assert set(golden.files) == VIDEO.keys()
        expected = golden[name]
    shape, options, atol = VIDEO[name]
    got = grid_encoding(*shape, dtype=np.float64, **options)
    np.testing.assert_allclose(got, expected.reshape(got.shape), rtol=0, atol=atol)


@pytest.mark.parametrize(("depth", "shape"), [(None, (6, 12)), (2, (12, 12))])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_out_is_filled_and_returned(depth, shape, dtype, tmp_path):
    for out in (np.full(shape, np.nan, dtype), np.memmap(tmp_path / "x", dtype, "w+", shape=shape)):
        assert grid_encoding(2, 3, 12, depth=depth, dtype=dtype, out=out) is out
        np.testing.assert_array_equal(out, grid_encoding(2, 3, 12, depth=depth, dtype=dtype))


def test_one_layer_without_share_is_the_flat_grid():
    # 只有一层，把分给 z 的列去掉，就是二维的网格
    flat = grid_encoding(3, 4, 8, dtype=np.float64)
    deep = grid_encoding(3, 4, 10, depth=1, widths=(2, 4, 4), dtype=np.float64)
    np.testing.assert_array_equal(deep[:, 2:], flat)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.__name__)
def test_narrow_output_is_rounded_once(dtype, system):
    wide = grid_encoding(40, 70, 12, dtype=np.float64, **SYSTEMS[system])
    narrow = grid_encoding(40, 70, 12, dtype=dtype, **SYSTEMS[system])
    assert narrow.dtype == dtype
    np.testing.assert_array_equal(narrow, wide.astype(dtype))


def test_float32_is_the_default():
    assert grid_encoding(2, 3, 8).dtype == np.float32


@pytest.mark.parametrize("start", [-2, 0.5, -0.25, 2**40, np.float32(1.5), np.int8(3)])
def test_start_is_the_position_of_the_first_row_and_column(start):
    got = grid_encoding(2, 3, 8, start=start, dtype=np.float64)
    expected = []
    for y in range(2):
        for x in range(3):
            (sy, cy), (sx, cx) = waves(float(start) + y, 4), waves(float(start) + x, 4)
            expected.append(sy + cy + sx + cx)
    np.testing.assert_allclose(got, expected, rtol=0, atol=4 * EPS * (abs(float(start)) + 4))


def test_start_does_not_wrap_around_in_a_narrow_integer():
    np.testing.assert_array_equal(grid_encoding(2, 3, 8, start=np.int8(127)), grid_encoding(2, 3, 8, start=127))


def test_one_frequency_per_axis_is_one_radian_on_either_ladder():
    np.testing.assert_array_equal(grid_encoding(3, 2, 4, endpoint=True), grid_encoding(3, 2, 4))


@pytest.mark.parametrize("layout", ["sin_cos", "interleaved", "timm", "loftr"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_layouts_are_permutations_of_the_columns_and_orders_of_the_rows(layout, order):
    plain = grid_encoding(3, 4, 16)
    other = grid_encoding(3, 4, 16, layout=layout, order=order)
    if order == "F":
        other = other.reshape(4, 3, 16).swapaxes(0, 1).reshape(12, 16)
    np.testing.assert_array_equal(np.sort(other, axis=1), np.sort(plain, axis=1))


@pytest.mark.parametrize(("height", "width"), [(0, 3), (3, 0), (0, 0), (0, 10**15)])
def test_empty_grids_keep_their_width(height, width):
    assert grid_encoding(height, width, 8).shape == (0, 8)


def test_class_token_row_is_one_line_of_the_caller():
    grid = grid_encoding(2, 3, 8, axes=("x", "y"), dtype=np.float64)
    with_class = np.vstack([np.zeros((1, 8)), grid])
    np.testing.assert_allclose(with_class, [[0.0] * 8, *mae(2, 3, 8)], rtol=0, atol=4 * EPS * 8)


def test_channels_first_is_one_line_of_the_caller():
    image = grid_encoding(2, 3, 8, layout="loftr", axes=("x", "y"), start=1, dtype=np.float64).T.reshape(8, 2, 3)
    rows = loftr(2, 3, 8)
    for channel in range(8):
        for y in range(2):
            for x in range(3):
                assert abs(image[channel, y, x] - rows[y * 3 + x][channel]) < 4 * EPS * 8


def test_results_do_not_share_memory():
    first = grid_encoding(2, 3, 8)
    before = first.copy()
    first[:] = 7
    np.testing.assert_array_equal(grid_encoding(2, 3, 8), before)


@pytest.mark.parametrize("layout", ["sin_cos", "interleaved", "timm", "loftr"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_extra_memory_grows_with_one_row_and_one_column_only(layout, order):
    tracemalloc.start()
    try:
        result = grid_encoding(100, 120, 768, layout=layout, order=order)
        extra = tracemalloc.get_traced_memory()[1] - result.nbytes
    finally:
        tracemalloc.stop()
    # 结果 37 MB；一行和一列的编码，连同 float64 的角度，不到 1 MB
    assert extra < 2e6, f"另用了 {extra / 1e6:.1f} MB"


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: grid_encoding(-1, 2, 8), ValueError, "height 不能是负数，收到 -1；要空表请写 0。"),
        (lambda: grid_encoding(2, -3, 8), ValueError, "width 不能是负数，收到 -3；要空表请写 0。"),
        (
            lambda: grid_encoding(2.0, 2, 8),
            TypeError,
            "height 必须是整数，收到 2.0（float）；请换成整数，例如 14。",
        ),
        (
            lambda: grid_encoding(2, True, 8),
            TypeError,
            "width 必须是整数，收到 True（bool）；请换成整数，例如 14。",
        ),
        (
            lambda: grid_encoding(2, 3, 10),
            ValueError,
            "d_model 必须是 4 的正倍数（两个轴，各有正弦和余弦），收到 10；最近的可用值是 8 和 12。",
        ),
        (
            lambda: grid_encoding(2, 3, 0),
            ValueError,
            "d_model 必须是 4 的正倍数（两个轴，各有正弦和余弦），收到 0；最小的可用值是 4。",
        ),
        (
            lambda: grid_encoding(2, 3, 8, layout="interleave"),
            ValueError,
            "layout 必须是 'sin_cos'、'interleaved'、'timm'、'loftr' 之一，收到 'interleave'（str）；"
            "最接近的是 'interleaved'。",
        ),
        (
            lambda: grid_encoding(2, 3, 8, order="row"),
            ValueError,
            "order 必须是 'C'、'F' 之一，收到 'row'（str）；最接近的是 'C'、'F'。",
        ),
        (
            lambda: grid_encoding(2, 3, 8, order=None),
            TypeError,
            "order 必须是字符串，收到 None（NoneType）；可用的值是 'C'、'F'。",
        ),
        (
            lambda: grid_encoding(2, 3, 8, axes="yx"),
            TypeError,
            "axes 必须是轴名的元组，收到 'yx'（str）；请写 ('y', 'x')，或换一个次序。",
        ),
        (
            lambda: grid_encoding(2, 3, 8, axes=("y", "y")),
            ValueError,
            "axes 必须把 'y'、'x' 各写一次，收到 ('y', 'y')（tuple）；默认是 ('y', 'x')，三个轴要给 depth。",
        ),
        (
            lambda: grid_encoding(2, 3, 8, endpoint=1),
            TypeError,
            "endpoint 必须是布尔值，收到 1（int）；论文请写 False，tensor2tensor 写 True。",
        ),
        (
            lambda: grid_encoding(2, 3, 8, base=1),
            ValueError,
            "base 必须大于 1（等于 1 时各对频率全相同，小于 1 时越往右越快），收到 1（int）；论文取 10000。",
        ),
        (
            lambda: grid_encoding(2, 3, 8, start=math.nan),
            ValueError,
            "start 必须是有限的数，收到 nan（float）；请换成一个有限的数，例如 0。",
        ),
        (
            lambda: grid_encoding(2, 3, 8, start=2**53 - 1),
            ValueError,
            "start + max(height, width) - 1 的绝对值不能超过 2**53（再大就分不清相邻整数），"
            "收到 9007199254740993（int）；请减去公共起点。",
        ),
        (
            lambda: grid_encoding(2, 3, 8, dtype=int),
            TypeError,
            "dtype 必须是 float16、float32 或 float64，收到 <class 'int'>（type）；"
            "编码是 [-1, 1] 内的小数，请用 np.float32。",
        ),
        (
            lambda: grid_encoding(10**9, 10**9, 8),
            ValueError,
            "内存必须放得下结果，收到形状 (1000000000000000000, 8)、dtype float32；"
            "请减小形状，大表可用 out=np.memmap(...)。",
        ),
        (
            lambda: grid_encoding(2, 3, 8, depth=2),
            ValueError,
            "d_model 必须是 6 的正倍数（三个轴，各有正弦和余弦），收到 8；最近的可用值是 6 和 12。",
        ),
        (
            lambda: grid_encoding(2, 3, 12, depth=-2),
            ValueError,
            "depth 不能是负数，收到 -2；要空表请写 0。",
        ),
        (
            lambda: grid_encoding(2, 3, 12, depth=2, axes=("y", "x")),
            ValueError,
            "axes 必须把 'z'、'y'、'x' 各写一次，收到 ('y', 'x')（tuple）；"
            "默认是 ('z', 'y', 'x')，只要两个轴就不写 depth。",
        ),
        (
            lambda: grid_encoding(2, 3, 16, depth=2, widths=(8, 4, 2)),
            ValueError,
            "widths 必须是 3 个正偶数，加起来是 d_model，收到 (8, 4, 2)（tuple）、d_model=16（int）；"
            "不写 widths 就各轴均分。",
        ),
        (
            lambda: grid_encoding(2, 3, 8, widths=8),
            TypeError,
            "widths 必须是整数的元组，收到 8（int）；axes 里的每个轴写一个正偶数，或不写，各轴均分。",
        ),
        (
            lambda: grid_encoding(2, 3, 16, depth=2, widths=(8, 4, 4), layout="timm"),
            ValueError,
            "layout='timm' 时各轴的列数必须相同，收到 widths=(8, 4, 4)；请改用 'sin_cos'，或不写 widths。",
        ),
        (
            lambda: grid_encoding(2, 3, 12, depth=2, start=2**53),
            ValueError,
            "start + max(depth, height, width) - 1 的绝对值不能超过 2**53（再大就分不清相邻整数），"
            "收到 9007199254740994（int）；请减去公共起点。",
        ),
        (
            lambda: grid_encoding(2, 3, 8, out=np.empty((6, 4), np.float32)),
            ValueError,
            "out 的形状必须是 (6, 8)，收到 (6, 4)；请用 np.empty((6, 8), np.float32) 新建。",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == text
