"""检查一道练习：逐次调用，判定，挑出要说的话。"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._mistakes import _observe, _search
from ._trial import _call, _close, _Diagnosis, _Exercise, _look, _number, _Seen, _spell

_state = {"strict": False}
_passed: set[str] = set()


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
