"""中文排版：汉字与拉丁字母、数字、公式、代码之间空一格，中文里用全角标点（``autocorrect``）。"""

import json
import re

import pytest

pytestmark = pytest.mark.dev("autocorrect_py")

RULES = {
    "space-dollar": 1,  # 公式两侧也空一格；它默认不管
    "halfwidth-word": 0,  # 会把“图 4：64 列”的冒号改成半角
    "halfwidth-punctuation": 0,  # 会把 f"Python {version}，NumPy" 的逗号改成半角
}
# 代码注释里的形状写半角逗号：# (位置的个数, 1)
FULLWIDTH = {"markdown": 1, "python": 0}


def passages(path):
    """逐段给出 ``(哪里, 文字, 语言)``。笔记本只取文字格和代码格的源码，存下来的输出不算。"""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield f"{path}", text, "markdown"
    else:
        for number, cell in enumerate(json.loads(text)["cells"], start=1):
            language = {"markdown": "markdown", "code": "python"}[cell["cell_type"]]
            yield f"{path} 第 {number} 格", "".join(cell["source"]), language


def complaints(text, language):
    import autocorrect_py

    autocorrect_py.load_config(json.dumps({"rules": RULES | {"fullwidth": FULLWIDTH[language]}}))
    if language == "markdown":
        # 它在 Markdown 里不管行内代码两侧的空格，公式两侧的却管：把行内代码换成等长的公式
        text = re.sub(r"(?<!`)`([^`\n]+)`(?!`)", lambda code: f"${'x' * len(code[1])}$", text)
    return autocorrect_py.lint_for(text, language).lines


def test_chinese_text_is_typeset_by_the_rules(project_files):
    wrong = [
        f"{where} 第 {line.line} 行：{line.old.strip()}\n    应为：{line.new.strip()}"
        for path in project_files
        if path.suffix in {".md", ".ipynb"}
        for where, text, language in passages(path)
        for line in complaints(text, language)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "text", ["位置pos", "第3行", "用`x` 算", "用 `x`算", "公式$x$ 说", "公式 $x$说", "先算,再看", "位置， 3 行"]
)
def test_a_missing_space_or_a_wrong_mark_is_noticed(text):
    assert complaints(text, "markdown")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("图 4：64 列，`d_model` 为 $d$，形状 `(seq_len,d)`。", "markdown"),
        ("报错是 `收到7,应为8`；约 2π，占 82 %，见 [README](README.md)。", "markdown"),
        ("pos = x[:, None]  # (位置的个数, 1)", "python"),
        ('print(f"Python {python}，NumPy {numpy}")', "python"),
        ('print("pos：(5, 1)")', "python"),
    ],
)
def test_formulas_code_and_numbers_in_good_text_are_left_alone(text, language):
    assert not complaints(text, language)
