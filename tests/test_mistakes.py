"""错法的目录：每一种错说得清、算得出、认得回来；应有的数与它无关。"""

import ast
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import notebooks
from sinpe import exercises, mistakes
from sinpe.exercises import _check, _declare, _guess
from sinpe.exercises._notebooks import section
from sinpe.exercises._search import Wrong
from sinpe.mistakes import ANGLES, BASES, LAYOUTS, MISTAKES, POSITIONS, commit

CODING = {exercise.name: exercise for exercise in _declare.CODING}
OWN = [(name, m) for name, e in CODING.items() for m in [*e.mistakes, *e.variants]]


def code(pair):
    return f"{pair[0]}-{pair[1].code}"


def test_every_code_is_ascii_and_belongs_to_one_mistake():
    listed = [*ANGLES, *BASES, *POSITIONS, *LAYOUTS]
    assert len(MISTAKES) == len(listed)
    assert len({m.name for m in listed}) == len(listed)
    for name, exercise in CODING.items():
        codes = [m.code for m in [*exercise.mistakes, *exercise.variants]]
        assert len(set(codes)) == len(codes), name
    for m in [*listed, *(m for _, m in OWN)]:
        assert re.fullmatch(r"[a-z0-9./e+-]+", m.code), m.code
        assert m.name
        assert m.hint


def test_no_mistakes_give_the_right_table():
    positions = [0, 1, 2.5, -3, 70000]
    expected = [_declare.row(p, 8, 500.0) for p in positions]
    np.testing.assert_allclose(commit([], positions, 8, 500.0), expected, rtol=0, atol=1e-10)  # 角度到 7e4，误差 eps 倍


def test_mistakes_in_different_places_add_up():
    table = commit(["from-one", "halves", "base-100", "own-exponent"], [0, 1], 4)
    expected = [[np.sin(p), np.sin(p / 10), np.cos(p / 100**0.25), np.cos(p / 100**0.75)] for p in (1, 2)]
    np.testing.assert_allclose(table, expected, rtol=0, atol=1e-15)


def test_every_lesson_named_is_a_section_of_the_course():
    for m in [*MISTAKES.values(), *(m for _, m in OWN)]:
        if m.lesson:
            assert section(m.lesson)[1], m.lesson


def test_the_second_hint_ends_in_a_question():
    for m in [*MISTAKES.values(), *(m for _, m in OWN)]:
        assert not m.why or m.why.endswith("？"), m.code
    assert _check._QUESTION.endswith("？")


# ------------------------------------------------------------------ 每一种错，交上去认得出自己


def fed_back(exercise, formula):
    """照样犯错的答案。"""

    def answer(*args, **kwargs):
        with np.errstate(all="ignore"):
            made = formula(*args, **kwargs)
        if exercise.returns == "number":
            return float(made)
        if exercise.returns == "pair" or isinstance(made, tuple):
            return tuple(made)
        bound = inspect.signature(exercise.spec).bind(*args, **kwargs)
        bound.apply_defaults()
        wanted = exercise.dtype(*bound.args)
        kind = np.float64 if wanted is None else np.atleast_1d(np.asarray(wanted, object))[0]
        made = np.asarray(made)
        whole = np.dtype(kind).kind in "iu"
        return made.astype(np.int64 if whole else kind)

    return answer


def same_function(exercise, left, right):
    """两种错法在这道题的全部调用上分不开。"""

    def made(formula, case):
        try:
            return np.asarray(formula(*case.args, **case.kwargs), np.float64)
        except Exception as error:
            return type(error)

    with np.errstate(all="ignore"):
        for given in exercise.cases:
            case = exercise._case(given)
            a, b = made(left, case), made(right, case)
            if isinstance(a, type) or isinstance(b, type):
                if a is not b:
                    return False
            elif a.shape != b.shape or not np.allclose(a, b, rtol=1e-4, atol=1e-4, equal_nan=True):
                return False
    return True


def formula_of(exercise, m):
    plain = Wrong([])
    return (lambda *a, **k: m.formula(plain, *a, **k)) if m in exercise.variants else m.formula


@pytest.mark.parametrize("pair", OWN, ids=map(code, OWN))
def test_a_mistake_of_an_exercise_gets_its_own_name(pair):
    name, m = pair
    exercise = CODING[name]
    formula = formula_of(exercise, m)
    with np.errstate(all="ignore"):
        verdict = _check.judge(exercise, fed_back(exercise, formula))
    if verdict.verdict == "passed":
        assert m in exercise.variants  # 只有编码表也写错了，它才不对
        return
    if verdict.found.code != m.code:
        others = {o.code: o for o in [*exercise.mistakes, *exercise.variants]}
        by = others.get(verdict.found.code)
        again = (lambda *a, **k: formula_of(exercise, by)(*a, **k)) if by else None
        assert (by and same_function(exercise, formula, again)) or verdict.found.code in TOLD_GENERALLY.get(m.code, ())


# 一般的错先说：这些错与它是同一回事
TOLD_GENERALLY = {}

TABLES = ["encode_one", "encode_table", "encode_at", "relative_table", "encode_rows"]
CATALOGUE = [*ANGLES, *BASES, *POSITIONS, *LAYOUTS]


@pytest.mark.parametrize("m", CATALOGUE, ids=[m.code for m in CATALOGUE])
@pytest.mark.parametrize("name", ["encode_one", "encode_table"])
def test_a_mistake_of_the_catalogue_is_recognised_in_a_table(name, m):
    exercise = CODING[name]

    def formula(*args, **kwargs):
        bound = inspect.signature(exercise.spec).bind(*args, **kwargs)
        bound.apply_defaults()
        if exercise.refuses and args[1] in (7, 1, 0, -4):
            raise ValueError(f"d_model 必须是正偶数，收到 {args[1]}")
        positions, d, base = exercise.table(*bound.args)
        made = commit(m, positions, d, base)
        return made[0] if name == "encode_one" else made

    with np.errstate(all="ignore"):
        verdict = _check.judge(exercise, fed_back(exercise, formula))
    if verdict.verdict == "passed":  # 这道题里，它就是对的：base-10000，或者只在别的位置才不同
        right = [exercise._case(given) for given in exercise.cases]
        for case in right:
            made = commit(m, *case.table)
            assert np.all(np.abs(made.reshape(case.expected.shape) - case.expected) <= case.atol + 1e-3)
        return
    found = verdict.found
    if found.code != m.code:
        case = verdict.first.case
        assert found.known, found.name
        if found.again:  # 改叫别的名字，就得是在这道题里分不开的另一种错
            made = found.again(case)
            np.testing.assert_allclose(made, verdict.first.array, rtol=1e-2, atol=1e-2)


def test_the_expected_values_share_nothing_with_the_catalogue(monkeypatch):
    before = {name: [c.expected for c in map(e._case, e.cases)] for name, e in CODING.items()}
    for name in vars(mistakes):
        if callable(getattr(mistakes, name)) and not inspect.isclass(getattr(mistakes, name)):
            monkeypatch.setattr(mistakes, name, None)
    for name, e in CODING.items():
        for old, new in zip(before[name], map(e._case, e.cases), strict=True):
            np.testing.assert_array_equal(old, new.expected)


def test_the_specifications_do_not_call_the_library_or_the_catalogue():
    folder = Path(exercises.__file__).parent
    for path in folder.glob("lesson_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.decorator_list:
                used = {n.id for n in ast.walk(ast.Module(node.body, [])) if isinstance(n, ast.Name)}
                assert not used & {"commit", "sinpe", "Wrong", "ANGLES", "BASES", "LAYOUTS", "POSITIONS"}, path
        names = [n for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.ImportFrom)]
        assert {n.module for n in names} <= {"__future__", "_declare", "_look", "_search", "mistakes"}


# ------------------------------------------------------------------ 先猜的题


@pytest.mark.parametrize("guess", _declare.GUESSES, ids=lambda g: g.number)
def test_every_misconception_of_a_guess_is_told(guess):
    assert len(guess.misconceptions) >= 2
    assert _guess._judge(guess, ...) == ("blank", None, f"把 ... 换成你猜的：{guess.asks}。")
    assert _guess._judge(guess, guess.right)[0] == "passed"
    for code_, (value, reply) in guess.misconceptions.items():
        assert re.fullmatch(r"[a-z0-9-]+", code_)
        if not callable(value):
            assert _guess._judge(guess, value) == ("wrong", code_, reply)


def test_the_guesses_belong_to_a_guess_exercise_of_the_lesson():
    text = {p.stem[:2]: p.read_text(encoding="utf-8") for p in notebooks.find() if "solutions" not in p.parts}
    for guess in _declare.GUESSES:
        assert f"练习 {guess.number}（先猜" in text[f"{guess.lesson:02}"]
