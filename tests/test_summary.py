"""验课怎样分给几个进程，末尾的几行说了什么；不分进程、进程套进程也一样。"""

import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import pytest
from nbformat import v4

import notebooks

pytestmark = pytest.mark.dev  # 每项都另开 pytest 和内核，读者验课不必等

TESTS = """\
import pytest

def test_good(): pass

def test_bad(): assert False

@pytest.mark.skip(reason="没有那台机器")
def test_skipped(): pass

@pytest.mark.skip(reason="没有那台机器")
def test_skipped_too(): pass
"""
INSIDE = """\
import os, subprocess, sys

def test_pytest_inside_pytest():
    command = [sys.executable, "-m", "pytest", "--nbval", "-v", "notebooks/solutions"]
    found = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=100)
    assert "PYTEST_XDIST_WORKER" in os.environ
    assert "1 passed" in found.stdout
    assert "worker" not in found.stdout
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """只有一课、一份解答、一个测试文件的小仓库，用真的 conftest.py 和设置。"""
    folder = tmp_path_factory.mktemp("仓库")
    for name in ("conftest.py", "pyproject.toml", "tools/environment.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(notebooks.ROOT / name, folder / name)
    (folder / "tests").mkdir()
    (folder / "tests" / "test_x.py").write_text(TESTS, encoding="utf-8")
    (folder / "inside.py").write_text(INSIDE, encoding="utf-8")
    (folder / "notebooks" / "solutions").mkdir(parents=True)
    output = v4.new_output("stream", text="2\n")
    right = v4.new_code_cell("# 验证：一加一\nprint(1 + 1)", outputs=[output], execution_count=1)
    wrong = v4.new_code_cell("print(1 + 2)", outputs=[output], execution_count=2)
    ran = v4.new_code_cell("print(id(3))", outputs=[output], execution_count=3)
    ran.metadata.tags = ["nbval-ignore-output"]
    cells = [right, v4.new_markdown_cell("话"), wrong, ran]
    nbformat.write(v4.new_notebook(cells=cells), folder / "notebooks" / "00_a.ipynb")
    nbformat.write(v4.new_notebook(cells=[right]), folder / "notebooks" / "solutions" / "00_a.ipynb")
    return folder


@pytest.fixture
def share_out(pytestconfig):
    """conftest.py 里分进程的那个函数。按路径取：importlib 的导入方式下导入不了，叫 conftest 的文件也不止一个。"""
    file = str(notebooks.ROOT / "conftest.py")
    (plugin,) = [p for p in pytestconfig.pluginmanager.get_plugins() if getattr(p, "__file__", None) == file]
    return lambda option: plugin.pytest_cmdline_main(SimpleNamespace(option=option))


def run(folder, *options):
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")} | {"PYTHONPATH": str(notebooks.ROOT)}
    command = [sys.executable, "-m", "pytest", "--nbval", "-p", "no:cacheprovider", *options]
    found = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, encoding="utf-8", timeout=200, check=False
    )
    return found.stdout


SAID = """\
课文 1 本，解答 1 本：重跑了 4 格，
  2 格的输出与存下的相同，其中 2 格核对了正文里的话；1 格不同或报错。
  另有 1 格的输出每次不同（例如用时），只看它跑得完。
模块和工具的测试：1 项通过，1 项没有通过。
没有做 2 项：没有那台机器
"""


@pytest.mark.parametrize("options", [("-n", "0", "-q"), ("-p", "no:xdist"), ()])
def test_the_last_lines_say_what_was_done(project, options):
    out = run(project, *options)
    assert SAID in out, out
    assert bool(re.search(r"\d workers? \[", out)) == (options == ()), out


def test_pytest_inside_a_worker_does_not_start_workers(project):
    out = run(project, "inside.py", "-o", "python_files=inside.py")
    assert "模块和工具的测试：1 项通过，0 项没有通过。" in out, out
    assert "课文" not in out  # 没有笔记本，就不说笔记本


@pytest.mark.parametrize(
    ("given", "environment", "expected"),
    [
        ({}, {}, ("auto", "loadfile", 8)),
        ({"dist": "worksteal"}, {}, ("auto", "worksteal", 8)),
        ({"numprocesses": 0}, {}, (0, "no", None)),
        ({"numprocesses": 3, "dist": "load"}, {}, (3, "load", None)),
        ({"nbval": False}, {}, (None, "no", None)),
        ({"usepdb": True}, {}, (None, "no", None)),
        ({}, {"PYTEST_XDIST_WORKER": "gw0"}, (None, "no", None)),
    ],
)
def test_processes_are_shared_out_once(given, environment, expected, monkeypatch, share_out):
    """分出来的进程里再有 --nbval，也不再分：不然进程开进程，没有尽头。"""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    option = SimpleNamespace(nbval=True, numprocesses=None, maxprocesses=None, dist="no", usepdb=False)
    vars(option).update(given)
    share_out(option)
    assert (option.numprocesses, option.dist, option.maxprocesses) == expected


def test_without_the_plugins_nothing_happens(share_out):
    option = SimpleNamespace(usepdb=False)
    share_out(option)
    assert vars(option) == {"usepdb": False}
