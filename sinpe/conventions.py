"""真实系统的位置编码约定：复现、换算、识别。

同名的“正弦位置编码”有两种频率表、三种布局、几种起点和几种对待奇数维的办法。这里把它们写成数据，
由同一个函数计算，算法与 ``sinpe.encoding`` 相同。
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .encoding import (
    _as_array,
    _check_base,
    _check_dtype,
    _check_float,
    _check_int,
    _check_limit,
    _check_positions,
    _fill_consecutive,
    _fill_each,
    _new,
    _prepare_out,
    _show,
    _tiny_is_zero,
)

__all__ = ["CONVENTIONS", "Convention", "Match", "convert", "encode", "identify", "positions_from_mask"]

_LAYOUTS = {  # 布局的名字：（中文名，列的样子）
    "interleaved": ("交错布局", "[s0 c0 s1 c1 …]"),
    "sin_cos": ("分半布局，正弦在前", "[s0 s1 … | c0 c1 …]"),
    "cos_sin": ("分半布局，余弦在前", "[c0 c1 … | s0 s1 …]"),
}
_BLOCK = 1 << 17  # 每块这么多对：够大，连续的位置用旋转才划算；够小，再抄一遍还在缓存里
_ODD = {"error": "不接受奇数", "extra_sine": "多一列正弦", "zero_column": "末尾补一列 0"}
_AMPLITUDES = {"1/sqrt(d)": lambda d: 1 / math.sqrt(d), "sqrt(2/d)": lambda d: math.sqrt(2 / d)}


def _check_choice(name: str, value: object, choices: Mapping[str, object]) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} 必须是字符串，收到 {_show(value)}；可用的值是 {'、'.join(map(repr, choices))}。")
    if value not in choices:
        raise ValueError(
            f"{name} 必须是 {'、'.join(map(repr, choices))} 之一，收到 {_show(value)}；{_nearest(value, choices)}。"
        )


def _nearest(name: str, known: Mapping[str, object]) -> str:
    import difflib  # 只有报错时才用得着

    close = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.4) or list(known)[:3]
    return f"最接近的是 {'、'.join(map(repr, close))}"


def _check_finite(name: str, value: object, example: str) -> float:
    number = _check_float(name, value, example)
    if not math.isfinite(number):  # 大到 float 放不下的整数
        raise ValueError(f"{name} 必须是有限的数，收到 {_show(value)}；例如 {example}。")
    return number


@dataclass(frozen=True)
class Convention:
    r"""一种约定：怎样由位置算出一行编码。

    角度是 :math:`scale \cdot pos \cdot \omega_i`。``endpoint=False`` 时 :math:`\omega_i = b^{-2i/d}`，是论文的频率表；
    ``endpoint=True`` 时 :math:`\omega_i = b^{-i/(d/2-1)}`，末项恰为 :math:`1/b`，是 tensor2tensor 的频率表。

    Parameters
    ----------
    name : str
        名字。
    layout : {"interleaved", "sin_cos", "cos_sin"}
        列的次序：正弦与余弦交错；正弦在前半；余弦在前半。
    endpoint : bool
        频率表是否到达 ``1/base``，意思与 ``numpy.geomspace`` 的同名参数相同。
    base : float, default: 10000.0
        底数，大于 1，不超过 1e300。
    start : int, default: 0
        这个系统把第一个位置记作几。只是说明，``encode`` 不会替你加上它。
    scale : float, default: 1.0
        位置先乘以它，不能是 0。
    amplitude : float, "1/sqrt(d)" or "sqrt(2/d)", default: 1.0
        结果再乘以它；后两种随 ``d_model`` 变化。
    odd : {"error", "extra_sine", "zero_column"}, default: "error"
        ``d_model`` 是奇数时怎么办：报错；多算一列正弦，指数仍是 ``2i/d``；按少一维计算，末尾补一列 0。
    source : str, default: ""
        出处：仓库与文件。

    Raises
    ------
    TypeError
        字段的种类不对。
    ValueError
        字段的值不在上面列出的范围内，或 ``odd="extra_sine"`` 与 ``endpoint=True`` 同时出现。

    See Also
    --------
    CONVENTIONS : 已经写好的约定。

    Notes
    -----
    来源：Vaswani 等 (2017) 3.5 节，以及各约定的 ``source``。

    Examples
    --------
    >>> print(Convention("mine", layout="cos_sin", endpoint=False, base=100.0))
    mine：[c0 c1 … | s0 s1 …]，角度 = pos · 100^(-2i/d)
    """

    name: str
    layout: Literal["interleaved", "sin_cos", "cos_sin"]
    endpoint: bool
    base: float = 10000.0
    start: int = 0
    scale: float = 1.0
    amplitude: float | Literal["1/sqrt(d)", "sqrt(2/d)"] = 1.0
    odd: Literal["error", "extra_sine", "zero_column"] = "error"
    source: str = ""

    def __post_init__(self) -> None:
        for field in ("name", "source"):
            text = getattr(self, field)
            if not isinstance(text, str):
                raise TypeError(f"{field} 必须是字符串，收到 {_show(text)}；请写成 {field}='…'。")
            if text and text.splitlines() != [text]:  # 报错里要写它，而报错只有一行
                raise ValueError(f"{field} 必须是一行文字，收到 {_show(text)}；请去掉换行。")
        _check_choice("layout", self.layout, _LAYOUTS)
        _check_choice("odd", self.odd, _ODD)
        if not isinstance(self.endpoint, (bool, np.bool_)):
            raise TypeError(
                f"endpoint 必须是布尔值，收到 {_show(self.endpoint)}；论文请写 False，tensor2tensor 写 True。"
            )
        if self.odd == "extra_sine" and self.endpoint:
            raise ValueError(
                "odd='extra_sine' 必须配 endpoint=False（指数是 2i/d），收到 endpoint=True；请改用 'zero_column'。"
            )
        amplitude = self.amplitude
        if isinstance(amplitude, str):
            if amplitude not in _AMPLITUDES:
                raise ValueError(
                    f"amplitude 必须是数或 {'、'.join(map(repr, _AMPLITUDES))}，收到 {_show(amplitude)}；不缩放写 1.0。"
                )
        else:
            amplitude = _check_finite("amplitude", amplitude, "1.0")
        scale = _check_finite("scale", self.scale, "1.0")
        if scale == 0:
            raise ValueError("scale 不能是 0（所有位置的编码都会相同），收到 0；不缩放请写 1.0。")
        start = _check_int("start", self.start, 0)
        _check_limit("start", start)
        # 统一成 Python 自己的类型：np.float64(10000) 与 10000 写出来、比较起来都一样
        for field, value in {
            "endpoint": bool(self.endpoint),
            "base": _check_base(self.base),
            "start": start,
            "scale": scale,
            "amplitude": amplitude,
        }.items():
            object.__setattr__(self, field, value)

    def __str__(self) -> str:
        parts = [f"{self.name}：{_formula(self)}"]
        if self.start:
            parts.append(f"第一个位置是 {self.start}")
        if self.odd != "error":
            parts.append(f"d 是奇数时{_ODD[self.odd]}")
        if self.source:
            parts.append(f"出自 {self.source}")
        return "；".join(parts)


def _formula(convention: Convention) -> str:
    """一行写完公式：列的次序、幅度、角度，数都代进去。"""
    pos = "pos" if convention.scale == 1 else f"{_number(convention.scale)} · pos"
    exponent = "-i/(d/2-1)" if convention.endpoint else "-2i/d"
    amplitude = {1.0: ""}.get(convention.amplitude, f"，再乘以 {_number(convention.amplitude)}")
    return f"{_LAYOUTS[convention.layout][1]}，角度 = {pos} · {_number(convention.base)}^({exponent}){amplitude}"


def _number(value: float | str) -> str:
    """写一个数：整数不带小数点，其余至多十位有效数字。"""
    return value if isinstance(value, str) else f"{value:.10g}"


def _build(*conventions: Convention) -> Mapping[str, Convention]:
    return MappingProxyType({convention.name: convention for convention in conventions})


_HF = "huggingface/transformers: src/transformers/models"

#: 名字到约定的只读映射。奇数维、起点都以所注文件为准；识别时，参数相同的以先列的为名。
CONVENTIONS: Mapping[str, Convention] = _build(
    # 论文的频率表，交错
    Convention("paper", "interleaved", False, source="Vaswani 等 (2017) 3.5 节"),
    Convention(
        "hf_xlm",
        "interleaved",
        False,
        odd="extra_sine",
        source=f"{_HF}/xlm/modeling_xlm.py（DistilBERT、VideoMAE 相同）",
    ),
    Convention(
        "jadore",
        "interleaved",
        False,
        odd="extra_sine",
        source="jadore801120/attention-is-all-you-need-pytorch: transformer/Models.py",
    ),
    Convention(
        "keras_hub",
        "interleaved",
        False,
        odd="extra_sine",
        source="keras-team/keras-hub: keras_hub/src/layers/modeling/sine_position_encoding.py",
    ),
    Convention("d2l", "interleaved", False, source="d2l-ai/d2l-en: d2l/torch.py"),
    Convention("pytorch_tutorial", "interleaved", False, source="pytorch/examples: word_language_model/model.py"),
    Convention(
        "annotated_transformer",
        "interleaved",
        False,
        source="harvardnlp/annotated-transformer: the_annotated_transformer.py",
    ),
    Convention("flax_nlp_seq", "interleaved", False, source="google/flax: examples/nlp_seq/models.py"),
    Convention("bert4keras", "interleaved", False, source="bojone/bert4keras: bert4keras/backend.py"),
    Convention(
        "opennmt_py",
        "interleaved",
        False,
        source="OpenNMT/OpenNMT-py: onmt/modules/embeddings.py，SinusoidalInterleaved",
    ),
    # 论文的频率表，分半
    Convention(
        "hf_marian",
        "sin_cos",
        False,
        odd="extra_sine",
        source=f"{_HF}/marian/modeling_marian.py（Pegasus、RoFormer、Autoformer、Informer 相同）",
    ),
    Convention("hf_ctrl", "sin_cos", False, odd="extra_sine", source=f"{_HF}/ctrl/modeling_ctrl.py"),
    Convention("transformer_xl", "sin_cos", False, source="kimiyoung/transformer-xl: pytorch/mem_transformer.py"),
    Convention("tf_tutorial", "sin_cos", False, source="tensorflow/text: docs/tutorials/transformer.ipynb"),
    Convention("sockeye", "sin_cos", False, source="awslabs/sockeye: sockeye/layers.py"),
    Convention(
        "x_transformers",
        "sin_cos",
        False,
        amplitude="1/sqrt(d)",
        source="lucidrains/x-transformers: x_transformers/x_transformers.py，ScaledSinusoidalEmbedding 的初值",
    ),
    # 论文的频率表，余弦在前：扩散模型
    Convention(
        "guided_diffusion",
        "cos_sin",
        False,
        odd="zero_column",
        source="openai/guided-diffusion: guided_diffusion/nn.py（Stable Diffusion 的 util.py、DiT 相同）",
    ),
    # tensor2tensor 的频率表，分半
    Convention(
        "tensor2tensor",
        "sin_cos",
        True,
        odd="zero_column",
        source="tensorflow/tensor2tensor: tensor2tensor/layers/common_attention.py，get_timing_signal_1d",
    ),
    Convention(
        "fairseq",
        "sin_cos",
        True,
        start=2,
        odd="zero_column",
        source="facebookresearch/fairseq: fairseq/modules/sinusoidal_positional_embedding.py，padding_idx=1",
    ),
    Convention(
        "hf_m2m100",
        "sin_cos",
        True,
        start=2,
        odd="zero_column",
        source=f"{_HF}/m2m_100/modeling_m2m_100.py（NLLB、XGLM、SpeechT5、TrOCR 等相同）",
    ),
    Convention("whisper", "sin_cos", True, source="openai/whisper: whisper/model.py"),
    Convention("marian_nmt", "sin_cos", True, source="marian-nmt/marian-dev: src/tensors/cpu/tensor_operators.cpp"),
    Convention("ddpm", "sin_cos", True, odd="zero_column", source="hojonathanho/diffusion: diffusion_tf/nn.py"),
    Convention("score_sde", "sin_cos", True, odd="zero_column", source="yang-song/score_sde: models/layers.py"),
    Convention("flax_wmt", "sin_cos", True, odd="zero_column", source="google/flax: examples/wmt/models.py"),
    Convention("opennmt_tf", "sin_cos", True, start=1, source="OpenNMT/OpenNMT-tf: opennmt/layers/position.py"),
    Convention(
        "esm",
        "sin_cos",
        True,
        start=2,
        source="facebookresearch/esm: esm/modules.py，位置是列号加 padding_idx + 1",
    ),
    Convention("torch_geometric", "sin_cos", True, source="pyg-team/pytorch_geometric: torch_geometric/nn/encoding.py"),
    Convention(
        "mlx",
        "sin_cos",
        True,
        amplitude="sqrt(2/d)",
        source="ml-explore/mlx: python/mlx/nn/layers/positional_encoding.py",
    ),
    # tensor2tensor 的频率表，余弦在前
    Convention(
        "musicgen",
        "cos_sin",
        True,
        odd="zero_column",
        source=f"{_HF}/musicgen/modeling_musicgen.py（MusicGen Melody 相同）",
    ),
)


def encode(
    positions: ArrayLike,
    d_model: int,
    convention: str | Convention = "paper",
    *,
    base: float | None = None,
    dtype: DTypeLike = np.float32,
    out: NDArray | None = None,
) -> NDArray:
    """按一种约定返回任意位置的编码。

    Parameters
    ----------
    positions : array_like of int or float, shape (...)
        位置，照原样使用：约定的 ``start`` 不会自动加上。乘以 ``scale`` 前后，绝对值都不超过 2**53。
    d_model : int
        模型维度，正偶数；约定的 ``odd`` 是 ``"extra_sine"`` 时可以是任何正整数，``"zero_column"`` 时不小于 2。
    convention : str or Convention, default: "paper"
        ``CONVENTIONS`` 里的名字，或自己的 ``Convention``。
    base : float, optional
        换一个底数，大于 1，不超过 1e300；默认是约定自己的。
    dtype : float16, float32 or float64, default: float32
        结果的 dtype。角度总是 float64，最后只舍入一次。
    out : numpy.ndarray, shape (..., d_model), optional
        写入这个数组（可以是 ``numpy.memmap``），而不新建。必须可写、按行连续，且 dtype 与 ``dtype`` 相同。

    Returns
    -------
    numpy.ndarray, shape (..., d_model)
        形状是 ``positions`` 的形状后面添一维 ``d_model``；给了 ``out`` 就返回 ``out``。

    Raises
    ------
    TypeError
        参数的种类不对。
    ValueError
        名字不在 ``CONVENTIONS`` 里，``d_model`` 不合这种约定，位置越界或不是有限的数，或结果大到内存放不下。

    See Also
    --------
    positions_from_mask : 按真实系统的数法给出位置。

    Notes
    -----
    来源：各约定的 ``source``。

    Examples
    --------
    >>> encode([0, 1], 6, "tensor2tensor").round(3)
    array([[0.   , 0.   , 0.   , 1.   , 1.   , 1.   ],
           [0.841, 0.01 , 0.   , 0.54 , 1.   , 1.   ]], dtype=float32)
    >>> encode([1], 3, "hf_xlm").round(4)
    array([[0.8415, 0.5403, 0.0022]], dtype=float32)
    """
    convention = _as_convention("convention", convention)
    if base is not None:
        convention = dataclasses.replace(convention, base=base)
    d_model = _check_width(d_model, convention)
    dtype = _check_dtype(dtype)
    pos = _check_positions("positions", positions)
    if convention.scale != 1:
        with np.errstate(over="ignore", under="ignore"):  # 溢出成无穷大，由下一行去管；下溢成 0 正是对的
            pos = pos * convention.scale
        _check_limit("scale · positions", float(np.abs(pos).max(initial=0)))
    amplitude = _amplitude(convention, d_model)
    if abs(amplitude) > float(np.finfo(dtype).max):  # 乘上去就成了无穷大
        raise ValueError(f"amplitude 必须放得进 {dtype}，收到 {amplitude:g}；请换更宽的 dtype，或更小的 amplitude。")
    out = _prepare_out(out, (*pos.shape, d_model), dtype)
    pos, table = pos.reshape(-1), np.asarray(out).reshape(pos.size, d_model)
    sines, cosines, rest = _split(table, convention.layout, d_model % 2 and convention.odd)
    rest[...] = 0
    omega = _frequencies(convention, d_model)
    in_place = convention.layout == "interleaved" and d_model % 2 == 0 and amplitude == 1
    block = max(1, _BLOCK // omega.size)
    with _tiny_is_zero():
        for start in range(0, pos.size, block):
            rows, here = slice(start, start + block), pos[start : start + block]
            # 先算成交错布局的一块：幅度在 float64 里乘，写进结果时才舍入。结果正是交错布局时，直接写进去
            kind = dtype if amplitude == 1 else np.float64
            part = table[rows] if in_place else np.empty((here.size, 2 * omega.size), kind)
            if (here == here[0] + np.arange(here.size)).all():
                _fill_consecutive(part, float(here[0]), omega)
            else:
                _fill_each(part, here, omega)
            if in_place:
                continue
            if amplitude != 1:
                part *= amplitude
            sines[rows] = part[:, 0::2]
            cosines[rows] = part[:, 1::2][:, : cosines.shape[1]]
    return out


def convert(table: ArrayLike, source: str | Convention, target: str | Convention) -> NDArray:
    """把一种约定的编码表换成另一种约定的，只在换列的次序（或幅度）就够时才做。

    Parameters
    ----------
    table : array_like, shape (..., seq_len, d_model)
        ``source`` 约定的编码表，或任何按它的列次序排列的数。
    source : str or Convention
        ``table`` 现在的约定：名字或 ``Convention``。
    target : str or Convention
        要换成的约定。

    Returns
    -------
    numpy.ndarray, shape (..., seq_len, d_model)
        新的数组，dtype 不变，字节序是本机的。只换次序时数值逐位相同；幅度不同时在 float64 里相乘，只舍入一次。

    Raises
    ------
    TypeError
        参数的种类不对，或幅度不同而 ``table`` 不是浮点数。
    ValueError
        频率、起点、比例或奇数维的做法不同，换次序换不出来；``table`` 的形状不合，或有非有限的数。

    See Also
    --------
    encode : 重新计算一张表。

    Notes
    -----
    频率按 ``d_model`` 实际算出来比较，所以 ``d_model=2`` 时两种频率表可以互换：都只有一个频率 1。

    Examples
    --------
    >>> convert(encode([0, 1], 4, "hf_marian"), "hf_marian", "paper").round(4)
    array([[0.    , 1.    , 0.    , 1.    ],
           [0.8415, 0.5403, 0.01  , 1.    ]], dtype=float32)
    """
    source, target = _as_convention("source", source), _as_convention("target", target)
    table = _check_table(table)
    seq_len, d_model = table.shape[-2:]
    for convention in (source, target):
        _check_width(d_model, convention)
    _refuse_if_different(source, target, seq_len, d_model)
    # 两种次序各看作 0 … d_model-1 的一个排列：正弦、余弦、补的 0 列
    odd = d_model % 2 and source.odd
    order = [np.concatenate(_split(np.arange(d_model), c.layout, odd)) for c in (source, target)]
    result = np.empty(table.shape, table.dtype.newbyteorder("="))
    result[..., order[1]] = table[..., order[0]]
    old, new = (_amplitude(c, d_model) for c in (source, target))
    if old == new:
        return result
    if old == 0:
        raise ValueError(f"source 的幅度不能是 0（原来的数已经丢了），收到 {source.name}；请用 encode 重新计算。")
    if not np.issubdtype(table.dtype, np.floating):
        raise TypeError(f"幅度不同，table 必须是浮点数才能缩放，收到 {table.dtype}；请先写 table.astype(np.float32)。")
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # 放不下的，由下一行去管
        result = (result.astype(np.float64) * (new / old)).astype(result.dtype)
    if not np.isfinite(result).all():
        raise ValueError(f"缩放后必须放得进 {table.dtype}，收到的比例是 {new / old:g}；请换更宽的 dtype。")
    return result


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


@dataclass(frozen=True)
class Match:
    """``identify`` 的一个结果：``encode(start + np.arange(n), d_model, convention)`` 重现这张表。

    Parameters
    ----------
    convention : Convention
        找到的约定：参数相同的有名字的约定，或按找到的参数新建的一个。有 ``mistake`` 而没有约定相符时，是最接近的那个。
    start : int or float
        第一行的位置。
    residual : float
        与重现的表相差最多多少；有 ``mistake`` 时，重现的是带着这个错的表。
    mistake : str or None, default: None
        像是哪种错；没有就是 ``None``。
    note : str, default: ""
        其他要说的，例如它和前一个结果是同一张表的两种读法。
    """

    convention: Convention
    start: float
    residual: float
    mistake: str | None = None
    note: str = ""

    @property
    def base(self) -> float:
        """找到的底数。"""
        return self.convention.base

    def __str__(self) -> str:
        parts = [f"{self.convention.name}：{_formula(self.convention)}", f"第一行是位置 {_number(self.start)}"]
        parts += [f"像是这种错：{self.mistake}"] if self.mistake else []
        parts += [self.note] if self.note else []
        return "；".join([*parts, f"最多相差 {self.residual:.1e}"])


def identify(table: ArrayLike, *, expected: str | Convention | None = None) -> list[Match]:
    r"""认出一张编码表用的是哪种约定。

    Parameters
    ----------
    table : array_like of float, shape (seq_len, d_model)
        编码表，各行是连续的位置。``seq_len`` 至少 4，``d_model`` 至少 6；可以存成 float16 或 bfloat16，可以整体缩放。
        全是 0 的行（填充）略过不看。
    expected : str or Convention, optional
        你以为它是什么；给了它，``mistake`` 就说出两者差在哪里。

    Returns
    -------
    list of Match
        由好到差；都不像就是空列表，绝不猜。一张表有两种读法时两种都给出，底数 10000 的在前。

    Raises
    ------
    TypeError
        ``table`` 不是实数数组，``expected`` 不是名字或 ``Convention``。
    ValueError
        ``table`` 不是两维、行列太少、或有非有限的数。

    See Also
    --------
    convert : 认出以后换成另一种。

    Notes
    -----
    做法：正确配对时 :math:`s^2 + c^2` 处处相同，由此定出布局和幅度；相邻两行转过的角度给出频率，频率的公比给出底数；
    第一行的相位像几根时针，合起来给出起点。最后总是把整张表重新算一遍，差得出舍入误差就不算。

    ``endpoint=True``、底数 :math:`b` 的表，也是 ``endpoint=False``、底数 :math:`b^{h/(h-1)}` 的表，:math:`h = d/2`，
    所以总有两种读法。

    认不出的：各行不是连续的位置；起点在 ±131072 以外；多数的对每行转过半圈以上而比例又不常见；
    存成 float16 或 bfloat16、行数很少、起点很远而底数又不常见。

    Examples
    --------
    >>> table = encode(np.arange(50), 64, "whisper")
    >>> for match in identify(table, expected="paper"):
    ...     print(match.convention.name, round(match.base, 1), match.start, match.mistake)
    tensor2tensor 10000.0 0 布局是分半布局，正弦在前，不是交错布局；频率表的分母是 d/2-1，不是 d/2
    未命名 13459.6 0 布局是分半布局，正弦在前，不是交错布局；底数是 13459.60324，不是 10000
    """
    table = _check_table(table)
    if table.ndim != 2:
        raise ValueError(
            f"table 必须是两维 (seq_len, d_model)，收到形状 {table.shape}；有批次维请取出一张，例如 table[0]。"
        )
    if table.shape[0] < 4 or table.shape[1] < 6:
        raise ValueError(f"table 至少要 4 行、6 列才认得出，收到形状 {table.shape}；请给出更多行或更多列。")
    expected = None if expected is None else _as_convention("expected", expected)
    from ._identify import identify_table  # 放在这里，免得两个模块互相导入

    # 试探各种读法，途中溢出、出现 NaN 都不要紧：每种读法最后总要核对
    with np.errstate(all="ignore"):
        return identify_table(table.astype(np.float64), expected)


def _as_convention(name: str, value: object) -> Convention:
    if isinstance(value, Convention):
        return value
    if not isinstance(value, str):
        raise TypeError(f"{name} 必须是约定的名字或 Convention，收到 {_show(value)}；例如 'paper'。")
    if value not in CONVENTIONS:
        raise ValueError(f"{name} 必须是 CONVENTIONS 里的名字，收到 {_show(value)}；{_nearest(value, CONVENTIONS)}。")
    return CONVENTIONS[value]


def _check_width(d_model: object, convention: Convention) -> int:
    d_model = _check_int("d_model", d_model, 8)
    least = {"error": 2, "extra_sine": 1, "zero_column": 2}[convention.odd]
    if d_model < least:
        raise ValueError(
            f"约定 {convention.name} 的 d_model 不能小于 {least}，收到 {d_model}；最小的可用值是 {least}。"
        )
    if d_model % 2 and convention.odd == "error":
        raise ValueError(
            f"约定 {convention.name} 的 d_model 必须是正偶数，收到 {d_model}；"
            f"最近的可用值是 {d_model - 1} 和 {d_model + 1}，或用 dataclasses.replace 换一种 odd。"
        )
    return d_model


def _check_table(table: ArrayLike) -> NDArray:
    table = _as_array("table", table)
    try:
        finite = np.isfinite(table)
        real = not np.iscomplexobj(table) and table.dtype.kind not in "bmM"
    except TypeError:  # 字符串、对象数组
        real = False
    if not real:
        raise TypeError(
            f"table 必须是实数数组，收到 dtype 为 {table.dtype} 的数组；请先写 np.asarray(table, np.float32)。"
        )
    if table.ndim < 2:
        raise ValueError(
            f"table 的形状必须是 (..., seq_len, d_model)，至少两维，收到 {table.shape}；单独一行请写 table[None, :]。"
        )
    if not finite.all():
        index = tuple(map(int, np.argwhere(~finite)[0]))
        raise ValueError(f"table 必须全部有限，下标 {index} 处是 {float(table[index])}；请先查明它从哪里来。")
    return table


def _amplitude(convention: Convention, d_model: int) -> float:
    amplitude = convention.amplitude
    return _AMPLITUDES[amplitude](d_model) if isinstance(amplitude, str) else amplitude


def _frequencies(convention: Convention, d_model: int) -> NDArray[np.float64]:
    """各列正弦的角频率，不含 ``scale``。余弦用其中的前 ``d_model // 2`` 个。"""
    if d_model % 2 and convention.odd == "extra_sine":
        count, width = (d_model + 1) // 2, d_model
    else:
        count = d_model // 2
        width = 2 * max(count - 1, 1) if convention.endpoint else 2 * count  # 只有一个频率时，频率是 1
    omega = _new((count,), np.float64)
    return np.power(convention.base, np.arange(0.0, -2 * count, -2.0) / width, out=omega)


def _split(table: NDArray, layout: str, odd: str | bool) -> tuple[NDArray, NDArray, NDArray]:
    """返回最后一维上的三个视图：正弦列、余弦列、补的 0 列。``odd`` 在偶数维时是假。"""
    width = table.shape[-1] - (odd == "zero_column")
    sines = (width + 1) // 2
    body, rest = table[..., :width], table[..., width:]
    if layout == "interleaved":
        return body[..., 0::2], body[..., 1::2], rest
    if layout == "sin_cos":
        return body[..., :sines], body[..., sines:], rest
    return body[..., width - sines :], body[..., : width - sines], rest


def _call(convention: Convention) -> str:
    """在示范代码里怎样写这种约定。"""
    return repr(convention.name) if CONVENTIONS.get(convention.name) == convention else "target"


def _refuse_if_different(source: Convention, target: Convention, seq_len: int, d_model: int) -> None:
    """换列的次序换不出来，就报错：差在哪里，差多少，怎样重新计算。"""
    omega, other = (_frequencies(c, d_model) for c in (source, target))
    differences = []
    if d_model % 2 and source.odd != target.odd:
        differences.append("奇数维的做法")
    elif not np.allclose(omega, other, rtol=1e-14, atol=0):  # 同一个频率的两种算法，各舍入几次
        differences.append("频率")
    if source.start != target.start:
        differences.append("起点")
    if source.scale != target.scale:
        differences.append("比例")
    if not differences:
        return
    rows = np.arange(min(seq_len, 1000))
    one, two = (
        encode(c.start + rows, d_model, dataclasses.replace(c, layout="sin_cos", amplitude=1.0), dtype=np.float64)
        for c in (source, target)
    )
    size = np.abs(one - two).max(initial=0)
    formulas = "；".join(f"{c.name} 是 {_formula(c)}，起点 {c.start}" for c in (source, target))
    raise ValueError(
        f"{source.name} 换不成 {target.name}：{'、'.join(differences)}不同。{formulas}；"
        f"前 {len(rows)} 行按同一列次序比较，最多相差 {size:.3g}；"
        f"请重新计算：encode(np.arange({target.start}, {target.start + seq_len}), {d_model}, {_call(target)})。"
    )
