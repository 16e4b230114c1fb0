"""旋转位置编码（RoPE）：把第 05 课的旋转直接用在 q 和 k 上，而不是加到词嵌入上。"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .conventions import _check_choice
from .encoding import (
    _DTYPES,
    _as_array,
    _check_base,
    _check_dtype,
    _check_int,
    _check_limit,
    _check_positions,
    _new,
    _prepare_out,
    _show,
    _tiny_is_zero,
    encode_positions,
    sinusoidal_positional_encoding,
)

__all__ = ["rotary_embedding", "rotary_tables"]

_LAYOUTS = ("halves", "interleaved")
_SMALLER = "请减小频率，单位是弧度每位置"
_BLOCK = 1 << 15  # 每块至多这么多对：临时数组不到 2 MB，留在缓存里


def rotary_embedding(
    x: ArrayLike,
    positions: ArrayLike,
    *,
    layout: Literal["halves", "interleaved"] = "halves",
    base: float = 10000.0,
    rotary_dim: int | None = None,
    frequencies: ArrayLike | None = None,
    out: NDArray | None = None,
) -> NDArray:
    r"""把 ``x`` 的每一对分量转过 ``位置 × 角频率``，用于注意力的 q 和 k（不用于 v）。

    第 :math:`i` 对 :math:`(a, b)` 变成

    .. math::
        (a\cos\theta - b\sin\theta,\ a\sin\theta + b\cos\theta), \qquad
        \theta = pos \cdot b^{-2i/r}, \quad i = 0, \dots, r/2 - 1

    其中 :math:`r` 是 ``rotary_dim``。同样转过的 q 和 k，内积只取决于两个位置之差。

    Parameters
    ----------
    x : array_like of float16, float32 or float64, shape (..., seq_len, d)
        q 或 k；倒数第二维是序列，前面是批次、注意力头等。序列在头前面的 ``(batch, seq_len, heads, d)``，
        请把位置写成 ``(seq_len, 1)``。
    positions : array_like of int or float, shape (seq_len,) or broadcastable to ``x.shape[:-1]``
        位置，单位与 ``1/角频率`` 相同。各句不同时写成 ``(batch, 1, seq_len)``，对 ``(batch, heads, seq_len, d)``。
    layout : {"halves", "interleaved"}, default: "halves"
        哪两个分量是一对。``"halves"``：第 i 与第 i + r/2 个（GPT-NeoX、Hugging Face 的 Llama）；
        ``"interleaved"``：第 2i 与第 2i + 1 个（GPT-J、Meta 的 Llama）。两种的权重不能混用。
    base : float, default: 10000.0
        底数，大于 1，不超过 1e300。
    rotary_dim : int, optional
        只转前面这么多个分量，正偶数，不超过 ``d``；其余原样照抄。默认是 ``d``。
    frequencies : array_like, shape (rotary_dim/2,), optional
        直接给出各对的角频率（弧度每位置），代替由 ``base`` 算出的：线性插值、NTK、YaRN、Llama 3.1 都是换一张频率表。
    out : numpy.ndarray, shape and dtype of ``x``, optional
        写入这个数组，可以就是 ``x`` 自己；必须可写、按行连续。

    Returns
    -------
    numpy.ndarray, shape (..., seq_len, d)
        dtype 与 ``x`` 相同。角度和乘积用 float64 计算，最后只舍入一次。

    Raises
    ------
    TypeError
        ``x`` 不是浮点数组，``positions``、``frequencies`` 不是实数，或其余参数的种类不对。
    ValueError
        形状配不上，``d`` 或 ``rotary_dim`` 不是正偶数，``layout`` 不是这两种，又给 ``base`` 又给 ``frequencies``，
        转动之后放不进 ``x`` 的 dtype，其余参数越界，或结果大到内存放不下。

    See Also
    --------
    rotary_tables : 只要余弦表和正弦表，交给别的框架去转。

    Notes
    -----
    来源：Su 等 (2021)，*RoFormer*，3.2 与 3.4 节。除了结果，另用 ``16 × 位置数 × rotary_dim`` 个字节。

    有些系统在转动之外还多一步，``tests/test_rotary.py`` 与它们的数组比过：

    - 几个轴（Qwen2-VL 的 M-RoPE，Pixtral 的行与列）：一个轴转一次，不归这个轴的对，频率写 0，见最后一例。
    - YaRN、LongRoPE：除了换频率表，还把转过的分量乘上一个数。
    - DeepSeek-V3：按 ``"interleaved"`` 转，再排成先偶数列、后奇数列。
    - nanochat：转的方向相反，位置取负。

    Examples
    --------
    >>> rotary_embedding(np.array([[1.0, 2.0, 3.0, 4.0]]), [1]).round(4)
    array([[-1.9841,  1.9599,  2.4624,  4.0198]])
    >>> rotary_embedding(np.array([[1.0, 2.0, 3.0, 4.0]]), [1], layout="interleaved").round(4)
    array([[-1.1426,  1.9221,  2.9599,  4.0298]])

    第 2 行第 3 列的图块：前一对归行，后一对归列，频率都是 0.1。

    >>> patch = np.array([[1.0, 2.0, 3.0, 4.0]])
    >>> for place, own in ([2], [0.1, 0]), ([3], [0, 0.1]):
    ...     patch = rotary_embedding(patch, place, frequencies=own)
    >>> patch.round(4)
    array([[0.3841, 0.7286, 3.1389, 4.4124]])
    """
    x = _as_array("x", x)
    if x.dtype not in _DTYPES:
        raise TypeError(f"x 的 dtype 必须是 float16、float32 或 float64，收到 {x.dtype}；请先写 x.astype(np.float32)。")
    if x.ndim < 2:
        raise ValueError(f"x 的形状必须是 (..., seq_len, d)，至少两维，收到 {x.shape}；只有一个位置时请写 x[None, :]。")
    dim = _check_rotary_dim(rotary_dim, x.shape[-1])
    _check_choice("layout", layout, _LAYOUTS)
    pos = _check_positions("positions", positions)
    try:
        fits = np.broadcast_shapes(pos.shape, x.shape[:-1]) == x.shape[:-1]
    except ValueError:
        fits = False
    if not fits:
        each = f"每个词一个位置时请给 ({x.shape[-2]},)"
        if x.ndim > 3:  # 常见的 (batch, seq_len) 缺了注意力头那一维
            each += f"，各句不同时请给 {(x.shape[0], *[1] * (x.ndim - 3), x.shape[-2])}"
        raise ValueError(
            f"positions 的形状必须能广播到 x 去掉最后一维的形状 {x.shape[:-1]}，收到 {pos.shape}；{each}。"
        )
    table = _table(pos, dim, base, frequencies)
    target = _new(x.shape, x.dtype) if out is None else _prepare_out(out, x.shape, x.dtype)
    if target is not x and np.may_share_memory(target, x):
        x = x.copy()  # 错开着重叠：写下的会盖住还没读的
    if target is not x:
        target[..., dim:] = x[..., dim:]
    first, second = _pairs(dim, layout)
    # 一维的 positions 广播到每一句、每一头；下标对齐之后就能分块
    table = table.reshape(*[1] * (x.ndim - 1 - pos.ndim), *table.shape)
    halves = [x[..., first], x[..., second], table, np.asarray(target)[..., first], np.asarray(target)[..., second]]
    try:
        # 一对的长度不变，一个分量却可能变大到 √2 倍，越出 dtype 的范围；x 里本有的无穷转出来不是数，不必警告
        with _tiny_is_zero(), np.errstate(invalid="ignore", over="raise"):
            _turn(*halves)
    except FloatingPointError:
        largest = np.finfo(x.dtype).max
        raise ValueError(
            f"x 转动之后必须放得进 {x.dtype}，收到绝对值接近上限 {largest:.5g} 的数；请先缩小，或换成更宽的 dtype。"
        ) from None
    return target


def rotary_tables(
    positions: ArrayLike,
    rotary_dim: int,
    *,
    layout: Literal["halves", "interleaved"] = "halves",
    base: float = 10000.0,
    frequencies: ArrayLike | None = None,
    dtype: DTypeLike = np.float32,
) -> tuple[NDArray, NDArray]:
    r"""返回各个框架要的余弦表和正弦表，每一对的角度写两遍，与 ``x`` 的分量一一对应。

    Parameters
    ----------
    positions : array_like of int or float, shape (...)
        位置，绝对值不超过 2**53。
    rotary_dim : int
        转动的分量数，正偶数。
    layout : {"halves", "interleaved"}, default: "halves"
        ``"halves"`` 把 ``rotary_dim/2`` 个角度整串写两遍；``"interleaved"`` 把每个角度连写两遍。
    base : float, default: 10000.0
        底数，大于 1，不超过 1e300。
    frequencies : array_like, shape (rotary_dim/2,), optional
        直接给出各对的角频率，代替由 ``base`` 算出的。
    dtype : float16, float32 or float64, default: float32
        结果的 dtype。角度总是 float64，最后只舍入一次。

    Returns
    -------
    cos, sin : numpy.ndarray, shape (..., rotary_dim)
        无单位，值在 [-1, 1] 内。

    Raises
    ------
    TypeError
        参数的种类不对。
    ValueError
        ``rotary_dim`` 不是正偶数，``layout`` 不在上面两种之内，其余参数越界，或结果大到内存放不下。

    Notes
    -----
    来源：Su 等 (2021) 3.4.2 节。写法与 Hugging Face 的 ``LlamaRotaryEmbedding``（halves）、diffusers 的
    ``get_1d_rotary_pos_embed``（``repeat_interleave_real=True`` 时是 interleaved）相同。

    Examples
    --------
    >>> cos, sin = rotary_tables([0, 1], 4)
    >>> sin.round(4)
    array([[0.    , 0.    , 0.    , 0.    ],
           [0.8415, 0.01  , 0.8415, 0.01  ]], dtype=float32)
    """
    dim = _check_rotary_dim(rotary_dim, None)
    _check_choice("layout", layout, _LAYOUTS)
    dtype = _check_dtype(dtype)
    table = _table(_check_positions("positions", positions), dim, base, frequencies)
    results = []
    for k in (1, 0):  # 表里一对是（正弦，余弦）
        result = _new((*table.shape[:-1], dim), dtype)
        with _tiny_is_zero():
            for part in _pairs(dim, layout):
                result[..., part] = table[..., k::2]
        results.append(result)
    return results[0], results[1]


def _pairs(dim: int, layout: str) -> tuple[slice, slice]:
    """每一对的第一个、第二个分量各在哪里。"""
    if layout == "halves":
        return slice(0, dim // 2), slice(dim // 2, dim)
    return slice(0, dim, 2), slice(1, dim, 2)


def _table(pos: NDArray[np.float64], dim: int, base: float, frequencies: ArrayLike | None) -> NDArray[np.float64]:
    """各位置的（正弦，余弦），交错布局，float64；连续的位置走整张表的快路。"""
    if frequencies is not None:
        omega = _check_frequencies(frequencies, dim, base)
        _check_limit("positions · frequencies", float(np.abs(pos).max(initial=0) * np.abs(omega).max()), _SMALLER)
        table = _new((*pos.shape, dim), np.float64)
        with _tiny_is_zero():
            angle = pos[..., None] * omega
            np.sin(angle, out=table[..., 0::2])
            np.cos(angle, out=table[..., 1::2])
        return table
    if pos.ndim == 1 and pos.size > 1 and pos[0] == np.rint(pos[0]) and (np.diff(pos) == 1).all():
        return sinusoidal_positional_encoding(pos.size, dim, base=base, offset=int(pos[0]), dtype=np.float64)
    return encode_positions(pos, dim, base=base, dtype=np.float64)


def _turn(a: NDArray, b: NDArray, table: NDArray[np.float64], to_a: NDArray, to_b: NDArray) -> None:
    """写出转过的两半。分块进行：一块的临时数组留在缓存里；两半都算好再写，所以可以就地转。"""
    if a.size > _BLOCK and max(a.shape[:-1], default=1) > 1:
        axis = next(k for k, size in enumerate(a.shape[:-1]) if size > 1)
        rows = max(1, a.shape[axis] * _BLOCK // a.size)
        for start in range(0, a.shape[axis], rows):
            part = (slice(None),) * axis + (slice(start, start + rows),)
            same = part if table.shape[axis] > 1 else ()
            _turn(a[part], b[part], table[same], to_a[part], to_b[part])
        return
    sin, cos = table[..., 0::2], table[..., 1::2]
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    real = wide_a * cos
    real -= wide_b * sin
    wide_a *= sin
    wide_b *= cos
    wide_a += wide_b
    to_a[...], to_b[...] = real, wide_a


def _check_rotary_dim(rotary_dim: object, width: int | None) -> int:
    """检查转动的分量数；``width`` 是 ``x`` 的最后一维，没有 ``x`` 就是 None。"""
    whole = rotary_dim is None and width is not None
    dim = width if whole else _check_int("rotary_dim", rotary_dim, 8)
    if dim < 2 or dim % 2:
        near = "最小的可用值是 2" if dim < 2 else f"最近的可用值是 {dim - 1} 和 {dim + 1}"
        name, more = "rotary_dim ", ""
        if whole:
            name, more = "x 的最后一维", "；只转一部分时请给 rotary_dim" if dim > 2 else ""
        raise ValueError(f"{name}必须是正偶数（两个分量一对），收到 {dim}；{near}{more}。")
    if width is not None and dim > width:
        raise ValueError(f"rotary_dim 不能超过 x 的最后一维 {width}，收到 {dim}；请减小它，或不写（全部都转）。")
    return dim


def _check_frequencies(frequencies: ArrayLike, dim: int, base: object) -> NDArray[np.float64]:
    if _check_base(base) != 10000.0:
        raise ValueError(f"frequencies 与 base 只能给一个，收到的 base 是 {_show(base)}；已有频率表时请不写 base。")
    omega = _check_positions("frequencies", frequencies, _SMALLER)
    if omega.shape != (dim // 2,):
        raise ValueError(f"frequencies 的形状必须是 ({dim // 2},)，每对一个，收到 {omega.shape}；请按对给出角频率。")
    return omega
