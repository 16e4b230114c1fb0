"""认出一张表：该认的都认出，每种错都说对，不是的绝不猜。"""

import dataclasses
import io
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sinpe
from sinpe import CONVENTIONS, Convention, encode, identify
from sinpe.identification.rates import Rates, unwrap
from sinpe.mistakes import MISTAKES


def name(code):
    """目录里的名字。"""
    return MISTAKES[code].name


SETTINGS = settings(derandomize=True, deadline=None, max_examples=100)


def bfloat16(x):
    """舍入到 bfloat16：float32 的高 16 位，中间值取偶。"""
    bits = np.atleast_1d(np.asarray(x, np.float32)).view(np.uint32)  # NumPy 1 里 0 维的 uint32 加整数会变宽
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)).view(np.float32).reshape(np.shape(x))


STORAGE = {
    "float64": lambda x: x,
    "float32": lambda x: x.astype(np.float32),
    "float16": lambda x: x.astype(np.float16),
    "bfloat16": bfloat16,
}
LAYOUTS = ["interleaved", "sin_cos", "cos_sin"]


def arrange(sines, cosines, layout="interleaved"):
    if layout == "interleaved":
        return np.stack([sines, cosines], axis=-1).reshape(len(sines), -1)
    return np.concatenate([sines, cosines] if layout == "sin_cos" else [cosines, sines], axis=-1)


def table_of(convention, seq_len, d_model, start=None, storage="float64"):
    start = convention.start if start is None else start
    return STORAGE[storage](encode(start + np.arange(seq_len), d_model, convention, dtype=np.float64))


def same_frequencies(one, other, d_model, rtol):
    """两种读法在这个维度上是不是同一张频率表，按公式独立地算。"""

    def omega(convention):
        h = d_model // 2
        if d_model % 2 and convention.odd == "extra_sine":
            exponent = [2 * i / d_model for i in range(h + 1)]
        else:
            exponent = [i / (h - 1 if convention.endpoint else h) for i in range(h)]
        return [convention.scale * convention.base**-x for x in exponent]

    return np.allclose(omega(one), omega(other), rtol=rtol, atol=0)


# ---- 该认的都认出 --------------------------------------------------------------


@SETTINGS
@given(
    name=st.sampled_from(sorted(CONVENTIONS)),
    base=st.sampled_from([None, 500.0, 1e6, 20000.0]),
    seq_len=st.sampled_from([4, 5, 16, 100]),
    d_model=st.sampled_from([6, 7, 8, 11, 64, 129, 512]),
    storage=st.sampled_from(sorted(STORAGE)),
)
def test_every_convention_is_recognised_at_every_size_and_storage(name, base, seq_len, d_model, storage):
    convention = CONVENTIONS[name]
    if base:
        convention = dataclasses.replace(convention, base=base)
    if d_model % 2 and convention.odd in ("error", "not_reproduced"):
        d_model += 1
    table = table_of(convention, seq_len, d_model, storage=storage)
    matches = identify(table)
    exact = [m for m in matches if (m.convention.endpoint, m.base) == (convention.endpoint, convention.base)]
    assert len(exact) == 1, [str(m) for m in matches]
    (match,) = exact
    if convention.base == 1e4:
        assert match is matches[0]
    assert match.convention.layout == convention.layout
    assert match.convention.scale == convention.scale
    assert match.start == convention.start
    assert match.mistake is None
    if d_model % 2:
        assert match.convention.odd == convention.odd
    # 找到的约定真的重现这张表，差多少也说对了
    again = encode(match.start + np.arange(seq_len), d_model, match.convention, dtype=np.float64)
    # 残差是另一条路算的，角度的末位可以不同：eps·pos 的量级
    np.testing.assert_allclose(np.abs(table - again).max(), match.residual, rtol=0, atol=1e-12)


def test_a_table_of_each_named_convention_gets_the_name_of_an_equal_one():
    for name, convention in CONVENTIONS.items():
        d_model = 64 if convention.odd in ("error", "not_reproduced") else 63
        best = identify(table_of(convention, 20, d_model, storage="float32"))[0].convention
        odd = best.odd if d_model % 2 else convention.odd  # 偶数维的表看不出奇数维怎么办
        equal = dataclasses.replace(best, name=name, source=convention.source, odd=odd)
        assert equal == convention, (name, best.name)


@SETTINGS
@given(
    start=st.one_of(st.integers(-1000, 100_000), st.sampled_from([0.5, -0.25, 12.75])),
    base=st.sampled_from([1e4, 1e6]),
    d_model=st.sampled_from([8, 64, 512]),
    layout=st.sampled_from(LAYOUTS),
)
def test_the_start_is_found_by_the_phases(start, base, d_model, layout):
    convention = Convention("t", layout, True, base)
    match = next(m for m in identify(table_of(convention, 12, d_model, start)) if m.base == base)
    # d=8、底数 1e6 的四个频率是 1、0.01、1e-4、1e-6，转过的整圈不影响：最慢的一对一圈有 6e6 个位置
    np.testing.assert_allclose(match.start, start, rtol=0, atol=1e-9 * max(1, abs(start)))


@SETTINGS
@given(
    base=st.floats(50, 1e7),
    scale=st.sampled_from([1.0, -1.0, 0.25, 3.0, 1000.0, 0.01]),
    d_model=st.sampled_from([16, 64, 256]),
    endpoint=st.booleans(),
    layout=st.sampled_from(LAYOUTS),
)
def test_base_and_scale_are_measured_when_they_are_not_usual(base, scale, d_model, endpoint, layout):
    assume(scale < 4 or base > 1e4)  # 至少要有几对每行转不过半圈，才量得出
    convention = Convention("t", layout, endpoint, base, 0, scale)
    match = next(m for m in identify(table_of(convention, 40, d_model)) if m.convention.endpoint == endpoint)
    np.testing.assert_allclose(match.base, base, rtol=1e-9)  # 由 40 行的相位拟合，误差约 eps 的几百倍
    np.testing.assert_allclose(match.convention.scale, scale, rtol=1e-9)


@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("amplitude", ["1/sqrt(d)", "sqrt(2/d)", 3.0, 8.0])
def test_amplitude_is_found_and_the_usual_ones_by_name(amplitude, storage):
    convention = Convention("t", "sin_cos", False, amplitude=amplitude)
    match = identify(table_of(convention, 30, 64, storage=storage))[0]
    want = {"1/sqrt(d)": 1 / 8, "sqrt(2/d)": math.sqrt(2 / 64)}.get(amplitude, amplitude)
    got = match.convention.amplitude
    assert {"1/sqrt(d)": 1 / 8, "sqrt(2/d)": math.sqrt(2 / 64)}.get(got, got) == want
    assert match.mistake is None


@pytest.mark.parametrize("d_model", [8, 64, 512])
@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("amplitude", ["3", "0.02", "sqrt(d)", "1/sqrt(d)"])
@pytest.mark.parametrize("when", ["先缩放", "后缩放，float64", "后缩放，float32"])
def test_a_scaled_table_is_recognised_whether_scaled_before_or_after_storage(when, amplitude, storage, d_model):
    """np.sqrt 的结果是 float64，乘上 float32 的表就成了 float64 的表，误差却还是 float32 的。"""
    factor = {"3": 3.0, "0.02": 0.02, "sqrt(d)": np.sqrt(d_model), "1/sqrt(d)": 1 / np.sqrt(d_model)}[amplitude]
    table = encode(np.arange(50), d_model, "whisper", dtype=np.float64)
    if when == "先缩放":
        table = STORAGE[storage](table * factor)
    else:
        table = (STORAGE[storage](table).astype(np.float64) * factor).astype(when[-7:])
    first = identify(table)[0]
    assert (first.convention.endpoint, first.base, first.mistake) == (True, 1e4, None)
    assert identify(table, expected="whisper")[0].mistake.startswith("幅度是")


def test_both_readings_of_one_array_are_told_with_base_10000_first():
    first, second = identify(encode(np.arange(100), 512, "tensor2tensor"))
    assert (first.convention.name, first.base, first.note) == ("tensor2tensor", 10000, "")
    assert not second.convention.endpoint
    np.testing.assert_allclose(second.base, 10000 ** (256 / 255), rtol=1e-15)  # 10367.8，一次幂的舍入
    assert "同一张表" in second.note
    assert "10000" in second.note
    assert same_frequencies(first.convention, second.convention, 512, 1e-13)


def test_rows_of_padding_are_passed_over_and_fairseqs_own_table_is_not_a_mistake():
    table = encode(np.arange(20), 16, "fairseq")
    table[1] = 0  # padding_idx = 1
    (match, _) = identify(table, expected="fairseq")
    assert (match.convention.endpoint, match.start, match.mistake) == (True, 0, None)
    (match, _) = identify(encode(np.arange(20), 16, "fairseq"), expected="fairseq")
    assert match.mistake == "位置从 0 数起，不是 2"


def test_a_relative_table_runs_backwards():
    (match, _) = identify(encode(np.arange(6, -7, -1), 16))
    assert (match.convention.scale, match.start) == (-1, -6)


def test_str_tells_formula_start_and_residual():
    match = identify(encode(np.arange(5), 8, "opennmt_tf"), expected="tensor2tensor")[0]
    text = str(match)
    for part in ("10000^(-i/(d/2-1))", "第一行是位置 0", "最多相差"):
        assert part in text


# ---- 与以为的不同 ---------------------------------------------------------------

PAPER = Convention("t", "interleaved", False)
AGAINST_EXPECTED = {
    name("exponent-doubled"): dict(base=1e8),
    "底数是 500，不是 10000": dict(base=500.0),
    "频率表的分母是 d/2-1，不是 d/2": dict(endpoint=True),
    "布局是分半布局，正弦在前，不是交错布局": dict(layout="sin_cos"),
    "布局是分半布局，余弦在前，不是交错布局": dict(layout="cos_sin"),
    name("from-one"): dict(start=1),
    name("negated"): dict(scale=-1.0),
    name("to-radians"): dict(scale=math.pi / 180),
    "幅度是 2，不是 1": dict(amplitude=2.0),
}


@pytest.mark.parametrize("d_model", [8, 64, 512])
@pytest.mark.parametrize("mistake", AGAINST_EXPECTED)
@pytest.mark.parametrize("storage", ["float32", "bfloat16"])
def test_each_difference_from_the_expected_is_named(mistake, storage, d_model):
    convention = dataclasses.replace(PAPER, **AGAINST_EXPECTED[mistake])
    table = table_of(convention, 24, d_model, storage=storage)
    assert identify(table, expected="paper")[0].mistake == mistake
    assert identify(table, expected=convention)[0].mistake is None


@pytest.mark.parametrize(("d_model", "base"), [(6, 100.0), (8, 1000.0), (8, 1e4), (512, 1e6)])
def test_another_schedule_is_told_before_another_base(d_model, base):
    """小维度上，换一种频率表与换一个圆整的底数是同一张表：底数与以为的相同的读法在前。"""
    expected = dataclasses.replace(PAPER, base=base)
    table = table_of(dataclasses.replace(expected, endpoint=True), 12, d_model)
    assert identify(table, expected=expected)[0].mistake == "频率表的分母是 d/2-1，不是 d/2"


def test_halves_expected_and_cosine_first_got_is_a_swap():
    assert identify(encode(np.arange(9), 16, "guided_diffusion"), expected="hf_marian")[0].mistake == name("swapped")


@pytest.mark.parametrize("expected", [None, "paper"])
def test_interleaved_cosine_first_is_a_swap_in_any_case(expected):
    table = encode(np.arange(20), 32).reshape(20, -1, 2)[..., ::-1].reshape(20, -1)
    assert identify(table, expected=expected)[0].mistake == name("swapped")


def test_a_reversed_table_is_told_from_a_negated_sine():
    assert identify(encode(np.arange(30), 32)[::-1], expected="paper")[0].mistake == name("reversed")


# ---- 写错的公式 -----------------------------------------------------------------


def broken(kind, pos, d_model, base, endpoint):
    """各种写错的公式，按错法直说；不与 sinpe 共用代码。"""
    i = np.arange(d_model // 2)
    den = d_model - 2 if endpoint else d_model
    x, step = 2 * i / den, 2 / den
    pos = pos[:, None].astype(float)
    own = {name("own-exponent"): (-x, -x - step / 2)}
    own[name("own-exponent-doubled")] = (-2 * x, -2 * x - step)
    own[name("multiplied")] = (x, x)
    own[name("multiplied-own")] = (x, x + step / 2)
    if kind in own:
        return tuple(pos * base**power for power in own[kind])
    angle = {
        name("angle-zero"): lambda: pos * (0 * i),
        name("exponent-zero"): lambda: pos / base ** (x // 1.0 * (x < 1)),
        name("negative-exponent-floored"): lambda: pos * base ** np.floor(-x),
        name("angle-floored"): lambda: pos // base**x,
        name("power-of-ratio"): lambda: (pos / base) ** x,
        name("exp-of-pair"): lambda: pos * np.exp(i) * (-math.log(base) * step),
    }[kind]()
    return angle, angle


KINDS = [
    name("own-exponent"),
    name("own-exponent-doubled"),
    name("multiplied"),
    name("multiplied-own"),
    name("angle-zero"),
    name("exponent-zero"),
    name("negative-exponent-floored"),
    name("angle-floored"),
    name("power-of-ratio"),
    name("exp-of-pair"),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("seq_len", "d_model", "base"), [(6, 8, 1e4), (50, 64, 1e4), (30, 20, 1e6)])
def test_each_broken_formula_is_named(kind, layout, seq_len, d_model, base):
    sine, cosine = broken(kind, np.arange(seq_len), d_model, base, endpoint=False)
    table = arrange(np.sin(sine), np.cos(cosine), layout).astype(np.float32)
    matches = identify(table, expected=Convention("t", layout, False, base))
    assert [m.mistake for m in matches] == [kind]
    assert matches[0].base == base


def test_truncating_the_exponents_leaves_a_one_at_the_end():
    """50 对、分母 49：末一个指数恰好是 1。写成 49 · (1/49) 就略小于 1，截成 0，认不出来。"""
    exponents = np.arange(50) / 49
    angle = np.arange(30)[:, None] / 1e4 ** np.trunc(exponents)
    expected = Convention("t", "sin_cos", True, 1e4)
    matches = identify(arrange(np.sin(angle), np.cos(angle), "sin_cos"), expected=expected)
    assert [m.mistake for m in matches] == ["指数取了整：乘方里的 2i/d 截成了整数"]


def test_positions_cut_to_integers_leave_runs_of_equal_rows():
    table = encode(np.floor(np.arange(40) * 0.5), 32)
    assert identify(table)[0].mistake == name("truncated")


def test_clamped_positions_are_not_called_truncated():
    """XLNet 把位置差夹在 ±2 之内：开头和结尾各有一串相同的行，中间没有。"""
    assert identify(encode(np.clip(np.arange(5, -6, -1), -2, 2), 16)) == []


# ---- 窄浮点数的角度 ---------------------------------------------------------------

ROUND = {
    "float32": lambda x: np.asarray(x, np.float32).astype(np.float64),
    "float16": lambda x: np.asarray(x, np.float16).astype(np.float64),
    "bfloat16": lambda x: bfloat16(x).astype(np.float64),
}


def narrow_table(kind, how, seq_len, d_model, endpoint):
    """整条算式都在窄浮点数里算，或只有位置、只有频率舍入。"""
    fl = ROUND[kind]
    pos = np.arange(float(seq_len))
    i = np.arange(d_model // 2)
    x = 2 * i / (d_model - 2 if endpoint else d_model)
    exact = 1e4**-x
    if how == "整条算式，乘方":
        angle = fl(np.outer(fl(pos), fl(1 / fl(1e4 ** fl(x)))))
    elif how == "整条算式，指数":
        angle = fl(np.outer(fl(pos), fl(np.exp(fl(fl(-x) * fl(math.log(1e4)))))))
    elif how == "只有位置":
        angle = np.outer(fl(pos), exact)
    else:
        angle = np.outer(pos, fl(exact))
    return arrange(np.sin(angle), np.cos(angle))


@pytest.mark.parametrize("endpoint", [False, True])
@pytest.mark.parametrize("how", ["整条算式，乘方", "整条算式，指数", "只有位置", "只有频率"])
@pytest.mark.parametrize(("seq_len", "d_model"), [(2500, 16), (2500, 128), (5000, 64)])
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_angles_in_a_narrow_float_are_told(kind, how, seq_len, d_model, endpoint):
    table = narrow_table(kind, how, seq_len, d_model, endpoint).astype(np.float32)
    match = identify(table)[0]
    assert match.mistake == f"角度用 {kind} 计算"
    assert same_frequencies(match.convention, Convention("t", "interleaved", endpoint), d_model, 1e-9)
    assert match.residual > 0.02  # 这个长度上，错误肉眼可见


@pytest.mark.parametrize("how", ["整条算式，乘方", "整条算式，指数", "只有频率"])
@pytest.mark.parametrize("storage", ["float32", "float64"])
def test_angles_in_float32_are_told_once_they_show(how, storage):
    table = STORAGE[storage](narrow_table("float32", how, 3000, 128, False))
    first = identify(table)[0]
    assert (first.convention.name, first.mistake) == ("paper", "角度用 float32 计算")


@pytest.mark.parametrize("how", ["整条算式，乘方", "整条算式，指数", "只有频率"])
def test_angles_in_float32_do_not_show_in_a_few_rows(how):
    first = identify(narrow_table("float32", how, 5, 128, False).astype(np.float32))[0]
    assert (first.convention.name, first.mistake) == ("paper", None)


@pytest.mark.parametrize("storage", STORAGE)
def test_exact_angles_are_never_called_narrow(storage):
    assert identify(table_of(PAPER, 6000, 64, storage=storage))[0].mistake is None


@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("base", [1e4, 5e5])
def test_a_ladder_built_up_from_the_slow_end_in_float32_is_still_recognised(base, storage):
    """MLX 写成 exp(x·(0 - ln(1/base)) + ln(1/base))：最快的一对，频率的误差有 ln(base) 倍。"""
    fl = ROUND["float32"]
    d_model, seq_len = 384, 1500
    x = fl(1 - fl(np.arange(d_model // 2) / (d_model // 2 - 1)))
    omega = fl(np.exp(fl(fl(x * fl(math.log(base))) - fl(math.log(base)))))
    angle = fl(np.outer(np.arange(seq_len), omega))
    table = STORAGE[storage](arrange(np.sin(angle), np.cos(angle), "sin_cos") * math.sqrt(2 / d_model))
    first = identify(table)[0]
    assert (first.convention.endpoint, first.base) == (True, base)
    assert first.mistake == ("角度用 float32 计算" if storage in ("float32", "float64") else None)


@pytest.mark.parametrize(("seq_len", "base"), [(4, 1e4), (6, 100.0)])
def test_a_cosine_with_its_own_exponent_is_not_taken_for_a_narrow_float(seq_len, base):
    """512 维的相邻指数只差百分之一二，几行 bfloat16 里与角度的舍入误差一般大，但按公式重算分得清。"""
    kind = name("own-exponent")
    sine, cosine = broken(kind, np.arange(seq_len), 512, base, endpoint=False)
    (match,) = identify(bfloat16(arrange(np.sin(sine), np.cos(cosine))))
    assert (match.mistake, match.base) == (kind, base)


@pytest.mark.parametrize("base", [500.0, 1e5])
def test_a_broken_formula_is_named_at_any_usual_base_without_being_told_what_to_expect(base):
    kind = name("own-exponent")
    sine, cosine = broken(kind, np.arange(20), 32, base, endpoint=False)
    (match,) = identify(arrange(np.sin(sine), np.cos(cosine)).astype(np.float32))
    assert (match.mistake, match.base) == (kind, base)


# ---- 人们真的会贴来的表 -----------------------------------------------------------


def shortest(table):
    """float32 的最短写法，再当作 float64 读回来：sinpe 自己的 CSV 就是这样。"""
    return np.array([[float(str(x)) for x in row] for row in table.astype(np.float32)])


def written(form):
    """写成文本，再用 np.loadtxt 读回来。"""

    def through(table):
        text = io.StringIO()
        np.savetxt(text, table, fmt=form)
        text.seek(0)
        return np.loadtxt(text)

    return through


PRINTED = {f"{places} 位小数": lambda x, places=places: np.round(x, places) for places in range(3, 13)} | {
    "%.6g": written("%.6g"),
    "%.8e": written("%.8e"),
    "%.18e": written("%.18e"),
    "float32 的最短写法": shortest,
    "bfloat16 打印四位": lambda x: np.round(bfloat16(x).astype(float), 4),
    "float16 打印四位": lambda x: np.round(x.astype(np.float16).astype(float), 4),
    "四位小数存成 float32": lambda x: np.round(x, 4).astype(np.float32),
}
EXPECTED_CONVENTIONS = ["paper", "whisper", "guided_diffusion"]


@pytest.mark.parametrize("expected", EXPECTED_CONVENTIONS)
@pytest.mark.parametrize(("seq_len", "d_model"), [(10, 8), (50, 64), (200, 16)])
@pytest.mark.parametrize("how", PRINTED)
def test_a_printed_table_is_recognised_and_no_mistake_is_made_of_the_printing(how, seq_len, d_model, expected):
    table = PRINTED[how](encode(np.arange(seq_len), d_model, expected, dtype=np.float64))
    found = identify(table)
    assert found, found
    assert any(
        (m.convention.layout, m.convention.endpoint, m.base, m.convention.scale, m.start, m.mistake)
        == (CONVENTIONS[expected].layout, CONVENTIONS[expected].endpoint, 1e4, 1, 0, None)
        for m in found
    ), [str(m) for m in found]
    assert identify(table, expected=expected)[0].mistake is None
    assert identify(table, expected=dataclasses.replace(CONVENTIONS[expected], start=5))[0].mistakes


def test_the_modules_own_csv_is_recognised(tmp_path):
    target = tmp_path / "pe.csv"
    subprocess.run(
        [sys.executable, "-m", "sinpe", "table", "--seq-len", "30", "--d-model", "16", "--output", str(target)],
        check=True,
        capture_output=True,
    )
    (match, _) = identify(np.loadtxt(target, delimiter=","))
    assert (match.convention.name, match.start, match.mistake) == ("paper", 0, None)


@SETTINGS
@given(
    scale=st.one_of(st.floats(0.01, 3), st.floats(math.pi, 60), st.sampled_from([3.2, 4.0, 4 * math.pi, 7.6, 31.25])),
    endpoint=st.booleans(),
    layout=st.sampled_from(LAYOUTS),
    d_model=st.sampled_from([32, 64, 128]),
    seq_len=st.sampled_from([16, 64, 256]),
    how=st.sampled_from(["float64", "float32", "6 位小数", "9 位小数", "float32 的最短写法"]),
)
def test_any_scale_is_measured_above_pi_too(scale, endpoint, layout, d_model, seq_len, how):
    """32 维、底数 10000、比例 60：最慢的六对每行还转不到半圈。"""
    convention = Convention("t", layout, endpoint, scale=scale)
    table = (PRINTED | STORAGE)[how](encode(np.arange(seq_len), d_model, convention, dtype=np.float64))
    match = next(m for m in identify(table) if m.convention.endpoint == endpoint)
    assert match.mistake is None
    # 比例的误差：相位的误差（六位小数是 3e-7）除以走过的行数，再除以数的个数的平方根；留十倍
    room = {"float64": 1e-12, "6 位小数": 3e-6, "9 位小数": 3e-9}.get(how, 1e-6)
    np.testing.assert_allclose(match.convention.scale, scale, rtol=room)
    again = encode(match.start + np.arange(seq_len), d_model, match.convention, dtype=np.float64)
    np.testing.assert_allclose(again, table, rtol=0, atol=10 * room)


@pytest.mark.parametrize("storage", ["float64", "float32", "float32 的最短写法"])
@pytest.mark.parametrize(
    "scale", [math.pi, 2 * math.pi, 1 / 3, 2 * math.pi / 50, 1 / 49, math.pi / 180, 0.333333, 3.14159, 0.25]
)
def test_a_scale_is_only_rounded_when_the_round_number_fits_as_well(scale, storage):
    convention = Convention("t", "sin_cos", False, scale=scale)
    table = (PRINTED | STORAGE)[storage](encode(np.arange(200), 64, convention, dtype=np.float64))
    (match, _) = identify(table)
    assert (match.convention.scale, match.mistake) == (scale, None)


@pytest.mark.parametrize("scale", [1 / 3, 2 * math.pi / 50])
def test_the_scale_of_a_float32_angle_table_is_not_rounded_too_far(scale):
    """六位有效数字的 0.333333 也在 float32 角度的容差之内，但贴合得差十几倍。"""
    omega = (1e4 ** -(np.arange(64) / 64)).astype(np.float32)
    angle = (np.float32(scale) * np.arange(500, dtype=np.float32))[:, None] * omega
    found = identify(arrange(np.sin(angle), np.cos(angle), "sin_cos"))
    # 频率、比例、乘积各舍入一次
    np.testing.assert_allclose(found[0].convention.scale, scale, rtol=3 * 2.0**-24)


@pytest.mark.parametrize("end", [0, 1, 2, 7, -3])
@pytest.mark.parametrize("storage", ["float32", "bfloat16"])
def test_a_reversed_table_is_reversed_whatever_its_end(end, storage):
    table = STORAGE[storage](encode(end + np.arange(20)[::-1], 32, dtype=np.float64))
    (mistake,) = identify(table, expected="paper")[0].mistakes
    assert mistake == (name("reversed") if end == 0 else f"{name('reversed')}：从 {end + 19} 到 {end}")
    (match, _) = identify(table)
    assert (match.mistakes, match.note) == ((), f"位置是倒着数的：从 {end + 19} 到 {end}")


@pytest.mark.parametrize("how", ["float32", "bfloat16", "4 位小数"])
@pytest.mark.parametrize("scale", [1.0, 0.37])
@pytest.mark.parametrize("row", [1, 7, 29])
@pytest.mark.parametrize(("step", "words"), [(-1, "与前一行重复"), (1, "之前缺了 1 行"), (3, "之前缺了 3 行")])
def test_a_seam_is_called_a_seam(step, words, row, scale, how):
    pos = np.arange(30)
    pos[row:] += step
    convention = dataclasses.replace(PAPER, scale=scale)
    table = (PRINTED | STORAGE)[how](encode(pos, 32, convention, dtype=np.float64))
    match = identify(table, expected=convention)[0]
    assert match.mistakes == (f"接缝：第 {row} 行（从 0 数）{words}",)
    assert (match.convention.scale, match.start) == (scale, 0)
    assert identify(table, expected=dataclasses.replace(convention, base=500.0))[0].mistakes[0].startswith("底数是")


def test_chunks_that_start_over_are_told():
    table = encode(np.tile(np.arange(16), 3), 32, "whisper")
    assert identify(table)[0].mistakes == tuple(f"接缝：第 {row} 行（从 0 数）的位置退回到 0" for row in (16, 32))


@pytest.mark.parametrize(("amplitude", "scale", "code"), [(-1, 1, "both-negated"), (-1, -1, "cosine-negated")])
@pytest.mark.parametrize("how", ["float64", "float16", "4 位小数"])
def test_a_negative_amplitude_is_found(amplitude, scale, code, how):
    convention = Convention("t", "sin_cos", True, scale=scale, amplitude=amplitude)
    table = (PRINTED | STORAGE)[how](encode(np.arange(20), 64, convention, dtype=np.float64))
    match = identify(table)[0]
    assert (match.convention.amplitude, match.convention.scale, match.mistakes) == (amplitude, scale, ())
    assert identify(table, expected="whisper")[0].mistakes == (name(code),)
    assert identify(table, expected=convention)[0].mistakes == ()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seq_len", [60, 500, 3000])
def test_a_cosine_written_as_a_shifted_sine_is_recognised(seq_len, dtype):
    """sin(θ + π/2)：加法又舍入一次，s² + c² 便不恰好是 1。"""
    angle = np.arange(seq_len, dtype=dtype)[:, None] / (10000 ** (np.arange(32) / 32)).astype(dtype)
    table = arrange(np.sin(angle), np.sin(angle + dtype(np.pi / 2)))
    (match, _) = identify(table)
    assert match.convention.name == "paper"
    assert set(match.mistakes) <= ({"角度用 float32 计算"} if dtype == np.float32 else set())


@pytest.mark.parametrize("scale", [0.5, 0.37, 1000.0, 1 / 3])
@pytest.mark.parametrize("kind", ["own-exponent", "own-exponent-doubled", "multiplied", "power-of-ratio"])
def test_a_broken_formula_is_named_at_any_scale(kind, scale):
    # 比例乘在位置上，起点不变
    sine, cosine = broken(name(kind), scale * np.arange(30), 32, 1e4, endpoint=False)
    table = arrange(np.sin(sine), np.cos(cosine)).astype(np.float32)
    expected = dataclasses.replace(PAPER, scale=scale)
    assert identify(table, expected=expected)[0].mistakes == (name(kind),)
    if kind == "own-exponent":  # 不告诉它比例，也量得出
        (match,) = identify(table)
        assert match.mistakes == (name(kind),)
        np.testing.assert_allclose(match.convention.scale, scale, rtol=1e-6)


def test_a_relative_position_that_lost_its_sign_is_told():
    assert identify(encode(np.abs(np.arange(6, -7, -1)), 16))[0].mistakes == (name("absolute"),)


def test_a_ladder_between_the_two_is_said_in_its_own_terms():
    """diffusers 的 downscale_freq_shift=0.5：分母是 d/2 - 0.5。"""
    angle = np.outer(np.arange(40), 1e4 ** -(np.arange(32) / 31.5))
    (match, _) = identify(arrange(np.sin(angle), np.cos(angle), "sin_cos").astype(np.float32))
    assert match.mistakes == ()
    assert "分母 d/2-0.5" in match.note


# ---- 另一类设计 ------------------------------------------------------------------

ROWS = np.arange(50)[:, None]
DESIGNS = {
    # lmnt-com/diffwave: src/diffwave/model.py；ermongroup/CSDI: diff_models.py
    "DiffWave": ("升序", arrange(*(f(ROWS * 10 ** (4 * np.arange(64) / 63)) for f in (np.sin, np.cos)), "sin_cos")),
    # bmild/nerf: run_nerf_helpers.py；位置在 -1 与 1 之间
    "NeRF": ("2^i", arrange(*(f((ROWS / 25 - 1) * 2.0 ** np.arange(10)) for f in (np.sin, np.cos)))),
    # Perceiver：π · linspace(1, 分辨率/2)，位置也放进表里
    "Perceiver": (
        "等差",
        np.hstack(
            [
                ROWS / 24.5 - 1,
                arrange(*(f(np.pi * (ROWS / 24.5 - 1) * np.linspace(1, 25, 16)) for f in (np.sin, np.cos)), "sin_cos"),
            ]
        ),
    ),
    # HazyResearch 的 Hyena：[t | cos | -sin]，频率从 1e-4 等距到 bands - 1
    "Hyena": (
        "等差",
        np.hstack(
            [
                ROWS / 49,
                arrange(
                    *(f(2 * np.pi * ROWS / 50 * np.linspace(1e-4, 15, 16)) for f in (lambda x: -np.sin(x), np.cos)),
                    "cos_sin",
                ),
            ]
        ),
    ),
}


@pytest.mark.parametrize("storage", ["float64", "float32"])
@pytest.mark.parametrize("design", DESIGNS)
def test_a_design_outside_is_named_and_never_called_a_mistake(design, storage):
    word, table = DESIGNS[design]
    found = identify(STORAGE[storage](table))
    assert found == []
    assert word in found.reason
    assert design in found.reason


# ---- 绝不猜 ---------------------------------------------------------------------


def orthogonal(rng, seq_len, d_model):
    return np.linalg.qr(rng.normal(size=(max(seq_len, d_model),) * 2))[0][:seq_len, :d_model]


def smooth(rng, seq_len, d_model):
    t = np.linspace(0, 1, seq_len)[:, None]
    return sum(
        rng.normal(size=d_model) * np.sin(2 * np.pi * k * t + rng.uniform(0, 6, d_model)) / k for k in range(1, 6)
    )


def waves(frequencies):
    def make(rng, seq_len, d_model):
        angle = np.outer(np.arange(seq_len), frequencies(rng, d_model // 2))
        return arrange(np.sin(angle), np.cos(angle))

    return make


def permuted(axis):
    def make(rng, seq_len, d_model):
        table = encode(np.arange(seq_len), d_model)
        order = rng.permutation(table.shape[axis])
        while (np.diff(order) == 1).all() or (np.diff(order) == -1).all():
            order = rng.permutation(table.shape[axis])
        return table.take(order, axis)

    return make


OTHERS = {
    "正态随机数": lambda rng, n, d: rng.normal(size=(n, d)) * 0.02,
    "均匀随机数": lambda rng, n, d: rng.uniform(-1, 1, size=(n, d)),
    "随机的单位圆": lambda rng, n, d: arrange(*(f(rng.uniform(0, 7, (n, d // 2))) for f in (np.sin, np.cos))),
    "正交矩阵": orthogonal,
    "光滑的曲线": smooth,
    "随机游走": lambda rng, n, d: np.cumsum(rng.normal(size=(n, d)), axis=0),
    "随机的频率": waves(lambda rng, h: np.sort(rng.uniform(0, 1, h))[::-1]),
    "等差的频率": waves(lambda rng, h: np.linspace(1, 1e-4, h)),
    "整数倍的频率": waves(lambda rng, h: 0.01 * np.arange(1, h + 1)),
    "加了噪声的编码": lambda rng, n, d: encode(np.arange(n), d) + rng.normal(size=(n, d)) * 0.01,
    "列的次序打乱": permuted(1),
    "行的次序打乱": permuted(0),
    "余弦变换": lambda rng, n, d: np.cos(np.pi * (np.arange(n)[:, None] + 0.5) * np.arange(d) / n),
    "全 0": lambda rng, n, d: np.zeros((n, d)),
    "全 1": lambda rng, n, d: np.ones((n, d)),
    "直线": lambda rng, n, d: np.outer(np.arange(n), np.arange(d)) / d,
    "独热": lambda rng, n, d: np.eye(n, d),
}


@pytest.mark.parametrize("storage", ["float32", "bfloat16"])
@pytest.mark.parametrize(("seq_len", "d_model"), [(6, 8), (64, 64), (200, 16)])
@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_none_of_these_gets_an_empty_list(kind, seq_len, d_model, storage):
    rng = np.random.default_rng(abs(hash((len(kind), seq_len, d_model))))
    found = identify(STORAGE[storage](OTHERS[kind](rng, seq_len, d_model)))
    assert found == []
    assert found.reason
    assert repr(found) == f"[]（没有认出：{found.reason}）"


def test_one_wrong_row_among_thousands_is_enough_to_refuse():
    table = encode(np.arange(5000), 64)
    table[4321, 7] += 0.01
    found = identify(table)
    assert found == []
    assert found.reason.startswith("最像 paper（底数 10000，第一行是位置 0），但有 1 个数差得超过舍入误差")
    assert "第 4321 行第 7 列" in found.reason


@pytest.mark.parametrize("noise", [0.003, 0.001])
@pytest.mark.parametrize(("seq_len", "d_model"), [(16, 16), (64, 32)])
def test_noise_just_above_the_storage_rounding_is_not_called_a_narrow_float(seq_len, d_model, noise):
    """噪声不随角度变小：慢的几对、第 0 行，窄的角度没有误差，噪声有。"""
    rng = np.random.default_rng(0)
    table = encode(np.arange(seq_len), d_model) + rng.normal(size=(seq_len, d_model)) * noise
    assert identify(bfloat16(table)) == []


def test_pairs_that_do_not_turn_evenly_are_refused_before_any_start_is_searched(monkeypatch):
    """每个数都是 ±1 的表，各对的长度处处相同；逐种读法去找起点，要花好几秒。"""
    monkeypatch.setattr("sinpe.identification.readings.find_starts", lambda *_: pytest.fail("不该再找起点"))
    assert identify(np.random.default_rng(0).choice([-1.0, 1.0], size=(5, 12))) == []


SIMPLE = np.array([1, 0.1, 0.01, 0.001])


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (np.zeros((9, 8)), "不全是 0 的只有 0 行，至少要 4 行"),
        (np.random.default_rng(0).normal(size=(9, 8)), "不是成对的正弦和余弦"),
        (encode(np.random.default_rng(0).permutation(30), 8), "转过的角度时大时小"),
        (encode(np.arange(30), 64, Convention("t", "sin_cos", False, base=1.2)), "底数不在 1.5 与 1e300 之间"),
        (np.round(encode(np.arange(30), 64, dtype=np.float64), 2), "不到 3 位小数"),
        (arrange(*(f(np.outer(np.arange(30), [1, 0.9, 0.3, 0.1])) for f in (np.sin, np.cos))), "不成等比数列"),
        (
            arrange(*(f(np.outer(np.arange(30), SIMPLE) + np.arange(4)) for f in (np.sin, np.cos))),
            "凑不出同一个起点",
        ),
    ],
)
def test_an_empty_answer_says_why(table, words):
    found = identify(table)
    assert found == []
    assert words in found.reason
    assert "\n" not in repr(found)


def test_a_match_carries_each_mistake_and_joins_them():
    match = identify(encode(np.arange(1, 21), 32, "whisper"), expected="paper")[0]
    assert len(match.mistakes) == 3
    assert match.mistake == "；".join(match.mistakes)
    assert isinstance(match, sinpe.Match)
    assert identify(encode(np.arange(5), 8)).reason == ""


# ---- 输入 ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "error", "words"),
    [
        (np.zeros((3, 8)), ValueError, "至少要 4 行、6 列才认得出，收到形状 (3, 8)"),
        (np.zeros((9, 4)), ValueError, "至少要 4 行、6 列才认得出，收到形状 (9, 4)"),
        (np.zeros((2, 9, 8)), ValueError, "必须是两维 (seq_len, d_model)，收到形状 (2, 9, 8)"),
        (np.zeros(8), ValueError, "至少两维，收到 (8,)"),
        (np.full((9, 8), np.nan), ValueError, "必须全部有限，下标 (0, 0) 处是 nan"),
        (np.zeros((9, 8), complex), TypeError, "必须是实数数组，收到 dtype 为 complex128"),
        ([["a"] * 8] * 9, TypeError, "必须是实数数组"),
        (np.zeros((9, 8), bool), TypeError, "必须是实数数组，收到 dtype 为 bool"),
    ],
)
def test_a_table_that_cannot_be_judged_is_refused_with_what_is_needed(table, error, words):
    with pytest.raises(error) as caught:
        identify(table)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("scale", [2.0**53 + 1, 1e308])
def test_an_expected_scale_of_any_size_is_no_reason_to_fail(scale):
    assert identify(encode(np.arange(8), 8), expected=Convention("t", "interleaved", False, scale=scale))


def test_frequencies_that_grow_beyond_measure_are_no_reason_to_fail():
    """由最慢的两对往快的推，公比是 3e5：推过一百对就不再是有限的数，整数圈也就无从谈起。"""
    rate = np.array([0.5] * 250 + [3.0, 1e-5])
    with np.errstate(all="ignore"):
        ladder = unwrap(Rates(rate, np.full(252, 1e-9), 0.0))
    assert ladder is None or np.isfinite(ladder).all()


def test_the_table_is_not_changed():
    table = encode(np.arange(50), 32, "mlx")
    before = table.copy()
    table.flags.writeable = False
    assert identify(table)
    np.testing.assert_array_equal(table, before)


def test_identify_is_the_public_name():
    assert sinpe.identify is sinpe.identification.identify
