"""第 03 课的检查器。"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ._check import _check
from ._expected import _row, _table
from ._mistakes import _diagnose_by, _search
from ._trial import _Diagnosis, _dice, _Exercise, _Seen, _Trial


def _tables() -> list[_Trial]:
    sizes = [(5, 8), (1, 2), (2, 4), (3, 2), (4, 8), (8, 8), (7, 6), (2, 512), (50, 64), (4100, 6)]
    sizes += [(_dice.randint(9, 60), 2 * _dice.randint(3, 30))]  # 每次换一种，背不下来
    trials = [_table(range(n), d, 10000.0, np.float32, (n, d)) for n, d in sizes]
    for n, d in [(5, 8), (300, 6)]:
        trials.append(_table(range(n), d, 10000.0, np.float64, (n, d), kwargs={"dtype": np.float64}))
    trials.append(_table(range(4100), 4, 10000.0, np.float16, (4100, 4, np.float16)))
    return trials + [_Trial((5, d), refuses=str(d)) for d in (7, 1, 0, -4)]


_ENCODE_TABLE = _Exercise(
    "3-2",
    ("encode_table",),
    _tables,
    _search,
    "核对了 14 张表，从 (1, 2) 到 (4100, 6)、(2, 512)，三种 dtype 都有；还核对了 7、1、0、-4 四个维度都被拒绝。",
    "dtype 只管结果怎样存放；角度始终在 float64 里，所以位置 4099 也只舍入一次。",
)


def check_encode_table(answer: Callable[..., Any]) -> None:
    """检查练习 3-2：``encode_table(seq_len, d_model, dtype=np.float32)`` 返回编码表，拒绝不是正偶数的 ``d_model``。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_encode_table(...)  # 还没有写
    练习 3-2：尚未作答。
    """
    _check(_ENCODE_TABLE, answer)


def _anywhere() -> list[_Trial]:
    trials = []
    for positions, d in [
        (np.arange(4), 8),
        (np.array(1), 4),
        (np.array([3]), 2),
        (np.array([0, 5, 2], np.int32), 6),
        (np.array([[0, 1, 2], [7, 8, 9]]), 8),
        (np.array([[[0.5], [-1.0]], [[2.25], [300.0]]]), 4),
        (np.array([-2, -1, 0, 1, 5]), 6),
        (np.array([2047, 2048, 2049, 2050, 4095, 32766, 32767]), 8),
        (np.array([3, 1, 4, 1], np.uint8), 8),
        (np.array([[10.75, 20.25]], np.float32), 64),
        (np.array([300.1, 0.3, -70000.5, 16777217.0]), 6),
        (np.arange(6).reshape(2, 3).T, 4),
        (np.array([_dice.randint(-999, 999) for _ in range(5)]), 2 * _dice.randint(3, 30)),
    ]:
        trials.append(_table(positions.ravel().tolist(), d, 10000.0, np.float32, (positions, d), (*positions.shape, d)))
    return trials


_ENCODE_AT = _Exercise(
    "3-3",
    ("encode_at",),
    _anywhere,
    _search,
    "核对了 13 组位置：零维到三维的数组，整数、小数、负数，最远到 16777217。",
    "[..., None] 在最右边添一个轴，前面有几个轴都不用管。",
)


def check_encode_at(answer: Callable[..., Any]) -> None:
    """检查练习 3-3：``encode_at(positions, d_model)`` 返回任意形状的位置的编码，float32。

    Parameters
    ----------
    answer : callable
        你写的函数本身，后面不加括号。

    Examples
    --------
    >>> check_encode_at(...)  # 还没有写
    练习 3-3：尚未作答。
    """
    _check(_ENCODE_AT, answer)


def _tables_to_convert() -> list[_Trial]:
    trials = []
    random_ = np.random.default_rng(1)
    for n, d in [(2, 6), (1, 2), (1, 4), (3, 8), (8, 8), (2, 512), (3, 8), (5, 2 * _dice.randint(5, 20))]:
        for dtype in (np.float32, np.float64):
            table = random_.normal(size=(n, d)).astype(dtype)  # 每个数都不同，放错哪一个都看得出
            if (n, d) == (2, 6):
                table = np.arange(12, dtype=dtype).reshape(2, 6) + dtype(0.5)
            halves = np.empty((n, d), dtype)
            for k, j in itertools.product(range(n), range(d)):
                halves[k, j // 2 + (j % 2) * (d // 2)] = table[k, j]
            golden = [[0.5, 2.5, 4.5, 1.5, 3.5, 5.5], [6.5, 8.5, 10.5, 7.5, 9.5, 11.5]]
            trials.append(_Trial((table,), np.array(golden) if (n, d) == (2, 6) else halves, dtype=dtype))
            trials.append(_Trial((halves,), table, dtype=dtype, which=1))
    return sorted(trials, key=lambda trial: trial.which)


def _moved(change: Callable[[Any, int, int], Any]) -> Callable[..., Any]:
    return lambda table: change(table, *table.shape)


_ORDERS: list[tuple[str, str, Callable[[Any, int, int], Any]]] = [
    ("原样返回了，列没有动", "第 0、1 列各该到哪里去？", lambda t, n, d: t),
    (
        "取成了另一个方向的转换",
        "两种转换互为反函数，4 列时恰好相同，6 列时就不同了。",
        lambda t, n, d: t[:, [*range(0, d, 2), *range(1, d, 2)]],
    ),
    (
        "取成了另一个方向的转换",
        "两种转换互为反函数，4 列时恰好相同，6 列时就不同了。",
        lambda t, n, d: t[:, [j // 2 + (j % 2) * (d // 2) for j in range(d)]],
    ),
    (
        "余弦放到了正弦前面",
        "先全部正弦，再全部余弦；一对里也是正弦在前。",
        lambda t, n, d: t[:, [*range(1, d, 2), *range(0, d, 2)]],
    ),
    (
        "余弦放到了正弦前面",
        "先全部正弦，再全部余弦；一对里也是正弦在前。",
        lambda t, n, d: t[:, [j // 2 + (1 - j % 2) * (d // 2) for j in range(d)]],
    ),
    ("只对调了一对里的两列", "看看整行，不只看一对。", lambda t, n, d: t[:, [j ^ 1 for j in range(d)]]),
    ("只对调了左右两半", "看看一半里面的次序。", lambda t, n, d: t[:, [(j + d // 2) % d for j in range(d)]]),
    ("列的次序整个反了", "第 0 列放的应是第一个正弦。", lambda t, n, d: t[:, ::-1]),
    (
        "行之间串了：reshape 跨过了行",
        "reshape 时把 n 行单独留一个轴，只拆开列。",
        lambda t, n, d: t.reshape(2, -1).T.reshape(n, d),
    ),
    (
        "行之间串了：reshape 跨过了行",
        "reshape 时把 n 行单独留一个轴，只拆开列。",
        lambda t, n, d: t.reshape(-1, 2).T.reshape(n, d),
    ),
    ("行之间串了：reshape 跨过了行", "reshape 时把 n 行单独留一个轴，只拆开列。", lambda t, n, d: t.reshape(d, n).T),
    ("移动的是行，不是列", "位置的次序不变，只换列的次序。", lambda t, n, d: t[[*range(0, n, 2), *range(1, n, 2)]]),
    (
        "没有用传进来的表，按公式重新算了一张",
        "转换只搬动列，不计算；传进来的可能是任何表。",
        lambda t, n, d: [_row(p, d) for p in range(n)],
    ),
    (
        "没有用传进来的表，按公式重新算了一张",
        "转换只搬动列，不计算；传进来的可能是任何表。",
        lambda t, n, d: np.array([_row(p, d) for p in range(n)])[:, [*range(0, d, 2), *range(1, d, 2)]],
    ),
]


def _diagnose_layouts(seen: list[_Seen]) -> _Diagnosis | None:
    for which, name in enumerate(_LAYOUT_NAMES):
        mine = [s for s in seen if s.trial.which == which]
        if any(s.complaint for s in mine):
            right = _ORDERS[1 + which][2]
            wrong = [(w, h, _moved(c)) for w, h, c in _ORDERS if c is not right]
            found = _diagnose_by(*wrong)(mine)
            for s in mine:  # 每个数都不同，所以读得出每一列是从哪里来的
                if not found and s.complaint and not s.diagnosis and s.array.shape == (2, 6):
                    source = s.trial.args[0].astype(np.float64)
                    order = [
                        next((j for j in range(source.shape[1]) if (source[:, j] == c).all()), None) for c in s.array.T
                    ]
                    if None not in order:
                        said = f"{source.shape[1]} 列时，依次放的是原来的第 {'、'.join(map(str, order[:8]))} 列"
                        found = _Diagnosis(f"列的次序不对：{said}", "在纸上写出 6 列时每一列该到哪里去。")
            return found and _Diagnosis(f"{name}：{found.name}", found.hint)
    return None


_LAYOUT_NAMES = ("to_halves", "to_interleaved")
_LAYOUT = _Exercise(
    "3-4",
    _LAYOUT_NAMES,
    _tables_to_convert,
    _diagnose_layouts,
    "两个方向各核对了 8 张表，float32 和 float64 各一遍，要求逐位相同；表里的数各不相同，放错一个也看得出。",
    "只有 4 列（和 2 列）时，两个方向是同一种搬法；只拿 4 列来试，方向写反了也发现不了。",
)


def check_layouts(to_halves: Callable[..., Any], to_interleaved: Callable[..., Any]) -> None:
    """检查练习 3-4：``to_halves(table)`` 把交错布局换成分半布局，``to_interleaved(table)`` 换回来。

    Parameters
    ----------
    to_halves, to_interleaved : callable
        你写的两个函数本身，后面不加括号。

    Examples
    --------
    >>> check_layouts(..., ...)  # 还没有写
    练习 3-4：尚未作答。
    """
    _check(_LAYOUT, to_halves, to_interleaved)
