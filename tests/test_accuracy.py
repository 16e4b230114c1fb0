"""精度的承诺：与 mpmath 的任意精度真值相比，在随机的位置、维度、底数和起点上都成立。

承诺的形状来自误差的来源：角频率和角度各舍入一次，相对误差约 eps，到正弦里就是约 eps·|pos| 的绝对误差；
结果再舍入一次，float32 在 1 以下至多差 2**-25。
"""

import tracemalloc

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sinpe import encode_positions, sinusoidal_positional_encoding

EPS = 2.0**-52
FAR = 2**27  # 承诺的位置范围

# 每次跑同样的例子：同一份代码，结果不该时红时绿
steady = settings(max_examples=80, deadline=None, derandomize=True, database=None)
widths = st.sampled_from([2, 4, 6, 10, 64, 128, 514])
# 底数跨三百个数量级，按指数均匀地取；1.0001 让所有的列都几乎一样快
bases = st.one_of(st.sampled_from([1.0001, 10000.0, 1e300]), st.floats(0.01, 299).map(lambda power: 10.0**power))
whole = st.integers(-FAR, FAR)
fractional = st.floats(-FAR, FAR)


def true_row(pos, columns, d_model, base):
    """``pos`` 这一行在各 ``columns`` 上的真值，约 60 位有效数字。"""
    with mpmath.workdps(60):
        angles = [mpmath.mpf(pos) * mpmath.mpf(base) ** (-mpmath.mpf(j - j % 2) / d_model) for j in columns]
        return [mpmath.cos(a) if j % 2 else mpmath.sin(a) for j, a in zip(columns, angles, strict=True)]


def assert_promise(row, pos, d_model, base):
    """核对一行里的首尾和中间几列。"""
    columns = sorted({0, 1, d_model // 4 * 2, d_model // 4 * 2 + 1, d_model - 2, d_model - 1} & set(range(d_model)))
    bound = {
        np.dtype(np.float32): 2.0**-25 + 2 * EPS * abs(pos),
        np.dtype(np.float64): 4 * EPS * max(1.0, abs(pos)),
    }[row.dtype]
    for j, true in zip(columns, true_row(pos, columns, d_model, base), strict=True):
        error = abs(mpmath.mpf(float(row[j])) - true)
        assert error <= bound, f"位置 {pos}，第 {j} 列：误差 {float(error):.3g}，上限 {bound:.3g}"


@steady
@given(pos=st.one_of(whole, fractional), d_model=widths, base=bases)
@example(pos=16777217, d_model=64, base=10000.0)  # float32 存不下的第一个整数
@example(pos=-(2**27), d_model=64, base=1.0001)
@example(pos=5e-324, d_model=2, base=10000.0)
def test_any_position_keeps_the_promise(pos, d_model, base):
    for dtype in (np.float32, np.float64):
        assert_promise(encode_positions(pos, d_model, base=base, dtype=dtype), pos, d_model, base)


@steady
@given(seq_len=st.integers(1, 40_000), d_model=widths, base=bases, offset=st.one_of(whole, fractional), data=st.data())
@example(seq_len=40_000, d_model=64, base=10000.0, offset=-20_000, data=None)  # 跨过 0
@example(seq_len=5000, d_model=128, base=10000.0, offset=-2.5, data=None)
def test_every_row_of_a_table_keeps_the_promise(seq_len, d_model, base, offset, data):
    seq_len = min(seq_len, 2**21 // d_model)  # 限制表的大小，好多试几个
    rows = {0, 1, seq_len - 1, *(int(-offset) + k for k in range(-3, 8))} & set(range(seq_len))
    if data is not None:
        rows |= set(data.draw(st.lists(st.integers(0, seq_len - 1), max_size=4)))
    for dtype in (np.float32, np.float64):
        table = sinusoidal_positional_encoding(seq_len, d_model, base=base, offset=offset, dtype=dtype)
        for row in rows:
            assert_promise(table[row], float(offset + row), d_model, base)


# 位置，以及 d_model = 64 时第 0、1、17、31 对的（正弦，余弦）：mpmath 40 位精度算出，取 17 位
GOLDEN = [
    (
        16777217,
        [
            0.10583256734754364,
            0.99438396391365224,
            0.97877776391056627,
            -0.20492459314155486,
            -0.017770894427507353,
            -0.99984208518707912,
            0.44741678936482684,
            0.89432556521351338,
        ],
    ),
    (
        1000000,
        [
            -0.34999350217129295,
            0.93675212753314479,
            0.72805937542775582,
            -0.68551407414563423,
            0.039560468113418065,
            -0.99921717827639814,
            0.98632876363908064,
            0.1647894718063099,
        ],
    ),
    (
        -12345,
        [
            0.99377163645568117,
            0.11143578678412723,
            -0.73761809528283456,
            -0.67521814660991095,
            0.99474705769522341,
            -0.10236352478639973,
            -0.9971560629325544,
            -0.07536435601030239,
        ],
    ),
    (
        0.5,
        [
            0.479425538604203,
            0.87758256189037272,
            0.36622330906243205,
            0.93052699471824157,
            0.0037494622613246332,
            0.99999297074167021,
            6.6676071558762582e-5,
            0.99999999777715074,
        ],
    ),
    (
        -2.75,
        [
            -0.3816609920523317,
            -0.92430237863246354,
            -0.88166710213387987,
            -0.47187193285344556,
            -0.020620629126144017,
            0.99978737222193501,
            -0.00036671838562538707,
            0.99999993275881056,
        ],
    ),
    (
        134217728,
        [
            -0.76340322880198076,
            0.64592221687654514,
            0.93436319782081541,
            -0.35632206577485455,
            0.08209062218273568,
            0.99662486912059913,
            -0.53823284483275205,
            -0.84279618220732505,
        ],
    ),
    (
        1048576.1,
        [
            0.42306566762495023,
            0.90609902377005966,
            -0.60215947476102591,
            0.79837583064339154,
            0.19372492968514924,
            -0.98105588608319556,
            0.99957961135910139,
            -0.028993112202518518,
        ],
    ),
]


@pytest.mark.parametrize(("pos", "expected"), GOLDEN)
def test_golden_values(pos, expected):
    columns = [0, 1, 2, 3, 34, 35, 62, 63]
    wide = sinusoidal_positional_encoding(1, 64, offset=pos, dtype=np.float64)[0, columns]
    np.testing.assert_allclose(wide, expected, rtol=0, atol=4 * EPS * max(1, abs(pos)))
    narrow = encode_positions(pos, 64)[columns]
    np.testing.assert_allclose(narrow, expected, rtol=0, atol=2**-25 + 2 * EPS * abs(pos))


@pytest.mark.parametrize("offset", [0, -3000, 10**6, 0.25])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_long_narrow_tables_are_the_float64_table_rounded_once(dtype, offset):
    wide = sinusoidal_positional_encoding(5000, 64, offset=offset, dtype=np.float64)
    narrow = sinusoidal_positional_encoding(5000, 64, offset=offset, dtype=dtype)
    np.testing.assert_array_equal(narrow, wide.astype(dtype))


@pytest.mark.parametrize("pos", [2**53, -(2**53), 2.0**53])
def test_largest_positions_stay_on_the_unit_circle(pos):
    row = encode_positions(pos, 64, dtype=np.float64)
    np.testing.assert_allclose(row[0::2] ** 2 + row[1::2] ** 2, 1, rtol=0, atol=4 * EPS)
    np.testing.assert_allclose(row[0], float(mpmath.sin(pos)), rtol=0, atol=EPS)  # 第 0 对的角度就是 pos，没有舍入


@pytest.mark.parametrize(("dtype", "half_spacing"), [(np.float16, 2**-12), (np.float32, 2**-25), (np.float64, 0)])
def test_every_block_of_a_wide_table_is_right(dtype, half_spacing):
    # 1024 维、2000 行要分三十多块，过了好几组；跨过 0，两头各不满一块
    table = sinusoidal_positional_encoding(2000, 1024, offset=-700, dtype=dtype)
    exact = encode_positions(np.arange(-700, 1300), 1024, dtype=np.float64)
    np.testing.assert_allclose(table.astype(np.float64), exact, rtol=0, atol=half_spacing + 8 * EPS * 1300)


def test_very_wide_rows_are_right():
    # 一行就超过一块
    table = sinusoidal_positional_encoding(3, 70_000, offset=5)
    np.testing.assert_allclose(table, encode_positions([5, 6, 7], 70_000), rtol=0, atol=2**-24)
    assert_promise(table[2], 7, 70_000, 10000.0)


def test_far_rows_of_a_long_table_equal_free_positions():
    table = sinusoidal_positional_encoding(9000, 32, offset=-4500)
    free = encode_positions(np.arange(-4500, 4500), 32)
    np.testing.assert_allclose(table, free, rtol=0, atol=2**-24)  # 两条路各舍入一次，至多差 1 以下的一个单位


def peak_beyond_result(call):
    tracemalloc.start()
    try:
        result = call()
        return tracemalloc.get_traced_memory()[1] - result.nbytes
    finally:
        tracemalloc.stop()


def test_extra_memory_does_not_grow_with_the_table():
    for dtype in (np.float16, np.float32):
        extra = peak_beyond_result(lambda dtype=dtype: sinusoidal_positional_encoding(100_000, 512, dtype=dtype))
        assert extra < 10e6, f"{dtype.__name__} 的表之外还用了 {extra / 1e6:.1f} MB"


def test_free_positions_need_little_extra_memory_too():
    positions = np.arange(100_000.0)
    extra = peak_beyond_result(lambda: encode_positions(positions, 128))
    assert extra < 10e6, f"{extra / 1e6:.1f} MB"


def test_long_tables_need_few_sines(monkeypatch):
    # 快在哪里：正弦只算几行。绝对的时间因机器而异，算几个正弦不会变
    computed = 0
    sine = np.sin

    def counting(angle, *args, **kwargs):
        nonlocal computed
        computed += np.size(angle)
        return sine(angle, *args, **kwargs)

    monkeypatch.setattr(np, "sin", counting)
    sinusoidal_positional_encoding(65_536, 64)
    assert computed < 65_536 * 32 / 100


def test_memmap_is_filled_block_by_block(tmp_path):
    # 文件不进 Python 的内存，峰值就是全部的临时数组：比表小得多，所以表可以比内存大
    out = np.memmap(tmp_path / "pe.bin", np.float32, "w+", shape=(200_000, 128))
    tracemalloc.start()
    sinusoidal_positional_encoding(200_000, 128, offset=-50_000, out=out)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6 < out.nbytes
    rows = [0, 49_999, 50_000, 50_001, 199_999]
    np.testing.assert_allclose(out[rows], encode_positions(np.array(rows) - 50_000, 128), rtol=0, atol=2**-24)
