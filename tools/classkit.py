"""教师的脚本：一个班的副本，一课一份幻灯片，全部的图，教师页里的两张表。

    python tools/classkit.py copy --seed 甲班 --to 文件夹   students/ 发给学生，key/ 是老师的答案
    python tools/classkit.py decks   --to 文件夹 [课号…]    一课一份幻灯片，不连网也能放
    python tools/classkit.py figures --to 文件夹 [课号…]    每幅图存成 SVG，图下的说明在 captions.md
    python tools/classkit.py table                          改好 TEACHING.md 里的两张表（--check 只比较）

种子是任意的字。同一个种子总得到同一套数；哪几题换数、怎样换，写在 sinpe/exercises/_seeds.py。
"""

import argparse
import ast
import base64
import collections
import html
import json
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import course
import environment
import nbformat

import notebooks
from sinpe.exercises import _seeds
from sinpe.exercises._declare import CODING, GUESSES

TEACHING = notebooks.ROOT / "TEACHING.md"
HINT = re.compile(r"<details>\s*<summary>提示.*?</summary>.*?</details>\s*", re.DOTALL)
FOLD = re.compile(r"<details>\s*<summary>(?!提示)(.*?)</summary>\s*(.*?)\s*</details>\s*", re.DOTALL)


def written(numbers: list[str]) -> list[course.Lesson]:
    """要做的各课；不写课号就是全部。"""
    lessons = [lesson for lesson in course.read_lessons() if lesson.path and lesson.exercises]
    known = [lesson.number for lesson in lessons]
    if unknown := [number for number in numbers if number not in known]:
        raise SystemExit(f"没有第 {'、'.join(unknown)} 课；有的是 {'、'.join(known)}。")
    return [lesson for lesson in lessons if not numbers or lesson.number in numbers]


# ------------------------------------------------------------------ 一个班的副本


def replace(text: str, words: dict[str, str]) -> str:
    """一次换完，长的先认：换过的字不会再被换一次。"""
    if not words:
        return text
    pattern = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.sub(pattern, lambda m: words[m[0]], text)


def with_seed(source: str, number: str, seed: str) -> str:
    """给检查这道题的那一行加上种子。"""
    names = "|".join(e.name for e in CODING if e.number == number)
    source = re.sub(rf'(\bguess\("{number}", .*)\)', rf"\1, seed={seed!r})", source)
    return re.sub(rf"(\bcheck_(?:{names})\([^()]*)\)", rf"\1, seed={seed!r})", source) if names else source


def parts(book: notebooks.Book) -> Iterator[tuple[notebooks.Cell, list[tuple[str, str]]]]:
    """练习一节里的各格：文字格按题切开，成一串（编号，文字）；代码格是一段。编号是空的不属于哪道题。"""
    practising, number = False, ""
    for cell in book.cells:
        titles = [title for found, level, title in book.headings if found is cell and level == 2]
        if titles:
            practising, number = titles[-1].endswith("练习"), ""
        if not practising:
            continue
        if cell.is_code:
            yield cell, [(number, cell.source)]
            continue
        pieces = []
        for piece in re.split(r"(?=^\*\*练习 \d+-\d+（)|(?=^写代码的题做了几道)", cell.source, flags=re.MULTILINE):
            found = re.match(r"\*\*练习 (\d+-\d+)（", piece)
            number = found[1] if found else "" if piece.startswith("写代码的题做了几道") else number
            pieces.append((number, piece))
        yield cell, pieces


def class_copy(lesson: course.Lesson, seed: str) -> tuple[nbformat.NotebookNode, dict[str, list[str]]]:
    """一课的副本，和从里面拿走的答案（编号到文字，数已换好）。"""
    book = notebooks.Book(notebooks.load(lesson.path), lesson.path)
    answers: dict[str, list[str]] = {}
    told = False
    for cell, pieces in parts(book):
        kept = []
        for number, text in pieces:
            variant = _seeds.variant(number, seed)
            if variant and not cell.is_code:
                text = replace(text, variant.words)
                if variant.notice and text.startswith("**练习"):
                    first, line, rest = text.partition("\n")
                    text = f"{first}{variant.notice}{line}{rest}"
            if variant and cell.is_code:
                text = with_seed(text, number, seed)
                cell.node.outputs, cell.node.execution_count = [], None
            if not cell.is_code:
                for fold in FOLD.finditer(text):
                    answers.setdefault(number, []).append(fold[2])
                text = FOLD.sub("", text)
                text = re.sub(r"参考解答在 \[[^\]]*\]\(solutions/[^)]*\)", "参考解答在老师那里", text)
            kept.append(text)
        cell.node.source = "".join(kept).rstrip("\n")
        if not told and not cell.is_code:
            told = True
            first, line, rest = cell.node.source.partition("\n")
            said = f"这是一个班的副本，种子是 {seed}：有的题里的数与别的班不同，答案在老师那里。"
            cell.node.source = f"{first}\n\n{said}\n{line}{rest}"
    book.nb.cells = [cell for cell in book.nb.cells if cell.source.strip()]
    for cell in book.nb.cells:
        if cell.cell_type == "markdown":  # 别处指向解答的链接，副本里没有
            cell.source = re.sub(r"\[([^\]]*)\]\(solutions/[^)]*\)", r"\1", cell.source)
    return book.nb, answers


def key(lesson: course.Lesson, seed: str, answers: dict[str, list[str]]) -> nbformat.NotebookNode:
    """一课的答案：写代码的取自 solutions/，先猜的填好对的值，其余是题目下面折着的话。"""
    path = lesson.path.parent / "solutions" / lesson.path.name
    solution = notebooks.Book(notebooks.load(path), path)
    first = solution.code[0].source
    new = nbformat.v4
    cells = [
        new.new_markdown_cell(f"# {lesson.number} 答案：{lesson.title}\n\n给老师，种子是 {seed}。"),
        new.new_code_cell(first),
    ]
    for number in sorted(
        {n for _, found in parts(lesson.book) for n, _ in found if n}, key=lambda n: int(n.split("-")[1])
    ):
        variant = _seeds.variant(number, seed)
        words = variant.words if variant else {}
        said = "\n\n".join(answers.get(number, []))
        cells.append(new.new_markdown_cell(f"**练习 {number}**。{said}".rstrip()))
        for guess in (g for g in GUESSES if g.number == number):
            with _seeds.given(guess, seed) as declared:
                cells.append(new.new_code_cell(f'exercises.guess("{number}", {declared.right!r})'))
        functions = {e.name for e in CODING if e.number == number}
        for cell in solution.code if functions else []:
            defined = {n.name for n in (cell.tree.body if cell.tree else []) if isinstance(n, ast.FunctionDef)}
            if defined & functions:
                cells.append(new.new_code_cell(replace(cell.source, words)))
        if variant:
            cells[-1].source = with_seed(cells[-1].source, number, seed)
    book = new.new_notebook(cells=cells)
    notebooks.tidy(book)
    for index, cell in enumerate(book.cells):
        cell.id = f"key-{index}"
    return book


def make_copy(folder: Path, seed: str, numbers: list[str]) -> None:
    for lesson in written(numbers):
        student, answers = class_copy(lesson, seed)
        for place, book in (("students", student), ("key", key(lesson, seed, answers))):
            (folder / place).mkdir(parents=True, exist_ok=True)
            (folder / place / lesson.path.name).write_bytes(notebooks.dump(book))
    print(f"写好了：{folder / 'students'} 发给学生，{folder / 'key'} 留着。收回以后：")
    print(f"  python -m sinpe progress 收回的文件夹 --seed {seed} --output 成绩.csv")


# ------------------------------------------------------------------ 图


def figures(lesson: course.Lesson) -> list[tuple[str, str, str]]:
    """一课的图：（图号或空，说明，SVG）。普通的图在新内核里重画成 SVG；会动的图由它的规格画出第一眼。"""
    from nbclient import NotebookClient

    book = notebooks.Book(notebooks.load(lesson.path), lesson.path)
    draw = nbformat.from_dict({**book.nb, "cells": list(book.nb.cells)})
    setting = (  # 课里要的是 retina 的 PNG；这里都改成 SVG
        "import matplotlib\nfrom matplotlib_inline import backend_inline as _inline\n"
        "_set = _inline.set_matplotlib_formats\n_inline.set_matplotlib_formats = lambda *_: _set('svg')\n"
        "matplotlib.rcParams['svg.hashsalt'] = 'sinpe'"
    )
    draw.cells.insert(0, nbformat.v4.new_code_cell(setting))
    client = NotebookClient(draw, kernel_name="python3", timeout=300, record_timing=False)
    client.resources = {"metadata": {"path": str(lesson.path.parent)}}
    client.execute(stderr=subprocess.DEVNULL)
    found = []
    for cell, drawn in zip(book.cells, draw.cells[1:], strict=True):
        said = cell.after.source.split("\n\n")[0] if cell.after and not cell.after.is_code else ""
        number = re.match(r"图 (\d+)", said)
        for output in drawn.get("outputs", []):
            data = output.get("data", {})
            if svg := data.get("image/svg+xml"):
                picture = svg
            elif notebooks.VEGA in data:
                picture = first_look(data)
            else:
                continue
            found.append((number[1] if number else "", said, named(picture, said)))
    return found


def first_look(data: dict) -> str:
    """会动的图的第一眼。热图要画布，vl_convert 没有，就用存在旁边的 PNG。"""
    spec = data[notebooks.VEGA]
    if '"heatmap"' in json.dumps(spec):
        png = "".join(data["image/png"].split())
        width, height = struct.unpack(">II", base64.b64decode(png)[16:24])
        picture = f'<image width="{width}" height="{height}" href="data:image/png;base64,{png}"/>'
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">{picture}</svg>'
    import vl_convert

    return vl_convert.vega_to_svg(spec)


def named(svg: str, caption: str) -> str:
    """给 SVG 加上说明，屏幕阅读器读得出；去掉日期，重画一次一字不差。"""
    svg = re.sub(r"<dc:date>.*?</dc:date>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"^.*?(?=<svg)", "", svg, flags=re.DOTALL)
    said = html.escape(re.sub(r"[*`$]", "", caption))
    return re.sub(r"(<svg\b[^>]*>)", lambda m: f"{m[1]}<desc>{said}</desc>", svg, count=1)


def make_figures(folder: Path, numbers: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["# 图\n\n文字和图用 CC BY 4.0，可以放进你的讲义。"]
    for lesson in written(numbers):
        lines.append(f"## {lesson.name}")
        for index, (number, caption, svg) in enumerate(figures(lesson), 1):
            name = f"{lesson.number}-{number or f'x{index}'}.svg"
            (folder / name).write_text(svg, encoding="utf-8", newline="\n")
            lines.append(f"![]({name})\n\n{caption}")
    (folder / "captions.md").write_text("\n\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    print(f"写好了 {len(list(folder.glob('*.svg')))} 幅图，在 {folder}。")


# ------------------------------------------------------------------ 幻灯片

_PAGE = """<!doctype html>
<html lang="zh-CN"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ margin: 0; font: 3.2vmin/1.55 "Noto Sans SC", "PingFang SC", "Microsoft YaHei", sans-serif }}
body {{ background: #fff; color: #222 }}
section {{ display: none; height: 100vh; box-sizing: border-box; padding: 5vmin 8vmin; overflow: hidden }}
section.on {{ display: flex; flex-direction: column }}
h1 {{ font-size: 6vmin; margin: auto 0 2vmin }} h2 {{ font-size: 4.2vmin; margin: 0 0 2vmin; color: #0072b2 }}
h1 + div {{ margin-bottom: auto }} p, ul {{ margin: 0 0 1.5vmin }} li {{ margin-bottom: .8vmin }}
.picture {{ flex: 1; min-height: 0; text-align: center }} .picture svg {{ width: 100%; height: 100% }}
footer {{ position: fixed; right: 2vmin; bottom: 1vmin; font-size: 2vmin; color: #767676 }}
@media print {{
  section {{ display: flex; flex-direction: column; page-break-after: always }}
  footer {{ display: none }}
  @page {{ size: 33.9cm 19cm; margin: 0 }}
}}
</style>
<script>MathJax = {{tex: {{inlineMath: [["$", "$"]]}}}};</script>
<script src="tex-svg-full.js" defer></script></head><body>
{slides}
<footer></footer>
<script>
const slides = [...document.querySelectorAll("section")];
let at = Math.min(parseInt(location.hash.slice(1)) || 1, slides.length) - 1;
function show(k) {{
  at = Math.max(0, Math.min(k, slides.length - 1));
  slides.forEach((s, j) => s.classList.toggle("on", j === at));
  document.querySelector("footer").textContent = `${{at + 1}} / ${{slides.length}}`;
  history.replaceState(null, "", "#" + (at + 1));
}}
addEventListener("keydown", e => {{
  if (["ArrowRight", "PageDown", " ", "Enter"].includes(e.key)) show(at + 1);
  if (["ArrowLeft", "PageUp", "Backspace"].includes(e.key)) show(at - 1);
}});
addEventListener("click", e => show(at + (e.clientX < innerWidth / 3 ? -1 : 1)));
show(at);
</script></body></html>
"""
MOST = 12  # 一课的幻灯片最多几张


def slides(lesson: course.Lesson) -> list[str]:
    """一课的幻灯片：题目，每幅图一张，记住的几句，小结，常见误解，练习。"""
    found = course.sections(lesson.book)
    header = lesson.header
    opening = f"- 你将做出：{header['你将做出']}\n- 你将学会：{header['你将学会']}"
    pages = [f"<h1>{html.escape(lesson.name)}</h1><div>{markdown(opening)}</div>"]
    pictures = []
    for number, caption, svg in figures(lesson):
        said = re.sub(r"^图 \d+：", "", caption)
        short = re.match(r"(?:[^。]*。){1,2}", said)
        title = f"图 {number}" if number else "动手"
        body = f'<div class="picture">{svg}</div>{markdown(short[0] if short else said)}'
        pictures.append(f"<h2>{title}</h2>{unique(body, len(pictures))}")
    marked = [line for section in found.values() for line in re.findall(r"^> (?!\*\*想一想)(.+)$", section.text, re.M)]
    ending = []
    points = [*marked, *re.findall(r"^- (.+)$", found["小结"].text, re.MULTILINE)]
    ending.append(("小结", "\n".join(f"- {p}" for p in points)))
    wrong = re.findall(r"^\*\*(“.+?”)\*\*", found["常见误解"].text, re.MULTILINE)
    ending.append(("这几句话错在哪里", "\n".join(f"- {w}" for w in wrong)))
    tasks = re.findall(r"^\*\*(练习 \d+-\d+（.+?）)\*\*", found["练习"].text, re.MULTILINE)
    ending.append(("练习", "\n".join(f"- {t}" for t in tasks)))
    ending_pages = [f"<h2>{title}</h2>{markdown(text)}" for title, text in ending if text]
    return pages + pictures[: MOST - 1 - len(ending_pages)] + ending_pages


def markdown(text: str) -> str:
    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    text = re.sub(r"\[([^\]]*)\]\([^)\s]*\)", r"\1", text)  # 幻灯片旁边没有那些文件
    return markdown2html_mistune(text)


def unique(svg: str, index: int) -> str:
    """几幅 SVG 放进一页，里面的 id 不能相同。"""
    svg = re.sub(r'\bid="([^"]+)"', rf'id="f{index}-\1"', svg)
    return re.sub(r'((?:xlink:)?href="#|url\(#)', rf"\1f{index}-", svg)


def make_decks(folder: Path, numbers: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    mathjax = metadata.distribution("django-static-mathjax").locate_file("mathjax/static/mathjax/es5/tex-svg-full.js")
    shutil.copyfile(mathjax, folder / "tex-svg-full.js")
    for lesson in written(numbers):
        pages = slides(lesson)
        text = _PAGE.format(title=html.escape(lesson.name), slides="\n".join(f"<section>{p}</section>" for p in pages))
        (folder / f"{lesson.path.stem}.html").write_text(text, encoding="utf-8", newline="\n")
        print(f"{lesson.path.stem}.html：{len(pages)} 张")


# ------------------------------------------------------------------ 教师页里的两张表


def lesson_table() -> str:
    """每课多久，诊断多半叫人回去看哪一节，常见误解的头一句。"""
    lines = ["| 课 | 阅读，分钟 | 练习，分钟 | 练错了多半要回去看 | 头一条常见误解 |", "|---|---|---|---|---|"]
    for lesson in written([]):
        mine = [e for e in CODING if e.lesson == int(lesson.number)]
        places = collections.Counter(m.lesson for e in mine for m in [*e.variants, *e.mistakes] if m.lesson)
        back = "；".join(f"第 {place[:2]} 课“{place[3:]}”" for place, _ in places.most_common(2)) or "—"
        wrong = re.search(r"^\*\*(“.+?”)", course.sections(lesson.book)["常见误解"].text, re.MULTILINE)[1]
        lines.append(f"| {lesson.name} | {lesson.minutes} | {lesson.practice_minutes} | {back} | {wrong} |")
    return "\n".join(lines) + "\n"


def likely(number: str) -> list[str]:
    """一道题可能的错：先猜的是声明的误解，写代码的是声明在前的几种错。"""
    for guess in (g for g in GUESSES if g.number == number):
        said = [re.split(r"[：，。；]", reply)[0] for _, reply in guess.misconceptions.values()]
        return list(dict.fromkeys(said))[:3]
    named = [m.name for e in CODING if e.number == number for m in [*e.variants, *e.mistakes]]
    return named[:3] or ["公式写错了一处（由错法的目录认）"]


def exercise_table() -> str:
    """每道题几分钟、可能错在哪里。"""
    lines = ["| 练习 | 分钟 | 检查器认得的错，举三种 |", "|---|---|---|"]
    for lesson in written([]):
        text = course.sections(lesson.book).get("练习", course.Section()).text
        for number, kind, minutes in re.findall(
            r"^\*\*练习 (\d+-\d+)（([^·）]+)[^）]*?(\d+)? ?(?:分钟)?）\*\*", text, re.MULTILINE
        ):
            checked = any(e.number == number for e in [*CODING, *GUESSES])
            said = "；".join(likely(number)) if checked else "不由机器检查，课上讨论"
            lines.append(f"| {number} {kind.strip()} | {minutes or '—'} | {said.replace('|', '、')} |")
    return "\n".join(lines) + "\n"


def with_tables(text: str) -> str:
    """把教师页里的两张表换成现在的。"""
    for title, table in (("每课多久", lesson_table()), ("每道题几分钟", exercise_table())):
        text, count = re.subn(
            rf"(^## {title}.*?\n\n(?:[^|\n].*\n\n)*)(?:\|.*\n)+", lambda m, t=table: m[1] + t, text, flags=re.M
        )
        assert count == 1, title
    return text


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python tools/classkit.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["copy", "decks", "figures", "table"])
    parser.add_argument("lessons", nargs="*", metavar="课号", help="不写就是全部")
    parser.add_argument("--to", type=Path, metavar="文件夹", help="写到哪里；原有的同名文件会被覆盖")
    parser.add_argument("--seed", help="copy 用：这个班的种子，任意的字")
    parser.add_argument("--check", action="store_true", help="table 用：只比较，不同就以退出码 1 结束")
    options = parser.parse_intermixed_args(argv)
    if options.what == "table":
        old = TEACHING.read_text(encoding="utf-8")
        new = with_tables(old)
        if not options.check:
            TEACHING.write_text(new, encoding="utf-8", newline="\n")
        elif old != new:
            print("TEACHING.md 的表旧了；运行 python tools/classkit.py table。")
            return 1
        return 0
    if options.to is None:
        parser.exit(2, f"{options.what} 要用 --to 写明放在哪个文件夹。\n")
    if options.what == "copy" and not options.seed:
        parser.exit(2, "copy 要用 --seed 给一个种子，任意的字，例如 --seed 甲班。\n")
    environment.clean()
    folder = options.to.resolve()
    if options.what == "copy":
        make_copy(folder, options.seed, options.lessons)
    else:
        {"decks": make_decks, "figures": make_figures}[options.what](folder, options.lessons)
    return 0


if __name__ == "__main__":
    sys.exit(main())
