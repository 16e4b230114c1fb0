"""二维、三维网格的编码：每个轴分得一些列，分别编码，再按某个系统的次序拼起来。"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .conventions import Convention, _check_choice, encode
from .encoding import _check_dtype, _check_int, _check_limit, _check_position, _prepare_out, _show

__all__ = ["grid_encoding"]

_LAYOUTS = {  # 布局的名字：一个轴先按哪种布局编码
    "sin_cos": "sin_cos",
    "interleaved": "interleaved",
    "timm": "sin_cos",
    "loftr": "interleaved",
}
_ORDERS = {"C": "按行", "F": "按列"}
_Axis = Literal["z", "y", "x"]


def grid_encoding(
    height: int,
    width: int,
    d_model: int,
    *,
    depth: int | None = None,
    axes: Sequence[_Axis] | None = None,
    widths: Sequence[int] | None = None,
    layout: Literal["sin_cos", "interleaved", "timm", "loftr"] = "sin_cos",
    endpoint: bool = False,
    order: Literal["C", "F"] = "C",
    start: float = 0,
    base: float = 10000.0,
    dtype: DTypeLike = np.float32,
    out: NDArray | None = None,
) -> NDArray:
    r"""返回二维或三维网格的编码，例如图像、视频切成的小块。

    一个轴分得 :math:`w` 列，有 :math:`w/2` 个频率：``endpoint=False`` 时是 :math:`b^{-2i/w}`，``endpoint=True`` 时是
    :math:`b^{-i/(w/2-1)}`，末项恰为 :math:`1/b`。

    Parameters
    ----------
    height : int
        行数，不小于 0。
    width : int
        列数，不小于 0。
    d_model : int
        模型维度 :math:`d`。各轴均分时，是 4（两个轴）或 6（三个轴）的正倍数。
    depth : int, optional
        层数，不小于 0，例如视频的帧数；给了它，网格就有三个轴。
    axes : sequence of {"z", "y", "x"}, optional
        列里哪个轴在前。``"z"`` 是层号，``"y"`` 是行号，``"x"`` 是列号。默认 ``("y", "x")``，三个轴时
        ``("z", "y", "x")``。
    widths : sequence of int, optional
        ``axes`` 里的每个轴分得几列，都是正偶数，加起来是 ``d_model``；默认均分。
    layout : {"sin_cos", "interleaved", "timm", "loftr"}, default: "sin_cos"
        列的次序。设第一个轴的正弦、余弦是 s、c，第二个轴的是 S、C：``"sin_cos"`` 是 ``[s | c | S | C]``；
        ``"interleaved"`` 是 ``[s0 c0 s1 c1 … | S0 C0 S1 C1 …]``；``"timm"`` 是 ``[s | S | c | C]``；
        ``"loftr"`` 是 ``[s0 c0 S0 C0 s1 c1 S1 C1 …]``。后两种要求各轴均分。
    endpoint : bool, default: False
        频率表是否到达 ``1/base``。
    order : {"C", "F"}, default: "C"
        网格怎样排成一列：``"C"`` 一行接一行，一层接一层；``"F"`` 反过来，一列接一列，层号变得最快。
    start : int or float, default: 0
        第一层、第一行、第一列的号码，可以是负数或小数。
    base : float, default: 10000.0
        底数 :math:`b`，大于 1，不超过 1e300。
    dtype : float16, float32 or float64, default: float32
        结果的 dtype。角度总是 float64，最后只舍入一次。
    out : numpy.ndarray, optional
        写入这个数组（可以是 ``numpy.memmap``），而不新建。必须可写、按行连续，形状和 dtype 与结果相同。

    Returns
    -------
    numpy.ndarray, shape (height * width, d_model) or (depth * height * width, d_model)
        每个格子一行，按行连续；给了 ``out`` 就返回 ``out``。

    Raises
    ------
    TypeError
        参数的种类不对。
    ValueError
        个数为负，``d_model`` 不能这样分给各轴，``axes``、``layout``、``order`` 不在上面列出的之内，``base`` 越界，
        号码的绝对值超过 2**53，``out`` 不合要求，或结果大到内存放不下。

    See Also
    --------
    encode : 一个轴的编码。

    Notes
    -----
    真实系统的写法，没写的参数取默认值：

    - MAE、DiT：``axes=("x", "y")``。
    - Hugging Face 的 RT-DETR、5.9.0 起的 ViT-MAE：全是默认值；5.8.1 为止的 ViT-MAE 与 MAE 相同。
    - MoCo v3：``axes=("x", "y"), order="F"``。
    - big_vision：``axes=("x", "y"), endpoint=True``。
    - timm：``layout="timm"``；``reverse_coord=True`` 时是 ``axes=("x", "y"), order="F", layout="timm"``。
    - DETR，不归一化：``layout="interleaved", start=1``。
    - LoFTR：``axes=("x", "y"), layout="loftr", start=1``。
    - V-JEPA：``depth=帧数, widths=(d//2, d//4, d//4)``；``uniform_power=True``、d 是 6 的倍数时只要 ``depth=帧数``。
    - diffusers 的 CogVideoX：``depth=帧数, axes=("z", "x", "y"), widths=(d//4, 3*d//8, 3*d//8)``。

    来源：facebookresearch/mae 的 ``util/pos_embed.py``，facebookresearch/moco-v3 的 ``vits.py``，
    google-research/big_vision，huggingface/pytorch-image-models，facebookresearch/detr，zju3dv/LoFTR，
    facebookresearch/jepa 的 ``src/models/utils/pos_embs.py``，
    huggingface/diffusers 的 ``src/diffusers/models/embeddings.py``。

    Examples
    --------
    >>> grid_encoding(2, 3, 4).round(4)  # 六格，每格 [sin y, cos y, sin x, cos x]
    array([[ 0.    ,  1.    ,  0.    ,  1.    ],
           [ 0.    ,  1.    ,  0.8415,  0.5403],
           [ 0.    ,  1.    ,  0.9093, -0.4161],
           [ 0.8415,  0.5403,  0.    ,  1.    ],
           [ 0.8415,  0.5403,  0.8415,  0.5403],
           [ 0.8415,  0.5403,  0.9093, -0.4161]], dtype=float32)
    """
    sizes = {"y": _check_size("height", height), "x": _check_size("width", width)}
    if depth is not None:
        sizes = {"z": _check_size("depth", depth)} | sizes
    axes = _check_axes(axes, tuple(sizes))
    widths = _check_widths(d_model, widths, axes)
    _check_choice("layout", layout, _LAYOUTS)
    _check_choice("order", order, _ORDERS)
    if layout in ("timm", "loftr") and len(set(widths)) > 1:
        raise ValueError(
            f"layout={layout!r} 时各轴的列数必须相同，收到 widths={widths}；请改用 'sin_cos'，或不写 widths。"
        )
    dtype = _check_dtype(dtype)
    one_axis = Convention("", _LAYOUTS[layout], endpoint, base)
    start = _check_position("start", start)
    name = f"start + max({'depth, ' * (depth is not None)}height, width) - 1"
    _check_limit(name, start + max(*sizes.values(), 1) - 1)
    slow_first = tuple(sizes) if order == "C" else tuple(sizes)[::-1]
    grid = tuple(sizes[axis] for axis in slow_first)
    out = _prepare_out(out, (math.prod(grid), sum(widths)), dtype)
    if not out.size:  # 空的网格：不为没有格子的轴算编码
        return out
    cells = np.asarray(out).reshape(*grid, sum(widths))
    for k, axis in enumerate(axes):
        line = encode(start + np.arange(sizes[axis]), widths[k], one_axis, dtype=dtype)
        if layout == "timm":  # 列由（正弦还是余弦，轴，频率）编号
            columns, line = cells.reshape(*grid, 2, len(axes), -1)[..., k, :], line.reshape(len(line), 2, -1)
        elif layout == "loftr":  # 列由（频率，轴，正弦还是余弦）编号
            columns, line = cells.reshape(*grid, -1, len(axes), 2)[..., k, :], line.reshape(len(line), -1, 2)
        else:
            columns = cells[..., sum(widths[:k]) : sum(widths[: k + 1])]
        # 这个轴的第 n 行，写给号码是 n 的所有格子
        here = [-1 if other == axis else 1 for other in slow_first]
        columns[...] = line.reshape(*here, *line.shape[1:])
    return out


def _check_size(name: str, value: object) -> int:
    size = _check_int(name, value, 14)
    if size < 0:
        raise ValueError(f"{name} 不能是负数，收到 {size}；要空表请写 0。")
    return size


def _check_axes(axes: object, known: tuple[str, ...]) -> tuple[str, ...]:
    """``known`` 是这个网格的轴，也是默认的次序。"""
    if axes is None:
        return known
    if not (isinstance(axes, (tuple, list)) and all(isinstance(axis, str) for axis in axes)):
        raise TypeError(f"axes 必须是轴名的元组，收到 {_show(axes)}；请写 {known}，或换一个次序。")
    if sorted(axes) != sorted(known):
        hint = "三个轴要给 depth" if len(known) == 2 else "只要两个轴就不写 depth"
        raise ValueError(
            f"axes 必须把 {'、'.join(map(repr, known))} 各写一次，收到 {_show(axes)}；默认是 {known}，{hint}。"
        )
    return tuple(axes)


def _check_widths(d_model: object, widths: object, axes: tuple[str, ...]) -> tuple[int, ...]:
    d_model = _check_int("d_model", d_model, 2 * len(axes))
    if widths is not None:
        if not isinstance(widths, (tuple, list)):
            raise TypeError(
                f"widths 必须是整数的元组，收到 {_show(widths)}；axes 里的每个轴写一个正偶数，或不写，各轴均分。"
            )
        widths = tuple(_check_int("widths 里的数", width, 4) for width in widths)
        if len(widths) != len(axes) or any(width < 2 or width % 2 for width in widths) or sum(widths) != d_model:
            raise ValueError(
                f"widths 必须是 {len(axes)} 个正偶数，加起来是 d_model，"
                f"收到 {_show(widths)}、d_model={_show(d_model)}；不写 widths 就各轴均分。"
            )
        return widths
    unit = 2 * len(axes)
    rule = f"d_model 必须是 {unit} 的正倍数（{'两三'[len(axes) - 2]}个轴，各有正弦和余弦），收到 {d_model}"
    if d_model < unit:
        raise ValueError(f"{rule}；最小的可用值是 {unit}。")
    if d_model % unit:
        low = d_model - d_model % unit
        raise ValueError(f"{rule}；最近的可用值是 {low} 和 {low + unit}。")
    return (d_model // len(axes),) * len(axes)
