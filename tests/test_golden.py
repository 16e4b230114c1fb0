"""真实系统的输出，逐个用公开的函数重现，误差不超过所注的容差。出处见 golden/README.md。

``index.json`` 给每个数组写着公式的名字和参数；下面是同名的函数，只用 ``sinpe`` 的公开函数和调用者自己的一两行 NumPy。
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sinpe import CONVENTIONS, Convention, encode, grid_encoding, identify, positions_from_mask
from sinpe.mistakes import MISTAKES

GOLDEN = Path(__file__).with_name("golden")
ENTRIES = json.loads((GOLDEN / "index.json").read_text(encoding="utf-8"))["entries"]
with np.load(GOLDEN / "golden.npz", allow_pickle=False) as archive:
    ARRAYS = {name: archive[name] for name in archive.files}

EPS = 2.0**-52
LAYOUTS = {"interleave": "interleaved", "split": "sin_cos", "split_cs": "cos_sin"}
ODD = {"ceil_sin": "extra_sine", "trunc": "extra_sine", "zero": "zero_column"}


def read(d, base=1e4, shift=0, layout="interleave", odd=None, scale=1.0, amp=1.0):
    """把公式的参数读成 ``(约定, 要算几列, 留下几列)``。"""
    width = keep = d
    endpoint, policy = shift == 1, "error"
    if d % 2 and odd == "ceil_both":
        # 返回 d + 1 列，指数仍是 2i/d：就是 d + 1 维、底数为 base**((d+1)/d) 的表
        width = keep = d + 1
        endpoint, base = False, base ** ((d + 1) / d)
    elif d % 2 and odd == "roundup":
        # 按 d + 1 维计算，去掉最后一列
        width, endpoint = d + 1, False
    elif d % 2:
        policy = ODD[odd]
        endpoint = endpoint and policy == "zero_column"
    if shift not in (0, 1):
        # 分母是 h - shift：换一个底数，就是分母为 h 的表
        base = base ** ((d // 2) / (d // 2 - shift))
    return Convention("golden", LAYOUTS[layout], endpoint, base, scale=scale, amplitude=amp, odd=policy), width, keep


def sincos(d, n=None, positions=None, zero_rows=(), **options):
    convention, width, keep = read(d, **options)
    table = encode(np.arange(n) if positions is None else positions, width, convention, dtype=np.float64)[..., :keep]
    table[list(zero_rows)] = 0
    return table


truth = sincos


def abs_rel(n, d):
    return encode(np.abs(np.arange(n - 1, -n, -1)), d, dtype=np.float64)


def scaled_add(positions, d, shift, layout, x):
    return x * np.sqrt(d) + sincos(d, positions=positions, shift=shift, layout=layout)


def fairseq_positions(ids, pad, cache=0):
    return positions_from_mask(np.asarray(ids) != pad, padding_idx=pad, cache=cache)


def fairseq_forward(ids, pad, d, cache=0):
    table = encode(fairseq_positions(ids, pad, cache), d, "fairseq", dtype=np.float64)
    return table * (np.asarray(ids) != pad)[..., None]


def esm_forward(ids, pad, d):
    real = np.asarray(ids) != pad
    positions = np.where(real, np.arange(real.shape[-1]) + pad + 1, pad)
    return encode(positions, d, "esm", dtype=np.float64) * real[..., None]


def grid2d(h, w, d, order="yx", cls=0, shift=0, flatten="row", sy=1.0, sx=1.0):
    if sy == sx == 1 and shift in (0, 1):
        table = grid_encoding(
            h, w, d, axes=tuple(order), endpoint=shift == 1, order="CF"[flatten == "col"], dtype=np.float64
        )
    else:
        # 格子的间距不是 1（图放大了，位置按比例缩），或频率表的分母不寻常：两个轴各自编码，再拼起来
        convention, *_ = read(d // 2, shift=shift, layout="split")
        positions = dict(zip("yx", np.indices((h, w)) * np.array([sy, sx]).reshape(2, 1, 1), strict=True))
        halves = [encode(positions[axis], d // 2, convention, dtype=np.float64) for axis in order]
        table = np.concatenate(halves, axis=-1)
        table = (table.swapaxes(0, 1) if flatten == "col" else table).reshape(h * w, d)
    return np.vstack([np.zeros((cls, d)), table])


def timm2d(fs, d, base, rev, inter):
    axes, order = (("x", "y"), "F") if rev else (("y", "x"), "C")
    layout = "sin_cos" if inter else "timm"
    return grid_encoding(*fs, d, axes=axes, order=order, layout=layout, base=base, dtype=np.float64)


def detr(h, w, f, normalize, mask=None):
    if not normalize and mask is None:
        return grid_encoding(h, w, 2 * f, layout="interleaved", start=1, dtype=np.float64).T.reshape(2 * f, h, w)
    # 归一化与掩码由调用者来做，位置成了小数，按任意位置编码
    mask = np.ones((h, w)) if mask is None else np.asarray(mask, float)
    y, x = mask.cumsum(0), mask.cumsum(1)
    if normalize:
        y = y / (y[-1:] + 1e-6) * 2 * np.pi
        x = x / (x[:, -1:] + 1e-6) * 2 * np.pi
    return np.concatenate([encode(v, f, dtype=np.float64) for v in (y, x)], axis=-1).transpose(2, 0, 1)


def loftr(h, w, d):
    image = grid_encoding(h, w, d, layout="loftr", axes=("x", "y"), start=1, dtype=np.float64)
    return image.T.reshape(d, h, w)


def marian_odd(n, d):
    # 分母是 d/2 - 1 = 2.5 这样的分数，折算成底数；末列又是第 0 对的余弦
    pairs = d // 2
    base = 1e4 ** ((pairs - 1) / (d / 2 - 1))
    table = encode(np.arange(n), 2 * pairs, Convention("golden", "sin_cos", True, base), dtype=np.float64)
    return np.hstack([table, table[:, [pairs]]])


def perceiver(dims, bands, concat_pos, sine_only):
    # 等差的频率，Convention 写不出来，只有 NumPy
    (size,) = dims
    assert concat_pos
    assert not sine_only
    pos = np.linspace(-1, 1, size)[:, None]
    angle = np.pi * pos * np.linspace(1, size / 2, bands)
    return np.hstack([pos, np.sin(angle), np.cos(angle)])


FORMULAS = {
    function.__name__: function
    for function in (
        sincos,
        abs_rel,
        scaled_add,
        fairseq_positions,
        fairseq_forward,
        esm_forward,
        grid2d,
        timm2d,
        detr,
        loftr,
        marian_odd,
        perceiver,
    )
} | {"truth": truth}


def select(table, entry):
    table = table[entry["rows"]] if "rows" in entry else table
    return table[..., entry["cols"]] if "cols" in entry else table


def each(entries):
    return pytest.mark.parametrize("entry", entries, ids=lambda entry: entry["array"])


# ---- 重现 --------------------------------------------------------------------


def test_every_array_has_one_entry_and_every_entry_its_provenance():
    assert sorted(entry["array"] for entry in ENTRIES) == sorted(ARRAYS)
    assert {entry["formula"]["fn"] for entry in ENTRIES} == set(FORMULAS)
    for entry in ENTRIES:
        for field in ("peer", "version", "source", "function", "arguments", "convention", "tolerance_why"):
            assert entry[field], (entry["array"], field)


@each(ENTRIES)
def test_the_systems_own_output_is_reproduced(entry):
    array = ARRAYS[entry["array"]]
    assert (list(array.shape), array.dtype) == (entry["shape"], np.dtype(entry["dtype"]))
    ours = select(FORMULAS[entry["formula"]["fn"]](**entry["formula"]["kwargs"]), entry)
    atol = entry["tolerance"]["atol"]  # 理由在 tolerance_why
    np.testing.assert_allclose(array, ours, rtol=0, atol=atol)
    # 系统自己算错的：我们的值要与它差这么多，才不是跟着一起错
    assert np.abs(array - ours).max() >= entry.get("min_error", 0)


@each([entry for entry in ENTRIES if entry["formula"]["fn"] == "truth"])
def test_the_fastest_pair_is_exact_at_any_position(entry):
    # 第 0 对的角度就是位置，没有舍入，所以直到 2**53 都只差正弦函数自己的末位
    table = encode(entry["formula"]["kwargs"]["positions"], 512, "hf_marian", dtype=np.float64)
    columns = entry["cols"]
    true = ARRAYS[entry["array"]][:, [columns.index(0), columns.index(256)]]
    np.testing.assert_allclose(table[:, [0, 256]], true, rtol=0, atol=EPS)


PEERS = {  # 约定的名字与数组的名字不同的
    "d2l": "pytorch_examples/d2l",
    "pytorch_tutorial": "pytorch_examples/n",
    "annotated_transformer": "pytorch_examples/n",
    "ddpm": "ddpm_tf/",
    "musicgen": "hf_musicgen/",
    "opennmt_py": "opennmt_py/SinusoidalInterleaved",
    "paper": "truth_mpmath/A_d8_n5_interleave",
}


@pytest.mark.parametrize("name", sorted(CONVENTIONS.keys() - {"esm"}))  # esm 的表在上面由 esm_forward 按名字重现
def test_each_named_convention_reproduces_its_system(name):
    reproduced = {}
    for entry in ENTRIES:
        kwargs = entry["formula"]["kwargs"]
        if not entry["array"].startswith(PEERS.get(name, f"{name}/")) or entry["formula"]["fn"] != "sincos":
            continue
        if entry["full_shape"][-1] != kwargs["d"]:
            continue  # 奇数维时多给一列的系统：约定写成不接受奇数
        positions = kwargs.get("positions", np.arange(kwargs.get("n", 0)))
        table = encode(positions, kwargs["d"], name, dtype=np.float64)
        table[list(kwargs.get("zero_rows", ()))] = 0
        error = np.abs(ARRAYS[entry["array"]] - select(table, entry)).max()
        reproduced[entry["array"], kwargs["d"]] = error <= entry["tolerance"]["atol"]
    # 有的数组是改了底数、比例或布局调用的，所以偶数维的只要有一个；奇数维的做法只有一种，须全部相符
    assert any(reproduced.values()), reproduced
    assert all(same for (_, d), same in reproduced.items() if d % 2), reproduced


# 奇数维的做法，照系统自己的输出：列数不是 d 的，或有 d 列而与三种做法都不同的，约定写作 not_reproduced。
# MLX 没有奇数维的数组：它的 d//2 在第 d-1 列就停了，见所注的文件
ODD_OUTPUTS = {
    "tf_tutorial": "tf_tutorial/n4_d7",
    "transformer_xl": "transformer_xl/d7_k5",
    "marian_nmt": "marian_nmt/n6_d7_odd",
}


def test_what_is_not_reproduced_is_exactly_what_none_of_the_ways_gives():
    assert {name for name, c in CONVENTIONS.items() if c.odd == "not_reproduced"} == {*ODD_OUTPUTS, "mlx"}
    for name, key in ODD_OUTPUTS.items():
        array = ARRAYS[key]
        for odd in ("extra_sine", "zero_column"):
            convention = replace(
                CONVENTIONS[name], odd=odd, endpoint=CONVENTIONS[name].endpoint and odd == "zero_column"
            )
            ours = encode(np.arange(len(array)), 7, convention)
            assert array.shape != ours.shape or np.abs(array - ours).max() > 0.01
        with pytest.raises(ValueError, match="奇数维另有做法，这里不重现"):
            encode([0], 7, name)


def test_an_odd_width_of_esm_ends_in_a_column_of_zeros():
    """ESM-1 的代码与 fairseq 的同出一处，奇数维末尾补一列 0；fairseq 的数组在上面由同一种做法重现。"""
    np.testing.assert_array_equal(encode([2, 3], 7, "esm"), encode([2, 3], 7, "fairseq"))


# ---- 识别 --------------------------------------------------------------------


def reading(entry):
    """整张表都在、各行连续（步长 1 或 -1）、够大的，返回应认出的 ``(约定, 首行位置)``；否则 ``None``。"""
    kwargs, shape = dict(entry["formula"]["kwargs"]), entry["shape"]
    if entry["formula"]["fn"] not in ("sincos", "truth") or "rows" in entry or "cols" in entry:
        return None
    if len(shape) != 2 or shape[0] < 4 or shape[1] < 6:
        return None
    positions = np.array(kwargs.pop("positions", range(kwargs.pop("n", 0))))
    steps = set(np.diff(positions).tolist())
    if steps not in ({1}, {-1}):
        return None
    kwargs.pop("zero_rows", None)
    convention, width, keep = read(**kwargs)
    if keep < width:
        # 少了末列余弦的 d + 1 维的表，就是 d 维、多一列正弦、指数 2i/d 的表，底数换成 base**(d/(d+1))
        convention = replace(convention, base=convention.base ** (keep / width), odd="extra_sine")
    # 倒着数的，读作比例 -1：位置 4, 3, 2 … 就是 -1 乘以 -4, -3, -2 …
    step = steps.pop()
    return replace(convention, scale=step * convention.scale), step * positions[0]


READABLE = [entry for entry in ENTRIES if reading(entry)]


def agrees(match, convention, first, d_model):
    """布局、频率表的写法、起点、比例、幅度都相同，底数在存储的精度内相同。"""
    found = match.convention
    amplitude = {"1/sqrt(d)": d_model**-0.5, "sqrt(2/d)": (2 / d_model) ** 0.5}.get(found.amplitude, found.amplitude)
    return (
        (found.layout, found.endpoint, found.scale, match.start)
        == (convention.layout, convention.endpoint, convention.scale, first)
        and (d_model % 2 == 0 or found.odd == convention.odd)
        and abs(amplitude / convention.amplitude - 1) < 1e-6
        # 10000 和调用者给的整数要一字不差；由换写法得来的底数不是圆整的数，五行的 float32 表只能定到约五位
        and abs(found.base / convention.base - 1) <= (0 if convention.base in (100.0, 1e4) else 1e-5)
    )


@each(READABLE)
def test_the_systems_own_output_is_identified(entry):
    convention, first = reading(entry)
    best, *others = identify(ARRAYS[entry["array"]])
    assert best.mistake is None, best
    assert agrees(best, convention, first, entry["shape"][1]), best
    if convention.odd != "extra_sine":  # 总有另一种读法：分母换一种写法，底数随之改变
        h = entry["shape"][1] // 2
        base = convention.base ** (h / (h - 1) if convention.endpoint else (h - 1) / h)
        assert any(
            match.note and match.convention.endpoint != convention.endpoint and abs(match.base / base - 1) < 1e-5
            for match in others
        ), others


def test_a_linear_ladder_is_named_and_not_called_a_mistake():
    found = identify(ARRAYS["hf_perceiver/5_b4_cat1_sine0"])
    assert found == []
    assert "等差" in found.reason
    assert "Perceiver" in found.reason


@pytest.mark.parametrize(
    ("array", "code"),
    [("speechbrain_relpos/L4_d8_wrong_sign", "absolute")],
)
def test_a_systems_own_defect_is_named(array, code):
    assert identify(ARRAYS[array])[0].mistakes == (MISTAKES[code].name,)
