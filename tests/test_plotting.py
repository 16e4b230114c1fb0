"""课程插图的样式：换一台机器、换一份 matplotlibrc，画出来的都一样，而且一声不响。"""

import os
import subprocess
import sys
import warnings
from pathlib import Path
from unittest import TestCase

import matplotlib
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, fontManager
from matplotlib.ft2font import FT2Font

from sinpe import plotting

FONTS = Path(plotting.__file__).with_name("fonts")
FONT = FONTS / "SinpeSansSC-Regular.otf"
SIGNS = "−×÷±·°′²³√∞∑∏∫∂∈∠∥≈≠≡≤≥←↑→↓①½…—“”‘’《》「」，。、；：？！（）％αβδεθλμπσφψωΔΣΦΩ"
HOSTILE_RC = """
font.family: nonexistent
axes.unicode_minus: False
axes.titleweight: bold
axes.grid: True
figure.figsize: 1, 1
lines.linestyle: --
savefig.bbox: tight
"""


@pytest.fixture(autouse=True)
def restore_style():
    """use_style 改的是全局设置，测完还原。"""
    with matplotlib.rc_context():
        yield


def draw(path):
    """画一幅用到各种字符的图；matplotlib 若有警告或日志，就抛出异常。"""
    with warnings.catch_warnings(action="error"), TestCase().assertNoLogs("matplotlib", "WARNING"):
        plotting.use_style()
        figure = Figure()
        left, right = figure.subplots(1, 2)
        left.plot([-1, 0, 1], label=r"第 2 对，$\cos(\omega_2 pos)$")
        left.set(title=r"角频率 $\omega_i = 10000^{-2i/d}$", xlabel="位置 x₀（单位：个）", ylabel="编码值 −1 … 1")
        left.legend(title="图例")
        figure.colorbar(right.imshow([[-1, 1]]), label="误差 (×$10^{-8}$)")
        right.set(xscale="log", xlim=(0.001, 1), title="汉字 −1 与 $-1$")
        figure.savefig(path)
    assert any("−1.0" in tick.get_text() for tick in left.get_yticklabels())  # 负号是 U+2212，不是连字符


def test_chinese_digits_minus_signs_and_formulas_are_drawn_without_any_complaint(tmp_path):
    draw(tmp_path / "here.png")


@pytest.mark.parametrize("matplotlibrc", ["", HOSTILE_RC], ids=["empty", "hostile"])
def test_neither_an_empty_home_nor_its_matplotlibrc_changes_the_picture(tmp_path, matplotlibrc):
    (tmp_path / "matplotlibrc").write_text(matplotlibrc, encoding="ascii")
    here = Path(__file__).parent
    environment = os.environ | {
        "HOME": str(tmp_path),
        "USERPROFILE": str(tmp_path),
        "MPLCONFIGDIR": str(tmp_path),
        "MATPLOTLIBRC": str(tmp_path),
        "PYTHONPATH": os.pathsep.join([str(here), str(here.parent)]),
    }
    script = f"import test_plotting; test_plotting.draw({str(tmp_path / 'there.png')!r})"
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)
    draw(tmp_path / "here.png")
    assert (tmp_path / "there.png").read_bytes() == (tmp_path / "here.png").read_bytes()


def test_the_font_holds_all_hanzi_of_gb2312_and_the_signs_of_the_course():
    # 按 Unicode 逐字去问编码表，与 tools/make_font.py 按区位的取法互不相干
    hanzi = [char for char in map(chr, range(0x4E00, 0xA000)) if char.encode("gb2312", errors="ignore")]
    assert len(hanzi) == 6763  # GB2312 的字数：3755 + 3008
    ascii_signs = map(chr, range(0x20, 0x7F))
    charmap = FT2Font(str(FONT)).get_charmap()
    assert [char for char in [*hanzi, *SIGNS, *ascii_signs] if ord(char) not in charmap] == []


def test_the_font_bears_our_own_family_name_and_keeps_the_original_copyright():
    font = FT2Font(str(FONT))
    records = font.get_sfnt()
    names = {name_id: records[3, 1, 0x409, name_id].decode("utf-16-be") for name_id in (0, 1, 4, 6, 13)}
    assert font.family_name == names[1] == names[4] == "Sinpe Sans SC"
    assert font.postscript_name == names[6] == "SinpeSansSC-Regular"
    assert "Adobe" in names[0]
    assert "SIL Open Font License, Version 1.1" in names[13]


def test_the_font_lies_beside_its_licence():
    licence = (FONTS / "OFL.txt").read_text(encoding="utf-8")
    assert FONT.is_file()
    assert licence.startswith("© 2014-2021 Adobe")  # 与字体内的版权记录一致
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence


def test_using_the_style_twice_registers_the_font_once(monkeypatch):
    others = [entry for entry in fontManager.ttflist if entry.name != "Sinpe Sans SC"]
    monkeypatch.setattr(fontManager, "ttflist", others)
    plotting.use_style()
    plotting.use_style()
    assert [entry.fname for entry in fontManager.ttflist if entry.name == "Sinpe Sans SC"] == [str(FONT)]
    assert findfont("Sinpe Sans SC", fallback_to_default=False) == str(FONT)


def test_one_color_says_one_thing():
    names = [name for name in plotting.__all__ if name.endswith("_COLOR")]
    assert len({getattr(plotting, name) for name in names}) == len(names) == 8
    assert all(f"``{name}``" in plotting.__doc__ for name in plotting.__all__ if name != "use_style")


def test_a_line_without_a_color_is_neither_a_sine_nor_a_cosine():
    plotting.use_style()
    first = [entry["color"] for entry in matplotlib.rcParams["axes.prop_cycle"]][:5]
    assert first[0] == plotting.SINPE_COLOR
    assert not {plotting.SIN_COLOR, plotting.COS_COLOR} & {*first}


def test_the_pairs_go_from_dark_to_light_and_all_stand_out_from_white_paper():
    def luminance(color):
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in to_rgb(color)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for count in (1, 4, 32):
        light = [luminance(color) for color in plotting.pair_colors(count)]
        assert light == sorted(light)
        assert 1.05 / (light[-1] + 0.05) > 2  # 粗线够用；viridis 的末端只有 1.3


def test_titles_have_two_clearly_different_ranks():
    assert plotting._STYLE["figure.titlesize"] >= 1.2 * plotting._STYLE["axes.titlesize"]


def test_a_notebook_stores_two_pixels_per_point_and_shows_the_same_size(tmp_path):
    script = """
import base64, sys
from IPython.core.interactiveshell import InteractiveShell
if sys.argv[1] == "notebook":
    shell = InteractiveShell.instance()
from sinpe.plotting import use_style
use_style()
use_style()
if sys.argv[1] == "plain":
    assert not InteractiveShell.initialized()
    sys.exit()
from matplotlib.figure import Figure
from matplotlib.backends.backend_agg import FigureCanvasAgg
figure = Figure(figsize=(7, 3))
FigureCanvasAgg(figure)
figure.subplots().plot([0, 1])
data, metadata = shell.display_formatter.format(figure)
png, shown = base64.b64decode(data["image/png"]), metadata["image/png"]
width, height = (int.from_bytes(png[at : at + 4]) for at in (16, 20))
print(width / shown["width"], height / shown["height"], 700 < shown["width"] < 800)
"""
    for where, printed in (("plain", ""), ("notebook", "2.0 2.0 True\n")):
        done = subprocess.run(
            [sys.executable, "-c", script, where],
            capture_output=True,
            encoding="utf-8",
            env=os.environ | {"MPLBACKEND": "agg", "IPYTHONDIR": str(tmp_path)},
        )
        assert (done.stdout, done.stderr) == (printed, "")
