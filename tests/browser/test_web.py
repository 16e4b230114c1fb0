"""网页版与讲义：照 README 的命令写成，在真的浏览器里打开，一页一页地看。

写网页的是仓库的一份副本，里面多放一本 98 课：各种格子、活的图、练习都有，课程里还没有的也先试到。
"""

import math
import re
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import nbformat
import pytest

import notebooks

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="浏览器测试只在 Linux 上运行"),
    pytest.mark.dev("sphinx", "myst_nb", "sphinx_book_theme", "vl_convert", "mathjax", "pypdf"),
]
if find_spec("sphinx") and find_spec("bs4"):
    import web
    from web import hands

VEGA = {  # 一个滑块，一个圆点：拖动滑块，圆点移动
    "$schema": "https://vega.github.io/schema/vega/v5.json",
    "width": 300,
    "height": 60,
    "description": "</script><b>不许跑出来</b>",
    "signals": [{"name": "k", "value": 2, "bind": {"input": "range", "min": 0, "max": 10, "step": 1, "name": "平移 "}}],
    "marks": [
        {
            "type": "symbol",
            "encode": {
                "update": {"x": {"signal": "30 * k"}, "y": {"value": 30}, "size": {"value": 400}},
                "enter": {"fill": {"value": "#0072B2"}},
            },
        }
    ],
}
DOT = (  # 1 × 1 的 PNG
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
LONG = "total = np.testing.assert_allclose(np.arange(10)[:, None] * 2, np.arange(0, 20, 2)[:, None])  # 容差是零"
WIDER = f"{'a_long_name = another_name + ' * 4}1  # 这一行有一百二十列，纸上要折成两行"
SAMPLE = [
    nbformat.v4.new_markdown_cell(
        "# 98 样本课\n\n一句话。\n\n| | |\n|---|---|\n| 你将做出 | 一幅活的图 |\n| 你将学会 | 拖动 |\n"
        "| 需要先会 | 无 |\n| 预计用时 | 阅读 5 分钟，练习 5 分钟 |\n"
        "| 上一课 · 下一课 | 无 |\n\n选中一格，按 Shift+Enter 运行。"
    ),
    nbformat.v4.new_markdown_cell(
        "## 1 活的图\n\n量子纠缠只在这里出现。行内 $x^2$，很长的一个 `" + "abc_" * 30 + "`。"
    ),
    nbformat.v4.new_code_cell(
        "live.hands()",
        execution_count=1,
        outputs=[
            nbformat.v4.new_output(
                "execute_result",
                {"application/vnd.vega.v5+json": VEGA, "image/png": DOT, "text/plain": "一个圆点，随滑块左右移动。"},
                metadata={"image/png": {"width": 300, "height": 60}},
                execution_count=1,
            )
        ],
    ),
    nbformat.v4.new_code_cell(
        f"# 核对：正文里的数\n{LONG}\n{WIDER}\nprint('已核对：两个数')",
        execution_count=2,
        metadata={"tags": ["hide-input"], "jupyter": {"source_hidden": True}, "cellView": "form"},
        outputs=[nbformat.v4.new_output("stream", name="stdout", text="已核对：两个数\n")],
    ),
    nbformat.v4.new_markdown_cell("$$" + " + ".join(f"\\cos(\\omega_{{{i}}} k)" for i in range(12)) + "$$"),
    nbformat.v4.new_markdown_cell(
        "## 练习\n\n**练习 98-1（写代码 · 容易 · 5 分钟）**。写一个函数。\n\n<details><summary>提示一</summary>\n\n"
        "提示的内容：先转置。\n\n</details>\n\n<details><summary>选读</summary>\n\n选读的内容照印。\n\n</details>"
    ),
    nbformat.v4.new_code_cell(
        "def f(x):\n    return ...\n\n\nexercises.check_f(f)",
        execution_count=3,
        outputs=[
            nbformat.v4.new_output(
                "display_data",
                {
                    "text/html": '<div class="card-98">练习 98-1：尚未作答</div>',
                    "text/plain": "练习 98-1：尚未作答",
                    "application/vnd.sinpe.check+json": {"exercise": "98-1", "state": "blank"},
                },
            )
        ],
    ),
    nbformat.v4.new_markdown_cell("**练习 98-2（说明理由 · 中等 · 5 分钟）**。说明理由。"),
]

# 页面里的字，去掉代码、公式和给屏幕阅读器的那份公式
VISIBLE = """() => {
  const copy = document.querySelector("article").cloneNode(true);
  copy.querySelectorAll("pre, code, mjx-container, script, style").forEach(node => node.remove());
  return copy.textContent;
}"""
# 宽与高之比差了百分之二以上的图：缩窄了，却没有跟着变矮；整数的像素至多差一两个
OUT_OF_SHAPE = """[...document.querySelectorAll('.bd-article img')].filter(img => {
  const box = img.getBoundingClientRect()
  const stretch = box.width / box.height / (img.naturalWidth / img.naturalHeight)
  return img.naturalWidth && box.width && Math.abs(stretch - 1) > 0.02
}).map(img => img.alt)"""
# 撑宽页面的东西。自己能左右滚的、滑在屏幕外面的侧栏不算
WIDER_THAN_THE_PAGE = """() => document.documentElement.scrollWidth > innerWidth
  ? [...document.querySelectorAll("article *")]
      .filter(node => node.getBoundingClientRect().right > innerWidth + 1).map(node => node.outerHTML.slice(0, 99))
  : []"""
CONTRAST = """() => {
  const light = color => {
    const [r, g, b] = color.match(/[\\d.]+/g).map(Number);
    return .299 * r + .587 * g + .114 * b;
  };
  const back = node => { for (; node; node = node.parentElement) {
    const color = getComputedStyle(node).backgroundColor;
    if (!/, 0\\)|transparent/.test(color)) return light(color); } };
  return [...document.querySelectorAll("article p, article pre, article td, nav.bd-links a")]
    .map(node => [light(getComputedStyle(node).color), back(node)]);
}"""


@pytest.fixture(scope="module")
def clone(copy_project, tmp_path_factory):
    folder = copy_project(tmp_path_factory.mktemp("web") / "clone")
    nb = nbformat.v4.new_notebook(cells=SAMPLE, metadata=notebooks.METADATA)
    (folder / "notebooks" / "98_sample.ipynb").write_bytes(notebooks.dump(nb))
    return folder


def command(clone, *arguments):
    done = subprocess.run([sys.executable, "tools/web", *arguments], cwd=clone, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def edition(clone):
    """写出的网页。路径里有空格和汉字：读者会把它拷到任何地方。"""
    folder = clone.parent / "网页 版"
    count = len(web.sources()) + 2  # 目录，98 课
    assert command(clone, "--to", str(folder)) == f"写好了 {count} 页，从 {folder / 'index.html'} 读起。\n"
    return folder


def load(chromium, path, **options):
    """打开一页，等公式排好。它发的请求记在 ``page.outside``，报的错记在 ``page.problems``。"""
    page = chromium.new_page(**options)
    page.outside, page.problems = [], []
    page.on("request", lambda sent: sent.url.startswith(("file:", "data:")) or page.outside.append(sent.url))
    page.on("console", lambda message: message.type in ("error", "warning") and page.problems.append(message.text))
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.goto(path if isinstance(path, str) else path.as_uri())
    page.evaluate("window.MathJax?.startup?.promise.then(() => null)")
    return page


PAGES = [*(web.sources() if "web" in globals() else ()), "index", "98_sample"]


@pytest.fixture(params=PAGES, scope="module")
def name(request):
    return request.param


@pytest.fixture(scope="module")
def page(name, edition, chromium):
    page = load(chromium, edition / f"{name}.html", viewport={"width": 1280, "height": 1000})
    yield page
    page.close()


@pytest.fixture
def book(name, clone):
    """这一页显示的笔记本；不是笔记本的页面没有。"""
    path = clone / "notebooks" / f"{name}.ipynb"
    if not path.exists():
        pytest.skip("这一页不是笔记本")
    return notebooks.Book(notebooks.load(path), path)


def test_a_page_asks_nobody_outside_and_meets_no_error(page):
    assert page.outside == []
    assert page.problems == []


def test_every_formula_is_typeset(page, book):
    spans = [span for cell in book.text for span in notebooks.SPAN.finditer(cell.source)]
    assert page.locator("article mjx-container").count() == sum(bool(s["math"] or s["display"]) for s in spans)
    assert page.locator("mjx-merror, [data-mml-node=merror]").count() == 0


def test_no_markup_is_left_in_the_text_and_no_key_is_told(page):
    visible = page.evaluate(VISIBLE)
    assert len(visible) > 100
    for mark in ("$", "**", "\\", "`", "](", "Shift+", "Enter"):  # 键的名字；Shift 一个词也出现在论文的题目里
        assert mark not in visible, visible[max(0, visible.index(mark) - 40) :][:80]


def test_every_picture_is_drawn_and_described(page, book):
    pictures = page.locator("article div.cell_output img").evaluate_all("all => all.map(i => [i.alt, i.naturalWidth])")
    assert [alt for alt, _ in pictures] == [web.caption(cell) for cell in book.code for _ in cell.pictures]
    for alt, width in pictures:
        assert len(alt) > 8, alt
        assert not re.search(r"[*`$]", alt), alt
        assert width > 0


def test_headings_come_in_order(page):
    levels = (
        page.locator("article").locator("h1, h2, h3, h4, h5, h6").evaluate_all("all => all.map(h => +h.tagName[1])")
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(lower <= upper + 1 for upper, lower in pairwise(levels))


def test_the_page_tells_its_language_and_title(page):
    assert page.locator("html").get_attribute("lang") == "zh-CN"
    assert page.title().startswith(page.locator("article h1").evaluate("h => h.firstChild.textContent").strip())


def test_links_lead_somewhere(page, edition):
    links = page.locator("a[href]").evaluate_all("all => all.map(a => a.href)")
    assert links
    for link in links:
        url = urlsplit(link)
        if url.scheme == "file":
            target = Path(unquote(url.path))
            assert target.is_file(), link
            assert target.is_relative_to(edition), link
            if url.fragment and target.suffix == ".html" and url.fragment != "main-content":
                html = target.read_text(encoding="utf-8")
                assert f'id="{unquote(url.fragment)}"' in html or f'id="{url.fragment}"' in html, link


def test_the_page_downloads_the_notebook_itself(page, book, edition):
    link = page.locator("p.download a").evaluate("a => a.href")
    assert Path(unquote(urlsplit(link).path)).read_bytes() == book.path.read_bytes()


@pytest.mark.parametrize("width", [390, 360])
def test_a_phone_need_not_scroll_sideways(page, width):
    page.set_viewport_size({"width": width, "height": 844})
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 1280])
def test_a_picture_keeps_its_shape(page, width):
    page.set_viewport_size({"width": width, "height": 844})
    assert page.evaluate(OUT_OF_SHAPE) == []


def test_the_page_is_light_or_dark_as_the_system_is(page):
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(f"document.documentElement.dataset.theme === '{scheme}'")
        page.wait_for_timeout(300)  # 颜色是渐变过去的
        for text, back in page.evaluate(CONTRAST):
            assert (text - back > 90) if scheme == "dark" else (back - text > 90)


def test_pictures_of_each_page_are_taken(page, name):
    """供人看：宽屏、手机，浅色、深色。"""
    folder = notebooks.ROOT / ".screenshots" / "web"
    for kind, width, scheme in (("light", 1280, "light"), ("dark", 1280, "dark"), ("phone", 390, "light")):
        page.set_viewport_size({"width": width, "height": 1000})
        page.emulate_media(color_scheme=scheme)
        path = folder / f"{name.replace('/', '-')}-{kind}.png"
        page.screenshot(path=path, full_page=True)
        assert path.stat().st_size > 10_000


# ---------------------------------------------------------------- 整套


def test_nothing_is_fetched_from_elsewhere_even_later(edition):
    for path in edition.rglob("*.html"):
        html = path.read_text(encoding="utf-8")
        assert not re.findall(r"""<(?:script|img|link|iframe)[^>]+(?:src|href)=["'](?:https?:)?//[^"']+""", html), path
    for path in (edition / "_static").rglob("*.css"):
        assert not re.findall(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", path.read_text(encoding="utf-8")), path


def test_a_reader_walks_from_the_index_through_the_lessons(edition, chromium):
    page = load(chromium, edition / "index.html")
    cards = page.locator(".card b").all_inner_texts()
    assert cards == sorted(cards)
    with page.expect_navigation():  # 点了以后要等它换页；旧页上也有“下一页”
        page.click(".card >> nth=0")
    walked = []
    while page.locator(".right-next").count():
        walked.append(page.locator("article h1").evaluate("h => h.textContent.slice(0, 2)"))
        page.goto(page.locator(".right-next").evaluate("a => a.href"))  # 照着“下一页”走，等它读完
    assert walked == cards
    assert page.url.endswith("/glossary.html")
    page.close()


TEXTS = "() => document.querySelector('article').textContent"


@pytest.mark.parametrize(
    "words", ["自注意力", "角频率", "float16", "旋转矩阵", "词嵌入", "量子纠缠", "d_model", "Float16 误差"]
)
def test_search_finds_every_page_that_says_it(words, edition, chromium):
    page = load(chromium, f"{(edition / 'search.html').as_uri()}?q={words}")
    page.wait_for_function("document.querySelector('.search-summary')?.innerText")
    found = page.locator("ul.search > li > a").evaluate_all("all => all.map(a => a.href.split('#')[0].split('?')[0])")
    assert (page.outside, page.problems) == ([], [])
    page.close()
    prose = {}
    for path in edition.rglob("*.ipynb"):
        if path.parent.name != "jupyter_execute":
            text = "".join(cell.source for cell in nbformat.v4.reads(path.read_text(encoding="utf-8")).cells)
            prose[(edition / path.relative_to(edition / "_sources")).with_suffix(".html").as_uri()] = text.lower()
    wanted = {uri for uri, text in prose.items() if all(word in text for word in words.lower().split())}
    assert wanted
    assert wanted <= set(found)
    if words == "量子纠缠":
        assert set(found) == wanted


def test_search_finds_nothing_where_there_is_nothing(edition, chromium):
    page = load(chromium, f"{(edition / 'search.html').as_uri()}?q=独角兽")
    page.wait_for_function("document.querySelector('.search-summary')?.innerText")
    assert page.locator("ul.search > li").count() == 0
    page.close()


# ---------------------------------------------------------------- 98 课


@pytest.fixture
def sample(edition, chromium):
    page = load(chromium, edition / "98_sample.html")
    yield page
    assert (page.outside, page.problems) == ([], [])
    page.close()


def test_a_live_picture_moves_while_the_slider_is_moved(sample):
    sample.wait_for_selector("figure.vega.live canvas")
    assert sample.locator("figure.vega > img").is_hidden()
    looks = [
        "document.querySelector('figure.vega canvas').toDataURL()",
        "document.querySelector('figure').view.signal('k')",
    ]
    before = [sample.evaluate(look) for look in looks]
    sample.wait_for_timeout(300)
    assert [sample.evaluate(look) for look in looks] == before  # 没有人动它，它不动
    slider = sample.locator("figure.vega input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    sample.wait_for_function("document.querySelector('figure').view.signal('k') === 3")
    sample.wait_for_timeout(200)
    assert sample.evaluate(looks[0]) != before[0]
    assert sample.locator("text=不许跑出来").count() == 0


def test_a_checking_cell_is_folded_and_can_be_opened(sample):
    assert sample.locator("text=已核对：两个数").last.is_visible()
    code = sample.locator("pre", has_text="assert_allclose")
    assert not code.is_visible()
    sample.click("details.hide > summary")
    assert code.is_visible()


def test_an_exercise_shows_its_card(sample):
    assert sample.locator(".card-98").inner_text() == "练习 98-1：尚未作答"


def test_a_printed_page_has_the_picture_and_no_side_bar(sample):
    sample.wait_for_selector("figure.vega.live canvas")
    sample.emulate_media(media="print")
    assert sample.locator("figure.vega > img").is_visible()
    assert sample.locator("figure.vega canvas").is_hidden()
    assert sample.locator(".bd-sidebar-primary").is_hidden()
    assert sample.locator("article pre").first.evaluate("pre => getComputedStyle(pre).whiteSpace") == "pre-wrap"


def test_the_drawing_of_the_front_page_is_that_of_the_script_and_small():
    for path, text in hands.drawings().items():
        assert path.read_text(encoding="utf-8") == text, f"运行 python tools/web/hands.py 重画 {path.name}"
        assert len(text.encode()) < 1_000_000


def test_the_drawing_moves_in_the_readme_and_rests_after_five_seconds_on_the_web(edition, chromium):
    page = load(chromium, (edition / "_static/hands-light.svg").as_uri())
    running = "document.getAnimations().map(a => a.effect.getComputedTiming()).map(t => [t.iterations, t.endTime])"
    assert {count for count, _ in page.evaluate(running)} == {math.inf}
    page.close()
    page = load(chromium, (edition / "_static/hands-light.svg").as_uri() + "#once")
    assert all(count == 1 and end <= 5000 for count, end in page.evaluate(running))
    page.close()
    still = load(chromium, (edition / "_static/hands-light.svg").as_uri(), reduced_motion="reduce")
    assert still.evaluate("document.getAnimations().filter(a => a.playState === 'running').length") == 0
    still.close()


# ---------------------------------------------------------------- 讲义


@pytest.fixture(scope="module")
def papers(edition, clone, chromium):
    """三个 PDF 的字，去掉空白和页脚：整套讲义，98 课的讲义和答案。"""
    from pypdf import PdfReader

    texts = {}
    for arguments in ([], ["98"], ["98", "00", "--answers"]):
        done = command(clone, "pdf", *arguments, "--to", str(edition))
        for file in re.findall(r"^写好了 (.*)。$", done, re.MULTILINE):
            reader = PdfReader(file)
            title, count = squeezed(reader.metadata.title), len(reader.pages)
            pages = [  # 页脚去掉，跨页的代码才接得上
                squeezed(page.extract_text()).replace(f"{title}·第{number}页，共{count}页", "")
                for number, page in enumerate(reader.pages, 1)
            ]
            texts[Path(file).stem] = SimpleNamespace(text="".join(pages), pages=reader.pages, raw=reader)
    return texts


def squeezed(text):
    return re.sub(r"\s", "", text)


def test_every_code_line_is_whole_on_paper(papers, clone):
    text = papers["sinpe-讲义"].text
    for path in sorted((clone / "notebooks").glob("[0-9]*.ipynb")):
        for cell in notebooks.Book(notebooks.load(path), path).code:
            if "exercises.progress" not in cell.source:
                for line in cell.source.splitlines():
                    assert squeezed(line) in text, f"{path.name}：{line}"


def test_a_sheet_is_a4_and_numbered(papers):
    for paper in papers.values():
        for number, page in enumerate(paper.pages, 1):
            assert [round(float(side) / 72 * 25.4) for side in page.mediabox[2:]] == [210, 297]
            assert f"第{number}页，共{len(paper.pages)}页" in squeezed(page.extract_text())


def test_the_cheatsheet_is_one_page_without_the_folded_code(papers):
    sheet = papers["91_cheatsheet"]
    assert len(sheet.pages) == 1
    assert "已核对" in sheet.text
    assert "assert_allclose" not in sheet.text
    assert "你将做出" not in sheet.text


def test_answers_are_only_in_the_edition_with_answers_and_at_its_end(papers, clone):
    handout, answers = papers["98_sample-讲义"].text, papers["98_sample-答案"].text
    assert "提示的内容" not in handout
    assert "提示一：见答案" in handout
    assert "选读的内容照印" in handout
    assert answers.index("答案：98样本课") < answers.index("提示的内容")
    solution = nbformat.v4.reads((clone / "notebooks/solutions/00_quickstart.ipynb").read_text(encoding="utf-8"))
    body = next(squeezed(cell.source) for cell in solution.cells if "def " in cell.source)
    assert body not in papers["sinpe-讲义"].text
    assert body in papers["00_quickstart-答案"].text


def test_a_lesson_that_does_not_exist_is_told(clone):
    done = subprocess.run(
        [sys.executable, "tools/web", "pdf", "55"], cwd=clone, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("没有第 55 课；有的是 00、01")


# ---------------------------------------------------------------- 链接的改写


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[甲](01_order_blindness.ipynb)", "[甲](01_order_blindness.ipynb)"),
        ("[甲](01_order_blindness.ipynb#1-两句话)", "[甲](01_order_blindness.ipynb#1-两句话)"),
        ("[甲](../GLOSSARY.md)", "[甲](glossary.md)"),
        ("[甲](#小结)", "[甲](#小结)"),
        ("[甲](https://example.org/a.ipynb)", "[甲](https://example.org/a.ipynb)"),
        ("见 [甲](../benchmarks/engine.py)。", "见 甲。"),
        ("`pe[0](1)` 与 pe[1]", "`pe[0](1)` 与 pe[1]"),
    ],
)
def test_links_are_changed_to_pages(link, expected):
    assert web.relink(link, notebooks.ROOT / "notebooks" / "00_quickstart.ipynb") == expected


def test_links_between_a_lesson_and_its_solution_stay():
    lesson, solution = (notebooks.ROOT / "notebooks" / name for name in ("00_quickstart.ipynb", "solutions/x.ipynb"))
    assert web.relink("[课](../00_quickstart.ipynb)", solution) == "[课](../00_quickstart.ipynb)"
    assert web.relink("[不存在](solutions/none.ipynb)", lesson) == "不存在"


def test_a_caption_is_told_without_markup():
    assert (
        web.plain("图 3：**最左**的 `omega` 是 $1$，见[下一课](04_x.ipynb)。") == "图 3：最左的 omega 是 1，见下一课。"
    )


def test_python_and_javascript_split_alike(edition, chromium):
    from web.extension import Pairs

    texts = ["自注意力 d_model=512、float16", "a角b频率c", "〇一", "一", "Σ β 10000^(2i/d)", "RoPE 旋转"]
    page = load(chromium, edition / "search.html")
    split = page.evaluate("all => all.map(text => splitQuery(text).map(word => word.toLowerCase()))", texts)
    page.close()
    assert split == [Pairs({}).split(text) for text in texts]
