"""二维网格的编码：每个轴各占一半的维度，分别编码，再按某个系统的次序拼起来。"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .conventions import Convention, _check_choice, encode
from .encoding import _check_dtype, _check_int, _check_limit, _check_position, _new, _show

__all__ = ["grid_encoding"]

# 一行里的 d 个数由（轴，正弦还是余弦，频率）编号，共 2 × 2 × d/4 个。四种布局只是先变哪一个、后变哪一个：
# 0 是轴，1 是正弦与余弦，2 是频率，变得最慢的在前
_LAYOUTS = {"sin_cos": (0, 1, 2), "interleaved": (0, 2, 1), "timm": (1, 0, 2), "loftr": (2, 0, 1)}
_ORDERS = {"C": "按行", "F": "按列"}
_AXES = (("y", "x"), ("x", "y"))


def grid_encoding(
    height: int,
    width: int,
    d_model: int,
    *,
    axes: Sequence[Literal["y", "x"]] = ("y", "x"),
    layout: Literal["sin_cos", "interleaved", "timm", "loftr"] = "sin_cos",
    endpoint: bool = False,
    order: Literal["C", "F"] = "C",
    start: float = 0,
    base: float = 10000.0,
    dtype: DTypeLike = np.float32,
) -> NDArray:
    r"""返回二维网格的编码，例如图像切成的小块。

    每个轴有 :math:`d/4` 个频率：``endpoint=False`` 时是 :math:`b^{-i/(d/4)}`，``endpoint=True`` 时是
    :math:`b^{-i/(d/4-1)}`，末项恰为 :math:`1/b`。

    Parameters
    ----------
    height : int
        行数，不小于 0。
    width : int
        列数，不小于 0。
    d_model : int
        模型维度 :math:`d`，4 的正倍数。
    axes : ("y", "x") or ("x", "y"), default: ("y", "x")
        哪个轴在前。``"y"`` 是行号，``"x"`` 是列号。
    layout : {"sin_cos", "interleaved", "timm", "loftr"}, default: "sin_cos"
        列的次序。设第一个轴的正弦、余弦是 s、c，第二个轴的是 S、C：``"sin_cos"`` 是 ``[s | c | S | C]``；
        ``"interleaved"`` 是 ``[s0 c0 s1 c1 … | S0 C0 S1 C1 …]``；``"timm"`` 是 ``[s | S | c | C]``；
        ``"loftr"`` 是 ``[s0 c0 S0 C0 s1 c1 S1 C1 …]``。
    endpoint : bool, default: False
        频率表是否到达 ``1/base``。
    order : {"C", "F"}, default: "C"
        网格怎样排成一列：``"C"`` 一行接一行，``"F"`` 一列接一列。
    start : int or float, default: 0
        左上角的行号和列号，可以是负数或小数。
    base : float, default: 10000.0
        底数 :math:`b`，大于 1，不超过 1e300。
    dtype : float16, float32 or float64, default: float32
        结果的 dtype。角度总是 float64，最后只舍入一次。

    Returns
    -------
    numpy.ndarray, shape (height * width, d_model)
        每个格子一行，按行连续。

    Raises
    ------
    TypeError
        参数的种类不对。
    ValueError
        ``height``、``width`` 为负，``d_model`` 不是 4 的正倍数，``axes``、``layout``、``order`` 不在上面列出的之内，
        ``base`` 越界，行号或列号的绝对值超过 2**53，或结果大到内存放不下。

    See Also
    --------
    encode : 一个轴的编码。

    Notes
    -----
    真实系统的写法，没写的参数取默认值：

    - MAE、DiT：``axes=("x", "y")``。
    - Hugging Face 的 ViT-MAE、RT-DETR：全是默认值。
    - MoCo v3：``axes=("x", "y"), order="F"``。
    - big_vision：``axes=("x", "y"), endpoint=True``。
    - timm：``layout="timm"``；``reverse_coord=True`` 时是 ``axes=("x", "y"), order="F", layout="timm"``。
    - DETR，不归一化：``layout="interleaved", start=1``。
    - LoFTR：``axes=("x", "y"), layout="loftr", start=1``。

    来源：facebookresearch/mae 的 ``util/pos_embed.py``，facebookresearch/moco-v3 的 ``vits.py``，
    google-research/big_vision，huggingface/pytorch-image-models，facebookresearch/detr，zju3dv/LoFTR。

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
    d_model = _check_width(d_model)
    axes = _check_axes(axes)
    _check_choice("layout", layout, _LAYOUTS)
    _check_choice("order", order, _ORDERS)
    dtype = _check_dtype(dtype)
    one_axis = Convention("", "sin_cos", endpoint, base)
    start = _check_position("start", start)
    _check_limit("start + max(height, width) - 1", start + max(*sizes.values(), 1) - 1)
    out = _new((sizes["y"] * sizes["x"], d_model), dtype)
    if not out.size:  # 空的网格：不为没有格子的轴算编码
        return out
    parts = (2, 2, d_model // 4)
    outer, inner = ("y", "x") if order == "C" else ("x", "y")
    cells = out.reshape(sizes[outer], sizes[inner], *(parts[k] for k in _LAYOUTS[layout]))
    # 无论内存里怎样排，都看成（外层，内层，轴，正弦与余弦，频率）
    cells = np.moveaxis(cells, (2, 3, 4), [2 + k for k in _LAYOUTS[layout]])
    for k, axis in enumerate(axes):
        line = encode(start + np.arange(sizes[axis]), d_model // 2, one_axis, dtype=dtype).reshape(-1, 2, d_model // 4)
        cells[:, :, k] = line[:, None] if axis == outer else line
    return out


def _check_size(name: str, value: object) -> int:
    size = _check_int(name, value, 14)
    if size < 0:
        raise ValueError(f"{name} 不能是负数，收到 {size}；要空表请写 0。")
    return size


def _check_width(d_model: object) -> int:
    d_model = _check_int("d_model", d_model, 8)
    if d_model < 4:
        raise ValueError(f"d_model 必须是 4 的正倍数（两个轴，各有正弦和余弦），收到 {d_model}；最小的可用值是 4。")
    if d_model % 4:
        low = d_model - d_model % 4
        raise ValueError(
            f"d_model 必须是 4 的正倍数（两个轴，各有正弦和余弦），收到 {d_model}；最近的可用值是 {low} 和 {low + 4}。"
        )
    return d_model


def _check_axes(axes: object) -> tuple[str, str]:
    if not (isinstance(axes, (tuple, list)) and all(isinstance(axis, str) for axis in axes)):
        raise TypeError(f"axes 必须是两个轴的元组，收到 {_show(axes)}；请写 ('y', 'x') 或 ('x', 'y')。")
    if tuple(axes) not in _AXES:
        raise ValueError(f"axes 必须是 ('y', 'x') 或 ('x', 'y')，收到 {_show(axes)}；默认是 ('y', 'x')。")
    return tuple(axes)
