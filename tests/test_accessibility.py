"""看不清颜色的人也读得懂：色板经色盲模拟仍可分辨，线不单靠颜色区分，图有说明。

图不从存下的图片里看，而是把每课的代码在本进程里执行一遍，停在每个 ``plt.show()``，看坐标里的线。
"""

import contextlib
import importlib.util
import io
import re
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb

import notebooks
from sinpe import plotting

pytestmark = pytest.mark.dev("colorspacious")

# 三种色盲，程度取最重；模拟用 Machado 等 (2009) 的矩阵，由 colorspacious 提供
BLINDNESS = ("deuteranomaly", "protanomaly", "tritanomaly")
# 色差 ΔE' 用 CAM02-UCS，1 左右是并排时刚能察觉的差别。Petroff (2021, arXiv:2107.02270) 为 6 色的折线色板取 20 作下限
CLEARLY_DIFFERENT = 20
# 全色板 8 色，两两之间的下限；更近的颜色由下面的线型规则去管
DIFFERENT = 10
# 明度 L* 的差：黑到白是 100，刚能察觉约 2，细线要大好几倍；viridis 取五级时，相邻两级差 18 以上
LIGHTER = 15

LESSONS = [path for path in notebooks.find() if path.parent.name == "notebooks"]


def convert(colors, start, end):
    from colorspacious import cspace_convert

    return np.asarray(cspace_convert(np.asarray(colors, float), start, end))


def seen_by(kind, colors):
    """色盲者眼里的这些颜色；``kind`` 是 None 就是原来的。"""
    if kind is None:
        return np.asarray(colors, float)
    return convert(colors, {"name": "sRGB1+CVD", "cvd_type": kind, "severity": 100}, "sRGB1").clip(0, 1)


def difference(first, second):
    """两种颜色在四种眼睛里的色差，取最小的。"""
    from colorspacious import deltaE

    pairs = (seen_by(kind, [to_rgb(first), to_rgb(second)]) for kind in (None, *BLINDNESS))
    return min(float(deltaE(*pair, input_space="sRGB1", uniform_space="CAM02-UCS")) for pair in pairs)


def lightness(colors):
    return convert([to_rgb(color) for color in colors], "sRGB1", "CIELab")[:, 0]


# ---------------------------------------------------------------- 色板


def test_sine_and_cosine_are_clearly_different_to_every_eye():
    assert difference(plotting.SIN_COLOR, plotting.COS_COLOR) >= CLEARLY_DIFFERENT


def test_any_two_colors_of_the_palette_are_different_to_every_eye():
    palette = plotting._STYLE["axes.prop_cycle"].by_key()["color"]
    assert len(palette) == 8
    close = [pair for pair in combinations(palette, 2) if difference(*pair) < DIFFERENT]
    assert close == []


def test_the_simulation_finds_red_and_green_hard_to_tell_apart():
    # 人人能分的红与绿，红绿色盲分不清；量不出这一点，上面的检查就是空话
    from colorspacious import deltaE

    red, green = "#B35A1F", "#6E7A00"
    assert deltaE(to_rgb(red), to_rgb(green), input_space="sRGB1") > CLEARLY_DIFFERENT
    assert difference(red, green) < DIFFERENT


# ---------------------------------------------------------------- 一幅图里的线


def confusable(ax):
    """一个坐标里只靠颜色区分的线：``(颜色, 颜色)``。

    一种颜色代表一件事，它的线型、点型、粗细合起来是它的样子。样子不同，或者明暗不同，就不单靠颜色。
    """
    looks = {}
    for line in ax.lines:
        look = (line.get_linestyle(), str(line.get_marker()), line.get_linewidth())
        looks.setdefault(to_hex(line.get_color()), set()).add(look)
    for dots in ax.collections:
        if dots.get_array() is None and type(dots).__name__ == "PathCollection":
            for color in dots.get_facecolors():
                looks.setdefault(to_hex(color), set()).add(("scatter", len(dots.get_paths()[0])))
    for first, second in combinations(looks, 2):
        dark, light = sorted(lightness([first, second]))
        if looks[first] == looks[second] and light - dark < LIGHTER:
            yield first, second


def colormaps(ax):
    mapped = [*ax.images, *(dots for dots in ax.collections if dots.get_array() is not None)]
    return {artist.get_cmap().name for artist in mapped}


def draw(path, tmp_path, monkeypatch):
    """把一课的代码当作一个模块执行，逐个坐标给出：``(哪一格的哪幅图, 只靠颜色区分的线, 用到的色图)``。"""
    book, found = notebooks.Book(notebooks.load(path), path), []

    def show(*args, **kwargs):
        for number in plt.get_fignums():
            for ax in plt.figure(number).axes:  # 当场看：“C2”是什么颜色，要按此刻的样式来解
                found.append((f"{module.cell_now_running}“{ax.get_title()}”", list(confusable(ax)), colormaps(ax)))
        plt.close("all")

    source = tmp_path / "lesson.py"
    source.write_text(
        "\n\n".join(f"cell_now_running = {cell.where!r}\n{cell.source}" for cell in book.code), encoding="utf-8"
    )
    spec = importlib.util.spec_from_file_location("lesson", source)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.chdir(path.parent)
    monkeypatch.setattr(plt, "show", show)
    with plt.rc_context(), contextlib.redirect_stdout(io.StringIO()):
        spec.loader.exec_module(module)
    live = sum(cell.is_vega for cell in book.code)  # 会动的图不是 plt.show 显示的，由 test_live.py 管
    assert len({where.split("“")[0] for where, *_ in found}) >= len(book.captions) - live  # 画了的图都看到了
    return found


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_no_figure_tells_its_lines_apart_by_color_alone(path, tmp_path, monkeypatch):
    axes = draw(path, tmp_path, monkeypatch)
    found = [f"{where}：{pair}" for where, pairs, _ in axes for pair in pairs]
    assert not found, "\n".join(found)
    assert set().union(*(maps for *_, maps in axes)) <= SEQUENTIAL | DIVERGING


# 顺序的色图：明度一路单调，灰度下也分得出大小。发散的色图：两头在色盲眼里也分得清；灰度下分不出正负，所以
# 用它的图，正文都说出读数
SEQUENTIAL = {"Blues", "Greens", "Greys", "Greys_r", "viridis"}
DIVERGING = {"RdBu_r"}


@pytest.mark.parametrize("name", sorted(SEQUENTIAL))
@pytest.mark.parametrize("kind", [None, *BLINDNESS])
def test_a_sequential_colormap_goes_one_way_from_dark_to_light(name, kind):
    steps = np.diff(convert(seen_by(kind, plt.get_cmap(name)(np.linspace(0, 1, 11))[:, :3]), "sRGB1", "CIELab")[:, 0])
    assert np.all(steps > 0) or np.all(steps < 0)


@pytest.mark.parametrize("name", sorted(DIVERGING))
@pytest.mark.parametrize("strength", [0.5, 1])
def test_a_diverging_colormap_shows_the_sign_to_every_eye(name, strength):
    low, high = plt.get_cmap(name)([0.5 - strength / 2, 0.5 + strength / 2])
    assert difference(low[:3], high[:3]) >= CLEARLY_DIFFERENT


@pytest.mark.parametrize(
    ("draw_two", "found"),
    [
        (lambda ax: (ax.plot([1, 2], color="C2"), ax.plot([2, 3], color="C3")), True),
        (lambda ax: (ax.plot([1, 2], "s", color="C2"), ax.plot([2, 3], "s", color="C3")), True),
        (lambda ax: (ax.scatter([1], [2], color="C2"), ax.scatter([2], [3], color="C3")), True),
        (lambda ax: (ax.plot([1, 2], color="C2"), ax.plot([2, 3], "--", color="C3")), False),
        (lambda ax: (ax.plot([1, 2], color="C2"), ax.plot([2, 3], "o-", color="C3")), False),
        (lambda ax: (ax.plot([1, 2], color="C2"), ax.plot([2, 3], lw=3, color="C3")), False),
        (lambda ax: (ax.plot([1, 2], color="C2"), ax.plot([2, 3], color="black")), False),
        (lambda ax: (ax.plot([1, 2], color="C2"), ax.plot([2, 3], color="C2")), False),
        (lambda ax: (ax.scatter([1], [2], color="C2"), ax.plot([2, 3], "o", color="C3")), False),
    ],
)
def test_lines_told_apart_by_color_alone_are_noticed(draw_two, found):
    with plt.rc_context():
        plotting.use_style()
        figure, ax = plt.subplots()
        draw_two(ax)
        assert bool(list(confusable(ax))) is found
        plt.close(figure)


# ---------------------------------------------------------------- 图的说明


@pytest.mark.parametrize(
    "path", [path for path in LESSONS if not notebooks.is_reference(path.stem)], ids=lambda path: path.stem
)
def test_every_caption_says_what_the_figure_shows(path):
    book = notebooks.Book(notebooks.load(path), path)
    captions = [cell.source.split("\n\n")[0] for cell in book.text if re.match(r"图 \d+", cell.source)]
    assert captions
    for caption in captions:
        assert re.match(r"图 \d+：", caption), caption
        assert len(notebooks.HAN.findall(caption)) >= 12, f"说得太少：{caption}"
