"""把写好的网页印成 A4 的 PDF：一课一个，或整套一个。

先由网页拼成一个只供打印的页面，再交给 Chromium 排版。两种：讲义把提示和答案收起，留出写字的地方；
答案把它们连同解答印在最后。样式在 static/paper.css，从浏览器里直接打印一页用的也是它。
"""

import re
import shutil
from copy import copy
from pathlib import Path
from urllib.parse import unquote

from bs4 import BeautifulSoup

PAGE = """<!DOCTYPE html>
<html lang="zh-CN" data-theme="light">
<head>
<meta charset="utf-8">
<title>{title}</title>
<link rel="stylesheet" href="_static/pygments.css">
<link rel="stylesheet" href="_static/paper.css">
<script>MathJax = {{options: {{processHtmlClass: "math", ignoreHtmlClass: ".*"}}, svg: {{scale: 0.92}}}};</script>
<script defer src="_static/tex-svg-full.js"></script>
</head>
<body class="{style}">{body}</body>
</html>
"""
FOOTER = (
    '<div style="width: 100%; font-size: 8px; text-align: center; color: #555">'
    '<span class="title"></span> · 第 <span class="pageNumber"></span> 页，共 <span class="totalPages"></span> 页</div>'
)
OPEN = re.compile("选读|证明|推导")  # 这样开头的照印；别的都是提示、答案、看到了什么，讲义里收起
SHEET = "91_cheatsheet"  # 单独印时排成一页
BLANK = f'<div class="blank">{"<div></div>" * 5}</div>'


def read(folder: Path, name: str):
    """一页的正文，去掉只在屏幕上有用的东西；编号前面加上页名，几页拼在一起也不相撞。"""
    soup = BeautifulSoup((folder / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
    article = soup.find("article")
    for tag in article.select(".headerlink, .download, figure.vega script, .prev-next-footer"):
        tag.decompose()
    base = (folder / name).parent
    for tag in article.find_all(id=True):
        tag["id"] = f"{name}-{tag['id']}"
    for tag in article.find_all(src=True):
        if not tag["src"].startswith("data:"):
            tag["src"] = (base / unquote(tag["src"])).resolve().relative_to(folder.resolve()).as_posix()
    for tag in article.find_all("a", href=True):  # 纸上的链接：网址留着，课与课之间的只留文字
        if not tag["href"].startswith("http"):
            tag.name = "span"
            del tag["href"]
    for number in (5, 4, 3, 2, 1):  # 答案里的标题各降一级
        for tag in article.find_all(f"h{number}") if name.startswith("solutions/") else []:
            tag.name = f"h{number + 1}"
    article.name = "section"
    article["class"] = "lesson"
    return article


def fold(article) -> list:
    """收起一课的提示和答案，练习之后留出写字的地方；返回收起的，每个前面有它属于哪一题。"""
    taken = []
    practice = next((h.parent for h in article.find_all("h2") if h.get_text().endswith("练习")), None)
    for details in article.find_all("details"):
        if "hide" in details.get("class", []):  # 折起的核对格：照印，字小一号
            details["open"] = ""
            continue
        summary = details.find("summary")
        if OPEN.match(summary.get_text()):
            details["open"] = ""
            continue
        taken.append((owner(details), copy(details)))
        details.replace_with(fragment(f'<p class="closed">{summary.get_text()}：见答案</p>'))
    if practice is not None:
        for cell in practice.select("div.cell"):
            if "exercises.progress(" in cell.get_text():
                cell.decompose()
        for output in practice.select("div.cell_output"):
            output.decompose()  # “尚未作答”，纸上用不着
        titles = [tag for tag in practice.find_all("p", recursive=False) if title_of(tag)]
        for title in titles:
            last = title
            for tag in title.find_next_siblings():
                foreign = "cell" in tag.get("class", []) and "exercises." not in tag.get_text()
                if tag in titles or tag.name == "section" or foreign or "solutions/" in tag.get_text():
                    break
                last = tag
            last.insert_after(fragment(BLANK))
    return taken


def fragment(markup: str):
    return BeautifulSoup(markup, "html.parser").contents[0]


def title_of(paragraph) -> str | None:
    """一段若以“练习 5-2”开头，就是一道练习的题头。"""
    strong = paragraph.find("strong")
    match = strong and re.match(r"练习 \d+-\d+", strong.get_text())
    return match[0] if match and paragraph.get_text().startswith(match[0]) else None


def owner(details) -> str:
    """一处收起的内容属于哪一题；不在练习里的，属于哪一节。"""
    for tag in details.find_all_previous(["p", "h1", "h2", "h3"]):
        if tag.name != "p":
            return tag.get_text()
        if title := title_of(tag):
            return title
    return ""


def answers(folder: Path, name: str, taken: list) -> str:
    """一课的答案：收起的提示和答案，再是解答。"""
    title = read(folder, name).find("h1").get_text()
    parts, last = [f'<section class="lesson answers"><h1>答案：{title}</h1>'], None
    for place, details in taken:
        if place != last:
            parts.append(f"<h3>{place}</h3>")
        last = place
        summary = details.find("summary").extract().get_text()
        parts.append(f"<h4>{summary}</h4>{details.decode_contents()}")
    parts.append("</section>")
    if (folder / f"solutions/{name}.html").exists():
        parts.append(str(read(folder, f"solutions/{name}")))
    return "".join(parts)


def compose(folder: Path, names: list[str], with_answers: bool) -> str:
    """几课拼成的正文。"""
    body, end = [], []
    for name in names:
        article = read(folder, name)
        taken = fold(article)
        body.append(str(article))
        end.append(answers(folder, name, taken))
    return "".join(body + (end if with_answers else []))


def lessons(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("[0-9][0-9]_*.html"))


def write(folder: Path, numbers: list[str], with_answers: bool) -> list[Path]:
    """印出 PDF，返回各文件的路径。不写课号，就是整套课程一个文件。"""
    kind = "答案" if with_answers else "讲义"
    every = lessons(folder)
    jobs = {f"{name}-{kind}.pdf": [name] for name in every if name[:2] in numbers and name != SHEET}
    if not numbers:
        jobs = {f"sinpe-{kind}.pdf": every}
    if SHEET in every and (SHEET[:2] in numbers or not (numbers or with_answers)):
        jobs[f"{SHEET}.pdf"] = [SHEET]
    return [print_pdf(folder, file, names, with_answers) for file, names in jobs.items()]


def print_pdf(folder: Path, file: str, names: list[str], with_answers: bool) -> Path:
    from playwright.sync_api import sync_playwright

    title = read(folder, names[0]).find("h1").get_text() if len(names) == 1 else "sinpe：正弦位置编码"
    cover = ""
    if len(names) > 1:
        rows = "".join(f"<li>{read(folder, name).find('h1').get_text()}</li>" for name in names)
        cover = f'<section class="lesson cover"><h1>{title}</h1><ol>{rows}</ol></section>'
    draft = folder / "paper.html"
    body, style = cover + compose(folder, names, with_answers), "paper"
    if names == [SHEET]:
        style += " sheet"
    else:
        title += "（答案）" if with_answers else "（讲义）"
    draft.write_text(PAGE.format(title=title, style=style, body=body), encoding="utf-8")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
            page = browser.new_page()
            page.goto(draft.as_uri())
            page.evaluate("MathJax.startup.promise.then(() => null)")
            target = folder / file
            margin = {"top": "16mm", "bottom": "18mm", "left": "18mm", "right": "18mm"}
            page.pdf(
                path=target, format="A4", margin=margin, tagged=True, outline=True,
                display_header_footer=True, header_template="<span></span>", footer_template=FOOTER,
            )  # fmt: skip
            browser.close()
    finally:
        draft.unlink()
    return target


def chromium() -> str | None:
    """系统里的 Chromium；没有，就用 Playwright 自己装的（playwright install chromium）。"""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
