"""从静态的 NotoSansSC-Regular.otf 裁出随包附带的 ``sinpe/fonts/SinpeSansSC-Regular.otf``。

用法（只有换字体版本或改字表时才要跑，需要 fontTools）::

    python tools/make_font.py 某处/NotoSansSC-Regular.otf

输入与 fontTools 版本相同，输出就逐字节相同。
"""

import argparse
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

FAMILY = "Sinpe Sans SC"
POSTSCRIPT = "SinpeSansSC-Regular"
OUTPUT = Path(__file__).resolve().parents[1] / "sinpe" / "fonts" / f"{POSTSCRIPT}.otf"

# 源字体里没有的码位自然落空，由 matplotlib 转用 DejaVu Sans
RANGES = [
    (0x0020, 0x007E),  # ASCII
    (0x00A0, 0x00FF),  # Latin-1
    (0x0370, 0x03FF),  # 希腊字母
    (0x2010, 0x205F),  # 通用标点
    (0x2070, 0x209F),  # 上标与下标
    (0x2100, 0x218F),  # 字母式符号与数字形式
    (0x2190, 0x22FF),  # 箭头、数学运算符（含负号 U+2212）
    (0x2460, 0x2473),  # ①–⑳
    (0x25A0, 0x25FF),  # 几何图形
    (0x3000, 0x303F),  # 中文标点
    (0xFF01, 0xFF5E),  # 全角 ASCII
    (0xFFE0, 0xFFE6),  # 全角货币符号
]


def hanzi() -> str:
    """GB2312 一、二级汉字（16–87 区），直接取自 Python 自带的编码表。"""
    cells = (bytes([row, col]) for row in range(0xB0, 0xF8) for col in range(0xA1, 0xFF))
    return "".join(cell.decode("gb2312", errors="ignore") for cell in cells)


def cut(font: TTFont) -> None:
    """只留要用的字；去掉提示、排版特性与竖排用的表，matplotlib 用不到。"""
    options = subset.Options(
        hinting=False, layout_features=[], name_IDs=["*"], notdef_outline=True, recalc_timestamp=False
    )
    options.drop_tables += ["BASE", "GDEF", "GPOS", "GSUB", "VORG", "vhea", "vmtx"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=hanzi(), unicodes=[u for a, b in RANGES for u in range(a, b + 1)])
    subsetter.subset(font)


def rename(font: TTFont) -> None:
    """换族名，以免与系统里的同名字体混淆；版权、作者与许可的记录原样保留。"""
    names = font["name"]
    version = names.getDebugName(5).split(";")[0]
    changed = {1: FAMILY, 2: "Regular", 3: f"{version};{POSTSCRIPT}", 4: FAMILY, 5: f"{version};subset", 6: POSTSCRIPT}
    for name_id in [*changed, 16, 17]:
        names.removeNames(nameID=name_id)
    for name_id, text in changed.items():
        names.setName(text, name_id, 3, 1, 0x409)

    cff = font["CFF "].cff
    cff.fontNames = [POSTSCRIPT]
    top = cff.topDictIndex[0]
    top.FamilyName, top.FullName = FAMILY, f"{FAMILY} Regular"
    for part in top.FDArray:
        part.FontName = part.FontName.replace("NotoSansSC", "SinpeSansSC")


def main() -> None:
    parser = argparse.ArgumentParser(description="裁剪并改名课程用的中文字体")
    parser.add_argument("source", type=Path, help="静态的 NotoSansSC-Regular.otf")
    font = TTFont(parser.parse_args().source, recalcTimestamp=False)
    cut(font)
    rename(font)
    font.save(OUTPUT)
    print(f"{OUTPUT.name}：{len(font.getBestCmap())} 个字符，{OUTPUT.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
