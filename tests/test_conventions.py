"""约定、编码、换算和位置编号的单元测试。期望值由只用 math 的纯循环得来；``identify`` 另有测试。"""

import dataclasses
import math
import re
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sinpe import (
    CONVENTIONS,
    Convention,
    conventions,
    convert,
    encode,
    encode_positions,
    grid_encoding,
    identify,
    positions_from_mask,
    sinusoidal_positional_encoding,
)

EPS = 2.0**-52
LAYOUTS = ["interleaved", "sin_cos", "cos_sin"]
NAMES = list(CONVENTIONS)
REQUIRED = """paper tensor2tensor fairseq hf_marian marian_nmt hf_xlm whisper musicgen ddpm guided_diffusion flax_wmt
opennmt_tf keras_hub d2l pytorch_tutorial annotated_transformer x_transformers transformer_xl""".split()
# 每次跑同样的例子：同一份代码，结果不该时红时绿
steady = settings(max_examples=100, deadline=None, derandomize=True, database=None)


def specification(positions, d_model, convention):
    """逐个元素用 math 计算，照着约定的说明写，不用 NumPy，也不用被测的代码。"""
    amplitude = {"1/sqrt(d)": 1 / math.sqrt(d_model), "sqrt(2/d)": math.sqrt(2 / d_model)}.get(
        convention.amplitude, convention.amplitude
    )
    width = d_model - 1 if d_model % 2 and convention.odd == "zero_column" else d_model
    cosine_count = width // 2
    sine_count = width - cosine_count  # 多一列正弦时，比余弦多一个
    rows = []
    for pos in positions:
        sines, cosines = [], []
        for i in range(sine_count):
            if convention.endpoint:
                exponent = i / (sine_count - 1) if sine_count > 1 else 0.0
            else:
                exponent = 2 * i / width
            angle = convention.scale * pos / math.pow(convention.base, exponent)
            sines.append(amplitude * math.sin(angle))
            if i < cosine_count:
                cosines.append(amplitude * math.cos(angle))
        if convention.layout == "interleaved":
            row = []
            for i in range(sine_count):
                row.append(sines[i])
                row += cosines[i : i + 1]
        else:
            row = sines + cosines if convention.layout == "sin_cos" else cosines + sines
        rows.append(row + [0.0] * (d_model - width))
    return rows


def room(positions, convention, d_model):
    """频率、角度、幅度各舍入几次；角度的误差随角度增长。"""
    farthest = max([1.0, *(abs(convention.scale * float(pos)) for pos in positions)])
    amplitude = {"1/sqrt(d)": 1.0, "sqrt(2/d)": 1.0}.get(convention.amplitude, convention.amplitude)
    return 4 * EPS * farthest * abs(amplitude)


# ---- Convention ----------------------------------------------------------------


def test_a_convention_has_exactly_the_documented_fields_and_defaults():
    fields = {field.name: field.default for field in dataclasses.fields(Convention)}
    missing = dataclasses.MISSING
    assert list(fields.items()) == [
        ("name", missing),
        ("layout", missing),
        ("endpoint", missing),
        ("base", 10000.0),
        ("start", 0),
        ("scale", 1.0),
        ("amplitude", 1.0),
        ("odd", "error"),
        ("source", ""),
    ]


def test_a_convention_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        CONVENTIONS["paper"].base = 500.0
    with pytest.raises(TypeError):
        CONVENTIONS["paper"] = CONVENTIONS["whisper"]


def test_equal_conventions_compare_equal_whatever_numbers_they_were_written_with():
    one = Convention("mine", "sin_cos", True, 1000, 2, 3, 1, source="x")
    other = Convention(
        "mine", "sin_cos", np.True_, np.float32(1000), np.int64(2), np.float64(3), np.int32(1), source="x"
    )
    assert one == other
    assert hash(one) == hash(other)
    assert repr(one) == repr(other)


def test_replace_checks_the_new_fields_too():
    with pytest.raises(ValueError, match="base 必须大于 1"):
        dataclasses.replace(CONVENTIONS["paper"], base=1)


def make(**fields):
    return Convention(**{"name": "x", "layout": "sin_cos", "endpoint": False} | fields)


@pytest.mark.parametrize(
    ("fields", "kind", "text"),
    [
        ({"name": 3}, TypeError, "name 必须是字符串，收到 3（int）；请写成 name='…'。"),
        ({"name": "一行\n"}, ValueError, "name 必须是一行文字，收到 '一行\\n'（str）；请去掉换行。"),
        ({"source": None}, TypeError, "source 必须是字符串，收到 None（NoneType）；请写成 source='…'。"),
        (
            {"layout": "interleave"},
            ValueError,
            "layout 必须是 'interleaved'、'sin_cos'、'cos_sin' 之一，收到 'interleave'（str）；"
            "最接近的是 'interleaved'。",
        ),
        (
            {"layout": 0},
            TypeError,
            "layout 必须是字符串，收到 0（int）；可用的值是 'interleaved'、'sin_cos'、'cos_sin'。",
        ),
        (
            {"odd": "zero"},
            ValueError,
            "odd 必须是 'error'、'extra_sine'、'zero_column'、'not_reproduced' 之一，收到 'zero'（str）；"
            "最接近的是 'error'、'zero_column'。",
        ),
        (
            {"endpoint": 1},
            TypeError,
            "endpoint 必须是布尔值，收到 1（int）；论文请写 False，tensor2tensor 写 True。",
        ),
        (
            {"endpoint": True, "odd": "extra_sine"},
            ValueError,
            "odd='extra_sine' 必须配 endpoint=False（指数是 2i/d），收到 endpoint=True；请改用 'zero_column'。",
        ),
        (
            {"base": 1.0},
            ValueError,
            "base 必须大于 1（等于 1 时各对频率全相同，小于 1 时越往右越快），收到 1.0（float）；论文取 10000。",
        ),
        ({"base": "10000"}, TypeError, "base 必须是实数，收到 '10000'（str）；请换成一个数，例如 10000。"),
        ({"start": 0.5}, TypeError, "start 必须是整数，收到 0.5（float）；请换成整数，例如 0。"),
        (
            {"start": -(2**53) - 1},
            ValueError,
            "start 的绝对值不能超过 2**53（再大就分不清相邻整数），收到 -9007199254740993（int）；请减去公共起点。",
        ),
        ({"scale": 0}, ValueError, "scale 不能是 0（所有位置的编码都会相同），收到 0；不缩放请写 1.0。"),
        (
            {"scale": math.inf},
            ValueError,
            "scale 必须是有限的数，收到 inf（float）；请换成一个有限的数，例如 1.0。",
        ),
        ({"scale": True}, TypeError, "scale 必须是实数，收到 True（bool）；请换成一个数，例如 1.0。"),
        (
            {"amplitude": "sqrt(d)"},
            ValueError,
            "amplitude 必须是数或 '1/sqrt(d)'、'sqrt(2/d)'，收到 'sqrt(d)'（str）；不缩放写 1.0。",
        ),
        (
            {"amplitude": math.nan},
            ValueError,
            "amplitude 必须是有限的数，收到 nan（float）；请换成一个有限的数，例如 1.0。",
        ),
        ({"amplitude": None}, TypeError, "amplitude 必须是实数，收到 None（NoneType）；请换成一个数，例如 1.0。"),
    ],
)
def test_a_wrong_field_is_refused_in_one_line(fields, kind, text):
    with pytest.raises(kind) as caught:
        make(**fields)
    assert str(caught.value) == text


@pytest.mark.parametrize("field", ["base", "scale", "amplitude"])
def test_integers_too_long_for_a_float_are_refused(field):
    with pytest.raises(ValueError, match=field):
        make(**{field: 10**400})


# ---- CONVENTIONS ----------------------------------------------------------------


def test_the_required_names_are_there_each_under_its_own_name_with_a_source():
    assert set(REQUIRED) <= set(CONVENTIONS)
    for name, convention in CONVENTIONS.items():
        assert convention.name == name
        assert convention.source


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("paper", "paper：[s0 c0 s1 c1 …]，角度 = pos · 10000^(-2i/d)；出自 Vaswani 等 (2017) 3.5 节"),
        (
            "opennmt_tf",
            "opennmt_tf：[s0 s1 … | c0 c1 …]，角度 = pos · 10000^(-i/(d/2-1))；第一个位置是 1；"
            "出自 OpenNMT/OpenNMT-tf: opennmt/layers/position.py",
        ),
        (
            "mlx",
            "mlx：[s0 s1 … | c0 c1 …]，角度 = pos · 10000^(-i/(d/2-1))，再乘以 sqrt(2/d)；"
            "d 是奇数时另有做法，这里不重现；"
            "出自 ml-explore/mlx: python/mlx/nn/layers/positional_encoding.py，奇数维返回 d-1 列",
        ),
        (
            "ddpm",
            "ddpm：[s0 s1 … | c0 c1 …]，角度 = pos · 10000^(-i/(d/2-1))；d 是奇数时末尾补一列 0；"
            "出自 hojonathanho/diffusion: diffusion_tf/nn.py",
        ),
    ],
)
def test_printing_a_named_convention_shows_its_formula(name, line):
    assert str(CONVENTIONS[name]) == line


def test_printing_shows_every_number_that_differs_from_the_default():
    mine = make(name="mine", layout="cos_sin", base=500.5, start=-3, scale=1000, amplitude=0.25, odd="extra_sine")
    assert str(mine) == (
        "mine：[c0 c1 … | s0 s1 …]，角度 = 1000 · pos · 500.5^(-2i/d)，再乘以 0.25；"
        "第一个位置是 -3；d 是奇数时多一列正弦"
    )
    assert "1234567 · pos · " in str(make(scale=1234567))  # 不缩成 1.23457e+06


# ---- encode ---------------------------------------------------------------------

POSITIONS = [0, 1, 2, 9, -1, -7.25, 0.5, 1234.5678, 1e5]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("d_model", [1, 2, 3, 4, 5, 6, 7, 8, 29, 64, 513])
def test_every_named_convention_equals_the_plain_loop(name, d_model):
    convention = CONVENTIONS[name]
    if (d_model == 1 and convention.odd != "extra_sine") or (
        d_model % 2 and convention.odd in ("error", "not_reproduced")
    ):
        with pytest.raises(ValueError, match=rf"约定 {name} 的 d_model .*收到 {d_model}；"):
            encode(POSITIONS, d_model, name)
        return
    expected = specification(POSITIONS, d_model, convention)
    got = encode(POSITIONS, d_model, name, dtype=np.float64)
    np.testing.assert_allclose(got, expected, rtol=0, atol=room(POSITIONS, convention, d_model))
    assert got.shape == np.shape(expected)
    assert got.flags.c_contiguous
    assert encode(POSITIONS, d_model, convention).dtype == np.float32


@steady
@given(
    layout=st.sampled_from(LAYOUTS),
    endpoint=st.booleans(),
    odd=st.sampled_from(["extra_sine", "zero_column"]),
    base=st.floats(0.01, 299).map(lambda power: 10.0**power),
    scale=st.sampled_from([1.0, -1.0, 1000.0, 0.5, 2 * math.pi]),
    amplitude=st.one_of(st.sampled_from(["1/sqrt(d)", "sqrt(2/d)"]), st.floats(-10, 10)),
    d_model=st.integers(1, 40),
    positions=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5),
)
def test_any_convention_equals_the_plain_loop(layout, endpoint, odd, base, scale, amplitude, d_model, positions):
    if endpoint:
        odd = "zero_column"
    d_model = max(d_model, 1 if odd == "extra_sine" else 2)
    convention = Convention("", layout, endpoint, base, scale=scale, amplitude=amplitude, odd=odd)
    got = encode(positions, d_model, convention, dtype=np.float64)
    expected = specification(positions, d_model, convention)
    np.testing.assert_allclose(got, expected, rtol=0, atol=room(positions, convention, d_model) + 1e-300)
    # 窄的类型也只多舍入一次
    for dtype in (np.float16, np.float32):
        np.testing.assert_array_equal(encode(positions, d_model, convention, dtype=dtype), got.astype(dtype))


def test_the_paper_convention_is_the_engine():
    positions = np.arange(-50, 50) * 1.25
    np.testing.assert_array_equal(encode(positions, 64), encode_positions(positions, 64))
    np.testing.assert_array_equal(encode(np.arange(30), 64), sinusoidal_positional_encoding(30, 64))


@pytest.mark.parametrize("name", ["fairseq", "opennmt_tf"])
def test_start_is_not_added_to_the_positions(name):
    convention = CONVENTIONS[name]
    assert convention.start > 0
    np.testing.assert_array_equal(encode([0, 1], 8, name), encode([0, 1], 8, dataclasses.replace(convention, start=0)))


@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (2, 3), (1, 2, 3)])
def test_the_result_has_one_more_axis_than_the_positions(shape):
    positions = np.arange(math.prod(shape)).reshape(shape)
    for name in ("hf_xlm", "musicgen"):
        assert encode(positions, 7, name).shape == (*shape, 7)


def test_two_and_three_dimensions_are_one_frequency_of_one_on_either_ladder():
    for endpoint in (False, True):
        convention = make(endpoint=endpoint, odd="zero_column")
        np.testing.assert_allclose(
            encode([0, 2], 2, convention, dtype=np.float64), [[0, 1], [math.sin(2), math.cos(2)]], rtol=0, atol=EPS
        )
        np.testing.assert_allclose(
            encode([2], 3, convention, dtype=np.float64), [[math.sin(2), math.cos(2), 0]], rtol=0, atol=EPS
        )


def test_floating_point_error_settings_do_not_matter():
    tiny = make(base=1e300, amplitude=1e-300, odd="zero_column")
    with np.errstate(all="raise"):
        got = encode([5e-324, 0, 1], 7, tiny, dtype=np.float16)
        shrunk = convert(np.ones((3, 8), np.float16), make(), make(amplitude=1e-300))
    np.testing.assert_array_equal(got, np.zeros((3, 7)))
    np.testing.assert_array_equal(shrunk, np.zeros((3, 8)))


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda: encode([0], 8, "fairsec"),
            ValueError,
            "convention 必须是 CONVENTIONS 里的名字，收到 'fairsec'（str）；"
            "最接近的是 'fairseq'、'jadore'、'whisper'。",
        ),
        (
            lambda: encode([0], 8, "Whisper"),
            ValueError,
            "convention 必须是 CONVENTIONS 里的名字，收到 'Whisper'（str）；最接近的是 'whisper'、'paper'。",
        ),
        (
            lambda: encode([0], 8, None),
            TypeError,
            "convention 必须是约定的名字或 Convention，收到 None（NoneType）；例如 'paper'。",
        ),
        (
            lambda: encode([0], 7),
            ValueError,
            "约定 paper 的 d_model 必须是正偶数，收到 7；最近的可用值是 6 和 8，或用 dataclasses.replace 换一种 odd。",
        ),
        (
            lambda: encode([0], 1, "ddpm"),
            ValueError,
            "约定 ddpm 的 d_model 不能小于 2，收到 1；最小的可用值是 2。",
        ),
        (
            lambda: encode([0], 0, "hf_xlm"),
            ValueError,
            "约定 hf_xlm 的 d_model 不能小于 1，收到 0；最小的可用值是 1。",
        ),
        (
            lambda: encode([0], 8.0),
            TypeError,
            "d_model 必须是整数，收到 8.0（float）；请换成整数，例如 8。",
        ),
        (
            lambda: encode([0, math.nan], 8),
            ValueError,
            "positions 必须全部有限，下标 (1,) 处是 nan；请先去掉或填补它。",
        ),
        (
            lambda: encode([1.0], 8, make(scale=1e300)),
            ValueError,
            "scale · positions 的绝对值不能超过 2**53（再大就分不清相邻整数），收到 1e+300（float）；请减去公共起点。",
        ),
        (
            lambda: encode([1], 8, make(amplitude=-1e5), dtype=np.float16),
            ValueError,
            "amplitude 必须放得进 float16，收到 -100000；请换更宽的 dtype，或更小的 amplitude。",
        ),
        (
            lambda: encode([0], 8, dtype="int32"),
            TypeError,
            "dtype 必须是 float16、float32 或 float64，收到 'int32'（str）；编码是 [-1, 1] 内的小数，请用 np.float32。",
        ),
    ],
)
def test_encode_refuses_bad_input_in_one_line(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == text


@pytest.mark.parametrize("name", NAMES)
def test_a_misspelt_name_finds_its_neighbour(name):
    with pytest.raises(ValueError, match=repr(name)):
        encode([0], 8, name + "x")


# ---- positions_from_mask ------------------------------------------------------------


@pytest.mark.parametrize(
    ("mask", "options", "expected"),
    [
        ([1, 1, 1, 0, 0], {}, [0, 1, 2, 0, 0]),
        ([0, 0, 1, 1, 1], {}, [0, 0, 0, 1, 2]),
        ([1, 0, 0, 1, 1], {}, [0, 0, 0, 1, 2]),
        ([0, 1, 0, 1, 0], {"start": 1}, [1, 1, 1, 2, 1]),
        ([0, 1, 0, 1, 0], {"start": -2}, [-2, -2, -2, -1, -2]),
        ([1, 1, 0], {"padding_idx": 1}, [2, 3, 1]),
        ([0, 1, 1], {"padding_idx": 0}, [0, 1, 2]),
        ([0, 1, 1], {"padding_idx": 5}, [5, 6, 7]),
        ([1, 0, 1], {"cache": 3}, [3, 0, 4]),
        ([1, 1, 0], {"padding_idx": 1, "cache": 3}, [5, 6, 1]),
        ([[1, 1], [0, 1]], {"cache": [4, 7]}, [[4, 5], [0, 7]]),
        ([[1, 1], [0, 1]], {"cache": np.array([4, 0], np.uint8), "start": 2}, [[6, 7], [2, 2]]),
        (np.zeros((2, 3), bool), {"padding_idx": 1}, np.ones((2, 3))),
        (np.zeros((2, 0), int), {}, np.zeros((2, 0))),
    ],
)
def test_real_words_are_counted_and_padding_is_not(mask, options, expected):
    got = positions_from_mask(mask, **options)
    assert got.dtype == np.int64
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(positions_from_mask(np.array(mask, bool), **options), expected)


@steady
@given(
    words=st.lists(st.booleans(), min_size=1, max_size=12),
    cut=st.integers(0, 12),
    pad=st.one_of(st.none(), st.integers(0, 5)),
)
def test_a_cache_continues_where_the_whole_sequence_would_be(words, cut, pad):
    words, cut = np.array(words), min(cut, len(words))
    whole = positions_from_mask(words, padding_idx=pad)
    continued = positions_from_mask(words[cut:], padding_idx=pad, cache=words[:cut].sum())
    np.testing.assert_array_equal(continued, whole[cut:])


@pytest.mark.parametrize("cache", [0, 3])
@pytest.mark.parametrize("options", [{}, {"padding_idx": 1}])
def test_padding_rows_are_zeroed_by_the_mask_with_and_without_a_cache(cache, options):
    mask = np.array([[0, 1, 1, 0], [1, 1, 1, 1]])
    table = encode(positions_from_mask(mask, cache=cache, **options), 8, "fairseq") * mask[..., None]
    np.testing.assert_array_equal(table.any(axis=-1), mask == 1)
    first = (2 if options else 0) + cache
    np.testing.assert_array_equal(table[0, 1:3], encode([first, first + 1], 8, "fairseq"))


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda: positions_from_mask([1.0, 0.0]),
            TypeError,
            "mask 必须是布尔值或 0、1，收到 dtype 为 float64 的数组；请写成 ids != padding_idx。",
        ),
        (
            lambda: positions_from_mask(True),
            ValueError,
            "mask 的形状必须是 (..., seq_len)，至少一维，收到一个标量；请写成 [mask]。",
        ),
        (
            lambda: positions_from_mask([[1, 0], [5, 1]]),
            ValueError,
            "mask 只能有 0 和 1，下标 (1, 0) 处是 5；请写成 ids != padding_idx。",
        ),
        (
            lambda: positions_from_mask([1], start=1, padding_idx=1),
            ValueError,
            "start 与 padding_idx 只能给一个，后者已定下起点 2，收到 start=1；请去掉 start。",
        ),
        (
            lambda: positions_from_mask([1], start=0.5),
            TypeError,
            "start 必须是整数，收到 0.5（float）；请换成整数，例如 0。",
        ),
        (
            lambda: positions_from_mask([1], padding_idx=True),
            TypeError,
            "padding_idx 必须是整数，收到 True（bool）；请换成整数，例如 1。",
        ),
        (
            lambda: positions_from_mask([1], cache=1.5),
            TypeError,
            "cache 必须是整数，收到 1.5（float）；它是已缓存的词数，例如 3。",
        ),
        (
            lambda: positions_from_mask([1], cache=-2),
            ValueError,
            "cache 不能是负数，收到 -2；没有缓存请写 0。",
        ),
        (
            lambda: positions_from_mask([[1], [1]], cache=[1, 2, 3]),
            ValueError,
            "cache 必须是一个整数，或每行一个，形状 (2,)，收到形状 (3,)；请写 cache.reshape((2,))。",
        ),
        (
            lambda: positions_from_mask([1], cache=2**53 + 1),
            ValueError,
            "cache 的绝对值不能超过 2**53（再大就分不清相邻整数），收到 9007199254740993（int）；请减去公共起点。",
        ),
    ],
)
def test_positions_from_mask_refuses_bad_input_in_one_line(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == text


# ---- convert ------------------------------------------------------------------------


@steady
@given(
    layouts=st.tuples(st.sampled_from(LAYOUTS), st.sampled_from(LAYOUTS)),
    endpoint=st.booleans(),
    odd=st.sampled_from(["error", "extra_sine", "zero_column"]),
    d_model=st.integers(2, 40),
    dtype=st.sampled_from([np.float16, np.float32, np.float64]),
)
def test_only_the_columns_move_and_the_way_back_is_the_identity(layouts, endpoint, odd, d_model, dtype):
    if odd == "extra_sine" and endpoint:
        odd = "zero_column"
    d_model += d_model % 2 if odd == "error" else 0
    source, target = (make(layout=layout, endpoint=endpoint, odd=odd) for layout in layouts)
    table = encode(np.arange(12).reshape(3, 4), d_model, source, dtype=dtype)  # 前面可以有批次维
    there = convert(table, source, target)
    assert there.dtype == dtype
    np.testing.assert_array_equal(there, encode(np.arange(12).reshape(3, 4), d_model, target, dtype=dtype))
    np.testing.assert_array_equal(convert(there, target, source), table)


def test_the_permutation_moves_anything_that_has_these_columns():
    weights = np.arange(24).reshape(3, 8)  # 例如某一层的权重，整数也行
    there = convert(weights, "hf_marian", "paper")
    np.testing.assert_array_equal(there[0], [0, 4, 1, 5, 2, 6, 3, 7])
    np.testing.assert_array_equal(convert(weights[:, :7], "hf_marian", "hf_xlm")[0], [0, 4, 1, 5, 2, 6, 3])
    np.testing.assert_array_equal(convert(weights[:, :7], "ddpm", "musicgen")[0], [3, 4, 5, 0, 1, 2, 6])
    assert there.dtype == weights.dtype


def test_the_input_is_left_alone_and_may_be_strided_or_read_only():
    table = encode(range(6), 8, "hf_marian")[::2, ::-1]
    table.flags.writeable = False
    before = table.copy()
    np.testing.assert_array_equal(convert(table, "hf_marian", "paper"), convert(before, "hf_marian", "paper"))
    np.testing.assert_array_equal(table, before)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize(
    ("source", "target"), [("whisper", "mlx"), ("mlx", "whisper"), ("hf_marian", "x_transformers")]
)
def test_another_amplitude_costs_one_rounding(source, target, dtype):
    table = encode(range(50), 12, source, dtype=dtype)
    factor = {"whisper": 1.0, "hf_marian": 1.0, "mlx": math.sqrt(2 / 12), "x_transformers": 1 / math.sqrt(12)}
    expected = table.astype(np.float64) * (factor[target] / factor[source])
    np.testing.assert_array_equal(convert(table, source, target), expected.astype(dtype))


def test_another_amplitude_in_float64_is_within_two_roundings():
    table = encode(range(50), 12, "whisper", dtype=np.float64)
    expected = encode(range(50), 12, "mlx", dtype=np.float64)
    # 幅度之比与乘积各舍入一次，与直接计算相比再差一次
    np.testing.assert_allclose(convert(table, "whisper", "mlx"), expected, rtol=2 * EPS)


@pytest.mark.parametrize(("source", "target"), [("paper", "tensor2tensor"), ("musicgen", "paper")])
def test_with_two_dimensions_both_ladders_are_the_same_frequency(source, target):
    table = encode(range(9), 2, source)
    np.testing.assert_array_equal(convert(table, source, target), encode(range(9), 2, target))


def test_two_descriptions_of_one_table_convert_into_each_other():
    h = 4
    other = make(name="other", endpoint=False, base=10000 ** (h / (h - 1)))
    table = encode(range(9), 2 * h, "whisper")
    np.testing.assert_array_equal(convert(table, "whisper", other), table)


@pytest.mark.parametrize(
    ("source", "target", "d_model", "differ"),
    [
        ("paper", "tensor2tensor", 8, "频率"),
        ("whisper", "fairseq", 8, "起点"),
        ("opennmt_tf", "hf_marian", 8, "频率、起点"),
        ("guided_diffusion", make(name="mine", scale=1000, odd="zero_column"), 8, "比例"),
        ("hf_xlm", make(name="mine", base=500.0, odd="extra_sine"), 7, "频率"),
        ("hf_xlm", "guided_diffusion", 7, "奇数维的做法"),
    ],
)
def test_what_a_permutation_cannot_do_is_refused_with_the_reason(source, target, d_model, differ):
    one, two = (c if isinstance(c, Convention) else CONVENTIONS[c] for c in (source, target))
    table = encode(one.start + np.arange(20), d_model, one)
    with pytest.raises(ValueError, match=f"^{one.name} 换不成 {two.name}：{differ}不同。") as caught:
        convert(table, source, target)
    text = str(caught.value)
    assert "\n" not in text
    for convention in (one, two):  # 两个公式
        formula = str(convention).split("；")[0].split("：", 1)[1]
        assert f"{formula}，起点 {convention.start}" in text
    # 差的大小，按同一列次序、各自的起点比较
    rows = [
        np.array(
            specification(
                [c.start + k for k in range(20)], d_model, dataclasses.replace(c, layout="sin_cos", amplitude=1.0)
            )
        )
        for c in (one, two)
    ]
    said = float(re.search(r"前 20 行按同一列次序比较，最多相差 ([\d.e+-]+)；", text)[1])
    assert math.isclose(said, np.abs(rows[0] - rows[1]).max(), rel_tol=5e-3)  # 印三位有效数字
    # 照抄就得到要的表
    name = repr(two.name) if two.name in CONVENTIONS else "target"
    call = f"encode(np.arange({two.start}, {two.start + 20}), {d_model}, {name})"
    assert text.endswith(f"请重新计算：{call}。")
    rows = encode(np.arange(two.start, two.start + 20), d_model, two)
    np.testing.assert_array_equal(rows, encode(two.start + np.arange(20), d_model, two))


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda: convert(np.zeros(8), "paper", "hf_marian"),
            ValueError,
            "table 的形状必须是 (..., seq_len, d_model)，至少两维，收到 (8,)；单独一行请写 table[None, :]。",
        ),
        (
            lambda: convert([[0, 1], [0, math.inf]], "paper", "hf_marian"),
            ValueError,
            "table 必须全部有限，下标 (1, 1) 处是 inf；请先查明它从哪里来。",
        ),
        (
            lambda: convert(np.zeros((3, 8), complex), "paper", "hf_marian"),
            TypeError,
            "table 必须是实数数组，收到 dtype 为 complex128 的数组；请先写 np.asarray(table, np.float32)。",
        ),
        (
            lambda: convert([["a"]], "paper", "hf_marian"),
            TypeError,
            "table 必须是实数数组，收到 dtype 为 <U1 的数组；请先写 np.asarray(table, np.float32)。",
        ),
        (
            lambda: convert(np.zeros((3, 7)), "hf_xlm", "paper"),
            ValueError,
            "约定 paper 的 d_model 必须是正偶数，收到 7；最近的可用值是 6 和 8，或用 dataclasses.replace 换一种 odd。",
        ),
        (
            lambda: convert(np.zeros((3, 8)), "paper", "hf_marianne"),
            ValueError,
            "target 必须是 CONVENTIONS 里的名字，收到 'hf_marianne'（str）；"
            "最接近的是 'hf_marian'、'marian_nmt'、'hf_xlm'。",
        ),
        (
            lambda: convert(np.zeros((3, 8), int), "whisper", "mlx"),
            TypeError,
            "幅度不同，table 必须是浮点数才能缩放，收到 int64；请先写 table.astype(np.float32)。",
        ),
        (
            lambda: convert(np.ones((3, 8), np.float16), "hf_marian", make(amplitude=1e5)),
            ValueError,
            "缩放后必须放得进 float16，收到的比例是 100000；请换更宽的 dtype。",
        ),
        (
            lambda: convert(np.zeros((3, 8)), make(amplitude=1e-300), make(amplitude=1e300)),
            ValueError,
            "缩放后必须放得进 float64，收到的比例是 inf；请换更宽的 dtype。",
        ),
        (
            lambda: convert(np.zeros((3, 8)), make(name="silent", amplitude=0), "hf_marian"),
            ValueError,
            "source 的幅度不能是 0（原来的数已经丢了），收到 silent；请用 encode 重新计算。",
        ),
    ],
)
def test_convert_refuses_bad_input_in_one_line(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == text


# ---- identify：只有对输入的检查在这里 --------------------------------------------------


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda: identify(np.zeros((2, 5, 8))),
            ValueError,
            "table 必须是两维 (seq_len, d_model)，收到形状 (2, 5, 8)；有批次维请取出一张，例如 table[0]。",
        ),
        (
            lambda: identify(np.zeros((3, 8))),
            ValueError,
            "table 至少要 4 行、6 列才认得出，收到形状 (3, 8)；请给出更多行或更多列。",
        ),
        (
            lambda: identify(np.zeros((9, 5))),
            ValueError,
            "table 至少要 4 行、6 列才认得出，收到形状 (9, 5)；请给出更多行或更多列。",
        ),
        (
            lambda: identify(np.full((5, 8), math.nan)),
            ValueError,
            "table 必须全部有限，下标 (0, 0) 处是 nan；请先查明它从哪里来。",
        ),
        (
            lambda: identify(np.zeros((5, 8)), expected="papers"),
            ValueError,
            "expected 必须是 CONVENTIONS 里的名字，收到 'papers'（str）；最接近的是 'paper'。",
        ),
    ],
)
def test_identify_refuses_bad_input_in_one_line(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith(text.rstrip("。"))


# ---- 大表 -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["paper", "whisper", "guided_diffusion", "x_transformers"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_consecutive_positions_are_rotated_and_agree_with_each_computed_alone(name, dtype):
    positions = np.arange(-700, 2300)  # 连续的整数用旋转，打乱以后逐个算正弦
    shuffled = np.random.default_rng(0).permutation(positions)
    table, alone = encode(positions, 256, name, dtype=dtype), encode(shuffled, 256, name, dtype=dtype)
    assert table.size // 2 > 2 * conventions._BLOCK  # 走得到第二块
    # 两种算法在 float64 里各差 4·eps·|pos|，再各舍入到 dtype 一次
    room = 8 * 2.0**-52 * 2300 + np.finfo(dtype).eps
    np.testing.assert_allclose(table[shuffled + 700], alone, rtol=0, atol=room)


def test_extra_memory_does_not_grow_with_the_table():
    def extra(seq_len):
        positions = np.arange(seq_len, dtype=np.float64)
        tracemalloc.start()
        table = encode(positions, 512, "x_transformers")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak - table.nbytes - positions.nbytes

    assert extra(40_000) < extra(10_000) + 1e6  # 位置的一份副本：八个字节乘三万
    assert extra(40_000) < 12e6  # 一块 2^17 对的 float64 是 2 MB，旋转的准备另要几块


def test_a_tiny_scale_and_a_float16_start_do_not_trip_an_errstate_that_raises():
    with np.errstate(all="raise"):
        table = encode([0, 1, 2.5], 8, Convention("t", "interleaved", False, scale=5e-324))
        grid = grid_encoding(2, 2, 8, start=np.float16(2))
    np.testing.assert_array_equal(table, encode([0, 0, 0], 8))
    np.testing.assert_array_equal(grid, grid_encoding(2, 2, 8, start=2))
