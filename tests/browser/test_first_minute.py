"""第一分钟：照 README 的命令打开教程，看见的是中文，打开一课什么也不做，文件不变。"""

import re
import shlex
import subprocess
import sys
from types import SimpleNamespace

import pytest

import notebooks

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="浏览器测试只在 Linux 上运行"),
    pytest.mark.dev("playwright"),
]


def git(folder, *arguments):
    name = ["-c", "user.name=读者", "-c", "user.email=reader@example.org"]
    done = subprocess.run(["git", *name, *arguments], cwd=folder, capture_output=True, encoding="utf-8", check=True)
    return done.stdout


@pytest.fixture(scope="module")
def opened(copy_project, server, tmp_path_factory):
    """README 的第一条命令打开的 JupyterLab，只是不另开浏览器；它要打开的网址在 ``start``。"""
    base = tmp_path_factory.mktemp("first")
    clone = copy_project(base / "clone")
    git(clone, "init", "--quiet")
    assert (clone / ".git").is_dir()  # 是副本自己的，不是指向原来的仓库：下面要提交，要还原
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--message=克隆")
    readme = (clone / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^python3 -m venv .*\.venv/bin/jupyter (lab .*)$", readme, re.MULTILINE)
    *options, file = shlex.split(line)
    command = [sys.executable, "-m", "jupyter", *options, file, "--no-browser"]
    with server(command, clone, base, {"PYTHONPATH": str(clone)}) as info:
        start = f"{info['url']}lab/tree/{file}?token={info['token']}"
        yield SimpleNamespace(clone=clone, start=start, log=base / "lab.log", file=file)


@pytest.fixture
def page(opened, new_page):
    page = new_page()
    page.set_default_timeout(120_000)
    page.goto(f"{opened.start}&reset", wait_until="domcontentloaded")  # 不接着上一页开着的东西
    page.wait_for_selector(".jp-MarkdownViewer td a")
    return page


def picture(page, name):
    folder = notebooks.ROOT / ".screenshots" / "lab"
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png")


def test_the_command_opens_the_contents_in_chinese_and_asks_nothing(page, opened):
    menus = page.eval_on_selector_all(".lm-MenuBar-itemLabel", "labels => labels.map(label => label.textContent)")
    assert {"文件", "编辑", "运行"} <= set(menus)
    page.wait_for_timeout(3000)  # 问要不要看新闻的，是几秒以后才跳出来的
    picture(page, "first")
    assert page.locator(".Toastify__toast, .jp-Dialog").count() == 0
    titles = page.locator(".jp-MarkdownViewer td a").all_inner_texts()
    assert titles == re.findall(
        r"^\| \[(.*?)\]", (opened.clone / opened.file).read_text(encoding="utf-8"), re.MULTILINE
    )
    assert all(re.match(r"\d\d .*[\u4e00-\u9fff]", title) for title in titles)
    assert "Traceback" not in opened.log.read_text(encoding="utf-8")


def test_opening_and_running_a_lesson_leaves_git_status_clean(page, opened):
    page.click(".jp-MarkdownViewer td a >> nth=0")
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel")
    # JupyterLab 把内核的信息写进了笔记本：没有这一句，下面的“干净”就什么也没有证明
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget.context.model.dirty")
    picture(page, "lesson")
    for command in ("docmanager:save", "notebook:run-all-cells", "docmanager:save"):
        page.evaluate(f"() => window.jupyterapp.commands.execute('{command}')")
        page.wait_for_timeout(500)
        if command == "docmanager:save":
            page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
            assert git(opened.clone, "status", "--porcelain") == ""
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")


def test_what_the_reader_writes_is_saved(page, opened):
    page.click(".jp-MarkdownViewer td a >> nth=1")
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel")
    page.evaluate(
        """async () => {
          const panel = window.jupyterapp.shell.currentWidget;
          panel.content.model.cells.get(0).sharedModel.setSource("读者改过");
          await window.jupyterapp.commands.execute('docmanager:save'); }"""
    )
    changed = git(opened.clone, "diff", "--name-only").split()
    assert len(changed) == 1, git(opened.clone, "diff")
    (path,) = changed
    saved = notebooks.load(opened.clone / path)
    assert saved.cells[0].source == "读者改过"
    assert saved.metadata == notebooks.METADATA
    git(opened.clone, "checkout", "--quiet", ".")


def test_links_to_the_glossary_work(page):
    page.click(".jp-MarkdownViewer a:has-text('术语表')")
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget.context.path === 'GLOSSARY.md'")
    page.wait_for_selector(".jp-MarkdownViewer h1:has-text('术语与记号')")
