"""作者的脚本：课程的目录只写一处（第 00 课的课程地图），别处由它改好。

    python tools/course.py            改好各课开头的“预计用时”和邻课、末尾的“下一课”、地图里的链接、
                                      README 的学习路径和仓库的地址、notebooks/index.md
    python tools/course.py --check    只比较，有一处不同就以退出码 1 结束

加一课、换个次序、改个题目，都只改课程地图和那一课，再运行一次。
"""

import argparse
import math
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import notebooks

README = notebooks.ROOT / "README.md"
NOTEBOOKS = notebooks.ROOT / "notebooks"
PITCH = (
    "一套用中文写的 Jupyter 教程，从“为什么需要位置”一步步推出正弦位置编码的公式；"
    "正文里的每个数都由旁边的代码格算出并核对。"
)
PATH_HEADER = "| 课 | 你将做出 | 需要先会 | 用时 | 练习 |\n|---|---|---|---|---|\n"

# 阅读时间的规则，CONTRIBUTING.md 里有说明。只算通读一遍：停下来猜、动手改、运行的时间因人而异，不算
CHARACTERS_PER_MINUTE = 400  # 一个汉字、一个外文词、一个数、一处行内公式或行内代码，都算一个字
SECONDS_PER_CODE_LINE = 1  # 代码前面的文字已经说过它做什么；折起来的不读，不算
SECONDS_PER_FORMULA_LINE = 15  # 独行公式的一行：推导的一步要停下来想
SECONDS_PER_FIGURE = 10
STEP = 5  # 结果进到 5 分钟的整数倍，只入不舍：估计没有更准
APART = ("练习", "延伸阅读", "选读", "工程师选读")  # 以这些字开头的节不算在内


@dataclass(frozen=True)
class Lesson:
    """课程地图里的一课。没有写的课只有编号和题目。"""

    number: str
    title: str
    path: Path | None = None
    book: notebooks.Book | None = None

    @property
    def name(self) -> str:
        return f"{self.number} {self.title}"

    @property
    def is_reference(self) -> bool:
        """查阅用的一页，不是一课：没有用时、练习和下一课。"""
        return notebooks.is_reference(self.number)

    @property
    def label(self) -> str:
        """别的课提到它时的写法：写了的加链接，没写的标出来。"""
        return f"[{self.name}]({self.path.name})" if self.path else f"{self.name}（待写）"

    @property
    def header(self) -> dict[str, str]:
        """开头那张小表：你将做出、你将学会……"""
        rows = re.findall(r"^\| (.+?) \| (.+) \|$", self.book.cells[0].source, re.MULTILINE)
        return dict(rows)

    @property
    def exercises(self) -> int:
        return len(set(re.findall(rf"练习 {int(self.number)}-(\d+)", sections(self.book).get("练习", Section()).text)))

    @property
    def minutes(self) -> int:
        return math.ceil(reading_seconds(self.book) / 60 / STEP) * STEP

    @property
    def practice_minutes(self) -> int:
        """各题题目里写的分钟数之和，也进到 5 分钟的整数倍。"""
        text = sections(self.book).get("练习", Section()).text
        each = re.findall(rf"^\*\*练习 {int(self.number)}-\d+（[^）]*?(\d+) 分钟）", text, re.MULTILINE)
        return math.ceil(sum(map(int, each)) / STEP) * STEP


class Section:
    """一节（二级标题之下）：文字，和读完它要几秒。"""

    def __init__(self):
        self.text, self.code_lines, self.figures = "", 0, 0

    @property
    def seconds(self) -> float:
        spans = list(notebooks.SPAN.finditer(self.text))
        inline = sum(bool(span["code"] or span["math"]) for span in spans)
        formula_lines = sum(span["display"].count(r"\\") + 1 for span in spans if span["display"])
        prose = re.sub(r"\]\([^)]*\)", "]", notebooks.SPAN.sub(" ", self.text))  # 网址不读
        characters = len(notebooks.HAN.findall(prose)) + len(re.findall(r"[A-Za-z0-9]+", prose)) + inline
        return (
            characters / CHARACTERS_PER_MINUTE * 60
            + self.code_lines * SECONDS_PER_CODE_LINE
            + formula_lines * SECONDS_PER_FORMULA_LINE
            + self.figures * SECONDS_PER_FIGURE
        )


def sections(book: notebooks.Book) -> dict[str, Section]:
    """按二级标题分节；标题前的编号去掉，第一个标题之前的归在空标题下。"""
    found = {"": Section()}
    current = found[""]
    for cell in book.cells:
        if cell.is_code:
            current.code_lines += 0 if cell.folded else cell.lines
            current.figures += len(cell.pictures)
            continue
        first, *rest = re.split(r"^## +(?:[\d.]+ +)?(.+?) *$", cell.source, flags=re.MULTILINE)
        current.text += f"{first}\n\n"  # 各格之间隔开，行首才仍是行首
        for title, text in zip(rest[0::2], rest[1::2], strict=True):
            current = found.setdefault(title, Section())
            current.text += f"{text}\n\n"
    return found


def reading_seconds(book: notebooks.Book) -> float:
    return sum(section.seconds for title, section in sections(book).items() if not title.startswith(APART))


def read_lessons(folder: Path | None = None) -> list[Lesson]:
    """按课程地图的次序列出全部的课，没写的也在内；写了却不在地图上的排在最后。"""
    folder = folder or NOTEBOOKS
    books = {}
    for path in sorted(folder.glob("*.ipynb")):
        books[path.stem.split("_")[0]] = (path, notebooks.Book(notebooks.load(path), path))
    _, quickstart = books["00"]
    rows = re.findall(
        r"^\| \[?(\d\d) (.+?)(?:（待写）)?(?:\]\(.*?\))? \|", sections(quickstart)["课程地图"].text, re.MULTILINE
    )
    missing = [(number, title_of(book)) for number, (_, book) in books.items() if number not in dict(rows)]
    return [Lesson(number, title, *books.get(number, ())) for number, title in rows + missing]


def title_of(book: notebooks.Book) -> str:
    return next(re.sub(r"^\d\d ", "", title) for _, level, title in book.headings if level == 1)


def learning_path(lessons: list[Lesson]) -> str:
    """README 里的学习路径表。"""
    rows = [
        f"| [{lesson.name}](notebooks/{lesson.path.name}) | {lesson.header['你将做出']} | {lesson.header['需要先会']} "
        + ("| 随查 | |\n" if lesson.is_reference else f"| {lesson.minutes} 分钟 | {lesson.exercises} 题 |\n")
        for lesson in lessons
        if lesson.path
    ]
    return PATH_HEADER + "".join(rows)


def with_learning_path(readme: str, lessons: list[Lesson]) -> str:
    """把 README 的学习路径换成现在的。"""
    return re.sub(r"(^## 学习路径\n\n)(?:\|.*\n)+", lambda m: m[1] + learning_path(lessons), readme, flags=re.MULTILINE)


def contents(lessons: list[Lesson]) -> str:
    """notebooks/index.md，打开 JupyterLab 时看到的目录：一课一行，点题目就打开。"""
    rows = [
        f"| [{lesson.name}]({lesson.path.name}) | {lesson.header['你将做出']} "
        + (f"| 阅读 {lesson.minutes} 分钟，练习 {lesson.exercises} 题 |" if lesson.exercises else "| 随查 |")
        for lesson in lessons
        if lesson.path
    ]
    missing = "、".join(lesson.name for lesson in lessons if not lesson.path)
    parts = [
        "# sinpe：正弦位置编码",
        PITCH,
        "从第 00 课开始，点题目就打开。选中一个代码格，按 Shift+Enter 运行。改坏了也不要紧：`git checkout notebooks` "
        "就回到原样，你写的答案也会一并丢掉，要留的先另存。",
        "\n".join(["| 课 | 你将做出 | 用时 |", "|---|---|---|", *rows]),
        *([f"还没有写的课：{missing}。"] if missing else []),
        "练习的解答在 `solutions` 文件夹里，术语与记号见[术语表](../GLOSSARY.md)。",
    ]
    return "\n\n".join(parts) + "\n"


def address() -> str | None:
    """仓库的地址，只写在 pyproject.toml 一处；还没有定就是 None。"""
    project = tomllib.loads((notebooks.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project.get("urls", {}).get("Homepage")


def with_address(readme: str, url: str | None) -> str:
    """README 里的克隆命令和 Binder 徽章：地址定了就写上，没有定就不假装有。"""
    online = "把仓库的地址填进 [mybinder.org](https://mybinder.org)，浏览器里就能运行，不用安装。"
    if url:
        name = url.removeprefix("https://github.com/").strip("/")
        target = f"https://mybinder.org/v2/gh/{name}/HEAD?urlpath=lab%2Ftree%2Fnotebooks%2Findex.md"
        badge = f"[![在 Binder 上打开](https://mybinder.org/badge_logo.svg)]({target})"
        online = f"{badge} 浏览器里就能运行，不用安装。"
    readme = re.sub(r"^- 在线：.*$", lambda m: f"- 在线：{online}", readme, flags=re.MULTILINE)
    clone = f"git clone {url or '仓库的地址'} sinpe && cd sinpe"
    return re.sub(r"^git clone \S+ sinpe && cd sinpe$", lambda m: clone, readme, flags=re.MULTILINE)


def neighbours(lessons: list[Lesson], lesson: Lesson) -> tuple[str, str]:
    """开头那张表里的“上一课 · 下一课”，和末尾的一行。"""
    place = lessons.index(lesson)
    before = lessons[place - 1].label if place else "这是第一课"
    after = lessons[place + 1].label if place + 1 < len(lessons) else "这是最后一课"
    # 末尾的一行总要有路可走：跳过还没写的课
    written = next((other.label for other in lessons[place + 1 :] if other.path), None)
    return f"{before} · {after}", f"下一课：{written}" if written else "这是最后一课。"


def with_directory(lessons: list[Lesson], lesson: Lesson) -> bytes:
    """一课的笔记本，其中由目录决定的几处都改好了。只动文字格，执行过的输出照旧。"""
    nb = notebooks.load(lesson.path)
    around, tail = neighbours(lessons, lesson)
    time = f"阅读 {lesson.minutes} 分钟，练习 {lesson.practice_minutes} 分钟"
    head = nb.cells[0].source
    for key, value in (("预计用时", time), ("上一课 · 下一课", around)):
        head = re.sub(rf"^\| {key} \| .* \|$", lambda m, key=key, value=value: f"| {key} | {value} |", head, flags=re.M)
    nb.cells[0].source = head
    if lesson.is_reference:
        return notebooks.dump(nb)
    last = re.sub(r"\n+(?:下一课：.*|这是最后一课。)\s*$", "", nb.cells[-1].source)
    nb.cells[-1].source = f"{last.rstrip()}\n\n{tail}"
    for cell in nb.cells if lesson is lessons[0] else ():
        if re.search(r"^## .*课程地图", cell.source, re.MULTILINE):
            for other in lessons[1:]:
                row = rf"^\| \[?{other.number} [^|]*? \|"
                cell.source = re.sub(row, lambda m, other=other: f"| {other.label} |", cell.source, flags=re.MULTILINE)
    return notebooks.dump(nb)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="只比较")
    check = parser.parse_args(argv).check
    lessons = read_lessons()
    for lesson in lessons:
        if lesson.path:
            exact = reading_seconds(lesson.book) / 60
            print(f"{lesson.name}：阅读 {lesson.minutes} 分钟（{exact:.1f}），练习 {lesson.exercises} 题")
    wanted = {lesson.path: with_directory(lessons, lesson) for lesson in lessons if lesson.path}
    readme = with_address(with_learning_path(README.read_text(encoding="utf-8"), lessons), address())
    wanted |= {README: readme.encode(), NOTEBOOKS / "index.md": contents(lessons).encode()}
    outdated = [
        path
        for path, content in wanted.items()
        if not path.exists() or path.read_bytes().replace(b"\r\n", b"\n") != content
    ]
    for path in outdated:
        if check:
            print(f"{path.name} 与课程地图不一致；运行 python tools/course.py")
        else:
            path.write_bytes(wanted[path])
            print(f"已改好 {path.name}。")
    return 1 if check and outdated else 0


if __name__ == "__main__":
    sys.exit(main())
