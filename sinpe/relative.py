"""相对位移：平移是旋转，内积只看距离。"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .encoding import _check_position, _check_positions, _new, _tiny_is_zero, angular_frequencies

__all__ = ["shift_matrix", "similarity_kernel"]


def shift_matrix(k: float, d_model: int, *, base: float = 10000.0) -> NDArray[np.float64]:
    r"""返回把每个位置的编码移动 ``k`` 步的矩阵 :math:`M_k`。

    对任何位置都有 ``pe[pos + k] = shift_matrix(k, d_model) @ pe[pos]``，``pe`` 是交错布局的编码表。

    Parameters
    ----------
    k : int or float
        位移，单位：位置；可以是负数或小数，绝对值不超过 2**53。
    d_model : int
        模型维度，正偶数。
    base : float, default: 10000.0
        底数，大于 1，不超过 1e300。

    Returns
    -------
    numpy.ndarray, shape (d_model, d_model), float64
        块对角矩阵；第 ``i`` 块是 ``[[cos, sin], [-sin, cos]]``，角度为 ``omega_i * k``，单位：弧度。

    Raises
    ------
    TypeError
        ``k`` 或 ``base`` 不是实数，或 ``d_model`` 不是整数。
    ValueError
        ``k`` 非有限或绝对值超过 2**53，``d_model`` 不是正偶数，``base`` 越界，或结果大到内存放不下。

    Notes
    -----
    来源：Vaswani 等 (2017) 3.5 节说 ``PE(pos+k)`` 是 ``PE(pos)`` 的线性函数；矩阵由正弦、余弦的和角公式得到。

    Examples
    --------
    >>> shift_matrix(1, 2).round(4)
    array([[ 0.5403,  0.8415],
           [-0.8415,  0.5403]])
    """
    omega = angular_frequencies(d_model, base=base)
    k = _check_position("k", k)
    matrix = _new((2 * omega.size, 2 * omega.size), omega.dtype, np.zeros)
    even = np.arange(0, 2 * omega.size, 2)
    with _tiny_is_zero():
        angle = k * omega
        matrix[even, even] = matrix[even + 1, even + 1] = np.cos(angle)
        matrix[even, even + 1] = np.sin(angle)
        matrix[even + 1, even] -= np.sin(angle)  # 从 0 里减：k = 0 时是 0.0，不是 -0.0
    return matrix


def similarity_kernel(offsets: ArrayLike, d_model: int, *, base: float = 10000.0) -> NDArray[np.float64]:
    r"""返回相距 ``offsets`` 的两个位置的编码的内积 :math:`\sum_i \cos(\omega_i \Delta)`。

    Parameters
    ----------
    offsets : array_like of int or float, shape (...)
        两个位置之差 :math:`\Delta`，单位：位置；绝对值不超过 2**53。
    d_model : int
        模型维度，正偶数。
    base : float, default: 10000.0
        底数，大于 1，不超过 1e300。

    Returns
    -------
    numpy.ndarray, shape (...), float64
        形状与 ``offsets`` 相同，无单位；关于 0 对称，在 0 处取最大值 ``d_model/2``。

    Raises
    ------
    TypeError
        ``offsets`` 不是实数，``d_model`` 不是整数，或 ``base`` 不是实数。
    ValueError
        ``offsets`` 有非有限值或绝对值超过 2**53，``d_model`` 不是正偶数，或 ``base`` 越界。

    Notes
    -----
    来源：由 3.5 节的公式和 ``cos(a-b) = cos a cos b + sin a sin b`` 得到。

    Examples
    --------
    >>> similarity_kernel([0, 1, -1], 8).round(4)
    array([4.    , 3.5353, 3.5353])
    """
    delta = _check_positions("offsets", offsets)
    total = _new(delta.shape, delta.dtype, np.zeros)
    with _tiny_is_zero():
        for omega in angular_frequencies(d_model, base=base):  # 逐个频率累加，临时数组只有 offsets 那么大
            total += np.cos(omega * delta)
    return total
