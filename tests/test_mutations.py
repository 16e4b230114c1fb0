"""每个验证格都有一种讲得通的错，会让它变红。

``mutations/lesson_NN.py`` 里的 ``MUTATIONS`` 以验证格首行的话为键，值是两种之一：

- ``(旧, 新)``：把前面各格里的“旧”换成“新”，凡是用到的格重新执行；
- 一段 Python：紧接在验证格之前执行，可以改变量，也可以换掉 ``sinpe`` 里的函数，事后还原。

改过之后，验证格必须抛出 AssertionError。一课在这个进程里只从头执行一次，不画图。
"""

import ast
import copy
import importlib
import re
import sys
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest

import notebooks

pytestmark = pytest.mark.dev
FOLDER = Path(__file__).with_name("mutations")
LESSONS = [path for path in notebooks.find() if path.parent.name == "notebooks"]


def title(cell):
    return re.match(r"# (?:验证|核对)：(.*)", cell.source)[1].strip()


def names(cell):
    """一格用到的名字，和它赋值（含就地修改）的名字。"""
    used, set_ = set(), set()
    for node in cell.nodes:
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else set_).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            set_.add(node.name)
        elif isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            set_ |= {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    return used, set_


def frozen(space):
    """变量的一份副本：数组和容器各复制一份，函数和模块照旧。"""
    kept = {}
    for name, value in space.items():
        plain = isinstance(value, np.ndarray | list | dict | tuple | set)
        try:
            kept[name] = copy.deepcopy(value) if plain and not name.startswith("__") else value
        except Exception:  # 有些对象（例如画布）复制不了，课文也不会拿它来核对
            kept[name] = value
    return kept


class Lesson:
    """在这个进程里执行的一课。"""

    def __init__(self, path):
        self.cells = notebooks.Book(notebooks.load(path), path).code
        self.space = {"__name__": "__main__", "display": lambda *things, **how: None}

    def run(self, cell, source=None):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # 有意犯的错可以有警告
            exec(compile(source or cell.source, "<cell>", "exec"), self.space)
        plt.close("all")

    def keep(self):
        modules = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "sinpe"}
        return frozen(self.space), [(module, dict(vars(module))) for module in modules.values()]

    def restore(self, kept):
        space, modules = kept
        self.space.clear()
        self.space.update(space)
        for module, values in modules:
            vars(module).clear()
            vars(module).update(values)

    def mutate(self, mutation, before):
        if isinstance(mutation, str):
            self.run(None, mutation)
            return
        old, new = mutation
        assert any(old in cell.source for cell in before), f"前面没有哪一格写着 {old!r}"
        dirty = set()
        for cell in before:
            used, set_ = names(cell)
            if old in cell.source or (dirty & used and not cell.verifies):
                dirty |= set_
                try:
                    self.run(cell, cell.source.replace(old, new))
                except AssertionError:
                    if not cell.verifies:
                        raise


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem[:2])
def test_every_checking_cell_is_turned_red_by_a_plausible_mistake(path, monkeypatch, capsys):
    monkeypatch.chdir(path.parent)
    monkeypatch.setattr(plt, "show", lambda *args, **kwargs: None)
    try:
        mutations = importlib.import_module(f"mutations.lesson_{path.stem[:2]}").MUTATIONS
    except ModuleNotFoundError:
        mutations = {}
    lesson, unseen, green = Lesson(path), dict(mutations), []
    for place, cell in enumerate(lesson.cells):
        if cell.verifies and title(cell) in mutations:
            kept = lesson.keep()
            try:
                lesson.mutate(unseen.pop(title(cell)), lesson.cells[:place])
                lesson.run(cell)
                green.append(title(cell))
            except AssertionError:
                pass
            finally:
                lesson.restore(kept)
        elif cell.verifies:
            green.append(f"{title(cell)}（没有登记）")
        lesson.run(cell)
    assert not unseen, f"课里没有这些验证格：{list(unseen)}"
    assert not green, "这些验证格没有变红：\n" + "\n".join(green)


# ------------------------------------------------------------------ 这套办法自己


def made_up(*sources):
    lesson = Lesson.__new__(Lesson)
    lesson.space = {"__name__": "__main__"}
    lesson.cells = [notebooks.Cell(None, nbformat.v4.new_code_cell(source), 0) for source in sources]
    return lesson


def test_what_depends_on_the_changed_cell_is_executed_again_and_put_back():
    lesson = made_up("a = [1]\nb = 5", "a[0] += 1", "c = a[0] + b", "other = 1 / 1")
    for cell in lesson.cells:
        lesson.run(cell)
    kept = lesson.keep()
    lesson.mutate(("b = 5", "b = 7"), lesson.cells)
    assert lesson.space["c"] == 9
    lesson.restore(kept)
    assert (lesson.space["a"], lesson.space["c"]) == ([2], 7)


def test_a_patched_library_is_put_back():
    import sinpe

    lesson, right = made_up("import sinpe"), sinpe.wavelengths
    lesson.run(lesson.cells[0])
    kept = lesson.keep()
    lesson.mutate("sinpe.wavelengths = None", lesson.cells)
    assert sinpe.wavelengths is None
    lesson.restore(kept)
    assert sinpe.wavelengths is right


def test_a_replacement_that_is_not_there_is_an_error():
    lesson = made_up("a = 1")
    with pytest.raises(AssertionError, match="前面没有哪一格"):
        lesson.mutate(("b", "c"), lesson.cells)
