"""一次调用：给什么，该得到什么；安全地调用读者的函数；看结果哪里不对，写成一句话。"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import inspect
import io
import linecache
import math
import random
import re
import threading
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

_TIME_LIMIT = 5.0  # 秒，一次调用；正确的写法都在百分之一秒以内

_dice = random.Random()  # 自己的一颗，不动读者用 random.seed 定下的次序，也不受它影响


# ------------------------------------------------------------------ 一道练习由什么组成


class _Diagnosis(NamedTuple):
    """像是哪种错，和不泄底的提示。"""

    name: str
    hint: str


@dataclass
class _Trial:
    """一次调用：给什么，该得到什么。"""

    args: tuple
    expected: Any = None
    kwargs: dict[str, Any] = field(default_factory=dict)
    which: int = 0  # 一道练习有几个函数时，调用第几个
    dtype: Any = None  # None：float32、float64 都行
    atol: Any = 0.0
    place: Callable[[tuple[int, ...]], str] = lambda index: "、".join(
        f"第 {k} {axis}" for k, axis in zip(index, "行列", strict=False)
    )
    table: tuple[list[float], int, float] | None = None  # 编码表：各行的位置、维度、底数
    pair: bool = False  # 应返回两个数，元组也行
    refuses: str = ""  # 应当抛出 ValueError，报错的话里要有这几个字


@dataclass
class _Seen:
    """一次调用的结果。"""

    trial: _Trial
    value: Any = None
    error: BaseException | None = None
    timed_out: bool = False
    still_running: bool = False
    changed: bool = False
    printed: str = ""
    warned: str = ""
    array: Any = None  # 形状对的结果，换成 float64；认错时用
    complaint: str = ""  # 不对在哪里；空的就是对
    diagnosis: _Diagnosis | None = None  # 从形状、类型、报错就看得出的


@dataclass(frozen=True)
class _Exercise:
    """一道练习。加一道：写好各次调用和诊断，造一个 _Exercise，再写一个调用 _check 的 check_…。"""

    number: str
    names: tuple[str, ...]  # 读者写的函数
    trials: Callable[[], list[_Trial]]
    diagnose: Callable[[list[_Seen]], _Diagnosis | None]
    tested: str  # 通过时说核对了什么
    note: str  # 通过时说什么值得注意


# ------------------------------------------------------------------ 安全地调用读者的函数


class _Printed(io.StringIO):
    """收下打印的字，只留开头：死循环里的 print 也不会占满内存。"""

    def write(self, text: str) -> int:
        if self.tell() < 1000:
            super().write(text[:1000])
        return len(text)


class _Stop(SystemExit):
    """到时间了。SystemExit 的子类：线程因它结束时不打印任何东西，一般的 except 也拦不住。"""


def _call(function: Callable[..., Any], trial: _Trial) -> _Seen:
    """在另一个线程里调用一次，限时；打印和警告收起来，输入有没有被改动记下来。

    用线程而不用信号：信号在 Windows 上没有，也只能用在主线程。时间一到，给那个线程抛一个异常，死循环就停了。
    """
    seen = _Seen(trial)
    args, kwargs = copy.deepcopy((trial.args, trial.kwargs))

    def work() -> None:
        try:
            seen.value = function(*args, **kwargs)
            if inspect.iscoroutine(seen.value):
                seen.value.close()  # 不然丢掉它时会有一句警告
        except BaseException as error:
            seen.error = error

    worker = threading.Thread(target=work, daemon=True)
    printed = _Printed()
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        worker.start()
        try:
            worker.join(_TIME_LIMIT)
        finally:  # 读者按了“中断内核”，也从这里走
            if worker.is_alive():
                seen.timed_out = True
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident or 0), ctypes.py_object(_Stop))
                worker.join(0.5)
                seen.still_running = worker.is_alive()
    if seen.timed_out:
        seen.error = _Stop()
    seen.printed = printed.getvalue()
    seen.warned = str(caught[0].message) if caught else ""
    seen.changed = not all(map(_same, args, trial.args))
    return seen


def _close(left: Any, right: Any) -> bool:
    """形状相同，而且处处相近；同号的无穷算相近。"""
    return left.shape == right.shape and bool(np.allclose(left, right, rtol=1e-5, atol=1e-6, equal_nan=True))


def _same(left: Any, right: Any) -> bool:
    """两个输入完全相同；数组按字节比，nan 也算相同。"""
    if isinstance(left, np.ndarray):
        return (left.shape, left.dtype, left.tobytes()) == (right.shape, right.dtype, right.tobytes())
    return repr(left) == repr(right)  # 数、类型和数的列表


# ------------------------------------------------------------------ 说话


def _number(x: float, other: float = math.nan) -> str:
    """写出一个数，位数多到与另一个分得开。"""
    kind = "f" if 1e-3 <= abs(x) < 1e4 and not 0 < abs(other) < 1e-4 else "g"
    for digits in (4, 6, 9, 12, 16):
        if f"{x:.{digits}{kind}}" != f"{other:.{digits}{kind}}":
            return f"{x:.{digits}{kind}}"
    return f"{x:.17g}"


def _show(value: Any) -> str:
    """一个参数怎样写进“f(…)”里。"""
    if isinstance(value, np.ndarray):
        if value.size <= 6:
            words = np.array2string(value, separator=", ", precision=4, suppress_small=True)
            return f"np.array({words})".replace("\n", "")
        return f"<形状 {value.shape} 的 {value.dtype} 数组>"
    if isinstance(value, list | tuple) and len(value) > 6:
        return f"<{len(value)} 个数的 {type(value).__name__}>"
    if isinstance(value, type | np.dtype):
        return f"np.{np.dtype(value).name}"
    return repr(value)


def _spell(exercise: _Exercise, trial: _Trial) -> str:
    words = [_show(value) for value in trial.args] + [f"{key}={_show(v)}" for key, v in trial.kwargs.items()]
    return f"{exercise.names[trial.which]}({', '.join(words)})"


# 报错里认得出的字样：（正则，像是哪种错，提示）
_ERRORS = [
    (
        r"takes .* positional argument|missing \d+ required|unexpected keyword",
        "参数和题目约定的不一样",
        "对照题目给的第一行 def，参数的个数和名字都不要改。",
    ),
    (
        r"broadcast|operands could not|shape mismatch|core dimension|not aligned",
        "两个数组的形状对不上，多半是缺了一个轴，或者缺了转置",
        "写出两边的形状，从右对齐；哪一边该用 [:, None] 变成一列？",
    ),
    (r"setting an array element with a sequence", "把一个数组放进了一个数的位置", "左边的下标选中了几个数？右边呢？"),
    (
        r"only (?:size-1|length-1|0-dimensional) arrays",
        "math 里的函数只认一个数",
        "对整个数组用 np.sin、np.cos，或者在循环里一个一个地算。",
    ),
    (
        r"Integers to negative integer powers",
        "整数的底数取了负的整数次幂",
        "NumPy 不算整数的负次幂；底数写成浮点数，例如 10000.0。",
    ),
    (r"Cannot cast ufunc", "想把小数写回整数数组", "结果另建一个浮点数组，不要写回输入。"),
    (
        r"used as indices must be of integer",
        "拿位置去作下标了，可位置不一定是整数",
        "位置可以是小数和负数，查表查不到；由位置直接算角度。",
    ),
    (r"out of bounds|index out of range", "下标越界", "轴的长度是 n，下标就只到 n - 1；看看用的是不是另一个轴的长度。"),
    (
        r"too many indices",
        "下标比轴多",
        "打印这个数组的 shape，数一数它有几个轴；[:, None] 只认一维，[..., None] 不挑。",
    ),
    (
        r"cannot reshape",
        "reshape 前后，数的个数不一样",
        "打印 reshape 之前的 shape，各轴相乘，与要的形状比一比。",
    ),
    (
        r"concatenat\w+ axis|number of dimensions|must have the same shape",
        "要拼接的数组，形状对不上",
        "打印每一块的 shape：除了接在一起的那个轴，别的轴都要一样长。",
    ),
    (
        r"Cannot interpret .* as a data type|Field elements must be|data type .* not understood",
        "形状的括号漏了，第二个数被当成了 dtype",
        "形状是一个元组：np.zeros((行, 列))，有两层括号。",
    ),
    (
        r"cannot be interpreted as an integer|integer scalar arrays|must be integers|expected a sequence of integers",
        "要整数的地方得到了别的",
        "range、形状和下标只认整数；/ 的结果总是小数，个数用 // 来算。",
    ),
    (r"truth value", "拿整个数组作了 if 的条件", "一个数组里有真有假；逐个挑选用 np.where。"),
    (r"not callable", "把一个数或数组当成函数来调用了", "是不是漏了乘号，或者变量与函数重名了？"),
    (r"NoneType", "中间有一步得到了 None", "哪一个函数没有 return？append、sort 这些就地改动的，返回的也是 None。"),
    (
        r"not iterable|not subscriptable|no len\(\)",
        "把一个数当成一串数来用了",
        "打印它；循环写成 for i in range(n)，取下标的应是数组。",
    ),
    (r"local variable", "变量还没有值就用到了它", "给它赋值的那一行，每一条路都会走到吗？"),
    (r"has no attribute", "没有这个名字的函数或属性", "拼写对吗？它是 np 的、math 的，还是数组的？"),
    (r"No module named", "没有安装这个包", "这些题只要 NumPy 和 math。"),
    (r"multiply sequence", "列表不会逐个相乘", "先用 np.array(…) 换成数组，再运算。"),
    (
        r"Numerical result out of range|too large",
        "中间的数大到放不下",
        "指数多大？角频率不超过 1，乘除颠倒了才会很大。",
    ),
    (r"is not defined", "用到了没有定义的名字", "拼写对吗？定义它的那一格运行过吗？"),
    (r"read-only", "想改动只读的数组", "先 copy() 一份。"),
    (r"maximum recursion depth", "函数没完没了地调用自己", "递归要有一个不再调用自己的出口；这道题用不着递归。"),
    (r"division by zero", "除数是 0", "最小的 d_model 是 2，这时哪个除数会成为 0？"),
    (r"Unable to allocate|MemoryError", "数组大到内存放不下", "结果应有多大？打印中间数组的 shape。"),
    (r"math domain error", "math 里的函数收到了定义域以外的数", "打印传给它的数：arccos 只认 -1 到 1。"),
]


def _name_error(error: BaseException) -> str:
    """报错的类型和第一行话；有的报错没有话，有的话很长，有的连话也说不出。"""
    with contextlib.suppress(Exception):
        words = str(error).strip().splitlines() or [""]
        return f"{type(error).__name__}: {words[0][:200]}".removesuffix(": ") + ("……" if len(words) > 1 else "")
    return type(error).__name__


def _explain_error(error: BaseException) -> _Diagnosis:
    message = _name_error(error)
    for pattern, name, hint in _ERRORS:
        if re.search(pattern, message):
            return _Diagnosis(name, hint)
    return _Diagnosis("函数中途报错，没有返回", "单独运行这一次调用，看完整的报错。")


def _line_of(error: BaseException, function: Callable[..., Any]) -> str:
    """报错出在读者函数的哪一行；找不到就不说。"""
    code = getattr(function, "__code__", None)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if code and frame.filename == code.co_filename and frame.lineno:
            if text := linecache.getline(frame.filename, frame.lineno).strip():
                return f"\n出在这一行：{text}"
    return ""


def _explain_shape(got: tuple[int, ...], expected: tuple[int, ...]) -> _Diagnosis:
    if not expected:
        return _Diagnosis("返回了数组，题目要的是一个数", "看看哪一步该取出一个数，或者该求和。")
    if got == expected[::-1] and len(got) > 1:
        return _Diagnosis("行和列颠倒了", "转置一下，或者换一个轴加 None：哪一个轴是位置，哪一个轴是列？")
    if len(got) == len(expected) + 1 and tuple(n for n in got if n != 1) == tuple(n for n in expected if n != 1):
        return _Diagnosis(
            "多出一个长度为 1 的轴，像是加了批的轴", "题目要的结果没有批的轴；哪一个 None 或 [] 是多余的？"
        )
    if len(got) == len(expected) + 1 and math.prod(got) == math.prod(expected):
        return _Diagnosis("忘了把正弦、余弦所在的轴并进列里", "最后还要 reshape 一次；先想好哪个轴走得最快。")
    if len(got) == len(expected) + 1:
        return _Diagnosis("多出一个轴", "打印每一步的 shape，看它从哪一步多出来。")
    if len(got) == len(expected) - 1:
        return _Diagnosis("少了一个轴", "哪一边该用 [:, None] 变成一列，让两个轴都留下来？")
    if got[:-1] == expected[:-1] and 2 * got[-1] == expected[-1]:
        return _Diagnosis("只有一半的列", "每一对占两列：正弦一列，余弦一列。")
    if got[1:] == expected[1:] and 2 * got[0] == expected[0]:
        return _Diagnosis("只有一半的行", "打印结果的行数，看少了哪些。")
    if len(got) == 2 and got == (expected[0] // 2, 2 * expected[1]):
        return _Diagnosis("拼接的方向错了：左右拼了，应上下拼", "哪个轴是位置？新的行接在那个轴上。")
    if got[:-1] == expected[:-1] and got[-1] == 2 * expected[-1]:
        return _Diagnosis("列多了一倍", "一共只有 d_model/2 对，不是 d_model 对。")
    if len(got) == len(expected) and all(abs(g - e) <= 1 for g, e in zip(got, expected, strict=True)):
        return _Diagnosis("个数差了一个", "从 0 数起，最后一个是几？首尾各取不取？")
    return _Diagnosis("形状不对", "打印每一步的 shape，与应有的形状对照。")


def _explain_type(value: Any, wanted: str) -> tuple[str, _Diagnosis]:
    kind = type(value).__name__
    if value is None:
        return "得到 None", _Diagnosis("忘了 return", "函数的最后一行把结果 return 出来。")
    if value is ...:
        return "得到 ...", _Diagnosis("有一条路还没有写完", "每一种输入都要 return 结果。")
    if inspect.isgenerator(value):
        return "得到 generator", _Diagnosis("用了 yield，函数成了生成器", "先把数都算好放进数组，再 return。")
    if inspect.iscoroutine(value):
        return "得到 coroutine", _Diagnosis("写成了 async 函数", "第一行用 def，不用 async def。")
    if callable(value):
        return f"得到 {kind}", _Diagnosis("返回的是函数，不是算出的结果", "返回之前要调用它：名字后面加括号。")
    if isinstance(value, list | tuple) and "数组" in wanted:
        return f"得到 {kind}", _Diagnosis(f"返回了 {kind}，题目要的是 NumPy 数组", "用 np.array(…) 包起来再返回。")
    return f"得到 {kind}", _Diagnosis(f"返回了 {kind}", f"题目要的是{wanted}。")


# ------------------------------------------------------------------ 逐次比较


def _look(seen: _Seen, function: Callable[..., Any]) -> None:
    """看一次调用的结果，不对就写下 complaint；形状、类型、报错能说明的，写下 diagnosis。"""
    trial, error = seen.trial, seen.error
    if seen.timed_out:
        seen.complaint = f"{_TIME_LIMIT:g} 秒还没有算完"
        hint = "看看循环有没有出口。这道题的正确写法不到百分之一秒。"
        if seen.still_running:
            hint += "它还在后台运行，请从菜单重启内核。"
        seen.diagnosis = _Diagnosis("停不下来", hint)
    elif trial.refuses:
        _look_at_refusal(seen, function)
    elif error:
        seen.complaint = f"报错了：{_name_error(error)}{_line_of(error, function)}"
        seen.diagnosis = _explain_error(error)
    elif seen.changed:
        seen.complaint = f"改动了传进去的{'列表' if isinstance(trial.args[0], list) else '数组'}"
        seen.diagnosis = _Diagnosis(
            "就地改了输入", "+=、*= 和 a[…] = … 改的是调用者手里的数组；先 copy()，或者写成 x = x + …"
        )
    else:
        _compare(seen)


def _look_at_refusal(seen: _Seen, function: Callable[..., Any]) -> None:
    words, error = seen.trial.refuses, seen.error
    if error is None:
        value = seen.value
        what = f"{value.shape} 的数组" if isinstance(value, np.ndarray) else type(value).__name__
        seen.complaint = f"应当抛出 ValueError，却返回了 {what}"
        seen.diagnosis = _Diagnosis(
            f"没有拒绝 d_model = {words}", "函数一开头就检查：d_model 不是正偶数，就 raise ValueError(…)。"
        )
    elif not isinstance(error, ValueError) or words not in _name_error(error):
        seen.complaint = f"应当抛出写着 {words} 的 ValueError，得到 {_name_error(error)}"
        seen.complaint += _line_of(error, function)
        seen.diagnosis = _Diagnosis(
            "这是别处碰巧报的错，没有告诉调用者哪里不对",
            "自己先检查再计算；报错的话里写出收到的 d_model 是几。",
        )


def _compare(seen: _Seen) -> None:
    trial, value = seen.trial, seen.value
    expected = np.asarray(trial.expected)
    if trial.pair and isinstance(value, tuple | list) and len(value) == 2:
        with contextlib.suppress(TypeError, ValueError):  # 里面不是数的，留给下面去说
            value = seen.value = np.array([float(part) for part in value])
    if type(value) is not np.ndarray and not (expected.ndim == 0 and isinstance(value, np.generic | float | int)):
        what = "两个数" if trial.pair else " NumPy 数组" if expected.ndim else "一个数"
        words, seen.diagnosis = _explain_type(value, what)
        seen.complaint = f"应返回{what}，{words}"
        if trial.pair and value is not None and value is not ...:
            seen.diagnosis = _Diagnosis("要返回两个数", "return omega, wavelength：先角频率，后波长，中间用逗号。")
        return
    got = np.asarray(value)
    if got.shape != expected.shape:
        seen.complaint = f"形状应为 {expected.shape}，得到 {got.shape}"
        seen.diagnosis = _explain_shape(got.shape, expected.shape)
        return
    allowed = [np.float32, np.float64] if trial.dtype is None else np.atleast_1d(np.asarray(trial.dtype, dtype=object))
    allowed = [np.dtype(t) for t in allowed]
    if got.dtype.kind not in "fiub":
        seen.complaint = f"dtype 应为{_name_types(allowed)}，得到 {got.dtype.name}"
        seen.diagnosis = _explain_dtype(got.dtype, allowed)
        return
    if got.dtype.kind == "f" or got.dtype in allowed:
        seen.array = got.astype(np.float64)
    with np.errstate(invalid="ignore"):
        wrong = ~((got == expected) | (np.abs(got.astype(np.float64) - expected) <= trial.atol))
    if got.dtype not in allowed:
        seen.complaint = f"dtype 应为{_name_types(allowed)}，得到 {got.dtype.name}"
        seen.diagnosis = _explain_dtype(got.dtype, allowed)
    elif wrong.any():
        index = tuple(int(k) for k in np.argwhere(wrong)[0])
        want, have = float(expected[index]), float(got[index])
        where = f"{trial.place(index)}，" if index else ""
        seen.complaint = f"{where}应为 {_number(want, have)}，得到 {_number(have, want)}"


def _name_types(allowed: list[np.dtype]) -> str:
    if len(allowed) > 3:
        return "整数" if all(t.kind in "iu" for t in allowed) else "整数、浮点数或布尔值"
    return " " + " 或 ".join(t.name for t in allowed)


def _explain_dtype(got: np.dtype, allowed: list[np.dtype]) -> _Diagnosis:
    if all(t.kind in "iu" for t in allowed) and got.kind in "fb":
        kind = "浮点数" if got.kind == "f" else "布尔值"
        return _Diagnosis(
            f"返回的是{kind}，题目要整数的数组", "看是哪一步把整数变成了别的类型；最后 astype(int) 也行。"
        )
    if got.kind == "b":
        return _Diagnosis("结果是布尔值，题目要的是数", "真和假各换成哪个数？np.where(条件, 真的取, 假的取)。")
    if got.kind in "iu":
        return _Diagnosis("结果成了整数", "小数写进整数数组会被截断；新建数组时写明 dtype，不要沿用整数输入的 dtype。")
    if got.kind == "c":
        return _Diagnosis("结果是复数", "用复数计算可以，返回之前取出实部和虚部，放进各自的列。")
    if got.kind not in "fc":
        return _Diagnosis("数组里装的不是数", "各行的长度是否一样？新建数组时写明 dtype。")
    if len(allowed) == 1:
        return _Diagnosis(
            "没有照要求的 dtype 返回",
            "NumPy 默认用 float64；把要求的 dtype 一路传到新建数组的地方，或者最后 astype 一次。",
        )
    return _Diagnosis("精度不合题目的要求", "新建数组时写明 dtype。")
