"""练习的检查器：不只说对错，还说第一处错在哪里、像是哪种错。

每道代码练习有一个 ``check_…``，把你写的函数交给它。期望值由本文件用循环逐个算出，不用 ``sinpe`` 的其他代码。
认错的办法是把常见的错照样犯一遍，看结果与你的是否处处相同，所以换了形状和底数也认得出。
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import functools
import inspect
import io
import itertools
import linecache
import math
import random
import re
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .encoding import _show as _received

__all__ = [
    "check_add_encoding",
    "check_angular_frequencies",
    "check_double",
    "check_encode_at",
    "check_encode_one",
    "check_encode_rows",
    "check_encode_table",
    "check_endpoint_frequencies",
    "check_frequency",
    "check_grid_table",
    "check_layouts",
    "check_neighbor_mask",
    "check_permutation_matrix",
    "check_read_base",
    "check_relative_table",
    "check_shift_matrix_halves",
    "check_similarity",
    "check_smallest_base",
    "check_token_positions",
    "progress",
    "strict",
]

_TIME_LIMIT = 5.0  # 秒，一次调用；正确的写法都在百分之一秒以内

_dice = random.Random()  # 自己的一颗，不动读者用 random.seed 定下的次序，也不受它影响
_state = {"strict": False}
_passed: set[str] = set()


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


# ------------------------------------------------------------------ 检查一道练习


def _check(exercise: _Exercise, *answers: Any) -> None:
    with np.errstate(all="ignore"):  # 认错时会照样犯错，不该把警告带给读者
        verdict, text = _judge(exercise, answers)
    if verdict == "通过":
        _passed.add(exercise.number)
    else:
        _passed.discard(exercise.number)
        if _state["strict"]:
            raise AssertionError(text)
    print(text)


def _judge(exercise: _Exercise, answers: Sequence[Any]) -> tuple[str, str]:
    """返回判定（通过、尚未作答、不对）和要说的话。"""
    title = f"练习 {exercise.number}"
    if any(answer is ... for answer in answers):
        return "尚未作答", f"{title}：尚未作答。"
    for answer, name in zip(answers, exercise.names, strict=True):
        if not callable(answer):
            said = f"请把函数本身交给检查器，名字后面不加括号：{name}；收到的是 {type(answer).__name__}。"
            return "不对", f"{title}：{said}"
    trials = exercise.trials()
    seen: list[_Seen] = []
    for trial in [*trials, *trials[:1]]:  # 头一次最后再来一遍：记着上一次结果的函数，这时露馅
        seen.append(_call(answers[trial.which], trial))
        mine = [s for s in seen if s.trial.which == trial.which]
        if len(mine) == 1 and mine[0].value is ... and not any(s.complaint for s in seen):
            return "尚未作答", f"{title}：尚未作答。"
        _look(seen[-1], answers[trial.which])
        if seen[-1].timed_out:
            break
    for s in seen:  # 先前返回的数组，后来的调用不该改动它
        if not s.complaint and s.array is not None and not np.array_equal(s.array, np.asarray(s.value, np.float64)):
            s.complaint = "返回时是对的，后来再调用函数，这个数组却变了"
            s.diagnosis = _Diagnosis("几次调用返回的是同一个数组", "数组要在函数里面新建，不要放在外面反复使用。")
    wrong = [s for s in seen if s.complaint]
    if not wrong:
        warned = next((s.warned for s in seen if s.warned), "")
        lines = [f"{title}：通过。", exercise.tested, f"值得注意：{exercise.note}"]
        lines += [f"运行时有一句警告，想想它从哪里来：{warned}"] if warned else []
        return "通过", "\n".join(lines)
    return "不对", _tell(exercise, title, seen, wrong)


def _tell(exercise: _Exercise, title: str, seen: list[_Seen], wrong: list[_Seen]) -> str:
    first = wrong[0]
    lines = [f"{title}：还不对。{len(seen)} 次调用里对了 {len(seen) - len(wrong)} 次。"]
    lines.append(f"第一处不同：{_spell(exercise, first.trial)}：{first.complaint}")
    if first.printed.strip():
        lines.append("这一次它打印了：" + first.printed.strip()[:300])
    if first.warned:
        lines.append(f"运行时的警告：{first.warned}")
    found = None
    if len(seen) > 1 and len(wrong) == 1 and wrong[0] is seen[-1]:
        found = _Diagnosis("同样的输入，第二次的结果与第一次不同", "函数不要记着上一次的结果，也不要改动外面的变量。")
    elif first.complaint.startswith("形状") and exercise.diagnose is _search:
        found = first.diagnosis  # 形状已经说明了问题，不必从碰巧对得上的几次里找
    elif not (first.timed_out or first.changed):
        found = _rounded(wrong) or exercise.diagnose(seen)
        if not found and sum(np.size(s.array) for s in wrong if s.array is not None) >= 8:
            if part := exercise.diagnose(wrong):
                found = _Diagnosis(f"有的输入对，不对的那些：{part.name}", part.hint)
    found = found or first.diagnosis or _observe(seen)
    if found:
        lines.append(f"像是这种错：{found.name}。")
    else:
        found = _describe(exercise, seen)
        lines.append(f"没有认出是哪种错，只看得出：{found.name}。")
    lines.append(f"提示：{found.hint}")
    return "\n".join(lines)


def _rounded(wrong: list[_Seen]) -> _Diagnosis | None:
    """每个不对的数，是不是应有的数四舍五入到几位小数。"""
    arrays = [(s.array, np.asarray(s.trial.expected, np.float64)) for s in wrong if not s.diagnosis]
    for digits in range(1, 9):
        off = 0.6 * 10.0**-digits
        if any(np.abs(got - want)[np.isfinite(want)].max(initial=0) > off for got, want in arrays):
            break
        rounded = [np.round(want, digits) for _, want in arrays]
        if any(np.array_equal(r, want) for r, (_, want) in zip(rounded, arrays, strict=True)):
            continue  # 本来就没有更多的位数，说明不了什么
        if arrays and all(
            np.allclose(got, r, rtol=1e-7, atol=1e-2 * off + np.max(s.trial.atol))
            for r, (got, _), s in zip(rounded, arrays, (s for s in wrong if not s.diagnosis), strict=True)
        ):
            return _Diagnosis(f"结果四舍五入到了 {digits} 位小数", "返回原样的数；要少看几位，打印的时候再舍入。")
    return None


def _describe(exercise: _Exercise, seen: list[_Seen]) -> _Diagnosis:
    """没有认出来时，说看得见的：差一个倍数，次序不同，或者对的和错的各是哪些。"""
    wrong = [(s.array, np.asarray(s.trial.expected)) for s in seen if s.complaint and not s.diagnosis]
    if any(np.isnan(got).any() and not np.isnan(want).any() for got, want in wrong):
        return _Diagnosis("结果里有 nan", "找第一个出现 nan 的中间量：0/0、0 乘无穷，还是超出了定义域？")
    finite = all(np.isfinite(s.trial.expected).all() for s in seen if not s.trial.refuses)
    if finite and any(np.isinf(got).any() for got, _ in wrong):
        return _Diagnosis("结果里有无穷大", "找第一个出现 inf 的中间量：除以了 0，还是大到放不下？")
    for name, hint, change in (
        ("行和列颠倒了", "转置一下，看是不是它。", lambda want: want.T),
        ("行的次序整个反了", "第一行应是什么？", lambda want: want[::-1]),
        ("列的次序整个反了", "第一列应是什么？", lambda want: want[..., ::-1]),
    ):
        if wrong and all(want.ndim and _close(got, change(want)) and not _close(got, want) for got, want in wrong):
            return _Diagnosis(name, hint)
    if wrong and all(np.allclose(got, want, rtol=1e-3, atol=1e-3) for got, want in wrong):
        most = max(float(np.nanmax(np.abs(got - want) / np.maximum(1, np.abs(want)))) for got, want in wrong)
        said = f"都很接近，差得最多的也只差 {most:.1g}（大于 1 的数按相对误差算）"
        return _Diagnosis(said, "像是精度不够：中间有没有四舍五入，有没有用 float32、float16，常数的位数够不够？")
    if wrong and wrong[0][1].any():
        got, want = wrong[0]
        k = np.argmax(np.where(np.isfinite(want), np.abs(want), 0))
        scale = float(got.flat[k] / want.flat[k])
        if all(_close(got, scale * want) for got, want in wrong):
            return _Diagnosis(f"每个数都是应有的 {_number(scale)} 倍", "多乘了什么，或者少除了什么？")
    calls = {bool(s.complaint): _spell(exercise, s.trial) for s in reversed(seen)}
    if len(calls) == 2:
        said = f"有的输入对，例如 {calls[False]}；有的不对，例如 {calls[True]}"
        return _Diagnosis(said, "对的与不对的，输入有什么不同？")
    return _Diagnosis("每一次都不对", "从最小的一次调用开始，手算一个数，再打印中间的每一步。")


# ------------------------------------------------------------------ 编码表：照样犯一遍常见的错


class _Rule(NamedTuple):
    """角度的一种算法。angle(pos, i, col, d, b)：col 是交错布局里的列号，2i 或 2i + 1。"""

    name: str
    hint: str
    angle: Callable[[float, int, int, int, float], float]
    cost: float = 1
    atol: float = 0.0


class _Change(NamedTuple):
    """位置或布局的一种改动。"""

    name: str
    hint: str
    change: Callable[..., Any]


def _row(pos: float, d: int, base: float = 10000.0) -> list[float]:
    """照公式逐个算出一行：这就是期望值。"""
    row = []
    for i in range(d // 2):
        angle = pos / base ** (2 * i / d)
        row += [math.sin(angle), math.cos(angle)]
    return row


def _keep_bits(x: float, bits: int) -> float:
    """只留 bits 位二进制有效数字：24 是 float32，11 是 float16，8 是 bfloat16。"""
    if bits == 11 and abs(x) >= 65520:  # float16 放不下
        return math.copysign(math.inf, x)
    mantissa, exponent = math.frexp(x)
    return math.ldexp(round(math.ldexp(mantissa, bits)), exponent - bits)


def _power(exponent: Callable[[int, int, int], float]) -> Callable[[float, int, int, int, float], float]:
    return lambda p, i, col, d, b: p * b ** -exponent(i, col, d)


_PAIR = "第 2i 列和第 2i+1 列共用第 i 个角频率：先算出 d_model/2 个角度，再分给正弦和余弦。"
_TWICE = "编号若走的是 0、2、4、…，它就已经是 2i 了；从“第几对”重新数一遍。"
_ENDS = "把 i = 0 和 i = d_model/2 - 1 代进公式，指数各应是多少？"

# 角频率是 base**(-指数)：（名字，提示，指数）
_LADDERS = [
    ("指数加倍，2 乘了两遍（底数写成了它的平方，例如一亿，结果也一样）", _TWICE, lambda i, col, d: 4 * i / d),
    ("指数加倍，余弦还用了自己的指数：编号数的是列，又乘了一次 2", _TWICE + _PAIR, lambda i, col, d: 2 * col / d),
    ("余弦用了自己的指数（第几列就用几）", _PAIR, lambda i, col, d: col / d),
    ("余弦用了自己的指数（用了下一对的）", _PAIR, lambda i, col, d: (2 * i + 2 * (col % 2)) / d),
    ("余弦用了自己的指数（正弦加倍，余弦用了再下一列的）", _PAIR, lambda i, col, d: (4 * i + col % 2) / d),
    ("指数写成了 i/(d/2-1)，两头都取到", _ENDS, lambda i, col, d: 2 * i / (d - 2)),
    ("指数的分母少了 1，写成了 d_model - 1", _ENDS, lambda i, col, d: 2 * i / (d - 1)),
    ("指数的分母多了 1", _ENDS, lambda i, col, d: 2 * i / (d + 1)),
    ("指数的分母多了 2", _ENDS, lambda i, col, d: 2 * i / (d + 2)),
    ("编号从 1 数起，角频率整体挪了一格", _ENDS, lambda i, col, d: 2 * (i + 1) / d),
    ("指数差了一列，写成了 (2i+1)/d", _ENDS, lambda i, col, d: (2 * i + 1) / d),
    ("指数少乘了 2，写成了 i/d（底数写成了它的平方根，例如 100，结果也一样）", _ENDS, lambda i, col, d: i / d),
    ("角频率的次序反了", "第 0 对应当最快，角频率是 1。", lambda i, col, d: (d - 2 - 2 * i) / d),
    ("角频率的次序反了", "第 0 对应当最快，角频率是 1。", lambda i, col, d: (d - 2 * i) / d),
    ("每一对的角频率都是 1，像是指数里作了整数除法", "/ 与 // 不同；再看中间有没有转成整数。", lambda i, col, d: 0),
    ("每一对的角频率都一样，用的都是最后一对的", "下标 i 用上了吗？", lambda i, col, d: (d - 2) / d),
    ("指数忘了除以 d_model", _ENDS, lambda i, col, d: 2 * i),
    ("指数忘了除以 d_model，也没有乘 2", _ENDS, lambda i, col, d: i),
    ("乘除颠倒了，pos/div_term 该乘的除了，或该除的乘了", "角频率应从 1 起越来越小。", lambda i, col, d: -2 * i / d),
    ("乘除颠倒了，指数还加了倍", _TWICE + "角频率应从 1 起越来越小。", lambda i, col, d: -4 * i / d),
    ("乘除颠倒了，余弦还用了自己的指数", _PAIR + "角频率应从 1 起越来越小。", lambda i, col, d: -col / d),
]
_DEGREES = "np.sin 和 math.sin 只认弧度；公式里的角度本来就是弧度，不用换算。"
_SLASH = "/ 与 // 不同；再看角度在变成正弦之前，有没有转成整数。"
_ORDER = "** 先算，* 和 / 从左往右；给整个指数加上括号。"
_SPECIAL = [
    ("所有的角度都是 0，像是作了整数除法", _SLASH, lambda p, i, col, d, b: 0.0),
    ("作了整数除法，角度丢了小数", _SLASH, lambda p, i, col, d, b: p // b ** (2 * i / d)),
    ("作了整数除法，除数也取了整", _SLASH, lambda p, i, col, d, b: p // math.trunc(b ** (2 * i / d))),
    ("指数取了整", _SLASH, lambda p, i, col, d, b: p * math.exp(math.trunc(-2 * i / d * math.log(b)))),
    ("指数取了整", _SLASH, lambda p, i, col, d, b: p * math.exp(-2 * i * math.log(b) // d)),
    (
        "乘方套住了 pos/base，余弦还用了自己的指数：(pos/base)**(2j/d)",
        "乘方只管底数，不管 pos。" + _PAIR,
        lambda p, i, col, d, b: (p / b) ** (2 * col / d),
    ),
    ("角度取了整", _SLASH, lambda p, i, col, d, b: float(round(p / b ** (2 * i / d)))),
    ("角度取了整", _SLASH, lambda p, i, col, d, b: float(math.trunc(p / b ** (2 * i / d)))),
    ("角频率取了整", _SLASH, lambda p, i, col, d, b: p * math.trunc(b ** (-2 * i / d))),
    ("除数取了整", _SLASH, lambda p, i, col, d, b: p / math.trunc(b ** (2 * i / d))),
    ("除数取了整", _SLASH, lambda p, i, col, d, b: p / round(b ** (2 * i / d))),
    (
        "乘方套住了 pos/base：(pos/base)**(2i/d)",
        "乘方只管底数，不管 pos。",
        lambda p, i, col, d, b: (p / b) ** (2 * i / d),
    ),
    ("乘方套住了 pos", "乘方只管底数，不管 pos。", lambda p, i, col, d, b: (p * b) ** (-2 * i / d)),
    ("乘方套住了 pos", "乘方只管底数，不管 pos。", lambda p, i, col, d, b: p ** (2 * i / d) / b),
    ("指数没有加括号，先除以了 base 的平方", _ORDER, lambda p, i, col, d, b: p / b**2 * i / d),
    ("指数没有加括号，d_model 除在了外面", _ORDER, lambda p, i, col, d, b: p / b ** (2 * i) / d),
    ("指数没有加括号，d_model 乘在了外面", _ORDER, lambda p, i, col, d, b: p / (b ** (2 * i) / d)),
    ("指数没有加括号，乘在了外面", _ORDER, lambda p, i, col, d, b: p / (b**2 * i / d)),
    *(
        (
            f"角频率只留了 {digits} 位小数",
            "角频率不要四舍五入：位置会把误差放大。",
            lambda p, i, col, d, b, digits=digits: p * round(b ** (-2 * i / d), digits),
        )
        for digits in (1, 2, 3, 4, 5, 6)
    ),
    (
        "角频率成了等差的，应当等比",
        "相邻两个角频率之比相同，不是之差。",
        lambda p, i, col, d, b: p * (1 - (1 - 1 / b) * i / (d // 2 - 1)),
    ),
    ("把乘方写成了乘法", "** 是乘方，* 是乘法。", lambda p, i, col, d, b: p / (b * 2 * i / d)),
    ("把乘方写成了乘法", "** 是乘方，* 是乘法。", lambda p, i, col, d, b: p * (b * -2 * i / d)),
    (
        "角频率成了等差的，应当等比",
        "相邻两个角频率之比相同，不是之差。",
        lambda p, i, col, d, b: p * (1 - (1 - 1 / b) * 2 * i / d),
    ),
    ("角频率成了等差的，应当等比", "相邻两个角频率之比相同，不是之差。", lambda p, i, col, d, b: p * (1 - 2 * i / d)),
    (
        "自然对数写成了以 10 为底的对数",
        "exp 的反函数是 np.log，不是 np.log10。",
        lambda p, i, col, d, b: p * math.exp(-2 * i / d * math.log10(b)),
    ),
    (
        "自然对数写成了以 2 为底的对数",
        "exp 的反函数是 np.log，不是 np.log2。",
        lambda p, i, col, d, b: p * math.exp(-2 * i / d * math.log2(b)),
    ),
    (
        "exp 的括号放错了地方，只套住了编号",
        "底数的对数要和编号一起放进 exp。",
        lambda p, i, col, d, b: -p * math.exp(2 * i) * math.log(b) / d,
    ),
    (
        "exp 的括号放错了地方，只套住了编号",
        "底数的对数要和编号一起放进 exp。",
        lambda p, i, col, d, b: -p * math.exp(i) * math.log(b) / (d // 2 - 1),
    ),
    ("用的是波长，不是角频率", "波长是 2π 除以角频率。", lambda p, i, col, d, b: p * 2 * math.pi * b ** (2 * i / d)),
    ("除以了波长，少乘了 2π", "波长是 2π 除以角频率。", lambda p, i, col, d, b: p / (2 * math.pi * b ** (2 * i / d))),
    (
        "正弦里多乘了 2π",
        "公式里没有 2π：角频率本来就以弧度计。",
        lambda p, i, col, d, b: p * 2 * math.pi * b ** (-2 * i / d),
    ),
    ("正弦里多乘了 π", "公式里没有 π：角频率本来就以弧度计。", lambda p, i, col, d, b: p * math.pi * b ** (-2 * i / d)),
    ("角度当成度，换成了弧度", _DEGREES, lambda p, i, col, d, b: math.radians(p * b ** (-2 * i / d))),
    ("弧度换成了度", _DEGREES, lambda p, i, col, d, b: math.degrees(p * b ** (-2 * i / d))),
    *(
        (f"位置多乘了 {factor:g}", "公式里没有这个倍数。", lambda p, i, col, d, b, f=factor: f * p * b ** (-2 * i / d))
        for factor in (1000.0, 100.0, 10.0, 2.0, 0.5, 0.1, 0.01, 0.001)
    ),
    ("位置没有乘进去，只有角频率", "每一行都应不同。", lambda p, i, col, d, b: b ** (-2 * i / d)),
    ("角频率与位置相加了，应当相乘", "角度 = 位置 × 角频率。", lambda p, i, col, d, b: p + b ** (-2 * i / d)),
    ("缺一个轴，第 i 列的位置成了 i", "位置要用 [:, None] 变成一列。", lambda p, i, col, d, b: i * b ** (-2 * i / d)),
    (
        "行和列颠倒了：位置和编号换了角色",
        "哪一个轴是位置，哪一个轴是列？",
        lambda p, i, col, d, b: i * b ** (-2 * p / d),
    ),
]
_BASES = [10000.0, 1000.0, 100.0, 1e5, 1e6, 1e8, 10.0, 2.0, 500000.0, 20000.0, 512.0, 1024.0, 9999.0, 10001.0, math.e]
_BASE = "论文的底数是 10000；有 base 这个参数时，要用参数的值。"
_LOW = "位置和角频率先以 float64 相乘，取过正弦、余弦之后再换成低精度。"


def _based(b0: float) -> Callable[[float, int, int, int, float], float]:
    return lambda p, i, col, d, b: p * b0 ** (-2 * i / d)


def _rules() -> list[_Rule]:
    """角度的各种算法，从最像的到最不像的；第一个是对的。"""
    rules = [_Rule("", "", _power(lambda i, col, d: 2 * i / d), 0)]
    rules += [_Rule(name, hint, _power(exponent)) for name, hint, exponent in _LADDERS]
    rules += [_Rule(*special) for special in _SPECIAL]
    for base in _BASES:
        name = f"底数不对，用的是 {base:g}"
        rules.append(_Rule(name, _BASE, _based(base), 1.2))
    for bits, kind in ((11, "float16"), (8, "bfloat16")):
        for what, angle in (
            ("角频率", lambda p, w, keep: p * keep(w)),
            ("角度", lambda p, w, keep: keep(p * w)),
            ("位置、角频率和角度", lambda p, w, keep: keep(keep(p) * keep(w))),
        ):
            keep = functools.partial(_keep_bits, bits=bits)
            rule = functools.partial(lambda p, i, col, d, b, f, keep: f(p, b ** (-2 * i / d), keep), f=angle, keep=keep)
            rules.append(_Rule(f"{what}存成了 {kind}", _LOW, rule, 1.5, 2.0**-9))
    for (name, hint, exponent), base in itertools.product(_LADDERS, (10000.0, 1000.0, 100.0, 1e5, 1e6)):

        def angle(p, i, col, d, b, exponent=exponent, base=base):
            return p * base ** -exponent(i, col, d)

        rules.append(_Rule(f"{name}；底数也不对，用的是 {base:g}", hint, angle, 2.2))
    return rules


def _from_the_end(positions: Sequence[float]) -> list[float]:
    rows = max(positions) + 1
    return [p if p >= 0 else p + rows for p in positions]


def _over_the_largest(positions: Sequence[float]) -> list[float]:
    largest = max(map(abs, positions)) or 1
    return [p / largest for p in positions]


# 位置的改动：由应有的位置得到错的位置
_SHIFTS = [
    _Change("", "", lambda ps: ps),
    _Change("位置从 1 数起", "第一个位置是 0。", lambda ps: [p + 1 for p in ps]),
    _Change("位置少了 1", "第一个位置是 0。", lambda ps: [p - 1 for p in ps]),
    _Change("正弦变了号，也就是位置的正负反了", "往哪边走是正？代一个数进去看。", lambda ps: [-p for p in ps]),
    _Change("位置的次序反了", "第一行应是哪个位置？", lambda ps: ps[::-1]),
    _Change("用了下标，没有用位置的值", "位置由参数给出，不一定是 0、1、2、…。", lambda ps: [*range(len(ps))]),
    _Change(
        "用了下标，没有用位置的值，还从 1 数起",
        "位置由参数给出，不一定是 0、1、2、…。",
        lambda ps: [*range(1, len(ps) + 1)],
    ),
    _Change("负的位置取了绝对值", "负的位置和正的位置，正弦的符号相反。", lambda ps: [abs(p) for p in ps]),
    _Change("负的位置成了 0", "负的位置也照公式算。", lambda ps: [max(p, 0) for p in ps]),
    _Change(
        "负的位置被当成了倒数第几行",
        "拿负数作 NumPy 的下标，取到的是末尾的行；负的位置要另外算。",
        _from_the_end,
    ),
    _Change("位置取了整", "位置可以是小数，不要转成整数。", lambda ps: [math.trunc(p) for p in ps]),
    _Change("位置取了整", "位置可以是小数，不要转成整数。", lambda ps: [math.floor(p) for p in ps]),
    _Change("位置取了整", "位置可以是小数，不要转成整数。", lambda ps: [round(p) for p in ps]),
    _Change("位置除以了长度", "公式里没有长度。", lambda ps: [p / len(ps) for p in ps]),
    _Change("位置除以了长度减 1", "公式里没有长度。", lambda ps: [p / max(len(ps) - 1, 1) for p in ps]),
    _Change("位置除以了最大的位置", "公式里没有长度。", _over_the_largest),
    _Change("位置减去了最小的一个", "位置由参数给出，照原样用。", lambda ps: [p - q for q in [min(ps)] for p in ps]),
    _Change("位置减去了第一个", "位置由参数给出，照原样用。", lambda ps: [p - ps[0] for p in ps]),
    _Change("每一行都成了位置 0", "位置用上了吗？", lambda ps: [0 for _ in ps]),
    _Change("每一行都成了同一个位置", "下标选的是一段还是一行？", lambda ps: [ps[-1] for _ in ps]),
    _Change(
        "位置存成了 float16，大的整数分不开",
        "float16 只有 11 位有效数字，2048 以上的整数就不全了；位置留在整数或 float64 里。",
        lambda ps: [_keep_bits(p, 11) for p in ps],
    ),
    _Change(
        "位置存成了 bfloat16，大的整数分不开",
        "bfloat16 只有 8 位有效数字，256 以上的整数就不全了；位置留在整数或 float64 里。",
        lambda ps: [_keep_bits(p, 8) for p in ps],
    ),
    _Change(
        "位置存成了 float32，大的整数分不开",
        "float32 只有 24 位有效数字；位置留在整数或 float64 里。",
        lambda ps: [_keep_bits(p, 24) for p in ps],
    ),
    _Change(
        "位置存成了 8 位整数，溢出了",
        "换一种放得下的整数。",
        lambda ps: [(math.trunc(p) + 128) % 256 - 128 for p in ps],
    ),
    _Change("位置存成了 8 位整数，溢出了", "换一种放得下的整数。", lambda ps: [math.trunc(p) % 256 for p in ps]),
    _Change(
        "位置存成了 16 位整数，溢出了",
        "换一种放得下的整数。",
        lambda ps: [(math.trunc(p) + 2**15) % 2**16 - 2**15 for p in ps],
    ),
]


def _minus_sin(x: float) -> float:
    return -math.sin(x)


def _minus_cos(x: float) -> float:
    return -math.cos(x)


def _zero(x: float) -> float:
    return 0.0


def _alternate(even: Callable[[float], float], odd: Callable[[float], float]) -> Callable[..., Any]:
    return lambda k, j, n, d: (k, (even, odd)[j % 2], j)


def _halves(left: Callable[[float], float], right: Callable[[float], float]) -> Callable[..., Any]:
    return lambda k, j, n, d: (k, left, 2 * j) if j < d // 2 else (k, right, 2 * j - d + 1)


def _transposed_first(k: int, j: int, n: int, d: int) -> tuple[int, Callable[[float], float], int]:
    col, row = divmod(k * d + j, n)
    return row, (math.sin, math.cos)[col % 2], col


def _stacked_last(k: int, j: int, n: int, d: int) -> tuple[int, Callable[[float], float], int]:
    i, rest = divmod(k * d + j, 2 * n)
    row, odd = divmod(rest, 2)
    return row, (math.sin, math.cos)[odd], 2 * i + odd


def _stacked_first(k: int, j: int, n: int, d: int) -> tuple[int, Callable[[float], float], int]:
    block, rest = divmod(k * d + j, n * (d // 2))
    row, i = divmod(rest, d // 2)
    return row, (math.sin, math.cos)[block], 2 * i + block


_NEIGHBOURS = "正弦放偶数列，余弦放奇数列：用 0::2 和 1::2，或者想好 reshape 之前哪个轴走得最快。"
_WHICH = "把位置 0 代进公式：sin 0 = 0，cos 0 = 1，第一行应是什么样子？"
# 布局的改动：第 k 行第 j 列放的是（哪一行，哪个函数，交错布局里的哪一列）
_LAYOUTS = [
    _Change("", "", _alternate(math.sin, math.cos)),
    _Change("正弦、余弦对调了", _WHICH, lambda k, j, n, d: (k, (math.cos, math.sin)[j % 2], j)),
    _Change("成了分半布局：先全部正弦，再全部余弦", _NEIGHBOURS, _halves(math.sin, math.cos)),
    _Change(
        "成了分半布局，而且余弦在前",
        _NEIGHBOURS,
        lambda k, j, n, d: (k, math.cos, 2 * j + 1) if j < d // 2 else (k, math.sin, 2 * j - d),
    ),
    _Change("奇数列也成了正弦", _WHICH, _alternate(math.sin, math.sin)),
    _Change("偶数列也成了余弦", _WHICH, _alternate(math.cos, math.cos)),
    _Change("正弦变了号，也就是位置的正负反了", "角度前面多了一个负号吗？", _alternate(_minus_sin, math.cos)),
    _Change("余弦变了号", "余弦前面多了一个负号吗？", _alternate(math.sin, _minus_cos)),
    _Change("全部变了号", "多了一个负号吗？", _alternate(_minus_sin, _minus_cos)),
    _Change("奇数列没有写，还是 0", "余弦放到奇数列了吗？", _alternate(math.sin, _zero)),
    _Change("偶数列没有写，还是 0", "正弦放到偶数列了吗？", _alternate(_zero, math.cos)),
    _Change(
        "列的次序整个反了", "第 0 列应当变得最快。", lambda k, j, n, d: (k, (math.cos, math.sin)[j % 2], d - 1 - j)
    ),
    _Change(
        "角频率重复的方式不对：应当每个连着用两次，却整串用了两遍",
        "np.tile 把整串重复，np.repeat 把每个数重复。",
        lambda k, j, n, d: (k, (math.sin, math.cos)[j % 2], j % (d // 2) * 2 + j % 2),
    ),
    _Change(
        "前一半的列用了正弦，后一半用了余弦，角频率却两列一换",
        _NEIGHBOURS,
        lambda k, j, n, d: (k, (math.sin, math.cos)[j >= d // 2], j),
    ),
    _Change("行之间串了：正弦、余弦叠成了最前面的轴", "stack 的 axis 放在哪里，reshape 才不会跨行？", _stacked_first),
    _Change("行之间串了：转置之后才 reshape", "reshape 之前，位置应是第 0 轴。", _transposed_first),
    _Change("行之间串了：转置之后才 reshape", "reshape 之前，位置应是第 0 轴。", _stacked_last),
    _Change("用了 tan", "一对里是正弦和余弦。", _alternate(math.sin, math.tan)),
]


def _value(function: Callable[[float], float], angle: Callable[..., float], *args: Any) -> tuple[float, float]:
    """返回一个数和它的角度；算不出来（除以 0、溢出）就是 nan。"""
    try:
        theta = angle(*args)
        return function(theta), abs(theta)
    except (ArithmeticError, ValueError, TypeError):
        return math.nan, 0.0


def _cells(seen: list[_Seen], moves: list, layout: _Change, some: Callable[[int], Iterable[int]]) -> tuple[list, list]:
    """取结果里的一些数，各配上照样犯错时用的位置、函数和列号；偶数列的和奇数列的分开。"""
    cells: tuple[list, list] = ([], [])
    for s, moved in zip(seen, moves, strict=True):
        positions, d, base = s.trial.table
        n, table = len(positions), s.array.reshape(-1, d)
        floor = 2.0**-10 if s.value.dtype == np.float16 else 2e-6
        for k, j in itertools.product(some(n), some(d)):
            if not table[k].any():  # 整行是 0：没有写的一行，另外说，不妨碍认出别的错
                continue
            row, function, col = layout.change(k, j, n, d)
            cells[col % 2].append((function, (moved[row], col // 2, col, d, base), float(table[k, j]), floor))
    return cells


def _fits(rule: _Rule, cells: list) -> bool:
    """照这种算法，这些数是否都对得上；算不出来的（0/0），和角度大到什么都说明不了的，不作数。"""
    compared = skipped = 0
    for function, args, got, floor in cells:
        want, theta = _value(function, rule.angle, *args)
        atol = floor + rule.atol + 4e-7 * theta  # 读者的角度可能是 float32 的
        if want == want and atol < 0.1:
            if not abs(got - want) <= atol:
                return False
            compared += 1
        skipped += want != want
    return compared > 2 * skipped


def _few(n: int) -> Iterable[int]:
    return range(n) if n <= 4 else (1, 2, 3, n - 1)


def _many(n: int) -> Iterable[int]:
    """长的轴只看两头和中间，够认错用了。"""
    return range(n) if n <= 24 else sorted({*range(10), *range(n // 2 - 3, n // 2 + 3), *range(n - 6, n)})


def _bases_in(seen: list[_Seen]) -> Iterable[float]:
    """由相邻两行之间转过的角读出底数，所以从哪里数起都行；第 1 对在第 2、3 列，分半布局则在第 1、d/2+1 列。"""
    for s in seen:
        positions, d, _ = s.trial.table
        rows = s.array.reshape(-1, d)
        if d >= 4 and len(rows) > 1 and abs(positions[1] - positions[0]) == 1:
            before, after = rows[:2]
        elif d >= 4 and positions[0] == 1:
            before, after = (
                np.array([0, 1] * (d // 2) if rows[0, 3] > 0.5 else [0] * (d // 2) + [1] * (d // 2)),
                rows[0],
            )
        else:
            continue
        for sine, cosine in ((2, 3), (1, d // 2 + 1)):
            turn = complex(after[cosine], after[sine]) * complex(before[cosine], -before[sine])
            omega = abs(math.atan2(turn.imag, turn.real))
            if 0 < omega < 1 and -d / 2 * math.log(omega) < 50:
                yield float(f"{omega ** (-d / 2):.5g}")
        return


def _rows(seen: _Seen) -> Any:
    return seen.array.reshape(-1, seen.trial.table[1])


def _empty_row(position: float) -> _Diagnosis:
    said = f"位置 {_show(position)} 的一行全是 0：没有写，或者当成了填充"
    return _Diagnosis(said, "每个位置都有编码；位置 0 的一行是 0、1 交替。")


def _search(seen: list[_Seen]) -> _Diagnosis | None:
    """在布局、位置、角度三方面的错里，找改动最少而与全部结果相符的一种。"""
    seen = [s for s in seen if s.array is not None and s.array.size and s.trial.table]
    if not seen:
        return None
    best: tuple[float, list[tuple[str, str]]] = (3.5, [])
    rules = _rules() + [_Rule(f"底数不对，像是 {b:.5g}", _BASE, _based(b), 1.3) for b in _bases_in(seen)]
    moves = [[shift.change(s.trial.table[0]) for s in seen] for shift in _SHIFTS]
    for (c, layout), (a, shift) in itertools.product(enumerate(_LAYOUTS), enumerate(_SHIFTS)):
        cost = (a > 0) + (c > 0) + 0.001 * (a + c)
        if cost >= best[0]:
            continue
        cheap = [rule for rule in rules if cost + rule.cost < best[0]]
        found = [[rule for rule in cheap if _fits(rule, half)] for half in _cells(seen, moves[a], layout, _few)]
        if not all(found):
            continue
        halves = _cells(seen, moves[a], layout, _many)
        found = [[rule for rule in some if _fits(rule, half)] for some, half in zip(found, halves, strict=True)]
        if not all(found):
            continue
        parts = [(change.name, change.hint) for change in (layout, shift) if change.name]
        both = [rule for rule in found[0] if rule in found[1]]
        if both:
            rule = min(both, key=lambda rule: rule.cost)
            parts += [(rule.name, rule.hint)] if rule.name else []
            total = cost + rule.cost
        else:
            sine, cosine = found[0][0], found[1][0]
            words = [rule.name or "对" for rule in (sine, cosine)]
            parts.append((f"一对里的两列没有共用角度（偶数列：{words[0]}；奇数列：{words[1]}）", _PAIR))
            total = cost + max(1.1, sine.cost + cosine.cost)
        if total < best[0]:
            best = (total, parts)
    parts = best[1]
    empty = [p for s in seen for p, row in zip(s.trial.table[0], _rows(s), strict=True) if not row.any()]
    if empty and best[0] < 3.5 and not any("还是 0" in name for name, _ in parts):
        parts = [*parts, _empty_row(empty[0])]
    if not parts:
        return None
    return _Diagnosis("；".join(name for name, _ in parts), "".join(dict.fromkeys(hint for _, hint in parts)))


_INTEGERS = [(600, "bfloat16"), (4200, "float16"), (2.0**15, "16 位的类型"), (2.0**26, "float32")]
# 结果舍入到它，误差至多多大；角度舍入到它，误差至多是位置的多少倍
_PRECISIONS = [
    ("float32", 2.0**-24, 2.0**-22),
    ("float16", 2.0**-11, 2.0**-9),
    ("bfloat16", 2.0**-8, 2.0**-6),
]


def _places(got: Any, right: Any) -> list[int]:
    """got 的每一行是 right 的第几行；找不到的是 -1。"""
    same = np.abs(got[:, None] - right).max(axis=-1) < 1e-5
    return np.where(same.any(axis=1), same.argmax(axis=1), -1).tolist()


def _grows_no_faster(seen: list[_Seen], per_step: float) -> bool:
    """低精度的角度，误差与位置成正比：误差是否都不超过位置的 per_step 倍。太大的位置什么都说明不了，不算。"""
    telling = False
    for s in seen:
        positions, d, _ = s.trial.table
        error = np.abs(s.array - s.trial.expected).reshape(-1, d)
        limit = per_step * np.maximum(np.abs(np.array(positions, np.float64)), 1)[:, None]
        if (error > limit)[np.broadcast_to(limit < 0.5, error.shape)].any():
            return False
        telling |= bool(
            (
                (limit < 0.5)
                & (error > np.reshape(s.trial.atol, (-1, 1) if np.ndim(s.trial.atol) == 0 else error.shape))
            ).any()
        )
    return telling


def _observe(seen: list[_Seen]) -> _Diagnosis | None:
    """照样犯错也对不上时，靠不变量说出看得见的毛病。"""
    wrong = [s for s in seen if s.complaint and not s.diagnosis and s.array.size and s.trial.table]
    if wrong and max(np.mean(np.abs(s.array - s.trial.expected) > s.trial.atol) for s in wrong) > 0.2:
        scales = [float((s.array * s.trial.expected).sum() / (s.trial.expected**2).sum()) for s in wrong]
        if abs(scales[0] - 1) > 1e-5 and all(
            np.allclose(s.array, scales[0] * s.trial.expected, atol=max(1e-6, np.max(s.trial.atol))) for s in wrong
        ):
            return _Diagnosis(f"整张表乘了 {_number(scales[0], 1)}", "公式里没有这个倍数。")
        offset = float((wrong[0].array - wrong[0].trial.expected).flat[0])
        if abs(offset) > 1e-5 and all(_close(s.array, s.trial.expected + offset) for s in wrong):
            return _Diagnosis(f"每个数都多了 {_number(offset)}", "公式里没有这个常数。")
        for name, rounding, per_step in _PRECISIONS:
            if max(np.abs(s.array - s.trial.expected).max() for s in wrong) <= rounding:
                said = f"结果的精度不够：像是先存成了 {name}，再换成别的类型"
                return _Diagnosis(said, "结果一直留在 float64 里，最后才换一次类型。")
            if _grows_no_faster(wrong, per_step):
                return _Diagnosis(f"公式对，精度不够，误差随位置增大：像是角度用 {name} 算的", _LOW)
    for s in sorted(wrong, key=lambda s: (s.array.size > 4000, -s.array.size)):  # 太大的表留到最后，省时间
        positions, d, base = s.trial.table
        got = s.array.reshape(-1, d)
        right = np.array([_row(p, d, base) for p in positions])
        if np.isnan(got).any():
            return _Diagnosis("结果里有 nan", "找第一个出现 nan 的中间量：有没有 0/0，或者没有写进去的格子？")
        empty = ~got.any(axis=1)
        if empty.any() and not empty.all():
            return _empty_row(positions[int(np.argmax(empty))])
        if len(got) > 1 and not (got != got[0]).any():
            return _Diagnosis("每一行都一样", "位置用上了吗？下标选的是一段还是一行？")
        where = np.abs(np.array(positions, dtype=np.float64))
        error = np.abs(got - right).max(axis=1)
        below = np.array(positions, dtype=np.float64) < 0
        bad = (np.abs(got - right) > np.broadcast_to(s.trial.atol, s.trial.expected.shape).reshape(-1, d)).any(axis=1)
        if below.any() and not below.all() and (bad == below).all():
            said = f"只有负的位置不对，例如位置 {_show(positions[int(np.argmax(below))])}"
            return _Diagnosis(said, "负的位置也照公式算：正弦变号，余弦不变。")
        same = np.abs(np.diff(got, axis=0)).max(axis=1, initial=0) == 0
        if len(got) > 2 and same.any() and not (np.diff(positions) == 0).any():
            most, run = 0, 0
            for equal in same:
                run = run + 1 if equal else 0
                most = max(most, run)
            if most > 4 + where.max() / 2**7:  # 比 bfloat16 最宽的间隔还长
                said = f"位置 {_show(positions[int(np.argmax(same))])} 起，连着 {most + 1} 行一模一样：位置像是截断了"
                return _Diagnosis(said, "位置由参数给出，多大都照公式算。")
            kind = next((name for limit, name in _INTEGERS if where[1:][same].min() <= limit), "放不下它的类型")
            said = f"位置 {_show(positions[int(np.argmax(same))])} 与下一个位置的编码一模一样：位置像是存成了 {kind}"
            return _Diagnosis(said, "低精度的浮点数放不下大的整数；位置留在整数或 float64 里。")
        near = where <= 64
        if near.any() and not near.all() and error[near].max() < 2e-2 < 10 * error[~near].max():
            return _Diagnosis("小的位置都对，大的位置才错：像是中间用了低精度", _LOW)
        if got.size > 4000:
            continue
        order = _places(got.T, right.T)
        if -1 not in order and len(got) > 1 and order != [*range(d)]:
            j = next(j for j in range(d) if order[j] != j)
            return _Diagnosis(f"列的次序不对：第 {j} 列放的像是应有的第 {order[j]} 列", _NEIGHBOURS)
        rows = _places(got, right)
        if -1 not in rows and rows != [*range(len(got))]:
            k = next(k for k in range(len(got)) if rows[k] != k)
            return _Diagnosis(f"行的次序不对：第 {k} 行放的像是应有的第 {rows[k]} 行", "第 k 行是哪个位置？")
        if got.min() < -1.001 or got.max() > 1.001:
            return _Diagnosis("有的数超出了 [-1, 1]", "正弦、余弦不会超出 1；最后一步取过正弦、余弦吗？")
        circle = got[:, 0::2] ** 2 + got[:, 1::2] ** 2
        if np.abs(circle - 1).max() > 1e-3:
            k, i = (int(x) for x in np.argwhere(np.abs(circle - 1) > 1e-3)[0])
            said = f"位置 {positions[k]} 的第 {2 * i}、{2 * i + 1} 列，平方和是 {_number(circle[k, i])}，不是 1"
            return _Diagnosis("一对里的两列没有共用角度：" + said, _PAIR)
        if len(got) > 1 and positions[1] == positions[0] + 1:
            z = got[:2, 1::2] + 1j * got[:2, 0::2]
            read, omega = np.angle(z[1] / z[0]), [base ** (-2 * i / d) for i in range(d // 2)]
            odd = np.abs(read - omega) > 1e-4 + 4 * np.max(s.trial.atol)
            if not odd.any():
                continue
            i = int(np.argmax(odd))
            said = f"由前两行读出，第 {i} 对的角频率是 {_number(read[i])}，应为 {_number(omega[i])}"
            return _Diagnosis("角频率不对：" + said, _ENDS)
    return None


def _diagnose_by(*mistakes: tuple[str, str, Callable[..., Any]]) -> Callable[[list[_Seen]], _Diagnosis | None]:
    """由一串“名字、提示、错的算法”得到诊断：错的算法与全部结果相符，就是它。"""

    def diagnose(seen: list[_Seen]) -> _Diagnosis | None:
        for name, hint, wrong in mistakes:
            if _agrees(seen, wrong):
                return _Diagnosis(name, hint)
        return None

    return diagnose


def _agrees(seen: list[_Seen], wrong: Callable[..., Any]) -> bool:
    """错的算法与看得懂的结果处处相同，而且至少有一次真的是错的。"""
    telling = False
    for s in seen:
        if s.array is None:
            continue
        try:
            with np.errstate(all="ignore"):
                want = np.asarray(wrong(*s.trial.args, **s.trial.kwargs), dtype=np.float64)
        except (ArithmeticError, ValueError, TypeError, IndexError):
            continue  # 这一次没有可比的
        if want.size and np.isnan(want).all():
            continue
        if not _close(s.array, want):
            return False
        telling |= not _close(want, np.asarray(s.trial.expected))
    return telling


# ------------------------------------------------------------------ 期望值与调用


def _loose(pos: float) -> float:
    """float32 的结果和角度也算对：结果舍入一次，角频率与角度各差几个 eps，随位置增长。"""
    return 2.0**-23 + 2.0**-22 * abs(pos)


def _atol(dtype: Any, pos: float) -> float:
    """结果舍入一次（至多四分之一个 eps，放宽一倍）；角度在 float64 里，误差随 eps·pos 增长，乘方与对数再加几个 eps。"""
    return float(np.finfo(dtype).eps) / 2 + 16 * 2.0**-52 * max(1.0, abs(pos))


def _table(
    positions: Sequence[float], d: int, base: float, dtype: Any, args: tuple, shape: Any = None, **more: Any
) -> _Trial:
    """一次调用，应返回这些位置的编码表。"""
    rows = [_row(p, d, base) for p in positions]
    if dtype is np.float32 and base == 10000:  # 写死的数只有十位小数，够核对 float32
        rows = [_GOLDEN.get((p, d), row) for p, row in zip(positions, rows, strict=True)]
    shape = (len(positions), d) if shape is None else shape
    atol = np.array([[_atol(dtype, p)] * d for p in positions]).reshape(shape)

    def place(index: tuple[int, ...]) -> str:
        k = int(np.ravel_multi_index(index, shape)) // d
        return f"位置 {_show(positions[k])}、第 {index[-1]} 列"

    expected = np.array(rows).reshape(shape)
    return _Trial(args, expected, dtype=dtype, atol=atol, place=place, table=([*positions], d, base), **more)


# 另外用高精度算好、写死在这里的几行：公式的循环万一抄错了，这里会露馅
_GOLDEN = {
    (1, 4): [0.8414709848, 0.5403023059, 0.0099998333, 0.9999500004],
    (2, 4): [0.9092974268, -0.4161468365, 0.0199986667, 0.9998000067],
    (1, 8): [
        0.8414709848,
        0.5403023059,
        0.0998334166,
        0.9950041653,
        0.0099998333,
        0.9999500004,
        0.0009999998,
        0.9999995000,
    ],
}


# ------------------------------------------------------------------ 第 00 课


def _one_row() -> list[_Trial]:
    cases = [
        (1, 8),
        (0, 2),
        (1, 2),
        (1, 4),
        (2, 4),
        (1, 6),
        (3, 8),
        (7, 6),
        (100, 16),
        (1000, 64),
        (2, 512),
        (2049, 8),
        (32767, 4),
    ]
    cases += [(_dice.randint(3, 300), 2 * _dice.randint(5, 40))]  # 每次换一组，背不下来
    return [
        _Trial(
            (pos, d),
            np.array(_GOLDEN.get((pos, d)) or _row(pos, d)),
            atol=_loose(pos),  # 这一课还没有讲精度
            place=lambda index: f"第 {index[0]} 列",
            table=([pos], d, 10000.0),
        )
        for pos, d in cases
    ]


_ENCODE_ONE = _Exercise(
    "0-2",
    ("encode_one",),
    _one_row,
    _search,
    "核对了 14 组位置和维度，位置从 0 到 32767，维度从 2 到 512；其中三行是另外算好的。",
    "第 2i 列和第 2i+1 列共用一个角度，所以它们的平方和总是 1。",
)


def check_encode_one(answer: Callable[..., Any]) -> None:
    """检查练习 0-2：``encode_one(pos, d_model)`` 返回一个位置的编码。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_encode_one(...)  # 还没有写
    练习 0-2：尚未作答。
    """
    _check(_ENCODE_ONE, answer)


def _in_sentence(index: tuple[int, ...]) -> str:
    return f"第 {index[0]} 句、位置 {index[1]}、第 {index[2]} 列"


def _additions() -> list[_Trial]:
    x, pe = np.tile([1.0, 2.0, 3.0, 4.0], (1, 2, 1)), np.array([_row(p, 4) for p in range(5)])
    golden = [[[1, 3, 3, 5], [1.8414709848, 2.5403023059, 3.0099998333, 4.9999500004]]]
    trials = [_Trial((x, pe), np.array(golden), dtype=np.float64, atol=1e-9, place=_in_sentence)]
    random_ = np.random.default_rng(0)
    for batch, n, d, longest in [
        (1, 2, 4, 5),
        (2, 3, 4, 10),
        (1, 1, 2, 1),
        (1, 3, 4, 3),
        (3, 1, 2, 5),
        (3, 3, 4, 9),
        (2, 5, 6, 6),
        (2, 4, 8, 8),
        (2, 4, 4, 4),
        (4, 4, 4, 6),
        (5, 7, 16, 50),
    ]:
        for dtype in (np.float32, np.float64):
            x = random_.normal(size=(batch, n, d)).astype(dtype)
            pe = np.array([_row(p, d) for p in range(longest)], dtype)
            expected = np.array(
                [[[float(x[b, p, j]) + float(pe[p, j]) for j in range(d)] for p in range(n)] for b in range(batch)]
            )
            trials.append(
                _Trial(
                    (x, pe),
                    expected,
                    dtype=dtype,
                    atol=4 * float(np.finfo(dtype).eps),  # 一次加法，和不超过 8
                    place=_in_sentence,
                )
            )
    return trials


_ONE_ROW_FOR_ALL = "pe[n] 和 pe[:, n] 取的是一行、一列，pe[:n] 取的才是前 n 行；中间的冒号不要漏，也不要放错地方。"
_WHICH_AXIS = "x 的形状是 (batch, seq_len, d_model)：句子是第 0 轴，位置是第 1 轴。"
_ADD_ENCODING = _Exercise(
    "0-3",
    ("add_encoding",),
    _additions,
    _diagnose_by(
        ("每个位置都加了同一行：取成了第 seq_len 行", _ONE_ROW_FOR_ALL, lambda x, pe: x + pe[x.shape[1]]),
        ("加上的是一列，不是一段：取成了第 seq_len 列", _ONE_ROW_FOR_ALL, lambda x, pe: x + pe[:, x.shape[1]]),
        (
            "加上的是一列，不是一段：取成了第 seq_len 列",
            _ONE_ROW_FOR_ALL,
            lambda x, pe: x + pe[: x.shape[1], x.shape[1]][:, None],
        ),
        ("每个位置都加了同一行：取成了最后一行", _ONE_ROW_FOR_ALL, lambda x, pe: x + pe[x.shape[1] - 1]),
        ("每个位置都加了同一行：取成了表的最后一行", _ONE_ROW_FOR_ALL, lambda x, pe: x + pe[-1]),
        ("每个位置都加了同一行：取了各行的平均", _ONE_ROW_FOR_ALL, lambda x, pe: x + pe[: x.shape[1]].mean(axis=0)),
        ("取成了后面的一段", "第一个词的位置是 0。", lambda x, pe: x + pe[x.shape[1] : 2 * x.shape[1]]),
        (
            "每句话的起点不同：第 k 句从位置 k 开始了",
            _WHICH_AXIS,
            lambda x, pe: np.array([x[k] + pe[k : k + x.shape[1]] for k in range(len(x))]),
        ),
        ("每个位置都加了同一行：总是位置 0", _ONE_ROW_FOR_ALL, lambda x, pe: x + pe[0]),
        ("每个位置都加了同一行：总是位置 1", _ONE_ROW_FOR_ALL, lambda x, pe: x + pe[1]),
        ("沿批的轴加了：第 k 句的每个词都加了位置 k", _WHICH_AXIS, lambda x, pe: x + pe[: x.shape[0], None]),
        ("沿批的轴取了长度：x.shape[0] 是句子的个数", _WHICH_AXIS, lambda x, pe: x + pe[: x.shape[0]]),
        ("位置从 1 数起", "第一个词的位置是 0。", lambda x, pe: x + pe[1 : x.shape[1] + 1]),
        ("取成了编码表的最后几行", "一句话从位置 0 开始。", lambda x, pe: x + pe[-x.shape[1] :]),
        ("位置的次序反了", "第一个词的位置是 0。", lambda x, pe: x + pe[: x.shape[1]][::-1]),
        ("减去了编码，应当相加", "看看符号。", lambda x, pe: x - pe[: x.shape[1]]),
        ("乘上了编码，应当相加", "看看符号。", lambda x, pe: x * pe[: x.shape[1]]),
        ("只返回了编码，没有加到 x 上", "x 用上了吗？", lambda x, pe: np.broadcast_to(pe[: x.shape[1]], x.shape)),
        ("原样返回了 x，编码没有加上", "相加的结果是新的数组，要接住它再返回。", lambda x, pe: x),
        ("编码加了两遍", "只加一遍。", lambda x, pe: x + 2 * pe[: x.shape[1]]),
        (
            "x 先乘了 √d_model，题目没有要求",
            "这个系数是另一件事，这道题只要相加。",
            lambda x, pe: x * x.shape[2] ** 0.5 + pe[: x.shape[1]],
        ),
        (
            "编码除以了 √d_model，题目没有要求",
            "这道题只要相加。",
            lambda x, pe: x + pe[: x.shape[1]] / x.shape[2] ** 0.5,
        ),
        ("取了平均，题目要的是和", "不用除以 2。", lambda x, pe: (x + pe[: x.shape[1]]) / 2),
        (
            "只有第一句加上了编码",
            _WHICH_AXIS,
            lambda x, pe: x + pe[: x.shape[1]] * (np.arange(len(x)) == 0)[:, None, None],
        ),
        (
            "沿批的轴接着数位置：第二句没有从 0 开始",
            _WHICH_AXIS,
            lambda x, pe: x + pe[: x.shape[0] * x.shape[1]].reshape(x.shape),
        ),
    ),
    "核对了 12 组形状，float32 和 float64 都有；有一句话的、一个词的，也有句子数、词数、维度相等的；其中一批是手算的。",
    "广播从右边对齐，所以 (seq_len, d_model) 的表对每一句话都加同样的数，不必写循环。",
)


def check_add_encoding(answer: Callable[..., Any]) -> None:
    """检查练习 0-3：``add_encoding(x, pe)`` 把编码加到一批句子上。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_add_encoding(...)  # 还没有写
    练习 0-3：尚未作答。
    """
    _check(_ADD_ENCODING, answer)


# ------------------------------------------------------------------ 第 01 课


def _masks() -> list[_Trial]:
    hidden = -math.inf
    trials = []
    for n in [3, 1, 2, 5, 8, 140, _dice.randint(9, 20)]:
        rows = [[0.0 if abs(s - t) <= 1 else hidden for t in range(n)] for s in range(n)]
        golden = [[0, 0, hidden], [0, 0, 0], [hidden, 0, 0]]
        trials.append(_Trial((n,), np.array(golden if n == 3 else rows), dtype=[np.float64, np.float32, np.float16]))
    return trials


def _mask(visible: Callable[[int, int, int], bool], yes: float = 0.0, no: float = -math.inf) -> Callable[[int], Any]:
    return lambda n: [[yes if visible(s, t, n) else no for t in range(n)] for s in range(n)]


_LOWEST = [float(np.finfo(kind).min) for kind in (np.float16, np.float32, np.float64)]
_VISIBLE = "掩码加在分数上：看得见的加 0，分数不变；看不见的加负无穷，softmax 之后权重是 0。"
_COUNT = "拿三个词的矩阵，逐个位置写出距离 |s - t|，再看哪些不超过 1。"
_NEIGHBOR_MASK = _Exercise(
    "1-2",
    ("neighbor_mask",),
    _masks,
    _diagnose_by(
        ("看得见的写成了 1，看不见的写成了 0", _VISIBLE, _mask(lambda s, t, n: abs(s - t) <= 1, 1, 0)),
        ("看得见的写成了 0，看不见的写成了 1", _VISIBLE, _mask(lambda s, t, n: abs(s - t) <= 1, 0, 1)),
        ("看得见的写成了 1", _VISIBLE, _mask(lambda s, t, n: abs(s - t) <= 1, 1)),
        ("看得见与看不见颠倒了", _VISIBLE, _mask(lambda s, t, n: abs(s - t) > 1)),
        ("看不见的加了正无穷，应是负无穷", _VISIBLE, _mask(lambda s, t, n: abs(s - t) <= 1, 0, math.inf)),
        (
            "看得见的成了 nan",
            "0 乘以无穷是 nan；不用乘法，用 np.where 挑选。",
            _mask(lambda s, t, n: abs(s - t) <= 1, math.nan),
        ),
        (
            "看不见的写成了 nan",
            "np.where 两边都会先算；0 乘以无穷是 nan。",
            _mask(lambda s, t, n: abs(s - t) <= 1, 0, math.nan),
        ),
        ("对角线也遮住了，词看不见自己", _COUNT, _mask(lambda s, t, n: abs(s - t) == 1)),
        ("只看得见自己", _COUNT, _mask(lambda s, t, n: s == t)),
        ("只看得见自己和左边的词", _COUNT, _mask(lambda s, t, n: s - t in (0, 1))),
        ("只看得见自己和右边的词", _COUNT, _mask(lambda s, t, n: t - s in (0, 1))),
        ("成了因果掩码：前文全看得见", _COUNT, _mask(lambda s, t, n: t <= s)),
        ("成了倒过来的因果掩码：后文全看得见", _COUNT, _mask(lambda s, t, n: t >= s)),
        ("前文全看得见，后面再看一个", _COUNT, _mask(lambda s, t, n: t - s <= 1)),
        ("后文全看得见，前面再看一个", _COUNT, _mask(lambda s, t, n: s - t <= 1)),
        ("左右各看了两个词", _COUNT, _mask(lambda s, t, n: abs(s - t) <= 2)),
        ("首尾接成了一圈", "第一个词的左边没有词。", _mask(lambda s, t, n: (s - t) % n in (0, 1, n - 1))),
        ("全都看得见", _COUNT, _mask(lambda s, t, n: True)),
        ("全都看不见", _COUNT, _mask(lambda s, t, n: False)),
        *(
            (
                f"看不见的写成了 {no:g}，不是负无穷",
                "加一个有限的数，权重只是小，不是 0；题目要 -np.inf。",
                _mask(lambda s, t, n: abs(s - t) <= 1, 0, no),
            )
            for no in (*(-(10.0**k) for k in (9, 4, 8, 5, 10, 30, 38, 0, 2, 1, 3, 6, 7, 12, 15, 18, 20, 300)), *_LOWEST)
        ),
    ),
    "核对了 7 种长度，从 1 个词到 140 个词；其中三个词的那张是手写的。",
    "这个掩码是对称的，所以整句倒过来，它不变。",
)


def check_neighbor_mask(answer: Callable[..., Any]) -> None:
    """检查练习 1-2：``neighbor_mask(seq_len)`` 返回只许看自己和左右各一个词的掩码。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_neighbor_mask(...)  # 还没有写
    练习 1-2：尚未作答。
    """
    _check(_NEIGHBOR_MASK, answer)


def _orders() -> list[_Trial]:
    trials = []
    for order in [[1, 2, 0], [0], [1, 0], [0, 1, 2], [2, 0, 3, 1], [4, 2, 0, 1, 3], _dice.sample(range(8), 8)]:
        n = len(order)
        golden = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
        rows = [[float(j == k) for j in range(n)] for k in order]
        trials.append(_Trial((order,), np.array(golden if order == [1, 2, 0] else rows), dtype=_NUMBERS))
    return trials


_NUMBERS = [np.float64, np.float32, np.float16, np.bool_, *map(np.dtype, np.typecodes["AllInteger"])]
_ONE_ROW_AT_A_TIME = "P @ X 的第 k 行是 P 的第 k 行乘 X；要它等于 X 的第 order[k] 行，那个 1 该放在第几列？"
_PERMUTATION_MATRIX = _Exercise(
    "1-3",
    ("permutation_matrix",),
    _orders,
    _diagnose_by(
        ("矩阵转置了：它把次序换回去", _ONE_ROW_AT_A_TIME, lambda o: np.eye(len(o))[:, o]),
        ("总是单位矩阵，次序没有换", _ONE_ROW_AT_A_TIME, lambda o: np.eye(len(o))),
        ("行的次序整个反了", _ONE_ROW_AT_A_TIME, lambda o: np.eye(len(o))[o[::-1]]),
        ("总是整句倒过来", "order 用上了吗？", lambda o: np.eye(len(o))[::-1]),
        ("换了两遍次序", "只换一遍。", lambda o: np.eye(len(o))[o][o]),
        ("0 和 1 颠倒了", "每行每列恰有一个 1。", lambda o: 1 - np.eye(len(o))[o]),
        ("1 放的位置差了一列", "下标从 0 数起。", lambda o: np.eye(len(o))[[(k + 1) % len(o) for k in o]]),
        ("1 放的位置差了一列", "下标从 0 数起。", lambda o: np.eye(len(o))[[(k - 1) % len(o) for k in o]]),
        ("返回的是次序本身，不是矩阵", _ONE_ROW_AT_A_TIME, lambda o: o),
        ("全是 0", "每行每列恰有一个 1。", lambda o: np.zeros((len(o), len(o)))),
        ("全是 1", "每行每列恰有一个 1。", lambda o: np.ones((len(o), len(o)))),
        ("放的是 order 的值，不是 1", "每行每列恰有一个 1，其余是 0。", lambda o: np.eye(len(o))[o] * np.array(o)),
        (
            "放的是 order 的值，不是 1",
            "每行每列恰有一个 1，其余是 0。",
            lambda o: np.eye(len(o))[o] * np.array(o)[:, None],
        ),
    ),
    "核对了 7 种次序，最短的只有一个词；其中 [1, 2, 0] 的那个矩阵是手写的。",
    "np.eye(n)[order] 就是它：把单位矩阵的行换个次序。它的转置把次序换回去。",
)


def check_permutation_matrix(answer: Callable[..., Any]) -> None:
    """检查练习 1-3：``permutation_matrix(order)`` 返回 ``P``，使 ``P @ X`` 等于 ``X[order]``。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_permutation_matrix(...)  # 还没有写
    练习 1-3：尚未作答。
    """
    _check(_PERMUTATION_MATRIX, answer)


# ------------------------------------------------------------------ 第 02 课


_CLOSE = 2.0**-19  # 角频率的相对误差：float32 的 exp 把指数（绝对值不到 14）的舍入放大十几倍


def _frequencies() -> list[_Trial]:
    cases = [
        (6, 10000.0),
        (2, 10000.0),
        (4, 10000.0),
        (8, 10000.0),
        (8, 100.0),
        (6, 2.0),
        (16, 10000),
        (10, 31.4),
        (64, 1e6),
        (512, 10000.0),
    ]
    cases += [(2 * _dice.randint(5, 40), float(_dice.randint(20, 90000)))]
    golden = {(6, 10000.0): [1, 0.046415888336, 0.002154434690], (8, 10000.0): [1, 0.1, 0.01, 0.001]}
    trials = []
    for d, base in cases:
        omega = np.array(golden.get((d, base)) or [1 / base ** (2 * i / d) for i in range(d // 2)])
        trials.append(_Trial((d, base), omega, atol=_CLOSE * omega, place=lambda index: f"第 {index[0]} 对"))
    return trials


def _frequency_mistakes() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    turns: list[tuple[str, str, Callable[[float], float]]] = [
        ("", "", lambda w: w),
        ("给的是波长，不是角频率", "波长是 2π 除以角频率。", lambda w: 2 * math.pi / w),
        ("给的是频率（圈数），不是角频率（弧度）", "一圈是 2π 弧度。", lambda w: w / (2 * math.pi)),
        ("多乘了 2π", "公式里没有 2π：角频率本来就以弧度计。", lambda w: 2 * math.pi * w),
        ("换算成了度", _DEGREES, math.degrees),
        ("换算成了弧度，可它本来就是弧度", _DEGREES, math.radians),
        ("变了号", "角频率是正的。", lambda w: -w),
        ("取了对数，忘了 exp", "最后一步取 exp。", lambda w: math.log(w)),
        ("平方了", "指数里的 2 只乘一遍。", lambda w: w * w),
    ]
    for (name, hint, turn), rule in itertools.product(turns, _rules()):
        if name or rule.name:
            words, hints = "；".join(filter(None, (rule.name, name))), "".join(dict.fromkeys((rule.hint, hint)))

            def wrong(d: int, base: float, turn: Any = turn, rule: _Rule = rule) -> list[float]:
                return [turn(rule.angle(1, i, 2 * i, d, base)) for i in range(d // 2)]

            yield words, hints, wrong


_ANGULAR_FREQUENCIES = _Exercise(
    "2-2",
    ("angular_frequencies",),
    _frequencies,
    lambda seen: _diagnose_by(*_frequency_mistakes())(seen),
    "核对了 11 组维度和底数，维度从 2 到 512，底数从 2 到一百万；其中两组是另外算好的。",
    "第一个总是 1，最后一个总到不了 1/b：指数最大只到 (d-2)/d。",
)


def check_angular_frequencies(answer: Callable[..., Any]) -> None:
    """检查练习 2-2：``angular_frequencies(d_model, base)`` 返回每一对的角频率。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_angular_frequencies(...)  # 还没有写
    练习 2-2：尚未作答。
    """
    _check(_ANGULAR_FREQUENCIES, answer)


def _triples() -> list[_Trial]:
    trials = []
    cases = [
        (0.7, 1.0, 0.4, -2.0, 0.3),
        (1.0, 1.0, 0.0, 0.0, 1.0),
        (0.1, 2.0, 1.0, 0.5, -1.0),
        (4 / 3, 1.0, 1.0, 0.5, -1.0),
        (2.5, 1.0, 0.7, -0.4, 2.0),
    ]
    cases += [(0.01, 3.0, 1.0, -1.0, 2.0), (_dice.uniform(0.2, 1.4), 1.5, 0.5, -0.5, 1.0)]
    for omega, a, b, c, e in cases:
        rows = [
            (a * math.sin(omega * p) + b * math.cos(omega * p), c * math.sin(omega * p) + e * math.cos(omega * p))
            for p in range(3)
        ]
        trials.append(
            _Trial(tuple(map(np.array, rows)), (w := np.array([omega, 2 * math.pi / omega])), atol=1e-8 * w, pair=True)
        )
    rounded = ([1.0, -2.0], [2.6975, -0.8855], [3.1263, 0.6455])  # 题目里的三个编码，只有四位小数
    golden = _Trial(tuple(map(np.array, rounded)), np.array([0.7, 8.976]), atol=[5e-4, 5e-3], pair=True)
    for trial in trials:
        trial.place = golden.place = lambda index: ("角频率", "波长")[index[0]]
    return [golden, *trials]


def _sum_rule(f0: Any, f1: Any, f2: Any) -> float:
    return float((f0[0] + f2[0]) / f1[0])


def _both(omega: Callable[[float], float]) -> Callable[..., Any]:
    return lambda *f: [w := omega(_sum_rule(*f)), 2 * math.pi / w]


_THREE = "t = 2cos ω：先除以 2，再取反余弦，得到的就是弧度。"
_ROUND = "一圈是 2π 弧度，一步转 ω 弧度，几步转一圈？"
_FREQUENCY = _Exercise(
    "2-3",
    ("frequency",),
    _triples,
    _diagnose_by(
        (
            "角频率和波长的次序反了",
            "先角频率，后波长。",
            lambda *f: [2 * math.pi / (w := math.acos(_sum_rule(*f) / 2)), w],
        ),
        ("t 没有除以 2 就取了反余弦", _THREE, _both(lambda t: math.acos(t) if abs(t) <= 1 else math.nan)),
        ("角度换算成了度", _THREE, _both(lambda t: math.degrees(math.acos(t / 2)))),
        ("角频率以度计", _THREE, lambda *f: [math.degrees(w := math.acos(_sum_rule(*f) / 2)), 2 * math.pi / w]),
        ("角频率以度计", _THREE, lambda *f: [(w := math.degrees(math.acos(_sum_rule(*f) / 2))), 360 / w]),
        ("把反余弦写成了反正弦", _THREE, _both(lambda t: math.asin(t / 2))),
        ("忘了取反余弦", _THREE, _both(lambda t: t / 2)),
        ("忘了取反余弦，也没有除以 2", _THREE, _both(lambda t: t)),
        ("把反余弦写成了余弦", _THREE, _both(lambda t: math.cos(t / 2))),
        ("角频率大了一倍", _THREE, _both(lambda t: 2 * math.acos(t / 2))),
        ("角频率小了一半", _THREE, _both(lambda t: math.acos(t / 2) / 2)),
        ("角频率变了号", _THREE, _both(lambda t: -math.acos(t / 2))),
        (
            "用了 f2 - f0，应是 f2 + f0",
            "把 f(p+1) 和 f(p-1) 相加，正弦的那一项抵消了。",
            lambda f0, f1, f2: [w := math.acos((f2[0] - f0[0]) / f1[0] / 2), 2 * math.pi / w],
        ),
        (
            "用了 f(0) 和 f(1) 两个向量的夹角",
            "编码不一定在圆上，夹角不等于转过的角度；三个编码要一起用。",
            lambda f0, f1, f2: [w := math.acos(f0 @ f1 / math.hypot(*f0) / math.hypot(*f1)), 2 * math.pi / w],
        ),
        (
            "角频率除以了 2π，成了每步转几圈",
            _ROUND,
            lambda *f: [(w := math.acos(_sum_rule(*f) / 2)) / (2 * math.pi), 2 * math.pi / w],
        ),
        ("π 只取了 3.14", "用 np.pi。", lambda *f: [w := math.acos(_sum_rule(*f) / 2), 2 * 3.14 / w]),
        ("波长取了整", "波长不必是整数。", lambda *f: [w := math.acos(_sum_rule(*f) / 2), round(2 * math.pi / w)]),
        ("波长少乘了 2π", _ROUND, lambda *f: [w := math.acos(_sum_rule(*f) / 2), 1 / w]),
        ("波长只乘了 π", _ROUND, lambda *f: [w := math.acos(_sum_rule(*f) / 2), math.pi / w]),
        ("波长颠倒了，成了每步转几圈", _ROUND, lambda *f: [w := math.acos(_sum_rule(*f) / 2), w / (2 * math.pi)]),
        ("波长用 360 除，角频率却是弧度", _ROUND, lambda *f: [w := math.acos(_sum_rule(*f) / 2), 360 / w]),
        ("波长写成了 2π 乘角频率", _ROUND, lambda *f: [w := math.acos(_sum_rule(*f) / 2), 2 * math.pi * w]),
    ),
    "核对了 8 组编码，角频率从 0.01 到 2.5；第一组就是题目里的三个编码。",
    "三个编码就够了，不必知道坐标轴怎样取；但角频率只在 0 到 π 之间认得出，再快就分不清是往哪边转的。",
)


def check_frequency(answer: Callable[..., Any]) -> None:
    """检查练习 2-3：``frequency(f0, f1, f2)`` 返回角频率和波长。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_frequency(...)  # 还没有写
    练习 2-3：尚未作答。
    """
    _check(_FREQUENCY, answer)


# ------------------------------------------------------------------ 第 03 课


def _tables() -> list[_Trial]:
    sizes = [(5, 8), (1, 2), (2, 4), (3, 2), (4, 8), (8, 8), (7, 6), (2, 512), (50, 64), (4100, 6)]
    sizes += [(_dice.randint(9, 60), 2 * _dice.randint(3, 30))]  # 每次换一种，背不下来
    trials = [_table(range(n), d, 10000.0, np.float32, (n, d)) for n, d in sizes]
    for n, d in [(5, 8), (300, 6)]:
        trials.append(_table(range(n), d, 10000.0, np.float64, (n, d), kwargs={"dtype": np.float64}))
    trials.append(_table(range(4100), 4, 10000.0, np.float16, (4100, 4, np.float16)))
    return trials + [_Trial((5, d), refuses=str(d)) for d in (7, 1, 0, -4)]


_ENCODE_TABLE = _Exercise(
    "3-2",
    ("encode_table",),
    _tables,
    _search,
    "核对了 14 张表，从 (1, 2) 到 (4100, 6)、(2, 512)，三种 dtype 都有；还核对了 7、1、0、-4 四个维度都被拒绝。",
    "dtype 只管结果怎样存放；角度始终在 float64 里，所以位置 4099 也只舍入一次。",
)


def check_encode_table(answer: Callable[..., Any]) -> None:
    """检查练习 3-2：``encode_table(seq_len, d_model, dtype=np.float32)`` 返回编码表，拒绝不是正偶数的 ``d_model``。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_encode_table(...)  # 还没有写
    练习 3-2：尚未作答。
    """
    _check(_ENCODE_TABLE, answer)


def _anywhere() -> list[_Trial]:
    trials = []
    for positions, d in [
        (np.arange(4), 8),
        (np.array(1), 4),
        (np.array([3]), 2),
        (np.array([0, 5, 2], np.int32), 6),
        (np.array([[0, 1, 2], [7, 8, 9]]), 8),
        (np.array([[[0.5], [-1.0]], [[2.25], [300.0]]]), 4),
        (np.array([-2, -1, 0, 1, 5]), 6),
        (np.array([2047, 2048, 2049, 2050, 4095, 32766, 32767]), 8),
        (np.array([3, 1, 4, 1], np.uint8), 8),
        (np.array([[10.75, 20.25]], np.float32), 64),
        (np.array([300.1, 0.3, -70000.5, 16777217.0]), 6),
        (np.arange(6).reshape(2, 3).T, 4),
        (np.array([_dice.randint(-999, 999) for _ in range(5)]), 2 * _dice.randint(3, 30)),
    ]:
        trials.append(_table(positions.ravel().tolist(), d, 10000.0, np.float32, (positions, d), (*positions.shape, d)))
    return trials


_ENCODE_AT = _Exercise(
    "3-3",
    ("encode_at",),
    _anywhere,
    _search,
    "核对了 13 组位置：零维到三维的数组，整数、小数、负数，最远到 16777217。",
    "[..., None] 在最右边添一个轴，前面有几个轴都不用管。",
)


def check_encode_at(answer: Callable[..., Any]) -> None:
    """检查练习 3-3：``encode_at(positions, d_model)`` 返回任意形状的位置的编码，float32。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_encode_at(...)  # 还没有写
    练习 3-3：尚未作答。
    """
    _check(_ENCODE_AT, answer)


def _tables_to_convert() -> list[_Trial]:
    trials = []
    random_ = np.random.default_rng(1)
    for n, d in [(2, 6), (1, 2), (1, 4), (3, 8), (8, 8), (2, 512), (3, 8), (5, 2 * _dice.randint(5, 20))]:
        for dtype in (np.float32, np.float64):
            table = random_.normal(size=(n, d)).astype(dtype)  # 每个数都不同，放错哪一个都看得出
            if (n, d) == (2, 6):
                table = np.arange(12, dtype=dtype).reshape(2, 6) + dtype(0.5)
            halves = np.empty((n, d), dtype)
            for k, j in itertools.product(range(n), range(d)):
                halves[k, j // 2 + (j % 2) * (d // 2)] = table[k, j]
            golden = [[0.5, 2.5, 4.5, 1.5, 3.5, 5.5], [6.5, 8.5, 10.5, 7.5, 9.5, 11.5]]
            trials.append(_Trial((table,), np.array(golden) if (n, d) == (2, 6) else halves, dtype=dtype))
            trials.append(_Trial((halves,), table, dtype=dtype, which=1))
    return sorted(trials, key=lambda trial: trial.which)


def _moved(change: Callable[[Any, int, int], Any]) -> Callable[..., Any]:
    return lambda table: change(table, *table.shape)


_ORDERS: list[tuple[str, str, Callable[[Any, int, int], Any]]] = [
    ("原样返回了，列没有动", "第 0、1 列各该到哪里去？", lambda t, n, d: t),
    (
        "取成了另一个方向的转换",
        "两种转换互为反函数，4 列时恰好相同，6 列时就不同了。",
        lambda t, n, d: t[:, [*range(0, d, 2), *range(1, d, 2)]],
    ),
    (
        "取成了另一个方向的转换",
        "两种转换互为反函数，4 列时恰好相同，6 列时就不同了。",
        lambda t, n, d: t[:, [j // 2 + (j % 2) * (d // 2) for j in range(d)]],
    ),
    (
        "余弦放到了正弦前面",
        "先全部正弦，再全部余弦；一对里也是正弦在前。",
        lambda t, n, d: t[:, [*range(1, d, 2), *range(0, d, 2)]],
    ),
    (
        "余弦放到了正弦前面",
        "先全部正弦，再全部余弦；一对里也是正弦在前。",
        lambda t, n, d: t[:, [j // 2 + (1 - j % 2) * (d // 2) for j in range(d)]],
    ),
    ("只对调了一对里的两列", "看看整行，不只看一对。", lambda t, n, d: t[:, [j ^ 1 for j in range(d)]]),
    ("只对调了左右两半", "看看一半里面的次序。", lambda t, n, d: t[:, [(j + d // 2) % d for j in range(d)]]),
    ("列的次序整个反了", "第 0 列放的应是第一个正弦。", lambda t, n, d: t[:, ::-1]),
    (
        "行之间串了：reshape 跨过了行",
        "reshape 时把 n 行单独留一个轴，只拆开列。",
        lambda t, n, d: t.reshape(2, -1).T.reshape(n, d),
    ),
    (
        "行之间串了：reshape 跨过了行",
        "reshape 时把 n 行单独留一个轴，只拆开列。",
        lambda t, n, d: t.reshape(-1, 2).T.reshape(n, d),
    ),
    ("行之间串了：reshape 跨过了行", "reshape 时把 n 行单独留一个轴，只拆开列。", lambda t, n, d: t.reshape(d, n).T),
    ("移动的是行，不是列", "位置的次序不变，只换列的次序。", lambda t, n, d: t[[*range(0, n, 2), *range(1, n, 2)]]),
    (
        "没有用传进来的表，按公式重新算了一张",
        "转换只搬动列，不计算；传进来的可能是任何表。",
        lambda t, n, d: [_row(p, d) for p in range(n)],
    ),
    (
        "没有用传进来的表，按公式重新算了一张",
        "转换只搬动列，不计算；传进来的可能是任何表。",
        lambda t, n, d: np.array([_row(p, d) for p in range(n)])[:, [*range(0, d, 2), *range(1, d, 2)]],
    ),
]


def _diagnose_layouts(seen: list[_Seen]) -> _Diagnosis | None:
    for which, name in enumerate(_LAYOUT_NAMES):
        mine = [s for s in seen if s.trial.which == which]
        if any(s.complaint for s in mine):
            right = _ORDERS[1 + which][2]
            wrong = [(w, h, _moved(c)) for w, h, c in _ORDERS if c is not right]
            found = _diagnose_by(*wrong)(mine)
            for s in mine:  # 每个数都不同，所以读得出每一列是从哪里来的
                if not found and s.complaint and not s.diagnosis and s.array.shape == (2, 6):
                    source = s.trial.args[0].astype(np.float64)
                    order = [
                        next((j for j in range(source.shape[1]) if (source[:, j] == c).all()), None) for c in s.array.T
                    ]
                    if None not in order:
                        said = f"{source.shape[1]} 列时，依次放的是原来的第 {'、'.join(map(str, order[:8]))} 列"
                        found = _Diagnosis(f"列的次序不对：{said}", "在纸上写出 6 列时每一列该到哪里去。")
            return found and _Diagnosis(f"{name}：{found.name}", found.hint)
    return None


_LAYOUT_NAMES = ("to_halves", "to_interleaved")
_LAYOUT = _Exercise(
    "3-4",
    _LAYOUT_NAMES,
    _tables_to_convert,
    _diagnose_layouts,
    "两个方向各核对了 8 张表，float32 和 float64 各一遍，要求逐位相同；表里的数各不相同，放错一个也看得出。",
    "只有 4 列（和 2 列）时，两个方向是同一种搬法；只拿 4 列来试，方向写反了也发现不了。",
)


def check_layouts(to_halves: Callable[..., Any], to_interleaved: Callable[..., Any]) -> None:
    """检查练习 3-4：``to_halves(table)`` 把交错布局换成分半布局，``to_interleaved(table)`` 换回来。

    Parameters
    ----------
    to_halves, to_interleaved : callable
        你写的两个函数本身，后面不加括号。

    Examples
    --------
    >>> check_layouts(..., ...)  # 还没有写
    练习 3-4：尚未作答。
    """
    _check(_LAYOUT, to_halves, to_interleaved)


# ------------------------------------------------------------------ 第 04 课


def _rows_of_position_one() -> list[_Trial]:
    cases = [(4, 100.0), (4, 10000.0), (6, 10000.0), (8, 500.0), (64, 1e8), (512, 10000.0), (10, 20.0), (6, math.e)]
    cases += [(2 * _dice.randint(3, 40), _dice.uniform(20, 90000))]
    given = _Trial((np.array([0.8415, 0.5403, 0.0998, 0.9950]),), np.array(100.0), atol=1.0)  # 题目只给四位小数
    return [given] + [_Trial((np.array(_row(1, d, b)),), np.array(b), atol=1e-9 * b) for d, b in cases]


_ANGLE_FIRST = "位置 1 的角度就是角频率：由正弦、余弦求角度，用 np.arctan2(正弦, 余弦)。"
_ROOT = "从 ω₁ = b 的 -2/d 次方解出 b：两边取几次方？"


def _from_omega(formula: Callable[[float, int], float], pair: int = 1) -> Callable[[Any], float]:
    return lambda row: formula(math.atan2(row[2 * pair], row[2 * pair + 1]), len(row))


_READ_BASE = _Exercise(
    "4-2",
    ("read_base",),
    _rows_of_position_one,
    _diagnose_by(
        ("次方取成了 -d，多乘了 2（读出的是底数的平方）", _ROOT, _from_omega(lambda w, d: w**-d)),
        ("次方取成了 -d/4（读出的是底数的平方根）", _ROOT, _from_omega(lambda w, d: w ** (-d / 4))),
        ("次方少了负号（读出的是底数的倒数）", _ROOT, _from_omega(lambda w, d: w ** (d / 2))),
        ("次方颠倒了，取成了 -2/d", _ROOT, _from_omega(lambda w, d: w ** (-2 / d))),
        ("次方颠倒了，取成了 2/d", _ROOT, _from_omega(lambda w, d: w ** (2 / d))),
        ("次方写死成了 -2，只有 4 列时才对", "列数从 len(row) 来。", _from_omega(lambda w, d: w**-2)),
        ("次方写死成了 -4，只有 8 列时才对", "列数从 len(row) 来。", _from_omega(lambda w, d: w**-4)),
        ("次方写死成了 -32，只有 64 列时才对", "列数从 len(row) 来。", _from_omega(lambda w, d: w**-32)),
        ("次方差了一级，用了 d/2 - 1", "指数是 2i/d，不是 i/(d/2-1)。", _from_omega(lambda w, d: w ** -(d / 2 - 1))),
        ("次方差了一级，用了 d/2 + 1", _ROOT, _from_omega(lambda w, d: w ** -(d / 2 + 1))),
        ("次方取成了 -(d-1)/2", _ROOT, _from_omega(lambda w, d: w ** (-(d - 1) / 2))),
        ("读出的是角频率，不是底数", _ROOT, _from_omega(lambda w, d: w)),
        ("读出的是角频率的倒数，不是底数", _ROOT, _from_omega(lambda w, d: 1 / w)),
        ("读出的是底数的对数，还差一步 exp", _ROOT, _from_omega(lambda w, d: -d / 2 * math.log(w))),
        (
            "对数用了 log10，还原却用了 exp",
            "exp 的反函数是 np.log，不是 np.log10。",
            _from_omega(lambda w, d: math.exp(-d / 2 * math.log10(w))),
        ),
        ("取了整", "底数不一定是整数。", _from_omega(lambda w, d: round(w ** (-d / 2)))),
        ("读出的是波长，不是底数", _ROOT, _from_omega(lambda w, d: 2 * math.pi / w)),
        ("角度换算成了度", _ANGLE_FIRST, _from_omega(lambda w, d: math.degrees(w) ** (-d / 2))),
        ("arctan2 的两个参数放反了", _ANGLE_FIRST, lambda row: math.atan2(row[3], row[2]) ** (-len(row) / 2)),
        ("把正弦当成了角度", _ANGLE_FIRST, lambda row: row[2] ** (-len(row) / 2)),
        ("把余弦当成了角度", _ANGLE_FIRST, lambda row: row[3] ** (-len(row) / 2)),
        ("把正切当成了角度", _ANGLE_FIRST, lambda row: (row[2] / row[3]) ** (-len(row) / 2)),
        ("用了第 0 对，它的角频率总是 1", "第几对的角频率与底数有关？", _from_omega(lambda w, d: w ** (-d / 2), 0)),
        ("用了两对的角，取错了列", "第 1 对是第 2、3 列。", lambda row: math.atan2(row[1], row[2]) ** (-len(row) / 2)),
        (
            "取成了分半布局的列",
            "这一行是交错布局：第 1 对是第 2、3 列。",
            lambda row: math.atan2(row[1], row[len(row) // 2 + 1]) ** (-len(row) / 2),
        ),
        ("总是 10000", "用上 row 了吗？", lambda row: 10000.0),
        ("总是 100", "用上 row 了吗？", lambda row: 100.0),
    ),
    "核对了 10 行，4 到 512 列，底数从 2.7 到一亿；第一行就是题目里的四个数。",
    "底数的相对误差是角频率的 d/2 倍，所以列越多，越要用没有舍入的数来读。",
)


def check_read_base(answer: Callable[..., Any]) -> None:
    """检查练习 4-2：``read_base(row)`` 由位置 1 的一行编码读出底数。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_read_base(...)  # 还没有写
    练习 4-2：尚未作答。
    """
    _check(_READ_BASE, answer)


def _texts() -> list[_Trial]:
    cases = [
        (5000, 64),
        (100, 4),
        (512, 8),
        (7, 6),
        (100000, 512),
        (64, 10),
        (5000, 4),
        (7, 64),
        (_dice.randint(20, 9000), 2 * _dice.randint(3, 60)),
    ]
    trials = []
    for n, d in cases:
        base = 987.1065 if (n, d) == (5000, 64) else (n / (2 * math.pi)) ** (d / (d - 2))
        trials.append(_Trial((n, d), np.array(base), atol=1e-4 if (n, d) == (5000, 64) else 1e-9 * base))
    return trials


_SOLVE = "从 2π · b 的 (d-2)/d 次方 = L 解出 b：先除以 2π，再取几次方？"
_LAST = "最后一对的编号是 d/2 - 1，不是 d/2：它的指数是 (d-2)/d，到不了 1。"
_SMALLEST_BASE = _Exercise(
    "4-3",
    ("smallest_base",),
    _texts,
    _diagnose_by(
        ("最长的波长当成了 2πb，指数差了一级", _LAST, lambda n, d: n / (2 * math.pi)),
        ("最长的波长当成了 b，少了 2π，指数也差了一级", _LAST, lambda n, d: float(n)),
        ("指数差了一级，用了 d/(d-1)", _LAST, lambda n, d: (n / (2 * math.pi)) ** (d / (d - 1))),
        ("指数差了一级，用了 d/(d-4)", _LAST, lambda n, d: (n / (2 * math.pi)) ** (d / (d - 4))),
        ("指数差了一级，用了 d/(d+2)", _LAST, lambda n, d: (n / (2 * math.pi)) ** (d / (d + 2))),
        ("指数差了一级，用了 (d+2)/d", _LAST, lambda n, d: (n / (2 * math.pi)) ** ((d + 2) / d)),
        ("指数颠倒了，用了 (d-2)/d", _SOLVE, lambda n, d: (n / (2 * math.pi)) ** ((d - 2) / d)),
        ("指数用了 d/2", _SOLVE, lambda n, d: (n / (2 * math.pi)) ** (d / 2)),
        ("指数用了 d - 2，忘了除", _SOLVE, lambda n, d: (n / (2 * math.pi)) ** (d - 2)),
        ("指数变了号", _SOLVE, lambda n, d: (n / (2 * math.pi)) ** (-d / (d - 2))),
        ("指数里用了整数除法", "/ 与 // 不同。", lambda n, d: (n / (2 * math.pi)) ** (d // (d - 2))),
        ("少除了 2π：角频率和波长差一个 2π", _SOLVE, lambda n, d: n ** (d / (d - 2))),
        ("只除了 π", _SOLVE, lambda n, d: (n / math.pi) ** (d / (d - 2))),
        ("乘了 2π，应当除", _SOLVE, lambda n, d: (n * 2 * math.pi) ** (d / (d - 2))),
        (
            "少了括号：除以 2 之后又乘了 π",
            "a / 2 * np.pi 从左往右算。",
            lambda n, d: (n / 2 * math.pi) ** (d / (d - 2)),
        ),
        ("少了括号：次方只管到 2π", "给 L/(2π) 整个加上括号。", lambda n, d: n / (2 * math.pi) ** (d / (d - 2))),
        ("次方取过之后才除以 2π", _SOLVE, lambda n, d: n ** (d / (d - 2)) / (2 * math.pi)),
        ("用了 L - 1", "题目要的是波长不小于 L。", lambda n, d: ((n - 1) / (2 * math.pi)) ** (d / (d - 2))),
        ("用了 L + 1", "题目要的是波长不小于 L。", lambda n, d: ((n + 1) / (2 * math.pi)) ** (d / (d - 2))),
        ("取了整", "底数不必是整数。", lambda n, d: math.ceil((n / (2 * math.pi)) ** (d / (d - 2)))),
        ("取了整", "底数不必是整数。", lambda n, d: math.floor((n / (2 * math.pi)) ** (d / (d - 2)))),
        ("取了整", "底数不必是整数。", lambda n, d: round((n / (2 * math.pi)) ** (d / (d - 2)))),
        ("返回的是最长的波长，不是底数", _SOLVE, lambda n, d: 2 * math.pi * 10000 ** ((d - 2) / d)),
        ("2π 当成了 360", "公式里的角度是弧度，一圈是 2π。", lambda n, d: (n / 360) ** (d / (d - 2))),
    ),
    "核对了 9 组长度和维度，4 维到 512 维；5000 个位置、64 维的那个数是另外算好的。",
    "维度越大，指数 d/(d-2) 越接近 1，答案越接近 L/2π；维度小的时候差得很多。",
)


def check_smallest_base(answer: Callable[..., Any]) -> None:
    """检查练习 4-3：``smallest_base(seq_len, d_model)`` 返回最长波长不小于 ``seq_len`` 的最小底数。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_smallest_base(...)  # 还没有写
    练习 4-3：尚未作答。
    """
    _check(_SMALLEST_BASE, answer)


# ------------------------------------------------------------------ 第 05 课


def _blocks(a: float, b: float, c: float, e: float, interleaved: bool = False) -> Callable[..., Any]:
    """四个角上各是余弦、正弦的几倍：正的是余弦的倍数，虚的是正弦的倍数。"""

    def build(k: float, d: int, rule: _Rule) -> Any:
        matrix = np.zeros((d, d))
        h = d // 2
        for i in range(h):
            angle = rule.angle(k, i, 2 * i, d, 10000.0)
            turn = complex(math.cos(angle), math.sin(angle))
            first, second = (2 * i, 2 * i + 1) if interleaved else (i, i + h)
            for row, col, factor in ((first, first, a), (first, second, b), (second, first, c), (second, second, e)):
                matrix[row, col] = factor.real * turn.real + factor.imag * turn.imag
        return matrix

    return build


def _shifts() -> list[_Trial]:
    cases = [
        (1, 2),
        (0, 4),
        (1, 4),
        (9, 8),
        (-3, 6),
        (2.5, 8),
        (1, 14),
        (1000, 64),
        (_dice.randint(2, 50), 2 * _dice.randint(3, 9)),
    ]
    golden = [
        [0.5403023059, 0, 0.8414709848, 0],
        [0, 0.9999500004, 0, 0.0099998333],
        [-0.8414709848, 0, 0.5403023059, 0],
        [0, -0.0099998333, 0, 0.9999500004],
    ]
    trials = []
    for k, d in cases:
        expected = np.zeros((d, d))
        for i in range(d // 2):
            c, s = math.cos(k / 10000 ** (2 * i / d)), math.sin(k / 10000 ** (2 * i / d))
            expected[i, i] = expected[i + d // 2, i + d // 2] = c
            expected[i, i + d // 2], expected[i + d // 2, i] = s, -s
        trials.append(_Trial((k, d), np.array(golden) if (k, d) == (1, 4) else expected, atol=_loose(k)))
    return trials


_TURN = "把 M @ p 的第一个数写出来：它应是 sin(ω(pos+k)) = sin cos + cos sin，右边的两项各带什么符号？"
_FOUR = "第 i 对的两个数放在第 i 列和第 i + d/2 列，所以四个系数在四条斜线上。"
_STRUCTURES = [
    ("", "", _blocks(1, 1j, -1j, 1)),
    ("转反了方向：矩阵转置了，它往回移 k 步", _TURN, _blocks(1, -1j, 1j, 1)),
    ("成了交错布局的平移矩阵", _FOUR, _blocks(1, 1j, -1j, 1, True)),
    ("成了交错布局的平移矩阵，还转反了方向", _FOUR + _TURN, _blocks(1, -1j, 1j, 1, True)),
    ("正弦少了负号，不再是旋转", _TURN, _blocks(1, 1j, 1j, 1)),
    ("两处正弦都带了负号，不再是旋转", _TURN, _blocks(1, -1j, -1j, 1)),
    ("成了翻转，不是旋转：右下角的余弦多了负号", _TURN, _blocks(1, 1j, 1j, -1)),
    ("成了翻转，不是旋转：左上角的余弦多了负号", _TURN, _blocks(-1, 1j, 1j, 1)),
    ("正弦、余弦对调了", _TURN, _blocks(1j, 1, -1, 1j)),
    ("正弦、余弦对调了", _TURN, _blocks(1j, 1, 1, -1j)),
    ("正弦、余弦对调了", _TURN, _blocks(1j, -1, 1, 1j)),
    ("只有余弦，正弦的两块没有放", _FOUR, _blocks(1, 0, 0, 1)),
    ("只有右上角的正弦，左下角没有放", _FOUR, _blocks(1, 1j, 0, 1)),
    ("整个矩阵变了号", _TURN, _blocks(-1, -1j, 1j, -1)),
]


def _shift_mistakes() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    right, *rules = _rules()
    for name, hint, build in _STRUCTURES[1:]:
        yield name, hint, lambda k, d, build=build: build(k, d, right)
    build = _STRUCTURES[0][2]
    for name, hint, change in (
        ("k 没有用上，总是移 1 步", "角度是 k 乘角频率。", lambda k: 1),
        ("k 没有用上，成了单位矩阵", "角度是 k 乘角频率。", lambda k: 0),
        ("多移了 1 步", "移 0 步应是单位矩阵。", lambda k: k + 1),
        ("移了两倍的步数", "角度是 k 乘角频率。", lambda k: 2 * k),
        ("k 取了绝对值，往回移的也往前移了", "k 可以是负数。", abs),
        ("k 取了整", "k 可以是小数。", math.trunc),
    ):
        yield name, hint, lambda k, d, change=change: build(change(k), d, right)
    for rule in rules:
        yield rule.name, rule.hint, lambda k, d, rule=rule: build(k, d, rule)
    for (name, hint, other), rule in itertools.product(_STRUCTURES[1:], rules[:40]):
        yield f"{name}；{rule.name}", hint + rule.hint, lambda k, d, build=other, rule=rule: build(k, d, rule)


def _observe_rotation(seen: list[_Seen]) -> _Diagnosis | None:
    """认不出时：先看是不是旋转，再读出转了多少。"""
    for s in (s for s in seen if s.complaint and not s.diagnosis):
        (k, d), matrix = s.trial.args, s.array
        if not _close(matrix @ matrix.T, np.eye(d)):
            return _Diagnosis("不是旋转：M @ M.T 不是单位矩阵，长度变了", _TURN + _PAIR)
        for i in range(d // 2):
            turned, want = math.atan2(matrix[i, i + d // 2], matrix[i, i]), k * 10000 ** (-2 * i / d)
            if abs(math.remainder(turned - want, 2 * math.pi)) > 1e-5:
                said = f"移 {k} 步时，第 {i} 对转了 {_number(turned)} 弧度，应为 {_number(want)}"
                return _Diagnosis(f"转过的角度不对：{said}", "看看角频率的指数和底数，再看 k。")
    return None


def _diagnose_shift(seen: list[_Seen]) -> _Diagnosis | None:
    if all(
        s.value.shape == (2, s.trial.args[1]) for s in seen if isinstance(s.value, np.ndarray) and s.trial.args[1] > 2
    ):
        if any(isinstance(s.value, np.ndarray) for s in seen):
            return _Diagnosis("四块拼的是一行数，不是对角矩阵", "一串角频率的余弦，用 np.diag 放到对角线上，再拼。")
    return _diagnose_by(*_shift_mistakes())(seen) or _observe_rotation(seen)


_SHIFT = _Exercise(
    "5-2",
    ("shift_matrix_halves",),
    _shifts,
    _diagnose_shift,
    "核对了 9 组步数和维度，步数有 0、负数、小数和 1000，维度从 2 到 64；其中一个矩阵是另外算好的。",
    "它就是交错布局的平移矩阵，行和列一起换了次序；转置就是往回移，因为旋转矩阵的转置等于逆。",
)


def check_shift_matrix_halves(answer: Callable[..., Any]) -> None:
    """检查练习 5-2：``shift_matrix_halves(k, d_model)`` 返回分半布局的平移矩阵。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_shift_matrix_halves(...)  # 还没有写
    练习 5-2：尚未作答。
    """
    _check(_SHIFT, answer)


def _similarities() -> list[_Trial]:
    golden = [[1, 0.7701261532, 0.2918265851], [0.7701261532, 1, 0.7701261532], [0.2918265851, 0.7701261532, 1]]
    trials = []
    for n, d in [
        (3, 4),
        (1, 2),
        (6, 2),
        (4, 6),
        (8, 8),
        (20, 16),
        (5, 128),
        (8, 20),
        (6, 8),
        (150, 6),
        (_dice.randint(3, 12), 2 * _dice.randint(3, 20)),
    ]:
        rows = [
            [sum(math.cos((s - t) / 10000 ** (2 * i / d)) for i in range(d // 2)) / (d / 2) for t in range(n)]
            for s in range(n)
        ]
        trial = _Trial((n, d), np.array(golden if (n, d) == (3, 4) else rows))
        trial.atol = 2.0**-22 + _loose(1) * np.arange(n)  # 编码表可以是 float32 的
        trial.place = lambda index: f"位置 {index[0]} 与位置 {index[1]}"
        trials.append(trial)
    return trials


_UNIT = "同一个位置与自己的相似度应是 1：每一行的长度是多少？"
_CIRCLE = "每一对的平方和应是 1，对角线应全是 1，每条斜线上的数应相同；回头检查编码表。"
_NORMS: list[tuple[str, str, Callable[[Any, int], Any]]] = [
    ("", "", lambda g, d: g / (d / 2)),
    ("没有归一化：给的是内积", _UNIT, lambda g, d: g),
    ("归一化时除以了 d_model，应是它的一半", _UNIT, lambda g, d: g / d),
    ("归一化时除以了 √d_model", _UNIT, lambda g, d: g / d**0.5),
    ("归一化时只除以了一个长度，应除以两个", _UNIT, lambda g, d: g / (d / 2) ** 0.5),
    ("归一化时除以了长度的平方的平方", _UNIT, lambda g, d: g / (d / 2) ** 2),
    ("归一化时除以了位置的个数", _UNIT, lambda g, d: g / len(g)),
    (
        "归一化用了 softmax",
        "题目要的是相似度，不是注意力的权重。",
        lambda g, d: np.exp(g) / np.exp(g).sum(1, keepdims=True),
    ),
    ("给的是 1 减去相似度", _UNIT, lambda g, d: 1 - g / (d / 2)),
    ("给的是距离，不是相似度", _UNIT, lambda g, d: np.sqrt(np.maximum(d - 2 * g, 0))),
    ("给的是距离的平方，不是相似度", _UNIT, lambda g, d: d - 2 * g),
    ("取了绝对值", "相似度可以是负的。", lambda g, d: abs(g) / (d / 2)),
    ("平方了", "内积只乘一遍。", lambda g, d: (g / (d / 2)) ** 2),
    ("负的相似度成了 0", "相似度可以是负的。", lambda g, d: np.maximum(g / (d / 2), 0)),
    (
        "给的是夹角，不是它的余弦",
        "相似度就是夹角的余弦，不用再取反余弦。",
        lambda g, d: np.arccos(np.clip(g / (d / 2), -1, 1)),
    ),
    ("减去了平均", "题目没有要求减去平均。", lambda g, d: (g - g.mean()) / (d / 2)),
]


def _gram(n: int, d: int, rule: _Rule, layout: _Change, shift: _Change, own: bool = False) -> Any:
    moved = shift.change(list(range(n)))
    table = np.empty((n, d))
    for k, j in itertools.product(range(n), range(d)):
        row, function, col = layout.change(k, j, n, d)
        table[k, j] = _value(function, rule.angle, moved[row], col // 2, col, d, 10000.0)[0]
    if own:
        table = table / np.linalg.norm(table, axis=1, keepdims=True) * (d / 2) ** 0.5
    return table @ table.T


def _similarity_mistakes() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    (right, *rules), same, start = _rules(), _LAYOUTS[0], _SHIFTS[0]
    for name, hint, norm in _NORMS[1:]:
        yield name, hint, lambda n, d, norm=norm: norm(_gram(n, d, right, same, start), d)
    yield (
        "转置放错了：比的是列，不是行",
        "每一行是一个位置；结果应是 (seq_len, seq_len)。",
        lambda n, d: [
            [sum(_row(p, d)[a] * _row(p, d)[b] for p in range(n)) / (d / 2) for b in range(d)] for a in range(d)
        ],
    )
    yield (
        "缺了转置：表乘了自己",
        "每一行是一个位置；行与行作内积，要转置一次。",
        lambda n, d: (table := np.array([_row(p, d) for p in range(n)])) @ table / (d / 2),
    )
    yield (
        "每一行先减去了平均，成了相关系数",
        "余弦相似度不减平均：np.corrcoef 会减。",
        lambda n, d: np.corrcoef([_row(p, d) for p in range(n)]).reshape(n, n),
    )
    yield "只给了一行", "任意两个位置都要比。", lambda n, d: [_gram(n, d, right, same, start)[0] / (d / 2)] * n
    yield (
        "位置相加了，应当相减",
        "内积是余弦的差角公式。",
        lambda n, d: [
            [sum(math.cos((s + t) / 10000 ** (2 * i / d)) for i in range(d // 2)) / (d / 2) for t in range(n)]
            for s in range(n)
        ],
    )
    tables = sorted(itertools.product(_LAYOUTS, [right, *rules[:75]]), key=lambda t: bool(t[0].name) + bool(t[1].name))
    for own, (layout, rule) in itertools.product((False, True), tables):  # 先试只有一处错的
        if layout.name or rule.name:
            said = "；".join(filter(None, (layout.name, rule.name)))
            yield (
                f"编码表有错：{said}，所以相似度不再只看距离，或者快慢不对",
                _CIRCLE + rule.hint,
                (lambda n, d, own=own, layout=layout, rule=rule: _gram(n, d, rule, layout, start, own) / (d / 2)),
            )
    for (name, hint, norm), rule in itertools.product(_NORMS[1:6], rules[:40]):
        yield (
            f"{name}；编码表也有错：{rule.name}",
            hint + _CIRCLE,
            (lambda n, d, norm=norm, rule=rule: norm(_gram(n, d, rule, same, start), d)),
        )


def _diagnose_similarity(seen: list[_Seen]) -> _Diagnosis | None:
    shapes = [(s.value.shape, *s.trial.args) for s in seen if isinstance(s.value, np.ndarray)]
    if any(shape == (d, d) != (n, n) for shape, n, d in shapes):
        return _Diagnosis("转置放错了：比的是列，不是行", "每一行是一个位置；结果应是 (seq_len, seq_len)。")
    if found := _diagnose_by(*_similarity_mistakes())(seen):
        return found
    for s in (s for s in seen if s.complaint and not s.diagnosis and len(s.array) > 2 and np.isfinite(s.array).all()):
        if not _close(s.array, s.array.T):
            return _Diagnosis("矩阵不对称，或者只填了一半", "位置 s 与 t 的相似度，和位置 t 与 s 的相同。")
        diagonal = np.diag(s.array)
        if np.abs(diagonal - 1).max() > 1e-4:
            odd = float(diagonal[np.argmax(np.abs(diagonal - 1))])
            return _Diagnosis(f"对角线上不全是 1，例如 {_number(odd, 1)}", _UNIT)
        if np.abs(s.array[1:, 1:] - s.array[:-1, :-1]).max() > 1e-4:
            return _Diagnosis(
                "斜线上的数不相同，相似度不只看距离（不是特普利茨矩阵）：编码表里一对的两列没有共用角度", _CIRCLE
            )
        return _Diagnosis("对角线全是 1，每条斜线上的数也相同，但数不对：多半是编码表的角频率有错", _ENDS)
    return None


_SIMILARITY = _Exercise(
    "5-3",
    ("similarity",),
    _similarities,
    _diagnose_similarity,
    "核对了 11 张表，从 1 个位置到 150 个位置，2 维到 128 维；其中一张是另外算好的。",
    "每条斜线上的数相同，这就是特普利茨矩阵：相似度只看距离，不看位置。",
)


def check_similarity(answer: Callable[..., Any]) -> None:
    """检查练习 5-3：``similarity(seq_len, d_model)`` 返回任意两个位置的余弦相似度。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_similarity(...)  # 还没有写
    练习 5-3：尚未作答。
    """
    _check(_SIMILARITY, answer)


def _relatives() -> list[_Trial]:
    trials = []
    for n, d in [
        (3, 4),
        (1, 2),
        (2, 2),
        (4, 8),
        (5, 9 - 1),
        (9, 6),
        (40, 16),
        (9, 12),
        (5, 6),
        (2100, 2),
        (_dice.randint(5, 30), 2 * _dice.randint(3, 20)),
    ]:
        positions = list(range(n - 1, -n, -1))
        rows = np.array([_row(p, d) for p in positions])
        if (n, d) == (3, 4):
            back = np.array([-1, 1, -1, 1])
            rows = np.array([_GOLDEN[2, 4], _GOLDEN[1, 4], [0, 1, 0, 1], back * _GOLDEN[1, 4], back * _GOLDEN[2, 4]])
        trials.append(
            _Trial(
                (n, d),
                rows,
                atol=np.array([[_loose(p)] * d for p in positions]),
                place=lambda index, n=n: f"位置差 {n - 1 - index[0]}、第 {index[1]} 列",
                table=(positions, d, 10000.0),
            )
        )
    return trials


def _relative(positions: Callable[[int], Iterable[float]]) -> Callable[..., Any]:
    return lambda n, d: [_row(p, d) for p in positions(n)]


_BOTH_WAYS = "位置差有正有负：3 个位置时依次是 2、1、0、-1、-2，一共 5 行。"
_RELATIVE_MISTAKES = _diagnose_by(
    ("成了绝对位置的表：从 0 往上数，负的那一半没有", _BOTH_WAYS, _relative(lambda n: range(2 * n - 1))),
    ("成了绝对位置的表：倒着数到 0，负的那一半没有", _BOTH_WAYS, _relative(lambda n: range(2 * n - 2, -1, -1))),
    (
        "成了绝对位置的表：负的那一半是正的那一半的镜像",
        _BOTH_WAYS + "正弦是奇函数。",
        _relative(lambda n: map(abs, range(n - 1, -n, -1))),
    ),
    ("次序反了：从最小的位置差数起了", _BOTH_WAYS, _relative(lambda n: range(1 - n, n))),
    ("0 排到了最前面，负的接在正的后面", _BOTH_WAYS, _relative(lambda n: [*range(n), *range(-1, -n, -1)])),
    ("0 排到了最前面，负的接在正的后面", _BOTH_WAYS, _relative(lambda n: [*range(n), *range(1 - n, 0)])),
    (
        "负的位置差被当成了倒数第几行",
        "拿负数作 NumPy 的下标，取到的是末尾的行；负的位置要另外算。",
        _relative(lambda n: [p % n for p in range(n - 1, -n, -1)]),
    ),
    (
        "负的位置差被当成了倒数第几行",
        "拿负数作 NumPy 的下标，取到的是末尾的行；负的位置要另外算。",
        _relative(lambda n: [p % (2 * n - 1) for p in range(n - 1, -n, -1)]),
    ),
    *(
        (
            name,
            "正弦是奇函数，余弦是偶函数：换成 -k，只有正弦那几列变号。",
            lambda n, d, sine=sine, cosine=cosine: [
                [v * ((sine, cosine)[j % 2] if p < 0 else 1) for j, v in enumerate(_row(abs(p), d))]
                for p in range(n - 1, -n, -1)
            ],
        )
        for name, sine, cosine in (("负的位置差，整行变了号", -1, -1), ("负的位置差，余弦变了号，正弦没有", 1, -1))
    ),
    ("负的位置差都成了 0", _BOTH_WAYS, _relative(lambda n: [max(p, 0) for p in range(n - 1, -n, -1)])),
    ("整体差了一步", _BOTH_WAYS, _relative(lambda n: range(n, 1 - n, -1))),
    ("整体差了一步", _BOTH_WAYS, _relative(lambda n: range(n - 2, -n - 1, -1))),
)


def _diagnose_relative(seen: list[_Seen]) -> _Diagnosis | None:
    shapes = [(s.value.shape, s.trial.args) for s in seen if isinstance(s.value, np.ndarray) and s.trial.args[0] > 2]
    for rows, name in (
        (lambda n: n, "成了绝对位置的表：只有 seq_len 行，负的那一半没有"),
        (lambda n: 2 * n, "多了一行：0 只有一个，一共 2·seq_len - 1 行"),
        (lambda n: 2 * n - 2, "少了一行：0 漏掉了，或者少了一头"),
        (lambda n: 2 * n + 1, "多了两行：位置差从 seq_len - 1 数起，不是 seq_len"),
    ):
        if shapes and all(shape == (rows(n), d) for shape, (n, d) in shapes):
            return _Diagnosis(name, _BOTH_WAYS)
    return _RELATIVE_MISTAKES(seen) or _search(seen)


_RELATIVE = _Exercise(
    "5-4",
    ("relative_table",),
    _relatives,
    _diagnose_relative,
    "核对了 11 张表，从 1 个位置到 2100 个位置；其中一张是另外算好的。",
    "-k 那一行就是 k 那一行把正弦变号：余弦是偶函数，正弦是奇函数。",
)


def check_relative_table(answer: Callable[..., Any]) -> None:
    """检查练习 5-4：``relative_table(seq_len, d_model)`` 返回全部位置差的编码，从大到小。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_relative_table(...)  # 还没有写
    练习 5-4：尚未作答。
    """
    _check(_RELATIVE, answer)


# ------------------------------------------------------------------ 第 06 课


def _far_rows() -> list[_Trial]:
    cases = [
        (0, 4, 8, "float32"),
        (0, 1, 2, "float16"),
        (32766, 2, 4, "float16"),
        (2046, 6, 8, "float16"),
        (0, 3000, 4, "float16"),
    ]
    cases += [
        (250, 12, 6, "float16"),
        (16777215, 4, 8, "float32"),
        (1000000, 3, 64, "float32"),
        (4000, 100, 32, "float32"),
        (-3, 6, 8, "float16"),
        (70000, 4, 8, "float32"),
    ]
    cases += [
        (1000000, 4, 6, "float64"),
        (7, 5, 512, "float64"),
        (_dice.randint(30000, 999999), 5, 2 * _dice.randint(3, 20), "float32"),
    ]
    trials = []
    for start, n, d, name in cases:
        dtype = np.dtype(name).type
        trial = _table(range(start, start + n), d, 10000.0, dtype, (start, n, d, dtype))
        if start == 32766:  # 另外用高精度算好的两个数
            trial.expected[:, 0] = [-0.7252358865, 0.1875065539]
        trials.append(trial)
    return trials


_ROUNDED = _Exercise(
    "6-2",
    ("encode_rows",),
    _far_rows,
    _search,
    "核对了 14 张表：float16、float32、float64 都有，位置从 -3 到 16777218，每个数都只差一次舍入。",
    "float16 的结果也能用到很远的位置：粗的只是最后存下的那个数，不是角度。",
)


def check_encode_rows(answer: Callable[..., Any]) -> None:
    """检查练习 6-2：``encode_rows(start, seq_len, d_model, dtype)`` 返回只舍入一次的编码表。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_encode_rows(...)  # 还没有写
    练习 6-2：尚未作答。
    """
    _check(_ROUNDED, answer)


def _to_double() -> list[_Trial]:
    trials = []
    for start, m, d in [
        (0, 1, 2),
        (0, 2, 4),
        (5, 3, 4),
        (100, 4, 8),
        (0, 64, 16),
        (-7, 5, 6),
        (40, 3, 4),
        (_dice.randint(50, 999), 6, 2 * _dice.randint(3, 9)),
    ]:
        positions = list(range(start, start + 2 * m))
        rows = np.array([_row(p, d) for p in positions])
        table = rows[:m].copy()
        if (start, m, d) == (0, 2, 4):
            rows = np.array(
                [[0, 1, 0, 1], _GOLDEN[1, 4], _GOLDEN[2, 4], [0.1411200081, -0.9899924966, 0.0299955002, 0.9995500337]]
            )
        trials.append(
            _Trial(
                (table,),
                rows,
                dtype=np.float64,
                atol=1e-9,  # 一次旋转只添几个 eps；写死的数有十位小数
                place=lambda index, start=start: f"第 {index[0]} 行（位置 {start + index[0]}）、第 {index[1]} 列",
            )
        )
    return trials


def _turned(
    table: Any, k: float, rule: _Rule | None = None, signs: tuple[int, int] = (1, -1), stale: bool = False
) -> Any:
    """把每一行转 k 步；signs 是两处正弦的符号，stale 是先改了正弦、再用改过的去算余弦。"""
    d = table.shape[1]
    rule = rule or _rules()[0]
    angle = [rule.angle(k, i, 2 * i, d, 10000.0) for i in range(d // 2)]
    c, s = np.cos(angle), np.sin(angle)
    sine, cosine = table[:, 0::2], table[:, 1::2]
    result = np.empty_like(table)
    result[:, 0::2] = sine * c + signs[0] * cosine * s
    result[:, 1::2] = cosine * c + signs[1] * (result[:, 0::2] if stale else sine) * s
    return result


def _double_mistakes() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    way = "新的正弦是 sin cos + cos sin，新的余弦是 cos cos - sin sin；先写下和角公式，再对符号。"
    steps = "已有 m 行，第 0 行转几步才到第 m 行？"
    for name, hint, new in (
        ("转反了方向：新的行在旧的行前面 m 步", way, lambda t: _turned(t, -len(t))),
        ("转的步数少了 1", steps, lambda t: _turned(t, len(t) - 1)),
        ("转的步数多了 1", steps, lambda t: _turned(t, len(t) + 1)),
        ("只转了 1 步", steps, lambda t: _turned(t, 1)),
        ("转了 2m 步", steps, lambda t: _turned(t, 2 * len(t))),
        ("没有转，把旧的行重复了一遍", steps, lambda t: t),
        ("余弦那一行的符号错了", way, lambda t: _turned(t, len(t), signs=(1, 1))),
        ("正弦那一行的符号错了", way, lambda t: _turned(t, len(t), signs=(-1, -1))),
        (
            "先改了正弦，又拿改过的正弦去算余弦",
            "两个新的数都要由旧的两个数算出；右边先全部算完，再写回去。",
            lambda t: _turned(t, len(t), stale=True),
        ),
        ("新的行次序反了", steps, lambda t: _turned(t, len(t))[::-1]),
        ("新的一对里正弦、余弦放反了", "偶数列是正弦，奇数列是余弦。", lambda t: _swapped(_turned(t, len(t)))),
        ("只乘了余弦，少了另一项", way, lambda t: _turned(t, len(t), signs=(0, 0))),
        ("把前一半的列当成了正弦", "表是交错布局：正弦在偶数列。", lambda t: _halves_turned(t)),
        ("把余弦当成了正弦", "偶数列是正弦，奇数列是余弦。", lambda t: _swapped(_turned(_swapped(t), len(t)))),
    ):
        yield name, hint, lambda t, new=new: np.vstack([t, new(t)])
    yield "新的行放到了旧的前面", "旧的 m 行在前。", lambda t: np.vstack([_turned(t, len(t)), t])
    yield (
        "新旧的行交替着放了",
        "旧的 m 行在前。",
        lambda t: np.stack([t, _turned(t, len(t))], 1).reshape(-1, t.shape[1]),
    )
    yield (
        "没有用传进来的表，从位置 0 重新算了一张",
        "表的第 0 行不一定是位置 0。",
        lambda t: [_row(p, t.shape[1]) for p in range(2 * len(t))],
    )
    for rule in _rules()[1:]:
        yield rule.name, rule.hint, lambda t, rule=rule: np.vstack([t, _turned(t, len(t), rule)])


def _observe_turn(seen: list[_Seen]) -> _Diagnosis | None:
    """认不出时：由新旧两行读出转了多少。"""
    for s in (s for s in seen if s.complaint and not s.diagnosis):
        m, d = s.trial.args[0].shape
        if not _close(s.array[:m], s.trial.args[0]):
            return _Diagnosis("前 m 行不是原来的 m 行", "旧的 m 行原样放在前面。")
        z = s.array[:, 1::2] + 1j * s.array[:, 0::2]
        if not _close(np.abs(z), np.ones(z.shape)):
            return _Diagnosis("不是旋转：新的行里，有一对的平方和不是 1", "正弦的平方加余弦的平方，转过之后还应是 1。")
        turned = np.angle(z[m:] / z[:m])
        for k, i in np.ndindex(turned.shape):
            want = m * 10000 ** (-2 * i / d)
            if abs(math.remainder(turned[k, i] - want, 2 * math.pi)) > 1e-6:
                said = f"第 {k} 行的第 {i} 对转了 {_number(turned[k, i])} 弧度，应为 {_number(want)}（或差整圈）"
                return _Diagnosis(f"转过的角度不对：{said}", "每一行转的步数都是 m，角是 m 乘角频率。")
    return None


def _swapped(table: Any) -> Any:
    return table[:, [j ^ 1 for j in range(table.shape[1])]]


def _halves_turned(table: Any) -> Any:
    h = table.shape[1] // 2
    order = [j // 2 + (j % 2) * h for j in range(2 * h)]
    back = [*range(0, 2 * h, 2), *range(1, 2 * h, 2)]
    return _turned(table[:, order], len(table))[:, back]


_DOUBLE = _Exercise(
    "6-3",
    ("double",),
    _to_double,
    lambda seen: _diagnose_by(*_double_mistakes())(seen) or _observe_turn(seen),
    "核对了 8 张表，1 行到 64 行，2 列到 16 列；有的从位置 0 起，有的从别处或负数起。",
    "新的行一个正弦、余弦也没有算：转过的角度只与 m 有关，整张表用同一行 d/2 个角。",
)


def check_double(answer: Callable[..., Any]) -> None:
    """检查练习 6-3：``double(table)`` 由连续的 ``m`` 行转出后面的 ``m`` 行。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_double(...)  # 还没有写
    练习 6-3：尚未作答。
    """
    _check(_DOUBLE, answer)


# ------------------------------------------------------------------ 第 10 课


def _endpoint_frequencies() -> list[_Trial]:
    cases = [
        (8, 10000.0),
        (2, 10000.0),
        (4, 10000.0),
        (6, 10000.0),
        (8, 100.0),
        (6, 2.0),
        (16, 10000),
        (10, 31.4),
        (512, 10000.0),
    ]
    cases += [(2 * _dice.randint(5, 40), float(_dice.randint(20, 90000))), (2, 500.0)]
    golden = {(8, 10000.0): [1, 0.046415888336, 0.002154434690, 0.0001], (2, 10000.0): [1]}
    trials = []
    for d, base in cases:
        omega = [1.0] if d == 2 else [math.exp(-math.log(base) * i / (d // 2 - 1)) for i in range(d // 2)]
        expected = np.array(golden.get((d, base)) or omega)
        trial = _Trial((d, base), expected, atol=_CLOSE * expected)
        trial.place = lambda index: f"第 {index[0]} 对"
        trials.append(trial)
    return trials


_LAST = "最后一项应恰好是 1/base：i 最大是几？分母该是几？"


def _stepped(exponent: Callable[[int, int], float]) -> Callable[[int, float], Any]:
    """由对的编号和对的个数给出指数。"""
    return lambda d, base: [base ** -exponent(i, d // 2) for i in range(d // 2)]


def _endpoint_mistakes() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    yield "分母是 d/2，那是论文的频率表", _LAST, _stepped(lambda i, h: i / h)
    yield "分母是 d", _LAST, _stepped(lambda i, h: i / (2 * h))
    yield "分母是 d - 1", _LAST, _stepped(lambda i, h: i / (2 * h - 1))
    yield "分母是 d - 2，少乘了 2", _LAST, _stepped(lambda i, h: i / max(2 * h - 2, 1))
    yield "分母是 d/2 + 1", _LAST, _stepped(lambda i, h: i / (h + 1))
    yield "分母是 d/2 - 2", _LAST, _stepped(lambda i, h: i / max(h - 2, 1))
    yield "指数加倍了", _LAST, _stepped(lambda i, h: 2 * i / max(h - 1, 1))
    yield "i 从 1 数起", "第一个角频率是 1，所以 i 从 0 数起。", _stepped(lambda i, h: (i + 1) / max(h - 1, 1))
    yield "i 从 1 数起，分母是 d/2", "第一个角频率是 1，所以 i 从 0 数起。", _stepped(lambda i, h: (i + 1) / h)
    yield "乘除颠倒了，越来越大", "角频率从 1 减小到 1/base。", _stepped(lambda i, h: -i / max(h - 1, 1))
    yield (
        "给的是波长，不是角频率",
        "波长是 2π 除以角频率。",
        lambda d, base: [2 * math.pi * base ** (i / max(d // 2 - 1, 1)) for i in range(d // 2)],
    )
    yield (
        "角频率的次序反了",
        "第一个最快，是 1。",
        lambda d, base: _stepped(lambda i, h: i / max(h - 1, 1))(d, base)[::-1],
    )
    yield (
        "成了等差数列",
        "相邻两项之比相同，不是之差：geomspace，不是 linspace。",
        lambda d, base: np.linspace(1, 1 / base, d // 2),
    )
    for other in _BASES:
        name = f"底数不对，用的是 {other:g}"
        yield (
            name,
            "底数由参数 base 给出。",
            lambda d, base, other=other: _stepped(lambda i, h: i / max(h - 1, 1))(d, other),
        )


_ONE_PAIR = "d_model = 2 时只有一对，分母 d/2 - 1 是 0"


def _diagnose_endpoint(seen: list[_Seen]) -> _Diagnosis | None:
    pairs = [s for s in seen if s.trial.args[0] == 2]
    others = [s for s in seen if s.trial.args[0] > 2]
    if any(s.complaint for s in pairs) and not any(s.complaint for s in others):
        hint = "0/0 没有意义，要单独想：只有一个角频率，它该是几？"
        if any(isinstance(s.error, ZeroDivisionError) for s in pairs):
            return _Diagnosis(f"{_ONE_PAIR}，除法报错了", hint)
        if any(s.array is not None and np.isnan(s.array).any() for s in pairs):
            return _Diagnosis(f"{_ONE_PAIR}，除出了 nan", hint)
        return _Diagnosis(f"只有 d_model = 2 时不对：{_ONE_PAIR}", hint)
    return _diagnose_by(*_endpoint_mistakes())(others)


_ENDPOINT = _Exercise(
    "10-2",
    ("endpoint_frequencies",),
    _endpoint_frequencies,
    _diagnose_endpoint,
    "核对了 11 组维度和底数，维度从 2 到 512；其中 8 维的四个数是另外算好的。",
    "它与论文的频率表只差一个底数：b 换成 b 的 h/(h-1) 次方，h = d/2，一种就成了另一种。",
)


def check_endpoint_frequencies(answer: Callable[..., Any]) -> None:
    """检查练习 10-2：``endpoint_frequencies(d_model, base)`` 返回从 1 到 ``1/base`` 的频率表。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_endpoint_frequencies(...)  # 还没有写
    练习 10-2：尚未作答。
    """
    _check(_ENDPOINT, answer)


def _masks_with_cache() -> list[_Trial]:
    cases = [
        ([[0, 0, 1, 1], [1, 1, 1, 1]], [0, 0]),  # 左填充
        ([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1], [1, 0, 0, 0, 0]], [0, 0, 0]),  # 右填充
        ([[0, 1, 0, 1, 1], [1, 1, 0, 0, 1]], [0, 0]),  # 夹在中间
        ([[1], [1], [1]], [2, 4, 0]),  # 每次一个新词
        ([[0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1]], [3, 3, 5, 7]),
        ([[0, 1, 1, 0, 1]], [6]),
        ([[0, 1, 1, 0, 1]], [0]),
        ([[1, 1, 0, 1], [1, 0, 1, 0]], [70000, 32767]),
        ([[_dice.randint(0, 1) for _ in range(9)] for _ in range(4)], _dice.sample(range(20), 4)),
    ]
    golden = {0: [[0, 0, 0, 1], [0, 1, 2, 3]], 3: [[2], [4], [0]]}
    trials = []
    for number, (mask, cache) in enumerate(cases):
        rows = []
        for words, known in zip(mask, cache, strict=True):
            row = []
            for word in words:
                row.append(known if word else 0)
                known += word
            rows.append(row)
        expected = np.array(golden.get(number, rows))
        trials.append(_Trial((np.array(mask), np.array(cache)), expected, dtype=_COUNTS))
    return trials


_COUNTS = [np.dtype(code).type for code in np.typecodes["AllInteger"]]
_BEFORE = "一个真实的词的位置，等于它前面的真实词数：缓存里的，加上这一行里左边的。"
_PADDING = "填充不占号，所以要数的是真实的词，不是列。"
_ITS_OWN = "每一句缓存的词数不同，cache[:, None] 让每一行加自己的那个数。"
_TOKEN_POSITIONS = _Exercise(
    "10-3",
    ("token_positions",),
    _masks_with_cache,
    _diagnose_by(
        ("用了列号，填充也占了号", _PADDING, lambda m, c: (np.arange(m.shape[1]) + c[:, None]) * m),
        (
            "用了列号，填充也占了号，填充处也没有写 0",
            _PADDING,
            lambda m, c: np.arange(m.shape[1]) + c[:, None] + 0 * m,
        ),
        ("用了列号，也没有加上缓存", _PADDING, lambda m, c: np.arange(m.shape[1]) * m),
        ("用了列号，也没有加上缓存，填充处也没有写 0", _PADDING, lambda m, c: np.arange(m.shape[1]) + 0 * m),
        ("没有加上缓存", _BEFORE, lambda m, c: (m.cumsum(1) - 1) * m),
        ("多了 1：数到自己为止，把自己也数了进去", _BEFORE, lambda m, c: (m.cumsum(1) + c[:, None]) * m),
        ("多了 1，而且没有加上缓存", _BEFORE, lambda m, c: m.cumsum(1) * m),
        ("填充处没有写 0", "最后乘以 mask。", lambda m, c: m.cumsum(1) - 1 + c[:, None]),
        ("填充处没有写 0，缓存也没有加上", "最后乘以 mask。", lambda m, c: m.cumsum(1) - 1),
        ("填充处成了 -1", "减 1 要在乘以 mask 之前。", lambda m, c: (m.cumsum(1) + c[:, None]) * m - 1),
        ("填充处成了 -1，缓存也没有加上", "减 1 要在乘以 mask 之前。", lambda m, c: m.cumsum(1) * m - 1),
        ("填充处成了缓存的词数", "加缓存要在乘以 mask 之前。", lambda m, c: (m.cumsum(1) - 1) * m + c[:, None]),
        ("所有的句子加了同一个缓存，最大的那个", _ITS_OWN, lambda m, c: (m.cumsum(1) - 1 + c.max()) * m),
        ("所有的句子加了同一个缓存，第一句的", _ITS_OWN, lambda m, c: (m.cumsum(1) - 1 + c[0]) * m),
        (
            "cumsum 沿着句子加了，应沿着词加",
            "axis=1：一行之内从左往右数。",
            lambda m, c: (m.cumsum(0) - 1 + c[:, None]) * m,
        ),
        (
            "整批连着数下去了",
            "cumsum 不写 axis 会先摊平；写 axis=1，每一行重新数。",
            lambda m, c: (m.cumsum().reshape(m.shape) - 1 + c[:, None]) * m,
        ),
        (
            "从右往左数了",
            "第一个词在最左边。",
            lambda m, c: (m[:, ::-1].cumsum(1)[:, ::-1] - 1 + c[:, None]) * m,
        ),
        (
            "只扣掉了填充的总数，填充在左边时才对",
            "填充也会在右边和中间：只有它左边的填充才影响它。",
            lambda m, c: (np.arange(m.shape[1]) - (1 - m).sum(1, keepdims=True) + c[:, None]) * m,
        ),
        (
            "只扣掉了开头的填充，夹在中间的没有扣",
            "填充也会夹在中间；数真实的词，就不用管填充在哪里。",
            lambda m, c: (
                (np.arange(m.shape[1]) - np.where(m.any(1), m.argmax(1), m.shape[1])[:, None] + c[:, None]) * m
            ),
        ),
        ("缓存的词数减了 1", _BEFORE, lambda m, c: (m.cumsum(1) - 2 + c[:, None]) * m),
        (
            "fairseq 的数法：从 2 数起，填充处写 1",
            "这道题从缓存的词数数起，填充处写 0。",
            lambda m, c: (m.cumsum(1) + c[:, None]) * m + 1,
        ),
        ("返回的是掩码", _BEFORE, lambda m, c: m),
        ("mask 用反了：真实的词写了 0", "1 是真实的词。", lambda m, c: (m.cumsum(1) - 1 + c[:, None]) * (1 - m)),
        (
            "填充处没有写 0，只挡住了负数",
            "有缓存时，填充处不是负数；最后乘以 mask。",
            lambda m, c: np.maximum(m.cumsum(1) - 1 + c[:, None], 0),
        ),
        *(
            (
                f"填充处写了 {pad}，题目要 0",
                "np.where 的最后一个参数，或者乘以 mask。",
                lambda m, c, pad=pad: np.where(m == 1, m.cumsum(1) - 1 + c[:, None], pad),
            )
            for pad in (1, -1, -100)
        ),
        ("只写了缓存的词数，没有数这一行的词", _BEFORE, lambda m, c: m * c[:, None]),
        *(
            (
                f"位置存成了 {bits} 位整数，溢出了",
                "缓存的词可以有几万个；换一种放得下的整数。",
                lambda m, c, sign=sign, bits=bits: (((m.cumsum(1) - 1 + c[:, None]) * m + sign) % 2**bits) - sign,
            )
            for bits in (8, 16)
            for sign in (0, 2 ** (bits - 1))
        ),
    ),
    "核对了 9 批句子：左填充、右填充、填充夹在中间、每次一个新词、各句缓存不同；其中两批是手写的。",
    "这正是生成文本时的数法：有缓存时一个词一个词地送，与一次送全，位置相同。",
)


def check_token_positions(answer: Callable[..., Any]) -> None:
    """检查练习 10-3：``token_positions(mask, cache)`` 返回真实的词的位置，填充处是 0。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_token_positions(...)  # 还没有写
    练习 10-3：尚未作答。
    """
    _check(_TOKEN_POSITIONS, answer)


def _grids() -> list[_Trial]:
    golden = [[0, 1, 0, 1], [0.8414709848, 0.5403023059, 0, 1], [0.9092974268, -0.4161468365, 0, 1]]
    golden += [[0, 1, *golden[1][:2]], [*golden[1][:2]] * 2, [*golden[2][:2], *golden[1][:2]]]
    trials = []
    sizes = [
        (2, 3, 4),
        (1, 1, 4),
        (1, 5, 8),
        (4, 1, 8),
        (3, 3, 8),
        (5, 3, 16),
        (3, 5, 16),
        (2, 3, 16),
        (1, 300, 8),
        (3, 7, 64),
    ]
    for height, width, d in [*sizes, (_dice.randint(2, 6), _dice.randint(7, 9), 4 * _dice.randint(3, 8))]:
        quarter, rows, atols = d // 4, [], []
        for y in range(height):
            for x in range(width):
                row, atol = [], []
                for place in (x, y):
                    atol += [_loose(place)] * (2 * quarter)
                    row += [math.sin(place / 10000 ** (i / quarter)) for i in range(quarter)]
                    row += [math.cos(place / 10000 ** (i / quarter)) for i in range(quarter)]
                rows.append(row)
                atols.append(atol)
        expected = np.array(golden if (height, width, d) == (2, 3, 4) else rows)
        trial = _Trial((height, width, d), expected, atol=np.array(atols))
        trial.place = lambda index, width=width: (
            f"第 {index[0] // width} 行第 {index[0] % width} 格的第 {index[1]} 个数"
        )
        trials.append(trial)
    return trials


def _gridded(
    places: Callable[..., tuple[float, float]] = lambda y, x, h, w: (x, y),
    exponent: Callable[[int, int], float] = lambda i, q: i / q,
    columns: Callable[[Any, Any, Any, Any], list] = lambda s, c, S, C: [*s, *c, *S, *C],
    by_columns: bool = False,
) -> Callable[[int, int, int], Any]:
    """一张网格表：每格的两个位置、指数、列的次序、格子的次序，各可以错一处。"""

    def table(height: int, width: int, d: int) -> Any:
        q = d // 4
        cells = [(y, x) for y in range(height) for x in range(width)]
        if by_columns:
            cells = [(y, x) for x in range(width) for y in range(height)]
        rows = []
        for y, x in cells:
            angles = [[p * 10000 ** -exponent(i, q) for i in range(q)] for p in places(y, x, height, width)]
            parts = [[f(a) for a in angle] for angle in angles for f in (math.sin, math.cos)]
            rows.append(columns(*parts))
        return rows

    return table


_FIRST_HALF = "第 0 列沿着哪个方向变？横着走一格，变的应是前一半。"
_ROW_BY_ROW = "第 1 行结果是哪一格？一行接一行地排，它在第一格的右边，x = 1、y = 0。"
_ONE_AXIS = "每一半是 d_model // 2 维的一张普通编码表，只有 d_model // 4 个角频率。"
_HALVES = "每一半之内，先全部正弦，再全部余弦。"


def _paired(s: list, c: list, S: list, C: list) -> list:
    return [v for pair in (*zip(s, c, strict=True), *zip(S, C, strict=True)) for v in pair]


_GRID_MISTAKES = _diagnose_by(
    ("x 和 y 颠倒了：前一半编码的是行号", _FIRST_HALF, _gridded(lambda y, x, h, w: (y, x))),
    ("格子一列接一列地排了，应一行接一行", _ROW_BY_ROW, _gridded(by_columns=True)),
    (
        "格子一列接一列地排了，x 和 y 也颠倒了：像是 height 和 width 换了角色",
        _ROW_BY_ROW,
        _gridded(lambda y, x, h, w: (y, x), by_columns=True),
    ),
    ("两半都编码了列号 x", "后一半编码行号 y。", _gridded(lambda y, x, h, w: (x, x))),
    ("两半都编码了行号 y", "前一半编码列号 x。", _gridded(lambda y, x, h, w: (y, y))),
    ("编码的是第几格，不是行号和列号", _FIRST_HALF, _gridded(lambda y, x, h, w: (y * w + x, y * w + x))),
    ("位置从 1 数起", "左上角的格子，行号、列号都是 0。", _gridded(lambda y, x, h, w: (x + 1, y + 1))),
    (
        "位置除以了网格的大小",
        "MAE 直接用行号、列号，不归一化。",
        _gridded(lambda y, x, h, w: (x / w, y / h)),
    ),
    (
        "位置归一化到了 2π",
        "那是 DETR 的做法；MAE 直接用行号、列号。",
        _gridded(lambda y, x, h, w: (2 * math.pi * x / w, 2 * math.pi * y / h)),
    ),
    ("行号从下往上数了", "第 0 行在最上面。", _gridded(lambda y, x, h, w: (x, h - 1 - y))),
    (
        "行号、列号归一化到了 0 到 1",
        "MAE 直接用行号、列号，不归一化。",
        _gridded(lambda y, x, h, w: (x / max(w - 1, 1), y / max(h - 1, 1))),
    ),
    (
        "把格子当成了一串，没有分行号、列号",
        "每格有两个数：一半的列编码 x，一半编码 y。",
        lambda h, w, d: [_row(p, d) for p in range(h * w)],
    ),
    ("指数的分母用了整个 d_model，应是它的一半", _ONE_AXIS, _gridded(exponent=lambda i, q: i / (2 * q))),
    ("指数加倍了", _ONE_AXIS, _gridded(exponent=lambda i, q: 2 * i / q)),
    (
        "用了 tensor2tensor 的频率表，分母少了 1",
        "题目要论文的频率表。",
        _gridded(exponent=lambda i, q: i / max(q - 1, 1)),
    ),
    ("每一半成了交错布局", _HALVES, _gridded(columns=_paired)),
    (
        "每一半成了交错布局，x 和 y 也颠倒了",
        _HALVES,
        _gridded(lambda y, x, h, w: (y, x), columns=_paired),
    ),
    ("余弦放到了正弦前面", _HALVES, _gridded(columns=lambda s, c, S, C: [*c, *s, *C, *S])),
    (
        "先两个轴的正弦，再两个轴的余弦：那是 timm 的次序",
        "前一半全是 x 的，后一半全是 y 的。",
        _gridded(columns=lambda s, c, S, C: [*s, *S, *c, *C]),
    ),
)


def _diagnose_grid(seen: list[_Seen]) -> _Diagnosis | None:
    shapes = [(s.value.shape, s.trial.args) for s in seen if isinstance(s.value, np.ndarray)]
    for name, hint, shape in (
        ("网格没有摊平", "最后 reshape 成 (height * width, d_model)。", lambda h, w, d: (h, w, d)),
        (
            "把网格当成了方的，边长取了格数的平方根",
            "高和宽都是参数，不要从格数去猜。",
            lambda h, w, d: (math.isqrt(h * w) ** 2, d),
        ),
        ("把网格当成了方的，只用了 height", "宽是 width。", lambda h, w, d: (h * h, d)),
        ("把网格当成了方的，只用了 width", "高是 height。", lambda h, w, d: (w * w, d)),
        ("每个轴用了整个 d_model，列多了一倍", _ONE_AXIS, lambda h, w, d: (h * w, 2 * d)),
        ("多了一行，像是给 [CLS] 留的", "只要 height * width 行，一格一行。", lambda h, w, d: (h * w + 1, d)),
        ("两个轴相加了，应左右拼接", "两半各占 d_model // 2 列：np.hstack。", lambda h, w, d: (h * w, d // 2)),
    ):
        if shapes and all(got == shape(*args) for got, args in shapes) and any(s.complaint for s in seen):
            if any(got != (h * w, d) for got, (h, w, d) in shapes):
                return _Diagnosis(name, hint)
    return _GRID_MISTAKES(seen)


_GRID = _Exercise(
    "10-4",
    ("grid_table",),
    _grids,
    _diagnose_grid,
    "核对了 11 个网格，高与宽多半不同，维度从 4 到 64；其中一个是另外算好的。",
    "方的网格上，x 和 y 颠倒前后，行是同一批，只是次序不同；所以要用高与宽不同的网格来测。",
)


def check_grid_table(answer: Callable[..., Any]) -> None:
    """检查练习 10-4：``grid_table(height, width, d_model)`` 返回 MAE 的网格编码，列号在前。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_grid_table(...)  # 还没有写
    练习 10-4：尚未作答。
    """
    _check(_GRID, answer)


# ------------------------------------------------------------------ 严格模式与进度


def strict(on: bool = True) -> None:
    """打开严格模式：从此以后，没有通过的检查（包括尚未作答）一律抛出 ``AssertionError``。

    解答笔记本的第一格调用它，所以解答若有错，测试会发现。

    Parameters
    ----------
    on : bool, default: True
        传 False 则关掉。

    Examples
    --------
    >>> strict()
    >>> check_encode_one(...)
    Traceback (most recent call last):
    AssertionError: 练习 0-2：尚未作答。
    >>> strict(False)
    """
    _state["strict"] = on


def progress(lesson: int) -> None:
    """印出一课的代码练习通过了几道。只记在内核里，重启就清零；以每道题最近的一次检查为准。

    Parameters
    ----------
    lesson : int
        课号。

    Raises
    ------
    ValueError
        这一课没有代码练习。

    Examples
    --------
    >>> progress(6)
    代码练习 0/2 已通过；还没有通过：练习 6-2、6-3
    """
    whole = isinstance(lesson, int | np.integer)
    numbers = [e.number for e in _EXERCISES if whole and int(e.number.split("-")[0]) == lesson]
    if not numbers:
        raise ValueError(f"lesson 必须是有代码练习的课号，收到 {_received(lesson)}；例如 progress(3)。")
    missing = [number for number in numbers if number not in _passed]
    rest = f"；还没有通过：练习 {'、'.join(missing)}" if missing else ""
    print(f"代码练习 {len(numbers) - len(missing)}/{len(numbers)} 已通过{rest}")


_EXERCISES = [value for value in [*globals().values()] if isinstance(value, _Exercise)]
