"""课程插图的统一样式：随包附带的中文字体、颜色与尺寸。只有这个模块导入 matplotlib。"""

from pathlib import Path

import matplotlib.style
from cycler import cycler
from matplotlib.font_manager import fontManager

__all__ = ["COS_COLOR", "SIN_COLOR", "use_style"]

SIN_COLOR = "#0072B2"
"""正弦的颜色，全书固定：Okabe–Ito 色盲可辨色板的蓝。"""

COS_COLOR = "#D55E00"
"""余弦的颜色，全书固定：同一色板的朱红。"""

_FONT = Path(__file__).with_name("fonts") / "SinpeSansSC-Regular.otf"

_STYLE = {
    # 中文字体必须在前：含有公式的字符串只用第一个；它缺的字（如 ₀）在别处由第二个补上
    "font.family": ["Sinpe Sans SC", "DejaVu Sans"],
    "mathtext.fontset": "dejavuserif",  # 字高与汉字相称；cm、stix 的下标太小
    "axes.formatter.use_mathtext": True,  # ×10⁶，而不是 1e6
    "font.size": 10,
    "axes.titlesize": 11,
    "legend.edgecolor": "none",
    "figure.figsize": (7, 3),
    "figure.dpi": 110,
    "figure.constrained_layout.use": True,
    "axes.prop_cycle": cycler(
        color=[SIN_COLOR, COS_COLOR, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442"]
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
    "image.cmap": "RdBu_r",  # 有正有负，零是白色；配 vmin=-1, vmax=1
    "image.aspect": "auto",
}


def use_style() -> None:
    r"""让之后画的图都用课程的样式，图中可以直接写汉字。

    先恢复 matplotlib 出厂的默认值，再改字体、颜色与尺寸，所以读者自己的 ``matplotlibrc`` 不影响结果；
    后端与图片格式不变。重复调用没有副作用。

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
    if not any(entry.fname == str(_FONT) for entry in fontManager.ttflist):
        fontManager.addfont(_FONT)
    matplotlib.style.use(["default", _STYLE])
