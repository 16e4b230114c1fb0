"""把要说的话放到读者面前：Jupyter 里是一张卡片，旁边总有同样意思的文字和给机器读的一份；别处只印文字。"""

from __future__ import annotations

import html
import re
import sys
from typing import Any

import numpy as np

MIME = "application/vnd.sinpe.check+json"
VERSION = 1  # MIME 里那一份的格式，改了字段才加
MARKS = {"passed": "✓ 通过", "wrong": "✗ 还不对", "blank": "○ 尚未作答"}
_COLOURS = {"passed": "#009e73", "wrong": "#d55e00", "blank": "#888888"}  # 深浅两种底色上都看得清


def show(text: str, body: str = "", data: dict[str, Any] | None = None, markdown: str = "") -> None:
    """显示一份输出。卡片没有编号、脚本和时间，所以每次运行都一样。"""
    if not _in_ipython():
        print(text)
        return
    from IPython.display import display

    bundle: dict[str, Any] = {"text/plain": text}
    if body:
        bundle["text/html"] = body
    if markdown:
        bundle["text/markdown"] = markdown
    if data is not None:
        bundle[MIME] = data
    display(bundle, raw=True)


def _in_ipython() -> bool:
    ipython = sys.modules.get("IPython")
    return ipython is not None and ipython.get_ipython() is not None


def data(
    number: str, kind: str, name: str, verdict: str, mistake: str | None, seed: str | None = None
) -> dict[str, Any]:
    """给机器读的一份：kind 是 code 或 guess，verdict 是 passed、wrong、blank，mistake 是错的代号；有种子就有 seed。"""
    found = {
        "exercise": number,
        "lesson": int(number.split("-")[0]),
        "kind": kind,
        "name": name,
        "verdict": verdict,
        "mistake": mistake,
        "version": VERSION,
    }
    return found if seed is None else found | {"seed": seed}


def card(title: str, verdict: str, lines: list[str]) -> str:
    """一张卡片；各行已经是 HTML。"""
    colour = _COLOURS[verdict]
    body = "".join(f'<div style="margin-top:4px">{line}</div>' for line in lines)
    return (
        f'<div style="border-left:4px solid {colour};background:rgba(128,128,128,.09);padding:8px 12px;'
        f'margin:4px 0;line-height:1.6"><div><strong style="color:{colour}">{MARKS[verdict]}</strong>'
        f"&ensp;{html.escape(title)}</div>{body}</div>"
    )


def words(text: str) -> str:
    """普通的话换成 HTML：反引号里的是代码，换行照旧。"""
    escaped = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
    return escaped.replace("\n", "<br>")


def code(text: str) -> str:
    return f'<code style="white-space:pre-wrap">{html.escape(text)}</code>'


def folded(summary: str, body: str) -> str:
    return f"<details><summary>{html.escape(summary)}</summary>{body}</details>"


def link(text: str, href: str) -> str:
    return f'<a href="{html.escape(href)}">{html.escape(text)}</a>' if href else html.escape(text)


# ------------------------------------------------------------------ 三张小图

_ROWS, _COLUMNS, _CELL = 8, 16, 11


def picture(got: Any, want: Any, again: Any | None, atol: float) -> tuple[str, str]:
    """你的、应有的、照这种错再犯一遍的，各一张小图；返回 SVG 和同样意思的话。

    明暗表示大小，与应有的不同的格子打叉，所以不看颜色也读得出。
    """
    parts = [("你的", got), ("应有的", want)] + ([] if again is None else [("照这种错再犯一遍", again)])
    flat = [np.reshape(a, (-1, np.shape(a)[-1])) if np.ndim(a) else np.reshape(a, (1, 1)) for _, a in parts]
    shown = [a[:_ROWS, :_COLUMNS] for a in flat]
    finite = np.concatenate([a[np.isfinite(a)] for a in shown])
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    rows, columns = shown[1].shape
    width = max(columns * _CELL, 110)
    drawn = []
    for number, ((title, _), numbers) in enumerate(zip(parts, shown, strict=True)):
        left = number * (width + 16)
        drawn.append(f'<text x="{left}" y="11" font-size="11" fill="currentColor">{title}</text>')
        for k, j in np.ndindex(numbers.shape):
            value = float(numbers[k, j])
            grey = round(235 - 190 * (value - low) / (high - low or 1)) if np.isfinite(value) else 255
            x, y = left + j * _CELL, 17 + k * _CELL
            drawn.append(f'<rect x="{x}" y="{y}" width="10" height="10" fill="rgb({grey},{grey},{grey})"/>')
            if numbers.shape == shown[1].shape and _differs(value, float(shown[1][k, j]), atol):
                pen = "#fff" if grey < 128 else "#000"
                drawn.append(f'<path d="M{x + 2} {y + 2}l6 6m0-6l-6 6" stroke="{pen}"/>')
    total = len(parts) * (width + 16) - 16
    title = f"{'、'.join(name for name, _ in parts)}：颜色越深，数越大；打叉的格子与应有的不同。"
    cut = f"只画出前 {rows} 行、前 {columns} 列。" if shown[1].shape != flat[1].shape else ""
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{html.escape(title)}" width="{total}" '
        f'height="{19 + rows * _CELL}" style="max-width:100%">{"".join(drawn)}</svg>'
    )
    if again is None:
        return svg, title + cut
    far = np.abs(np.subtract(got, again, dtype=np.float64))
    most = float(far[np.isfinite(far)].max(initial=0))
    return svg, f"{title}{cut}再犯一遍的与你的，相差不超过 {_above(most)}。"


def _above(x: float) -> str:
    """不小于 x 的十的整数次方，写出来。"""
    return "1e-12" if x <= 1e-12 else f"1e{int(np.ceil(np.log10(x)))}"


def _differs(got: float, want: float, atol: float) -> bool:
    return not (got == want or abs(got - want) <= atol)
