"""网页版：整套课程写成网页，不装 Jupyter、不连网也能读；再由网页写成 A4 的 PDF。

Sphinx 负责网页（conf.py 是它的设置），myst-nb 照存下的输出显示笔记本，不重新运行。这里只做三件事：
摆好一套源文件（`stage`），读每本笔记本时改几处（`prepare`），写成网页（`build`）。PDF 在 paper.py。
"""

import html
import json
import os
import re
import shutil
import tempfile
from importlib import metadata
from pathlib import Path

import course
import nbformat

import notebooks

HERE = Path(__file__).parent
GLOSSARY = notebooks.ROOT / "GLOSSARY.md"
VEGA = "application/vnd.vega.v5+json"
CHECK = "application/vnd.sinpe.check+json"
MATHJAX = "mathjax/static/mathjax/es5/tex-svg-full.js"  # 单个文件，字形也在其中：不用网页字体，从硬盘打开也认


def sources() -> dict[str, Path]:
    """每一页的名字和它的源文件。目录页没有源文件，由课程地图当场写成。"""
    found = {
        path.relative_to(notebooks.ROOT / "notebooks").with_suffix("").as_posix(): path for path in notebooks.find()
    }
    return found | {"glossary": GLOSSARY}


# ---------------------------------------------------------------- 目录页


def index() -> str:
    """目录页：一幅画，一段话，一课一张卡片。"""
    lessons = course.read_lessons()
    written = [lesson for lesson in lessons if lesson.path]
    missing = "、".join(lesson.name for lesson in lessons if not lesson.path)
    pages = sources()
    lines = ["# sinpe：正弦位置编码", picture(), course.PITCH]
    lines += ["图和结果都已存好，从第 00 课读起；想动手，每一课的开头可以下载笔记本。"]
    cards = []
    for lesson in written:
        card = [
            f'<a class="card" href="{lesson.path.stem}.html"><b>{lesson.number}</b> <strong>{lesson.title}</strong>'
        ]
        card += [f"<span>{html.escape(plain(lesson.header['你将做出']))}</span>"]
        time = f"阅读 {lesson.minutes} 分钟 · 练习 {lesson.exercises} 题" if lesson.exercises else "随查"
        card += [f"<small>{time}</small></a>"]
        cards += card
    lines.append("\n".join(['<div class="cards">', *cards, "</div>"]))
    lines += [f"还没有写的课：{missing}。"] if missing else []
    lines += ["用时是通读一遍的估计。术语与记号见[术语表](glossary.md)。代码用 MIT 许可，文字和图用 CC BY 4.0。"]
    solutions = [name for name in pages if name.startswith("solutions/")]
    for caption, names in (
        ("课程", [lesson.path.stem for lesson in written]),
        ("附录", ["glossary"]),
        ("练习解答", [f"{Path(name).name[:2]} 解答 <{name}>" for name in solutions]),
    ):
        lines.append("\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *names, "```"]))
    return "\n\n".join(lines) + "\n"


def picture() -> str:
    """目录页的画，浅色、深色各一幅。网址末尾的 #once 让它只走一遍，不足五秒就停下。"""
    alt = "八根指针随位置转动，越往右转得越慢；它们的正弦和余弦逐行填成一张编码表。"
    return "".join(
        f'<img class="hands only-{theme}" src="_static/hands-{theme}.svg#once" alt="{alt}">'
        for theme in ("light", "dark")
    )


# ---------------------------------------------------------------- 读一本笔记本


def plain(markdown: str) -> str:
    """一段 Markdown 里的文字：去掉星号、反引号、美元号、链接的网址。"""
    return re.sub(r"[*`$]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown)).strip()


def caption(cell: notebooks.Cell) -> str:
    """一格所画的图的替代文字：图下的说明；活的图没有图号，用它自己的那一句。"""
    for output in cell.outputs:
        if VEGA in output.get("data", {}):
            return output.data.get("text/plain", "")
    if cell.after and not cell.after.is_code:
        return plain(cell.after.source.split("\n\n")[0])
    return plain(cell.before.source.split("\n\n")[-1]) if cell.before else ""  # 图下没有文字，就用前面那一句


def prepare(text: str, path: Path) -> str:
    """要显示的一本：图有替代文字，活的图写成网页能用的样子，链接指向网页，不说网页上做不到的事。"""
    book = notebooks.Book(nbformat.v4.reads(text), path)
    for cell in book.cells:
        if not cell.is_code:
            cell.node.source = relink(without_keys(cell.source), path)
            continue
        for output in cell.outputs:
            data = output.get("data", {})
            data.pop(CHECK, None)  # 检查器给程序看的，页面不显示
            if VEGA in data:
                size = output.metadata.get("image/png", {})
                output.data = nbformat.from_dict({"text/html": live_figure(data, size, caption(cell))})
            elif "image/png" in data:
                cell.node.metadata["mystnb"] = {"image": {"alt": caption(cell)}}
    book.nb.cells.insert(1, nbformat.v4.new_markdown_cell(note(path)))
    return nbformat.v4.writes(book.nb)


def note(path: Path) -> str:
    """每本笔记本标题之下的一句话。"""
    name = path.relative_to(notebooks.ROOT / "notebooks").as_posix()
    link = "../" * name.count("/") + f"_sources/{name}"
    text = f'代码在网页上只能读；要动手，<a href="{link}" download>下载这本笔记本</a>，在 JupyterLab 里打开。'
    return f'<p class="download">{text}</p>'


def live_figure(data: dict, size: dict, alt: str) -> str:
    """活的图：规格写在页面里，由 start.js 画出来；画出来之前、没有脚本时、打印时，是存下的那张图。"""
    specification = json.dumps(data[VEGA], ensure_ascii=False).replace("</", "<\\/")
    png = data.get("image/png", "").replace("\n", "")
    wide = f' width="{size["width"]}"' if "width" in size else ""
    return (
        f'<figure class="vega"><img src="data:image/png;base64,{png}" alt="{html.escape(alt)}"{wide}>'
        f'<script type="application/json">{specification}</script></figure>'
    )


def without_keys(source: str) -> str:
    """网页上不能运行，说怎样按键运行的一段去掉。"""
    return "\n\n".join(part for part in source.split("\n\n") if not re.search(r"Shift *\+ *Enter", part))


def relink(source: str, path: Path) -> str:
    """指向课程以外的文件的链接，网页版里没有，只留文字；术语表换到它在网页版里的位置。"""
    code = [span.span() for span in notebooks.SPAN.finditer(source)]
    pages = {file: name for name, file in sources().items()}
    here = "solutions" if path.parent.name == "solutions" else "."

    def replace(match: re.Match) -> str:
        text, link = match.groups()
        if any(start <= match.start() < stop for start, stop in code):  # pe[0](1) 不是链接
            return match[0]
        target, mark, place = link.partition("#")
        if re.match(r"[a-z]+:", link) or not target:
            return match[0]
        file = (path.parent / target).resolve()
        if file not in pages:
            return text
        return f"[{text}]({os.path.relpath(pages[file], here).replace(os.sep, '/')}{file.suffix}{mark}{place})"

    return re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", replace, source)


# ---------------------------------------------------------------- 写成网页


def stage(folder: Path) -> None:
    """摆好 Sphinx 的源文件。笔记本原样照抄：读者下载的就是它。"""
    for name, path in sources().items():
        place = folder / f"{name}{path.suffix}"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    (folder / "index.md").write_text(index(), encoding="utf-8")


def scripts(folder: Path) -> None:
    """两个现成的脚本，取自 PyPI 上的包：公式用 MathJax，活的图用 Vega。"""
    import vl_convert

    mathjax = Path(metadata.distribution("django-static-mathjax").locate_file(MATHJAX))
    shutil.copyfile(mathjax, folder / mathjax.name)
    shutil.copyfile(mathjax.parent.parent / "LICENSE", folder / "tex-svg-full.LICENSE")
    # 包成一个函数：它的名字都是全局的，会与 Sphinx 的 _ 相撞
    bundle = vl_convert.javascript_bundle()
    (folder / "vega.js").write_text(f"(() => {{{bundle}}})();\n", encoding="utf-8")


def build(folder: Path) -> int:
    """写出整套网页，返回页数。"""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace

    with tempfile.TemporaryDirectory(prefix="sinpe-web-") as base, docutils_namespace():
        source = Path(base, "source")
        source.mkdir()
        stage(source)
        app = Sphinx(
            source, HERE, folder, Path(base, "doctrees"), "html", status=None, freshenv=True, warningiserror=True
        )
        app.build(force_all=True)
        if app.statuscode:  # 有警告；Sphinx 已经说了是什么
            raise SystemExit(app.statuscode)
    scripts(folder / "_static")
    return len(sources()) + 1
