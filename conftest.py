"""让 ``pytest --nbval`` 在谁的机器上都得到同样的结果，并放置各测试文件共用的东西。

笔记本的内核是子进程，继承这里的环境变量，所以下面的设置在导入本文件时就生效，早于任何内核和画图。
"""

import json
import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import environment
import pytest

environment.clean()

import matplotlib  # noqa: E402

matplotlib.use("agg")  # 测试本身不开窗口；内核不受影响，仍用它自己的 inline 后端


def pytest_unconfigure():
    environment.remove()


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """验课（--nbval）用上所有的核，一个文件的各格、各项留在同一个进程里；只跑几个测试时不值得另开进程。

    想自己定，就写 ``-n``；``-n 0`` 是不分进程。
    """
    option = config.option
    if "PYTEST_XDIST_WORKER" in os.environ:  # 已经是分出来的进程，或由它开的：再分就没有尽头了
        return
    if getattr(option, "nbval", False) and getattr(option, "numprocesses", 0) is None and not option.usepdb:
        option.numprocesses = "auto"
        option.maxprocesses = option.maxprocesses or 8  # 再多，启动的时间就比省下的多了
        if option.dist == "no":
            option.dist = "loadfile"


def pytest_terminal_summary(terminalreporter):
    """最后几行，读者看得懂的：几课、几格的输出比较过，几格是验证，什么没有做、为什么。"""
    if not getattr(terminalreporter.config.option, "nbval", False):
        return
    cells, other, broken = {}, 0, 0
    for kind in ("passed", "failed", "error", "xfailed", "xpassed"):
        for report in terminalreporter.stats.get(kind, []):
            path, _, name = report.nodeid.partition("::Cell ")
            if name:
                cells.setdefault(path, {}).setdefault(kind, []).append(int(name))
            else:
                other += kind == "passed"
                broken += kind in ("failed", "error")
    say = terminalreporter.write_line
    same = verified = finished = bad = 0
    for path, kinds in cells.items():
        sources = _code_cells(terminalreporter.config.rootpath / path)
        passed = [sources[k] for k in kinds.get("passed", [])]
        ignored = sum("nbval-ignore-output" in tags for _, tags in passed)
        finished += ignored
        same += len(passed) - ignored
        verified += sum(source.startswith(("# 验证：", "# 核对：")) for source, _ in passed)
        bad += sum(len(found) for kind, found in kinds.items() if kind != "passed")
    terminalreporter.section("验课的结果")
    if cells:
        lessons = sum("/solutions/" not in path for path in cells)
        say(f"课文 {lessons} 本，解答 {len(cells) - lessons} 本：重跑了 {same + finished + bad} 格，")
        say(f"  {same} 格的输出与存下的相同，其中 {verified} 格核对了正文里的话；{bad} 格不同或报错。")
        if finished:
            say(f"  另有 {finished} 格的输出每次不同（例如用时），只看它跑得完。")
    if other or broken:
        say(f"模块和工具的测试：{other} 项通过，{broken} 项没有通过。")
    reasons = {}
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons.setdefault(reason.removeprefix("Skipped: "), []).append(report)
    for reason, reports in sorted(reasons.items(), key=lambda pair: -len(pair[1])):
        say(f"没有做 {len(reports)} 项：{reason}")


def _code_cells(path):
    """代码格的源码和标签，次序就是 nbval 编的号。"""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [("".join(c["source"]), c["metadata"].get("tags", [])) for c in cells if c["cell_type"] == "code"]


def pytest_runtest_setup(item):
    """``@pytest.mark.dev("模块")``：没有这个模块就跳过；.ci/run 设了 ``SINPE_CI``，那时跳过就是失败。

    ``@pytest.mark.dev`` 不写模块的，查的是测试本身够不够严，结果不因机器而异：读者验课时（``--nbval``）不做，不必等。
    """
    marks = list(item.iter_markers("dev"))
    missing = [name for mark in marks for name in mark.args if find_spec(name) is None]
    if missing and os.environ.get("SINPE_CI"):
        pytest.fail(f'缺少 {"、".join(missing)}；装上再运行：pip install -e ".[dev]"')
    if missing:  # 不逐个列出：读者看一行就够
        pytest.skip('作者的检查，要多装些包；要做：pip install -e ".[dev]"')
    option = item.config.option
    if any(not mark.args for mark in marks) and getattr(option, "nbval", False) and not option.markexpr:
        pytest.skip("作者的检查，查测试本身够不够严；要做：pytest -m dev")


@pytest.fixture(scope="session")
def project_files(pytestconfig):
    """仓库自己的文件（绝对路径）：不含 .git、缓存和虚拟环境。不靠 git，所以下载的压缩包里也能用。"""
    found = []
    for folder, subfolders, names in os.walk(pytestconfig.rootpath):
        hidden = {name for name in subfolders if name.startswith(".")} - {".ci", ".github"}
        venvs = {name for name in subfolders if Path(folder, name, "pyvenv.cfg").exists()}
        subfolders[:] = set(subfolders) - hidden - venvs - {"__pycache__", "dist", "site"}
        found += [Path(folder, name) for name in names if name != ".git"]  # 在 git worktree 里，.git 是一个文件
    return sorted(found)


@pytest.fixture(scope="session")
def copy_project(project_files, pytestconfig):
    """返回一个函数：在指定的文件夹里放一份仓库的干净副本，返回这个文件夹；符号链接照旧是符号链接。"""

    def copy(target):
        for path in project_files:
            place = target / path.relative_to(pytestconfig.rootpath)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, place, follow_symlinks=False)
        return target

    return copy


@pytest.fixture(scope="session")
def wheel(copy_project, tmp_path_factory):
    """由一份干净副本构建的安装包。"""
    from flit_core import buildapi

    base = tmp_path_factory.mktemp("wheel")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(copy_project(base / "clone"))
        return base / buildapi.build_wheel(str(base))
