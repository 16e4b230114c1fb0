"""真的浏览器和真的 JupyterLab。

别的浏览器测试可以直接用这里的夹具：``chromium`` 是浏览器，``new_page`` 开新页面并看住请求，``lab`` 是服务器。
"""

import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

FLAGS = [
    "--no-sandbox",  # 容器里以 root 运行时少不了它；打开的只有本机的页面
    "--disable-background-networking",  # 浏览器自己的更新与上报
    "--disable-component-update",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",  # 真要往外连，也连不上
    "--force-color-profile=srgb",
]
OVERRIDES = {
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},  # 屏幕外的格也画出来
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    # JupyterLab 自己会问要不要看新闻、查有没有新版本，与课程无关
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
}
# 服务器和内核都是 Python，启动时都导入它：往本机以外的连接，不论成功与否、报错与否，都记下来
SITECUSTOMIZE = """
import os, sys

def _watch(event, args):
    if event in ("socket.connect", "socket.sendto") and isinstance(args[1], tuple):
        host = args[1][0]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = args[0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else str(host or "")
    if host not in ("", "localhost", "::", "::1", "0.0.0.0") and not host.startswith("127."):
        with open(os.environ["SINPE_OUTSIDE"], "a", encoding="utf-8") as log:
            log.write(host + "\\n")

sys.addaudithook(_watch)
"""


def is_local(url):
    parts = urlsplit(url)
    return parts.scheme in ("data", "blob", "about", "file") or parts.hostname in ("127.0.0.1", "localhost")


def unavailable(reason):
    """.ci/run 设了 SINPE_CI，那时缺少浏览器就是失败。"""
    (pytest.fail if os.environ.get("SINPE_CI") else pytest.skip)(reason)


# 以模块为界，不以整次测试为界：Playwright 开着时，别处的 nbclient 不能再用 asyncio
@pytest.fixture(scope="module")
def chromium():
    """一个真的 Chromium，不连外网。"""
    if sys.platform != "linux":
        pytest.skip("浏览器测试只在 Linux 上运行")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        unavailable("缺少浏览器；Debian 上 apt-get install chromium fonts-wqy-microhei")
    if find_spec("playwright") is None:
        unavailable('缺少 playwright；装上再运行：pip install -e ".[dev]"')
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def context(chromium):
    """各页面共用的缓存：JupyterLab 的脚本有几兆，不必每页重读。

    ``context.outside`` 是各页面往本机以外发的请求，内嵌的框架和弹出的页面也算（连不上，但记着）。
    """
    context = chromium.new_context(viewport={"width": 1280, "height": 1000})
    context.outside = []

    def watch(sent):
        if not is_local(sent.url):
            context.outside.append(sent.url)

    context.on("request", watch)
    context.on("page", lambda page: page.on("websocket", watch))
    yield context
    context.close()


@pytest.fixture
def new_page(context):
    """返回一个函数，每次调用开一个新页面，测试结束时关上。

    测试结束时 ``context.outside`` 若不是空的，测试就失败；有意让页面犯规的测试，看过之后 ``clear()``。
    """
    context.outside.clear()
    yield context.new_page
    for page in context.pages:
        page.close()
    assert context.outside == []


@pytest.fixture(scope="session")
def lab(copy_project, wheel, tmp_path_factory):
    """真的 JupyterLab：开在仓库的一份干净副本里，用的是由这样的副本构建的安装包；令牌和只听本机都是默认的。"""
    base = tmp_path_factory.mktemp("lab")
    clone, site = copy_project(base / "clone"), base / "site"
    zipfile.ZipFile(wheel).extractall(site)  # 纯 Python 的安装包解压即是安装
    (site / "sitecustomize.py").write_text(SITECUSTOMIZE, encoding="utf-8")

    settings = base / "settings"
    settings.mkdir()
    (settings / "overrides.json").write_text(json.dumps(OVERRIDES), encoding="utf-8")

    outside = base / "outside.txt"
    outside.touch()
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        f"--LabApp.app_settings_dir={settings}",
    ]
    # 以下两个只为测试：不去问新版本和新闻
    command += ["--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    environment = {"PYTHONPATH": str(site), "SINPE_OUTSIDE": str(outside)}
    with serve(command, clone, base, environment) as info:
        yield SimpleNamespace(clone=clone, site=site, outside=outside, **info)


@pytest.fixture(scope="session")
def server():
    """``serve``，给别的文件用：importlib 的导入方式下，测试文件导入不了 conftest。"""
    return serve


@contextmanager
def serve(command, clone, base, environment):
    """在 ``clone`` 里开一个 JupyterLab，给出它的地址和令牌；家目录里的设置用空的顶替，页面里露出 jupyterapp。"""
    environment |= {
        "JUPYTER_CONFIG_DIR": str(base / "config"),
        "JUPYTER_RUNTIME_DIR": str(base / "runtime"),
        "JUPYTER_DATA_DIR": str(base / "data"),
        "JUPYTERLAB_SETTINGS_DIR": str(base / "user-settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(base / "workspaces"),
    }
    command = [*command, "--LabApp.expose_app_in_browser=True"]
    with open(base / "lab.log", "w+", encoding="utf-8") as log:
        server = subprocess.Popen(
            command, cwd=clone, env=os.environ | environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            yield wait_for(server, base)
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def wait_for(server, base):
    """等服务器写下它的地址和令牌。"""
    for _ in range(300):
        for found in (base / "runtime").glob("jpserver-*.json"):
            try:
                info = json.loads(found.read_text(encoding="utf-8"))
            except ValueError:  # 还没有写完
                continue
            return {"url": info["url"], "token": info["token"], "host": info["hostname"]}
        if server.poll() is not None:
            break
        time.sleep(0.2)
    pytest.fail("JupyterLab 没有启动：" + Path(base, "lab.log").read_text(encoding="utf-8")[-2000:])
