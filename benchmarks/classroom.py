"""一个班同时上课，要多大的机器：在本机开一个真的 JupyterHub，让 n 个学生同时打开一课、全部运行。

    pip install jupyterhub && npm install --prefix 文件夹 configurable-http-proxy
    python benchmarks/classroom.py --proxy 文件夹/node_modules/.bin/configurable-http-proxy

只听 127.0.0.1，登录是假的（DummyAuthenticator），学生都是本机的进程（SimpleLocalProcessSpawner）：只为测量，
不要拿来上课。人数、时间都有上限，自己会停，停的时候把开过的进程全部结束。内存是进程的 USS（独占的部分）之和：
只算 RSS，共用的库会重复计。结果存在 classroom.json，TEACHING.md 里的数由它得来。
"""

import argparse
import asyncio
import json
import os
import re
import secrets
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from http.cookies import SimpleCookie
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlencode

import common
import psutil
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

ROOT = Path(__file__).resolve().parent.parent
MOST, LIMIT = 30, 600  # 最多几个学生，一轮最多几秒
ASK_EVERY = 0.25


def free_ports(count: int) -> list[int]:
    """空着的端口。避开系统随手分配的一段（32768 以上），不然等到真要用时，可能已被别的程序占去。"""
    found = []
    while len(found) < count:
        port = 20000 + secrets.randbelow(12000)
        with socket.socket() as s:
            if port not in found and s.connect_ex(("127.0.0.1", port)):
                found.append(port)
    return found


CONFIG = """
from jupyterhub.spawner import SimpleLocalProcessSpawner
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{hub}"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api}"
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.allow_all = True
c.DummyAuthenticator.password = {password!r}
c.JupyterHub.spawner_class = SimpleLocalProcessSpawner
c.SimpleLocalProcessSpawner.home_dir_template = {home!r} + "/{{username}}"
c.Spawner.cmd = [{python!r}, "-m", "jupyterhub.singleuser"]
c.Spawner.args = ["--allow-root"]
c.Spawner.ip = "127.0.0.1"
c.Spawner.http_timeout = 300
c.Spawner.start_timeout = 300
c.Spawner.env_keep = ["PATH", "LANG", "VIRTUAL_ENV"]
c.JupyterHub.concurrent_spawn_limit = 100
c.JupyterHub.db_url = "sqlite:///{base}/hub.sqlite"
c.JupyterHub.cookie_secret_file = {base!r} + "/cookie"
c.JupyterHub.log_level = "WARN"

ports = {ports}


def hook(spawner):
    spawner.port = ports[spawner.user.name]


c.Spawner.pre_spawn_hook = hook
"""


class Student:
    """一个学生：自己的 cookie，登录、开服务器、打开一课、全部运行。"""

    def __init__(self, base: str, name: str, password: str):
        self.base, self.name, self.password = base, name, password
        self.cookies: dict[str, str] = {}
        self.client = AsyncHTTPClient()

    async def fetch(self, path: str, method: str = "GET", body: str | None = None, **headers: str):
        url = path if path.startswith("http") else self.base + path
        for _ in range(20):  # 自己跟着转走的页面，一路上收 cookie
            head = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())} | headers
            if "_xsrf" in self.cookies:
                head["X-XSRFToken"] = self.cookies["_xsrf"]
            request = HTTPRequest(url, method, headers=head, body=body, follow_redirects=False, request_timeout=LIMIT)
            reply = await self.client.fetch(request, raise_error=False)
            for line in reply.headers.get_list("Set-Cookie"):
                for key, morsel in SimpleCookie(line).items():
                    if morsel.value:
                        self.cookies[key] = morsel.value
            if reply.code not in (301, 302, 303, 307):
                break
            target = reply.headers["Location"]
            url, method, body = (target if target.startswith("http") else self.base + target), "GET", None
        if reply.code >= 400:
            raise HTTPClientError(reply.code, f"{method} {path}: {reply.body[:200]!r}")
        return reply

    async def login(self) -> None:
        await self.fetch("/hub/login")
        form = {"username": self.name, "password": self.password, "_xsrf": self.cookies["_xsrf"]}
        kind = "application/x-www-form-urlencoded"
        await self.fetch("/hub/login", "POST", urlencode(form), **{"Content-Type": kind})

    async def start(self) -> None:
        """登录后会自己开服务器；等到它答话。"""
        until = time.monotonic() + LIMIT
        while time.monotonic() < until:
            try:
                reply = await self.fetch(f"/user/{self.name}/api/status")
                if reply.headers.get("Content-Type", "").startswith("application/json"):
                    return
            except (HTTPClientError, OSError):
                await self.fetch(f"/hub/spawn/{self.name}")
            await asyncio.sleep(ASK_EVERY)
        raise TimeoutError("服务器没有开起来")

    async def run(self, cells: list[str], path: str) -> int:
        """开一个内核，逐格运行；返回报错的格数。"""
        body = json.dumps({"name": "", "path": path, "type": "notebook", "kernel": {"name": "python3"}})
        reply = await self.fetch(f"/user/{self.name}/api/sessions", "POST", body)
        kernel = json.loads(reply.body)["kernel"]["id"]
        url = f"{self.base.replace('http', 'ws', 1)}/user/{self.name}/api/kernels/{kernel}/channels"
        head = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())}
        socket_ = await websocket_connect(HTTPRequest(url, headers=head), max_message_size=50_000_000)
        failed = 0
        for source in cells:
            message = uuid.uuid4().hex
            content = {"code": source, "silent": False, "store_history": True, "user_expressions": {}}
            content |= {"allow_stdin": False, "stop_on_error": True}
            header = {"msg_id": message, "msg_type": "execute_request", "username": "", "session": message}
            header |= {"date": "", "version": "5.3"}
            sent = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
            await socket_.write_message(json.dumps(sent | {"channel": "shell", "buffers": []}))
            while True:
                raw = await socket_.read_message()
                if raw is None:
                    raise ConnectionError("与内核的连接断了")
                if isinstance(raw, bytes):
                    continue
                got = json.loads(raw)
                if got["msg_type"] == "execute_reply" and got["parent_header"].get("msg_id") == message:
                    failed += got["content"]["status"] != "ok"
                    break
        socket_.close()
        return failed


def memory(home: Path, hub: psutil.Process) -> tuple[list[float], float]:
    """每个学生的进程一共占几 MB（服务器和内核），和 Hub、代理自己占几 MB。"""
    students: dict[str, float] = {}
    rest = 0.0
    for process in [hub, *hub.children(recursive=True)]:
        try:
            used = process.memory_full_info().uss / 1e6
            where = process.environ().get("JUPYTERHUB_USER") or ""
        except psutil.Error:
            continue
        if where:
            students[where] = students.get(where, 0.0) + used
        else:
            rest += used
    return list(students.values()), rest


async def lesson(n: int, notebook: Path, proxy: str) -> dict[str, object]:
    """一轮：n 个学生同时登录，都开好了，再一起运行。"""
    cells = ["".join(c["source"]) for c in json.loads(notebook.read_text("utf-8"))["cells"] if c["cell_type"] == "code"]
    with tempfile.TemporaryDirectory(prefix="sinpe-hub-", ignore_cleanup_errors=True) as base:
        home, password = Path(base, "home"), secrets.token_hex(16)
        names = [f"student{k:02}" for k in range(n)]
        for name in names:
            (home / name / "notebooks").mkdir(parents=True)
            shutil.copyfile(notebook, home / name / "notebooks" / notebook.name)
            shutil.copytree(ROOT / "benchmarks", home / name / "benchmarks")
        port, hub_port, api, *each = free_ports(3 + n)
        values = {"port": port, "hub": hub_port, "api": api, "proxy": proxy, "password": password}
        values["ports"] = dict(zip(names, each, strict=True))
        config = CONFIG.format(**values, home=str(home), python=sys.executable, base=base)
        Path(base, "config.py").write_text(config, encoding="utf-8")
        env = os.environ | {"CONFIGPROXY_AUTH_TOKEN": secrets.token_hex(32)}
        env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env["PATH"]])
        env.pop("OPENBLAS_CORETYPE", None)  # 计时时不限定处理器的种类
        log = Path(base, "log").open("w")
        command = [sys.executable, "-m", "jupyterhub", "-f", str(Path(base, "config.py"))]
        hub = subprocess.Popen(command, cwd=base, env=env, stdout=log, stderr=log, start_new_session=True)
        root = psutil.Process(hub.pid)
        opened: list[psutil.Process] = []
        try:
            students = [Student(f"http://127.0.0.1:{port}", name, password) for name in names]
            for _ in range(240):
                try:
                    await students[0].fetch("/hub/login")
                    break
                except (OSError, HTTPClientError):
                    await asyncio.sleep(ASK_EVERY)
            began = time.monotonic()

            async def open_one(student: Student) -> None:
                await student.login()
                await student.start()

            await asyncio.wait_for(asyncio.gather(*map(open_one, students)), LIMIT)
            up = time.monotonic() - began
            opened += root.children(recursive=True)
            idle, hub_memory = memory(home, root)
            began = time.monotonic()
            path = f"notebooks/{notebook.name}"
            failed = await asyncio.wait_for(asyncio.gather(*(s.run(cells, path) for s in students)), LIMIT)
            done = time.monotonic() - began
            opened += root.children(recursive=True)
            running, _ = memory(home, root)
        except Exception:
            log.flush()
            print(re.sub(r"\n+", "\n", Path(base, "log").read_text()[-3000:]), file=sys.stderr)
            raise
        finally:
            opened += root.children(recursive=True) if root.is_running() else []
            stop(hub, opened)
            log.close()
    assert len(idle) == len(running) == n, (len(idle), len(running))
    return {
        "students": n,
        "all_up_s": round(up, 1),
        "last_done_s": round(done, 1),
        "failed_cells": sum(failed),
        "idle_mb": round(statistics.median(idle)),
        "running_mb": round(statistics.median(running)),
        "hub_mb": round(hub_memory),
    }


def stop(hub: subprocess.Popen, opened: list[psutil.Process]) -> None:
    """结束 Hub 和由它开的一切；没有结束的再强制一次。"""
    hub.send_signal(signal.SIGINT)
    try:
        hub.wait(20)
    except subprocess.TimeoutExpired:
        hub.kill()
    for process in opened:  # psutil 记得进程的开始时间，号码被别人用去了也不会弄错
        try:
            process.terminate()
        except psutil.NoSuchProcess:
            pass
    _, alive = psutil.wait_procs(opened, timeout=10)
    for process in alive:
        process.kill()
    psutil.wait_procs(alive, timeout=10)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--proxy", default=shutil.which("configurable-http-proxy"), help="代理的程序")
    parser.add_argument("--lesson", action="append", metavar="课号", help="打开哪一课，默认 00；可以写几次")
    parser.add_argument(
        "--students", type=int, nargs="+", default=[1, 5, 10, 20, 30], help=f"各轮的人数，不超过 {MOST}"
    )
    parser.add_argument("--dry", action="store_true", help="只打印，不存")
    options = parser.parse_args(argv)
    if not (options.proxy and shutil.which(options.proxy)):
        parser.exit(2, "找不到 configurable-http-proxy；用 npm 装上，再用 --proxy 指出来。\n")
    if find_spec("jupyterhub") is None:
        parser.exit(2, "这个环境里没有 jupyterhub；先用 pip 装上。\n")
    wanted = {number: [*(ROOT / "notebooks").glob(f"{number}_*.ipynb")] for number in options.lesson or ["00"]}
    if unknown := [number for number, found in wanted.items() if len(found) != 1]:
        parser.exit(2, f"没有第 {unknown[0]} 课；课号是两位数，例如 05。\n")
    if not all(1 <= n <= MOST for n in options.students):
        parser.exit(2, f"人数要在 1 到 {MOST} 之间。\n")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # 被人结束时，也从 finally 走
    rounds = []
    for number, (notebook,) in wanted.items():
        for n in options.students:
            load = os.getloadavg()[0]
            found = asyncio.run(lesson(n, notebook, str(Path(shutil.which(options.proxy)).resolve())))
            rounds.append({"lesson": number, "load_before": round(load, 1), **found})
            print(json.dumps(rounds[-1]), flush=True)
    if not options.dry:
        common.save("classroom.json", {"machine": common.machine("jupyterhub", "jupyterlab"), "rounds": rounds})
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("已中断，没有存；开过的进程都结束了。")
