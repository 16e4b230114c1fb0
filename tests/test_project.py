"""仓库自身的约定：同一件事写在几处时，几处一致；README 说的都做得到；装好的包离开克隆也能用。"""

import doctest
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from urllib.parse import parse_qsl, unquote, urlsplit

import course
import pytest
import yaml
from flit_core import buildapi
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import sinpe


@pytest.fixture
def root(pytestconfig):
    return pytestconfig.rootpath


@pytest.fixture
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture
def readme(root):
    return (root / "README.md").read_text(encoding="utf-8")


def fenced_blocks(text):
    """Markdown 里的代码块：``(语言, 首行行号, 内容)``。"""
    for block in re.finditer(r"^```(\w*).*\n((?:.*\n)*?)```$", text, flags=re.MULTILINE):
        yield block[1], text.count("\n", 0, block.start(2)), block[2]


# ---------------------------------------------------------------- 版本与依赖


def bounds(project, requirements):
    """``{规范名: 版本范围}``；``sinpe[…]`` 换成它所指的附加依赖。"""
    found = {}
    for requirement in map(Requirement, requirements):
        if requirement.name == project["name"]:
            for extra in requirement.extras:
                found |= bounds(project, project["optional-dependencies"][extra])
        else:
            found[canonicalize_name(requirement.name)] = requirement.specifier
    return found


def test_conda_environment_has_the_names_and_bounds_of_pyproject(root, project):
    environment = yaml.safe_load((root / "environment.yml").read_text(encoding="utf-8"))
    python, *others = environment["dependencies"]  # 有 pip 小节时，bounds 会报错
    assert bounds(project, others) == bounds(project, [*project["dependencies"], "sinpe[lab,test]"])
    assert all(name == name.lower() for name in others)  # conda-forge 的包名一律小写
    assert re.fullmatch(r"python=3\.\d+", python)  # 只有这种写法，repo2docker 认得出 Python 版本
    assert environment["channels"] == ["conda-forge", "nodefaults"]


def test_citation_and_changelog_tell_the_version_of_the_package(root):
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == sinpe.__version__
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[?{re.escape(sinpe.__version__)}\b", changelog, flags=re.MULTILINE)


def test_license_names_both_licences_and_the_holder(root):
    text = (root / "LICENSE").read_text(encoding="utf-8")
    for phrase in ("MIT", "CC BY 4.0", "the sinpe authors"):
        assert phrase in text


# ---------------------------------------------------------------- README


@pytest.mark.parametrize("command", [r"jupyter lab .*?--config=(\S+) (\S+)", "pytest --nbval"])
def test_each_command_of_the_readme_is_one_line_in_a_block_of_its_own(readme, root, project, command):
    # 这里只读不运行；.ci/run 真的运行其中的测试命令
    line = rf'python3 -m venv \.venv && \.venv/bin/pip install -e "\.\[(\w+)\]" && \.venv/bin/{command}\n'
    (match,) = filter(None, (re.fullmatch(line, text) for _, _, text in fenced_blocks(readme)))
    extra, *files = match.groups()
    assert extra in project["optional-dependencies"]
    assert all((root / file).is_file() for file in files)


def test_examples_in_the_readme_print_what_it_shows(readme):
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for language, line, text in fenced_blocks(readme):
        if language == "python":
            example = doctest.DocTestParser().get_doctest(text, {}, "README.md", "README.md", line)
            assert example.examples, f"README.md 第 {line + 1} 行起的代码块没有 >>>，无从核对"
            runner.run(example)
    assert runner.tries > 0
    assert runner.failures == 0  # 差别见上面的输出


def test_the_readme_tells_the_address_of_pyproject_and_pretends_none(readme):
    assert readme == course.with_address(readme, course.address())
    for url in (None, "https://github.com/someone/course"):
        text = course.with_address(readme, url)
        assert ("git clone https://" in text) == ("mybinder.org/v2/" in text) == bool(url)
        assert course.with_address(text, course.address()) == readme  # 改得过去，也改得回来


def test_every_binder_badge_opens_a_file_that_exists(project_files, root, readme):
    texts = {path: path.read_text(encoding="utf-8") for path in project_files if path.suffix in (".md", ".ipynb")}
    texts["地址定了以后的 README"] = course.with_address(readme, "https://github.com/someone/course")
    badges = 0
    for path, text in texts.items():
        for query in re.findall(r"https://mybinder\.org/v2/[^\s)\"?]+\?([^\s)\"\\]+)", text):
            ((name, value),) = parse_qsl(query)  # 只有一个参数，已经解码
            target = value.removeprefix("lab/tree/") if name == "urlpath" else value
            assert name in ("urlpath", "labpath")
            assert (root / target).is_file(), f"{path} 的徽章打开 {target}，没有这个文件"
            badges += 1
    assert badges


def test_public_address_is_written_only_in_the_readme_and_in_pyproject(project_files, root):
    # 将来改名，只改 pyproject.toml，README 由 tools/course.py 改好；还没有定的时候，哪里都没有
    name = (course.address() or "https://github.com/sinpe-course/sinpe").removeprefix("https://github.com/").encode()
    places = {path.relative_to(root).as_posix() for path in project_files if name in path.read_bytes()}
    assert places - {"tests/test_project.py"} == ({"README.md", "pyproject.toml"} if course.address() else set())


def test_relative_links_in_markdown_lead_somewhere(project_files):
    broken = []
    for path in project_files:
        if path.suffix == ".md":
            text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
            for target in re.findall(r"\]\(<?([^\s)>]+)|(?:src|href)=\"([^\"]+)", text):
                url = urlsplit("".join(target))
                if not url.scheme and url.path and not (path.parent / unquote(url.path)).exists():
                    broken.append(f"{path}: {url.path}")
    assert not broken, "\n".join(broken)


def test_the_english_summary_is_short_and_in_english(readme):
    (summary,) = re.findall(r"^## In English\n\n((?:(?!## ).*\n?)+)", readme, re.MULTILINE)
    lines = [line for line in summary.splitlines() if line]
    assert 5 <= len(lines) <= 15
    assert summary.isascii()
    for word in ("Chinese", "Jupyter", "NumPy", "pytest --nbval", "MIT", "CC BY 4.0"):
        assert word in summary


# ---------------------------------------------------------------- 安装包


def test_wheel_has_the_whole_package_and_works_outside_the_clone(project_files, root, tmp_path, monkeypatch):
    # 可编辑安装读的就是克隆里的文件，会掩盖安装包里缺了字体这样的事
    monkeypatch.chdir(root)
    wheel = zipfile.ZipFile(tmp_path / buildapi.build_wheel(str(tmp_path)))
    files = {path.relative_to(root).as_posix() for path in project_files if root / "sinpe" in path.parents}
    assert files <= set(wheel.namelist())
    assert {"sinpe/py.typed", "sinpe/fonts/OFL.txt"} <= files
    assert any(re.fullmatch(r"sinpe/fonts/[^/]+\.otf", name) for name in files)

    target = tmp_path / "installed"
    wheel.extractall(target)  # 纯 Python 的安装包解压即是安装；uv 建的环境里没有 pip
    program = """
import sinpe
print(sinpe.__file__)
print(sinpe.sinusoidal_positional_encoding(5, 8).shape)
from sinpe.plotting import use_style
use_style()
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(target)},
        capture_output=True,
        encoding="utf-8",
    )
    assert (done.stdout, done.stderr) == (f"{target / 'sinpe' / '__init__.py'}\n(5, 8)\n", "")


# ---------------------------------------------------------------- CI 与 Binder 的脚本


def test_workflows_can_only_read_and_pin_every_action_to_a_commit(root):
    workflows = sorted((root / ".github" / "workflows").iterdir())
    assert workflows
    for path in workflows:
        text = path.read_text(encoding="utf-8")
        workflow = yaml.safe_load(text)
        assert workflow["permissions"] == {"contents": "read"}
        for name, job in workflow["jobs"].items():
            assert not {"container", "services"} & job.keys()
            # 发布网页要写的权限：只在 pages.yml，只给不运行仓库代码的那一步，只在推到 main 以后
            if (path.name, name) == ("pages.yml", "deploy"):
                assert job.pop("permissions") == {"pages": "write", "id-token": "write"}
                assert workflow[True] == {"push": {"branches": ["main"]}}  # YAML 把 on 读成 True
                assert not any("run" in step for step in job["steps"])
            assert "permissions" not in job
        for used in re.findall(r"\buses:\s*(\S+)", text):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", used)  # 标签可以改指别的提交，提交号不能
        # 别人发来的合并请求里的代码，不给它写的权限，也不给它口令
        assert not re.search(r"pull_request_target|workflow_run|\bsecrets\b", text)
        # 别人能写的文字（标题、分支名）若写进 run，就成了命令
        assert not re.search(r"\$\{\{\s*github\.(?:event|head_ref)", text)


@pytest.mark.parametrize("script", ["binder/postBuild", ".ci/run"])
def test_scripts_can_be_executed_on_linux(root, script):
    path = root / script
    assert b"\r" not in path.read_bytes()
    assert os.name == "nt" or os.access(path, os.X_OK)
