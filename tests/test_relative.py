"""相对位移的单元测试。期望值直接取自编码表和纯循环，不取自被测的函数。"""

import math

import mpmath
import numpy as np
import pytest

from sinpe import shift_matrix, similarity_kernel, sinusoidal_positional_encoding

EPS = np.finfo(np.float64).eps


@pytest.mark.parametrize("k", [1, 5, -3, 0.5, 1000])
@pytest.mark.parametrize("d_model", [2, 8, 64])
@pytest.mark.parametrize("base", [100.0, 10000.0])
def test_shift_matrix_moves_every_position_by_k(k, d_model, base):
    here = sinusoidal_positional_encoding(40, d_model, base=base, dtype=np.float64)
    there = sinusoidal_positional_encoding(40, d_model, base=base, offset=k, dtype=np.float64)
    # 三处角度各按 eps·位置 舍入，再加一次 2×2 乘法
    np.testing.assert_allclose(
        here @ shift_matrix(k, d_model, base=base).T, there, rtol=0, atol=4 * EPS * (abs(k) + 40)
    )


def test_first_block_turns_as_written_by_hand():
    c, s = 0.5403023058681398, 0.8414709848078965  # cos 1, sin 1
    np.testing.assert_allclose(shift_matrix(1, 4)[:2], [[c, s, 0, 0], [-s, c, 0, 0]], rtol=0, atol=EPS)


def test_shift_by_zero_is_the_identity_without_negative_zeros():
    matrix = shift_matrix(0, 6)
    np.testing.assert_array_equal(matrix, np.eye(6))
    assert not np.signbit(matrix).any()


@pytest.mark.parametrize("base", [100.0, 10000.0])
def test_kernel_is_the_inner_product_of_two_rows(base):
    pe = sinusoidal_positional_encoding(30, 16, base=base, dtype=np.float64)
    offsets = np.arange(30)[:, None] - np.arange(30)  # (30, 30)
    np.testing.assert_allclose(similarity_kernel(offsets, 16, base=base), pe @ pe.T, rtol=0, atol=16 * 4 * EPS * 30)


def test_kernel_equals_a_plain_loop():
    expected = [sum(math.cos(delta / 10000 ** (2 * i / 8)) for i in range(4)) for delta in (0, 1, -2.5)]
    np.testing.assert_allclose(similarity_kernel([0, 1, -2.5], 8), expected, rtol=0, atol=16 * EPS)


@pytest.mark.parametrize("delta", [123456.5, -(10.0**7), 2.0**27])
def test_kernel_and_shift_stay_exact_at_large_distances(delta):
    with mpmath.workdps(40):
        angles = [mpmath.mpf(delta) * mpmath.mpf(10000) ** (-mpmath.mpf(i) / 4) for i in range(4)]
        expected = float(sum(map(mpmath.cos, angles)))
        corner = [float(mpmath.cos(angles[3])), float(mpmath.sin(angles[3]))]
    atol = 4 * 2 * EPS * abs(delta)  # 四个角度，各按 eps·|Δ| 舍入
    got = similarity_kernel(np.array([0, delta], np.float32 if delta == 2.0**27 else float), 8)
    np.testing.assert_allclose(got, [4, expected], rtol=0, atol=atol)
    np.testing.assert_allclose(shift_matrix(delta, 8)[6, 6:], corner, rtol=0, atol=atol)


def test_tiny_shifts_do_not_depend_on_the_floating_point_error_settings():
    with np.errstate(all="raise"):
        np.testing.assert_allclose(shift_matrix(5e-324, 4), np.eye(4), rtol=0, atol=5e-324)
        np.testing.assert_array_equal(similarity_kernel(5e-324, 4), 2)


def test_kernel_keeps_the_shape_of_its_input():
    assert similarity_kernel(3, 8).shape == ()
    assert similarity_kernel(np.zeros((2, 0, 3)), 8).shape == (2, 0, 3)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: shift_matrix(1, 7), ValueError, "d_model 必须是正偶数，收到 7；最近的可用值是 6 和 8。"),
        (lambda: shift_matrix([1], 8), TypeError, "k 必须是实数，收到 [1]（list）；请换成一个数，例如 0。"),
        (lambda: shift_matrix(True, 8), TypeError, "k 必须是实数，收到 True（bool）；请换成一个数，例如 0。"),
        (
            lambda: shift_matrix(math.nan, 8),
            ValueError,
            "k 必须是有限的数，收到 nan（float）；请换成一个有限的数，例如 0。",
        ),
        (
            lambda: shift_matrix(2**53 + 1, 8),
            ValueError,
            "k 的绝对值不能超过 2**53（再大就分不清相邻整数），收到 9007199254740993（int）；请减去公共起点。",
        ),
        (
            lambda: similarity_kernel([0, math.inf], 8),
            ValueError,
            "offsets 必须全部有限，下标 (1,) 处是 inf；请先去掉或填补它。",
        ),
        (
            lambda: similarity_kernel(["1"], 8),
            TypeError,
            "offsets 必须是整数或浮点数，收到 dtype 为 <U1 的 ['1']（list）；请先转换成数。",
        ),
        (
            lambda: similarity_kernel([0], 8, base=0.5),
            ValueError,
            "base 必须大于 1（等于 1 时各对频率全相同，小于 1 时越往右越快），收到 0.5（float）；论文取 10000。",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == text
