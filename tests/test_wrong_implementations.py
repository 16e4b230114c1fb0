"""第一条承诺：错误的实现会让课文变红。

把 ``sinpe`` 里的函数换成错的，再逐课执行；每种错至少要有两课的验证格报错。错法取自 ``sinpe.mistakes`` 的目录，
另有几种目录里没有的：少看了一个参数、写错了一种约定、多舍入了一次。期望写在课文里，这里不写任何数。

一课执行到头一个报错的格，够两课就停，所以不慢；次序由 ``FIRST`` 定，先去讲这件事的课。
"""

import sys
from dataclasses import replace
from types import MappingProxyType

import matplotlib.pyplot as plt
import numpy as np
import pytest
from test_mutations import LESSONS, Lesson

import sinpe
from sinpe.mistakes import MISTAKES, commit

pytestmark = pytest.mark.dev
# 排在前面的，快而查得宽；别的课按课号接在后面
USUAL = ("00", "03", "13", "05", "02", "10")


def everywhere(patch, right, wrong):
    """哪个模块导入了 ``right``，就在哪个模块里换成 ``wrong``。"""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "sinpe":
            for attribute, value in list(vars(module).items()):
                if value is right:
                    patch.setattr(module, attribute, wrong)


def spoil(patch, change):
    """换掉算编码的两个函数；``change(正确的表, 位置, 维度, 底数)`` 给出错的表。参数的检查照旧。"""
    right, table = sinpe.encode_positions, sinpe.sinusoidal_positional_encoding

    def encode_positions(positions, d_model, *, base=10000.0, dtype=np.float32, out=None):
        result = right(positions, d_model, base=base, dtype=dtype, out=out)
        result[...] = change(result, np.asarray(positions, np.float64), d_model, base)
        return result

    def sinusoidal_positional_encoding(seq_len, d_model, *, base=10000.0, offset=0, dtype=np.float32, out=None):
        result = table(seq_len, d_model, base=base, offset=offset, dtype=dtype, out=out)
        result[...] = change(result, offset + np.arange(float(seq_len)), d_model, base)
        return result

    everywhere(patch, right, encode_positions)
    everywhere(patch, table, sinusoidal_positional_encoding)


def of_the_catalogue(code):
    def change(right, positions, d_model, base):
        wrong, same = (commit(m, positions.ravel(), d_model, base).reshape(right.shape) for m in (code, []))
        return np.where(wrong == same, right, wrong)  # 没有犯错的地方逐位不变，变红就只能因为犯了错

    return lambda patch: spoil(patch, change)


def without(name, argument):
    """那个函数不理这个参数，总用默认值。"""

    def apply(patch):
        right = getattr(sinpe, name)

        def careless(*args, **kwargs):
            kwargs.pop(argument, None)
            return right(*args, **kwargs)

        everywhere(patch, right, careless)

    return apply


def sockeye_interleaved(patch):
    right = sinpe.CONVENTIONS
    wrong = dict(right) | {"sockeye": replace(right["sockeye"], layout="interleaved")}
    everywhere(patch, right, MappingProxyType(wrong))


def rounded_twice(patch):
    right = sinpe.encode_positions

    def change(result, positions, d_model, base):
        wide = right(positions, d_model, base=base, dtype=np.float64)
        return wide.astype(np.float32) if result.dtype == np.float16 else wide

    spoil(patch, change)


WRONG = {code: of_the_catalogue(code) for code in MISTAKES} | {
    "add_positional_encoding 不理 offset": without("add_positional_encoding", "offset"),
    "add_positional_encoding 不理 base": without("add_positional_encoding", "base"),
    "shift_matrix 不理 base": without("shift_matrix", "base"),
    "grid_encoding 不理 order": without("grid_encoding", "order"),
    "sockeye 成了交错布局": sockeye_interleaved,
    "float16 舍入了两次": rounded_twice,
}
FIRST = {
    "rounded": ("05", "02"),
    "truncated": ("05", "02"),
    "floored": ("05", "02"),
    "position-float32": ("06",),
    "add_positional_encoding 不理 base": ("00", "01"),
    "shift_matrix 不理 base": ("05", "10"),
    "sockeye 成了交错布局": ("10", "13"),
    "grid_encoding 不理 order": ("10", "90"),
    "float16 舍入了两次": ("06", "13"),
}


def turns_red(path):
    """执行一课；验证格报错是 True，跑完了是 False，因为别的停下就说停在哪里。"""
    lesson = Lesson(path)
    try:
        for cell in lesson.cells:
            lesson.run(cell)
    except AssertionError:
        return True
    except Exception as error:
        return f"{path.stem[:2]} 停下了，但不是因为验证格：{type(error).__name__}: {error}"
    finally:
        plt.close("all")
    return False


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_implementation_turns_at_least_two_lessons_red(name, monkeypatch, capsys):
    monkeypatch.chdir(LESSONS[0].parent)
    monkeypatch.setattr(plt, "show", lambda *args, **kwargs: None)
    WRONG[name](monkeypatch)
    wanted = [*FIRST.get(name, ()), *USUAL]
    order = sorted(LESSONS, key=lambda path: [*wanted, path.stem[:2]].index(path.stem[:2]))
    red, odd = [], []
    for path in order:
        found = turns_red(path)
        (red if found is True else odd if found else []).append(path.stem[:2] if found is True else found)
        if len(red) == 2:
            return
    pytest.fail(f"{name}：{len(order)} 课里只有 {red} 报错。{'；'.join(odd)}")


def test_replaced_but_not_wrong_turns_nothing_red(monkeypatch, capsys):
    monkeypatch.chdir(LESSONS[0].parent)
    monkeypatch.setattr(plt, "show", lambda *args, **kwargs: None)
    of_the_catalogue([])(monkeypatch)
    assert [turns_red(path) for path in LESSONS if path.stem[:2] in ("00", "03", "13")] == [False] * 3
