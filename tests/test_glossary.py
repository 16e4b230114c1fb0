"""术语表齐全：课文里每个“中文（English）”都在表上，表上的链接指向第一次出现的那一课。"""

import re

import course
import pytest

import notebooks
import sinpe

LESSONS = [lesson for lesson in course.read_lessons() if lesson.path]
INTRODUCED = re.compile(r"(\S*?)[”*]*（([A-Za-z][A-Za-z -]*)(?:，[^（）]*)?）")
# 这些词平常也用，在引入之前出现时，说的不是术语
EVERYDAY = {
    "分数",
    "键",
    "值",
    "批",
    "频率",
    "刻度",
    "核",
    "投影",
    "范围",
    "相位",
    "余量",
    "迹",
    "缩放",
    "约定",
    "起点",
    "查询",
    "量程",
}


def prose(lesson):
    """课文，不含开头的小表、课程地图和末尾的“下一课”：那里提到别的课的题目。"""
    header, *cells = lesson.book.text
    sections = course.sections(lesson.book)
    course_map = sections["课程地图"].text if "课程地图" in sections else ""
    text = "\n\n".join([re.sub(r"^[#|].*$", "", header.prose, flags=re.MULTILINE), *(cell.prose for cell in cells)])
    text = re.sub(r"^下一课：.*$", "", text, flags=re.MULTILINE)
    for row in course_map.splitlines():
        text = text.replace(row, "") if row.startswith("|") else text
    return re.sub(r"^下一课：.*$", "", text, flags=re.MULTILINE)


PROSE = {lesson.number: prose(lesson) for lesson in LESSONS}
# 单独写成一个公式，或者写在等号左边的记号：引入它的那句话总会这样写。别处的同一个字母可能另有所指
SYMBOLS = {
    lesson.number: {
        match[0].strip("$ \n").split(" = ")[0]
        for cell in lesson.book.text
        for match in notebooks.SPAN.finditer(cell.source)
        if match["math"] or match["display"]
    }
    for lesson in LESSONS
}


@pytest.fixture(scope="module")
def glossary(pytestconfig):
    return (pytestconfig.rootpath / "GLOSSARY.md").read_text(encoding="utf-8")


def table(glossary, title):
    """一张表的各行，每行一个元组，最后一列是课号。"""
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", glossary, re.MULTILINE | re.DOTALL)[1]
    _, _, *rows = [line for line in section.splitlines() if line.startswith("|")]
    return [tuple(re.split(r" \| ", row[2:-2])) for row in rows]


def lesson_of(cell):
    """最后一列：课号，和它链接到的文件。"""
    number, name = re.fullmatch(r"\[(\d\d)\]\(notebooks/(\S+)\)", cell).groups()
    (lesson,) = [lesson for lesson in LESSONS if lesson.number == number]
    assert lesson.path.name == name
    return number


@pytest.fixture(scope="module")
def terms(glossary):
    return {english.lower(): (chinese, lesson_of(first)) for chinese, english, _, first in table(glossary, "术语")}


def introductions():
    """课文里的每个“中文（English）”：``(课号, 括号前的字, English)``。"""
    for number, text in PROSE.items():
        for before, english in INTRODUCED.findall(text):
            if english not in sinpe.CONVENTIONS:  # 约定的名字不是术语
                yield number, before, english.lower()


def test_every_term_introduced_in_a_lesson_is_in_the_glossary_in_the_same_words(terms):
    found = list(introductions())
    assert len(found) > 40
    wrong = [
        f"第 {number} 课：{before[-12:]}（{english}）"
        for number, before, english in found
        if english not in terms or not before.endswith(terms[english][0])
    ]
    assert not wrong, "\n".join(wrong)


def test_a_term_is_linked_to_the_lesson_that_introduces_it(terms):
    first = {}
    for number, _, english in introductions():
        first.setdefault(english, number)
    wrong = []
    for english, (chinese, number) in terms.items():
        introduced = first.get(english)
        if chinese.lower() == english:  # softmax：中英文同名，不写括号
            introduced = next(number for number, text in PROSE.items() if chinese in text)
        if introduced != number:
            wrong.append(f"{chinese}（{english}）：表上是第 {number} 课，课文里是第 {introduced} 课")
    assert not wrong, "\n".join(wrong)


def test_a_term_is_not_used_before_it_is_introduced(terms):
    wrong = []
    for chinese, number in terms.values():
        longer = [other for other, _ in terms.values() if chinese in other and chinese != other]
        for earlier, text in PROSE.items():
            for other in longer:  # “频率”不该在“角频率”里被认出来
                text = text.replace(other, "")
            if earlier < number and chinese not in EVERYDAY and chinese in text:
                wrong.append(f"{chinese}：第 {earlier} 课就用了，第 {number} 课才引入")
    assert not wrong, "\n".join(wrong)


def test_no_term_is_listed_twice_and_they_come_in_the_order_of_the_lessons(glossary, terms):
    rows = table(glossary, "术语")
    assert len(terms) == len(rows) == len({chinese for chinese, *_ in rows})
    numbers = [lesson_of(row[-1]) for row in rows]
    assert numbers == sorted(numbers)


def test_a_symbol_is_linked_to_the_first_lesson_that_uses_it(glossary):
    wrong = []
    for symbols, _, _, first in table(glossary, "记号"):
        symbol = re.search(r"\$(.+?)\$", symbols)[1]
        used = next((number for number, found in SYMBOLS.items() if symbol in found), None)
        if used != lesson_of(first):
            wrong.append(f"{symbol}：表上是第 {lesson_of(first)} 课，最早用在第 {used} 课")
    assert not wrong, "\n".join(wrong)


def test_the_names_in_our_code_are_really_used(glossary, pytestconfig):
    sources = [path.read_text(encoding="utf-8") for path in (pytestconfig.rootpath / "sinpe").glob("*.py")]
    code = "\n".join(sources + [cell.source for lesson in LESSONS for cell in lesson.book.code])
    names = [name for row in table(glossary, "记号") for name in re.findall(r"`(\w+)`", row[1])]
    names += [name for row in table(glossary, "别处的叫法") for name in re.findall(r"`(\w+)`", row[2])]
    assert len(names) > 20
    assert [name for name in names if not re.search(rf"\b{name}\b", code)] == []


def test_the_table_of_other_names_covers_the_four_frameworks(glossary):
    head = re.search(r"^## 别处的叫法\n.*?^\| (.*?) \|$", glossary, re.MULTILINE | re.DOTALL)[1]
    assert head.split(" | ") == ["意思", "论文", "这里", "PyTorch", "Hugging Face", "tensor2tensor", "JAX"]
