"""``python -m sinpe progress`` 和一个班的副本：三十份各种各样的副本，得到对的表和文件。"""

import copy
import csv
import itertools
import json
import os
import re
import sys

import classkit
import numpy as np
import pytest

import notebooks
import sinpe
from sinpe import __main__ as cli
from sinpe import _progress, exercises
from sinpe.exercises import _card, _seeds
from sinpe.exercises._declare import CODING, GUESSES

SEED = "甲班"
LESSONS = {lesson.number: lesson for lesson in classkit.written([])}


@pytest.fixture(autouse=True)
def fresh_state(monkeypatch):
    monkeypatch.setattr("sinpe.exercises._run.BUDGET", 2.5)
    yield
    exercises.strict(False)
    exercises._public.passed.clear()
    exercises._check._repeated.clear()


@pytest.fixture
def bundle(monkeypatch):
    """返回一个函数：真的检查一次，交出它会存进笔记本的输出。"""
    shown = []

    def show(text, body="", data=None, markdown=""):
        shown.append({"text/plain": text, "text/html": body, _card.MIME: data})

    monkeypatch.setattr(_card, "show", show)
    monkeypatch.setattr("sinpe.exercises._guess.show", show)

    def make(number, answer, seed=None):
        """answer 是源码：先猜的题是一个值，写代码的题是定义函数的几行。"""
        shown.clear()
        if any(g.number == number for g in GUESSES):
            exercises.guess(number, eval(answer), seed=seed)
        else:
            for e in (e for e in CODING if e.number == number):
                space = {"np": np}
                exec(answer, space)
                getattr(exercises, f"check_{e.name}")(space[e.name], seed=seed)
        return [{"output_type": "display_data", "metadata": {}, "data": data} for data in shown]

    return make


@pytest.fixture(scope="module")
def original():
    """第 00 课的班级副本；每次用都复制一份。"""
    book, _ = classkit.class_copy(LESSONS["00"], SEED)
    return json.loads(notebooks.dump(book))


def cell_of(book, number):
    want = [i for i in _progress.ITEMS if i.number == number]
    return next(c for c in book["cells"] if c["cell_type"] == "code" and _progress.asked("".join(c["source"])) == want)


def right(base):
    return (
        "def encode_one(pos, d_model):\n"
        "    angle = pos / BASE ** (np.arange(0, d_model, 2) / d_model)\n"
        "    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).ravel()\n"
    ).replace("BASE", str(base))


BASE = f"{_seeds.variant('0-2', SEED).base:.0f}"
CROSSING = str(_seeds.variant("0-1", SEED).declared["right"])
ADD = "def add_encoding(x, pe):\n    return x + pe[: x.shape[1]]\n"
WHOLE = "def add_encoding(x, pe):\n    return x + pe\n"
SOLVED = {"0-1": CROSSING, "0-2": right(BASE), "0-3": ADD}


@pytest.fixture
def solve(original, bundle):
    """返回一个函数：填好答案、存下检查器真的输出的一份副本。"""

    def make(answers, seed=SEED):
        book = copy.deepcopy(original)
        for number, answer in answers.items():
            cell = cell_of(book, number)
            given = seed if number in _seeds.VARIANTS else None
            source = "".join(cell["source"])
            if any(g.number == number for g in GUESSES):
                source = source.replace("...", answer)
            else:
                source = re.sub(r"def .*?return \.\.\.\n", lambda _, a=answer: a, source, flags=re.DOTALL)
            cell |= {
                "source": source.replace(SEED, seed),
                "outputs": bundle(number, answer, given),
                "execution_count": 1,
            }
        return book

    return make


def put(folder, student, book):
    place = folder / student
    place.mkdir(parents=True)
    text = book if isinstance(book, str | bytes) else json.dumps(book, ensure_ascii=False)
    (place / "00_quickstart.ipynb").write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.fixture
def classroom(tmp_path, solve, original):
    """三十个学生：对的、错的、空的、损坏的、改过输出的、停不下来的、别的种子的。返回文件夹和各人应有的表。"""
    folder, expected = tmp_path / "交上来的", {}

    def add(student, book, row):
        put(folder, student, book)
        expected[student] = row

    for k in range(8):
        add(f"对{k}", solve(SOLVED), ("3/3", ""))
    for k in range(4):
        add(f"底数错{k}", solve(SOLVED | {"0-2": right(10000)}), ("2/3", ""))
    for k in range(3):
        add(f"整张表{k}", solve(SOLVED | {"0-3": WHOLE}), ("2/3", ""))
    add("猜错", solve(SOLVED | {"0-1": "30000"}), ("2/3", ""))
    for k in range(3):
        add(f"没做{k}", original, ("0/3", ""))
    add("做了一半", solve({"0-1": CROSSING}), ("1/3", ""))
    add("截断", json.dumps(original)[:2000], ("—", "损坏"))
    add("不是笔记本", b"\x89PNG\r\n\x00\xff", ("—", "损坏"))
    add("格子不成样子", '{"cells": [1, null]}', ("—", "损坏"))
    add("太深", '{"cells": ' + "[" * 100_000, ("—", "损坏"))
    big = copy.deepcopy(original)
    big["cells"][1]["source"] = "x" * (_progress.LIMIT + 1)
    add("太大", big, ("—", "没有读"))

    claimed = solve(SOLVED | {"0-2": right(10000)})  # 只把判定改成通过
    cell_of(claimed, "0-2")["outputs"][0]["data"][_card.MIME] |= {"verdict": "passed", "mistake": None}
    add("改判定", claimed, ("2/3", "不可信"))
    pasted = copy.deepcopy(original)  # 抄来别人整份输出，答案还空着
    for number in SOLVED:
        cell_of(pasted, number)["outputs"] = cell_of(solve(SOLVED), number)["outputs"]
        cell_of(pasted, number)["execution_count"] = 1
    add("抄输出", pasted, ("0/3", "不可信"))
    hanging = solve({"0-1": CROSSING})
    cell_of(hanging, "0-2")["source"] = (
        "from sinpe import exercises\n\nwhile True:\n    pass\n\nexercises.check_encode_one(encode_one)"
    )
    add("停不下来", hanging, ("1/3", ""))
    add(
        "别的种子",
        solve({"0-1": "524", "0-2": right(_seeds.variant("0-2", "乙班").base), "0-3": ADD}, "乙班"),
        ("1/3", "不可信"),
    )
    lost = solve(SOLVED)
    lost["cells"].remove(cell_of(lost, "0-3"))
    add("缺格", lost, ("2/3", "缺了练习 0-3"))
    assert len(expected) == 30
    return folder, expected


def progress(capsys, *arguments):
    code = cli.main(["progress", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def test_thirty_copies_give_the_right_table_and_file_twice(classroom, tmp_path, capsys):
    folder, expected = classroom
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    said = []
    for name in ("一.csv", "二.csv"):
        code, out, err = progress(capsys, folder, "--seed", SEED, "--output", tmp_path / name)
        assert (code, err) == (0, "")
        said.append(out.replace(name, ""))
    assert said[0] == said[1]
    assert (tmp_path / "一.csv").read_bytes() == (tmp_path / "二.csv").read_bytes()
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before

    lines = said[0].splitlines()
    for student, (cell, trouble) in expected.items():
        (row,) = [line for line in lines if re.match(rf"{student}\s", line)]
        if cell == "—":
            assert row.split()[1:] == ["—", "0!"], row
        else:
            assert row.split()[1:] == [cell + "!" * bool(trouble), cell[0]], row
        told = [line for line in lines if line.startswith(f"  {student}（")]
        assert [trouble in line for line in told] == [True] * bool(trouble), (student, told)

    with (tmp_path / "一.csv").open(encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    states = {(row["学生"], row["练习"]): row["判定"] for row in table}
    assert [states["对0", f"练习 0-{k}"] for k in (1, 2, 3)] == ["通过"] * 3
    assert states["底数错0", "练习 0-2"] == "还不对"
    assert states["没做0", "练习 0-2"] == "尚未作答"
    assert states["停不下来", "练习 0-2"] == "没有运行"
    assert states["别的种子", "练习 0-3"] == "通过"  # 这道题不换数
    assert states["截断", ""] == ""
    codes = {row["错的代号"] for row in table if row["学生"].startswith("底数错") and row["判定"] == "还不对"}
    assert codes == {"base-10000"}
    common = said[0].split("班上最常见的错：")[1].splitlines()[1]
    assert common.startswith("  4 人  练习 0-2：底数不对，用的是 10000")


def _everywhere(**changes):
    def change(book):
        for cell in book["cells"]:
            cell |= changes
        return book

    return change


def _output(found, **bundle):
    """每一格里放一份检查器不会写的输出。"""
    data = {_card.MIME: found, "text/plain": "练习 0-1：猜对了。", **bundle}
    return _everywhere(outputs=[{"output_type": "display_data", "data": data, "metadata": {}}])


FOUND = {"version": 1, "exercise": "0-1", "name": "", "verdict": "passed", "mistake": None, "seed": None}
STRANGE = {
    "零字节": b"",
    "别的编码": '{"cells": []}'.encode("utf-16"),
    "合并的记号": b"<<<<<<< HEAD\n{}",
    "一个数": b"3",
    "没有格子": b"{}",
    "旧格式": b'{"worksheets": [{"cells": []}], "nbformat": 3}',
    "别的课程": b'{"cells": [{"cell_type": "code", "source": "print(1)"}]}',
    "长整数": b'{"cells": [{"cell_type": "code", "execution_count": ' + b"9" * 5000 + b"}]}",
    "格子的种类": _everywhere(cell_type=["code"]),
    "没有源码": _everywhere(source=None),
    "源码是数": _everywhere(source=5),
    "源码有零字符": _everywhere(source="exercises.guess('0-1', \0)"),
    "答案太深": _everywhere(source="exercises.guess('0-1', " + "[" * 500 + ")"),
    "答案太长": _everywhere(source="exercises.guess('0-1', " + "9" * 5000 + ")"),
    "输出不成样子": _everywhere(outputs=[1, None, {"data": None}, {"data": [1]}, {"output_type": "error", "ename": 3}]),
    "输出是字典": _everywhere(outputs={"a": 1}),
    "判定是一列": _output(FOUND | {"verdict": ["passed"]}),
    "判定没听过": _output(FOUND | {"verdict": "满分"}),
    "编号是一列": _output(FOUND | {"exercise": ["0-1"]}),
    "种子是字典": _output(FOUND | {"seed": {}}),
    "文字是数": _output(FOUND, **{"text/plain": 7, "text/html": [1, None]}),
    "只是一句话": _output("通过"),
}


def test_strange_files_do_not_spoil_the_others(tmp_path, original, solve, capsys):
    put(tmp_path, "对", solve(SOLVED))
    for name, strange in STRANGE.items():
        put(tmp_path, name, strange if isinstance(strange, bytes) else strange(copy.deepcopy(original)))
    put(tmp_path, "换行\n=1+1", original)
    (tmp_path / "空的").mkdir()
    (tmp_path / "文件夹" / "x.ipynb").mkdir(parents=True)
    (tmp_path / "零字节" / ".ipynb_checkpoints").mkdir()
    (tmp_path / "零字节" / ".ipynb_checkpoints" / "00_quickstart.ipynb").write_text(json.dumps(solve(SOLVED)))
    if sys.platform != "win32":
        (tmp_path / "绕圈").mkdir()
        (tmp_path / "绕圈" / "上面").symlink_to(tmp_path)
        (tmp_path / "绕圈" / "00_quickstart.ipynb").symlink_to("00_quickstart.ipynb")
        (tmp_path / "管道").mkdir()
        os.mkfifo(tmp_path / "管道" / "00_quickstart.ipynb")
    code, out, err = progress(capsys, tmp_path, "--seed", SEED, "--output", tmp_path / "成绩.csv")
    assert (code, err) == (0, "")
    rows = {line.split()[0]: line.split()[1:] for line in out.split("\n\n")[0].splitlines()[1:]}
    assert rows.pop("对") == ["3/3", "3"]
    assert set(rows) >= {*STRANGE, r"换行\n=1+1", "空的", "文件夹"}
    assert {row[-1].rstrip("!") for row in rows.values()} == {"0"}
    with (tmp_path / "成绩.csv").open(encoding="utf-8-sig", newline="") as file:
        assert {row["学生"] for row in csv.DictReader(file)} == {"对", *rows}


def test_strict_checkers_say_it_in_the_error(tmp_path, solve):
    """nbgrader 运行过的一本：没有通过的检查是报错。"""
    book = solve(SOLVED)
    for number, said in (("0-2", "还不对。\n像是这种错：底数不对，用的是 10000。\n提示：……"), ("0-3", "尚未作答。")):
        error = {"output_type": "error", "ename": "AssertionError", "evalue": f"练习 {number}：{said}", "traceback": []}
        cell_of(book, number)["outputs"] = [error]
    put(tmp_path, "甲", book)
    (path,) = tmp_path.rglob("*.ipynb")
    found = _progress.read(path, seed=SEED).exercises()
    assert [(r.state, r.said) for r in found.values()] == [
        ("通过", ""),
        ("还不对", "底数不对，用的是 10000"),
        ("尚未作答", ""),
    ]


def test_whose_copy_it_is(tmp_path, original, monkeypatch):
    for place in ("甲", "乙"):
        put(tmp_path, place, original)
    alone = tmp_path / "甲"
    (alone / "00_quickstart (1).ipynb").write_text(json.dumps(original))
    (alone / "00_quickstart-Copy1.ipynb").write_text(json.dumps(original))
    (alone / "丙_00_quickstart.ipynb").write_text(json.dumps(original))
    assert [student for student, _ in _progress.find([alone])] == ["", "", "", "丙"]
    glob = sorted(tmp_path.glob("*/00_quickstart.ipynb"))
    assert [student for student, _ in _progress.find(glob)] == ["乙", "甲"]
    monkeypatch.chdir(tmp_path)
    names = {student for student, _ in _progress.find([_progress.Path("甲"), _progress.Path("乙")])}
    assert names == {"甲", "乙", "丙"}


@pytest.mark.dev  # 一本一个内核，读者验课不必等
def test_running_uses_our_checkers_and_a_time_limit(classroom, tmp_path, capsys):
    folder, _ = classroom
    forged = folder / "改检查器"
    forged.mkdir()
    book = json.loads((folder / "底数错0" / "00_quickstart.ipynb").read_bytes())
    book["cells"].insert(1, {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1, "id": "x"})
    book["cells"][1]["source"] = (
        "from sinpe import exercises\nexercises.check_encode_one = lambda *a, **k: print('练习 0-2：通过。')"
    )
    (forged / "00_quickstart.ipynb").write_text(json.dumps(book), encoding="utf-8")
    book["cells"][1]["source"] = (  # 在内核里换掉显示，伪造判定
        "import IPython.display as d\nreal = d.display\n"
        f"d.display = lambda *a, **k: real({{'{_card.MIME}': {{'version': 1, 'exercise': '0-2', 'name': 'encode_one',"
        " 'verdict': ['passed'], 'mistake': None}}, raw=True)"
    )
    put(folder, "伪造", book)
    flood = json.loads((folder / "对0" / "00_quickstart.ipynb").read_bytes())
    flood["cells"].insert(1, {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1, "id": "x"})
    flood["cells"][1]["source"] = "while True:\n    print('x' * 10_000)"
    put(folder, "印个没完", flood)
    few = [folder / n for n in ("对0", "改检查器", "抄输出", "停不下来", "截断", "伪造", "印个没完")]
    chosen = tmp_path / "选"
    for place in few:
        place.rename(chosen / place.name) if chosen.exists() else (chosen.mkdir(), place.rename(chosen / place.name))
    code, out, err = progress(capsys, chosen, "--run", "--seed", SEED, "--seconds", "20")
    assert code == 0
    assert "运行 7 本笔记本里的代码" in err
    rows = {line.split()[0]: line.split()[1] for line in out.splitlines()[1:8]}
    assert rows.pop("伪造") != "3/3"
    assert rows.pop("印个没完") == "0/3!"
    assert rows == {"对0": "3/3", "改检查器": "2/3", "抄输出": "0/3", "停不下来": "1/3!", "截断": "—"}
    assert "运行的输出超过 20 MB" in out
    assert "超过 20 秒没有跑完" in out


def test_a_student_sees_all_lessons_and_what_comes_next(tmp_path, solve, capsys):
    book = solve({"0-1": CROSSING, "0-2": right(10000)})
    (tmp_path / "00_quickstart.ipynb").write_text(json.dumps(book), encoding="utf-8")
    code, out, _ = progress(capsys, tmp_path, "--seed", SEED)
    assert code == 0
    lines = out.splitlines()
    assert lines[:4] == [
        "第 00 课  通过 1/3",
        "  练习 0-1  通过",
        "  练习 0-2  还不对：底数不对，用的是 10000",
        "  练习 0-3  尚未作答",
    ]
    assert lines[-1] == '接下来：练习 0-2（00_quickstart.ipynb）；卡住了就运行 exercises.hint("0-2")。'


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["没有这里"], "必须存在"),
        ([""], "必须存在"),
        (["--output", "没有/x.csv"], "已有的文件夹"),
        (["--output", "x.txt"], "以 .csv 结尾"),
        (["--seconds", "0"], "大于 0"),
        ([], "没有；请"),
    ],
)
def test_bad_arguments_are_told_in_one_line(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, out, err = progress(capsys, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_it_needs_only_numpy(tmp_path, original, monkeypatch, capsys):
    for name in ("nbformat", "nbclient", "tqdm", "IPython"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "00_quickstart.ipynb").write_text(json.dumps(original), encoding="utf-8")
    assert progress(capsys, tmp_path)[0] == 0


def test_running_needs_a_kernel_and_says_so(tmp_path, original, monkeypatch, capsys):
    monkeypatch.setattr(_progress, "find_spec", lambda name: None)
    (tmp_path / "00_quickstart.ipynb").write_text(json.dumps(original), encoding="utf-8")
    code, out, err = progress(capsys, tmp_path, "--run")
    assert (code, out) == (2, "")
    assert "nbclient、nbformat、ipykernel" in err
    assert err.count("\n") == 1


def test_spreadsheets_do_not_compute_what_a_student_wrote():
    assert _progress._safe("=1+1") == "'=1+1"
    assert _progress._safe("3-1") == "练习 3-1"  # 不然会成为三月一日


# ------------------------------------------------------------------ 种子和副本


def test_the_words_of_every_variant_are_in_its_lesson():
    """题面改了字，种子就换不到了：每处要换的字都得找得到。"""
    for number, make in _seeds.VARIANTS.items():
        lesson = LESSONS[f"{int(number.split('-')[0]):02}"]
        text = "".join(t for _, pieces in classkit.parts(lesson.book) for n, t in pieces if n == number)
        path = lesson.path.parent / "solutions" / lesson.path.name
        solution = "\n".join(cell.source for cell in notebooks.Book(notebooks.load(path), path).cells)
        assert make is _seeds.VARIANTS[number]
        variant = _seeds.variant(number, SEED)
        for old in variant.words:
            assert old in text or old in solution, (number, old)
        assert variant.notice or any(old in text for old in variant.words), number


def test_a_copy_contains_no_solution_and_has_other_numbers(tmp_path):
    for lesson in LESSONS.values():
        book, _ = classkit.class_copy(lesson, SEED)
        text = "\n".join(cell.source for cell in book.cells)
        path = lesson.path.parent / "solutions" / lesson.path.name
        assert "solutions/" not in text
        assert not classkit.FOLD.search(text.split("\n## 练习")[-1])
        for cell in notebooks.Book(notebooks.load(path), path).code:
            for function in re.findall(r"^def \w+\(.*?(?=^\S|\Z)", cell.source, re.MULTILINE | re.DOTALL):
                assert function.strip() not in text, lesson.name
        seeded = [n for n in _seeds.VARIANTS if int(n.split("-")[0]) == int(lesson.number)]
        assert text.count(f"seed={SEED!r}") == len(seeded)


def test_the_hint_names_the_base_of_the_class(bundle):
    wrong = right(10000).replace("np.sin", "-np.sin")  # 底数错，另有一处也错
    for answer in (right(10000), wrong):
        (output,) = bundle("0-2", answer, seed=SEED)
        said = output["data"]["text/plain"]
        assert "底数不对，用的是 10000" in said
        assert "这个班的底数是 " in said
        assert "论文的底数是" not in said


def test_a_key_passes_its_own_seed_and_fails_the_others():
    """三十个种子：答案用在自己的班全对，用在别的班，至少有一题不对。"""
    seeds = [f"{k} 班" for k in range(30)]
    found = {}
    for seed in seeds:
        found[seed] = {}
        for guess in (g for g in GUESSES if g.number in _seeds.VARIANTS):
            found[seed][guess.number] = _seeds.variant(guess.number, seed).declared["right"]
        for e in (e for e in CODING if e.number in _seeds.VARIANTS):
            found[seed][e.number] = _seeds.variant(e.number, seed).base

    def agrees(guess, answer, seed):
        with _seeds.given(guess, seed) as declared:
            return exercises._guess._judge(declared, answer)[0] == "passed"

    guesses = {g.number: g for g in GUESSES}
    for mine in seeds:
        assert all(agrees(guesses[n], a, mine) for n, a in found[mine].items() if n in guesses), mine
        for other in seeds:
            passes = [
                agrees(guesses[n], a, other) if n in guesses else a == found[other][n] for n, a in found[mine].items()
            ]
            assert all(passes) == (mine == other), (mine, other)


def test_two_classes_seldom_get_the_same_numbers():
    """教师页说：第 00、04、05 课不到千分之一，其余有换数的课不到百分之五。"""
    near = {g.number: g.near for g in GUESSES}
    classes = [f"{k}班" for k in range(200)]
    pairs = list(itertools.combinations(classes, 2))
    same = {}
    for number in _seeds.VARIANTS:
        found = {c: _seeds.variant(number, c) for c in classes}
        answer = {c: v.declared.get("right", v.base) for c, v in found.items()}
        equal = {(a, b) for a, b in pairs if abs(answer[a] - answer[b]) <= near.get(number, 0) * abs(answer[b])}
        lesson = number.split("-")[0]
        same[lesson] = same.get(lesson, equal) & equal
    share = {lesson: len(equal) / len(pairs) for lesson, equal in same.items()}
    assert max(share[k] for k in ("0", "4", "5")) < 0.001, share
    assert max(share.values()) < 0.05, share


def _first(condition):
    return int(np.flatnonzero(condition)[0])


def _lesson_4_1(text):
    (d,) = _numbers(r"d_model = (\d+)", text)
    said = re.search(r"底数([一十百千万亿]+)", text)[1]
    base = {"一千": 1e3, "一万": 1e4, "十万": 1e5, "一百万": 1e6, "一亿": 1e8}[said]
    waves = sinpe.wavelengths(int(d), base=base)
    return int(np.sum(waves <= 5000) - np.sum(waves <= 500))


def _numbers(pattern, text):
    return [float(n) for n in re.search(pattern, text).groups()]


def _lesson_0_1(text):
    column, height = _numbers(r"第 (\d+) 列.*?超过 (0\.\d)", text)
    return _first(sinpe.sinusoidal_positional_encoding(20_000, 8, dtype=np.float64)[:, int(column)] > height)


def _lesson_2_5(text):
    (d,) = _numbers(r"从 64 加到 (\d+)", text)
    waves = sinpe.wavelengths(int(d))  # 到顶以前，转过一圈的对各换一根，每根加 2
    return 2 * np.sum((waves > 100) & (waves <= 1000.0))


def _lesson_4_4(text):
    (base,) = _numbers(r"底数写的是 (\d+)", text)
    return (float(base) ** (2 * 2 / 64)) ** 32  # 第 1 对的分母，是新底数的 2/64 次方


def _lesson_5_1(text):
    (d,) = _numbers(r"d = (\d+)", text)
    return np.linalg.norm(sinpe.sinusoidal_positional_encoding(3, int(d), dtype=np.float64)[[0, 2]].mean(axis=0))


def _lesson_6_1(text):
    (error,) = _numbers(r"不超过 (0\.\d+) 弧度", text)
    return error / np.finfo(np.float32).eps


def _lesson_7_1(text):
    words, padding = map(int, _numbers(r"有 (\d+) 个词，左边补了 (\d+) 格", text))
    return sinpe.positions_from_mask(np.array([[0] * padding + [1] * words + [1]]))[0, -1]


def _lesson_8_1(text):
    k, at = map(int, _numbers(r"M_(\d+)\$ 的转置。从位置 (\d+)", text))
    rows = sinpe.sinusoidal_positional_encoding(300, 64, dtype=np.float64)
    return int(np.argmax(rows @ sinpe.shift_matrix(k, 64) @ rows[at]))


def _lesson_10_1(text):
    (d,) = _numbers(r"编码器是 (\d+) 维", text)
    rates = np.exp(-np.log(1e4) / (d // 2 - 1) * np.arange(d // 2))
    return rates[1] ** (-d / 2)  # 论文的表里，第 1 对的角频率是底数的 -2/d 次方


def _lesson_11_1(text):
    rows, columns = map(int, _numbers(r"(\d+) 行 (\d+) 列", text))
    table = sinpe.sinusoidal_positional_encoding(64, 16, dtype=np.float64)
    return len(np.unique((table[:rows, None] + table[None, :columns]).reshape(-1, 16).round(9), axis=0))


def test_the_answers_of_every_variant_are_recomputed_from_its_own_words():
    """从换过的题面里读出数来，用别的办法再算一遍；题面和检查器出自同一个种子，也可能一起错。"""
    mine = {name[8:].replace("_", "-"): f for name, f in globals().items() if name.startswith("_lesson_")}
    guesses = {g.number: g for g in GUESSES if g.number in _seeds.VARIANTS}
    assert set(mine) == set(guesses)
    for number, guess in guesses.items():
        lesson = LESSONS[f"{int(number.split('-')[0]):02}"]
        text = "".join(
            t for c, pieces in classkit.parts(lesson.book) for n, t in pieces if n == number and not c.is_code
        )
        for k in range(40):
            changed = classkit.replace(text, _seeds.variant(number, f"{k}").words)
            with _seeds.given(guess, f"{k}") as declared:
                answer = mine[number](changed)
                found = exercises._guess._judge(declared, float(answer))
                assert found[0] == "passed", (number, k, answer, declared.right)


def test_every_misconception_of_a_variant_is_told_apart_from_the_right_answer():
    for guess in (g for g in GUESSES if g.number in _seeds.VARIANTS):
        for k in range(60):
            with _seeds.given(guess, f"{k}") as declared:
                assert exercises._guess._judge(declared, declared.right)[0] == "passed"
                for code, (value, _) in declared.misconceptions.items():
                    if not callable(value):
                        assert exercises._guess._judge(declared, value)[:2] == ("wrong", code), (guess.number, k, code)


@pytest.mark.dev  # 一本一个内核，读者验课不必等
@pytest.mark.parametrize("number", ["00", "05"])
def test_the_key_notebooks_run_with_the_checkers_of_their_class(number, tmp_path):
    classkit.make_copy(tmp_path, SEED, [number])
    (path,) = (tmp_path / "key").glob("*.ipynb")
    own = _progress.execute(path, seed=SEED, seconds=60)
    assert own.troubles == []
    assert {r.state for r in own.exercises().values()} == {"通过"}
    other = _progress.execute(path, seed="乙班", seconds=60)
    assert {n for n, r in other.exercises().items() if r.state == "还不对"} == {
        n for n in _seeds.VARIANTS if int(n.split("-")[0]) == int(number)
    }
