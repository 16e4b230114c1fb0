"""会动的图：Vega 里的式子算出来的，与 ``sinpe`` 算的一样；打开时是静止的，不连外网，每个滑块都动得了图。

式子由 vl-convert 里的 Vega 来算，不开浏览器。网页上的样子和拖动，由 ``tests/browser/test_lab.py`` 管。
"""

import copy
import io
import json
import re

import numpy as np
import pytest
from PIL import Image

import sinpe
from sinpe import live

PICTURES = {name: getattr(live, name) for name in live.__all__ if name != "Live"}
# 式子按 pos·b^(−2i/d) 算角度，两次舍入，sin 的误差不到 2 eps·pos；位置不到 1000
CLOSE = {"rtol": 0, "atol": 1000 * 2**-51}


def scene(picture, data=(), marks=(), **values):
    """让 Vega 算一遍，返回图里的一切；滑块拨到 ``values``。给了 ``marks``，就只画它们。"""
    from vl_convert import vega_to_scenegraph

    spec = copy.deepcopy(picture.spec)
    for signal in spec["signals"]:
        if signal["name"] == "width":
            signal.pop("init"), signal.pop("on")
            signal["value"] = values.get("width", 720)
        elif signal["name"].removesuffix("_bar") in values and ("bind" in signal or "value" in signal):
            signal["value"] = values[signal["name"].removesuffix("_bar")]
    for table in spec["data"]:  # 热图要画布，这里没有；它收到的数仍在
        table["transform"] = [step for step in table.get("transform", []) if step["type"] != "heatmap"]
    spec["data"] += data
    spec["marks"] = marks or spec["marks"]
    return vega_to_scenegraph(spec)["scenegraph"]


def texts(node):
    if isinstance(node, dict):
        if node.get("marktype") == "text":
            yield from (str(item["text"]) for item in node["items"] if "text" in item)
        else:
            for value in node.values():
                yield from texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from texts(value)


def column(picture, table, fields, data=(), **values):
    """一张表里的几列，``(行, 列)``：每个数当作一个点的横坐标，读回来一位不差。"""
    marks = [
        {"type": "symbol", "from": {"data": table}, "encode": {"update": {"x": {"signal": f"datum.{field}"}}}}
        for field in fields.split()
    ]
    drawn = scene(picture, data, marks, **values)["items"][0]["items"]
    return np.array([[item.get("x", 0) for item in mark["items"]] for mark in drawn], float).T


def signal(picture, expression, **values):
    """一个式子的值。"""
    formula = {"type": "formula", "as": "answer", "expr": expression}
    asked = {"name": "asked", "values": [{}], "transform": [formula]}
    return column(picture, "asked", "answer", [asked], **values).item()


needs_vega = pytest.mark.dev("vl_convert")


# ---------------------------------------------------------------- 数


@needs_vega
@pytest.mark.parametrize(("d", "base", "pos"), [(8, 10000, 5), (2, 10, 0), (16, 2, 31), (6, 1_000_000, 17)])
def test_the_table_the_lit_row_and_the_hands_are_those_of_sinpe(d, base, pos):
    picture = live.hands()
    at = {"d": d, "exponent": np.log10(base), "pos": pos}
    table = sinpe.sinusoidal_positional_encoding(32, d, base=base, dtype=np.float64)
    np.testing.assert_allclose(column(picture, "table", "value", **at).reshape(32, d), table, **CLOSE)
    np.testing.assert_allclose(column(picture, "lit", "value", **at)[:, 0], table[pos], **CLOSE)

    side = signal(picture, "side", **at)
    pairs = column(picture, "pairs", "x y length", **at)
    reach = pairs[:, 2] * side * 0.42  # 指针的长，像素；横坐标是正弦，纵坐标向上是余弦
    np.testing.assert_allclose((pairs[:, 0] - side / 2) / reach, table[pos, 0::2], **CLOSE)
    np.testing.assert_allclose((40 + side / 2 - pairs[:, 1]) / reach, table[pos, 1::2], **CLOSE)


@needs_vega
@pytest.mark.parametrize(("d", "base", "length"), [(64, 10000, 100), (2, 10, 10), (128, 2, 200), (30, 1_000_000, 77)])
def test_the_heat_map_and_its_wavelengths_are_those_of_sinpe(d, base, length):
    picture, lam = live.heatmap(), sinpe.wavelengths(d, base=base)
    at = {"d": d, "exponent": np.log10(base), "rows": length}
    grid = [signal(picture, f"data('picture')[0].grid.{key}", **at) for key in ("width", "height")]
    assert grid == [d, length]
    each = {"name": "each", "source": "picture"}
    each["transform"] = [
        {"type": "formula", "as": "v", "expr": "datum.grid.values"},
        {"type": "flatten", "fields": ["v"]},
    ]
    values = column(picture, "each", "v", [each], **at).reshape(length, d)
    table = sinpe.sinusoidal_positional_encoding(length, d, base=base, dtype=np.float64)
    np.testing.assert_allclose(values, table, **CLOSE)

    np.testing.assert_allclose(column(picture, "pairs", "wavelength", **at)[:, 0], lam, rtol=4 * 2**-52)
    assert signal(picture, "finished", **at) == np.count_nonzero(lam <= length)
    np.testing.assert_allclose(signal(picture, "longest", **at), lam[-1], rtol=4 * 2**-52)
    said = next(text for text in texts(scene(picture, **at)) if text.startswith("最长的波长"))
    assert said == f"最长的波长 {lam[-1]:,.1f}，是表长的 {round(lam[-1] / length, 2):,} 倍"


@needs_vega
@pytest.mark.parametrize("d_model", [2, 8])
@pytest.mark.parametrize("k", [-30, -1, 0, 4, 30])
def test_one_matrix_moves_both_positions_where_the_formula_says(k, d_model):
    picture, p, q = live.shift(d_model=d_model), 7, 41
    at = {"k": k, "p": p, "q": q}
    matrix = sinpe.shift_matrix(k, d_model)
    np.testing.assert_allclose(column(picture, "matrix", "value", **at).reshape(d_model, d_model), matrix, **CLOSE)

    hands = column(picture, "hands", "which i at old_sin old_cos new_sin new_cos there_sin there_cos", **at)
    for which, pos in enumerate((p, q)):
        rows = hands[hands[:, 0] == which]
        assert [*rows[:, 1]] == [*range(d_model // 2)]
        assert {*rows[:, 2]} == {pos}
        old, there = sinpe.encode_positions([pos, pos + k], d_model, dtype=np.float64)
        np.testing.assert_allclose(rows[:, 3:5].ravel(), old, **CLOSE)
        np.testing.assert_allclose(rows[:, 5:7].ravel(), matrix @ old, **CLOSE)
        np.testing.assert_allclose(rows[:, 7:9].ravel(), there, **CLOSE)
        np.testing.assert_allclose(rows[:, 5:7], rows[:, 7:9], **CLOSE)  # 定理本身


@needs_vega
@pytest.mark.parametrize(("d", "base", "reach"), [(64, 10000, 120), (2, 10, 20), (128, 2, 77), (16, 1_000_000, 500)])
def test_the_similarity_and_its_first_rise_are_those_of_sinpe(d, base, reach):
    picture, delta = live.similarity(), np.arange(reach + 1)
    at = {"d": d, "exponent": np.log10(base), "reach": reach}
    g = sinpe.similarity_kernel(delta, d, base=base) / (d / 2)
    np.testing.assert_allclose(column(picture, "curve", "delta g", **at), np.c_[delta, g], **CLOSE)
    rising = np.flatnonzero(np.diff(g) > 0)
    assert np.abs(np.diff(g)).min() > 1e-9  # 起伏都远大于舍入，从哪里起回升不含糊
    assert signal(picture, "rise === null ? -1 : rise", **at) == (rising[0] if len(rising) else -1)


@needs_vega
def test_a_short_stretch_without_a_rise_is_said_to_have_none():
    at = {"d": 2, "exponent": 1, "reach": 20}
    assert "过了 Δ = 3 就第一次回升" in texts(scene(live.similarity(), **at))  # cos Δ 在 π 处到底
    at = {"d": 128, "exponent": 0.3, "reach": 20}
    g = sinpe.similarity_kernel(np.arange(21), 128, base=2)
    said = "这一段里没有回升" if (np.diff(g) < 0).all() else f"过了 Δ = {np.argmax(np.diff(g) > 0)} 就第一次回升"
    assert said in texts(scene(live.similarity(), **at))


@needs_vega
@pytest.mark.parametrize(
    ("d", "base", "scale", "steps"),
    [(64, 10000, 1000, 1000), (2, 10, 1, 10), (128, 2, 100_000, 10_000), (30, 158, 32, 100)],
)
def test_the_distance_over_each_interval_is_that_of_the_encodings(d, base, scale, steps):
    picture = live.range_resolution()
    at = {"d": d, "exponent": np.log10(base), "power": np.log10(scale), "parts": np.log10(steps)}
    assert [signal(picture, name, **at) for name in ("base", "scale", "steps")] == [base, scale, steps]
    delta = np.append(10.0 ** (np.arange(201) / 40 - 5), 1 / steps)
    rows = sinpe.encode_positions(scale * np.append(0, delta), d, base=base, dtype=np.float64)
    expected = np.linalg.norm(rows[1:] - rows[0], axis=1)
    # 编码之差的角度到 1e5，误差是它的几个 eps，开方前后都不超过下面的数
    close = {"rtol": 0, "atol": scale * 2**-48}
    np.testing.assert_allclose(column(picture, "curve", "delta distance", **at), np.c_[delta, expected][:-1], **close)
    np.testing.assert_allclose(column(picture, "curve", "y", **at)[:, 0], expected[:-1] / np.sqrt(d), **close)
    np.testing.assert_allclose(column(picture, "marked", "delta distance", **at), [[1 / steps, expected[-1]]], **close)

    lam = sinpe.wavelengths(d, base=base) / scale
    np.testing.assert_allclose(column(picture, "pairs", "wavelength", **at)[:, 0], lam, rtol=4 * 2**-52)
    np.testing.assert_allclose(signal(picture, "turns", **at), 1 / lam[-1], rtol=8 * 2**-52)
    said = f"相隔 1/{steps:,}：距离 {expected[-1]:.2f}，转散是 {np.sqrt(d):.2f}"
    assert said in texts(scene(picture, **at))


@needs_vega
def test_the_slider_of_the_base_goes_through_whole_numbers_and_the_powers_of_ten():
    picture = live.similarity()
    bases = [
        signal(picture, "base", exponent=0.3 + 0.05 * step) for step in [*range(0, 115, 10), 14, 34, 54, 74, 94, 114]
    ]
    assert (min(bases), max(bases)) == (2, 1_000_000)
    assert {10, 100, 1000, 10_000, 100_000} <= {*bases}
    assert all(base % 1 == 0 for base in bases)
    assert signal(live.similarity(base=500), "base") == 500


# ---------------------------------------------------------------- 样子与规矩


def sliders(picture):
    return [signal for signal in picture.spec["signals"] if "bind" in signal and "min" in signal["bind"]]


@needs_vega
@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("width", [330, 720])
def test_every_slider_changes_the_picture_at_every_width(name, width):
    picture = PICTURES[name]()
    for slider in sliders(picture):
        bar, bind = slider["name"].removesuffix("_bar"), slider["bind"]
        ends = [json.dumps(scene(picture, width=width, **{bar: bind[end]})) for end in ("min", "max")]
        assert "NaN" not in "".join(ends)
        assert ends[0] != ends[1], f"{bind['name']}拨到头，图也不变"


@needs_vega
@pytest.mark.parametrize("name", PICTURES)
def test_no_text_runs_over_the_edge_of_a_phone(name):
    # 汉字一个算一个字号宽，别的算 0.6：比任何一种常见字体都宽
    def runs_over(node, left=0.0):
        for item in node.get("items", []):
            if node.get("marktype") == "group":
                for inner in item.get("items", []):
                    yield from runs_over(inner, left + item.get("x", 0))
            elif node.get("marktype") == "text" and item.get("text") and not item.get("angle"):
                size = item.get("fontSize", 11)
                wide = sum(size * (1.0 if ord(char) > 0x2E80 else 0.6) for char in str(item["text"]))
                x = left + item.get("x", 0) - wide * {"center": 0.5, "right": 1.0}.get(item.get("align"), 0.0)
                if x < -12.5 or x + wide > 342.5:  # 四边各有 12 像素的白边
                    yield item["text"]

    assert [*runs_over(scene(PICTURES[name](), width=330))] == []


@pytest.mark.parametrize("name", PICTURES)
def test_the_sliders_have_chinese_names_are_wide_and_stay_native(name):
    for slider in sliders(PICTURES[name]()):
        bind = slider["bind"]
        assert bind["input"].lower() == "range"  # 浏览器自带的滑块，键盘能拨
        assert re.fullmatch("[\u4e00-\u9fff]{2}", bind["name"])
        assert bind["aria-label"] == bind["name"]
        assert int(re.search(r"min\((\d+)px", bind["style"])[1]) >= 300
        assert bind["min"] <= slider["value"] <= bind["max"]


@pytest.mark.parametrize("name", PICTURES)
def test_nothing_moves_until_the_reader_asks(name):
    signals = {signal["name"]: signal for signal in PICTURES[name]().spec["signals"]}
    timers = [on for signal in signals.values() for on in signal.get("on", []) if "timer" in json.dumps(on["events"])]
    assert all(on["update"].startswith("play ? ") for on in timers)
    assert signals.get("play", {"value": False})["value"] is False
    assert signals.get("play", {"bind": {"input": "checkbox"}})["bind"]["input"] == "checkbox"


@pytest.mark.parametrize("name", PICTURES)
def test_the_output_holds_vega_a_small_sharp_picture_and_one_sentence(name):
    data, metadata = PICTURES[name]()._repr_mimebundle_()
    assert list(data) == ["application/vnd.vega.v5+json", "image/png", "text/plain"]
    spec = data["application/vnd.vega.v5+json"]
    assert json.loads(json.dumps(spec)) == spec
    assert spec["background"] == "white"
    assert data["text/plain"] == spec["description"] == repr(PICTURES[name]())
    assert re.fullmatch(r"[^。\n]+。", data["text/plain"])
    assert re.findall(r"https?://[^\"]+", json.dumps(spec)) == [spec["$schema"]]  # 只是个名字，没有谁去取
    assert "url" not in json.dumps(spec)

    import base64

    png = base64.b64decode(data["image/png"])
    assert len(png) <= 60_000
    assert png == PICTURES[name]().png()
    size = metadata["image/png"]
    assert Image.open(io.BytesIO(png)).size == (2 * size["width"], 2 * size["height"])
    assert size["width"] <= 780


@pytest.mark.parametrize("name", PICTURES)
def test_the_still_picture_draws_other_numbers_when_asked(name):
    assert PICTURES[name]().png() != PICTURES[name](d_model=2).png()


def test_drawing_leaves_the_style_of_the_reader_alone():
    import matplotlib

    with matplotlib.rc_context({"font.size": 17}):
        live.similarity().png()
        assert matplotlib.rcParams["font.size"] == 17


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: live.hands(d_model=7), "d_model 必须是 2 到 16 的偶数，收到 7（int）；请换一个，例如 2。"),
        (lambda: live.hands(pos=32), "pos 必须是 0 到 31 的整数，收到 32（int）；请换一个，例如 0。"),
        (
            lambda: live.heatmap(base=1e7),
            "base 必须是 2 到 1000000 的整数，收到 10000000.0（float）；请换一个，论文取 10000。",
        ),
        (lambda: live.heatmap(length=9), "length 必须是 10 到 200 的整数，收到 9（int）；请换一个，例如 10。"),
        (lambda: live.shift(k=31), "k 必须是 -30 到 30 的整数，收到 31（int）；请换一个，例如 -30。"),
        (
            lambda: live.range_resolution(steps=9),
            "steps 必须是 10 到 10000 的整数，收到 9（int）；请换一个，例如 10。",
        ),
        (lambda: live.range_resolution(scale=0), "scale 必须是 1 到 100000 的整数，收到 0（int）；请换一个，例如 1。"),
        (lambda: live.similarity(reach=19), "reach 必须是 20 到 500 的整数，收到 19（int）；请换一个，例如 20。"),
    ],
)
def test_a_start_beyond_the_sliders_is_refused(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()
