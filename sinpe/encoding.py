"""正弦位置编码的计算。只依赖 NumPy，不依赖本包的其他文件，可以单独复制到别的项目里用。

记号与论文一致：``pos`` 是位置，``i = 0 … d_model/2 - 1`` 是一对（正弦，余弦）的编号，
``omega_i = base**(-2i/d_model)`` 是这一对的角频率。来源：Vaswani 等 (2017) 3.5 节。
"""

from __future__ import annotations

import math
import operator
import sys

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = [
    "add_positional_encoding",
    "angular_frequencies",
    "encode_positions",
    "sinusoidal_positional_encoding",
    "wavelengths",
]

_POSITION_LIMIT = 2**53  # 再大，float64 已分不清相邻的两个整数
_BASE_LIMIT = 1e300  # 再大，1/base 就接近 float64 正常范围的下限 2.2e-308
_DTYPES = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64))
_SMALL = 1 << 10  # 不超过这么多对时直接算：旋转要多调用十几次 NumPy，每次约半微秒，省不回来
_BLOCK = 1 << 13  # 每块这么多对：三个工作数组各占 128 KB，都留在二级缓存里
_DIRECT = 1 << 7  # 最前面的行，直接算这么多对：不比多调用几次 NumPy 费时
_GROUP = 16  # 每这么多块从正弦、余弦重新出发一次


def sinusoidal_positional_encoding(
    seq_len: int,
    d_model: int,
    *,
    base: float = 10000.0,
    offset: float = 0,
    dtype: DTypeLike = np.float32,
    out: NDArray | None = None,
) -> NDArray:
    r"""返回正弦位置编码表。

    .. math::
        PE_{pos,\,2i} = \sin(pos \cdot b^{-2i/d}), \qquad
        PE_{pos,\,2i+1} = \cos(pos \cdot b^{-2i/d}), \qquad i = 0, \dots, d/2 - 1

    Parameters
    ----------
    seq_len : int
        位置的个数，不小于 0。
    d_model : int
        模型维度 :math:`d`，正偶数。
    base : float, default: 10000.0
        底数 :math:`b`，大于 1，不超过 1e300。
    offset : int or float, default: 0
        第一行的位置，可以是负数或小数；第 ``k`` 行是位置 ``offset + k``。
    dtype : float16, float32 or float64, default: float32
        结果的 dtype。角度总是用 float64 计算，最后只舍入一次。
    out : numpy.ndarray, shape (seq_len, d_model), optional
        写入这个数组（可以是 ``numpy.memmap``），而不新建。必须可写、按行连续，且 dtype 与 ``dtype`` 相同。

    Returns
    -------
    numpy.ndarray, shape (seq_len, d_model)
        按行连续的编码表，无单位，值在 [-1, 1] 内（float64 的末位可能多出一个单位）；给了 ``out`` 就返回 ``out``。

    Raises
    ------
    TypeError
        参数的种类不对：个数不是整数，``base``、``offset`` 不是实数，``dtype`` 不是三种浮点之一，``out`` 不是数组。
    ValueError
        ``seq_len`` 为负，``d_model`` 不是正偶数，``base`` 越界，有位置的绝对值超过 2**53，
        ``out`` 的形状、dtype、布局不符或只读，或者表大到内存放不下。

    See Also
    --------
    encode_positions : 任意位置，不必是连续的整数。

    Notes
    -----
    来源：Vaswani 等 (2017) 3.5 节。

    一行只取决于它的位置。``seq_len * d_model`` 超过 2048 的表由旋转算出，从哪里切开、切多长，同一个位置的行逐位相同
    （``offset`` 是小数时，小数部分要相同）；不超过 2048 的，与 ``encode_positions`` 逐位相同。这两种算法都在误差的承诺
    之内，彼此的角度可以差到 ``eps * |pos|``，所以 float32 的末位偶尔不同：d_model = 512 时，位置 3000 附近约千分之二的
    行里有一个数差一个末位单位，位置一百万附近约五分之一的行。

    Examples
    --------
    >>> pe = sinusoidal_positional_encoding(5, 8)
    >>> pe.shape
    (5, 8)
    >>> pe[:2].round(4)
    array([[0.    , 1.    , 0.    , 1.    , 0.    , 1.    , 0.    , 1.    ],
           [0.8415, 0.5403, 0.0998, 0.995 , 0.01  , 1.    , 0.001 , 1.    ]],
          dtype=float32)
    """
    seq_len = _check_seq_len(seq_len)
    omega = angular_frequencies(d_model, base=base)
    offset = _check_position("offset", offset)
    _check_limit("offset + seq_len - 1", offset + max(seq_len - 1, 0))  # 首末两行不越界，中间的行便也不越界
    out = _prepare_out(out, (seq_len, 2 * omega.size), dtype)
    with _tiny_is_zero():
        _fill_consecutive(np.asarray(out), offset, omega)
    return out


def encode_positions(
    positions: ArrayLike,
    d_model: int,
    *,
    base: float = 10000.0,
    dtype: DTypeLike = np.float32,
    out: NDArray | None = None,
) -> NDArray:
    r"""返回任意位置的正弦位置编码。

    Parameters
    ----------
    positions : array_like of int or float, shape (...)
        位置，任意形状；可以是负数或小数，绝对值不超过 2**53。
    d_model : int
        模型维度，正偶数。
    base : float, default: 10000.0
        底数，大于 1，不超过 1e300。
    dtype : float16, float32 or float64, default: float32
        结果的 dtype。位置和角度总是 float64，最后只舍入一次。
    out : numpy.ndarray, shape (..., d_model), optional
        写入这个数组，而不新建。必须可写、按行连续，且 dtype 与 ``dtype`` 相同。

    Returns
    -------
    numpy.ndarray, shape (..., d_model)
        形状是 ``positions`` 的形状后面添一维 ``d_model``；给了 ``out`` 就返回 ``out``。

    Raises
    ------
    TypeError
        ``positions`` 不是实数，或其余参数的种类不对。
    ValueError
        ``positions`` 有非有限值或绝对值超过 2**53，其余参数越界，或结果大到内存放不下。

    See Also
    --------
    sinusoidal_positional_encoding : 从 ``offset`` 起的连续位置。

    Notes
    -----
    来源：Vaswani 等 (2017) 3.5 节，公式中的 ``pos`` 取任意实数。

    Examples
    --------
    >>> encode_positions([0, 0.5, -1], 4).round(4)
    array([[ 0.    ,  1.    ,  0.    ,  1.    ],
           [ 0.4794,  0.8776,  0.005 ,  1.    ],
           [-0.8415,  0.5403, -0.01  ,  1.    ]], dtype=float32)
    """
    pos = _check_positions("positions", positions)
    omega = angular_frequencies(d_model, base=base)
    out = _prepare_out(out, (*pos.shape, 2 * omega.size), dtype)
    with _tiny_is_zero():
        _fill_each(np.asarray(out).reshape(pos.size, 2 * omega.size), pos.reshape(-1), omega)
    return out


def angular_frequencies(d_model: int, *, base: float = 10000.0) -> NDArray[np.float64]:
    r"""返回每一对维度的角频率 :math:`\omega_i = b^{-2i/d}`。

    Parameters
    ----------
    d_model : int
        模型维度 :math:`d`，正偶数。
    base : float, default: 10000.0
        底数 :math:`b`，大于 1，不超过 1e300。

    Returns
    -------
    numpy.ndarray, shape (d_model/2,), float64
        单位：弧度每位置。首项 1，逐项递减，末项 ``base**(-(d_model-2)/d_model)``，大于 ``1/base``；
        ``base`` 极接近 1 时，相邻的项舍入后可能相等。

    Raises
    ------
    TypeError
        ``d_model`` 不是整数，或 ``base`` 不是实数。
    ValueError
        ``d_model`` 不是正偶数，``base`` 不在 (1, 1e300] 内，或结果大到内存放不下。

    Notes
    -----
    来源：Vaswani 等 (2017) 3.5 节。

    Examples
    --------
    >>> angular_frequencies(8)
    array([1.   , 0.1  , 0.01 , 0.001])
    """
    d_model = _check_d_model(d_model)
    base = _check_base(base)
    omega = _new((d_model // 2,), np.float64)
    return np.power(base, np.arange(0.0, -d_model, -2.0) / d_model, out=omega)


def wavelengths(d_model: int, *, base: float = 10000.0) -> NDArray[np.float64]:
    r"""返回每一对维度的波长 :math:`\lambda_i = 2\pi / \omega_i = 2\pi\, b^{2i/d}`。

    Parameters
    ----------
    d_model : int
        模型维度 :math:`d`，正偶数。
    base : float, default: 10000.0
        底数 :math:`b`，大于 1，不超过 1e300。

    Returns
    -------
    numpy.ndarray, shape (d_model/2,), float64
        单位：位置。首项 2π，逐项递增，末项 ``2π·base**((d_model-2)/d_model)``，小于 ``2π·base``；
        ``base`` 极接近 1 时，相邻的项舍入后可能相等。

    Raises
    ------
    TypeError
        ``d_model`` 不是整数，或 ``base`` 不是实数。
    ValueError
        ``d_model`` 不是正偶数，``base`` 不在 (1, 1e300] 内，或结果大到内存放不下。

    Notes
    -----
    来源：Vaswani 等 (2017) 3.5 节。

    Examples
    --------
    >>> wavelengths(4).round(2)
    array([  6.28, 628.32])
    """
    return 2 * np.pi / angular_frequencies(d_model, base=base)


def add_positional_encoding(
    x: ArrayLike, *, offset: float | None = None, positions: ArrayLike | None = None, base: float = 10000.0
) -> NDArray:
    """返回 ``x`` 加上位置编码的结果，``x`` 本身不变。

    Parameters
    ----------
    x : array_like of float16, float32 or float64, shape (..., seq_len, d_model)
        词嵌入；倒数第二维总是序列，前面的维度（如批次）共用同一张编码表。
    offset : int or float, optional
        第一个词的位置，不写就是 0；逐词生成时，传入已缓存的长度。
    positions : array_like of int or float, shape (seq_len,) or (..., seq_len), optional
        每个词的位置，代替 ``offset``；形状要能扩展成 ``x.shape[:-1]``。左边有填充的批次，用
        ``positions=positions_from_mask(mask)``。
    base : float, default: 10000.0
        底数，大于 1，不超过 1e300。

    Returns
    -------
    numpy.ndarray, shape (..., seq_len, d_model)
        dtype 与 ``x`` 相同；和用 float64 计算，最后只舍入一次。

    Raises
    ------
    TypeError
        ``x`` 不是浮点数组，或其余参数的种类不对。
    ValueError
        ``x`` 不足两维，最后一维不是正偶数，``offset`` 与 ``positions`` 都给了，``positions`` 的形状不合，
        其余参数越界，或结果大到内存放不下。

    See Also
    --------
    positions_from_mask : 由填充的掩码得到位置。

    Notes
    -----
    来源：Vaswani 等 (2017) 3.5 节；3.4 节在相加之前先把词嵌入乘以 ``sqrt(d_model)``，这一步由调用者决定。

    Examples
    --------
    >>> x = np.zeros((2, 3, 4), dtype=np.float32)  # (batch, seq_len, d_model)
    >>> y = add_positional_encoding(x, offset=1)
    >>> y.shape
    (2, 3, 4)
    >>> y[1, 0].round(4)
    array([0.8415, 0.5403, 0.01  , 1.    ], dtype=float32)
    >>> y = add_positional_encoding(x, positions=[[0, 0, 1], [0, 1, 2]])  # 第一句左边填充了一格
    >>> bool((y[0, 2] == y[1, 1]).all())
    True
    """
    x = _as_array("x", x)
    if x.dtype not in _DTYPES:
        raise TypeError(f"x 的 dtype 必须是 float16、float32 或 float64，收到 {x.dtype}；请先写 x.astype(np.float32)。")
    if x.ndim < 2:
        raise ValueError(
            f"x 的形状必须是 (..., seq_len, d_model)，至少两维，收到 {x.shape}；只有一个位置时请写 x[None, :]。"
        )
    if positions is None:
        offset = 0 if offset is None else offset
        pe = sinusoidal_positional_encoding(*x.shape[-2:], base=base, offset=offset, dtype=np.float64)
    elif offset is not None:
        raise ValueError(f"offset 和 positions 只能给一个，收到 offset={_show(offset)}；起点不同请加进 positions 里。")
    else:
        pe = encode_positions(_match_positions(positions, x.shape), x.shape[-1], base=base, dtype=np.float64)
    # 和在 float64 里算，写出时才转成 x 的 dtype，所以只舍入一次
    with _tiny_is_zero():
        return np.add(x, pe, out=_new(x.shape, x.dtype), casting="same_kind")


def _match_positions(positions: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """检查 ``positions`` 能不能扩展成 ``(..., seq_len)``。长度 1 的序列轴不扩展：那样每个词的位置都相同。"""
    pos = _check_positions("positions", positions)
    wanted = shape[:-1]
    tail = wanted[len(wanted) - pos.ndim :]
    fits = 1 <= pos.ndim <= len(wanted) and all(n in (1, m) for n, m in zip(pos.shape, tail, strict=True))
    if not fits or pos.shape[-1] != wanted[-1]:
        raise ValueError(
            f"positions 的形状必须是 {wanted[-1:]}，或能扩展成 {wanted}，收到 {pos.shape}；最后一维是词，前面的是批次。"
        )
    return pos


def _tiny_is_zero() -> np.errstate:
    """极小的角度、float16 里极小的值，下溢成 0 正是对的；调用者设了 ``np.seterr(all="raise")`` 也不该报错。"""
    return np.errstate(under="ignore")


def _fill_each(out: NDArray, pos: NDArray[np.float64], omega: NDArray[np.float64]) -> None:
    """逐个位置计算：第 ``k`` 行写 ``pos[k]`` 的编码。分块进行，临时数组不随 ``pos`` 变长。"""
    block = max(1, _BLOCK // omega.size)
    for start in range(0, pos.size, block):
        rows = slice(start, start + block)
        angle = pos[rows, None] * omega  # (block, d_model/2)
        np.sin(angle, out=out[rows, 0::2], casting="same_kind")
        np.cos(angle, out=out[rows, 1::2], casting="same_kind")


def _fill_consecutive(table: NDArray, offset: float, omega: NDArray[np.float64]) -> None:
    """第 ``k`` 行写位置 ``offset + k`` 的编码，交错布局。"""
    seq_len = len(table)
    if seq_len * omega.size <= _SMALL:
        _fill_each(table, offset + np.arange(seq_len, dtype=np.float64), omega)
    else:
        # 分成负、非负两段，各从靠近 0 的一端往外算：中间量的位置不超过所求的位置，误差也就不超过 eps·|pos| 的量级
        negative = min(seq_len, max(0, math.ceil(-offset)))
        if negative < seq_len:
            _fill_outward(table[negative:], offset + negative, omega)
        if negative:
            _fill_outward(table[:negative][::-1], -(offset + negative - 1), -omega)


def _fill_outward(out: NDArray, first: float, omega: NDArray[np.float64]) -> None:
    r"""用旋转计算：第 ``k`` 行写位置 ``first + k`` 的编码，``first`` 不小于 0。

    把一对（正弦，余弦）看成复数 :math:`z_{pos} = \sin(\omega\,pos) + j\cos(\omega\,pos)`，平移就是旋转：
    :math:`z_{a+b} = z_a\, e^{-j\omega b}`。于是正弦、余弦只算少数几行，其余每个数只要一次复数乘法，最后只舍入一次。

    块和组都从位置 0 数起，与 ``first`` 无关：同一个位置总由同样的几个数、按同样的次序相乘得到，从哪里切开都逐位相同。
    一块的行数是 2 的幂，块内转的角度都是 ``omega`` 乘以 2 的幂，没有舍入。
    """
    block = 1 << max(1, _BLOCK // omega.size).bit_length() - 1  # 只看 d_model，不看表的大小
    start = int(first)
    stop = start + len(out)
    blocks = range(start // block, -(-stop // block))  # 要写的块
    chain = range(blocks.start // _GROUP * _GROUP, blocks.stop)  # 要算的块：从组的开头起
    zero = _first_rows(min(block, stop - block * blocks.start), omega)  # 第 0 块；其余各块由它转出
    if len(chain) > 1:  # 一块转到下一块。先铺满一块再乘：两边形状相同时，NumPy 的乘法快一半
        spin = np.empty_like(zero)
        spin[...] = _turn(-block * omega)
    for k in chain:
        if k % _GROUP == 0:  # 组的第一块，转多少直接由正弦、余弦算出
            shift = first - start + block * k
            z = zero * _turn(-shift * omega) if shift else zero
        else:
            z = np.multiply(z, spin, out=None if z is zero else z)
        if k >= blocks.start:
            rows = slice(max(start - block * k, 0), min(stop - block * k, block))
            to = block * k - start
            out[to + rows.start : to + rows.stop] = z[rows].view(np.float64)


def _first_rows(count: int, omega: NDArray[np.float64]) -> NDArray[np.complex128]:
    """返回位置 0 到 ``count - 1`` 的 ``sin + j·cos``。先直接算几行，再一次次翻倍，正弦、余弦只多算 log2(count) 行。"""
    first = 1 << max(1, _DIRECT // omega.size).bit_length() - 1
    doubled = [first << k for k in range((-(-count // first) - 1).bit_length())]  # 翻倍之前已有的行数
    # 负号：z_{a+b} = z_a · e^{-jωb}
    turn = _turn(np.multiply.outer(np.array([*range(0, -first, -1), *(-rows for rows in doubled)], float), omega))
    # 每次都整个翻倍，哪怕最后用不完：NumPy 1.26 的复数乘法，舍入随两块内存是否相邻而不同
    z = np.empty((first << len(doubled), omega.size), np.complex128)
    np.multiply(turn[:first], 1j, out=z[:first])
    for rows, more in zip(doubled, turn[first:], strict=True):
        np.multiply(z[:rows], more, out=z[rows : 2 * rows])
    return z[:count]


def _turn(angle: NDArray[np.float64]) -> NDArray[np.complex128]:
    """返回 ``e^{j·angle}``。"""
    turn = np.empty(angle.shape, np.complex128)
    np.cos(angle, out=turn.real)
    np.sin(angle, out=turn.imag)
    return turn


def _show(value: object) -> str:
    """把收到的值写成一行短文字，供报错用。"""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # 超长整数、写坏了的 __repr__：报错本身不能再出错
        text = "无法显示的值"
    return f"{text if len(text) <= 40 else text[:39] + '…'}（{type(value).__name__}）"


def _check_int(name: str, value: object, example: int) -> int:
    try:
        if isinstance(value, (bool, np.bool_)):  # NumPy 1 的布尔值也能当下标用，只给一句警告
            raise TypeError
        result = operator.index(value)
    except Exception:  # 不只 TypeError：__index__ 里什么错都可能有
        raise TypeError(f"{name} 必须是整数，收到 {_show(value)}；请换成整数，例如 {example}。") from None
    if abs(result) > sys.maxsize:  # NumPy 的形状放不下，超长的整数连打印也打印不出
        raise ValueError(f"{name} 不能超过 {sys.maxsize}，收到 {_show(value)}；请换成小一些的整数，例如 {example}。")
    return result


def _check_float(name: str, value: object, example: str) -> float:
    """接受 Python 和 NumPy 的实数标量，一律变成 float；大到 float 放不下的成了 inf，由各自的上限去管。"""
    if not isinstance(value, (int, float, np.integer, np.floating)) or isinstance(value, (bool, np.timedelta64)):
        raise TypeError(f"{name} 必须是实数，收到 {_show(value)}；请换成一个数，例如 {example}。")
    finite = math.isfinite if isinstance(value, (int, float)) else np.isfinite  # 前者快；后者认得 np.longdouble
    if not isinstance(value, int) and not finite(value):
        raise ValueError(f"{name} 必须是有限的数，收到 {_show(value)}；请换成一个有限的数，例如 {example}。")
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _check_seq_len(seq_len: object) -> int:
    seq_len = _check_int("seq_len", seq_len, 5)
    if seq_len < 0:
        raise ValueError(f"seq_len 不能是负数，收到 {seq_len}；要空表请写 0。")
    return seq_len


def _check_d_model(d_model: object) -> int:
    d_model = _check_int("d_model", d_model, 8)
    if d_model < 2:
        raise ValueError(f"d_model 必须是正偶数，收到 {d_model}；最小的可用值是 2。")
    if d_model % 2:
        raise ValueError(f"d_model 必须是正偶数，收到 {d_model}；最近的可用值是 {d_model - 1} 和 {d_model + 1}。")
    return d_model


def _check_base(base: object) -> float:
    number = _check_float("base", base, "10000")
    if number <= 1:
        raise ValueError(
            f"base 必须大于 1（等于 1 时各对频率全相同，小于 1 时越往右越快），收到 {_show(base)}；论文取 10000。"
        )
    if number > _BASE_LIMIT:
        raise ValueError(
            f"base 不能超过 1e300（再大，最低的频率接近 float64 能存下的最小的数），收到 {_show(base)}；论文取 10000。"
        )
    return number


def _check_position(name: str, pos: object) -> int | float:
    """一个位置。范围在转换之前检查，整数保持为整数：转成 float，2**53 + 1 就成了 2**53。"""
    number = _check_float(name, pos, "0")
    pos = int(pos) if isinstance(pos, (int, np.integer)) else number  # np.float16 与 2**53 比较会溢出
    _check_limit(name, pos)
    return pos


def _check_limit(name: str, pos: float, way_out: str = "请减去公共起点") -> None:
    if abs(pos) > _POSITION_LIMIT:
        raise ValueError(f"{name} 的绝对值不能超过 2**53（再大就分不清相邻整数），收到 {_show(pos)}；{way_out}。")


def _as_array(name: str, value: ArrayLike) -> NDArray:
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} 不能是带掩码的数组，被遮住的值会悄悄露出来，收到 {_show(value)}；请先用 filled 填好。")
    try:
        return np.asarray(value)
    except Exception as error:  # 参差的列表、拒绝转换的张量等：原因各异，原样附在后面
        raise TypeError(f"{name} 必须能变成 NumPy 数组，收到 {_show(value)}；请先用 np.asarray 转换。") from error


def _check_positions(name: str, positions: ArrayLike, way_out: str = "请减去公共起点") -> NDArray[np.float64]:
    """返回 float64 数组。范围在转换之前检查：2**53 + 1 转成 float64 就成了 2**53。"""
    pos = _as_array(name, positions)
    if pos.dtype == object and pos.size and all(type(item) is int for item in pos.flat):
        _check_limit(name, max(pos.flat, key=abs), way_out)  # 超出 64 位的整数，NumPy 只能存成 object
    if pos.dtype.kind not in "iuf":
        raise TypeError(f"{name} 必须是整数或浮点数，收到 dtype 为 {pos.dtype} 的 {_show(positions)}；请先转换成数。")
    if pos.size:
        low, high = (pos.item(),) * 2 if pos.size == 1 else (pos.min().item(), pos.max().item())
        if not (np.isfinite(low) and np.isfinite(high)):
            index = tuple(map(int, np.argwhere(~np.isfinite(pos))[0]))
            where = f"下标 {index} 处是" if index else "收到"
            raise ValueError(f"{name} 必须全部有限，{where} {float(pos[index])}；请先去掉或填补它。")
        _check_limit(name, low, way_out)
        _check_limit(name, high, way_out)
    result = _new(pos.shape, np.float64)
    with _tiny_is_zero():  # 比 float64 更宽的类型里极小的位置
        result[...] = pos
    return result


def _check_dtype(dtype: DTypeLike) -> np.dtype:
    try:
        result = None if dtype is None else np.dtype(dtype)  # np.dtype(None) 会悄悄变成 float64
    except Exception:  # 认不出的名字、残缺的结构：一律按不认识处理
        result = None
    if result is None or result not in _DTYPES:
        raise TypeError(
            f"dtype 必须是 float16、float32 或 float64，收到 {_show(dtype)}；编码是 [-1, 1] 内的小数，请用 np.float32。"
        )
    return result


def _new(shape: tuple[int, ...], dtype: DTypeLike, make=np.empty, way_out="请减小形状，或分几次计算") -> NDArray:
    try:
        return make(shape, dtype)
    except (MemoryError, ValueError, OverflowError):
        received = f"形状 {shape}、dtype {np.dtype(dtype)}"
        raise ValueError(f"内存必须放得下结果，收到{received}；{way_out}。") from None


def _prepare_out(out: NDArray | None, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray:
    """检查调用者给的 ``out``；没有给就新建一个。"""
    dtype = _check_dtype(dtype)
    if out is None:
        return _new(shape, dtype, way_out="请减小形状，大表可用 out=np.memmap(...)")
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out 必须是 NumPy 数组，收到 {_show(out)}；请用 np.empty({shape}, np.{dtype}) 新建。")
    if isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"out 不能是带掩码的数组，被遮住的数写了也看不见，收到 {_show(out)}；请改传 out.data。")
    if out.shape != shape:
        raise ValueError(f"out 的形状必须是 {shape}，收到 {out.shape}；请用 np.empty({shape}, np.{dtype}) 新建。")
    if out.dtype != dtype:
        raise ValueError(f"out 的 dtype 必须与参数 dtype 相同，应为 {dtype}，收到 {out.dtype}；请写 dtype=out.dtype。")
    if not out.flags.c_contiguous:
        raise ValueError(f"out 必须按行连续（C-contiguous），收到步长 {out.strides}；请用 np.empty 新建，再复制过去。")
    if not out.flags.writeable:
        raise ValueError("out 必须可写，收到只读数组；请换一个可写的数组，memmap 请用 mode='r+' 打开。")
    return out


def _print_example() -> None:
    pe = sinusoidal_positional_encoding(5, 8)
    print(pe.shape)
    print(np.array2string(pe, precision=4, suppress_small=True))


if __name__ == "__main__":
    _print_example()
