"""笔记本守规矩；每条规矩都抓得住它要抓的错；``run`` 两次一字不差；nbval 真的会红。"""

import base64
import copy
import json
import os
import re
import subprocess
import sys

import nbformat
import pytest

import notebooks

PNG = b"\x89PNG\r\n\x1a\n"  # 规矩只比较字节，不看画了什么


# ------------------------------------------------------------------ 课程


def test_the_course_has_notebooks():
    assert notebooks.find()


@pytest.mark.parametrize("path", notebooks.find(), ids=lambda path: path.relative_to(notebooks.ROOT).as_posix())
def test_notebook_keeps_the_rules(path):
    found = notebooks.problems(notebooks.load(path), path)
    assert not found, "\n".join(found)


# ------------------------------------------------------------------ 一本守规矩的笔记本


def text(source):
    return nbformat.v4.new_markdown_cell(source)


def code(source, *outputs, tags=()):
    return nbformat.v4.new_code_cell(source, outputs=list(outputs), metadata={"tags": list(tags)} if tags else {})


def printed(words, name="stdout"):
    return nbformat.v4.new_output("stream", name=name, text=words)


def shown(**data):
    return nbformat.v4.new_output("display_data", {name.replace("_", "/"): value for name, value in data.items()})


FIGURE = shown(image_png=base64.b64encode(PNG).decode(), text_plain="<Figure size 640x480 with 1 Axes>")
ERROR = nbformat.v4.new_output("error", ename="ValueError", evalue="d_model 必须是正偶数", traceback=[])

HEADER = """# 04 读懂频率

| | |
|---|---|
| 你将做出 | 三幅图 |
| 你将学会 | 读图 |
| 需要先会 | [第 05 课](05_next.ipynb#小结) |
| 预计用时 | 10 分钟 |"""

# 每一段都像是犯了规，其实没有
INNOCENT_TEXT = """## 1 不该误报的文字

**要点**：`pos`、`i` 与 $x$，$y$。**“引号”** 之后空一格，（**f(x)**，**注意：**）也对；`**` 不是加粗。

```python
# 代码块里的井号不是标题，$汉字$ 不是公式，**注意：**请看，[甲](不存在)

x = 1
第二行
第三行
```

- 列表的一项
- 列表的又一项

<div class="alert">
HTML 里的一行
又一行
</div>

独行公式可以紧挨着文字
$$x = 1 \\text{（若）}$$
不算段内换行。[论文](https://arxiv.org/abs/1706.03762)，[下文](#小结)，[图](%E5%9B%BE%201.png)。"""

INNOCENT_CODE = [
    code("x = (7\n     % 3)\nprint(x)", printed("1\n")),
    code('plt.rc("font")  # 分号在注释里;'),
    code('a = 1; b = "甲;"\nprint("$x$ 和 $y$", b)  # 路径 a/home/b', printed("$x$ 和 $y$ 甲;\n")),
    code("await asyncio.sleep(0)"),
    code("display(widgets.IntSlider())", tags=["nbval-ignore-output"]),
    code("try:\n    f(7)\nexcept ValueError as error:\n    print(error)", printed("d_model 必须是正偶数\n")),
    code("@interact(k=(0, 8))\ndef draw(k):\n    plt.plot([k])\n    plt.show()", FIGURE, tags=["nbval-ignore-output"]),
]

STUB = "def f(x):\n    return ...\n\n\nexercises.check_f(f)"
SOLVED = "[解答](solutions/04_good.ipynb)"
TAIL = [
    text("## 小结\n\n完。\n\n## 2 常见误解\n\n无。\n\n## 练习\n\n### 1\n\n略。"),
    code(STUB, printed("练习 4-1：尚未作答。\n")),
    text(SOLVED),
    code("exercises.progress(4)", printed("代码练习 0/1 已通过\n")),
    text("## 延伸阅读\n\n- 论文\n\n下一课：[05 下一课](05_next.ipynb)"),
]


FOLDED = code("# 核对：正文里的 1\nnp.testing.assert_equal(1, 1)\nprint(1)", printed("已核对：1\n"))
FOLDED.metadata = {"cellView": "form", "jupyter": {"source_hidden": True}, "tags": ["hide-input"]}


def solution():
    return nbformat.v4.new_notebook(
        cells=[
            text("[题目](../04_good.ipynb)"),
            code("exercises.strict()"),
            text("答。"),
            code("exercises.check_f(abs)"),
        ]
    )


def good():
    cells = [
        text(HEADER),
        code("import matplotlib.pyplot as plt\nimport numpy as np\nuse_style()"),
        text(INNOCENT_TEXT),
    ]
    for cell in INNOCENT_CODE:
        cells += [cell, text("下面接着看。")]
    for number in (1, 2, 3):
        cells += [code("plt.plot([1, 2])\nplt.show()", FIGURE), text(f"图 {number}：看最右边。")]
    cells += [
        code("# 验证：相等\nnp.testing.assert_equal(1, 1)\nprint(1)", printed("1\n")),
        FOLDED,
        code("# 验证：拒绝\ntry:\n    f()\nexcept ValueError as e:\n    assert str(e)\nprint(1)", printed("1\n")),
    ]
    for _ in range(2):
        cells += [text("再算一次。"), code("1 + 1")]
    nb = nbformat.v4.new_notebook(cells=[*cells, *TAIL], metadata=notebooks.METADATA)
    nb = nbformat.from_dict(json.loads(json.dumps(nb)))  # 各处共用的格子在这里变成各自的一份
    for number, cell in enumerate(nb.cells):
        cell.id = f"cell-{number}"
    for count, cell in enumerate((cell for cell in nb.cells if cell.cell_type == "code"), 1):
        cell.execution_count = count
    return nb


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "05_next.ipynb").touch()
    (tmp_path / "图 1.png").touch()
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "04_good.ipynb").write_bytes(notebooks.dump(solution()))
    return tmp_path


def test_a_good_notebook_has_no_problems(folder):
    everything = notebooks.RULES + notebooks.TASTES
    assert notebooks.problems(good(), folder / "04_good.ipynb", everything) == []


# ------------------------------------------------------------------ 每条规矩都抓得住


def add(*cells):
    return lambda nb: nb.cells.extend(cells)


def add_code(source, *outputs, tags=()):
    return add(code(source, *outputs, tags=tags))


def edit(old, new):
    """把正文或代码里的一处文字换掉；换不到就是表写错了。"""

    def change(nb):
        cell = next(cell for cell in nb.cells if old in cell.source)
        cell.source = cell.source.replace(old, new, 1)

    return change


def first_code(**fields):
    return lambda nb: next(cell for cell in nb.cells if cell.cell_type == "code").update(fields)


def keep(condition):
    return lambda nb: nb.update(cells=[cell for cell in nb.cells if condition(cell)])


def fold(source, *outputs):
    cell = code(source, *outputs)
    cell.metadata = notebooks.cell_metadata(cell)
    return add(cell)


VEGA = {notebooks.VEGA: {}}
ONLY_VEGA = nbformat.v4.new_output("display_data", VEGA | {"text/plain": "一句话"})


def folded_cell(nb):
    return next(cell for cell in nb.cells if cell.source.startswith("# 核对："))


WIDGET = nbformat.v4.new_output("display_data", {notebooks.WIDGET_VIEW: {"model_id": "1"}})
LONG = "\n".join(["x = 1"] * 21)

# 规矩，报告里该有的字，怎样弄坏一本好的笔记本
BREAKS = [
    ("format_is_valid", "缺 id", lambda nb: nb.cells[0].pop("id")),
    ("format_is_valid", "id 重复", lambda nb: nb.cells[0].update(id=nb.cells[1].id)),
    ("format_is_valid", "nbformat 4.4", lambda nb: nb.update(nbformat_minor=4)),
    ("format_is_valid", "不合 nbformat 4.5", lambda nb: nb.cells[0].update(id="有空格 的")),
    ("file_is_small", "超过 1.5 MB", add(text("长" * 600_000))),
    ("metadata_is_minimal", "元数据里有 widgets", lambda nb: nb.metadata.update(widgets={})),
    ("metadata_is_minimal", "不是 python3", lambda nb: nb.metadata.kernelspec.update(name="conda-env")),
    ("metadata_is_minimal", "不是 python3", lambda nb: nb.metadata.pop("kernelspec")),
    ("cell_metadata_is_what_run_writes", "元数据里有 execution", first_code(metadata={"execution": {}})),
    ("cell_metadata_is_what_run_writes", "元数据里有 scrolled", first_code(metadata={"scrolled": True})),
    ("cell_metadata_is_what_run_writes", "没有 nbval-skip 这个标签", add_code("1", tags=["nbval-skip"])),
    ("cell_metadata_is_what_run_writes", "没有折起来", add_code("# 画图：圆\nplt.show()")),
    ("cell_metadata_is_what_run_writes", "没有折起来", lambda nb: folded_cell(nb).metadata.pop("jupyter")),
    ("cell_metadata_is_what_run_writes", "元数据里有 hide-input", add_code("1 + 1", tags=["hide-input"])),
    ("cells_ran_in_order", "执行序号是 None，应为 1", first_code(execution_count=None)),
    ("cells_ran_in_order", "执行序号是 7，应为 1", first_code(execution_count=7)),
    ("no_empty_cell", "是空的", add_code(" \n")),
    ("nothing_on_stderr", "stderr", add_code("f()", printed("警告", "stderr"))),
    ("no_errors", "报错了", add_code("f()", ERROR)),
    ("ignored_output_has_a_reason", "只给滑块格", add_code("print(1)", tags=["nbval-ignore-output"])),
    ("ignored_output_has_a_reason", "要打 nbval-ignore-output", add_code("interact(f, k=3)")),
    ("ignored_output_has_a_reason", "要打 nbval-ignore-output", add_code("for i in tqdm(range(3)):\n    f(i)")),
    ("widgets_are_still_pictures", "存下的是控件", add_code("f()", WIDGET)),
    ("output_is_portable", "（at 0x7", add_code("f", shown(text_plain="<function f at 0x7f00>"))),
    ("output_is_portable", "（/home/", add_code("f()", printed("/home/user/x"))),
    ("output_is_portable", "（C:\\", add_code("f()", printed("C:\\Users"))),
    ("output_is_portable", "（site-packages", add_code("f()", shown(text_html="<p>lib/site-packages/numpy</p>"))),
    (
        "output_is_portable",
        "（ipykernel_",
        add_code("f()", nbformat.v4.new_output("error", ename="E", evalue="", traceback=["File ipykernel_1/2.py"])),
    ),
    ("code_has_no_unwanted_words", "网络", add_code('print("pip install numpy")')),
    ("code_has_no_unwanted_words", "（urllib", edit("import numpy as np", "import urllib.request")),
    ("code_has_no_unwanted_words", "（requests", edit("import numpy as np", "import requests")),
    ("code_has_no_unwanted_words", "（http://", add_code("# 见 http://example.org")),
    ("code_has_no_unwanted_words", "用标签", add_code("f()  # NBVAL_IGNORE_OUTPUT")),
    ("code_has_no_unwanted_words", "（/tmp/", add_code('open("/tmp/x")')),
    ("no_han_in_figure_math", "$频率$ 里有汉字", add_code('ax.set_title("$x$ 与 $频率$")')),
    ("code_is_plain_python", "纯 Python", add_code("%matplotlib inline")),
    ("code_is_plain_python", "纯 Python", add_code("%%time\nf()")),
    ("code_is_plain_python", "纯 Python", add_code("x = 1\n!ls")),
    ("code_is_plain_python", "纯 Python", add_code("np.sin?")),
    ("code_is_plain_python", "纯 Python", add_code('get_ipython().system("ls")')),
    ("no_semicolon_at_the_end", "分号", add_code('print("甲");  # 画\n\n')),
    ("no_semicolon_at_the_end", "分号", add_code("for i in x: f(i);")),
    ("cells_are_short", "有 21 行", add_code(LONG)),
    ("cells_are_short", "有 61 行", fold("# 画图：圆" + "\nx = 1" * 60)),
    ("lines_fit_the_pane", "有 89 列，超过 88 列", add_code("x = 1  # " + "汉" * 40)),
    ("lines_fit_the_pane", "有 121 列，超过 120 列", fold("# 画图：圆\nx = 1  # " + "汉" * 56)),
    ("imports_come_first", "有导入", add_code("from sinpe import exercises, identify")),
    ("imports_come_first", "有导入", add_code("def f():\n    from math import pi")),
    ("style_is_set_once", "0 次，应为 1 次", edit("use_style()", "")),
    ("style_is_set_once", "2 次，应为 1 次", add_code("sinpe.plotting.use_style()")),
    ("style_is_set_once", "1 次，应为 0 次", lambda nb: nb.update(cells=[code("use_style()")])),
    ("verification_is_marked", "首行写作", edit("# 验证：", "#验证:")),
    ("verification_compares_and_reports", "没有验证", edit("np.testing.assert_equal(1, 1)", "np.allclose(1, 1)")),
    ("verification_compares_and_reports", "没有验证", edit("np.testing.assert_equal(1, 1)", "assert 1 == 1")),
    ("verification_compares_and_reports", "应当是 print", edit("assert_equal(1, 1)\nprint(1)", "assert_equal(1, 1)")),
    ("verification_is_marked", "首行写作", edit("# 核对：", "#核对：")),
    ("verification_compares_and_reports", "没有印出“已核对", fold("# 核对：1\nprint(1)", printed("1\n"))),
    ("live_pictures_are_complete", "旁边没有存静态图", add_code("live.hands()", ONLY_VEGA)),
    ("text_between_code", "前面没有文字", add(code("1"), code("2"))),
    ("figures_are_shown_and_captioned", "plt.show()", edit("plt.plot([1, 2])\nplt.show()", "plt.plot([1, 2])")),
    ("figures_are_shown_and_captioned", "却没有存下图", add_code("plt.show()")),
    ("figures_are_shown_and_captioned", "下一格应是文字", edit("图 2：看", "看")),
    ("figures_are_shown_and_captioned", "下一格应是文字", add_code("plt.show()", FIGURE)),
    ("captions_count_from_one", "[1, 4, 3]", edit("图 2：", "图 4：")),
    ("captions_count_from_one", "[1, 2, 3, 1]", add(text("图 1 画了什么？"))),
    ("readme_figure_is_current", "1 个，应为 0 个", add_code("plt.show()", FIGURE, tags=["readme-figure"])),
    ("bold_renders", "“**注意：**请看”", add(text("**注意：**请看"))),
    ("bold_renders", "“这是**“引号”** 之后”", add(text("这是**“引号”** 之后"))),
    ("bold_renders", "“这是**`**”", add(text("这是**`x`**"))),
    ("bold_renders", "** 空格 **", add(text("** 空格 **"))),
    ("spaces_around_code_and_math", "$x$ 与汉字之间", add(text("公式 $x$是"))),
    ("spaces_around_code_and_math", "`x` 与汉字之间", add(text("代码`x` 是"))),
    ("spaces_around_code_and_math", "`x` 与汉字之间", add(text("落单的 ` 号\n\n代码`x` 是"))),
    ("no_han_in_math", "$x_汉$ 里有汉字", add(text("公式 $x_汉$"))),
    ("one_line_per_paragraph", "“第二行…”", add(text("## 题\n\n第一行\n第二行"))),
    ("headings_descend_in_steps", "从 2 级标题跳到了 4 级", add(text("## 节\n\n#### 小节"))),
    ("links_lead_somewhere", "链接 06_none.ipynb 指向", add(text("见 [第 06 课](06_none.ipynb)"))),
    ("links_lead_somewhere", "链接 a%20b.png 指向", add(text('<img src="a%20b.png">'))),
    ("links_lead_somewhere", "链接 07.md#x 指向", add(text("见 [此处][1]\n\n[1]: 07.md#x"))),
    ("header_tells_what_to_expect", "课号“04”", edit("# 04 读", "# 05 读")),
    ("header_tells_what_to_expect", "一级标题只有一个", add(text("# 04 又一个"))),
    ("header_tells_what_to_expect", "一级标题只有一个", lambda nb: nb.cells.insert(0, text("前言"))),
    *[
        ("header_tells_what_to_expect", f"没有“{word}”", edit(word, ""))
        for word in ("你将做出", "你将学会", "需要先会", "预计用时")
    ],
    ("tail_is_complete", "最后四个二级标题", edit("## 练习", "## 练一练")),
    ("tail_is_complete", "最后四个二级标题", add(text("## 附录"))),
    ("the_next_lesson_is_one_click_away", "最后一行应是", edit("下一课：[", "下一课 [")),
    ("the_next_lesson_is_one_click_away", "最后一行应是", add(text("完。"))),
    ("no_answer_stands_in_the_open", "算了别的（print(f(3))）", edit(STUB, STUB + "\nprint(f(3))")),
    ("no_answer_stands_in_the_open", "露着答案（答案是 7。）", edit("略。", "答案是 7。")),
    ("lesson_has_the_right_size", "有 14 个代码格", keep(lambda cell: cell.source != "1 + 1")),
    ("lesson_has_the_right_size", "有 36 个代码格", add(*[code("1")] * 20)),
    ("lesson_has_the_right_size", "有 2 个图", edit("图 2：看", "看")),
    ("lesson_has_the_right_size", "有 7 个图", add(*[text("图 4：看")] * 4)),
    ("lesson_has_the_right_size", "有 0 个验证格", keep(lambda cell: not cell.source.startswith(("# 验证", "# 核对")))),
    ("lesson_has_the_right_size", "有 0 个写代码的练习", edit("exercises.check_f(f)", "")),
    ("lesson_has_the_right_size", "有 4 个写代码的练习", add(text("## 练习"), *[code(STUB)] * 3)),
    ("lesson_has_the_right_size", "中位数是 7", add(*[code("x = 1\n" * 7)] * 18)),
    ("exercises_wait_for_the_reader", "第 17 个代码格的 f 已经写好了", edit("return ...", "return abs(x)")),
    (
        "exercises_wait_for_the_reader",
        "exercises.progress(课号)",
        edit("exercises.progress(4)", "exercises.progress(5)"),
    ),
    ("exercises_wait_for_the_reader", "exercises.progress(课号)", edit("exercises.progress(4)", "")),
    (
        "solutions_cover_the_exercises",
        "exercises.check_g 只在课里",
        edit("exercises.check_f(f)", "exercises.check_g(f)"),
    ),
    (
        "solutions_cover_the_exercises",
        "exercises.check_f 只在课里",
        edit("exercises.check_f(f)", "exercises.check_g(f)"),
    ),
    ("solutions_cover_the_exercises", "04_good.ipynb 里没有指向 solutions/04_good.ipynb 的链接", edit(SOLVED, "解答")),
]


@pytest.mark.parametrize(("name", "words", "change"), BREAKS, ids=[name for name, *_ in BREAKS])
def test_a_broken_rule_is_reported(name, words, change, folder):
    only = [(scope, function) for scope, function in notebooks.RULES + notebooks.TASTES if function.__name__ == name]
    nb = good()
    change(nb)
    path = folder / "04_good.ipynb"
    assert [line for line in notebooks.problems(nb, path, only) if line.startswith(f"{path}: ") and words in line]


REFERENCE = """# 90 问与答

| | |
|---|---|
| 你将做出 | 一个回答 |
| 需要先会 | 公式 |"""
QUESTION = "## 1 公式\n\n### 频率有几个？\n\n一半。见 [第 04 课](05_next.ipynb)。"


def reference():
    proof = code("# 验证：一半\nnp.testing.assert_equal(1, 1)\nprint(1)", printed("1\n"))
    nb = nbformat.v4.new_notebook(cells=[text(REFERENCE), code("import numpy as np"), text(QUESTION), proof])
    for count, cell in enumerate(nb.cells[1::2], 1):
        cell.execution_count = count
    nb.metadata = notebooks.METADATA
    return nb


REFERENCE_BREAKS = [
    ("reference_says_what_it_is_for", "以编号“90”开头", edit("# 90 ", "# ")),
    ("reference_says_what_it_is_for", "没有“需要先会”", edit("需要先会", "先会")),
    ("each_question_is_answered_with_a_proof", "下一格不是验证格", edit("# 验证：一半", "# 一半")),
    ("each_question_is_answered_with_a_proof", "下一格不是验证格", lambda nb: nb.cells.pop()),
    ("each_question_is_answered_with_a_proof", "没有指向哪一课的链接", edit("(05_next.ipynb)", "(#甲)")),
]


@pytest.mark.parametrize(("name", "words", "change"), REFERENCE_BREAKS, ids=[name for name, *_ in REFERENCE_BREAKS])
def test_a_reference_page_has_rules_of_its_own(name, words, change, folder):
    path = folder / "90_faq.ipynb"
    assert notebooks.problems(reference(), path, notebooks.RULES + notebooks.TASTES) == []
    nb = reference()
    change(nb)
    rules = [(scope, function) for scope, function in notebooks.RULES if function.__name__ == name]
    assert words in "".join(notebooks.problems(nb, path, rules))


def test_every_rule_is_seen_to_fail():
    assert {name for name, _, _ in BREAKS + REFERENCE_BREAKS} == {
        function.__name__ for _, function in notebooks.RULES + notebooks.TASTES
    }


@pytest.mark.parametrize(
    ("words", "change"),
    [
        ("没有解答 solutions/04_good.ipynb", None),
        ("第一个代码格里没有 exercises.strict()", edit("exercises.strict()", "x = 1")),
        ("第一个代码格里没有 exercises.strict()", lambda nb: nb.cells.pop(1)),
        ("solutions/04_good.ipynb 里没有指向 ../04_good.ipynb 的链接", edit("(../04_good.ipynb)", "")),
        ("exercises.check_g 只在课里或只在解答里", add_code("exercises.check_g(abs)")),
    ],
)
def test_a_solution_answers_the_exercises_of_its_lesson(words, change, folder):
    path = folder / "solutions" / "04_good.ipynb"
    if change:
        nb = solution()
        change(nb)
        path.write_bytes(notebooks.dump(nb))
    else:
        path.unlink()
    assert words in "".join(notebooks.problems(good(), folder / "04_good.ipynb"))


def test_the_quickstart_shows_its_current_figure_in_the_readme(folder):
    nb, path = good(), folder / "00_quickstart.ipynb"
    assert "readme-figure 标签有 0 个，应为 1 个" in "".join(notebooks.problems(nb, path))
    nb.cells[-1:-1] = [code("plt.show()", FIGURE, tags=["readme-figure"])]
    assert "00_quickstart.png 与第 19 个代码格存下的图不同" in "".join(notebooks.problems(nb, path))
    path.with_suffix(".png").write_bytes(PNG)
    assert "readme-figure" not in "".join(notebooks.problems(nb, path))
    path.with_suffix(".png").write_bytes(PNG + b"old")
    assert "00_quickstart.png 与第 19 个代码格存下的图不同" in "".join(notebooks.problems(nb, path))


def test_the_quickstart_may_be_shorter(folder):
    nb = good()
    keep(lambda cell: cell.source != "1 + 1" and not cell.source.startswith(("图 2", "图 3")))(nb)
    assert not [
        line for line in notebooks.problems(nb, folder / "00_quickstart.ipynb", notebooks.TASTES) if "应在" in line
    ]


def test_a_path_inside_the_project_is_shown_relative_to_it():
    nb = good()
    nb.cells[1].source += ";"
    found = notebooks.problems(nb, notebooks.ROOT / "notebooks" / "99_none.ipynb")
    assert any(line.startswith("notebooks/99_none.ipynb: 第 1 个代码格：格尾有分号") for line in found)


def test_a_solution_need_not_look_like_a_lesson(folder):
    nb = good()
    nb.cells = nb.cells[1:2]  # 没有开头、结尾、图和验证格
    nb.cells[0].execution_count = 1
    assert notebooks.problems(nb, folder / "solutions" / "04_good.ipynb") == []


def test_check_prints_one_line_per_problem_and_fails(folder, capsys):
    bad = folder / "bad.ipynb"
    bad.write_text("<<<<<<< HEAD\n", encoding="utf-8")
    path = folder / "04_good.ipynb"
    nb = good()
    nb.cells[1].source += ";"
    nb.cells[1].id = nb.cells[0].id
    path.write_bytes(notebooks.dump(nb))
    assert notebooks.main(["check", str(path), str(bad)]) == 1
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{path}: 整本：有格子缺 id 或 id 重复")
    assert second.startswith(f"{path}: 第 1 个代码格：格尾有分号")
    assert third.startswith(f"{bad}: 整本：读不进来：")


def test_check_only_reminds_of_a_matter_of_taste(folder, capsys):
    path = folder / "04_good.ipynb"
    nb = good()
    keep(lambda cell: cell.source != "1 + 1")(nb)
    for count, cell in enumerate((cell for cell in nb.cells if cell.cell_type == "code"), 1):
        cell.execution_count = count
    path.write_bytes(notebooks.dump(nb))
    assert notebooks.main(["check", str(path)]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"提醒：{path}: 整本：有 14 个代码格")


def test_check_is_silent_about_a_good_notebook(folder, capsys):
    path = folder / "04_good.ipynb"
    path.write_bytes(notebooks.dump(good()))
    assert notebooks.main(["check", str(path)]) == 0
    assert capsys.readouterr().out == ""


# ------------------------------------------------------------------ 重跑

WORDS = """for k in range(3):
    print(k + 0.1416, flush=True)
print(bool(glob.glob("*.ipynb")))"""

LIVE = """@interact(k=(0, 8))
def draw(k=2):
    plt.plot([0, k])
    plt.show()
    print("k =", k)"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """从命令行重跑一次的笔记本：有文字、图和滑块；事先缺 id，带着 JupyterLab 的元数据，环境也不干净。"""
    path = tmp_path_factory.mktemp("lesson") / "00_quickstart.ipynb"
    nb = nbformat.v4.new_notebook(
        cells=[
            code("import glob\nimport matplotlib.pyplot as plt\nfrom ipywidgets import interact"),
            code(WORDS),
            code("plt.plot([1, 2])\nplt.show()", tags=["readme-figure"]),
            code(LIVE, tags=["nbval-ignore-output"]),
            code(WORDS),
        ]
    )
    for cell in nb.cells:
        del cell["id"]
        cell.metadata.scrolled = True
    path.write_bytes(notebooks.dump(nb))
    command = [sys.executable, notebooks.__file__, "run", str(path)]
    unclean = os.environ | {"MPLBACKEND": "agg"}  # 不清掉，图就不见了
    result = subprocess.run(command, env=unclean, capture_output=True, encoding="utf-8", check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    return path


def test_running_twice_stores_the_same_bytes(executed, tmp_path):
    again = tmp_path / executed.name
    again.write_bytes(executed.read_bytes())
    assert notebooks.main(["run", str(again)]) == 0
    assert again.read_bytes() == executed.read_bytes()
    assert again.with_suffix(".png").read_bytes() == executed.with_suffix(".png").read_bytes()


def test_run_stores_tidy_outputs(executed):
    nb = notebooks.load(executed)
    _, words, figure, live, _ = nb.cells
    assert nb.metadata == notebooks.METADATA
    assert [set(cell.metadata) for cell in nb.cells] == [set(), set(), {"tags"}, {"tags"}, set()]
    assert len({cell.id for cell in nb.cells}) == 5
    assert words.outputs == [printed("0.1416\n1.1416\n2.1416\nTrue\n")]  # 分几次到达，合成一段
    assert executed.with_suffix(".png").read_bytes() == base64.b64decode(figure.outputs[0].data["image/png"])
    picture, label = live.outputs  # 滑块停在 k = 2 的那幅静态图
    assert base64.b64decode(picture.data["image/png"]).startswith(PNG)
    assert label == printed("k = 2\n")


def test_missing_and_repeated_ids_get_the_same_new_ones_every_time():
    nb = good()
    del nb.cells[0]["id"]
    nb.cells[2].id = nb.cells[1].id
    twin = copy.deepcopy(nb)
    notebooks.tidy(nb)
    notebooks.tidy(twin)
    ids = [cell.id for cell in nb.cells]
    assert ids == [cell.id for cell in twin.cells]
    assert len(set(ids)) == len(ids)
    assert ids[1] == "cell-1"
    assert ids[3:] == [f"cell-{number}" for number in range(3, len(ids))]


def test_run_writes_utf8_with_unix_line_ends(executed):
    raw = executed.read_bytes()
    assert raw.endswith(b"}\n")
    assert b"\r" not in raw
    assert b"widget" not in raw.replace(b"ipywidgets", b"")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = 1\n\n1 / 0", "没有跑通（x = 1）：ZeroDivisionError: division by zero；文件没有改动"),
        ("@interact(k=3)\ndef draw(k):\n    1 / 0", "没有跑通（@interact(k=3)）：ZeroDivisionError: division by zero"),
        ("import os\nos._exit(1)", "没有跑通（import os）：内核崩溃了"),
    ],
    ids=["错误", "滑块里的错误", "内核崩溃"],
)
def test_a_failing_notebook_is_reported_and_left_alone(source, words, tmp_path, capsys):
    path = tmp_path / "04_bad.ipynb"
    nb = nbformat.v4.new_notebook(
        cells=[code("from ipywidgets import interact"), text("说明"), code(source), code("2")]
    )
    path.write_bytes(notebooks.dump(nb))
    before = path.read_bytes()
    assert notebooks.main(["run", str(path)]) == 1
    assert f"{path}: 第 2 个代码格：{words}" in capsys.readouterr().out
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


# ------------------------------------------------------------------ nbval


def test_nbval_turns_red_when_one_digit_differs(executed, tmp_path):
    raw = executed.read_bytes()
    assert raw.count(b"1.1416") == 2  # 同样的两格，只改前一格；后一格作对照
    (tmp_path / "changed.ipynb").write_bytes(raw.replace(b"1.1416", b"1.1417", 1))
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="ascii")  # 不沾仓库自己的设置
    options = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=120", "-rA", "-p", "no:cacheprovider"]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", *options], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
    )
    assert re.findall(r"^(?:FAILED|ERROR) (\S+ \d+)", result.stdout, re.MULTILINE) == ["changed.ipynb::Cell 1"]
    assert "1 failed, 4 passed" in result.stdout
