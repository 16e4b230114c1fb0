"""首页的画：八根指针随位置转动，转一步，表就多一行。

    python tools/web/hands.py    重画 static/ 里的 hands-light.svg、hands-dark.svg 和 icon.svg

动画全是 SVG 自带的 CSS，GitHub 和各浏览器都认；系统设了“减少动态效果”，就停在最后一刻。
网址末尾写 #once，只走一遍，不足五秒就停下。
"""

import sys
from pathlib import Path

import numpy as np

import sinpe

STATIC = Path(__file__).parent / "static"
ROWS, D_MODEL = 32, 16
SECONDS, REST = 16, 0.12  # 一轮的时间，和其中停着不动的一份
LEFT, PAIR, TOP, RADIUS, ROW = 84, 96, 66, 38, 8  # 画的尺寸，单位是 SVG 的点
THEMES = {  # 底色、文字、表盘、正弦、余弦，表的三个颜色：-1、0、1
    "light": ("#ffffff", "#24292f", "#8c959f", "#0072B2", "#D55E00", "#2166ac", "#f7f7f7", "#b2182b"),
    "dark": ("#0d1117", "#e6edf3", "#6e7681", "#56B4E9", "#FF8C42", "#4393c3", "#21262d", "#d6604d"),
}


def mix(value: float, low: str, middle: str, high: str) -> str:
    """-1 到 1 的一个数换成颜色。"""
    rgb = [np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) for color in (middle, low if value < 0 else high)]
    return "#{:02x}{:02x}{:02x}".format(*np.rint(rgb[0] + (rgb[1] - rgb[0]) * abs(value)).astype(int))


def hands(theme: str) -> str:
    back, ink, dial, sine, cosine, *scale = THEMES[theme]
    table = sinpe.sinusoidal_positional_encoding(ROWS, D_MODEL)
    omega = 2 * np.pi / sinpe.wavelengths(D_MODEL)
    width, bottom = LEFT + PAIR * len(omega) + 12, 138
    height = bottom + ROW * ROWS + 34
    moving = f"{100 * (1 - REST):.0f}%"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" id="once" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="system-ui, sans-serif" font-size="14" fill="{ink}">',
        "<title>八根指针随位置转动，越往右转得越慢；它们的正弦和余弦逐行填成一张编码表</title><style>",
        f".m {{ animation: {SECONDS}s linear infinite }}",
        "#once:target .m { animation-duration: 4.8s; animation-iteration-count: 1; animation-fill-mode: forwards }",
        "@media (prefers-reduced-motion: reduce) { .m { animation-delay: -999s !important; "
        "animation-iteration-count: 1 !important; animation-fill-mode: forwards !important } }",
        *(
            f"@keyframes {name} {{ {moving}, to {{ transform: translateY({step * (ROWS - 1)}px) }} }} "
            f".{name} {{ animation-name: {name}; animation-timing-function: steps({ROWS - 1}) }}"
            for name, step in (("rows", ROW), ("count", -20))
        ),
    ]
    for i, speed in enumerate(omega):
        parts.append(
            f"@keyframes h{i} {{ from {{ transform: rotate(0) }} {moving}, "
            f"to {{ transform: rotate({speed * (ROWS - 1):.4f}rad) }} }} .h{i} {{ animation-name: h{i} }}"
        )
    parts.append("</style>")
    parts.append(f'<rect width="{width}" height="{height}" rx="8" fill="{back}"/>')
    for i in range(len(omega)):
        x = LEFT + PAIR * i + PAIR / 2 - 4
        parts.append(f'<circle cx="{x}" cy="{TOP}" r="{RADIUS}" fill="none" stroke="{dial}" stroke-width="1.5"/>')
        parts.append(f'<g transform="translate({x} {TOP})"><line class="m h{i}" y2="{4 - RADIUS}" stroke="{ink}" '
                     'stroke-width="3" stroke-linecap="round"/></g>')  # fmt: skip
        parts.append(f'<circle cx="{x}" cy="{TOP}" r="3"/><text x="{x}" y="20" text-anchor="middle">第 {i} 对</text>')
        for j, (name, color) in enumerate((("sin", sine), ("cos", cosine))):
            parts.append(
                f'<text x="{x - 22 + 44 * j}" y="{bottom - 10}" text-anchor="middle" fill="{color}">{name}</text>'
            )
    cells = []
    for pos, row in enumerate(table):
        for column, value in enumerate(row):
            x = LEFT + PAIR * (column // 2) + 44 * (column % 2)
            cells.append(f'<path d="M{x} {bottom + ROW * pos}h42v{ROW - 1}h-42z" fill="{mix(float(value), *scale)}"/>')
    size = f'width="{width - LEFT}" height="{ROW * ROWS}"'
    parts += [
        f'<clipPath id="a"><rect class="m rows" x="{LEFT}" y="{bottom - ROW * (ROWS - 1)}" {size}/></clipPath>',
        f'<g clip-path="url(#a)">{"".join(cells)}</g>',
        f'<rect class="m rows" x="{LEFT - 3}" y="{bottom - 1.5}" width="{PAIR * len(omega)}" height="{ROW + 2}" rx="2" '
        f'fill="none" stroke="{ink}" stroke-width="1.5"/>',
        '<clipPath id="b"><rect x="0" y="54" width="80" height="24"/></clipPath>',
        f'<text x="12" y="{TOP + 5}">位置</text><g clip-path="url(#b)"><g class="m count">',
        *(f'<text x="66" y="{TOP + 5 + 20 * pos}" text-anchor="end">{pos}</text>' for pos in range(ROWS)),
        "</g></g>",
        f'<text x="{LEFT}" y="{height - 12}">前面几对分得清近处，后面几对记着大致在哪里：'
        f"d_model = {D_MODEL}，位置 0 到 {ROWS - 1}</text>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def icon() -> str:
    ink = THEMES["light"][3]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="{ink}" stroke-width="3" '
        'stroke-linecap="round"><circle cx="16" cy="16" r="13"/><path d="M16 16V7M16 16l6 4"/></svg>\n'
    )


def drawings() -> dict[Path, str]:
    return {STATIC / f"hands-{theme}.svg": hands(theme) for theme in THEMES} | {STATIC / "icon.svg": icon()}


def main() -> int:
    for path, text in drawings().items():
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"画好了 {path.name}，{len(text.encode()) / 1000:.0f} kB。")
    return 0


if __name__ == "__main__":
    sys.exit(main())
