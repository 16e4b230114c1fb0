"""没有意外：不执行数据里带来的代码，不碰网络，印出的命令都保留 JupyterLab 的令牌、只听本机。"""

import ast
import re
import tokenize

import pytest

import notebooks

UNSAFE_MODULES = {
    "_pickle",
    "builtins",
    "cloudpickle",
    "code",
    "ctypes",
    "dill",
    "joblib",
    "marshal",
    "pickle",
    "runpy",
    "shelve",
}
UNSAFE_CALLS = {
    "__import__",
    "compile",
    "eval",
    "exec",
    "os.popen",
    "os.system",
    "subprocess.getoutput",
    "subprocess.getstatusoutput",
    "yaml.load",
    "yaml.unsafe_load",
}
NETWORK_MODULES = {
    "aiohttp",
    "asyncio",
    "ftplib",
    "http",
    "httpx",
    "multiprocessing",
    "requests",
    "smtplib",
    "socket",
    "socketserver",
    "ssl",
    "urllib",
    "urllib3",
    "webbrowser",
    "xmlrpc",
}
PARSING_ONLY = {"urllib.parse"}  # 只拆网址，不连网
# 会削弱 JupyterLab 默认设置的选项：换掉令牌、听别的机器、关掉跨站检查
WEAKER = re.compile(
    r"--ip\b|0\.0\.0\.0|\bJUPYTER_TOKEN\b|\b(?:\w*IdentityProvider|ServerApp|NotebookApp|LabApp)\."
    r"(?:token|\w*password|ip|allow_\w+|disable_\w+|\w+_class|local_hostnames|cookie_secret)"
)


def problems(tree):
    """一段代码里不该有的东西。"""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.split(".")[0] in UNSAFE_MODULES or name in UNSAFE_CALLS | {"numpy.load"}:
                yield f"第 {node.lineno} 行导入 {name}，会执行数据里带来的代码"
            if name.split(".")[0] in NETWORK_MODULES and not any(name.startswith(safe) for safe in PARSING_ONLY):
                yield f"第 {node.lineno} 行导入 {name}，会碰网络"
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            options = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
            if called in UNSAFE_CALLS or options.get("shell", "False") != "False":
                yield f"第 {node.lineno} 行调用 {ast.unparse(node)[:60]}，会执行任意的代码"
            default = "True" if called in ("np.load", "numpy.load") else "False"  # NumPy 的默认值会变，所以要写明
            if options.get("allow_pickle", default) != "False":
                yield f"第 {node.lineno} 行的 {called} 要写明 allow_pickle=False"


def sources(project_files, root):
    """``(名字, 源码)``：仓库里的 Python 文件，笔记本的代码格。"""
    for path in project_files:
        if path.suffix == ".py":
            with tokenize.open(path) as file:
                yield path.relative_to(root).as_posix(), file.read()
    for path in notebooks.find():
        for number, cell in enumerate(notebooks.load(path).cells):
            if cell.cell_type == "code":
                yield f"{path.name} 第 {number} 格", cell.source


def test_no_code_runs_what_data_brings_along_or_touches_the_network(project_files, pytestconfig):
    found = []
    exceptions = {
        "tests/browser/test_lab.py": "导入 urllib",  # 问本机的服务器要不要令牌
        "benchmarks/classroom.py": "会碰网络",  # 真的 JupyterHub，只听 127.0.0.1
        "tests/test_classroom.py": "导入 asyncio",  # 同上，两个学生的一轮
        "tests/test_progress.py": "(answer",  # 测试自己写的答案，真的检查一遍，得到真的输出
        "benchmarks/ablation.py": "第 09 课",  # 网络和训练只写在课里，实验取来用
        "tests/test_exercises.py": "解答",  # 参考解答也是对的答案，取来交一遍
        "tests/test_mutations.py": "<cell>",  # 把课里的格改错一处再执行，都是仓库自己的
        "sinpe/exercises/_declare.py": "调用 eval",  # 声明里写死的参数，写成源码，好照原样印给读者
        "sinpe/exercises/_run.py": "导入 ctypes",  # 让停不下来的答案停下：给它的线程抛一个异常
    }
    for name, source in sources(project_files, pytestconfig.rootpath):
        allowed = exceptions.get(name)
        found += [
            f"{name}：{problem}" for problem in problems(ast.parse(source)) if not (allowed and allowed in problem)
        ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from pickle import loads",
        "import urllib.request",
        "from urllib import request",
        "from http.client import HTTPSConnection",
        "import socket as s",
        "eval('1')",
        "exec(text)",
        "os.system('ls')",
        "from os import system",
        "from builtins import eval as e",
        "subprocess.getoutput('ls')",
        "subprocess.run('ls', shell=True)",
        "yaml.load(text)",
        "np.load('a.npy')",
        "np.load('a.npy', allow_pickle=True)",
        "from numpy import load",
        "np.lib.format.read_array(file, allow_pickle=True)",
    ],
)
def test_a_surprise_is_noticed(source):
    assert list(problems(ast.parse(source)))


def test_harmless_code_is_left_alone():
    source = """
from urllib.parse import quote
from .codes import pickle_free
import numpy as np
np.load("a.npy", allow_pickle=False)
yaml.safe_load(text)
subprocess.run(["ls"], shell=False)
model.eval()
re.compile("a")
"""
    assert list(problems(ast.parse(source))) == []


def test_every_printed_command_keeps_the_token_and_listens_on_this_machine_only(project_files, pytestconfig):
    found, commands = [], 0
    for path in project_files:
        name = path.relative_to(pytestconfig.rootpath).as_posix()
        if not name.startswith("tests/") and path.suffix not in (".png", ".otf", ".npz"):
            text = path.read_text(encoding="utf-8")
            commands += len(re.findall(r"\bjupyter[ -]lab\b", text))
            found += [f"{name}：{match[0]}" for match in WEAKER.finditer(text)]
    assert commands >= 3  # README 里至少有 Linux、Windows、conda 三处
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "command",
    [
        "jupyter lab --ip=0.0.0.0",
        "jupyter lab --ip '*'",
        "jupyter lab --IdentityProvider.token=''",
        "jupyter lab --ServerApp.password=''",
        "jupyter lab --ServerApp.allow_origin='*'",
        "jupyter lab --ServerApp.disable_check_xsrf=True",
        "c.PasswordIdentityProvider.hashed_password = ''",
        "c.ServerApp.ip = '*'",
        "c.ServerApp.authorizer_class = 'AllowAllAuthorizer'",
        "JUPYTER_TOKEN= jupyter lab",
    ],
)
def test_a_weaker_command_is_noticed(command):
    assert WEAKER.search(command)
