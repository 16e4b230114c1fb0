"""恶劣的环境里也要通过：没有网络，家目录只读、里面尽是捣乱的设置，区域是 C，路径里有空格和汉字，包装自 wheel。

全套测试在这样的地方连跑两遍，第二遍打乱 tests/ 的次序，两遍的结果要一样。几样恶劣合在一处，互不遮掩：
``CANARY`` 是放进副本的一个测试，先看那里是不是真的这么恶劣。
"""

import os
import subprocess
import sys
import sysconfig
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="要用 Linux 的命名空间断开网络、把家目录变成只读"),
    pytest.mark.dev("random_order", "xdist"),
]

# 一套新的网络里只有本机；家目录挂成只读，连 root 也写不进去
ISOLATE = 'ip link set lo up && mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
# 读者可能有的设置，个个都会改变输出。IPython 不理睬只读的目录，所以它的放在家目录外面
SETTINGS = {
    "家/.config/matplotlib/matplotlibrc": "figure.figsize: 1, 1\nno.such.key: 1\n",
    "家/.local/share/jupyter/kernels/python3/kernel.json": '{"argv": ["false"], "display_name": "坏", "language": "R"}',
    "ipython/profile_default/startup/00.py": "print('多出来的一行')",
    "ipython/profile_default/ipython_config.py": """
c = get_config()
c.InteractiveShell.ast_node_interactivity = "all"
c.InteractiveShellApp.exec_lines = ["import numpy; numpy.set_printoptions(precision=2)"]
c.InlineBackend.figure_formats = {"svg"}
""",
}
CANARY = """
import os, socket
from pathlib import Path

import pytest

import sinpe


def test_this_place_is_as_hostile_as_promised():
    with pytest.raises(OSError, match="unreachable"):
        socket.create_connection(("192.0.2.1", 80), timeout=5)
    with pytest.raises(OSError, match="Read-only"):
        (Path.home() / "new").touch()
    assert os.environ["LC_ALL"] == "C"
    # conftest.py 还没有动过的：两个进程一起跑时，在父进程那里
    process = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    given = Path(f"/proc/{process}/environ").read_text(encoding="utf-8").split("\\0")
    given = dict(line.partition("=")[::2] for line in given)
    assert given["MPLBACKEND"] == "Agg"
    assert Path(given["MATPLOTLIBRC"]).is_file()
    assert (Path(given["IPYTHONDIR"]) / "profile_default/startup/00.py").is_file()
    assert " " in __file__ and "课" in __file__
    assert "site-packages" in sinpe.__file__
"""


@pytest.fixture(scope="module")
def run_pytest(copy_project, wheel, tmp_path_factory):
    """返回一个函数：在恶劣的地方跑一次 pytest，返回 ``{测试: 结果}``。"""
    base = tmp_path_factory.mktemp("带 空格 的目录")
    home, clone, venv = base / "家", copy_project(base / "正弦 课程"), base / "环境 3"
    for name, content in SETTINGS.items():
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(content, encoding="utf-8")
    (clone / ".canary").mkdir()  # 点开头：它不算仓库自己的文件
    (clone / ".canary" / "test_canary.py").write_text(CANARY, encoding="utf-8")

    # 包装自 wheel；其余的包借用现在这个环境的，可编辑安装的 sinpe 不在其列
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    python = venv / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel]
    subprocess.run(install, check=True, stdout=subprocess.DEVNULL)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(venv), "platbase": str(venv)}))
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    (base / "tmp").mkdir()

    namespaces = ["unshare", "--net", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    probe = subprocess.run(
        [*namespaces, "sh", "-c", ISOLATE, "sh", home, "true"], capture_output=True, encoding="utf-8"
    )
    if probe.returncode:
        stop = pytest.fail if os.environ.get("SINPE_CI") else pytest.skip
        stop(f"开不了命名空间（要有 unshare、ip、mount 和相应的权限）：{probe.stderr.strip()}")

    def run(*arguments):
        report = base / "report.xml"
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "TMPDIR": str(base / "tmp"),
            "LANG": "C",
            "LC_ALL": "C",
            "IPYTHONDIR": str(base / "ipython"),
            "MPLBACKEND": "Agg",
            "MATPLOTLIBRC": str(home / ".config/matplotlib/matplotlibrc"),
            "PYTHONWARNINGS": "default",
        }
        # -P 与 importlib：不让克隆里的 sinpe/ 顶替装好的包
        command = [python, "-P", "-m", "pytest", "--import-mode=importlib", "-m", "not dev", f"--junitxml={report}"]
        command += ["-n", "2", "--dist", "loadfile"]  # 两个进程一起跑；一本笔记本的各格留在同一个进程里
        done = subprocess.run(
            [*namespaces, "sh", "-c", ISOLATE, "sh", home, *command, *arguments],
            cwd=clone,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stdout[-20_000:]
        cases = ElementTree.parse(report).iter("testcase")
        return {(case.get("classname"), case.get("name")): [part.tag for part in case] for case in cases}

    run.clone = clone
    return run


def contents(folder):
    """文件夹里的全部文件，缓存除外。"""
    found = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    ignored = {"__pycache__", ".pytest_cache", ".hypothesis", ".ipynb_checkpoints"}
    return {path: path.read_bytes() for path in found if not ignored & set(path.parts)}


def test_everything_passes_twice_in_a_hostile_place_and_any_order(run_pytest):
    before = contents(run_pytest.clone)
    once = run_pytest("--nbval", ".canary/test_canary.py", "tests/", "notebooks/", "--pyargs", "sinpe")
    assert [case for case, result in once.items() if "canary" in case[0] and result == []]
    assert len([case for case in once if case[1].startswith("Cell")]) > 100, "笔记本没有参加"
    assert [case for case, result in once.items() if "skipped" in result] == []  # 在这里跳过，就什么也没有证明
    # 笔记本的各格有先后，不能打乱
    again = run_pytest("tests/", "--random-order", "--random-order-bucket=global", "--random-order-seed=2017")
    again |= run_pytest("--nbval", ".canary/test_canary.py", "notebooks/", "--pyargs", "sinpe")
    assert again == once
    assert contents(run_pytest.clone) == before, "跑测试改动了仓库里的文件"
