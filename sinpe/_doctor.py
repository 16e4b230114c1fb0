"""``python -m sinpe doctor``：逐项检查读课所需的环境，缺什么就说怎么补。"""

import os
import re
import shlex
import subprocess
import sys
import warnings
from importlib import metadata
from pathlib import Path

import sinpe

_GOOD, _NOTE, _BAD = "[好]", "[注意]", "[缺]"  # 不用颜色和符号：贴进报错的表单里也读得懂


class _Report:
    """边查边印；``ways`` 收集该怎么办，最后一起说。"""

    def __init__(self):
        self.ways = []

    def good(self, text: str) -> None:
        print(_GOOD, text)

    def note(self, text: str) -> None:
        print(_NOTE, text)

    def bad(self, text: str, way: str | None = None) -> None:
        print(_BAD, text)
        if way:
            self.ways.append(way)


def doctor() -> int:
    """查一遍，印出结果；全都正常返回 0，否则返回 1。"""
    report = _Report()
    try:
        clone = _find_clone(Path.cwd())
    except OSError:
        report.bad("当前文件夹已经不在了：被删除，或移到了别处")
        print("请先用 cd 换到课程的文件夹，再运行一次 doctor。")
        return 1
    report.good(f"Python {'.'.join(map(str, sys.version_info[:3]))}：{sys.executable}")
    _check_packages(report, clone)
    _check_font(report)
    _check_system_font(report)
    kernel = _check_kernel(report)
    _check_course(report, kernel, clone)
    if report.ways:
        print("请先处理上面的问题，再运行一次 doctor：")
        print(*(f"  {number}. {way}" for number, way in enumerate(report.ways, 1)), sep="\n")
        return 1
    notebook = clone / "notebooks" / "00_quickstart.ipynb" if clone else None
    if notebook and notebook.exists():
        print(f"打开教程：{_command('-m', 'jupyter', 'lab', '--allow-root', os.path.relpath(notebook))}")
    print("可以开始了。")
    return 0


def _find_clone(folder: Path) -> Path | None:
    """从 ``folder`` 往上找本课程的克隆。"""
    for parent in (folder, *folder.parents):
        project = parent / "pyproject.toml"
        if (parent / "sinpe" / "__init__.py").is_file() and project.is_file():
            if re.search(r'^name = "sinpe"$', project.read_text(encoding="utf-8"), re.MULTILINE):
                return parent
    return None


def _command(*arguments: str) -> str:
    """用这个 Python 运行的一条命令，可以原样粘贴。"""
    words = [sys.executable, *arguments]
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


# ------------------------------------------------------------------ 包


def _check_packages(report: _Report, clone: Path | None) -> None:
    """名字和下限取自安装时记下的 pyproject.toml，这里不另写一份。"""
    try:
        requirements = metadata.requires("sinpe")
    except metadata.PackageNotFoundError:
        where = f"在 {clone} 里" if clone else "在 sinpe 的克隆里"
        report.bad(
            "sinpe 没有安装，只是从当前文件夹读到的", f"{where}运行：{_command('-m', 'pip', 'install', '-e', '.[lab]')}"
        )
        return
    wanted = []
    for requirement in requirements or []:
        name, bound, marker = re.match(r"([\w.-]+)[^;\d]*([\d.]*)[^;]*(?:;(.*))?", requirement).groups()
        if marker and not re.search(r"""extra == ["']lab["']""", marker):
            continue
        found = _installed(name)
        if found is None:
            report.bad(f"{name}：没有安装")
        elif _numbers(found) < _numbers(bound):
            report.bad(f"{name} {found}：太旧，至少要 {bound}")
        else:
            report.good(f"{name} {found}")
            continue
        wanted.append(f"{name}>={bound}" if bound else name)
    if wanted:
        report.ways.append(f"装上缺的包：{_command('-m', 'pip', 'install', *wanted)}")


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> list[int]:
    """``"3.9.1rc1"`` 变成 ``[3, 9, 1]``。"""
    return [int(part) for part in re.match(r"[\d.]*", version)[0].split(".") if part]


# ------------------------------------------------------------------ 字体


def _check_font(report: _Report) -> None:
    """真的画出几个汉字：缺字时 matplotlib 只是警告，画出来的是方框。"""
    text = "位置编码"
    try:
        with warnings.catch_warnings(action="error"):
            import matplotlib
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure
            from matplotlib.font_manager import findfont

            from .plotting import use_style

            with matplotlib.rc_context():
                use_style()
                family = matplotlib.rcParams["font.family"][0]
                path = Path(findfont(family, fallback_to_default=False))
                pictures = []
                for content in (text, ""):
                    figure = Figure(figsize=(2, 1), layout="none")
                    figure.text(0.1, 0.5, content)
                    canvas = FigureCanvasAgg(figure)
                    canvas.draw()
                    pictures.append(bytes(canvas.buffer_rgba()))
    except ImportError as error:
        if (error.name or "").split(".")[0] == "matplotlib" and _installed("matplotlib") is None:
            report.bad("中文字体：要有 matplotlib 才能画")  # 怎么办已经说过
        else:
            report.bad(f"中文字体：导入不了 {error.name}（{error}）", _reinstall("matplotlib"))
    except Exception as error:  # 缺字的警告、找不到字体、坏掉的 matplotlib：都如实说
        report.bad(f"中文字体：画不出“{text}”（{type(error).__name__}: {error}）", _reinstall("matplotlib"))
    else:
        if pictures[0] == pictures[1]:
            report.bad(f"中文字体：画“{text}”，图上是空的", _reinstall("matplotlib"))
        else:
            report.good(f"中文字体：{family}（{path.name}），画出了“{text}”")


def _check_system_font(report: _Report) -> None:
    """网页里的汉字由系统的字体来画。浏览器在另一台机器上也行，所以缺了只提醒，不算不能开始。"""
    if sys.platform in ("win32", "darwin"):  # 这两个系统自带
        return
    try:
        done = subprocess.run(
            ["fc-list", ":lang=zh-cn", "family"], capture_output=True, encoding="utf-8", errors="replace", timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        report.note(
            "系统的中文字体：没有 fc-list（fontconfig），查不到。若网页里的汉字成了方框，装一个，例如 fonts-noto-cjk"
        )
        return
    families = [line.split(",")[0] for line in done.stdout.splitlines() if line.strip()]
    if families:
        report.good(f"系统的中文字体：{min(families)}")
    else:
        report.note(
            "系统的中文字体：没有。浏览器若在这台机器上，网页里的汉字会成为方框。装一个："
            "Debian、Ubuntu 用 sudo apt install fonts-noto-cjk，Fedora 用 sudo dnf install google-noto-sans-cjk-fonts，"
            "Arch 用 sudo pacman -S noto-fonts-cjk"
        )


def _reinstall(name: str) -> str:
    return f"重装：{_command('-m', 'pip', 'install', '--force-reinstall', name)}；若是 sinpe 的文件不全，重新克隆"


# ------------------------------------------------------------------ 内核与 sinpe


def _check_kernel(report: _Report) -> str:
    """笔记本写的内核名是 python3。返回它所用的 Python；查不到就当作这一个。"""
    try:
        from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
    except ImportError:
        report.bad("内核：要有 JupyterLab 才有")  # 怎么办已经说过
        return sys.executable
    try:
        spec = KernelSpecManager().get_kernel_spec("python3")
    except NoSuchKernel:
        report.bad("内核：没有名叫 python3 的", f"装上它：{_command('-m', 'pip', 'install', 'ipykernel')}")
        return sys.executable
    program = spec.argv[0]
    if re.fullmatch(r"python(3(\.\d+)?)?", program):  # 只写了名字的，启动时换成运行 Jupyter 的那个 Python
        program = sys.executable
    # 虚拟环境的 python 都是指向同一个文件的链接，所以比较的是环境的位置，不是文件
    prefix, error = _ask(program, "import sys, ipykernel; print(sys.prefix)", Path.cwd())
    if prefix is None:
        report.bad(f"内核 python3：启动不了（{error}）", f"把 {spec.resource_dir} 移到别处，它指向 {program}")
        return sys.executable
    if os.path.normcase(prefix) != os.path.normcase(sys.prefix):
        report.bad(
            f"内核 python3：用的是另一个 Python，{program}", f"把 {spec.resource_dir} 移到别处，它指向 {program}"
        )
    else:
        report.good("内核 python3：用的就是这个 Python")
    return program


def _check_course(report: _Report, kernel: str, clone: Path | None) -> None:
    """笔记本里 ``import sinpe`` 得到的是哪一份。问内核的 Python，而且在笔记本的文件夹里问。"""
    folder = clone / "notebooks" if clone and (clone / "notebooks").is_dir() else Path.cwd()
    way = _command("-m", "pip", "install", "-e", f"{clone}[lab]") if clone else "按 README 的两条命令安装"
    program = "import os, sinpe; print(os.path.dirname(os.path.abspath(sinpe.__file__)))"
    found, error = _ask(kernel, program, folder)
    if found is None:
        report.bad(f"sinpe：笔记本里导入不了（{error}）", f"安装它：{way}")
    elif clone is None:
        report.good(f"sinpe {sinpe.__version__}：{found}（当前文件夹不在克隆里）")
    elif os.path.realpath(found) == os.path.realpath(clone / "sinpe"):
        report.good(f"sinpe {sinpe.__version__}：笔记本里用的就是克隆里的这一份")
    else:
        report.bad(f"sinpe：笔记本里用的是 {found}，不是克隆里的这一份", f"改用克隆里的：{way}")


def _ask(program: str, code: str, folder: Path) -> tuple[str | None, str]:
    """让 ``program`` 在 ``folder`` 里执行一句话，返回它印出的字，或者 ``(None, 原因)``。"""
    try:
        done = subprocess.run(
            [program, "-c", code],
            cwd=folder,
            env=os.environ | {"PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            encoding="utf-8",
            errors="backslashreplace",
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, type(error).__name__
    if done.returncode:
        return None, (done.stderr.strip().splitlines() or [f"退出码 {done.returncode}"])[-1]
    return done.stdout.strip(), ""
