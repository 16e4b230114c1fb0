"""Binder 的配置：真的 repo2docker 认得出，postBuild 真的装得上。不需要 Docker 和网络。"""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import flit_core
import pytest
from packaging.requirements import Requirement
from traitlets.config import PyFileConfigLoader

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="Binder 是 Linux；repo2docker 在 Windows 上无法运行"),
    pytest.mark.dev("repo2docker"),
]


@pytest.fixture
def clone(copy_project, tmp_path):
    return copy_project(tmp_path / "clone")


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", **options)
    assert done.returncode == 0, done.stdout
    return done.stdout


def dockerfile(*options):
    """真的 repo2docker 打印的 Dockerfile 和它的说明；不建映像，不需要 Docker。"""
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", "--Repo2Docker.platform=linux/amd64"]
    return run(*command, *options)


def test_repo2docker_finds_python_the_environment_and_postbuild(clone):
    # 找不到配置时它不报错，只是悄悄用 Python 3.10、什么也不装，所以要读它打印的 Dockerfile
    printed = dockerfile("--user-id=1000", "--user-name=jovyan", str(clone))
    assert "Building conda environment for python=3.12\n" in printed
    assert 'env update -p ${NB_PYTHON_PREFIX} --file "binder/environment.yml"' in printed
    assert "RUN ./binder/postBuild\n" in printed
    # 先装好环境，再复制仓库，最后执行 postBuild：次序反了，postBuild 里就没有 flit-core 或没有仓库
    steps = ["environment-2epy-2d3-2e12", "env update", "COPY --chown=1000:1000 src/ ", "RUN ./binder/postBuild"]
    places = [printed.index(step) for step in steps]
    assert places == sorted(places)
    assert printed.index("USER ${NB_USER}", places[2]) < places[3]  # postBuild 不以 root 执行


def test_the_base_of_the_image_can_serve_a_class_and_meets_the_lower_bounds(pytestconfig):
    # TEACHING.md 说这个映像可以直接给 JupyterHub 用：靠的是 repo2docker 的底子里有 jupyterhub-singleuser
    base = Path(find_spec("repo2docker").origin).parent / "buildpacks/conda/environment.py-3.12-linux-64.lock"
    packages = dict(re.findall(r"/([\w.-]+)-([\d.]+)-\w+\.(?:conda|tar\.bz2)", base.read_text(encoding="utf-8")))
    assert "jupyterhub-singleuser" in packages
    project = tomllib.loads((pytestconfig.rootpath / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {
        requirement.name: requirement for requirement in map(Requirement, project["optional-dependencies"]["lab"])
    }
    for name in ("jupyterlab", "ipywidgets"):  # 底子里已有的，下限不该逼着 conda 再换一版
        assert packages[name] in wanted[name].specifier


def test_the_command_for_a_class_in_teaching_is_understood_by_repo2docker(pytestconfig, clone):
    readme = (pytestconfig.rootpath / "TEACHING.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^.*\bjupyter-repo2docker (--.*) \.$", readme, flags=re.MULTILINE)
    # 不认识的选项、不合规矩的映像名，它都会报错
    printed = dockerfile(*shlex.split(line), str(clone))
    assert "Building conda environment for python=3.12\n" in printed
    assert "COPY --chown=1000:1000 src/ " in printed  # JupyterHub 的 Helm chart 以 1000 号用户启动容器


def test_postbuild_installs_the_package_and_takes_over_the_settings_of_jupyterlab(clone, tmp_path):
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
    for plugin, settings in overrides.items():
        extension, _, name = plugin.partition(":")
        schema = Path(sys.prefix, lab, "schemas", extension, f"{name}.json")
        # 名字写错的设置，JupyterLab 会默默忽略
        assert settings.keys() <= json.loads(schema.read_text(encoding="utf-8"))["properties"].keys()
    assert overrides["@jupyterlab/translation-extension:plugin"] == {"locale": "zh_CN"}
    assert "zh_CN" in entry_points(group="jupyterlab.languagepack").names
    config = prefix / "etc/jupyter/jupyter_server_config.py"
    loaded = PyFileConfigLoader(config.name, str(config.parent)).load_config()
    assert callable(loaded.ContentsManager.pre_save_hook)
    assert "root_dir" not in loaded.ServerApp  # Binder 和 JupyterHub 自己定
