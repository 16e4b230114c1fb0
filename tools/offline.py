"""把整套课程写成网页，不装 Jupyter、不连网也能读。

    python tools/offline.py [文件夹]    默认写到 offline/，从 index.html 读起

每页由 nbconvert 转换；公式由 MathJax 显示，它的脚本取自 PyPI 上的包，随网页一起放在文件夹里。
图的替代文字取自图下的说明。文件夹里原有的同名文件会被覆盖。
"""

import argparse
import os
import re
import shutil
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import course
import nbformat
from nbconvert import HTMLExporter
from pygments.formatters import HtmlFormatter

import notebooks

MATHJAX = "mathjax/static/mathjax/es5/tex-svg-full.js"  # 单个文件，字形也在其中：不用网页字体，从硬盘打开也认
STILL = "网页版里滑块不能拖动，上面是它停在初始值时的样子。"

PAGE = """<!DOCTYPE html>
<html lang="zh-CN">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{top}style.css">
<script>
MathJax = {{
  tex: {{inlineMath: [["$", "$"]], displayMath: [["$$", "$$"]], processEscapes: true}},
  svg: {{scale: 0.92}},
  options: {{skipHtmlTags: ["script", "style", "textarea", "pre", "code"]}}
}};
</script>
<script defer src="{top}mathjax/tex-svg-full.js"></script>
</head>
<body>
<nav aria-label="全书"><a href="{top}index.html">sinpe：正弦位置编码</a></nav>
<main>
{body}
</main>
</body>
</html>
"""

STYLE = """
body { margin: 0 auto; padding: 1rem; max-width: 56rem; color: #1a1a1a; background: #fff;
       font: 17px/1.8 system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; }
h1, h2, h3, h4 { line-height: 1.4; margin: 2em 0 0.6em; }
h1 { margin-top: 1em; }
a { color: #0b5394; }
.anchor-link, .prompt { display: none; }
img, svg { max-width: 100%; height: auto; }
pre, code { font: 14px/1.6 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
:not(pre) > code { background: #f2f2f2; padding: 0.1em 0.3em; border-radius: 3px; overflow-wrap: anywhere; }
pre { overflow-x: auto; margin: 0; padding: 0.7em 1em; }
.input_area { background: #f6f6f6; border-left: 3px solid #b0b0b0; margin-top: 1em; }
.output_subarea { overflow-x: auto; margin: 0.3em 0 1em; }
.output_subarea pre { border-left: 3px solid #dcdcdc; }
table { border-collapse: collapse; margin: 1em 0; display: block; overflow-x: auto; }
th, td { border: 1px solid #d0d0d0; padding: 0.3em 0.7em; text-align: left; }
thead:not(:has(th:not(:empty))) { display: none; }
td:has(a[href^="solutions/"]), td:has(+ td a[href^="solutions/"]) { white-space: nowrap; }
mjx-container[display="true"] { overflow-x: auto; overflow-y: hidden; padding: 2px 0; }
details { margin: 0.6em 0; }
"""


def plain(markdown: str) -> str:
    """一段 Markdown 里的文字：去掉星号、反引号、美元号、链接的网址。"""
    return re.sub(r"[*`$]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown)).strip()


def caption(cell: notebooks.Cell) -> str:
    """一格所画的图的替代文字。"""
    if cell.is_live:
        return f"滑块停在初始值时的图。{STILL}"
    return plain(cell.after.source.split("\n\n")[0]) if cell.after else ""


def prepare(book: notebooks.Book) -> nbformat.NotebookNode:
    """要转换的一本：图有替代文字，滑块下面有一句说明，链接指向网页。"""
    cells = []
    for cell in book.cells:
        if not cell.is_code:
            cell.node.source = relink(cell.source, book.path)
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                output.metadata = nbformat.from_dict({"image/png": {"alt": caption(cell)}})
        cells.append(cell.node)
        if cell.is_code and cell.is_live:
            cells.append(nbformat.v4.new_markdown_cell(f"（{STILL}）"))
    return nbformat.v4.new_notebook(cells=cells, metadata=notebooks.METADATA)


def relink(source: str, path: Path) -> str:
    """``.ipynb`` 和 ``.md`` 的链接改成 ``.html``。指向别的文件的链接，网页版里没有，只留文字。"""

    code = [span.span() for span in notebooks.SPAN.finditer(source)]

    def replace(match: re.Match) -> str:
        text, link = match.groups()
        if any(start <= match.start() < stop for start, stop in code):  # pe[0](1) 不是链接
            return match[0]
        target, mark, place = link.partition("#")
        if re.match(r"[a-z]+:", link) or not target:
            return match[0]
        file = (path.parent / target).resolve()
        if file in SOURCES:
            return f"[{text}]({os.path.relpath(page_of(file), page_of(path).parent).replace(os.sep, '/')}{mark}{place})"
        return text

    return re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", replace, source)


GLOSSARY = notebooks.ROOT / "GLOSSARY.md"
INDEX = notebooks.ROOT / "notebooks" / "index.md"  # 没有这个文件：目录由课程地图当场写成
SOURCES = {GLOSSARY, INDEX, *notebooks.find()}


def page_of(source: Path) -> Path:
    """一个源文件的网页，相对于输出文件夹。"""
    if source in (GLOSSARY, INDEX):
        return Path(source.stem.lower() + ".html")
    return source.relative_to(notebooks.ROOT / "notebooks").with_suffix(".html")


def index() -> str:
    """目录页。"""
    lessons = course.read_lessons()
    rows = [
        f"| {lesson.label} | {lesson.header['你将做出']} | {lesson.minutes} 分钟 | {solution_of(lesson)} |"
        for lesson in lessons
        if lesson.path
    ]
    table = "\n".join(["| 课 | 你将做出 | 用时 | 练习 |", "|---|---|---|---|", *rows])
    missing = "、".join(lesson.name for lesson in lessons if not lesson.path)
    return f"""# sinpe：正弦位置编码

一套用中文写的教程，从“为什么需要位置”一步步推出正弦位置编码的公式；正文里的每个数都由旁边的代码格算出并核对。

这是离线网页版：图和结果都已存好，代码可以读，不能运行。想动手运行，需要 Python 和 JupyterLab，做法见仓库的 README。

{table}

用时是通读一遍的估计。{f"还没有写的课：{missing}。" if missing else ""}术语与记号见[术语表](../GLOSSARY.md)。

代码用 MIT 许可，文字和图用 CC BY 4.0。公式由 MathJax 显示，它的许可见 `mathjax/LICENSE`。
"""


def solution_of(lesson: course.Lesson) -> str:
    count = f"{lesson.exercises} 题"
    path = lesson.path.parent / "solutions" / lesson.path.name
    return f"{count}，[解答](solutions/{path.name})" if path in SOURCES else count


def pages() -> Iterator[tuple[Path, notebooks.Book]]:
    """每一页：源文件，和要转换的内容。"""
    for path in notebooks.find():
        yield path, notebooks.Book(notebooks.load(path), path)
    for path, text in ((INDEX, index()), (GLOSSARY, GLOSSARY.read_text(encoding="utf-8"))):
        yield path, notebooks.Book(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)]), path)


def build(folder: Path) -> list[Path]:
    """写出整套网页，返回各页的路径。"""
    exporter = HTMLExporter(template_name="basic")
    written = []
    for path, book in pages():
        title = next((title for _, level, title in book.headings if level == 1), path.stem)
        body, _ = exporter.from_notebook_node(prepare(book))
        page = folder / page_of(path)
        page.parent.mkdir(parents=True, exist_ok=True)
        top = "../" * (len(page_of(path).parts) - 1)
        page.write_text(PAGE.format(title=plain(title), top=top, body=body), encoding="utf-8", newline="\n")
        written.append(page)
    colours = HtmlFormatter(style="default").get_style_defs(".highlight")
    (folder / "style.css").write_text(STYLE.lstrip() + colours + "\n", encoding="utf-8", newline="\n")
    (folder / "mathjax").mkdir(exist_ok=True)
    script = Path(metadata.distribution("django-static-mathjax").locate_file(MATHJAX))
    shutil.copyfile(script, folder / "mathjax" / script.name)
    shutil.copyfile(script.parent.parent / "LICENSE", folder / "mathjax" / "LICENSE")
    return written


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=notebooks.ROOT / "offline", help="写到哪里")
    folder = parser.parse_args(argv).folder
    written = build(folder)
    print(f"写好了 {len(written)} 页，从 {folder / 'index.html'} 读起。")
    return 0


if __name__ == "__main__":
    sys.exit(main())
