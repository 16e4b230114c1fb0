"""离线网页版：一条命令写成，在真的浏览器里打开，一页一页地看。"""

import re
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import notebooks

pytestmark = pytest.mark.dev("nbconvert", "mathjax")
if find_spec("nbconvert") and find_spec("mathjax"):
    import offline

# 页面里的字，去掉代码、公式和给屏幕阅读器的那份公式
VISIBLE = """() => {
  const copy = document.querySelector("main").cloneNode(true);
  copy.querySelectorAll("pre, code, mjx-container, script, style").forEach(node => node.remove());
  return copy.textContent;
}"""


@pytest.fixture(scope="module")
def edition(tmp_path_factory):
    """用那一条命令写出的网页。路径里有空格和汉字：读者会把它拷到任何地方。"""
    folder = tmp_path_factory.mktemp("edition") / "网页 版"
    command = [sys.executable, str(notebooks.ROOT / "tools" / "offline.py"), str(folder)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    count = len(offline.SOURCES)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        f"写好了 {count} 页，从 {folder / 'index.html'} 读起。\n",
        "",
    )
    return folder


def load(chromium, path):
    """打开一页，等公式排好。它发的请求记在 ``page.outside``，报的错记在 ``page.problems``。"""
    page = chromium.new_page()
    page.outside, page.problems = [], []
    page.on("request", lambda sent: sent.url.startswith(("file:", "data:")) or page.outside.append(sent.url))
    page.on("console", lambda message: message.type in ("error", "warning") and page.problems.append(message.text))
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.goto(path.as_uri())
    page.evaluate("MathJax.startup.promise.then(() => null)")
    return page


SOURCES = sorted(offline.SOURCES) if "offline" in globals() else []


@pytest.fixture(params=SOURCES, ids=[str(offline.page_of(path)) for path in SOURCES], scope="module")
def source(request):
    return request.param


@pytest.fixture(scope="module")
def page(source, edition, chromium):
    page = load(chromium, edition / offline.page_of(source))
    yield page
    page.close()


@pytest.fixture
def book(source):
    (found,) = [book for path, book in offline.pages() if path == source]
    return found


def test_a_page_asks_nobody_outside_and_meets_no_error(page):
    assert page.outside == []
    assert page.problems == []


def test_every_formula_is_typeset(page, book):
    spans = [span for cell in book.text for span in notebooks.SPAN.finditer(cell.source)]
    assert page.locator("mjx-container").count() == sum(bool(span["math"] or span["display"]) for span in spans)
    assert page.locator("mjx-container svg").count() >= page.locator("mjx-container").count()
    assert page.locator("mjx-merror, [data-mml-node=merror]").count() == 0


def test_no_markup_is_left_in_the_text(page):
    visible = page.evaluate(VISIBLE)
    assert len(visible) > 100
    for mark in ("$", "**", "\\", "`", "]("):
        assert mark not in visible, visible[max(0, visible.index(mark) - 40) :][:80]


def test_every_picture_is_drawn_and_described(page, book):
    pictures = page.locator("main img").evaluate_all("all => all.map(i => [i.alt, i.naturalWidth, i.naturalHeight])")
    expected = [offline.caption(cell) for cell in book.code for _ in cell.pictures]
    assert [alt for alt, _, _ in pictures] == expected
    for alt, width, height in pictures:
        assert re.match(r"图 \d+：.{8,}|滑块停在初始值", alt), alt
        assert not re.search(r"[*`$]", alt), alt
        assert min(width, height) > 100


def test_headings_come_in_order(page):
    levels = page.locator("h1, h2, h3, h4, h5, h6").evaluate_all("all => all.map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(lower <= upper + 1 for upper, lower in pairwise(levels))


def test_the_page_tells_its_language_and_title(page):
    assert page.locator("html").get_attribute("lang") == "zh-CN"
    assert page.title() == page.locator("h1").evaluate("h => h.firstChild.textContent").strip()


def test_links_lead_somewhere(page, edition):
    links = page.locator("a[href]").evaluate_all("all => all.map(a => a.href)")
    assert links
    for link in links:
        url = urlsplit(link)
        if url.scheme == "file":
            target = Path(unquote(url.path))
            assert target.is_file(), link
            assert target.is_relative_to(edition), link
            assert target.suffix == ".html", link
            if url.fragment:
                html = target.read_text(encoding="utf-8")
                assert f'id="{unquote(url.fragment)}"' in html or f'id="{url.fragment}"' in html, link


def test_nothing_is_fetched_from_elsewhere_even_later(edition):
    files = [path for path in edition.rglob("*") if path.suffix in (".html", ".css")]
    assert len(files) > len(SOURCES)
    for path in files:
        found = re.findall(r"""(?:src|href)=["'](?:https?:)?//[^"']+|@import|url\(""", path.read_text(encoding="utf-8"))
        outgoing = [text for text in found if "src=" in text or "href=" not in text]  # 指向论文的链接，读者点了才去
        assert outgoing == []


def test_a_reader_walks_from_the_index_through_the_lessons(edition, chromium):
    page = load(chromium, edition / "index.html")
    page.click("main table a >> nth=0")
    assert page.locator("h1").inner_text().startswith("00 ")
    page.click("text=01 看见自注意力不分先后 >> nth=0")
    assert page.locator("h1").inner_text().startswith("01 ")
    page.click("nav a")
    assert page.url == (edition / "index.html").as_uri()
    page.close()


def test_the_index_leads_to_every_page(edition):
    html = (edition / "index.html").read_text(encoding="utf-8")
    for path in set(SOURCES) - {offline.INDEX}:
        assert f'href="{offline.page_of(path).as_posix()}"' in html, path.name


def test_every_slider_says_that_it_stands_still(edition):
    for path, book in offline.pages():
        live = sum(cell.is_live for cell in book.code)
        html = (edition / offline.page_of(path)).read_text(encoding="utf-8")
        assert html.count(f"（{offline.STILL}）") == live, path.name


# ---------------------------------------------------------------- 链接的改写


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[甲](01_order_blindness.ipynb)", "[甲](01_order_blindness.html)"),
        ("[甲](01_order_blindness.ipynb#1-两句话)", "[甲](01_order_blindness.html#1-两句话)"),
        ("[甲](../GLOSSARY.md)", "[甲](glossary.html)"),
        ("[甲](#小结)", "[甲](#小结)"),
        ("[甲](https://example.org/a.ipynb)", "[甲](https://example.org/a.ipynb)"),
        ("见 [甲](../benchmarks/engine.py)。", "见 甲。"),
        ("`pe[0](1)` 与 pe[1]", "`pe[0](1)` 与 pe[1]"),
    ],
)
def test_links_are_changed_to_pages(link, expected):
    assert offline.relink(link, notebooks.ROOT / "notebooks" / "00_quickstart.ipynb") == expected


def test_links_between_a_lesson_and_its_solution_are_changed_too():
    lesson, solution = (notebooks.ROOT / "notebooks" / name for name in ("00_quickstart.ipynb", "solutions/x.ipynb"))
    assert offline.relink("[课](../00_quickstart.ipynb)", solution) == "[课](../00_quickstart.html)"
    assert offline.relink("[不存在](solutions/none.ipynb)", lesson) == "不存在"


def test_a_caption_is_told_without_markup():
    assert (
        offline.plain("图 3：**最左**的 `omega` 是 $1$，见[下一课](04_x.ipynb)。")
        == "图 3：最左的 omega 是 1，见下一课。"
    )
