"""会动的图：存进笔记本的输出里，不开内核也能拖动。

每个函数返回一幅图，写在一格的末尾就显示。输出里同时存三样：Vega（能拖动）、PNG（不认得 Vega 的地方显示它）、
一句话。Vega 里没有现成的数，表、指针和曲线都由里面的式子随滑块现算，与 ``sinpe`` 算的相等（``tests/test_live.py``）。
打开时是静止的，勾了“播放”才自己走；滑块是网页自带的，键盘也能拨。
"""

from __future__ import annotations

import base64
import io
import math
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from PIL import Image

from . import plotting
from .encoding import (
    _check_base,
    _check_float,
    _check_int,
    _show,
    angular_frequencies,
    encode_positions,
    sinusoidal_positional_encoding,
    wavelengths,
)
from .plotting import COS_COLOR, FOCUS_COLOR, GUIDE_COLOR, SIN_COLOR, SINPE_COLOR, pair_colors
from .relative import shift_matrix, similarity_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Live", "hands", "heatmap", "range_resolution", "shift", "similarity"]

VEGA = "application/vnd.vega.v5+json"
_DPI = 220  # 每点两个像素
BLACK, GREEN, GREY = (f"'{color}'" for color in (SINPE_COLOR, FOCUS_COLOR, GUIDE_COLOR))  # 式子里的字符串
_VALUE_RANGE = [to_hex(colormaps[plotting.VALUE_CMAP](x)) for x in np.linspace(0, 1, 11)]


class Live:
    """一幅会动的图，由本模块的函数造出来；放在一格的末尾就显示。

    Attributes
    ----------
    spec : dict
        Vega 第 5 版的规格。
    sentence : str
        一句话，说图里是什么、可以动什么。
    """

    def __init__(self, spec: dict, sentence: str, draw: Callable[[Figure], None], size: tuple[float, float]):
        self.spec, self.sentence, self._draw, self._size = spec, sentence, draw, size

    def __repr__(self) -> str:
        return self.sentence

    def png(self) -> bytes:
        """返回静止的一幅，与 Vega 刚打开时画的是同样的数。"""
        with matplotlib.rc_context():
            plotting._apply()
            figure, file = Figure(figsize=self._size), io.BytesIO()
            self._draw(figure)
            figure.savefig(file, dpi=_DPI)
        small = io.BytesIO()
        Image.open(file).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(small, "png", optimize=True)
        return small.getvalue()

    def _repr_mimebundle_(self, include=None, exclude=None) -> tuple[dict, dict]:
        png = self.png()
        width, height = (int.from_bytes(png[at : at + 4]) // 2 for at in (16, 20))  # PNG 的开头记着宽高
        picture = base64.b64encode(png).decode("ascii")
        data = {VEGA: self.spec, "image/png": picture, "text/plain": self.sentence}
        return data, {"image/png": {"width": width, "height": height}}


# ------------------------------------------------------------------ 各图共用的零件


def _whole(name: str, value: object, low: int, high: int, step: int = 1) -> int:
    """检查一个打开时的值：滑块到得了的整数。"""
    number = _check_int(name, value, low)
    if not low <= number <= high or (number - low) % step:
        kind = "偶数" if step == 2 else "整数"
        raise ValueError(f"{name} 必须是 {low} 到 {high} 的{kind}，收到 {_show(value)}；请换一个，例如 {low}。")
    return number


def _slider(name: str, label: str, value: float, low: float, high: float, step: float = 1) -> list[dict]:
    """一个滑块和它的读数：信号 ``name`` 是数，``name_bar`` 是滑块上的字。

    Vega 自己的 ``range`` 只有百来像素宽，又不许改样子；写成 ``Range``，它就当作普通的输入框，样子由我们定，
    浏览器不分大小写，照样画成滑块。代价是信号收到的是字符串，所以另设一个数。
    """
    bind = {"input": "Range", "name": label, "min": low, "max": high, "step": step, "aria-label": label}
    # JupyterLab 里，图的宽度随滑块：滑块够宽，图才排成两栏
    wide = "width:min(660px,62vw);max-width:calc(100% - 4em)"
    bind["style"] = f"{wide};height:24px;margin:0 8px;vertical-align:middle;accent-color:{FOCUS_COLOR}"
    bind["data-lm-suppress-shortcuts"] = "true"  # 不然 JupyterLab 把左右键拿去折叠标题，滑块收不到
    return [
        {"name": f"{name}_bar", "value": value, "bind": bind},
        {"name": name, "update": f"toNumber({name}_bar)"},
    ]


def _base_slider(base: object) -> list[dict]:
    """底数的滑块：按对数走，取整，所以读数就是用的数。"""
    number = _check_float("base", base, "10000")
    if not 2 <= number <= 1e6 or number % 1:
        raise ValueError(f"base 必须是 2 到 1000000 的整数，收到 {_show(base)}；请换一个，论文取 10000。")
    return [
        *_slider("exponent", "底数", math.log10(number), 0.3, 6, 0.05),
        {"name": "base", "update": "round(pow(10, exponent))"},
        {"name": "base_text", "update": "format(base, ',')"},
    ]


def _sequence(name: str, stop: str, field: str, **formulas: str) -> dict:
    """一串 0, 1, …, stop − 1，再逐个算出别的列。"""
    start = {"type": "sequence", "start": 0, "stop": {"signal": stop}, "as": field}
    return {"name": name, "transform": [start, *_formulas(**formulas)]}


def _formulas(**formulas: str) -> list[dict]:
    return [{"type": "formula", "as": name, "expr": text} for name, text in formulas.items()]


def _mark(kind: str, data: str | None = None, **encode: str | float | bool) -> dict:
    """一种图形，``data`` 里每一行一个。字符串是 Vega 的式子，随滑块重算；数就是数。"""
    update = {key: {"signal" if isinstance(value, str) else "value": value} for key, value in encode.items()}
    return {"type": kind, "encode": {"update": update}, **({"from": {"data": data}} if data else {})}


def _text(text: str, x: str | float, y: str | float, data: str | None = None, **more: str | float) -> dict:
    style = {"fontSize": 13, "fill": "'#222'", "baseline": "'middle'"} | more
    return _mark("text", data, text=text, x=x, y=y, **style)


def _group(x: str | float, y: str | float, width: str | float, height: str | float, **content: list) -> dict:
    """页面上的一块，左上角在 (x, y)；里面的轴和图形用自己的坐标。"""
    return _mark("group", x=x, y=y, width=width, height=height) | content


def _axis(orient: str, scale: str, title: str, **more: object) -> dict:
    return {"orient": orient, "scale": scale, "title": title, "tickSize": 4, **more}


def _spec(description: str, height: str, signals: list, data: list, marks: list, scales: list | None = None) -> dict:
    """一份完整的规格。宽度随页面，在 300 与 720 之间；白纸黑字，深色页面上也看得清。"""
    room = "containerSize()[0]"
    width = f"{room} > 200 ? clamp({room} - 24, 300, 720) : 720"
    color = {"name": "value", "type": "linear", "clamp": True, "range": _VALUE_RANGE}
    color["domain"] = [round(x, 1) for x in np.linspace(-1, 1, 11).tolist()]
    config = {
        "axis": {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal", "titlePadding": 6},
        "text": {"font": "sans-serif"},
    }
    return {
        "$schema": "https://vega.github.io/schema/vega/v5.json",
        "description": description,
        "background": "white",
        "padding": 12,
        "autosize": "none",
        "usermeta": {"embedOptions": {"actions": False}},  # 不要英文的下载菜单
        "signals": [
            {"name": "width", "init": width, "on": [{"events": "window:resize", "update": width}]},
            {"name": "wide", "update": "width >= 560"},
            {"name": "height", "update": height},
            *signals,
        ],
        "data": data,
        "scales": [color, *(scales or [])],
        "marks": marks,
        "config": config,
    }


# ------------------------------------------------------------------ 指针与表


def hands(*, d_model: int = 8, base: float = 10000.0, pos: int = 5, rows: int = 32) -> Live:
    """一面钟和一张表：位置往前走，指针转动，表里的一行跟着亮起来。

    Parameters
    ----------
    d_model : int, default: 8
        打开时的维度，2 到 16 的偶数。
    base : float, default: 10000.0
        打开时的底数，2 到 1000000 的整数。
    pos : int, default: 5
        打开时的位置，小于 ``rows``。
    rows : int, default: 32
        表有多少行，8 到 64，单位：位置。

    Returns
    -------
    Live
        滑块：位置、维数、底数；另有“播放”。指针从正上方起顺时针转，横坐标是正弦，纵坐标是余弦。

    Raises
    ------
    TypeError
        参数不是数。
    ValueError
        参数超出上面的范围。

    Examples
    --------
    >>> hands()
    指针与表：拖动位置、维数、底数，或勾上“播放”，看指针怎样转、哪一行亮起来。
    """
    sentence = "指针与表：拖动位置、维数、底数，或勾上“播放”，看指针怎样转、哪一行亮起来。"
    d_model, rows = _whole("d_model", d_model, 2, 16, 2), _whole("rows", rows, 8, 64)
    pos = _whole("pos", pos, 0, rows - 1)
    step = "play ? (pos + 0.06) % (rows - 1) : pos_bar"
    position, number = _slider("pos", "位置", pos, 0, rows - 1)
    position["on"] = [
        {"events": {"type": "timer", "throttle": 30}, "update": step},
        {"events": {"signal": "play"}, "update": "play ? pos_bar : round(pos)"},
    ]
    signals = [
        {"name": "play", "value": False, "bind": {"input": "checkbox", "name": "播放"}},
        {"name": "rows", "value": rows},
        position,
        number,
        {"name": "row", "update": "round(pos)"},
        *_slider("d", "维数", d_model, 2, 16, 2),
        *_base_slider(base),
        {"name": "side", "update": "wide ? 290 : min(width, 300)"},
        {"name": "left", "update": "wide ? side + 70 : 44"},
        {"name": "top", "update": "wide ? 50 : side + 90"},
        {"name": "cell", "update": "floor((width - left) / d)"},  # 整数个像素，格子之间才没有缝
        {"name": "w", "update": "cell * d"},
        {"name": "h", "update": "rows * floor(240 / rows)"},
    ]
    angle = "datum.at * pow(base, -2 * datum.i / d)"
    value = "datum.c % 2 ? cos(datum.angle) : sin(datum.angle)"
    data = [
        _sequence(
            "pairs", "d / 2", "i", at="pos", angle=angle, length="1 - 0.7 * datum.i / 8",
            slot="datum.i / max(1, d / 2 - 1)",
            x="side / 2 + side * 0.42 * datum.length * sin(datum.angle)",
            y="40 + side / 2 - side * 0.42 * datum.length * cos(datum.angle)",
        ),
        _sequence(
            "table", "rows * d", "n", c="datum.n % d", at="floor(datum.n / d)", i="floor(datum.c / 2)",
            angle=angle, value=value,
        ),
        _sequence("lit", "d", "c", at="row", i="floor(datum.c / 2)", angle=angle, value=value),
    ]  # fmt: skip
    shades = [i / 7 for i in range(8)]  # 0 是最快的一对，1 是最慢的
    scales = [{"name": "pair", "type": "linear", "domain": shades, "range": pair_colors(8)}]
    center = {"x": "side / 2", "y": "40 + side / 2"}
    by_pair, by_value = "scale('pair', datum.slot)", "scale('value', datum.value)"
    clock = [
        _mark("symbol", xc=center["x"], yc=center["y"], size="pow(side * 0.86, 2)", stroke=GREY, fill="'white'"),
        _mark("rule", "pairs", **center, x2="datum.x", y2="datum.y", stroke=by_pair, strokeWidth=3),
        _mark("symbol", "pairs", x="datum.x", y="datum.y", fill=by_pair, size=90),
    ]
    at = {"x": "datum.c * cell", "width": "cell", "fill": by_value}
    table = _group(
        "left", "top", "w", "h",
        scales=[
            {"name": "y", "type": "band", "domain": {"data": "table", "field": "at"}, "range": [0, {"signal": "h"}]},
        ],
        axes=[_axis("left", "y", "位置", values=list(range(0, rows, max(1, rows // 8))), ticks=False, domain=False)],
        marks=[
            _mark("rect", "table", **at, y="datum.at * h / rows", height="h / rows"),
            _mark(
                "rect", x=-2, width="w + 4", y="row * h / rows - 2", height="h / rows + 4", stroke=GREEN, strokeWidth=3,
            ),
            _mark("symbol", "pairs", x="(2 * datum.i + 1) * cell", y=-12, fill=by_pair, size=110, shape="'square'"),
        ],
    )  # fmt: skip
    below = {"x": "(datum.c + 0.5) * cell", "align": "'center'"}
    lit = _group(
        "left", "top + h + 12", "w", 30,
        marks=[
            _mark("rect", "lit", **at, y=0, height=30, stroke=GREEN, strokeWidth=1.5),
            _text(
                "cell < 24 ? '' : format(datum.value, cell < 32 ? '.1f' : '.2f')", data="lit", **below, y=15,
                fontSize="cell < 36 ? 10 : 12", fill="abs(datum.value) > 0.7 ? 'white' : 'black'",
            ),
            _text(
                "datum.c % 2 ? 'cos' : 'sin'", data="lit", **below, y=42, fontSize=11,
                fill=f"datum.c % 2 ? '{COS_COLOR}' : '{SIN_COLOR}'",
            ),
        ],
    )  # fmt: skip
    readout = "'位置 ' + row + '　　d_model = ' + d + '　　底数 ' + base_text"
    marks = [_text(readout, 0, 8, fontSize=14), *clock, table, lit]
    spec = _spec(sentence, "wide ? 360 : side + 440", signals, data, marks, scales)

    def draw(figure):
        omega = angular_frequencies(d_model, base=base)
        grid = sinusoidal_positional_encoding(rows, d_model, base=base)
        figure.suptitle(f"位置 {pos}：指针转到这里，第 {pos} 行就是它们的正弦和余弦")
        clock, ax = figure.subplots(1, 2, width_ratios=(1, 1.2))
        clock.add_patch(matplotlib.patches.Circle((0, 0), 1, fill=False, color=GUIDE_COLOR))
        for i, (w, color) in enumerate(zip(omega, pair_colors(d_model // 2), strict=True)):
            length = 1 - 0.7 * i / 8
            x, y = length * np.sin(w * pos), length * np.cos(w * pos)
            clock.plot([0, x], [0, y], color=color, linewidth=2.5, solid_capstyle="round")
            clock.plot(x, y, "o", color=color)
        clock.set(xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), aspect="equal")
        clock.axis("off")
        ax.imshow(grid, vmin=-1, vmax=1)
        ax.add_patch(matplotlib.patches.Rectangle((-0.5, pos - 0.5), d_model, 1, fill=False, ec=FOCUS_COLOR, lw=2.5))
        ax.set(xlabel="第几列", ylabel="位置")

    return Live(spec, sentence, draw, (7, 3.4))


# ------------------------------------------------------------------ 热图与波长


def heatmap(*, d_model: int = 64, base: float = 10000.0, length: int = 100) -> Live:
    """编码表的热图，标出每一对转满一圈的地方，下面是各对的波长与表长。

    Parameters
    ----------
    d_model : int, default: 64
        打开时的维度，2 到 128 的偶数。
    base : float, default: 10000.0
        打开时的底数，2 到 1000000 的整数。
    length : int, default: 100
        打开时的表长，10 到 200，单位：位置。

    Returns
    -------
    Live
        滑块：维数、底数、长度。热图上的绿线是每一对的波长；波长超过表长的，线在图外。

    Raises
    ------
    TypeError
        参数不是数。
    ValueError
        参数超出上面的范围。

    Examples
    --------
    >>> heatmap()
    热图与波长：拖动维数、底数、长度，看哪些对在表里转满一圈，最长的波长是表长的几倍。
    """
    sentence = "热图与波长：拖动维数、底数、长度，看哪些对在表里转满一圈，最长的波长是表长的几倍。"
    d_model, length = _whole("d_model", d_model, 2, 128, 2), _whole("length", length, 10, 200)
    signals = [
        *_slider("d", "维数", d_model, 2, 128, 2),
        *_base_slider(base),
        *_slider("rows", "长度", length, 10, 200),
        {"name": "w", "update": "width - 64"},
        {"name": "cell", "update": "w / d"},
        {"name": "longest", "update": "2 * PI * pow(base, (d - 2) / d)"},
        {"name": "finished", "update": "length(data('inside'))"},
    ]
    data = [
        {
            "name": "picture",
            "transform": [
                {"type": "sequence", "start": 0, "stop": {"signal": "rows * d"}, "as": "n"},
                *_formulas(
                    c="datum.n % d",
                    angle="floor(datum.n / d) * pow(base, -2 * floor(datum.c / 2) / d)",
                    value="datum.c % 2 ? cos(datum.angle) : sin(datum.angle)",
                ),
                {"type": "aggregate", "fields": ["value"], "ops": ["values"], "as": ["cells"]},
                *_formulas(grid="{width: d, height: rows, values: pluck(datum.cells, 'value')}"),
                {"type": "heatmap", "field": "grid", "color": {"expr": "scale('value', datum.$value)"}, "opacity": 1},
            ],
        },
        _sequence("pairs", "d / 2", "i", wavelength="2 * PI * pow(base, 2 * datum.i / d)"),
        {"name": "inside", "source": "pairs", "transform": [{"type": "filter", "expr": "datum.wavelength <= rows"}]},
    ]
    image = _mark("image", "picture", x=0, y=0, width="w", height=240, image="datum.image", aspect=False, smooth=False)
    turn = {"x": "2 * datum.i * cell", "x2": "(2 * datum.i + 2) * cell", "y": "datum.wavelength * 240 / rows"}
    ends = [0, {"signal": "w"}]
    grid = _group(
        48, 62, "w", 240,
        scales=[
            {"name": "x", "type": "linear", "domain": [0, {"signal": "d"}], "range": ends},
            {"name": "y", "type": "linear", "domain": [0, {"signal": "rows"}], "range": [0, 240]},
        ],
        axes=[_axis("left", "y", "位置", tickCount=5), _axis("bottom", "x", "第几列", tickCount=8)],
        marks=[
            image,
            _mark("rule", "inside", **turn, stroke="'white'", strokeWidth=7),  # 白边，红蓝底上都看得见
            _mark("rule", "inside", **turn, stroke=GREEN, strokeWidth=4),
        ],
    )  # fmt: skip
    ladder = _group(
        48, 374, "w", 30,
        scales=[{"name": "x", "type": "log", "domain": [5, 1e7], "range": ends}],
        axes=[_axis("bottom", "x", "波长（位置，对数坐标）", values=[10**n for n in range(1, 8)], format="~s")],
        marks=[
            _mark("rect", x=0, x2="scale('x', rows)", y=0, y2=30, fill=GREEN, fillOpacity=0.2),
            _mark("rule", "pairs", x="scale('x', datum.wavelength)", y=8, y2=30, stroke=BLACK),
            _mark("symbol", x="scale('x', longest)", y=2, shape="'triangle-down'", size=120, fill=BLACK),
            _text("'绿色一段：不超过表长'", 2, -10, fontSize=11, fill=GREEN),
        ],
    )  # fmt: skip
    first = "'d_model = ' + d + '　底数 ' + base_text + '　表长 ' + rows"
    second = "'绿线：转满一圈。共 ' + d / 2 + ' 对，表里转满的有 ' + finished + ' 对'"
    third = "'最长的波长 ' + format(longest, ',.1f') + '，是表长的 ' + format(longest / rows, ',.2~f') + ' 倍'"
    lines = [_text(first, 0, 4, fontSize=14), _text(second, 0, 26), _text(third, 0, 46)]
    spec = _spec(sentence, "450", signals, data, [*lines, grid, ladder])

    def draw(figure):
        lam = wavelengths(d_model, base=base)
        top, bottom = figure.subplots(2, 1, height_ratios=(6, 1))
        figure.suptitle(f"最长的波长 {lam[-1]:,.1f}，是表长的 {lam[-1] / length:,.4g} 倍")
        table = sinusoidal_positional_encoding(length, d_model, base=base)
        top.imshow(table, vmin=-1, vmax=1, extent=(0, d_model, length, 0), interpolation="nearest")
        i = np.flatnonzero(lam <= length)
        for color, thick in (("white", 5), (FOCUS_COLOR, 3)):
            top.hlines(lam[i], 2 * i, 2 * i + 2, color=color, linewidth=thick)
        top.set(xlabel="第几列", ylabel="位置")
        bottom.axvspan(5, length, color=FOCUS_COLOR, alpha=0.15)
        bottom.vlines(lam, 0, 0.8, color=SINPE_COLOR)
        bottom.plot(lam[-1], 0.95, "v", color=SINPE_COLOR)
        bottom.set(xscale="log", xlim=(5, 1e7), ylim=(0, 1), yticks=[], xlabel="波长（位置）；绿色一段不超过表长")

    return Live(spec, sentence, draw, (7, 4.4))


# ------------------------------------------------------------------ 平移


def shift(*, d_model: int = 8, base: float = 10000.0, p: int = 3, q: int = 20, k: int = 4) -> Live:
    """同一个平移矩阵 ``M_k`` 乘两个位置的编码：每一对各转各的角度，两个位置转得一样多。

    Parameters
    ----------
    d_model : int, default: 8
        维度，2 到 8 的偶数；一对一面钟。
    base : float, default: 10000.0
        底数，大于 1。
    p, q : int
        打开时的两个位置，0 到 60。
    k : int, default: 4
        打开时的位移，−30 到 30。

    Returns
    -------
    Live
        滑块：步数 k，两个位置。灰的指针是原来的位置；黑的指针是 ``M_k`` 乘它的编码，绿的扇形是转过的角度；
        空心圆是由公式直接算的 ``PE(p + k)``。

    Raises
    ------
    TypeError
        参数不是数。
    ValueError
        参数超出上面的范围。

    Examples
    --------
    >>> shift()
    同一个平移矩阵：拖动步数和两个位置，看每面钟转过的角度与位置无关。
    """
    sentence = "同一个平移矩阵：拖动步数和两个位置，看每面钟转过的角度与位置无关。"
    d_model, base = _whole("d_model", d_model, 2, 8, 2), _check_base(base)
    p, q, k = _whole("p", p, 0, 60), _whole("q", q, 0, 60), _whole("k", k, -30, 30)
    pairs = d_model // 2
    signals = [
        *_slider("k", "步数", k, -30, 30),
        *_slider("p", "甲在", p, 0, 60),
        *_slider("q", "乙在", q, 0, 60),
        {"name": "d", "value": d_model},
        {"name": "base", "value": base},
        {"name": "square", "update": "wide ? 240 : min(width - 40, 240)"},
        {"name": "cell", "update": "square / d"},
        {"name": "dial", "update": f"min(130, ((wide ? width - square - 40 : width) - 8) / {pairs})"},
        {"name": "radius", "update": "dial * 0.43"},
        {"name": "left", "update": "wide ? width - square - 4 : 36"},
        {"name": "top", "update": "wide ? 74 : 2 * dial + 196"},
    ]
    data = [
        _sequence(
            "blocks", "d / 2", "i", turn="k * pow(base, -2 * datum.i / d)",
            cosine="cos(datum.turn)", sine="sin(datum.turn)",
        ),
        {
            "name": "hands",
            "source": "blocks",
            "transform": [
                *_formulas(which="[0, 1]"),
                {"type": "flatten", "fields": ["which"]},
                *_formulas(
                    at="datum.which ? q : p",
                    omega="pow(base, -2 * datum.i / d)",
                    start="datum.at * datum.omega",
                    old_sin="sin(datum.start)",
                    old_cos="cos(datum.start)",
                    new_sin="datum.cosine * datum.old_sin + datum.sine * datum.old_cos",  # M_k 的一块乘一对
                    new_cos="-datum.sine * datum.old_sin + datum.cosine * datum.old_cos",
                    there_sin="sin((datum.at + k) * datum.omega)",
                    there_cos="cos((datum.at + k) * datum.omega)",
                    x="dial * (datum.i + 0.5)",
                    y="70 + dial * 0.5 + datum.which * (dial + 34)",
                ),
            ],
        },
        _sequence(
            "matrix", "d * d", "n", r="floor(datum.n / d)", c="datum.n % d",
            turn="k * pow(base, -2 * floor(datum.r / 2) / d)",
            value="floor(datum.r / 2) != floor(datum.c / 2) ? 0"
            " : datum.r == datum.c ? cos(datum.turn) : datum.r < datum.c ? sin(datum.turn) : -sin(datum.turn)",
        ),
    ]  # fmt: skip
    hand = {"x": "datum.x", "y": "datum.y"}

    def tip(kind, suffix=""):
        x, y = f"datum.x + radius * datum.{kind}_sin", f"datum.y - radius * datum.{kind}_cos"
        return {f"x{suffix}": x, f"y{suffix}": y}

    dials = [
        _mark("symbol", "hands", **hand, size="4 * radius * radius", stroke=GREY, fill="'white'"),
        _mark(
            "arc", "hands", **hand, startAngle="datum.start",
            endAngle="datum.start + clamp(datum.turn, -2 * PI, 2 * PI)",
            outerRadius="radius * 0.75", fill=GREEN, fillOpacity=0.3,
        ),
        _mark("rule", "hands", **hand, **tip("old", 2), stroke=GREY, strokeWidth=2),
        _mark("rule", "hands", **hand, **tip("new", 2), stroke=BLACK, strokeWidth=3, strokeCap="'round'"),
        _mark("symbol", "hands", **tip("there"), size=110, stroke=GREEN, strokeWidth=2.5, fill="'transparent'"),
        _mark("symbol", "hands", **tip("new"), size=36, fill=BLACK),
        _text(
            "format(datum.turn * 180 / PI, dial < 90 ? '.1f' : '.2f') + '°'", "dial * (datum.i + 0.5)",
            "70 + 2 * dial + 50", data="blocks", align="'center'", fontSize=12, fill=GREEN,
        ),
    ]  # fmt: skip
    own = "floor(datum.r / 2) == floor(datum.c / 2)"  # 对角线上的 2×2 块
    matrix = _group(
        "left", "top", "square", "square",
        marks=[
            _mark(
                "rect", "matrix", x="datum.c * cell", width="cell", y="datum.r * cell", height="cell",
                fill="scale('value', datum.value)", stroke="'#ddd'", strokeWidth=0.5,
            ),
            _text(
                f"{own} ? format(datum.value, '.2f') : ''", "(datum.c + 0.5) * cell", "(datum.r + 0.5) * cell",
                data="matrix", align="'center'", fontSize=9.5, fill="abs(datum.value) > 0.7 ? 'white' : 'black'",
            ),
        ],
    )  # fmt: skip
    marks = [
        _text("'k = ' + k + '：每面钟转过的角度，甲与乙相同'", 0, 6, fontSize=14),
        _text("'灰：原来　黑：矩阵乘出来的　绿圈：公式直接算的'", 0, 30, fontSize=12, fill="'#555'"),
        _text("'甲：位置 ' + p + ' → ' + (p + k)", 4, 54),
        _text("'乙：位置 ' + q + ' → ' + (q + k)", 4, "54 + dial + 34"),
        *dials,
        _text("'每一对转过 kω'", 4, "70 + 2 * dial + 76", fontSize=12, fill=GREEN),
        _text("'平移矩阵 M（k = ' + k + '）'", "left", "top - 20"),
        matrix,
    ]
    spec = _spec(sentence, "wide ? max(2 * dial + 160, 300) : 2 * dial + 206 + square", signals, data, marks)

    def draw(figure):
        omega, matrix = angular_frequencies(d_model, base=base), shift_matrix(k, d_model, base=base)
        figure.suptitle(f"k = {k}：两个位置乘同一个矩阵，每面钟转得一样多")
        grid = figure.add_gridspec(2, pairs + 2, width_ratios=[1] * pairs + [1.15, 1.15])
        for row, (name, at) in enumerate((("甲", p), ("乙", q))):
            old = encode_positions(at, d_model, base=base, dtype=np.float64)
            new, there = matrix @ old, encode_positions(at + k, d_model, base=base, dtype=np.float64)
            for i in range(pairs):
                ax = figure.add_subplot(grid[row, i])
                ax.add_patch(matplotlib.patches.Circle((0, 0), 1, fill=False, color=GUIDE_COLOR))
                turn = np.clip(k * omega[i], -2 * np.pi, 2 * np.pi)
                ends = sorted(90 - np.degrees([at * omega[i], at * omega[i] + turn]))
                ax.add_patch(matplotlib.patches.Wedge((0, 0), 0.75, *ends, color=FOCUS_COLOR, alpha=0.3, lw=0))
                for code, color, width in ((old, GUIDE_COLOR, 1.5), (new, SINPE_COLOR, 2.2)):
                    ax.plot([0, code[2 * i]], [0, code[2 * i + 1]], color=color, linewidth=width)
                ax.plot(*there[2 * i : 2 * i + 2], "o", color=FOCUS_COLOR, fillstyle="none", markersize=8)
                ax.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")
                ax.axis("off")
                if i == 0:
                    ax.set_title(f"{name}：位置 {at} → {at + k}", loc="left")
        ax = figure.add_subplot(grid[:, pairs:])
        ax.imshow(matrix, vmin=-1, vmax=1, aspect="equal")
        ax.set(title=f"平移矩阵（k = {k}）", xticks=[], yticks=[])

    return Live(spec, sentence, draw, (7, 3.1))


# ------------------------------------------------------------------ 相似度


def similarity(*, d_model: int = 64, base: float = 10000.0, reach: int = 120) -> Live:
    """两个位置的编码的内积（除以 ``d_model/2``）随距离怎样变。

    Parameters
    ----------
    d_model : int, default: 64
        打开时的维度，2 到 128 的偶数。
    base : float, default: 10000.0
        打开时的底数，2 到 1000000 的整数。
    reach : int, default: 120
        打开时画到多远，20 到 500，单位：位置。

    Returns
    -------
    Live
        滑块：维数、底数、范围。绿点是第一次回升之前的那个距离。

    Raises
    ------
    TypeError
        参数不是数。
    ValueError
        参数超出上面的范围。

    Examples
    --------
    >>> similarity()
    相似度与距离：拖动维数、底数、范围，看曲线怎样下降、从哪里起又回升。
    """
    sentence = "相似度与距离：拖动维数、底数、范围，看曲线怎样下降、从哪里起又回升。"
    d_model, reach = _whole("d_model", d_model, 2, 128, 2), _whole("reach", reach, 20, 500)
    signals = [
        *_slider("d", "维数", d_model, 2, 128, 2),
        *_base_slider(base),
        *_slider("reach", "范围", reach, 20, 500),
        {"name": "w", "update": "width - 64"},
        {"name": "rise", "update": "length(data('rising')) ? data('rising')[0].delta : null"},
        {"name": "rise_text", "update": "rise === null ? '这一段里没有回升' : '过了 Δ = ' + rise + ' 就第一次回升'"},
    ]
    data = [
        {
            "name": "curve",
            "transform": [
                {"type": "sequence", "start": 0, "stop": {"signal": "(reach + 1) * d / 2"}, "as": "n"},
                *_formulas(
                    delta="floor(2 * datum.n / d)",
                    cosine="cos(datum.delta * pow(base, -2 * (datum.n % (d / 2)) / d))",
                ),
                {"type": "aggregate", "groupby": ["delta"], "ops": ["mean"], "fields": ["cosine"], "as": ["g"]},
                {"type": "window", "ops": ["lead"], "fields": ["g"], "as": ["next"]},
            ],
        },
        {
            "name": "rising",
            "source": "curve",
            "transform": [
                {"type": "filter", "expr": "datum.next !== null && datum.next > datum.g"},
                {"type": "window", "ops": ["row_number"], "as": ["order"]},
                {"type": "filter", "expr": "datum.order == 1"},
            ],
        },
    ]
    at = {"x": "scale('x', datum.delta)", "y": "scale('y', datum.g)"}
    plot = _group(
        52, 44, "w", 270,
        scales=[
            {"name": "x", "type": "linear", "domain": [0, {"signal": "reach"}], "range": [0, {"signal": "w"}]},
            {"name": "y", "type": "linear", "domain": [-1, 1], "range": [270, 0]},
        ],
        axes=[
            _axis("left", "y", "内积 ÷ (d/2)", tickCount=5, grid=True, gridColor="#eeeeee"),
            _axis("bottom", "x", "距离 Δ（位置）", tickCount=8),
        ],
        marks=[
            _mark("rule", x=0, x2="w", y="scale('y', 0)", stroke=GREY),
            _mark("line", "curve", **at, stroke=BLACK, strokeWidth=1.5),
            _mark("symbol", "rising", **at, size=100, fill=GREEN),
        ],
    )  # fmt: skip
    readout = "'d_model = ' + d + '　底数 ' + base_text"
    marks = [_text(readout, 0, 4, fontSize=14), _text("rise_text", 0, 26, fill=GREEN), plot]
    spec = _spec(sentence, "362", signals, data, marks)

    def draw(figure):
        delta = np.arange(reach + 1)
        g = similarity_kernel(delta, d_model, base=base) / (d_model / 2)
        rising = np.flatnonzero(np.diff(g) > 0)[:1]
        ax = figure.subplots()
        ax.axhline(0, color=GUIDE_COLOR, linewidth=0.8)
        ax.plot(delta, g, color=SINPE_COLOR)
        ax.plot(rising, g[rising], "o", color=FOCUS_COLOR)
        ax.set(xlabel="距离 Δ（位置）", ylabel="内积 ÷ (d/2)", ylim=(-1, 1.03), xlim=(0, reach))
        ax.set(title=f"d_model = {d_model}，底数 {base:,g}：有起有伏，绿点以后第一次回升")

    return Live(spec, sentence, draw, (7, 3.2))


# ------------------------------------------------------------------ 量程与分辨率


def range_resolution(*, d_model: int = 64, base: float = 10000.0, scale: int = 1000, steps: int = 1000) -> Live:
    """时间 t 在 0 与 1 之间，乘以倍数再编码：相隔多近分得开，相隔多远还在变。

    Parameters
    ----------
    d_model : int, default: 64
        打开时的维度，2 到 128 的偶数。
    base : float, default: 10000.0
        打开时的底数，2 到 1000000 的整数。
    scale : int, default: 1000
        打开时的倍数，1 到 100000：编码的是 ``scale * t``。
    steps : int, default: 1000
        打开时把全程分成几份，10 到 10000；要分清的最小间隔是 ``1 / steps``。

    Returns
    -------
    Live
        滑块：维数、底数、倍数、份数。横轴是间隔，曲线是相隔这么远的两个编码的距离，除以 ``√d_model``；虚线的高度
        是 1，指针都已转散。绿点在间隔 ``1 / steps`` 处，它的高度是分辨率。下面一排短线是各对的波长除以倍数。

    Raises
    ------
    TypeError
        参数不是数。
    ValueError
        参数超出上面的范围。

    Examples
    --------
    >>> range_resolution()
    量程与分辨率：拖动维数、底数、倍数、份数，看最小的间隔分不分得开，曲线到哪里升平。
    """
    sentence = "量程与分辨率：拖动维数、底数、倍数、份数，看最小的间隔分不分得开，曲线到哪里升平。"
    d_model = _whole("d_model", d_model, 2, 128, 2)
    scale, steps = _whole("scale", scale, 1, 100_000), _whole("steps", steps, 10, 10_000)
    signals = [
        *_slider("d", "维数", d_model, 2, 128, 2),
        *_base_slider(base),
        *_slider("power", "倍数", math.log10(scale), 0, 5, 0.05),
        {"name": "scale", "update": "round(pow(10, power))"},
        *_slider("parts", "份数", math.log10(steps), 1, 4, 0.05),
        {"name": "steps", "update": "round(pow(10, parts))"},
        {"name": "w", "update": "width - 64"},
        {"name": "near", "update": "data('marked')[0].distance"},
        {"name": "turns", "update": "scale / (2 * PI * pow(base, (d - 2) / d))"},
    ]
    distance = [
        *_formulas(
            delta="datum.at < 0 ? 1 / steps : pow(10, datum.at / 40 - 5)",
            chord="4 * pow(sin(scale * datum.delta * pow(base, -2 * (datum.n % (d / 2)) / d) / 2), 2)",
        ),
        {"type": "aggregate", "groupby": ["at", "delta"], "ops": ["sum"], "fields": ["chord"], "as": ["square"]},
        *_formulas(distance="sqrt(datum.square)", y="datum.distance / sqrt(d)"),
    ]
    start = {"type": "sequence", "start": 0, "as": "n"}
    data = [
        {
            "name": "curve",  # 间隔从 10⁻⁵ 到 1，每十倍 40 个
            "transform": [
                start | {"stop": {"signal": "201 * d / 2"}},
                *_formulas(at="floor(2 * datum.n / d)"),
                *distance,
            ],
        },
        {
            "name": "marked",
            "transform": [start | {"stop": {"signal": "d / 2"}}, *_formulas(at="-1"), *distance],
        },
        _sequence("pairs", "d / 2", "i", wavelength="2 * PI * pow(base, 2 * datum.i / d) / scale"),
    ]
    ends = [0, {"signal": "w"}]
    at = {"x": "scale('x', datum.delta)", "y": "scale('y', datum.y)"}
    plot = _group(
        52, 66, "w", 220,
        scales=[
            {"name": "x", "type": "log", "domain": [1e-5, 1], "range": ends},
            {"name": "y", "type": "linear", "domain": [0, 1.5], "range": [220, 0]},
        ],
        axes=[
            _axis("left", "y", "距离 ÷ √d", tickCount=4, grid=True, gridColor="#eeeeee"),
            _axis("bottom", "x", "间隔（全程是 1，对数坐标）", values=[10.0**n for n in range(-5, 1)], format="~g"),
        ],
        marks=[
            _mark("rule", x=0, x2="w", y="scale('y', 1)", stroke=GREY, strokeDash="[4, 4]"),
            _mark("line", "curve", **at, stroke=BLACK, strokeWidth=1.5),
            _mark("rule", "marked", x=at["x"], y=at["y"], y2=220, stroke=GREEN, strokeWidth=1.5),
            _mark("symbol", "marked", **at, size=100, fill=GREEN),
        ],
    )  # fmt: skip
    ladder = _group(
        52, 350, "w", 26,
        scales=[{"name": "x", "type": "log", "domain": [1e-5, 1e4], "range": ends}],
        axes=[
            _axis(
                "bottom", "x", "各对转满一圈要多久（全程是 1，对数坐标）", format="~g",
                values=[10.0**n for n in range(-5, 5, 2)],
            ),
        ],
        marks=[
            _mark("rect", x="scale('x', 1 / steps)", x2="scale('x', 1)", y=0, y2=26, fill=GREEN, fillOpacity=0.2),
            _mark(
                "rule", "pairs", x="scale('x', datum.wavelength)", y=6, y2=26, stroke=BLACK,
                opacity="datum.wavelength < 1e-5 || datum.wavelength > 1e4 ? 0 : 1",
            ),
            _text("'绿色一段：从一份到全程'", 2, -10, fontSize=11, fill=GREEN),
        ],
    )  # fmt: skip
    first = "'d_model = ' + d + '　底数 ' + base_text + '　倍数 ' + format(scale, ',')"
    second = "'相隔 1/' + format(steps, ',') + '：距离 ' + format(near, '.2f') + '，转散是 ' + format(sqrt(d), '.2f')"
    third = "'最慢的一对，全程转 ' + format(turns, ',.2~f') + ' 圈'"
    lines = [_text(first, 0, 4, fontSize=14), _text(second, 0, 26, fill=GREEN), _text(third, 0, 46)]
    spec = _spec(sentence, "424", signals, data, [*lines, plot, ladder])

    def draw(figure):
        omega, lam = angular_frequencies(d_model, base=base), wavelengths(d_model, base=base) / scale
        delta = np.append(10.0 ** (np.arange(201) / 40 - 5), 1 / steps)
        distance = np.sqrt((4 * np.sin(scale * delta[:, None] * omega / 2) ** 2).sum(axis=1)) / np.sqrt(d_model)
        top, bottom = figure.subplots(2, 1, height_ratios=(6, 1))
        near = distance[-1] * np.sqrt(d_model)
        figure.suptitle(f"d = {d_model}，底数 {base:,g}，倍数 {scale:,}：相隔 1/{steps:,}，距离 {near:.2f}")
        top.axhline(1, color=GUIDE_COLOR, linestyle="--")
        top.plot(delta[:-1], distance[:-1], color=SINPE_COLOR)
        top.plot(delta[-1], distance[-1], "o", color=FOCUS_COLOR)
        top.set(xscale="log", xlim=(1e-5, 1), ylim=(0, 1.5), xlabel="间隔（全程是 1）", ylabel="距离 ÷ √d")
        bottom.axvspan(1 / steps, 1, color=FOCUS_COLOR, alpha=0.15)
        bottom.vlines(lam, 0, 0.8, color=SINPE_COLOR)
        bottom.set(xscale="log", xlim=(1e-5, 1e4), ylim=(0, 1), yticks=[])
        bottom.set(xlabel="各对转满一圈要多久；绿色一段从一份到全程")

    return Live(spec, sentence, draw, (7, 4.2))
