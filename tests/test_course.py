"""课程的目录处处一致：课程地图、上一课与下一课、README 的学习路径、预计用时、练习的题数。"""

import base64
import re
import shutil

import course
import nbformat
import pytest

import notebooks

LESSONS = course.read_lessons()
WRITTEN = [lesson for lesson in LESSONS if lesson.path]
TAUGHT = [lesson for lesson in WRITTEN if not lesson.is_reference]  # 查阅用的几页没有用时和练习


def each(lessons):
    return pytest.mark.parametrize("lesson", lessons, ids=lambda lesson: lesson.number)


def test_the_map_lists_every_lesson_in_order_and_links_those_that_exist():
    _, *others = LESSONS
    rows = re.findall(r"^\| (.+?) \| .+ \|$", course.sections(LESSONS[0].book)["课程地图"].text, re.MULTILINE)
    assert rows == ["课", LESSONS[0].name, *(lesson.label for lesson in others)]
    numbers = [lesson.number for lesson in LESSONS]
    assert numbers == sorted(set(numbers))


@each(WRITTEN)
def test_the_map_and_the_lesson_give_the_same_title(lesson):
    assert lesson.title == course.title_of(lesson.book)


@each(WRITTEN)
def test_what_the_directory_decides_is_up_to_date(lesson):
    # 开头的邻课与用时、末尾的下一课、地图里的链接
    assert lesson.path.read_bytes() == course.with_directory(LESSONS, lesson), "运行 python tools/course.py"
    wanted = {"你将做出", "需要先会"} | (set() if lesson.is_reference else {"你将学会", "预计用时", "上一课 · 下一课"})
    assert wanted <= lesson.header.keys()


def test_the_learning_path_of_the_readme_is_that_of_the_notebooks():
    readme = course.README.read_text(encoding="utf-8")
    assert course.learning_path(WRITTEN) in readme, "运行 python tools/course.py"


@each(TAUGHT)
def test_a_lesson_is_read_in_twenty_minutes(lesson):
    most = 25 if lesson.number in ("02", "05") else 20  # 这两课各是一个完整的推导
    assert course.reading_seconds(lesson.book) <= most * 60


@each(TAUGHT)
def test_each_exercise_tells_how_hard_it_is_and_how_long_it_takes(lesson):
    text = course.sections(lesson.book)["练习"].text
    titles = re.findall(r"^\*\*练习 \d+-\d+（(.*?)）\*\*", text, re.MULTILINE)
    assert len(titles) == lesson.exercises
    for title in titles:
        assert re.search(r" · (?:容易|中等|较难) · (?:配选读的第 \d+ 节 · )?\d+ 分钟$", title), title


@each(TAUGHT)
def test_a_lesson_ends_with_exercises_numbered_from_one(lesson):
    text = course.sections(lesson.book)["练习"].text
    numbers = [int(number) for number in re.findall(rf"^\*\*练习 {int(lesson.number)}-(\d+)", text, re.MULTILINE)]
    assert numbers == list(range(1, lesson.exercises + 1))
    assert 3 <= len(numbers) <= 5


def test_contributing_explains_the_rule_with_its_numbers(pytestconfig):
    text = (pytestconfig.rootpath / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for phrase in (
        f"每分钟 {course.CHARACTERS_PER_MINUTE} 字",
        f"代码一行 {course.SECONDS_PER_CODE_LINE} 秒",
        f"独行公式一行 {course.SECONDS_PER_FORMULA_LINE} 秒",
        f"图一幅 {course.SECONDS_PER_FIGURE} 秒",
        f"进到 {course.STEP} 分钟的整数倍",
        "、".join(f"“{title}”" for title in course.APART),
    ):
        assert phrase in text


# ---------------------------------------------------------------- 规则本身


def book(*cells):
    nb = nbformat.v4.new_notebook(cells=list(cells))
    return notebooks.Book(nb, notebooks.ROOT / "notebooks" / "04_made_up.ipynb")


def text(source):
    return nbformat.v4.new_markdown_cell(source)


def code(source, *pictures):
    data = {"image/png": base64.b64encode(b"picture").decode()}
    return nbformat.v4.new_code_cell(source, outputs=[nbformat.v4.new_output("display_data", data) for _ in pictures])


@pytest.mark.parametrize(
    ("cells", "seconds"),
    [
        ([text("汉" * 400)], 60),
        ([text("汉字，标点不算。" * 100)], 60 * 600 / 400),
        ([text("词 word 与 123 各算一个")], 60 * 8 / 400),
        ([text("`x = 1` 与 $x^2 + 1$ 各一个")], 60 * 6 / 400),
        ([text("[字](https://example.org/long-address)")], 60 * 1 / 400),
        ([text("$$a$$\n\n$$b \\\\\n c$$")], 3 * 15),
        ([code("a = 1\n\nb = 2  # 说明")], 2),
        ([code("plt.show()", "one", "two")], 1 + 2 * 10),
        ([text("汉\n\n## 练习\n\n" + "长" * 999), code("answer = 7"), text("## 延伸阅读\n\n" + "长" * 999)], 60 / 400),
        ([text("## 7 练习\n\n长"), code("x"), text("## 小结\n\n汉")], 60 / 400),
    ],
)
def test_reading_time_follows_the_rule(cells, seconds):
    assert course.reading_seconds(book(*cells)) == pytest.approx(seconds, rel=1e-12)  # 只有几次加法的舍入


def test_a_section_may_go_on_in_the_next_cell():
    exercises = course.sections(book(text("## 练习\n\n**练习 4-1**。甲"), code("x"), text("**练习 4-2**。乙")))["练习"]
    assert re.findall(r"^\*\*练习 4-(\d)", exercises.text, re.MULTILINE) == ["1", "2"]


def test_minutes_are_rounded_up():
    def minutes(characters):
        return course.Lesson("04", "题", notebooks.ROOT, book(text("汉" * characters))).minutes

    assert [minutes(n) for n in (1, 2000, 2001, 4000)] == [5, 5, 10, 10]


# ---------------------------------------------------------------- README 的更新


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """课程的一份副本：README 和各课，让 course.main 随便改。"""
    monkeypatch.setattr(course, "README", tmp_path / "README.md")
    monkeypatch.setattr(course, "NOTEBOOKS", tmp_path)
    shutil.copy(notebooks.ROOT / "README.md", tmp_path)
    for lesson in WRITTEN:
        shutil.copy(lesson.path, tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "pattern", "old"),
    [
        ("README.md", r"^\| \[00 .*\n", ""),
        ("05_relative_position.ipynb", r"阅读 \d+ 分钟，练习", "阅读 99 分钟，练习"),
        ("05_relative_position.ipynb", r"下一课：\[06 ", "下一课：[99 "),
        ("05_relative_position.ipynb", r"下一课 \| \[04", "下一课 | [99"),
        ("00_quickstart.ipynb", r"\| \[03 把循环.*?\|", "| 03 把循环写成一次广播（待写） |"),
    ],
)
def test_what_is_outdated_is_put_right_and_nothing_else(name, pattern, old, copy, capsys):
    current = (copy / name).read_bytes()
    outdated = re.sub(pattern, old, current.decode(), count=1, flags=re.MULTILINE).encode()
    assert outdated != current
    (copy / name).write_bytes(outdated)
    others = {path: path.read_bytes() for path in copy.iterdir() if path.name != name}
    assert course.main(["--check"]) == 1
    assert f"{name} 与课程地图不一致" in capsys.readouterr().out
    assert (copy / name).read_bytes() == outdated
    assert course.main([]) == 0
    assert (copy / name).read_bytes() == current
    assert all(path.read_bytes() == content for path, content in others.items())
    assert course.main(["--check"]) == 0


def test_a_lesson_missing_from_the_map_is_still_found(tmp_path):
    for path in notebooks.ROOT.glob("notebooks/0[01]_*.ipynb"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "01_order_blindness.ipynb").rename(tmp_path / "77_surprise.ipynb")
    *_, last = course.read_lessons(tmp_path)
    assert (last.number, last.path.name) == ("77", "77_surprise.ipynb")
