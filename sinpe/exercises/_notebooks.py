"""课文和解答在笔记本里，只有那一处：提示、解答和各节的链接都从那里读。"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parents[2]


def _find(pattern: str) -> Path | None:
    """按样式找笔记本：先看当前文件夹和它的上一层，再看源码旁边的。"""
    here = Path.cwd()
    for folder in (here, here.parent, here / "notebooks", _PACKAGE / "notebooks"):
        if found := sorted(folder.glob(pattern)):
            return found[0]
    return None


@functools.lru_cache(maxsize=32)
def _read(path: Path, changed: float) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [{"kind": cell["cell_type"], "source": "".join(cell["source"])} for cell in cells]


def _cells(pattern: str) -> list[dict[str, Any]] | None:
    path = _find(pattern)
    return None if path is None else _read(path, path.stat().st_mtime)


def section(where: str) -> tuple[str, str]:
    """“课号 标题里的几个字”是哪一节：返回怎样称呼它和链接；找不到课文就没有链接。"""
    number, _, words = where.partition(" ")
    path = _find(f"{number}_*.ipynb")
    for cell in (_cells(f"{number}_*.ipynb") or ()) if path else ():
        if cell["kind"] == "markdown":
            for title in re.findall(r"^#{2,4} (.+)$", cell["source"], re.MULTILINE):
                if words in title:
                    return f"第 {number} 课“{title}”一节", f"{path.name}#{title.replace(' ', '-')}"  # type: ignore[union-attr]
    return f"第 {number} 课讲“{words}”的一节", ""


def _statement(number: str) -> str | None:
    """一道题在课文里的那一段，到下一道题为止。"""
    for cell in _cells(f"{int(number.split('-')[0]):02}_*.ipynb") or ():
        if cell["kind"] == "markdown" and f"**练习 {number}（" in cell["source"]:
            text = cell["source"].split(f"**练习 {number}（", 1)[1]
            return re.split(r"^\*\*练习 \d+-\d+（|^## ", text, flags=re.MULTILINE)[0]
    return None


def hints(number: str) -> list[str] | None:
    """一道题的各级提示；找不到课文是 None。"""
    text = _statement(number)
    if text is None:
        return None
    folded = re.findall(r"<summary>(提示.*?)</summary>\s*(.+?)\s*</details>", text, re.DOTALL)
    return [words for _, words in folded]


def solution(number: str) -> list[tuple[str, str]] | None:
    """一道题的参考解答：一串（markdown 或 code，内容）；找不到解答的笔记本是 None。"""
    cells = _cells(f"solutions/{int(number.split('-')[0]):02}_*.ipynb") or _cells(
        f"{int(number.split('-')[0]):02}_*.ipynb"
    )
    if cells is None:
        return None
    parts: list[tuple[str, str]] = []
    for cell in cells:
        if cell["kind"] == "markdown":
            found = re.search(rf"^\*\*练习 {number}\*\*", cell["source"], re.MULTILINE)
            if parts and not found:
                break
            if found:
                parts.append(("markdown", cell["source"][found.start() :]))
        elif parts:
            parts.append(("code", cell["source"]))
    return parts
