"""Binder 的配置：真的 repo2docker 认得出，postBuild 真的装得上。不需要 Docker 和网络。"""

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import flit_core
import pytest

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="Binder 是 Linux；repo2docker 在 Windows 上无法运行"),
    pytest.mark.dev("repo2docker"),
]


@pytest.fixture
def clone(project_files, pytestconfig, tmp_path):
    """仓库的一份干净副本；符号链接照旧是符号链接。"""
    for path in project_files:
        copy = tmp_path / "clone" / path.relative_to(pytestconfig.rootpath)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy, follow_symlinks=False)
    return tmp_path / "clone"


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", **options)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_repo2docker_finds_python_the_environment_and_postbuild(clone):
    # 找不到配置时它不报错，只是悄悄用 Python 3.10、什么也不装，所以要读它打印的 Dockerfile
    options = ("--no-build", "--debug", "--user-id=1000", "--user-name=jovyan", "--Repo2Docker.platform=linux/amd64")
    printed = run(sys.executable, "-m", "repo2docker", *options, str(clone))
    assert "Building conda environment for python=3.12\n" in printed
    assert 'env update -p ${NB_PYTHON_PREFIX} --file "binder/environment.yml"' in printed
    assert "RUN ./binder/postBuild\n" in printed


def test_postbuild_installs_the_package_and_switches_the_menus_to_chinese(clone, tmp_path):
    prefix = tmp_path / "prefix"
    run(sys.executable, "-m", "venv", str(prefix))
    (tmp_path / "conda").mkdir()
    (tmp_path / "conda" / "flit_core").symlink_to(Path(flit_core.__file__).parent)
    environment = os.environ | {
        "NB_PYTHON_PREFIX": str(prefix),
        "PATH": f"{prefix / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(tmp_path / "conda"),  # 那里只有 flit-core；少写 --no-deps 就会去找 numpy，
        **{"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull},  # 没处可找，于是失败
    }
    run("./binder/postBuild", cwd=clone, env=environment)

    program = "from importlib.util import find_spec; print(find_spec('sinpe').origin)"
    where = run("python", "-P", "-c", program, cwd=tmp_path, env=environment)
    assert where == f"{clone / 'sinpe' / '__init__.py'}\n"

    lab = "share/jupyter/lab"
    overrides = json.loads((prefix / lab / "settings/overrides.json").read_text(encoding="utf-8"))
    ((plugin, settings),) = overrides.items()
    extension, _, name = plugin.partition(":")
    schema = Path(sys.prefix, lab, "schemas", extension, f"{name}.json")
    # 名字写错的设置，JupyterLab 会默默忽略
    assert settings.keys() <= json.loads(schema.read_text(encoding="utf-8"))["properties"].keys()
    assert settings["locale"] == "zh_CN"
    assert "zh_CN" in entry_points(group="jupyterlab.languagepack").names
