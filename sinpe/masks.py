"""由填充掩码得到位置。"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .encoding import _as_array, _check_int, _check_limit, _show

__all__ = ["positions_from_mask"]


def positions_from_mask(
    mask: ArrayLike, *, start: int = 0, padding_idx: int | None = None, cache: ArrayLike = 0
) -> NDArray[np.int64]:
    """按真实系统的数法，由填充掩码给出每个词的位置。

    真实的词依次编号，填充（padding）不占号，所以左填充、右填充、中间的空当都对。

    Parameters
    ----------
    mask : array_like of bool or 0/1, shape (..., seq_len)
        1 是真实的词，0 是填充。
    start : int, default: 0
        第一个真实的词的位置。
    padding_idx : int, optional
        fairseq 的数法：填充的位置是 ``padding_idx``，第一个真实的词是 ``padding_idx + 1``。给了它就不能再给 ``start``。
    cache : int or array_like of int, shape (...), default: 0
        已经缓存的真实的词数；每一行可以不同。

    Returns
    -------
    numpy.ndarray, shape (..., seq_len), int64
        位置。填充处是 ``padding_idx``；没有给 ``padding_idx`` 时是 ``start``，只为查表时不越界，没有别的意思。

    Raises
    ------
    TypeError
        ``mask`` 不是布尔值或整数，其余参数不是整数。
    ValueError
        ``mask`` 里有 0、1 以外的数或没有序列这一维，``cache`` 为负或形状不合，``start`` 与 ``padding_idx`` 同时给出。

    Notes
    -----
    要把填充处的编码清零，乘以掩码：``encode(positions, d_model, "fairseq") * mask[..., None]``，有没有缓存都对。
    不要用“位置等于 0”来判断，真实的第一个词也在位置 0。

    来源：facebookresearch/fairseq 的 ``fairseq/utils.py``，``make_positions``；缓存的加法见 Hugging Face 的 M2M100。

    Examples
    --------
    >>> positions_from_mask([[0, 0, 1, 1], [1, 1, 1, 1]])
    array([[0, 0, 0, 1],
           [0, 1, 2, 3]])
    >>> positions_from_mask([[1, 1, 0]], padding_idx=1, cache=3)
    array([[5, 6, 1]])
    """
    mask = _as_array("mask", mask)
    if mask.dtype.kind not in "biu":
        raise TypeError(f"mask 必须是布尔值或 0、1，收到 dtype 为 {mask.dtype} 的数组；请写成 ids != padding_idx。")
    if mask.ndim == 0:
        raise ValueError("mask 的形状必须是 (..., seq_len)，至少一维，收到一个标量；请写成 [mask]。")
    wrong = np.argwhere((mask != 0) & (mask != 1))
    if len(wrong):
        index = tuple(map(int, wrong[0]))
        raise ValueError(f"mask 只能有 0 和 1，下标 {index} 处是 {mask[index]}；请写成 ids != padding_idx。")
    start = _check_int("start", start, 0)
    if padding_idx is not None:
        padding_idx = _check_int("padding_idx", padding_idx, 1)
        if start:
            raise ValueError(
                f"start 与 padding_idx 只能给一个，后者已定下起点 {padding_idx + 1}，收到 start={start}；请去掉 start。"
            )
        start = padding_idx + 1
    received, cache = cache, _as_array("cache", cache)
    if cache.dtype.kind not in "iu":
        raise TypeError(f"cache 必须是整数，收到 {_show(received)}；它是已缓存的词数，例如 3。")
    if cache.ndim and cache.shape != mask.shape[:-1]:
        raise ValueError(
            f"cache 必须是一个整数，或每行一个，形状 {mask.shape[:-1]}，收到形状 {cache.shape}；"
            f"请写 cache.reshape({mask.shape[:-1]})。"
        )
    if (cache < 0).any():
        raise ValueError(f"cache 不能是负数，收到 {cache.min()}；没有缓存请写 0。")
    for name, value in {"start": start, "cache": int(cache.max(initial=0))}.items():
        _check_limit(name, value)
    real = mask.astype(np.int64)
    count = np.cumsum(real, axis=-1) + cache.astype(np.int64)[..., None]  # 到这个词为止（含它）有几个真实的词
    return np.where(real == 1, start - 1 + count, start if padding_idx is None else padding_idx)
