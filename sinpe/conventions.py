"""真实系统的位置编码约定：复现、换算。

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
    _show,
    _tiny_is_zero,
)

__all__ = ["CONVENTIONS", "Convention", "convert", "encode"]

_LAYOUT_NAMES = {  # 布局的名字：（中文名，列的样子）
    "interleaved": ("交错布局", "[s0 c0 s1 c1 …]"),
    "sin_cos": ("分半布局，正弦在前", "[s0 s1 … | c0 c1 …]"),
    "cos_sin": ("分半布局，余弦在前", "[c0 c1 … | s0 s1 …]"),
}
_BLOCK = 1 << 17  # 每块这么多对：够大，连续的位置用旋转才划算；够小，再抄一遍还在缓存里
_ODD = {
    "error": "不接受奇数",
    "extra_sine": "多一列正弦",
    "zero_column": "末尾补一列 0",
    "not_reproduced": "另有做法，这里不重现",
}
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
    odd : {"error", "extra_sine", "zero_column", "not_reproduced"}, default: "error"
        ``d_model`` 是奇数时这个系统怎么办：报错；多算一列正弦，指数仍是 ``2i/d``；按少一维计算，末尾补一列 0；
        另有做法（例如返回 ``d+1`` 列，``source`` 里写着），``encode`` 不重现，也报错。
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
    odd: Literal["error", "extra_sine", "zero_column", "not_reproduced"] = "error"
    source: str = ""

    def __post_init__(self) -> None:
        for field in ("name", "source"):
            text = getattr(self, field)
            if not isinstance(text, str):
                raise TypeError(f"{field} 必须是字符串，收到 {_show(text)}；请写成 {field}='…'。")
            if text and text.splitlines() != [text]:  # 报错里要写它，而报错只有一行
                raise ValueError(f"{field} 必须是一行文字，收到 {_show(text)}；请去掉换行。")
        _check_choice("layout", self.layout, _LAYOUT_NAMES)
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
    pos = "pos" if convention.scale == 1 else f"{_number_text(convention.scale)} · pos"
    exponent = "-i/(d/2-1)" if convention.endpoint else "-2i/d"
    amplitude = {1.0: ""}.get(convention.amplitude, f"，再乘以 {_number_text(convention.amplitude)}")
    return (
        f"{_LAYOUT_NAMES[convention.layout][1]}，角度 = {pos} · {_number_text(convention.base)}^({exponent}){amplitude}"
    )


def _number_text(value: float | str) -> str:
    """写一个数：整数不带小数点，其余至多十位有效数字。"""
    return value if isinstance(value, str) else f"{value:.10g}"


_HF = "huggingface/transformers: src/transformers/models"

# fmt: off
# 名字、布局、频率表是否到达 1/base、第一个位置、幅度、奇数维的做法、出处。底数都是 10000，比例都是 1
_TABLE = (
    # 论文的频率表，交错
    ("paper", "interleaved", False, 0, 1.0, "error", "Vaswani 等 (2017) 3.5 节"),
    ("hf_xlm", "interleaved", False, 0, 1.0, "extra_sine", f"{_HF}/xlm/modeling_xlm.py（DistilBERT、VideoMAE 相同）"),
    ("jadore", "interleaved", False, 0, 1.0, "extra_sine",
     "jadore801120/attention-is-all-you-need-pytorch: transformer/Models.py"),
    ("keras_hub", "interleaved", False, 0, 1.0, "extra_sine",
     "keras-team/keras-hub: keras_hub/src/layers/modeling/sine_position_encoding.py"),
    ("d2l", "interleaved", False, 0, 1.0, "error", "d2l-ai/d2l-en: d2l/torch.py"),
    ("pytorch_tutorial", "interleaved", False, 0, 1.0, "error", "pytorch/examples: word_language_model/model.py"),
    ("annotated_transformer", "interleaved", False, 0, 1.0, "error",
     "harvardnlp/annotated-transformer: the_annotated_transformer.py"),
    ("flax_nlp_seq", "interleaved", False, 0, 1.0, "error", "google/flax: examples/nlp_seq/models.py"),
    ("bert4keras", "interleaved", False, 0, 1.0, "error", "bojone/bert4keras: bert4keras/backend.py"),
    ("opennmt_py", "interleaved", False, 0, 1.0, "error",
     "OpenNMT/OpenNMT-py: onmt/modules/embeddings.py，SinusoidalInterleaved"),
    # 论文的频率表，分半
    ("hf_marian", "sin_cos", False, 0, 1.0, "extra_sine",
     f"{_HF}/marian/modeling_marian.py（Pegasus、RoFormer、Autoformer、Informer 相同）"),
    ("hf_ctrl", "sin_cos", False, 0, 1.0, "extra_sine", f"{_HF}/ctrl/modeling_ctrl.py"),
    ("transformer_xl", "sin_cos", False, 0, 1.0, "not_reproduced",
     "kimiyoung/transformer-xl: pytorch/mem_transformer.py，奇数维返回 d+1 列"),
    ("tf_tutorial", "sin_cos", False, 0, 1.0, "not_reproduced",
     "tensorflow/text: docs/tutorials/transformer.ipynb，奇数维返回 d+1 列"),
    ("sockeye", "sin_cos", False, 0, 1.0, "error", "awslabs/sockeye: sockeye/layers.py"),
    ("x_transformers", "sin_cos", False, 0, "1/sqrt(d)", "error",
     "lucidrains/x-transformers: x_transformers/x_transformers.py，ScaledSinusoidalEmbedding 的初值"),
    # 论文的频率表，余弦在前：扩散模型
    ("guided_diffusion", "cos_sin", False, 0, 1.0, "zero_column",
     "openai/guided-diffusion: guided_diffusion/nn.py（Stable Diffusion 的 util.py、DiT 相同）"),
    # tensor2tensor 的频率表，分半
    ("tensor2tensor", "sin_cos", True, 0, 1.0, "zero_column",
     "tensorflow/tensor2tensor: tensor2tensor/layers/common_attention.py，get_timing_signal_1d"),
    ("fairseq", "sin_cos", True, 2, 1.0, "zero_column",
     "facebookresearch/fairseq: fairseq/modules/sinusoidal_positional_embedding.py，padding_idx=1"),
    ("hf_m2m100", "sin_cos", True, 2, 1.0, "zero_column",
     f"{_HF}/m2m_100/modeling_m2m_100.py（NLLB、XGLM、SpeechT5、TrOCR 等相同）"),
    ("whisper", "sin_cos", True, 0, 1.0, "error", "openai/whisper: whisper/model.py"),
    ("marian_nmt", "sin_cos", True, 0, 1.0, "not_reproduced",
     "marian-nmt/marian-dev: src/tensors/cpu/tensor_operators.cpp，奇数维的频率按 d/2 = 3.5 这样的分数另算"),
    ("ddpm", "sin_cos", True, 0, 1.0, "zero_column", "hojonathanho/diffusion: diffusion_tf/nn.py"),
    ("score_sde", "sin_cos", True, 0, 1.0, "zero_column", "yang-song/score_sde: models/layers.py"),
    ("flax_wmt", "sin_cos", True, 0, 1.0, "zero_column", "google/flax: examples/wmt/models.py"),
    ("opennmt_tf", "sin_cos", True, 1, 1.0, "error", "OpenNMT/OpenNMT-tf: opennmt/layers/position.py"),
    ("esm", "sin_cos", True, 2, 1.0, "zero_column",
     "facebookresearch/esm: esm/modules.py，ESM-1（ESM-1b 是学习的，ESM-2 是旋转的），位置是列号加 padding_idx + 1"),
    ("torch_geometric", "sin_cos", True, 0, 1.0, "error",
     "pyg-team/pytorch_geometric: torch_geometric/nn/encoding.py"),
    ("mlx", "sin_cos", True, 0, "sqrt(2/d)", "not_reproduced",
     "ml-explore/mlx: python/mlx/nn/layers/positional_encoding.py，奇数维返回 d-1 列"),
    # tensor2tensor 的频率表，余弦在前
    ("musicgen", "cos_sin", True, 0, 1.0, "zero_column",
     f"{_HF}/musicgen/modeling_musicgen.py（MusicGen Melody 相同）"),
)
# fmt: on

#: 名字到约定的只读映射。起点、奇数维的做法都与所注文件相同；识别时，参数相同的以先列的为名。
CONVENTIONS: Mapping[str, Convention] = MappingProxyType(
    {
        name: Convention(name, layout, endpoint, start=start, amplitude=amplitude, odd=odd, source=source)
        for name, layout, endpoint, start, amplitude, odd, source in _TABLE
    }
)


def encode(
    positions: ArrayLike,
    d_model: int,
    convention: str | Convention = "paper",
    *,
    dtype: DTypeLike = np.float32,
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
    dtype : float16, float32 or float64, default: float32
        结果的 dtype。角度总是 float64，最后只舍入一次。

    Returns
    -------
    numpy.ndarray, shape (..., d_model)
        形状是 ``positions`` 的形状后面添一维 ``d_model``。

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
    out = _new((*pos.shape, d_model), dtype)
    sines, cosines, rest = _split(out.reshape(pos.size, d_model), convention.layout, d_model % 2 and convention.odd)
    rest[...] = 0
    omega = _frequencies(convention, d_model)
    block = max(1, _BLOCK // omega.size)
    with _tiny_is_zero():
        for start in range(0, pos.size, block):
            rows, here = slice(start, start + block), pos.reshape(-1)[start : start + block]
            # 先算成交错布局的一块：幅度在 float64 里乘，写进结果时才舍入
            part = np.empty((here.size, 2 * omega.size), dtype if amplitude == 1 else np.float64)
            if here[0].is_integer() and (np.diff(here) == 1).all():
                _fill_consecutive(part, int(here[0]), omega)
            else:
                _fill_each(part, here, omega)
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
    least = 1 if convention.odd == "extra_sine" else 2
    if d_model < least:
        raise ValueError(
            f"约定 {convention.name} 的 d_model 不能小于 {least}，收到 {d_model}；最小的可用值是 {least}。"
        )
    if d_model % 2 and convention.odd in ("error", "not_reproduced"):
        why = "" if convention.odd == "error" else f"（奇数维{_ODD[convention.odd]}）"
        raise ValueError(
            f"约定 {convention.name} 的 d_model 必须是正偶数，收到 {d_model}；"
            f"最近的可用值是 {d_model - 1} 和 {d_model + 1}{why}，或用 dataclasses.replace 换一种 odd。"
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
