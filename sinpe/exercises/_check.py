"""检查一道写代码的练习：逐次调用，判定，挑出要说的话，放到读者面前。"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _card, _notebooks, _run, _seeds
from ._declare import Exercise
from ._look import Diagnosis, look, spell
from ._public import passed, strictness
from ._run import Clock, Fault, Seen
from ._search import diagnose

_repeated: dict[tuple[str, str], tuple[str, int]] = {}  # 每道题最近一次是哪种错，连着第几次


@dataclass
class Verdict:
    """判定，和说明它的材料；文字、卡片、给机器读的一份都由此得来。"""

    exercise: Exercise
    verdict: str  # passed、wrong、blank
    said: str = ""  # 还没有调用就看得出的
    seen: list[Seen] = field(default_factory=list)
    found: Diagnosis | None = None
    times: int = 1

    @property
    def first(self) -> Seen | None:
        return next((s for s in self.seen if s.fault), None)


def check(exercise: Exercise, answer: Any, seed: str | None = None) -> None:
    """检查，显示；严格模式里没有通过就报错。"""
    _run.refuse_nesting()
    with np.errstate(all="ignore"):  # 认错时会照样犯错，不该把警告带给读者
        verdict = judge(exercise, answer)
        _remember(verdict)
        text, body = plain(verdict), _html(verdict)
    if strictness["on"] and verdict.verdict != "passed":
        raise AssertionError(text)
    code = verdict.found.code if verdict.found else None
    _card.show(text, body, _card.data(exercise.number, "code", exercise.name, verdict.verdict, code, seed))


def _remember(verdict: Verdict) -> None:
    """记下通过没有，同一种错连着第几次。"""
    key = (verdict.exercise.number, verdict.exercise.name)
    if verdict.verdict == "passed":
        passed.add(key)
        _repeated.pop(key, None)
    else:
        passed.discard(key)
    if verdict.found:
        last, times = _repeated.get(key, ("", 0))
        verdict.times = times + 1 if last == verdict.found.code else 1
        _repeated[key] = (verdict.found.code, verdict.times)


def judge(exercise: Exercise, answer: Any) -> Verdict:
    """逐次调用，判定，认错。"""
    if answer is ...:
        return Verdict(exercise, "blank")
    if not callable(answer):
        said = f"请把函数本身交给检查器，名字后面不加括号：{exercise.name}；收到的是 {type(answer).__name__}。"
        return Verdict(exercise, "wrong", said)
    trials, clock = exercise.trials(), Clock()
    seen: list[Seen] = []
    for case in [*trials, trials[0]]:  # 头一次最后再来一遍：记着上一次结果的函数，这时露馅
        seen.append(_run.call(answer, case, clock, exercise.forbids))
        if len(seen) == 1 and seen[0].value is ...:
            return Verdict(exercise, "blank")
        look(exercise, seen[-1], answer, sum(not s.fault for s in seen[:-1]), _run.BUDGET)
        if seen[-1].timed_out:
            break
    for s in seen:  # 先前返回的数组，后来的调用不该改动它
        if not s.fault and isinstance(s.value, np.ndarray):
            if not np.array_equal(s.array, np.asarray(s.value, np.float64), equal_nan=True):
                found = Diagnosis(
                    "shared-array", "几次调用返回的是同一个数组", "数组要在函数里面新建，不要放在外面反复使用。"
                )
                s.fault = Fault("aliased", "返回时是对的，后来再调用函数，这个数组却变了", found)
    wrong = [s for s in seen if s.fault]
    if not wrong:
        return Verdict(exercise, "passed", seen=seen)
    if len(wrong) == 1 and wrong[0] is seen[-1] and not seen[-1].timed_out:
        found = Diagnosis(
            "remembers",
            "同样的输入，第二次的结果与第一次不同",
            "函数不要记着上一次的结果，也不要改动外面的变量。",
        )
        return Verdict(exercise, "wrong", seen=seen, found=found)
    return Verdict(exercise, "wrong", seen=seen, found=diagnose(exercise, seen))


# ------------------------------------------------------------------ 说话


def plain(verdict: Verdict) -> str:
    """全部的话，一行一句，不带格式。"""
    title = verdict.exercise.title
    if verdict.verdict == "blank":
        return f"{title}：尚未作答。"
    if verdict.said:
        return f"{title}：{verdict.said}"
    if verdict.verdict == "passed":
        return "\n".join([f"{title}：通过。", *_praise(verdict)])
    lines = [f"{title}：还不对。{_score(verdict)}", f"第一处不同：{_difference(verdict)}", *_around(verdict)]
    lines.append(_guess(verdict))
    lines.append(f"提示：{_hint(verdict)}")
    if where := _section(verdict):
        lines.append(f"回去看看：{where[0]}。")
    return "\n".join(lines)


def _praise(verdict: Verdict) -> list[str]:
    lines = [verdict.exercise.tested, f"值得注意：{verdict.exercise.note}"]
    if warned := next((s.warned for s in verdict.seen if s.warned), ""):
        lines.append(f"运行时有一句警告，想想它从哪里来：{warned}")
    return lines


def _score(verdict: Verdict) -> str:
    right = sum(not s.fault for s in verdict.seen)
    return f"{len(verdict.seen)} 次调用里对了 {right} 次。"


def _difference(verdict: Verdict) -> str:
    first = verdict.first
    assert first is not None
    assert first.fault is not None
    return f"{spell(verdict.exercise, first.case)}：{first.fault.said}"


def _around(verdict: Verdict) -> list[str]:
    first, lines = verdict.first, []
    if first and first.printed.strip():
        lines.append("这一次它打印了：" + first.printed.strip()[:300])
    if first and first.warned:
        lines.append(f"运行时的警告：{first.warned}")
    return lines


def _guess(verdict: Verdict) -> str:
    found = verdict.found
    assert found is not None
    return f"像是这种错：{found.name}。" if found.known else f"没有认出是哪种错，只看得出：{found.name}。"


_QUESTION = "把第一处不同的那个数照题目手算一遍，再把函数里的每一步打印出来对照：从哪一步起不同，为什么？"


def _hint(verdict: Verdict) -> str:
    """第一次只有提示；同一种错再来一次，多说一段，以一问结尾。"""
    found = verdict.found
    assert found is not None
    return found.hint if verdict.times == 1 else f"{found.hint}还是这种错。{found.why or _QUESTION}"


def _section(verdict: Verdict) -> tuple[str, str] | None:
    return _notebooks.section(verdict.found.lesson) if verdict.found and verdict.found.lesson else None


def _html(verdict: Verdict) -> str:
    exercise = verdict.exercise
    title = f"练习 {exercise.number} · {exercise.name}"
    if verdict.verdict == "blank":
        said = f'在函数里把 `...` 换成你的代码，再运行这一格。卡住了就运行 `exercises.hint("{exercise.number}")`。'
        return _card.card(title, "blank", [_card.words(said)])
    if verdict.said:
        return _card.card(title, "wrong", [_card.words(verdict.said)])
    if verdict.verdict == "passed":
        return _card.card(title, "passed", [_card.words(line) for line in _praise(verdict)])
    first = verdict.first
    assert first is not None
    assert first.fault is not None
    lines = [
        _score(verdict),
        f"第一处不同：{_card.code(spell(exercise, first.case))}<br>{_card.words(first.fault.said)}",
        *map(_card.words, _around(verdict)),
        f"<strong>{_card.words(_guess(verdict))}</strong>",
    ]
    lines += _picture(verdict, first)
    hint = _card.folded("提示", _card.words(_hint(verdict)))
    lines.append(hint if verdict.times == 1 else hint.replace("<details>", "<details open>"))
    if where := _section(verdict):
        lines.append("回去看看：" + _card.link(*where))
    return _card.card(title, "wrong", lines)


def _picture(verdict: Verdict, first: Seen) -> list[str]:
    """三张小图；第三张是诊断的证据，与读者的不同就不画。"""
    case = first.case
    shown = first if first.array is not None and first.array.shape == np.shape(case.expected) else None
    if shown is None or np.ndim(case.expected) == 0 or np.size(case.expected) < 2:
        return []
    found, made = verdict.found, None
    if found and found.again:
        made = found.again(case)
        if not (isinstance(made, np.ndarray) and made.shape == first.array.shape):
            made = None
    svg, words = _card.picture(first.array, case.expected, made, float(np.max(case.atol)))
    return [svg + f'<div style="font-size:90%">{_card.words(words)}</div>']


# ------------------------------------------------------------------ 由声明造出 check_…


def make_check(exercise: Exercise) -> Callable[[Any], None]:
    """造出 check_…，和它的说明。"""

    def checker(answer: Callable[..., Any], *, seed: str | None = None) -> None:
        with _seeds.given(exercise, seed) as declared:
            check(declared, answer, seed)

    checker.__name__ = checker.__qualname__ = f"check_{exercise.name}"
    checker.__module__ = __package__
    said = (exercise.spec.__doc__ or "").strip().splitlines()[0]
    checker.__doc__ = f"""检查练习 {exercise.number}：``{exercise.name}`` {said}

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。
    seed : str, optional
        一个班的种子：题目换了一套数的副本里才有，老师已经写好。

    Examples
    --------
    >>> check_{exercise.name}(...)  # 还没有写
    {exercise.title}：尚未作答。
    """
    return checker
