"""练习的检查器：对的答案都收下，错的答案都挡住，而且说得出是哪一种错；什么样的答案都不会把它弄坏。"""

import ast
import inspect
import math
import re
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
from wrong_answers import RIGHT, WRONG, add_plain, base_by_arctan2, mask_where, one_with_loop, table_stacked

import notebooks
import sinpe
from sinpe import exercises
from sinpe.exercises import _card, _check, _declare, _notebooks, _public

CODING = {exercise.name: exercise for exercise in _declare.CODING}
CHECKS = {name: getattr(exercises, f"check_{name}") for name in CODING}


def solution_of(exercise):
    """参考解答里的函数：把解答笔记本里的导入和函数执行一遍。"""
    path = next((notebooks.ROOT / "notebooks" / "solutions").glob(f"{exercise.lesson:02}_*.ipynb"))
    space = {}
    for cell in notebooks.Book(notebooks.load(path), path).code:
        kept = [node for node in cell.tree.body if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef)]
        exec(compile(ast.Module(kept, []), "解答", "exec"), space)
    return space[exercise.name]


def specification_of(exercise):
    """规格也是一种对的答案：逐个数地算，最后放进数组。"""

    def specified(*args):
        result = exercise.spec(*args)
        return result if exercise.returns == "number" else np.array(result)

    return specified


for _exercise in CODING.values():  # 手写的对的答案不够两种的，拿参考解答和规格补上
    found = RIGHT.setdefault(_exercise.name, [])
    if len(found) < 2:
        found += [(solution_of(_exercise),), (specification_of(_exercise),)]
WRONGS = [(check, source, words, answer) for check, found in WRONG.items() for source, words, answer in found]
RIGHTS = [(check, answer) for check, found in RIGHT.items() for answer in found]
# 公开报告过的错，编号见 wrong_answers.py；C3 与 C1 是同一种；J3（结果成了 float64）在第 00 课不算错
PUBLISHED = set("C1 C2 C4 C6 C7 C10 C14 C15 C17 D1 D2 D3 E3 E4 F8 F12 H2".split())


def name_of(answer):
    return "+".join(function.__name__ for function in answer)


@pytest.fixture(autouse=True)
def fresh_state(monkeypatch):
    monkeypatch.setattr("sinpe.exercises._run.BUDGET", 2.5)  # 停不下来的几例不必等那么久
    yield
    exercises.strict(False)
    _public.passed.clear()
    _public._shown.clear()
    _check._repeated.clear()


@pytest.fixture
def say(capsys):
    """交上答案，返回检查器说的话。"""

    def check(name, *answer):
        assert CHECKS[name](*answer) is None
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return check


# ------------------------------------------------------------------ 对与错


@pytest.mark.parametrize(("check", "answer"), RIGHTS, ids=[f"{c}-{name_of(a)}" for c, a in RIGHTS])
def test_a_right_answer_passes_however_it_is_written(check, answer, say):
    first, tested, note = say(check, *answer).splitlines()
    assert first.endswith("：通过。")
    assert "核对了" in tested
    assert note.startswith("值得注意：")


@pytest.mark.parametrize(
    ("check", "words", "answer"),
    [(check, words, answer) for check, _, words, answer in WRONGS],
    ids=[f"{check}-{name_of(answer)}" for check, _, _, answer in WRONGS],
)
def test_a_wrong_answer_is_named(check, words, answer, say):
    said = say(check, *answer)
    assert "还不对" in said
    assert "第一处不同：" in said
    diagnosis = re.search(r"^(像是这种错|没有认出是哪种错).*", said, re.MULTILINE | re.DOTALL)[0]
    assert all(word in diagnosis for word in words), said
    assert "\n提示：" in diagnosis


def test_every_checker_is_tried_with_enough_answers():
    assert set(RIGHT) == set(CHECKS) >= set(WRONG)  # 每种有名字的错由 test_mistakes.py 交上去
    assert all(len(found) >= 2 for found in RIGHT.values())
    assert all(WRONG.values())
    assert {source for _, source, _, _ in WRONGS} >= PUBLISHED


# 把对的结果弄坏一点点；每个检查器都要挡住每一种
SPOILED = {
    "最后一个数差一点": lambda r: (
        r + np.where(np.arange(r.size).reshape(r.shape) == r.size - 1, 2e-3, 0).astype(r.dtype)
    ),
    "第一个数是 nan": lambda r: np.where(np.arange(r.size).reshape(r.shape) == 0, np.nan, r).astype(r.dtype),
    "都差千分之一": lambda r: r + np.where(np.isfinite(r), 1e-3, 0).astype(r.dtype),
    "整数": lambda r: np.where(np.isfinite(r), r, -9).astype(int) - 9,
    "复数": lambda r: r + 0j,
    "对象": lambda r: r.astype(object),
    "多一个轴": lambda r: r[None],
    "列表": lambda r: [r.tolist()],
    "文字": str,
    "掩码数组": np.ma.masked_array,
    "生成器": lambda r: (x for x in [r]),
    "None": lambda r: None,
}


@pytest.mark.parametrize("spoil", SPOILED)
@pytest.mark.parametrize("check", CHECKS)
def test_a_right_answer_spoiled_a_little_is_rejected(check, spoil, say):
    def spoiled(function):
        def answer(*args, **kwargs):
            result = np.array(function(*args, **kwargs))
            return SPOILED[spoil](result if result.dtype.kind == "f" else result.astype(float))

        return answer

    assert "还不对" in say(check, *map(spoiled, RIGHT[check][0]))


@pytest.mark.parametrize("check", CHECKS)
def test_the_specification_agrees_with_numbers_worked_out_elsewhere(check):
    exercise = CODING[check]
    assert exercise.golden or check == "permutation_matrix"  # 它的元素只有 0 和 1
    for given, known in exercise.golden.items():
        args, kwargs, _ = _declare._arguments(given)
        known, made = np.asarray(known, np.float64), np.asarray(exercise.spec(*args, **kwargs), np.float64)
        # 写死的有十位；题目里只给四位小数的三题，容差照题目的
        near = {"frequency": 5e-4, "read_base": 1e-2, "smallest_base": 1e-7}.get(check, 1e-9)
        np.testing.assert_allclose(np.where(np.isnan(known), made, known), made, rtol=near, atol=near)


def test_hard_coding_the_known_shapes_does_not_pass(say):
    known = {(n, d) for n in range(1, 9) for d in (2, 4, 6, 8)} | {(2, 512), (50, 64), (4100, 6), (300, 6)}

    def answer(seq_len, d_model, dtype=np.float32):
        right = table_stacked(seq_len, d_model, dtype)
        return right if (seq_len, d_model) in known else right * 0

    assert "还不对" in say("encode_table", answer)


# ------------------------------------------------------------------ 怎样说


def test_the_first_difference_tells_position_column_expected_and_got(say):
    said = say(
        "encode_table",
        lambda n, d, dtype=np.float32: table_stacked(n, d, dtype) if d != 8 else wrong_in_one_place(n, d),
    )
    assert "encode_table(5, 8)：位置 1、第 1 列，应为 0.5403，得到 0.9950" in said


def wrong_in_one_place(seq_len, d_model):
    table = table_stacked(seq_len, d_model)
    table[1:, 1] = 0.995
    return table


def test_close_numbers_are_shown_with_enough_digits(say):
    said = say("encode_table", lambda n, d, dtype=np.float32: table_stacked(n, d, dtype) * dtype(1 + 2e-6))
    expected, got = re.search(r"应为 (\S+)，得到 (\S+)", said).groups()
    assert expected != got


@pytest.mark.parametrize("stub", [..., lambda pos, d_model: ...], ids=["省略号", "空函数"])
def test_a_stub_is_not_an_error(stub, say):
    assert say("encode_one", stub) == "练习 0-2：尚未作答。\n"


def test_one_of_two_functions_may_still_be_missing(capsys):
    halves = RIGHT["to_halves"][0][0]
    exercises.check_layouts(halves, lambda table: ...)
    assert capsys.readouterr().out.endswith("练习 3-4（to_interleaved）：尚未作答。\n")


def test_a_called_function_is_told_apart_from_a_function(say):
    said = say("encode_one", one_with_loop(1, 8))
    assert "请把函数本身交给检查器" in said
    assert "收到的是 ndarray" in said


def test_an_error_is_told_with_the_line_of_the_reader(say):
    def broken(pos, d_model):
        angle = pos / d_model
        return np.arange(d_model) * np.arange(d_model + 1) + angle

    said = say("encode_one", broken)
    assert "报错了：ValueError: operands could not be broadcast together" in said
    assert "出在这一行：return np.arange(d_model) * np.arange(d_model + 1) + angle" in said


def test_what_the_answer_prints_is_shown_only_when_it_is_wrong(say):
    def chatty(pos, d_model):
        print("位置是", pos)
        return one_with_loop(pos, d_model)

    def chatty_and_wrong(pos, d_model):
        return chatty(pos + 1, d_model)

    assert "位置是" not in say("encode_one", chatty)
    assert "这一次它打印了：位置是 2" in say("encode_one", chatty_and_wrong)


def test_a_warning_is_told_and_does_not_reach_stderr(say):
    def warns(pos, d_model):
        warnings.warn("小心", stacklevel=1)
        return one_with_loop(pos, d_model)

    assert "小心" in say("encode_one", warns)


def test_numpy_warnings_of_the_diagnosis_stay_inside(say):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        say("encode_table", lambda n, d, dtype=np.float32: np.full((n, d), np.nan, dtype))
        say("encode_at", lambda p, d: np.full((*p.shape, d), np.inf, np.float32))


@pytest.mark.parametrize("check", CHECKS)
def test_what_is_printed_of_a_call_reproduces_it(check):
    for case in CODING[check].trials():
        args, kwargs, _ = _declare._arguments(case.spelled)
        for one, other in zip(args, case.args, strict=True):
            assert np.asarray(one).dtype == np.asarray(other).dtype
            np.testing.assert_array_equal(one, other)
        assert kwargs == case.kwargs


def test_the_diagnosis_does_not_change_from_run_to_run(say):
    said = [say("encode_at", lambda p, d: p[..., None] * np.ones(d, np.float32)) for _ in range(3)]
    assert len({text.split("提示：")[0] for text in said}) == 1


def test_the_same_mistake_again_gets_a_longer_hint_that_asks_why(say):
    def swapped(pos, d_model):
        return one_with_loop(pos, d_model).reshape(-1, 2)[:, ::-1].ravel()

    first, second = say("encode_one", swapped), say("encode_one", swapped)
    assert len(second) > len(first)
    assert "还是这种错" not in first
    assert re.search(r"提示：.*还是这种错。.*为什么.*？$", second, re.MULTILINE)


def test_looking_at_hints_and_solutions_shows_them_and_changes_nothing(capsys):
    exercises.hint("0-3")
    exercises.hint("0-3")
    exercises.solution("0-3")
    said = capsys.readouterr().out
    assert "提示 1/2" in said
    assert "提示 2/2" in said
    assert "def add_encoding(x, pe):" in said
    with pytest.raises(ValueError, match="收到 '9-9'"):
        exercises.hint("9-9")


@pytest.mark.parametrize("exercise", CODING.values(), ids=list(CODING))
def test_every_exercise_has_hints_and_a_solution_in_the_notebooks(exercise):
    assert _notebooks.hints(exercise.number)
    parts = _notebooks.solution(exercise.number)
    assert any(f"def {exercise.name}(" in source for kind, source in parts if kind == "code")


def test_without_the_notebooks_hint_and_solution_say_where_they_are(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sinpe.exercises._notebooks._PACKAGE", tmp_path)
    exercises.hint("0-3")
    exercises.solution("0-3")
    said = capsys.readouterr().out
    assert said.count("找不到") == 2
    assert "notebooks" in said


# ------------------------------------------------------------------ 卡片


@pytest.fixture
def shown(monkeypatch):
    """像在笔记本里那样收下显示的东西。"""
    bundles = []

    def show(text, body="", data=None, markdown=""):
        bundles.append({"text/plain": text, "text/html": body, _card.MIME: data})

    monkeypatch.setattr(_card, "show", show)
    return bundles


def test_the_card_has_the_verdict_the_evidence_and_a_part_for_machines(shown):
    exercises.check_encode_table(lambda n, d, dtype=np.float32: table_stacked(n, d, dtype)[:, ::-1])
    exercises.check_encode_table(...)
    exercises.check_encode_table(table_stacked)
    wrong, blank, passed = shown
    assert wrong[_card.MIME] == {
        "exercise": "3-2",
        "lesson": 3,
        "kind": "code",
        "name": "encode_table",
        "verdict": "wrong",
        "mistake": "columns-reversed",
        "version": 1,
    }
    assert [b[_card.MIME]["verdict"] for b in shown] == ["wrong", "blank", "passed"]
    body = wrong["text/html"]
    assert "✗ 还不对" in body
    assert "✓ 通过" in passed["text/html"]
    assert "○ 尚未作答" in blank["text/html"]
    assert body.count("<text ") == 3  # 你的、应有的、照这种错再犯一遍
    assert re.search(r"再犯一遍的与你的，相差不超过 1e-([5-9]|1\d)", body)
    assert "script" not in body
    assert "id=" not in body


def test_the_card_is_the_same_every_time(shown):
    for _ in range(2):
        exercises.check_encode_table(table_stacked)
    assert shown[0] == shown[1]


# ------------------------------------------------------------------ 题目不许的


def test_what_the_statement_forbids_is_noticed_under_any_name(say):
    encode, positions, grid = sinpe.encode_positions, sinpe.positions_from_mask, sinpe.grid_encoding
    assert "题目要求不调用 sinpe" in say("encode_one", lambda pos, d: encode(pos, d))
    assert "不用 sinpe.positions_from_mask" in say("token_positions", lambda m, c: positions(m) + c[:, None] * m)
    assert "不用 sinpe.grid_encoding" in say("grid_table", lambda h, w, d: grid(h, w, d))


def test_a_table_recomputed_instead_of_turned_is_noticed(say):
    def recomputed(table):
        m, d = table.shape
        start = round(math.atan2(table[0, -2], table[0, -1]) * 10000 ** (1 - 2 / d))
        return np.vstack([table, [_declare.row(p, d) for p in range(start + m, start + 2 * m)]])

    assert "还不对" in say("double", recomputed)


# ------------------------------------------------------------------ 弄不坏


def test_an_endless_loop_is_stopped_and_leaves_no_thread(say):
    def endless(pos, d_model):
        while True:
            pass

    before, start = threading.active_count(), time.monotonic()
    assert "停不下来" in say("encode_one", endless)
    assert time.monotonic() - start < 5
    assert threading.active_count() == before


def test_a_loop_that_cannot_be_stopped_is_told(say):
    release = threading.Event()

    def stubborn(pos, d_model):
        while not release.is_set():
            try:
                while not release.is_set():
                    time.sleep(0.01)
            except BaseException:  # 把叫停也吞掉
                pass

    try:
        assert "请从菜单重启内核" in say("encode_one", stubborn)
    finally:
        release.set()


def test_all_calls_share_one_budget_of_time(say):
    start = time.monotonic()
    assert "还没有算完" in say("encode_one", lambda pos, d: time.sleep(0.3) or one_with_loop(pos, d))
    assert time.monotonic() - start < 6


def test_a_timeout_is_not_told_as_a_second_result_that_differs(say):
    calls = []

    def slow_at_last(pos, d_model):
        calls.append(pos)
        if len(calls) == 15:  # 头一次的重来
            time.sleep(3)
        return one_with_loop(pos, d_model)

    assert "第二次的结果" not in say("encode_one", slow_at_last)


def test_a_check_indented_into_the_function_does_not_run_away(say):
    def encode_one(pos, d_model):
        exercises.check_encode_one(encode_one)
        return one_with_loop(pos, d_model)

    before = threading.active_count()
    assert "检查的那一行缩进到函数里面去了" in say("encode_one", encode_one)
    assert threading.active_count() <= before + 1


def test_the_answer_cannot_spoil_the_reference(say):
    # 拿到的数组是副本：改了它，检查器自己的还在，也不会影响下一次检查
    def spoils(x, pe):
        x[:] = 0
        pe[:] = 0
        return x

    assert "就地改了输入" in say("add_encoding", spoils)
    assert "通过" in say("add_encoding", add_plain)


def test_warning_filters_and_stdout_are_put_back(say):
    before = warnings.filters[:]
    say("encode_one", lambda pos, d_model: time.sleep(3))
    assert warnings.filters == before


# ------------------------------------------------------------------ 严格模式与进度


@pytest.mark.parametrize("answer", [..., lambda pos, d_model: ..., lambda pos, d_model: None, None, 3])
def test_strict_raises_for_anything_but_a_pass(answer):
    exercises.strict()
    with pytest.raises(AssertionError, match="练习 0-2"):
        exercises.check_encode_one(answer)
    exercises.check_encode_one(one_with_loop)
    exercises.strict(False)
    exercises.check_encode_one(answer)


def test_progress_counts_in_any_order_and_follows_the_last_check(capsys):
    def line(lesson):
        capsys.readouterr()
        exercises.progress(lesson)
        return capsys.readouterr().out

    assert line(0) == "代码练习 0/2 已通过；还没有通过：练习 0-2、0-3\n"
    exercises.check_add_encoding(add_plain)
    exercises.check_neighbor_mask(mask_where)  # 别的课
    assert line(0) == "代码练习 1/2 已通过；还没有通过：练习 0-2\n"
    exercises.check_encode_one(one_with_loop)
    exercises.check_encode_one(one_with_loop)
    assert line(0) == "代码练习 2/2 已通过\n"
    exercises.check_add_encoding(lambda x, pe: x)
    assert line(0) == "代码练习 1/2 已通过；还没有通过：练习 0-3\n"


class Broken:
    def __repr__(self):
        raise RuntimeError


@pytest.mark.parametrize("lesson", [99, -1, 10**5000, True, "3", 3.0, np.eye(3), "x\n" * 300, Broken()], ids=type)
def test_progress_of_a_lesson_without_exercises_is_refused_in_one_line(lesson):
    kind = ValueError if type(lesson) is int else TypeError
    with pytest.raises(kind, match=r"\Alesson (?:必须是|不能超过).*，收到 .{1,60}；.*例如 3。\Z"):
        exercises.progress(lesson)


# ------------------------------------------------------------------ 与课文一致


def test_the_lessons_use_every_checker_under_its_number():
    used = {}
    for path in notebooks.find():
        book = notebooks.Book(notebooks.load(path), path)
        text = ""
        for cell in book.cells if book.lesson else ():
            text += "" if cell.is_code else cell.source
            for check in cell.checks if cell.is_code else ():
                used[check.removeprefix("exercises.")] = re.findall(r"\*\*练习 (\d+-\d+)（写代码", text)[-1]
    if used.pop("check_layouts", None):  # 课文也可以一次检查两个
        used |= {"check_to_halves": "3-4", "check_to_interleaved": "3-4"}
    assert used.keys() == {f"check_{name}" for name in CODING}
    for name, number in used.items():
        assert inspect.getdoc(getattr(exercises, name)).startswith(f"检查练习 {number}：")


def test_the_hint_of_the_base_exercise_is_what_its_first_trial_asks():
    first = CODING["read_base"].trials()[0]
    assert abs(base_by_arctan2(*first.args) - first.expected) < first.atol


def test_importing_the_package_does_not_import_the_checkers():
    program = "import sys, sinpe; sys.exit('sinpe.exercises' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
