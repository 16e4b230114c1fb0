"""课程插图的统一样式：随包附带的中文字体、颜色、字号与清晰度。导入 matplotlib 的只有这个模块和 ``sinpe.live``。

一种颜色在全书里只说一件事。颜色取自 Okabe–Ito 色板，色盲也分得清：

=================  ======  ==================================================
名字               颜色    说的是
=================  ======  ==================================================
``SIN_COLOR``      蓝      正弦；一对里的第一列
``COS_COLOR``      朱红    余弦；一对里的第二列
``SINPE_COLOR``    黑      我们的编码：论文的公式、``sinpe`` 算的表，
                           以及它自己的量（波长、距离、相似度、误差）
``FOCUS_COLOR``    绿      图里要你看的那一处
``RIVAL_COLOR``    紫红    拿来比的另一种做法；还有第二、第三种时，
                           用 ``RIVAL2_COLOR``（橙）、``RIVAL3_COLOR``（天蓝）
``GUIDE_COLOR``    灰      参照线：零、界、圆、误差的上限
``pair_colors``    深到浅  第 0、1、2…对：紫的最快，黄绿的最慢
``VALUE_CMAP``     蓝白红  有正有负的数，白是零；配 ``vmin=-1, vmax=1``
``WEIGHT_CMAP``    灰阶    没有负数的数：注意力权重、命中与否
=================  ======  ==================================================

题目分两级：``fig.suptitle`` 说结论，大一号；多格图里每格的 ``title`` 只说这一格是什么。
只有一格的图，结论写在 ``title``。
"""

import sys
from pathlib import Path

import matplotlib.style
from cycler import cycler
from matplotlib import colormaps
from matplotlib.colors import to_hex
from matplotlib.font_manager import fontManager

from .encoding import _check_int, _show

__all__ = [
    "COS_COLOR",
    "FOCUS_COLOR",
    "GUIDE_COLOR",
    "RIVAL2_COLOR",
    "RIVAL3_COLOR",
    "RIVAL_COLOR",
    "SINPE_COLOR",
    "SIN_COLOR",
    "VALUE_CMAP",
    "WEIGHT_CMAP",
    "pair_colors",
    "use_style",
]

SIN_COLOR = "#0072B2"
COS_COLOR = "#D55E00"
SINPE_COLOR = "#000000"
FOCUS_COLOR = "#009E73"
RIVAL_COLOR = "#CC79A7"
RIVAL2_COLOR = "#E69F00"
RIVAL3_COLOR = "#56B4E9"
GUIDE_COLOR = "#808080"
VALUE_CMAP = "RdBu_r"
WEIGHT_CMAP = "Greys"

_FONT = Path(__file__).with_name("fonts") / "SinpeSansSC-Regular.otf"

_STYLE = {
    # 中文字体必须在前：含有公式的字符串只用第一个；它缺的字（如 ₀）在别处由第二个补上
    "font.family": ["Sinpe Sans SC", "DejaVu Sans"],
    "mathtext.fontset": "dejavuserif",  # 字高与汉字相称；cm、stix 的下标太小
    "axes.formatter.use_mathtext": True,  # ×10⁶，而不是 1e6
    "font.size": 10,
    "figure.titlesize": 13,  # 结论比格的名字大一级，隔着一臂也分得出
    "axes.titlesize": 10.5,
    "axes.titlepad": 7,
    "axes.labelsize": 9.5,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9,
    "legend.edgecolor": "none",
    "figure.figsize": (7, 3),
    "figure.dpi": 110,
    "figure.constrained_layout.use": True,
    # 不写颜色的第一条线是黑的；正弦、余弦的两色排在后面，免得一条随手画的线被认作正弦
    "axes.prop_cycle": cycler(
        color=[
            *(SINPE_COLOR, RIVAL3_COLOR, FOCUS_COLOR, RIVAL_COLOR, RIVAL2_COLOR),
            *(SIN_COLOR, COS_COLOR, "#F0E442"),
        ]
    ),
    "lines.linewidth": 1.3,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "0.9",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,  # 网格线垫在曲线下面
    "image.cmap": VALUE_CMAP,
    "image.aspect": "auto",
    "savefig.pad_inches": 0.12,  # 图是一张白纸，深色的页面上四边也有余地
}


def pair_colors(count: int) -> list[str]:
    """返回 ``count`` 对维度的颜色，从最快的一对到最慢的一对；最浅的也看得清，不到 viridis 的黄。

    Parameters
    ----------
    count : int
        对数，``d_model // 2``，1 到 4096。

    Returns
    -------
    list of str
        长度 ``count``，形如 ``"#440154"``。

    Raises
    ------
    TypeError
        ``count`` 不是整数。
    ValueError
        ``count`` 不在 1 到 4096 之间。

    Examples
    --------
    >>> pair_colors(2)
    ['#440154', '#5ec962']
    """
    count = _check_int("count", count, 4)
    if not 1 <= count <= 4096:
        raise ValueError(f"count 必须在 1 到 4096 之间，收到 {_show(count)}；请写 d_model // 2。")
    return [to_hex(colormaps["viridis"](0.75 * i / max(1, count - 1))) for i in range(count)]


def _apply() -> None:
    """登记字体，把样式写进 matplotlib 的全局设置。"""
    if not any(entry.fname == str(_FONT) for entry in fontManager.ttflist):
        fontManager.addfont(_FONT)
    matplotlib.style.use(["default", _STYLE])


def _two_pixels_per_point() -> None:
    """在 IPython 里，把图存成两倍的像素、显示成原来的大小：高分屏上也清楚。别处没有这回事。"""
    shells = sys.modules.get("IPython.core.interactiveshell")  # 没有导入过，就不在 IPython 里
    if shells and shells.InteractiveShell.initialized():
        from matplotlib_inline.backend_inline import set_matplotlib_formats  # 随 ipykernel 而来

        set_matplotlib_formats("retina")


def use_style() -> None:
    r"""让之后画的图都用课程的样式，图中可以直接写汉字。

    先恢复 matplotlib 出厂的默认值，再改字体、颜色与尺寸，所以读者自己的 ``matplotlibrc`` 不影响结果；
    后端不变。在笔记本里，图存成每点两个像素的 PNG，显示的大小照旧。重复调用没有副作用。

    Notes
    -----
    - 汉字写在 ``$…$`` 外面：``"角频率 $\omega_i$"``。
    - 附带的字体只有常规一种粗细，不要用 ``weight="bold"``。
    - 网格默认不画，曲线图需要时写 ``ax.grid()``。
    - 版面由 constrained layout 自动安排，不要再调用 ``tight_layout``：它会警告，遇到色条还会报错。

    Examples
    --------
    >>> use_style()
    >>> matplotlib.rcParams["font.family"]
    ['Sinpe Sans SC', 'DejaVu Sans']
    """
    _apply()
    _two_pixels_per_point()
