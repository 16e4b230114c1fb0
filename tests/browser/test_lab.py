"""每一本笔记本，在真的 JupyterLab 里打开、全部运行，看页面上有没有不该有的东西。

判断写在 ``problems`` 一处；下面另有一组故意写坏的笔记本，一种毛病一本，看它是不是都抓得住。
"""

import math
import re
import sys
import time
import urllib.error
import urllib.request
from urllib.parse import quote

import nbformat
import pytest

import notebooks
from sinpe import live

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="浏览器测试只在 Linux 上运行"),
    pytest.mark.dev("playwright"),
]

PATIENCE = 20  # 秒。排版公式、画出控件都在运行之后，闲时不到 2 秒，忙时见过 8 秒；没有毛病就不必等
RUN_ALL = """async () => {
  const panel = window.jupyterapp.shell.currentWidget;
  await panel.context.ready;
  await panel.sessionContext.ready;
  window.complaints = [];  // 内核的抱怨，不论出自格子、控件的回调还是后台的线程；后两种不显示在格子里
  panel.sessionContext.iopubMessage.connect((_, {header, content}) => {
    if (header.msg_type === 'error') window.complaints.push(`${content.ename}: ${content.evalue}`);
    // 页面一打开，JupyterLab 就来找控件；那时还没有导入 ipywidgets，内核便说没有：与课无关
    const noise = /^No such comm/.test(content.text);
    if (header.msg_type === 'stream' && content.name === 'stderr' && !noise) window.complaints.push(content.text);
  });
  await window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs');  // 存下的图和序号不算数
  await window.jupyterapp.commands.execute('notebook:run-all-cells');
  return panel.content.model.toJSON().cells;
}"""
# 每一格在页面上的样子。图缩成小图再看：一张图只有一种颜色，就等于没有画
LOOK = r"""() => [...document.querySelectorAll('.jp-Notebook .jp-Cell')].map(cell => {
  const all = selector => [...cell.querySelectorAll(selector)];
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 64;
  const brush = canvas.getContext('2d', {willReadFrequently: true});
  const drawn = image => {
    if (image.tagName === 'IMG' && !(image.complete && image.naturalWidth)) return false;
    brush.clearRect(0, 0, 64, 64);
    brush.drawImage(image, 0, 0, 64, 64);
    const pixels = new Uint32Array(brush.getImageData(0, 0, 64, 64).data.buffer);
    return pixels.some(pixel => pixel !== pixels[0]);
  };
  const text = all('.jp-MarkdownOutput, .jp-RenderedHTMLCommon, .vega-bind-name').map(area => {
    const copy = area.cloneNode(true);
    copy.querySelectorAll('code, pre, mjx-container').forEach(part => part.remove());
    return copy.textContent;
  }).join('\n');
  return {
    rendered: text.trim() !== '' || all('.jp-MarkdownOutput mjx-container, .jp-MarkdownOutput code').length > 0,
    raw: text.match(/.{0,12}(\$|\*\*|\\).{0,12}/g) || [],
    // 不认得的命令，MathJax 不报错，只用红色照抄
    math: all('mjx-merror, [data-mjx-error], mjx-container [mathcolor="red"], mjx-container [style*="color: red"]')
      .map(part => part.getAttribute('data-mjx-error') || part.textContent || '红字'),
    images: all('img, .vega-embed canvas').map(drawn),
    sliders: all('.vega-embed input[type=range]').length,
    broken: /Javascript Error|Error displaying|Error rendering/.test(cell.textContent),
    complaints: all('[data-mime-type$="stderr"], [data-mime-type$="error"]').map(part => part.textContent.slice(0, 99)),
  };
})"""
# 一格里的会动的图此刻的样子
DRAWING = "handle => handle.closest('.vega-embed').querySelector('canvas').toDataURL()"


def open_notebook(page, lab, path):
    """打开一本笔记本，全部运行，返回运行后的各格。"""
    relative = quote(path.relative_to(lab.clone).as_posix())
    page.set_default_timeout(60_000)
    page.goto(f"{lab.url}doc/tree/{relative}?token={lab.token}&reset", wait_until="domcontentloaded")
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel")
    page.set_default_timeout(180_000)
    return page.evaluate(RUN_ALL)


def problems(page, lab, path, *, patience=PATIENCE, picture=None):
    """返回一本笔记本在页面上的全部毛病，一条一行；没有则为空。"""
    already = lab.outside.stat().st_size
    book = notebooks.Book(notebooks.load(path), path)
    cells = open_notebook(page, lab, path)
    found = [*problems_of_outputs(book, cells)]
    if not found:  # 运行停在半路时，页面上缺东西不另算一条
        found = settled(page, book, patience)
        if not found:
            found = [*dead_sliders(page, patience)] or settled(page, book, patience)  # 动过滑块以后再看一遍
        if not found:
            page.wait_for_timeout(1000)  # 后台的线程写得晚，内核又攒着一起送；忙的机器上要等它一下
        found = found or [f"内核往 stderr 写了或报错：{text[:200]}" for text in page.evaluate("window.complaints")]
    if picture:
        take_picture(page, picture)
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")  # 内核不留着占内存
    found += [f"页面向外请求 {url}" for url in page.context.outside]
    found += [f"内核向外连接 {host}" for host in lab.outside.read_text(encoding="utf-8")[already:].split()]
    return found


def settled(page, book, patience):
    """页面要过一会儿才画完：有毛病就再等等看，等不来才算数。"""
    deadline = time.monotonic() + patience
    while (found := [*problems_of_page(book, page.evaluate(LOOK))]) and time.monotonic() < deadline:
        page.wait_for_timeout(200)
    return found


def problems_of_outputs(book, cells):
    for cell, node in zip(book.cells, cells, strict=True):
        for output in node.get("outputs", []):
            if output["output_type"] == "error":
                yield f"{cell.where}报错：{output['ename']}: {output['evalue']}"
            if output.get("name") == "stderr":
                yield f"{cell.where}往 stderr 写了：{''.join(output['text'])[:200]}"
        if cell.is_code and cell.lines and node["execution_count"] is None:
            yield f"{cell.where}没有运行"


def problems_of_page(book, seen):
    if len(seen) != len(book.cells):
        yield f"页面上有 {len(seen)} 格，应有 {len(book.cells)} 格"
        return
    for cell, sight in zip(book.cells, seen, strict=True):
        if not cell.is_code and not sight["rendered"]:
            yield f"{cell.where}没有显示出来"
        for raw in sight["raw"]:
            yield f"{cell.where}露出了记号：{raw}"
        for error in sight["math"]:
            yield f"{cell.where}的公式有错：{error}"
        for text in sight["complaints"]:
            yield f"{cell.where}往 stderr 写了或报错：{text}"
        stored = len(cell.pictures) if cell.is_code else 0  # 存下几张图，页面上就该画出几张
        drawn, wanted = sum(sight["images"]), max(stored, len(sight["images"]))
        if drawn < wanted:
            yield f"{cell.where}画出 {drawn} 张图，应有 {wanted} 张"
        if sight["broken"] or (cell.is_code and cell.is_vega and not sight["sliders"]):
            yield f"{cell.where}的会动的图没有显示出来"


def dead_sliders(page, patience):
    """每个滑块走一步再退回来，每一步同一格里的图都要跟着变。"""
    for handle in page.query_selector_all(".jp-Notebook .vega-embed input[type=range]"):
        at_the_end = handle.evaluate("bar => bar.value === bar.max")
        for key in ("ArrowLeft", "ArrowRight") if at_the_end else ("ArrowRight", "ArrowLeft"):
            before = handle.evaluate(DRAWING)
            handle.focus()
            handle.press(key)
            deadline = time.monotonic() + patience
            while (after := handle.evaluate(DRAWING)) == before and time.monotonic() < deadline:
                page.wait_for_timeout(50)
            if after == before:
                yield f"滑块没有重画：{handle.get_attribute('aria-label')}"
                break


def take_picture(page, path):
    """把整本笔记本拍成图，供人看。浏览器的图最高 16384，再长就分几张，文件名末尾是 -2、-3……"""
    area = "document.querySelector('.jp-WindowedPanel-outer')"
    bottoms = "[...document.querySelectorAll('.jp-Cell')].map(cell => cell.getBoundingClientRect().bottom)"
    whole = f"Math.max(...{bottoms}) - {area}.getBoundingClientRect().top"
    page.evaluate(f"{area}.scrollTop = 0")
    around = f"innerHeight - {area}.clientHeight"  # 菜单和工具栏占的
    before, height = page.evaluate(around), int(min(max(1000, page.evaluate(whole) + 200), 16_000))
    page.set_viewport_size({"width": 1280, "height": height})
    page.wait_for_function(f"innerHeight === {height} && {around} === {before}")  # 版面过一会儿才跟着变高
    path.parent.mkdir(parents=True, exist_ok=True)
    for old in path.parent.glob(f"{path.stem}-*.png"):
        old.unlink()
    whole, shown = page.evaluate(f"[{whole}, {area}.clientHeight]")
    for part in range(math.ceil(whole / shown)):
        page.evaluate(f"{area}.scrollTop = {part * shown}")
        page.wait_for_timeout(500)
        page.screenshot(path=path.with_stem(f"{path.stem}-{part + 1}" if part else path.stem))


# ---------------------------------------------------------------- 课程


@pytest.mark.parametrize("path", notebooks.find(), ids=lambda path: path.relative_to(notebooks.ROOT).as_posix())
def test_notebook_runs_and_looks_right_in_jupyterlab(path, lab, new_page):
    inside = path.relative_to(notebooks.ROOT)
    # 解答与课同名，所以文件夹也照搬
    picture = notebooks.ROOT / ".screenshots" / inside.relative_to("notebooks").with_suffix(".png")
    found = problems(new_page(), lab, lab.clone / inside, picture=picture)
    assert not found, "\n".join(found)


def test_the_server_listens_on_this_machine_only_and_wants_its_token(lab):
    assert lab.host in ("localhost", "127.0.0.1")
    assert len(lab.token) >= 32
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{lab.url}api/contents", timeout=10)
    assert refused.value.code == 403
    refused.value.close()


# ---------------------------------------------------------------- 写坏的笔记本


def text(source):
    return nbformat.v4.new_markdown_cell(source)


def code(source, *outputs):
    return nbformat.v4.new_code_cell(source, outputs=list(outputs), execution_count=1)


PICTURE = nbformat.v4.new_output("display_data", {"image/png": "iVBORw0KGgo="})
PLOT = "import matplotlib.pyplot as plt\n\n\n"
LIVE = "from sinpe import live\n\n"
BROKEN_LIVE = "picture = live.similarity()\nspec = picture.spec\n"


def moving(picture):
    """一格会动的图，连同存下的输出。"""
    data, metadata = picture._repr_mimebundle_()
    output = nbformat.v4.new_output("execute_result", data, metadata=metadata, execution_count=1)
    return code(f"{LIVE}live.similarity()", output)


GOOD = [
    text("## 好的\n\n**要点**：价格 `$5` 与 `**` 在代码里，公式 $x^2$。\n\n$$\\frac{1}{2}$$"),
    code(PLOT + "plt.plot([0, 1])\nplt.show()", PICTURE),
    moving(live.similarity()),
]
# 毛病：（这本笔记本，报告里应有的话）
BROKEN = {
    "报错": ([code("1 / 0")], "第 1 个代码格报错：ZeroDivisionError"),
    "后面的格没有运行": ([code("raise SystemExit"), code("x = 1")], "第 2 个代码格没有运行"),
    "往 stderr 写": ([code("import sys\n\n_ = sys.stderr.write('啊')")], "第 1 个代码格往 stderr 写了：啊"),
    "美元号": ([text("价格是 $5，不是公式")], "第 1 个文字格露出了记号：价格是 $5"),
    "星号": ([text("**注意：**请看")], "第 1 个文字格露出了记号：**注意"),
    "公式写错": ([text(r"$\frac{1}$")], "第 1 个文字格的公式有错"),
    "不认得的命令": ([text(r"$\sine x$")], "第 1 个文字格的公式有错"),
    "图没有画": ([code("import matplotlib\n\nmatplotlib.use('agg')\nprint('图')", PICTURE)], "画出 0 张图，应有 1 张"),
    "图是空白": (
        [code(PLOT + "_ = plt.figure().set_facecolor('white')\nplt.show()", PICTURE)],
        "画出 0 张图，应有 1 张",
    ),
    "文字里的图不在": ([text("![图](nowhere.png)")], "第 1 个文字格画出 0 张图，应有 1 张"),
    "滑块不重画": (
        [code(LIVE + BROKEN_LIVE + "spec['signals'][3]['update'] = '64'  # 维数不听滑块的\npicture")],
        "滑块没有重画：维数",
    ),
    "后台往 stderr 写": (
        [code("import sys\nimport threading\n\nthreading.Timer(0.1, sys.stderr.write, ['啊']).start()"), code("1")],
        "往 stderr 写了",
    ),
    "滑块的名字": (
        [code(LIVE + BROKEN_LIVE + "spec['signals'][3]['bind']['name'] = '角频率 $x'\npicture")],
        "第 1 个代码格露出了记号：角频率 $x",
    ),
    "公式没有排": ([text(r"角频率 \(\omega\)")], r"第 1 个文字格露出了记号：角频率 (\omega"),
    "会动的图没有显示": (
        [
            code(
                LIVE + "picture = live.similarity()\npicture.spec['marks'] = 1  # Vega 读不懂\npicture",
                *moving(live.similarity()).outputs,
            )
        ],
        "第 1 个代码格画出 0 张图，应有 1 张",
    ),
    "页面连外网": ([text("![图](https://example.invalid/a.png)")], "页面向外请求 https://example.invalid/a.png"),
    "弹出的页面连外网": (
        [code("from IPython.display import Javascript\n\nJavascript('open(\"https://example.invalid/b\")')")],
        "页面向外请求 https://example.invalid/b",
    ),
    "内核连外网": (
        [
            code(
                "import socket\n\ntry:\n    socket.create_connection(('192.0.2.1', 80), 0.1)\nexcept OSError:\n    pass"
            )
        ],
        "内核向外连接 192.0.2.1",
    ),
}


def write(lab, cells):
    path = lab.clone / "notebooks" / "草稿.ipynb"
    nb = nbformat.v4.new_notebook(cells=cells, metadata=notebooks.METADATA)
    path.write_bytes(notebooks.dump(nb))
    return path


def test_a_good_notebook_has_no_problems_and_uses_the_package_of_the_copy(lab, new_page):
    where = code(f"import sinpe\n\nassert sinpe.__file__.startswith({str(lab.site)!r})")
    assert problems(new_page(), lab, write(lab, [*GOOD, where])) == []


@pytest.mark.parametrize(("paragraphs", "count"), [(300, 1), (800, 2)])
def test_the_pictures_show_a_long_notebook_once(paragraphs, count, lab, new_page, tmp_path):
    page, path = new_page(), write(lab, [text("一段。\n\n" * paragraphs)])
    assert problems(page, lab, path, picture=tmp_path / "长.png") == []
    assert sorted(picture.name for picture in tmp_path.iterdir()) == ["长-2.png", "长.png"][-count:]


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_notebook_is_noticed(name, lab, new_page):
    cells, message = BROKEN[name]
    page, path, found = new_page(), write(lab, cells), []
    for patience in (2, PATIENCE):  # 毛病总会等满；先少等，忙的机器上不够再多等
        if not [problem for problem in found if message in problem]:
            found = problems(page, lab, path, patience=patience)
    page.context.outside.clear()
    assert [problem for problem in found if message in problem], found


# ---------------------------------------------------------------- 会动的图

# 每画一帧看一次，记下不同的样子；stop() 之后交出张数
COUNT = """canvas => {
  const seen = new Set();
  let running = true;
  const look = () => { seen.add(canvas.toDataURL()); if (running) requestAnimationFrame(look); };
  requestAnimationFrame(look);
  window.stop_counting = () => { running = false; return seen.size; };
}"""
OUTPUTS = "() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells.map(cell => cell.outputs)"


def open_stored(page, lab, cells):
    """打开一本笔记本，什么也不运行；返回其中会动的图，每幅一个 ``.vega-embed``。"""
    path = write(lab, cells)
    page.goto(f"{lab.url}doc/tree/{quote(path.relative_to(lab.clone).as_posix())}?token={lab.token}&reset")
    page.wait_for_function(
        f"() => document.querySelectorAll('.vega-embed canvas').length === {len(cells)}", timeout=60_000
    )
    page.wait_for_timeout(1000)  # 版面停稳
    return page.query_selector_all(".jp-Notebook .vega-embed")


def drag(page, bar, steps=40):
    """用鼠标从一头拖到另一头；返回松手之前画出了几种样子。"""
    bar.scroll_into_view_if_needed()
    box, canvas = bar.bounding_box(), bar.evaluate_handle("bar => bar.closest('.vega-embed').querySelector('canvas')")
    middle, left, right = box["y"] + box["height"] / 2, box["x"] + 8, box["x"] + box["width"] - 8
    page.mouse.move(left, middle)
    page.mouse.down()
    canvas.evaluate(COUNT)
    for step in range(steps + 1):
        page.mouse.move(left + (right - left) * step / steps, middle)
        page.wait_for_timeout(16)
    frames = page.evaluate("window.stop_counting()")
    page.mouse.up()
    return frames


@pytest.fixture
def moving_pictures(lab, new_page):
    """四幅会动的图，由存下的输出打开，没有运行过。"""
    page = new_page()
    names = [name for name in live.__all__ if name != "Live"]
    return page, dict(zip(names, open_stored(page, lab, [moving(getattr(live, n)()) for n in names]), strict=True))


def test_the_stored_pictures_are_alive_before_anything_is_run(moving_pictures):
    page, pictures = moving_pictures
    canvases = [picture.query_selector("canvas") for picture in pictures.values()]
    before = [canvas.evaluate("canvas => canvas.toDataURL()") for canvas in canvases]
    page.wait_for_timeout(5500)  # WCAG 2.2.2：没有人要求，动就不许超过 5 秒；这里一动也不动
    assert [canvas.evaluate("canvas => canvas.toDataURL()") for canvas in canvases] == before

    frames = {}
    for name, picture in pictures.items():
        assert picture.query_selector("img") is None
        for bar in picture.query_selector_all("input[type=range]"):
            assert bar.bounding_box()["width"] >= 300
            stops = bar.evaluate("bar => Math.round((bar.max - bar.min) / bar.step) + 1")
            frames[name, bar.get_attribute("aria-label")] = drag(page, bar), stops
    # 拖一趟停四十一处，闲时处处都画出来；忙的机器也画得出十帧，滑块本身没有那么多格的，画出一半
    assert all(drawn >= min(10, stops / 2) for drawn, stops in frames.values()), frames
    assert page.evaluate("() => window.jupyterapp.shell.currentWidget.content.widgets[0].model.executionCount") == 1
    for name, outputs in zip(pictures, page.evaluate(OUTPUTS), strict=True):  # 看一看、拖一拖，存下的输出不变
        data, metadata = getattr(live, name)()._repr_mimebundle_()
        assert [(output["data"], output["metadata"]) for output in outputs] == [(data, metadata)]


def test_the_sliders_and_the_play_button_obey_the_keyboard(moving_pictures):
    page, pictures = moving_pictures
    assert [*dead_sliders(page, PATIENCE)] == []

    picture = pictures["hands"]
    canvas, play = picture.query_selector("canvas"), picture.query_selector("input[type=checkbox]")
    play.focus()
    canvas.evaluate(COUNT)
    play.press("Space")
    page.wait_for_timeout(3000)
    frames = page.evaluate("window.stop_counting()")
    assert frames >= 15, f"播放了 3 秒，只画出 {frames} 帧"
    play.press("Space")
    page.wait_for_timeout(200)
    before = canvas.evaluate("canvas => canvas.toDataURL()")
    page.wait_for_timeout(1000)
    assert canvas.evaluate("canvas => canvas.toDataURL()") == before, "停了，还在动"


def test_the_moving_pictures_are_readable_in_the_dark_theme(moving_pictures):
    page, pictures = moving_pictures
    page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
    page.wait_for_function("() => document.body.dataset.jpThemeLight === 'false'")
    page.wait_for_timeout(500)
    for picture in pictures.values():
        name = picture.query_selector(".vega-bind-name")
        color = name.evaluate("name => getComputedStyle(name).color")
        red, green, blue = map(int, re.findall(r"\d+", color)[:3])
        assert min(red, green, blue) > 150, f"深色页面上，滑块的名字是 {color}"
        corner = "canvas => [...canvas.getContext('2d').getImageData(2, 2, 1, 1).data]"
        assert picture.query_selector("canvas").evaluate(corner) == [255, 255, 255, 255]  # 白底，黑字看得清
    take_picture(page, notebooks.ROOT / ".screenshots" / "会动的图-深色.png")
    page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Light'})")
    page.wait_for_function("() => document.body.dataset.jpThemeLight === 'true'")
