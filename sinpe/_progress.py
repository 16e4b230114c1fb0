"""``python -m sinpe progress``：由存下的笔记本看练习做到哪里。给自己看是一张清单，给老师看是一个班的表。

平常只读文件，不运行任何代码：检查器的输出里有给机器读的一份（``sinpe.exercises`` 的 MIME）。它可能被改过，所以还要与
同一份输出里的文字、同一格里的答案对得上。``--run`` 才运行：一本笔记本一个内核，检查的是这里的检查器，不是学生那一份。
"""

from __future__ import annotations

import ast
import collections
import csv
import json
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
import time
import unicodedata
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .exercises import _card, _check, _guess, _seeds
from .exercises._declare import CODING, GUESSES

LIMIT = 20_000_000  # 字节；做完了的一本不到 1 MB，大得多的多半是打印了整个数组
PASSED, WRONG, BLANK, UNRUN, LOST, EDITED = "通过", "还不对", "尚未作答", "没有运行", "缺格", "不可信"
_ASKS = {"layouts": ("to_halves", "to_interleaved")}  # 一行查两个函数的检查


@dataclass(frozen=True)
class Item:
    """一件要查的事：一个函数，或者一道先猜的题。"""

    number: str
    name: str = ""

    @property
    def lesson(self) -> int:
        return int(self.number.split("-")[0])

    @property
    def declared(self) -> Any:
        return next(d for d in [*CODING, *GUESSES] if (d.number, getattr(d, "name", "")) == (self.number, self.name))


@dataclass
class Result:
    """一件事的结果：状态，错的代号，要说的话。"""

    state: str
    code: str = ""
    said: str = ""
    seed: str | None = None


@dataclass
class Copy:
    """一本笔记本：谁的，第几课，各件事的结果，和不该悄悄放过的事。"""

    student: str
    path: Path
    lesson: int | None = None
    results: dict[Item, Result] = field(default_factory=dict)
    troubles: list[str] = field(default_factory=list)

    def exercises(self) -> dict[str, Result]:
        """一道题一个结果：几个函数都通过才算通过，有一个不对就是不对。"""
        order = [EDITED, WRONG, LOST, UNRUN, BLANK, PASSED]
        found: dict[str, Result] = {}
        for item, result in self.results.items():
            old = found.get(item.number)
            if old is None or order.index(result.state) < order.index(old.state):
                found[item.number] = result
        return found

    @property
    def passed(self) -> int:
        return sum(r.state == PASSED for r in self.exercises().values())


def _key(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split("-")))


ITEMS = sorted(
    [Item(e.number, e.name) for e in CODING] + [Item(g.number) for g in GUESSES], key=lambda i: _key(i.number)
)


# ------------------------------------------------------------------ 读一本


def read(path: Path, student: str = "", seed: str | None = None) -> Copy:
    """读一本存下的笔记本，不运行。读不了也不报错，写在 ``troubles`` 里。"""
    copy = Copy(student, path)
    cells = _load(copy)
    if cells is not None:
        _take(copy, cells, seed)
    return copy


def _load(copy: Copy) -> list[dict[str, Any]] | None:
    """各格；读不了就在 troubles 里说，返回 None。"""
    try:
        found = copy.path.stat()
        if not stat.S_ISREG(found.st_mode):  # 管道一类的，一读就停在那里
            copy.troubles.append("文件夹里没有笔记本" if copy.path.is_dir() else "不是普通的文件，没有读")
            return None
        size = found.st_size
        if size > LIMIT:
            copy.troubles.append(f"有 {size / 1e6:.0f} MB，超过 {LIMIT / 1e6:.0f} MB，没有读；清掉输出再交")
            return None
        cells = json.loads(copy.path.read_text(encoding="utf-8-sig"))["cells"]
        good = isinstance(cells, list) and all(isinstance(c, dict) and "cell_type" in c for c in cells)
    except OSError:
        copy.troubles.append("文件打不开；请看看它的权限，或者请学生重新交")
        return None
    except (ValueError, KeyError, TypeError, RecursionError):
        good = False
    if not good:
        copy.troubles.append("文件损坏，读不进来；请学生重新交")
        return None
    for cell in cells:
        cell["source"] = _text(cell.get("source"))
        if not isinstance(cell.get("outputs", []), list):
            cell["outputs"] = []
    return cells


def _text(lines: Any) -> str:
    """笔记本里的文字是一个字符串，或者一行一行的一列。"""
    return "".join(map(str, lines)) if isinstance(lines, list) else str(lines or "")


def asked(source: str) -> list[Item]:
    """一格里查的是哪几件事；写在注释里的不算。"""
    source = "\n".join(line for line in source.splitlines() if not line.lstrip().startswith("#"))
    names = [n for found in re.findall(r"\bcheck_(\w+)\s*\(", source) for n in _ASKS.get(found, (found,))]
    numbers = re.findall(r"\bguess\s*\(\s*[\"'](\d+-\d+)[\"']", source)
    return [item for item in ITEMS if (item.name and item.name in names) or (not item.name and item.number in numbers)]


def _lesson(copy: Copy, cells: list[dict[str, Any]]) -> int | None:
    """第几课：各格查的是哪一课的题，多数说了算；一道题也没有，就看文件名。"""
    votes = [item.lesson for cell in cells if cell["cell_type"] == "code" for item in asked(cell["source"])]
    if votes:
        return collections.Counter(votes).most_common(1)[0][0]
    named = re.search(r"(?:^|\D)(\d\d)_", copy.path.name)
    return int(named[1]) if named and any(i.lesson == int(named[1]) for i in ITEMS) else None


def _take(copy: Copy, cells: list[dict[str, Any]], seed: str | None) -> None:
    copy.lesson = _lesson(copy, cells)
    if copy.lesson is None:
        copy.troubles.append("没有练习，认不出是哪一课")
        return
    mine = [item for item in ITEMS if item.lesson == copy.lesson]
    places: dict[Item, dict[str, Any]] = {}
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        here = asked(cell["source"])
        places |= dict.fromkeys(here, cell)
        for output in cell.get("outputs", []):
            data = output.get("data") if isinstance(output, dict) else None
            found = data.get(_card.MIME) if isinstance(data, dict) else None
            if found is None:
                continue
            item = _item(found)
            if item is None or item not in here:
                copy.troubles.append("有一份检查器的输出不在它的格子里，没有算")
                continue
            copy.results[item] = _believe(item, found, data, cell, seed)
    for item in mine:
        if item in copy.results:
            continue
        cell = places.get(item)
        if cell is None:
            copy.results[item] = Result(LOST, said="检查的那一格不见了")
            continue
        errors = [o for o in cell.get("outputs", []) if isinstance(o, dict) and o.get("output_type") == "error"]
        if errors:
            copy.results[item] = _failed(item, errors[-1])
        elif _answer(item, cell["source"]) is _NOTHING:
            copy.results[item] = Result(BLANK)
        else:
            copy.results[item] = Result(UNRUN, said="这一格没有运行，或者没有存下输出")
    copy.results = {item: copy.results[item] for item in mine}
    copy.troubles = list(dict.fromkeys(copy.troubles))
    lost = sorted({i.number for i, r in copy.results.items() if r.state == LOST}, key=_key)
    if lost:
        copy.troubles.append(f"缺了练习 {'、'.join(lost)} 的格子")
    edited = sorted({i.number for i, r in copy.results.items() if r.state == EDITED}, key=_key)
    if edited:
        said = dict.fromkeys(r.said for r in copy.results.values() if r.state == EDITED)
        copy.troubles.append(f"练习 {'、'.join(edited)} 的输出不可信：{'；'.join(said)}")


def _failed(item: Item, error: dict[str, Any]) -> Result:
    """报错的一格。严格模式里（nbgrader 要它），检查器的话在报错里。"""
    name, said = str(error.get("ename", "")), str(error.get("evalue", ""))
    if name == "AssertionError" and said.startswith(f"练习 {item.number}："):
        return Result(BLANK) if said.endswith("尚未作答。") else Result(WRONG, "error", _diagnosis(said))
    return Result(WRONG, "error", f"这一格报错：{name:.60}")


def _item(found: Any) -> Item | None:
    if not isinstance(found, dict) or found.get("version") != _card.VERSION:
        return None
    return next((i for i in ITEMS if i.number == found.get("exercise") and i.name == found.get("name")), None)


def _believe(
    item: Item, found: dict[str, Any], bundle: dict[str, Any], cell: dict[str, Any], seed: str | None
) -> Result:
    """检查器的一份输出算什么：与旁边的文字、格里的答案对不上的，不可信。"""
    verdict, code, given = found.get("verdict"), found.get("mistake"), found.get("seed")
    text, body = (_text(bundle.get(kind)) for kind in ("text/plain", "text/html"))
    wanted = seed if _seeds.variant(item.number, seed) else None
    strings = isinstance(verdict, str) and isinstance(code, str | None) and isinstance(given, str | None)
    if not strings or verdict not in _card.MARKS:
        return Result(EDITED, said="判定不是检查器会写的")
    if given != wanted and seed is not None:
        said = "没有种子，做的是课文里的题" if given is None else f"种子是 {given!r}"
        return Result(EDITED, said=f"{said}，不是这个班的 {seed!r}", seed=given)
    with _seeds.given(item.declared, given) as declared:
        said = _diagnosis(text)
        if not _consistent(declared, item, verdict, text) or _card.MARKS[verdict] not in body:
            return Result(EDITED, said="给机器读的判定与旁边的文字不同", seed=given)
        if cell.get("execution_count") is None:
            return Result(EDITED, said="没有运行过的格子里有输出", seed=given)
        answer = _answer(item, cell["source"])
        if answer is _NOTHING and verdict != "blank":
            return Result(EDITED, said="函数还是空的，输出却不是“尚未作答”", seed=given)
        if not item.name and answer is not _UNKNOWN:
            if verdict == "blank" and answer is not _NOTHING:
                return Result(UNRUN, said="写了答案，还没有运行")
            again = _guess._judge(declared, ... if answer is _NOTHING else answer)
            if again[:2] != (verdict, code):
                return Result(EDITED, said="格里的答案与输出对不上：改了答案没有再运行，或者改了输出", seed=given)
            said = again[2] if verdict == "wrong" else ""
    return Result({"passed": PASSED, "wrong": WRONG, "blank": BLANK}[verdict], code or "", said, given)


def _consistent(declared: Any, item: Item, verdict: str, text: str) -> bool:
    """文字是不是这个判定会说的。"""
    if not item.name:
        said = {"passed": f"猜对了。{declared.reply}", "wrong": "还不对。", "blank": "尚未作答。"}[verdict]
        return text.startswith(f"练习 {item.number}：{said}")
    if verdict == "passed":
        praise = _check.plain(_check.Verdict(declared, "passed"))
        return text == praise or text.startswith(praise + "\n")
    if verdict == "blank":
        return text == f"{declared.title}：尚未作答。"
    return text.startswith(f"{declared.title}：") and not re.match(r"[^：]*：(通过|尚未作答)", text)


def _diagnosis(text: str) -> str:
    found = re.search(r"^(?:像是这种错|没有认出是哪种错，只看得出)：(.+?)。?$", text, re.MULTILINE)
    if found:
        return found[1][:120]
    found = re.match(r"[^：]*：(?:还不对。)?(.+)", text)
    return found[1][:120] if found else ""


_NOTHING, _UNKNOWN = object(), object()


def _answer(item: Item, source: str) -> Any:
    """格里写的答案：空的是 _NOTHING，看不出的是 _UNKNOWN。先猜的题若直接写着值，就是那个值。"""
    tree = _parse(source)
    if not tree.body:
        return _UNKNOWN
    if item.name:
        mine = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == item.name]
        blank = mine and all(len(n.body) == 1 and ast.unparse(n.body[0]) == "return ..." for n in mine)
        others = [
            n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == item.name and isinstance(n.ctx, ast.Store)
        ]
        return _NOTHING if blank and not others else _UNKNOWN
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and len(node.args) > 1 and ast.unparse(node.func).endswith("guess"):
            if isinstance(node.args[0], ast.Constant) and node.args[0].value == item.number:
                try:
                    value = ast.literal_eval(node.args[1])
                except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                    return _UNKNOWN
                return _NOTHING if value is ... else value
    return _UNKNOWN


# ------------------------------------------------------------------ 运行一本


def execute(path: Path, student: str = "", seed: str | None = None, seconds: float = 300.0) -> Copy:
    """在一个新的内核里运行一本，用这里的检查器查。不改学生的文件。"""
    saved = read(path, student, seed)
    copy = Copy(student, path, saved.lesson)
    cells = _load(copy)
    if cells is None or saved.lesson is None:
        copy.troubles = saved.troubles
        return copy
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    class Client(NotebookClient):
        """输出没有尽头的，当即结束它的内核：不然几分钟就占满这台机器的内存。"""

        received = 0

        def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
            self.received += len(str(msg["content"]))
            if self.received > LIMIT:
                self.km.provisioner.process.kill()
                return None
            return super().process_message(msg, cell, cell_index)

    kept = f"_{secrets.token_hex(8)}"  # 学生的代码猜不到的名字：改了 exercises.check_… 也没有用
    first = f"from sinpe import exercises as {kept}\n{kept} = {{n: getattr({kept}, n) for n in {kept}.__all__}}"
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(first)])
    graded: list[tuple[Item, Any]] = []
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        items = [item for item in asked(cell["source"]) if item.lesson == saved.lesson]
        book.cells.append(nbformat.v4.new_code_cell(_without_checks(cell["source"]) if items else cell["source"]))
        for item in items:
            book.cells.append(nbformat.v4.new_code_cell(_asking(item, cell["source"], kept, seed)))
            graded.append((item, book.cells[-1]))
    deadline, stopped = time.monotonic() + seconds, ""
    with tempfile.TemporaryDirectory(prefix="sinpe-progress-", ignore_cleanup_errors=True) as folder:
        client = Client(
            book,
            kernel_name="python3",
            allow_errors=True,
            record_timing=False,
            resources={"metadata": {"path": str(_workplace(Path(folder)))}},
        )
        try:
            with client.setup_kernel(stderr=-3):  # -3 是 subprocess.DEVNULL：内核启动时的提示与学生无关
                for index, cell in enumerate(book.cells):
                    client.timeout = max(1, round(deadline - time.monotonic()))
                    client.execute_cell(cell, index)
        except CellTimeoutError:
            stopped = f"超过 {seconds:.0f} 秒没有跑完，停在第 {index} 个代码格"
        except DeadKernelError:
            stopped = "内核崩溃了"
        except Exception as error:  # 一本跑不了，不该连累别人
            stopped = f"跑不起来（{type(error).__name__}）"
    if client.received > LIMIT:
        stopped = f"运行的输出超过 {LIMIT / 1e6:.0f} MB，停在第 {index} 个代码格"
    if stopped:
        copy.troubles.append(stopped)
    for item, cell in graded:
        found = [o["data"] for o in cell.outputs if _card.MIME in o.get("data", {})]
        errors = [o for o in cell.outputs if o.output_type == "error"]
        if found and _item(found[-1][_card.MIME]) == item:
            data = found[-1][_card.MIME]
            state = {"passed": PASSED, "wrong": WRONG, "blank": BLANK}[data["verdict"]]
            said = _diagnosis(found[-1]["text/plain"]) if state == WRONG else ""
            copy.results[item] = Result(state, data["mistake"] or "", said, data.get("seed"))
        elif errors:
            missing = errors[-1].ename == "NameError"
            copy.results[item] = Result(WRONG, "error", "没有定义") if missing else _failed(item, errors[-1])
        else:
            copy.results[item] = Result(UNRUN, said="没有轮到它运行")
    for item in (item for item in ITEMS if item.lesson == saved.lesson):
        copy.results.setdefault(item, Result(LOST, said="检查的那一格不见了"))
    copy.results = {item: copy.results[item] for item in ITEMS if item in copy.results}
    copy.troubles += [t for t in saved.troubles if t.startswith("缺了")]
    bad = [i.number for i, r in saved.results.items() if r.state == PASSED and copy.results[i].state == WRONG]
    if bad:
        copy.troubles.append(f"练习 {'、'.join(dict.fromkeys(bad))} 存下的是“通过”，运行的结果不是")
    return copy


def _asking(item: Item, source: str, kept: str, seed: str | None) -> str:
    given = f", seed={seed!r}" if seed is not None and _seeds.variant(item.number, seed) else ""
    calm = f"{kept}['strict'](False)\n"  # 学生若打开了严格模式，检查会报错而不显示
    if item.name:
        return f"{calm}{kept}['check_{item.name}']({item.name}{given})"
    for node in ast.walk(_parse(source)):
        if isinstance(node, ast.Call) and len(node.args) > 1 and ast.unparse(node.func).endswith("guess"):
            if isinstance(node.args[0], ast.Constant) and node.args[0].value == item.number:
                return f"{calm}{kept}['guess']({item.number!r}, {ast.unparse(node.args[1])}{given})"
    return f"{calm}{kept}['guess']({item.number!r}, ...{given})"


def _parse(source: str) -> ast.Module:
    """读成语法树；读不懂的当作一句也没有。"""
    try:
        with warnings.catch_warnings(action="ignore"):  # 学生的代码里写了 "\d" 之类，与老师无关
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _without_checks(source: str) -> str:
    """去掉学生那一份里检查的几行；不是纯 Python 的格子照原样运行，让它报错。"""
    tree = _parse(source)
    tree.body = [node for node in tree.body if not (isinstance(node, ast.Expr) and asked(ast.unparse(node)))]
    return ast.unparse(tree) if tree.body else source


def _workplace(folder: Path) -> Path:
    """运行时的当前文件夹：临时的，旁边放好课里要读的计时结果，所以学生的代码改不到课程。"""
    here = folder / "notebooks"
    here.mkdir()
    data = Path(__file__).resolve().parents[1] / "benchmarks"
    if data.is_dir():
        (folder / "benchmarks").mkdir()
        for path in data.glob("*.json"):
            shutil.copyfile(path, folder / "benchmarks" / path.name)
    return here


# ------------------------------------------------------------------ 找文件，谁的


_COURSE = r"\d\d_[a-z_]+(?:[ _-]*(?:\(\d+\)|Copy\d*|副本\d*))*$"  # 课程的文件名，连同下载、复制时添的尾巴
_OURS = {"solutions", "__MACOSX"}


def find(paths: Iterable[Path]) -> list[tuple[str, Path]]:
    """（学生，文件）；文件夹里的子文件夹是一个学生一个，直接放着的文件按文件名分。

    解答、自动存档、藏起来的文件不算。一个班里没有交笔记本的文件夹也列出来。
    """
    found: list[tuple[str, Path]] = []
    for given in paths:
        if not given.is_dir():
            found.append((_owner(given), given))
            continue
        here = []
        for path in sorted(given.rglob("*.ipynb")):
            parts = path.relative_to(given).parts
            if not any(part.startswith(".") or part in _OURS for part in parts) and not os.path.isdir(path):
                here.append((parts[0] if len(parts) > 1 else _owner(path), path))
        handed = {path.relative_to(given).parts[0] for _, path in here}
        folders = [p for p in given.iterdir() if p.name[0] not in "._" and p.name not in _OURS and p.is_dir()]
        if sum(p.name in handed for p in folders) > 1:
            here += [(p.name, p) for p in folders if p.name not in handed]
        found += here
    if len({path.parent for student, path in found if not student}) > 1:  # 例如 */00_quickstart.ipynb
        found = [(student or path.resolve().parent.name, path) for student, path in found]
    return found


def _owner(path: Path) -> str:
    """文件名里课号以外的部分是学生的名字；课程原来的文件名（00_quickstart）就是自己的。"""
    if re.match(_COURSE, path.stem):
        return ""
    return re.sub(r"[_\- ]*" + _COURSE, "", path.stem) or path.stem


# ------------------------------------------------------------------ 印出来


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _pad(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _printable(text: str) -> str:
    """换行、控制字符、不是文字的字节写成转义：名字和诊断是别人写的，不能让它搅乱表格和终端。"""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _say(state: Result) -> str:
    return f"{state.state}：{state.said}" if state.said and state.state in (WRONG, EDITED) else state.state


def _own(copies: list[Copy]) -> list[str]:
    """给自己看的：一课一段，最后说接下来做什么。"""
    lines, following = [], ""
    for copy in copies:
        if copy.lesson is None:
            lines.append(f"{copy.path.name}：{'；'.join(copy.troubles)}")
            continue
        states = copy.exercises()
        lines.append(f"第 {copy.lesson:02} 课  通过 {copy.passed}/{len(states)}")
        lines += [f"  练习 {number}  {_say(result)}" for number, result in states.items()]
        lines += [f"  注意：{trouble}" for trouble in copy.troubles]
        left = next((number for number, result in states.items() if result.state != PASSED), "")
        if left and not following:
            following = f'接下来：练习 {left}（{copy.path.name}）；卡住了就运行 exercises.hint("{left}")。'
    if not following and any(copy.lesson is not None for copy in copies):
        following = "接下来：这些课的练习都通过了，读下一课。"
    return [*lines, "", following] if following else lines


def _class(copies: list[Copy]) -> list[str]:
    """给老师看的：一个学生一行，一课一列。"""
    lessons = sorted({c.lesson for c in copies if c.lesson is not None})
    students = list(dict.fromkeys(c.student for c in copies))
    rows = [["学生", *(f"{n:02} 课" for n in lessons), "合计"]]
    for student in students:
        mine = [c for c in copies if c.student == student]
        row = []
        for lesson in lessons:
            one = next((c for c in mine if c.lesson == lesson), None)
            row.append(f"{one.passed}/{len(one.exercises())}{'!' if one.troubles else ''}" if one else "—")
        broken = "!" if any(c.lesson is None for c in mine) else ""
        rows.append([student or "（没有名字）", *row, f"{sum(c.passed for c in mine)}{broken}"])
    widths = [max(_width(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ["  ".join(_pad(text, width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    troubles = [f"  {c.student or c.path.name}（{c.path.name}）：{t}" for c in copies for t in c.troubles]
    if troubles:
        lines += ["", "要看一眼的（表里带 ! 的）：", *troubles]
    counted = collections.Counter(
        (number, r.said) for c in copies for number, r in c.exercises().items() if r.state == WRONG
    )
    if counted:
        lines += ["", "班上最常见的错："]
        common = sorted(counted.items(), key=lambda pair: (-pair[1], _key(pair[0][0]), pair[0][1]))
        lines += [f"  {count} 人  练习 {number}：{said}" for (number, said), count in common[:10]]
    return lines


_COLUMNS = ["学生", "课", "练习", "判定", "错的代号", "诊断", "种子", "文件", "注意"]


def save(copies: list[Copy], path: Path) -> None:
    """一道题一行，写成表格软件认得的 CSV；先写在旁边再换名，中断不会留下半张。"""
    draft = path.with_name(path.name + ".tmp")
    with draft.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        for copy in copies:
            lesson = "" if copy.lesson is None else f"{copy.lesson:02}"
            notes = "；".join(copy.troubles)
            for number, r in copy.exercises().items() or [("", Result(""))]:
                said = r.said if r.state != PASSED else ""
                row = [copy.student, lesson, number, r.state, r.code, said, r.seed or "", copy.path.name, notes]
                writer.writerow(map(_safe, row))
    os.replace(draft, path)


def _safe(text: str) -> str:
    """以 = + - @ 开头的字，表格软件会当公式算；编号写成 3-1，会被当成日期。"""
    if re.fullmatch(r"\d+-\d+", text):
        return f"练习 {text}"
    text = _printable(text)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


# ------------------------------------------------------------------ 命令


def progress(paths: list[str], output: str | None, seed: str | None, run: bool, seconds: float) -> None:
    """命令本身：看，印，写。"""
    paths = paths or ["."]
    if missing := [p for p in paths if not p or not os.path.exists(p)]:
        raise ValueError(f"要看的文件或文件夹必须存在，收到 {missing[0]!r}；请检查路径。")
    given = [Path(p) for p in paths]
    if output is not None and not output.endswith(".csv"):
        raise ValueError(f"--output 必须以 .csv 结尾，收到 {output!r}；例如 成绩.csv。")
    if output is not None and (os.path.isdir(output) or not Path(output).resolve().parent.is_dir()):
        raise ValueError(f"--output 必须是一个文件，放在已有的文件夹里，收到 {output!r}；请换一个位置。")
    if not (isinstance(seconds, int | float) and 0 < seconds < 1e6):
        raise ValueError(f"--seconds 必须是大于 0 的秒数，收到 {seconds!r}；例如 300。")
    found = find(given)
    if not found:
        raise ValueError(f"要看的地方必须有 .ipynb 文件，{'、'.join(map(str, given))} 里没有；请换一个文件夹。")
    if run:
        if missing := [name for name in ("nbclient", "nbformat", "ipykernel") if find_spec(name) is None]:
            raise ValueError(f"--run 要有 {'、'.join(missing)}，这个环境里没有；请先 pip install nbclient ipykernel。")
        print(
            f"注意：--run 在这台机器上、以你的身份运行 {len(found)} 本笔记本里的代码，里面可能有任何东西；"
            "不信任的，请放到容器或单独的账号里运行。按 Ctrl+C 停下。",
            file=sys.stderr,
        )
    copies = []
    for student, path in _bar(found):
        try:
            copies.append(execute(path, student, seed, seconds) if run else read(path, student, seed))
        except Exception as error:  # 别人写的文件，什么样的都有；一本读不懂，不该连累别人
            trouble = f"里面的内容读不懂（{type(error).__name__}），没有算"
            copies.append(Copy(student, path, troubles=[trouble]))
    copies = _one_per_lesson(copies)
    lines = _own(copies) if len({c.student for c in copies}) == 1 else _class(copies)
    print("\n".join(map(_printable, lines)))
    if output is not None:
        try:
            save(copies, Path(output))
        except OSError as error:
            said = f"--output 必须是能写的文件，收到 {output!r}（{error.strerror}）；请换一个位置。"
            raise ValueError(said) from None
        print(f"\n已写入 {output}。")


def _one_per_lesson(copies: list[Copy]) -> list[Copy]:
    """同一课交了几份的，取通过最多的一份，并说一声。"""
    kept: dict[tuple[str, Any], Copy] = {}
    for copy in copies:
        key = (copy.student, copy.lesson if copy.lesson is not None else copy.path)
        if key not in kept:
            kept[key] = copy
            continue
        best = max(kept[key], copy, key=lambda c: c.passed)
        if not any(t.startswith("这一课有几份") for t in best.troubles):
            best.troubles.append(f"这一课有几份，算的是通过最多的 {best.path.name}")
        kept[key] = best
    return sorted(kept.values(), key=lambda c: (c.student, c.lesson is None, c.lesson or 0, str(c.path)))


def _bar(found: list[Any]) -> Iterable[Any]:
    """进度条；没有 tqdm，或者输出不是终端，就没有。"""
    try:
        from tqdm import tqdm
    except ImportError:
        return found
    return tqdm(found, desc="笔记本", unit="本", disable=None, leave=False)
