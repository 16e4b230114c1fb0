"""看一次调用的结果：对不对，第一处不对在哪里；形状、类型、报错就能说明的，说明白。"""

from __future__ import annotations

import contextlib
import inspect
import linecache
import math
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..mistakes import Mistake
from ._declare import BASE, Case, Exercise
from ._run import Fault, Nested, Seen


@dataclass(frozen=True)
class Diagnosis:
    """像是哪种错，和不泄底的提示。again 照样再犯一遍，由一次调用得到错的结果。"""

    code: str
    name: str
    hint: str
    why: str = ""
    lesson: str = ""
    again: Callable[[Case], Any] | None = None
    known: bool = True  # 认出来了；不然只是看得出的现象


def named(mistakes: list[Mistake], again: Callable[[Case], Any] | None = None) -> Diagnosis:
    """几种错合成一个诊断。"""
    return Diagnosis(
        "+".join(m.code for m in mistakes),
        "；".join(m.name for m in mistakes),
        "".join(dict.fromkeys(map(_hint, mistakes))),
        next((m.why for m in mistakes if m.why), ""),
        next((m.lesson for m in mistakes if m.lesson), ""),
        again,
    )


def _hint(m: Mistake) -> str:
    """目录里的提示；底数换过的班，不能还说论文的那个。"""
    base = BASE.get()
    return f"这个班的底数是 {base:g}，题目里写着。" if m.where == "base" and base != 10000.0 else m.hint


def close(left: Any, right: Any) -> bool:
    """形状相同，而且处处相近；同号的无穷算相近。"""
    return left.shape == right.shape and bool(np.allclose(left, right, rtol=1e-5, atol=1e-6, equal_nan=True))


# ------------------------------------------------------------------ 写出来


def number(x: float, other: float = math.nan) -> str:
    """写出一个数，位数多到与另一个分得开；整数写成整数。"""
    if x == round(x, 0) and (other == round(other, 0) or other != other) and abs(x) < 1e16:
        return str(int(x))
    kind = "f" if 1e-3 <= abs(x) < 1e4 and not 0 < abs(other) < 1e-4 else "g"
    for digits in (4, 6, 9, 12, 16):
        if f"{x:.{digits}{kind}}" != f"{other:.{digits}{kind}}":
            return f"{x:.{digits}{kind}}"
    return f"{x:.17g}"


def spell(exercise: Exercise, case: Case) -> str:
    return f"{exercise.name}({case.spelled})"


# ------------------------------------------------------------------ 报错

# 报错里认得出的字样：（代号，正则，像是哪种错，提示）
_ERRORS = [
    (
        "signature",
        r"takes .* positional argument|missing \d+ required|unexpected keyword",
        "参数和题目约定的不一样",
        "对照题目给的第一行 def，参数的个数和名字都不要改。",
    ),
    (
        "broadcast",
        r"broadcast|operands could not|shape mismatch|core dimension|not aligned",
        "两个数组的形状对不上",
        "写出两边的形状，从右对齐：长度不同的是哪个轴？是该切下一段，该用 [:, None] 变成一列，还是该转置？",
    ),
    (
        "sequence-in-element",
        r"setting an array element with a sequence",
        "把一个数组放进了一个数的位置",
        "左边的下标选中了几个数？右边呢？",
    ),
    (
        "math-on-array",
        r"only (?:size-1|length-1|0-dimensional) arrays",
        "math 里的函数只认一个数",
        "对整个数组用 np.sin、np.cos，或者在循环里一个一个地算。",
    ),
    (
        "negative-integer-power",
        r"Integers to negative integer powers",
        "整数的底数取了负的整数次幂",
        "NumPy 不算整数的负次幂；底数写成浮点数，例如 10000.0。",
    ),
    ("cast", r"Cannot cast ufunc", "想把小数写回整数数组", "结果另建一个浮点数组，不要写回输入。"),
    (
        "float-index",
        r"used as indices must be of integer|only integers, slices",
        "拿位置去作下标了，可位置不一定是整数",
        "位置可以是小数和负数，查表查不到；由位置直接算角度。",
    ),
    (
        "out-of-bounds",
        r"out of bounds|index out of range",
        "下标越界",
        "轴的长度是 n，下标就只到 n - 1；看看用的是不是另一个轴的长度。",
    ),
    (
        "too-many-indices",
        r"too many indices",
        "下标比轴多",
        "打印这个数组的 shape，数一数它有几个轴；[:, None] 只认一维，[..., None] 不挑。",
    ),
    (
        "reshape",
        r"cannot reshape",
        "reshape 前后，数的个数不一样",
        "打印 reshape 之前的 shape，各轴相乘，与要的形状比一比。",
    ),
    (
        "concatenate",
        r"concatenat\w+ axis|number of dimensions|must have the same shape|number of array dimensions",
        "要拼接的数组，形状对不上",
        "打印每一块的 shape：除了接在一起的那个轴，别的轴都要一样长。",
    ),
    (
        "shape-brackets",
        r"Cannot interpret .* as a data type|Field elements must be|data type .* not understood",
        "形状的括号漏了，第二个数被当成了 dtype",
        "形状是一个元组：np.zeros((行, 列))，有两层括号。",
    ),
    (
        "integer-needed",
        r"cannot be interpreted as an integer|integer scalar arrays|must be integers|expected a sequence of integers",
        "要整数的地方得到了别的",
        "range、形状和下标只认整数；/ 的结果总是小数，个数用 // 来算。",
    ),
    ("truth-value", r"truth value", "拿整个数组作了 if 的条件", "一个数组里有真有假；逐个挑选用 np.where。"),
    ("not-callable", r"not callable", "把一个数或数组当成函数来调用了", "是不是漏了乘号，或者变量与函数重名了？"),
    (
        "none",
        r"NoneType",
        "中间有一步得到了 None",
        "哪一个函数没有 return？append、sort 这些就地改动的，返回的也是 None。",
    ),
    (
        "number-as-sequence",
        r"not iterable|not subscriptable|no len\(\)|len\(\) of unsized",
        "把一个数当成一串数来用了",
        "打印它；循环写成 for i in range(n)，取下标的应是数组。",
    ),
    (
        "unassigned",
        r"local variable|free variable",
        "变量还没有值就用到了它",
        "给它赋值的那一行，每一条路都会走到吗？",
    ),
    (
        "attribute",
        r"has no attribute",
        "没有这个名字的函数或属性",
        "拼写对吗？它是 np 的、math 的，还是数组的？",
    ),
    ("no-module", r"No module named", "没有安装这个包", "这些题只要 NumPy 和 math。"),
    (
        "list-arithmetic",
        r"multiply sequence|can only concatenate|unsupported operand type\(s\) for .*'list'",
        "列表不会逐个相乘、相加",
        "先用 np.array(…) 换成数组，再运算。",
    ),
    (
        "overflow",
        r"Numerical result out of range|too large",
        "中间的数大到放不下",
        "指数多大？角频率不超过 1，乘除颠倒了才会很大。",
    ),
    (
        "not-imported",
        r"name '(np|numpy|math|sinpe|plt)' is not defined",
        "用到的模块还没有导入",
        "先运行这一课最上面的第一格代码，再运行这一格；“运行”菜单里有“运行选中单元格以上的全部”。",
    ),
    (
        "undefined",
        r"is not defined",
        "用到了没有定义的名字",
        "拼写对吗？定义它的那一格运行过吗？",
    ),
    ("read-only", r"read-only", "想改动只读的数组", "先 copy() 一份。"),
    (
        "recursion",
        r"maximum recursion depth",
        "函数没完没了地调用自己",
        "递归要有一个不再调用自己的出口；这道题用不着递归。",
    ),
    (
        "zero-division",
        r"division by zero|zero to a negative power",
        "除数是 0",
        "哪个除数会成为 0？最小的一次调用先手算一遍。",
    ),
    ("memory", r"Unable to allocate|MemoryError", "数组大到内存放不下", "结果应有多大？打印中间数组的 shape。"),
    (
        "domain",
        r"math domain error|expected a .* input, got|expected argument",
        "math 里的函数收到了定义域以外的数",
        "打印传给它的数：arccos 只认 -1 到 1，对数只认正数。",
    ),
    (
        "complex",
        r"complex|can't convert complex",
        "得到了复数",
        "负数取小数次方会得到复数；用复数计算的，返回之前取出实部和虚部。",
    ),
]


def name_error(error: BaseException) -> str:
    """报错的类型和第一行话；有的报错没有话，有的话很长，有的连话也说不出。"""
    with contextlib.suppress(Exception):
        said = str(error).strip().splitlines() or [""]
        return f"{type(error).__name__}: {said[0][:200]}".removesuffix(": ") + ("……" if len(said) > 1 else "")
    return type(error).__name__


def _explain_error(error: BaseException) -> Diagnosis:
    if isinstance(error, Nested):
        return Diagnosis(
            "check-inside", "检查的那一行缩进到函数里面去了", "让 exercises.check_… 那一行顶格写，不属于函数。"
        )
    message = name_error(error)
    for code, pattern, name, hint in _ERRORS:
        if re.search(pattern, message):
            return Diagnosis(f"error/{code}", name, hint)
    return Diagnosis("error/other", "函数中途报错，没有返回", "单独运行这一次调用，看完整的报错。", known=False)


def _line_of(error: BaseException, function: Callable[..., Any]) -> str:
    """报错出在读者函数的哪一行；找不到就是空的。"""
    code = getattr(function, "__code__", None)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if code and frame.filename == code.co_filename and frame.lineno:
            if text := linecache.getline(frame.filename, frame.lineno).strip():
                return text
    return ""


# ------------------------------------------------------------------ 形状和类型


def _explain_shape(got: tuple[int, ...], want: tuple[int, ...]) -> Diagnosis:
    def because(code: str, name: str, hint: str) -> Diagnosis:
        return Diagnosis(f"shape/{code}", name, hint)

    if not want:
        return because("array-for-number", "返回了数组，题目要的是一个数", "看看哪一步该取出一个数，或者该求和。")
    if not got:
        return because(
            "number-for-array", "返回了一个数，题目要的是数组", "最后 return 的是哪个变量？是不是只取了一个？"
        )
    if got == want[::-1] and len(got) > 1:
        return because("transposed", "行和列颠倒了", "转置一下，或者换一个轴加 None：哪一个轴是位置，哪一个轴是列？")
    if len(got) == len(want) + 1:
        if tuple(n for n in got if n != 1) == tuple(n for n in want if n != 1):
            return because(
                "batch-axis",
                "多出一个长度为 1 的轴，像是加了批的轴",
                "题目要的结果没有批的轴；哪一个 None 或 [] 是多余的？",
            )
        if math.prod(got) == math.prod(want):
            return because("not-merged", "有两个轴没有并成一个", "最后还要 reshape 一次；先想好哪个轴走得最快。")
        return because("extra-axis", "多出一个轴", "打印每一步的 shape，看它从哪一步多出来。")
    if len(got) == len(want) - 1:
        if math.prod(got) == math.prod(want):
            return because("flattened", "两个轴并成了一个", "最后 reshape 成题目要的形状；没有并的话，看哪一步摊平了。")
        return because("missing-axis", "少了一个轴", "哪一边该用 [:, None] 变成一列，让两个轴都留下来？")
    if len(got) != len(want):
        return because("axes", "轴的个数不对", "打印每一步的 shape，与应有的形状对照。")
    if got[0] == 1 < want[0] and got[1:] == want[1:]:
        return because(
            "first-only", "只有第一行，后面的都没有", "return 是不是缩进到循环里面了？循环走完一圈就返回了。"
        )
    if got[:-1] == want[:-1]:
        if 2 * got[-1] == want[-1]:
            return because("half-columns", "只有一半的列", "每一对占两列：正弦一列，余弦一列。")
        if got[-1] == 2 * want[-1]:
            return because("double-columns", "列多了一倍", "数一数有几对：一共只有 d_model/2 对，不是 d_model 对。")
        if got[-1] == 2 < want[-1]:
            return because(
                "one-pair", "只有一对，后面的都没有", "return 是不是缩进到循环里面了？循环走完一圈就返回了。"
            )
    if got[1:] == want[1:] and 2 * got[0] == want[0]:
        return because("half-rows", "只有一半的行", "打印结果的行数，看少了哪些。")
    if len(got) == 2 and got == (want[0] // 2, 2 * want[1]):
        return because("joined-sideways", "拼接的方向错了：左右拼了，应上下拼", "哪个轴是位置？新的行接在那个轴上。")
    if all(abs(g - w) <= 1 for g, w in zip(got, want, strict=True)):
        return because("off-by-one", "个数差了一个", "从 0 数起，最后一个是几？首尾各取不取？")
    return Diagnosis("shape/other", "形状不对", "打印每一步的 shape，与应有的形状对照。", known=False)


def _explain_type(value: Any, wanted: str) -> tuple[str, Diagnosis]:
    def because(code: str, name: str, hint: str) -> Diagnosis:
        return Diagnosis(f"type/{code}", name, hint)

    kind = type(value).__name__
    if value is None:
        return "得到 None", because(
            "no-return", "忘了 return", "函数的最后一行把结果 return 出来；每一条路都要走得到它。"
        )
    if value is ...:
        return "得到 ...", because("unfinished", "有一条路还没有写完", "每一种输入都要 return 结果。")
    if inspect.isgenerator(value):
        return "得到 generator", because("yield", "用了 yield，函数成了生成器", "先把数都算好放进数组，再 return。")
    if inspect.iscoroutine(value):
        return "得到 coroutine", because("async", "写成了 async 函数", "第一行用 def，不用 async def。")
    if callable(value):
        return f"得到 {kind}", because("function", "返回的是函数，不是算出的结果", "返回之前要调用它：名字后面加括号。")
    if wanted == " NumPy 数组" and isinstance(value, int | float | np.generic):
        return f"得到 {kind}", because(
            "number-for-array", "返回了一个数，题目要的是数组", "是不是只算了一个，或者 return 缩进到循环里面了？"
        )
    if wanted == " NumPy 数组" and isinstance(value, np.ndarray):
        return f"得到 {kind}", because(
            kind.lower(), f"返回了 {kind}，题目要的是普通的数组", "最后用 np.asarray(…) 换回来。"
        )
    if wanted == " NumPy 数组" and isinstance(value, list | tuple):
        return f"得到 {kind}", because(kind, f"返回了 {kind}，题目要的是 NumPy 数组", "用 np.array(…) 包起来再返回。")
    return f"得到 {kind}", because("other", f"返回了 {kind}", f"题目要的是{wanted.strip()}。")


def _explain_dtype(got: np.dtype, allowed: list[np.dtype], array: Any, want: Any) -> Diagnosis:
    def because(code: str, name: str, hint: str) -> Diagnosis:
        return Diagnosis(f"dtype/{code}", name, hint)

    if all(t.kind in "iu" for t in allowed) and got.kind in "fb":
        kind = "浮点数" if got.kind == "f" else "布尔值"
        hint = "看是哪一步把整数变成了别的类型；最后 astype(int) 也行。"
        return because("not-integer", f"返回的是{kind}，题目要整数的数组", hint)
    if got.kind == "b":
        return because("bool", "结果是布尔值，题目要的是数", "真和假各换成哪个数？np.where(条件, 真的取, 假的取)。")
    if got.kind in "iu":
        if array is not None and close(array, np.rint(want)) and not close(array, np.trunc(want)):
            return because("rounded-to-integer", "结果四舍五入成了整数", "返回原样的小数，不要 round。")
        return because(
            "integer", "结果成了整数", "整数数组放不下小数；新建数组时写明 dtype，不要沿用整数输入的 dtype。"
        )
    if got.kind == "c":
        return because("complex", "结果是复数", "用复数计算可以，返回之前取出实部和虚部，放进各自的列。")
    if got.kind not in "fc":
        return because("object", "数组里装的不是数", "各行的长度是否一样？新建数组时写明 dtype。")
    if len(allowed) == 1:
        return because(
            "other-float",
            "没有照要求的 dtype 返回",
            "NumPy 默认用 float64；把要求的 dtype 一路传到新建数组的地方，或者最后 astype 一次。",
        )
    return because("precision", "精度不合题目的要求", "新建数组时写明 dtype。")


def _name_types(allowed: list[np.dtype]) -> str:
    if len(allowed) > 3:
        return "整数" if all(t.kind in "iu" for t in allowed) else "整数、浮点数或布尔值"
    return " " + " 或 ".join(t.name for t in allowed)


# ------------------------------------------------------------------ 看一次


def look(exercise: Exercise, seen: Seen, function: Callable[..., Any], before: int, budget: float) -> None:
    """看一次调用的结果，不对就写下 fault；before 是先前对了几次。"""
    case, error = seen.case, seen.error
    if seen.timed_out:
        seen.fault = _too_long(seen, before, budget)
    elif seen.used:
        rule = "不调用 sinpe" if "sinpe" in exercise.forbids else f"不用 sinpe.{seen.used}"
        found = Diagnosis("forbidden", f"题目要求{rule}", "不看库里的函数，从公式自己写起。")
        seen.fault = Fault("forbidden", f"调用了 sinpe 的 {seen.used}", found)
    elif isinstance(error, Nested):
        seen.fault = Fault("error", f"函数里面又运行了一遍检查{_at_line(error, function)}", _explain_error(error))
    elif case.refuses:
        _look_at_refusal(seen, function)
    elif error:
        seen.fault = Fault("error", f"报错了：{name_error(error)}{_at_line(error, function)}", _explain_error(error))
    elif seen.changed:
        found = Diagnosis(
            "changed-input",
            "就地改了输入",
            "+=、*= 和 a[…] = … 改的是调用者手里的数组；先 copy()，或者写成 x = x + …",
            "调用者的 x 在你的函数返回以后成了什么？b = a 之后改 b，a 变不变，为什么？",
        )
        kind = "列表" if isinstance(case.args[0], list) else "数组"
        seen.fault = Fault("changed", f"改动了传进去的{kind}", found)
    else:
        _compare(exercise, seen)


def _at_line(error: BaseException, function: Callable[..., Any]) -> str:
    line = _line_of(error, function)
    return f"\n出在这一行：{line}" if line else ""


def _too_long(seen: Seen, before: int, budget: float) -> Fault:
    if before:
        name = "小的输入算得完，这一次算不完：做的事比要的结果多得多"
        hint = "花的时间跟着哪个参数长？只算要的那几行、那几个数，不要从头造起再切。"
        code = "too-slow"
    else:
        name, code = "停不下来", "endless"
        hint = "看看循环有没有出口。这道题的正确写法不到百分之一秒。"
    if seen.still_running:
        hint += "它还在后台运行，请从菜单重启内核。"
    return Fault("timeout", f"全部调用一共给 {budget:g} 秒，到这一次还没有算完", Diagnosis(code, name, hint))


def _look_at_refusal(seen: Seen, function: Callable[..., Any]) -> None:
    words, error = seen.case.refuses, seen.error
    if error is None:
        value = seen.value
        what = f"{value.shape} 的数组" if isinstance(value, np.ndarray) else type(value).__name__
        found = Diagnosis(
            "not-refused",
            f"没有拒绝 d_model = {words}",
            "函数一开头就检查：d_model 不是正偶数，就 raise ValueError(…)。",
        )
        seen.fault = Fault("accepted", f"应当抛出 ValueError，却返回了 {what}", found)
    elif not isinstance(error, ValueError) or words not in name_error(error):
        said = f"应当抛出写着 {words} 的 ValueError，得到 {name_error(error)}{_at_line(error, function)}"
        own = _line_of(error, function).startswith(("raise", "assert"))
        if own and isinstance(error, ValueError):
            found = Diagnosis(
                "refusal-without-value", "拒绝对了，报错的话里没有写出收到的 d_model", "用 f 字符串把收到的值写进去。"
            )
        elif own:
            found = Diagnosis(
                "refusal-other-error",
                f"抛出的是 {type(error).__name__}，题目要 ValueError",
                "值不合要求，用 raise ValueError(…)；assert 在优化模式下不起作用。",
            )
        else:
            found = Diagnosis(
                "refusal-accidental",
                "这是别处碰巧报的错，没有告诉调用者哪里不对",
                "自己先检查再计算；报错的话里写出收到的 d_model 是几。",
            )
        seen.fault = Fault("refusal", said, found)


def _compare(exercise: Exercise, seen: Seen) -> None:
    case, value = seen.case, seen.value
    expected = case.expected
    pair = exercise.returns == "pair"
    if pair and isinstance(value, tuple | list) and len(value) == 2:
        with contextlib.suppress(TypeError, ValueError):  # 里面不是数的，留给下面去说
            value = seen.value = np.array([float(part) for part in value])
    if type(value) is not np.ndarray and not (expected.ndim == 0 and isinstance(value, np.generic | float | int)):
        what = "两个数" if pair else " NumPy 数组" if expected.ndim else "一个数"
        said, found = _explain_type(value, what)
        if pair and isinstance(value, tuple | list) and len(value) == 2:
            shapes = "、".join(str(np.shape(part)) for part in value)
            said = f"得到的两样，形状是 {shapes}"
            hint = (
                "f0、f1、f2 各有两个分量，逐个分量地算，就得到两份；取一个不为 0 的分量，或者用内积把两个分量合起来。"
            )
            found = Diagnosis("type/pair-of-arrays", "返回的每一样是数组，不是一个数", hint)
        elif pair and value is not None and value is not ...:
            hint = "return omega, wavelength：先角频率，后波长，中间用逗号。"
            found = Diagnosis("type/not-pair", "要返回两个数", hint)
        with contextlib.suppress(TypeError, ValueError):
            if isinstance(value, list | tuple | int | float | np.generic):
                seen.array = np.asarray(value, np.float64)
        seen.fault = Fault("type", f"应返回{what}，{said}", found)
        return
    got = np.asarray(value)
    if got.dtype.kind in "fiub" and got.size <= 4 * expected.size + 10**5:  # 大得出奇的，不去换它的类型
        seen.array = got.astype(np.float64)
    if got.shape != expected.shape:
        seen.fault = Fault(
            "shape", f"形状应为 {expected.shape}，得到 {got.shape}", _explain_shape(got.shape, expected.shape)
        )
        return
    allowed = [np.float32, np.float64] if case.dtype is None else np.atleast_1d(np.asarray(case.dtype, dtype=object))
    allowed = [np.dtype(t) for t in allowed]
    fits = got.dtype in allowed or (got.ndim == 0 and got.dtype.kind in "iu" and case.dtype is None)
    if not fits:
        said = f"dtype 应为{_name_types(allowed)}，得到 {got.dtype.name}"
        seen.fault = Fault("dtype", said, _explain_dtype(got.dtype, allowed, seen.array, expected))
        return
    with np.errstate(invalid="ignore"):
        wrong = ~((got == expected) | (np.abs(seen.array - expected) <= case.atol))
    if wrong.any():
        index = tuple(int(k) for k in np.argwhere(wrong)[0])
        want, have = float(expected[index]), float(seen.array[index])
        where = f"{exercise.place(index, *case.args)}，" if index else ""
        seen.fault = Fault("value", f"{where}应为 {number(want, have)}，得到 {number(have, want)}")
