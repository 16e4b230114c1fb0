"""每一本笔记本，在真的 JupyterLab 里打开、全部运行，看页面上有没有不该有的东西。

判断写在 ``problems`` 一处；下面另有一组故意写坏的笔记本，一种毛病一本，看它是不是都抓得住。
"""

import math
import sys
import time
import urllib.error
import urllib.request
from urllib.parse import quote

import nbformat
import pytest

import notebooks

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
    if (!image.complete || !image.naturalWidth) return false;
    brush.clearRect(0, 0, 64, 64);
    brush.drawImage(image, 0, 0, 64, 64);
    const pixels = new Uint32Array(brush.getImageData(0, 0, 64, 64).data.buffer);
    return pixels.some(pixel => pixel !== pixels[0]);
  };
  const text = all('.jp-MarkdownOutput, .jp-RenderedHTMLCommon, .widget-label, .widget-html-content').map(area => {
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
    images: all('img').map(drawn),
    widgets: all('.jupyter-widgets').length,
    broken: /Error displaying widget|Loading widget|Error creating widget/.test(cell.textContent),
    complaints: all('[data-mime-type$="stderr"], [data-mime-type$="error"]').map(part => part.textContent.slice(0, 99)),
  };
})"""
# 滑块一格里的图和文字；滑块自己的读数总会变，不算
DRAWING = """handle => {
  const area = handle.closest('.jp-Cell').querySelector('.jp-Cell-outputArea').cloneNode(true);
  area.querySelectorAll('.widget-inline-hbox').forEach(part => part.remove());
  return area.textContent + [...area.querySelectorAll('img')].map(image => image.src);
}"""


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
        live = cell.is_code and cell.is_live
        if sight["broken"] or (live and not sight["widgets"]):
            yield f"{cell.where}的控件没有显示出来"


def dead_sliders(page, patience):
    """每个滑块走一步再退回来，每一步同一格里的图或文字都要跟着变。"""
    for handle in page.query_selector_all(".jp-Notebook .jp-Cell .noUi-handle"):
        at_the_end = handle.get_attribute("aria-valuenow") == handle.get_attribute("aria-valuemax")
        for key in ("ArrowLeft", "ArrowRight") if at_the_end else ("ArrowRight", "ArrowLeft"):
            before = handle.evaluate(DRAWING)
            handle.focus()
            handle.press(key)
            deadline, looks = time.monotonic() + patience, [before, before]
            # 重画时会先清空：变了，而且连看两次都一样，才算
            while not (looks[-2] == looks[-1] != before) and time.monotonic() < deadline:
                page.wait_for_timeout(200)
                looks.append(handle.evaluate(DRAWING))
            if looks[-1] == before:
                label = handle.evaluate("handle => handle.closest('.widget-inline-hbox').innerText")
                yield f"滑块没有重画：{' '.join(label.split())}"
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
SLIDER = "from ipywidgets import IntSlider, interact\nimport matplotlib.pyplot as plt\n\n\n"
GOOD = [
    text("## 好的\n\n**要点**：价格 `$5` 与 `**` 在代码里，公式 $x^2$。\n\n$$\\frac{1}{2}$$"),
    code(SLIDER + "plt.plot([0, 1])\nplt.show()", PICTURE),
    code(
        SLIDER + "def draw(k):\n    plt.plot([0, k])\n    plt.show()\n\n\n_ = interact(draw, k=IntSlider(2, 0, 2))",
        PICTURE,
    ),
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
        [code(SLIDER + "_ = plt.figure().set_facecolor('white')\nplt.show()", PICTURE)],
        "画出 0 张图，应有 1 张",
    ),
    "文字里的图不在": ([text("![图](nowhere.png)")], "第 1 个文字格画出 0 张图，应有 1 张"),
    "滑块不重画": ([code(SLIDER + "_ = interact(lambda k: print('不变'), k=IntSlider(1))")], "滑块没有重画"),
    "滑块只重画一次": (
        [code(SLIDER + "calls = []\n_ = interact(lambda k: print(len(calls[:1])) or calls.append(k), k=IntSlider(1))")],
        "滑块没有重画",
    ),
    "滑块的回调往 stderr 写": (
        [
            code(
                SLIDER + "import sys\n\nfrom ipywidgets import Output\n\nslider, area = IntSlider(1), Output()\n"
                "slider.observe(lambda change: area.append_stdout(f'{change.new}'), 'value')\n"
                "slider.observe(lambda change: sys.stderr.write('啊') and None, 'value')\ndisplay(slider, area)"
            )
        ],
        "内核往 stderr 写了或报错：啊",
    ),
    "控件的文字": (
        [code("from ipywidgets import Label\n\nLabel('角频率 $x')")],
        "第 1 个代码格露出了记号：角频率 $x",
    ),
    "公式没有排": ([text(r"角频率 \(\omega\)")], r"第 1 个文字格露出了记号：角频率 (\omega"),
    "滑块没有显示": ([code(SLIDER + "def interactive():\n    pass\n\n\ninteractive()")], "的控件没有显示出来"),
    "滑块一动就报错": (
        [code(SLIDER + "_ = interact(lambda k: print(1 / (1 - k)), k=IntSlider(0))")],
        "ZeroDivisionError",
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
