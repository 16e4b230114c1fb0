"""让 ``pytest --nbval`` 在谁的机器上都得到同样的结果，并放置各测试文件共用的东西。

笔记本的内核是子进程，继承这里的环境变量，所以下面的设置在导入本文件时就生效，早于任何内核和画图。
"""

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


def pytest_runtest_setup(item):
    """``@pytest.mark.dev("模块")``：没有这个模块就跳过；.ci/run 设了 ``SINPE_CI``，那时跳过就是失败。"""
    missing = [name for mark in item.iter_markers("dev") for name in mark.args if find_spec(name) is None]
    if missing:
        stop = pytest.fail if os.environ.get("SINPE_CI") else pytest.skip
        stop(f'缺少 {"、".join(missing)}；装上再运行：pip install -e ".[dev]"')


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
