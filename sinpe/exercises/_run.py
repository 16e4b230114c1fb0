"""安全地调用读者的函数：另开一个线程，限时，收起打印和警告，记下输入有没有被改动、有没有用题目不许用的函数。"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import inspect
import io
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._declare import Case

BUDGET = 8.0  # 秒，一次检查里的全部调用；正确的写法合起来不到半秒，机器忙的时候慢十倍
_CHECKERS = os.path.dirname(os.path.abspath(__file__)) + os.sep
_PACKAGE = os.path.dirname(os.path.dirname(_CHECKERS)) + os.sep


class Nested(RuntimeError):
    """检查器被自己调用的函数又调用了一遍。"""


class _Stop(SystemExit):
    """到时间了。SystemExit 的子类：线程因它结束时不打印任何东西，一般的 except 也拦不住。"""


class _Worker(threading.Thread):
    """调用读者函数的线程；检查器凭它认出自己正被读者的函数调用。"""


class _Printed(io.StringIO):
    """收下打印的字，只留开头：死循环里的 print 也不会占满内存。"""

    def write(self, text: str) -> int:
        if self.tell() < 1000:
            super().write(text[:1000])
        return len(text)


@dataclass
class Fault:
    """一次调用错在哪里。kind：timeout、error、forbidden、changed、aliased、type、shape、dtype、value、accepted、refusal。"""

    kind: str
    said: str
    found: Any = None  # 从形状、类型、报错就看得出的诊断


@dataclass(eq=False)
class Seen:
    """一次调用的结果。"""

    case: Case
    value: Any = None
    error: BaseException | None = None
    timed_out: bool = False
    still_running: bool = False
    changed: bool = False
    used: str = ""  # 用了哪个不许用的函数
    printed: str = ""
    warned: str = ""
    array: Any = None  # 看得懂的结果，换成 float64，形状不一定对；认错时用
    fault: Fault | None = None  # 空的就是对


def refuse_nesting() -> None:
    """读者的函数里写着检查的那一行：再查下去没完没了。"""
    if isinstance(threading.current_thread(), _Worker):
        raise Nested("检查的那一行写进了函数里面。")


class Clock:
    """一次检查的时间，全部调用合用。"""

    def __init__(self) -> None:
        self.left = BUDGET

    def run(self, work: Callable[[], None]) -> tuple[bool, bool]:
        """在另一个线程里做；返回超时没有，还在不在跑。

        用线程而不用信号：信号在 Windows 上没有，也只能用在主线程。时间一到，给那个线程抛一个异常，死循环就停了。
        """
        worker, start = _Worker(target=work, daemon=True), time.monotonic()
        worker.start()
        late = still = False
        try:
            worker.join(self.left)
        finally:  # 读者按了“中断内核”，也从这里走
            if worker.is_alive():
                late = True
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident or 0), ctypes.py_object(_Stop))
                worker.join(0.5)
                still = worker.is_alive()
        self.left = max(self.left - (time.monotonic() - start), 0.05)
        return late, still


def call(function: Callable[..., Any], case: Case, clock: Clock, forbids: Sequence[str] = ()) -> Seen:
    """调用一次。"""
    seen = Seen(case)
    args, kwargs = copy.deepcopy((case.args, case.kwargs))

    def work() -> None:
        try:
            if forbids:
                sys.setprofile(_watch(seen, forbids))
            seen.value = function(*args, **kwargs)
            if inspect.iscoroutine(seen.value):
                seen.value.close()  # 不然丢掉它时会有一句警告
        except BaseException as error:
            seen.error = error
        finally:
            sys.setprofile(None)

    printed = _Printed()
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        seen.timed_out, seen.still_running = clock.run(work)
    seen.printed = printed.getvalue()
    seen.warned = str(caught[0].message) if caught else ""
    seen.changed = not all(map(_same, args, case.args))
    return seen


def _watch(seen: Seen, forbids: Sequence[str]) -> Callable[..., None]:
    """看函数（以及它调用的函数）有没有进到题目不许用的函数里；换个名字导入的也认得。"""

    def watch(frame: Any, event: str, arg: Any) -> None:
        if event == "call" and not seen.used and frame.f_code.co_filename.startswith(_PACKAGE):
            name = frame.f_code.co_name
            if not frame.f_code.co_filename.startswith(_CHECKERS) and ("sinpe" in forbids or name in forbids):
                seen.used = name

    return watch


def _same(left: Any, right: Any) -> bool:
    """两个输入完全相同；数组按字节比，nan 也算相同。"""
    if isinstance(left, np.ndarray):
        return (left.shape, left.dtype, left.tobytes()) == (right.shape, right.dtype, right.tobytes())
    return repr(left) == repr(right)  # 数、类型和数的列表
