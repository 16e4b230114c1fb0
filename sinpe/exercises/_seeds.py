"""种子：一个班的题目换一套数，检查器跟着换。

``check_…(函数, seed="甲班")`` 和 ``guess("0-1", 猜的, seed="甲班")`` 里的种子决定用哪一套；没有种子就是课文里的数，
没有登记在 ``VARIANTS`` 里的题也是。题面和解答里的话由 `Variant.words` 换掉，``python tools/classkit.py copy`` 就用它；
两边出自同一个 `variant`，所以学生看到的和老师看到的是同一套，没有另一套藏起来的测试。
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

from ._declare import BASE, Exercise, Guess


@dataclasses.dataclass(frozen=True)
class Variant:
    """一道题换成的样子：题面（连同提示、答案、解答）里哪些字换成哪些字，声明里哪几项换掉。"""

    words: dict[str, str]
    declared: dict[str, Any] = dataclasses.field(default_factory=dict)
    base: float = 10000.0
    notice: str = ""  # 题面里没有可换的字时，添在题目后面的一句


VARIANTS: dict[str, Callable[[random.Random], Variant]] = {}


def _seeded(number: str) -> Callable[[Callable[[random.Random], Variant]], Callable[[random.Random], Variant]]:
    def register(make: Callable[[random.Random], Variant]) -> Callable[[random.Random], Variant]:
        VARIANTS[number] = make
        return make

    return register


def variant(number: str, seed: str | None) -> Variant | None:
    """这道题在这个种子之下换成的样子；不换就是 None。同一个种子总得到同一套数，在哪台机器上都一样。"""
    if seed is None or number not in VARIANTS:
        return None
    return VARIANTS[number](random.Random(f"{seed}/{number}"))


@contextlib.contextmanager
def given(declared: Any, seed: str | None) -> Iterator[Any]:
    """声明在这个种子之下的样子；这期间，规格和照样犯的错都用换过的底数。"""
    if not (seed is None or isinstance(seed, str)):
        raise TypeError(f"seed 必须是老师给的那个字符串，收到 {seed!r:.40}；不是一个班的副本就不写它。")
    changed = variant(declared.number, seed)
    if changed is None:
        yield declared
        return
    token = BASE.set(changed.base)
    try:
        yield dataclasses.replace(declared, **_changes(declared, changed))
    finally:
        BASE.reset(token)


def _changes(declared: Exercise | Guess, changed: Variant) -> dict[str, Any]:
    if isinstance(declared, Guess):
        return changed.declared
    table = declared.table
    return {
        "golden": {},  # 另外算好的那几行用的是课文里的底数
        "table": table and (lambda *args: (*table(*args)[:2], changed.base)),
        "tested": f"照底数 {changed.base:g} 核对了各组输入。",
        **changed.declared,
    }


# ------------------------------------------------------------------ 先猜的题


@_seeded("0-1")
def _first_crossing(dice: random.Random) -> Variant:
    column, height = dice.choice([4, 6]), dice.choice([0.2, 0.3, 0.4, 0.6, 0.7])
    slow = 10 ** (column // 2)
    angle = math.asin(height)
    right = math.ceil(slow * angle)
    pair = column // 2
    return Variant(
        {
            "第 6 列": f"第 {column} 列",
            "超过 0.5": f"超过 {height}",
            "等于 0.5": f"等于 {height}",
            "第 3 对": f"第 {pair} 对",
            r"\sin(pos / 1000)": rf"\sin(pos / {slow})",
            r"$\sin(\pi/6) = 0.5$，而 $1000\,\pi/6 \approx 523.6$": (
                rf"$\arcsin {height} \approx {angle:.4f}$，而 ${slow} \times {angle:.4f} \approx {slow * angle:.1f}$"
            ),
            "位置 524": f"位置 {right}",
            "[:, 6] > 0.5": f"[:, {column}] > {height}",
        },
        {
            "right": right,
            "reply": f"第 {column} 列是 sin(pos/{slow})，它第一次超过 {height} 在位置 {right}。",
            "misconceptions": {
                "degrees-for-radians": (
                    math.degrees(angle) * slow,
                    "你以为正弦里的数是度：np.sin 认的是弧度。",
                ),
                "first-pair": (1, f"你看的像是第 0 列，它的角频率是 1。第 {column} 列是第 {pair} 对。"),
                "third-frequency": (right / 10, "角频率差了一级：d_model = 8 时每下一对慢十倍。"),
                "quarter-turn": (slow * math.pi / 2, f"那是正弦到 1 的地方；它到 {height} 要早得多。"),
                "index-is-exponent": (
                    right * 10,
                    f"角频率差了一级：分母是 10000 的 {column}/8 次方，也就是 {slow}。",
                ),
            },
        },
    )


_SPANS = {3: "一千", 4: "一万", 5: "十万", 6: "一百万", 8: "一亿"}


@_seeded("4-1")
def _more_turns(dice: random.Random) -> Variant:
    span, right = dice.choice(list(_SPANS)), dice.choice([4, 5, 6, 7, *range(9, 20)])
    d = 2 * span * right
    return Variant(
        {
            "d_model = 96": f"d_model = {d}",
            "底数一百万": f"底数{_SPANS[span]}",
            "一共 48 对": f"一共 {d // 2} 对",
            "跨度是 $10^6$，也就是 6 个": f"跨度是 $10^{span}$，也就是 {span} 个",
            "$48 / 6 = 8$，多 8 对": f"${d // 2} / {span} = {right}$，多 {right} 对",
        },
        {
            "right": right,
            "reply": f"加长 10 倍，梯子上多走一个“10 倍”：{d // 2} 对平分 {span} 个“10 倍”，一个里有 {right} 对。",
            "misconceptions": {
                "proportional": (
                    lambda n: n >= 40,
                    "你以为加长 10 倍，转满一圈的对也多 10 倍：波长是等比的，长度乘 10，只多走一级“10 倍”。",
                ),
                "columns-for-pairs": (2 * right, f"你数的像是列：{d} 列是 {d // 2} 对。"),
                "length-does-not-matter": (0, "你以为与长度无关：文本越长，越慢的对也转得满一圈。"),
            },
        },
    )


@_seeded("5-1")
def _average_length(dice: random.Random) -> Variant:
    d = dice.choice([16, 20, 24, 28, 32, 36, 40, 48, 56, 72, 80, 96])
    whole = math.sqrt(d / 2)
    right = math.sqrt(sum(math.cos(10000 ** (-2 * i / d)) ** 2 for i in range(d // 2)))
    shrunk = whole * math.cos(1)
    return Variant(
        {
            "$d = 64$": f"$d = {d}$",
            r"$\sqrt{32} \approx 5.66$": rf"$\sqrt{{{d // 2}}} \approx {whole:.2f}$",
            "总长度是 5.49": f"总长度是 {right:.2f}",
        },
        {
            "right": round(right, 2),
            "misconceptions": {
                "average-stays-on-circle": (
                    lambda a: abs(a - whole) <= 0.012,
                    "你以为平均还是位置 1 的编码：圆上两点连线的中点，落在圆的里面。",
                ),
                "every-pair-like-the-first": (
                    lambda a: abs(a - shrunk) <= 0.05,
                    "你给每一对都乘了 cos 1 ≈ 0.54：只有第 0 对缩这么多，慢的对几乎不缩。",
                ),
                "lengths-add": (
                    lambda a: abs(a - 2 * whole) <= 0.1,
                    "那是两个长度之和：平均还要除以 2，而且两个向量不同向。",
                ),
            },
        },
    )


@_seeded("8-1")
def _looks_ahead(dice: random.Random) -> Variant:
    k, at = dice.choice([2, 4, 5, 6, 7, 8, 9]), dice.choice([80, 90, 110, 120, 130, 140])
    right = at + k
    return Variant(
        {
            "M_3": f"M_{k}",
            "M_{-3}": f"M_{{-{k}}}",
            "位置 100": f"位置 {at}",
            "g(m - n + 3)": f"g(m - n + {k})",
            "n = m + 3 = 103": f"n = m + {k} = {right}",
            "往后三步": f"往后 {k} 步",
        },
        {
            "right": right,
            "reply": f"转置就是转回去，分数是 g(m − n + {k})，在往后 {k} 步的 {right} 最高。",
            "misconceptions": {
                "transpose-changes-nothing": (at - k, "你以为转置了还是它：旋转的转置是逆，平移的方向跟着反过来。"),
                "looks-at-itself": (at, "你以为它退而看自己：有因果掩码、看不见后面时才这样；这里没有掩码。"),
                "double": (lambda a: a in (at - 2 * k, at + 2 * k), "你多走了一倍：转置不改变步数。"),
            },
        },
    )


@_seeded("10-1")
def _whisper(dice: random.Random) -> Variant:
    d = dice.choice([*range(96, 513, 16), 768, 1024, 1280])  # 再密，相邻两个的答案就差不到许可的误差了
    h = d // 2
    right = 10000 ** (h / (h - 1))
    return Variant(
        {
            "Whisper 最小的模型，编码器是 384 维": f"照 Whisper 写的一个模型，编码器是 {d} 维",
            "$h = 192$": f"$h = {h}$",
            r"$10000^{192/191} \approx 10494$": rf"$10000^{{{h}/{h - 1}}} \approx {right:.0f}$",
        },
        {
            "right": round(right),
            "reply": f"10000 的 {h}/{h - 1} 次方：指数比 1 大一点点，底数也就大一点点。",
            "misconceptions": {
                "same-base": (10000, "你以为底数不变：分母换了，末项就到不了 1/10000，表就不同了。"),
                "inverted-exponent": (10000 ** ((h - 1) / h), "指数颠倒了：是 h/(h-1)，不是 (h-1)/h。"),
                "columns-for-pairs": (10000 ** (d / (d - 1)), f"h 是对的个数 {h}，不是列数 {d}。"),
                "proportional": (10000 * h / (h - 1), f"你给底数乘了 {h}/{h - 1}：变的是指数，不是底数本身。"),
            },
        },
    )


@_seeded("2-5")
def _wider(dice: random.Random) -> Variant:
    d = dice.choice([*range(96, 1025, 32)])
    d += 32 * (d == 128)
    right = d // 4
    return Variant(
        {
            "从 64 加到 128": f"从 64 加到 {d}",
            "32。总共还是": f"{right}。总共还是",
            "级数多了一倍，所以每慢十倍有 16 根": f"级数是 64 维的 {d / 64:g} 倍，所以每慢十倍有 {right // 2} 根",
            "就有 16 根换进换出": f"就有 {right // 2} 根换进换出",
            "从 64 涨到 128": f"从 64 涨到 {d}",
        },
        {
            "right": right,
            "reply": f"每慢十倍有 {right // 2} 根指针，间隔每远十倍就换 {right // 2} 根，每根加 2。",
            "misconceptions": {
                "base-alone-decides": (
                    16,
                    "你以为只由底数决定：底数定的是一共慢多少倍；维度加大，级数变不变？",
                ),
                "hands-of-64": (8, "你数出来的是 64 维时每慢十倍的根数：维度加大以后有几根，每根又加几？"),
                "four-times": (d * d / 256, "你把维度加大算了两次：根数变多，可是每换一根加的还是 2。"),
            },
        },
    )


@_seeded("4-4")
def _doubled_exponent(dice: random.Random) -> Variant:
    base = 10 * dice.choice([k for k in range(12, 100) if k != 40])
    return Variant(
        {"底数写的是 400": f"底数写的是 {base}", "$400^2$，十六万": f"${base}^2$，即 {base**2}"},
        {
            "right": base**2,
            "reply": f"指数成了 4i/d，b 的 4i/d 次方就是 b² 的 2i/d 次方：底数 {base} 换成了它的平方。",
            "misconceptions": {
                "doubled-base": (
                    2 * base,
                    "你以为指数加倍就是底数加倍：b 的 2x 次方是 b² 的 x 次方，不是 2b 的 x 次方。",
                ),
                "halved-exponent": (
                    lambda a: abs(a - base**0.5) < 0.01 * base**0.5,
                    "方向反了：指数多乘了 2，各对转得更慢，等于换了更大的底数。",
                ),
                "nothing-changed": (
                    base,
                    "你以为 i 跳着取正好抵消：i 取 0、2、4 时已经是 2 乘对的编号，指数里又乘了一次 2。",
                ),
            },
        },
    )


@_seeded("6-1")
def _float32_reach(dice: random.Random) -> Variant:
    error = f"{dice.randint(2, 9) * 10.0 ** -dice.randint(2, 4):.4f}".rstrip("0")
    right = round(float(error) * 2**23)
    return Variant(
        {
            "0.001 弧度": f"{error} 弧度",
            r"$0.001 / 2^{-23} \approx 8389$": rf"${error} / 2^{{-23}} \approx {right}$",
            "得 5592": f"得 {int(right / 1.5)}",
        },
        {
            "right": right,
            "reply": f"{error} 除以 2 的 −23 次方，约是 {right}；实际的误差只有估计的几分之一，所以粗估够用。",
            "misconceptions": {
                "integers-only": (
                    2**24,
                    f"2 的 24 次方是 float32 存得下所有整数的界限；角度的误差是 eps 乘以角度，早就超过 {error} 了。",
                ),
                "half-eps": (2 * right, "你用的是 2 的 −24 次方，那是一次舍入的误差；规律里的 eps 是 2 的 −23 次方。"),
                "float64": (lambda a: a > 1e10, "你用的是 float64 的 eps；float32 的是 2 的 −23 次方。"),
            },
        },
    )


@_seeded("7-1")
def _next_word(dice: random.Random) -> Variant:
    words = dice.randint(6, 40)
    padding = dice.randint(2, words - 2)
    slots = words + padding
    return Variant(
        {
            "有 5 个词": f"有 {words} 个词",
            "补了 3 格": f"补了 {padding} 格",
            "缓存里有 8 格": f"缓存里有 {slots} 格",
            "五个词占了位置 0 到 4，新词在位置 5": f"{words} 个词占了位置 0 到 {words - 1}，新词在位置 {words}",
            "格数是 8，其中 3 格": f"格数是 {slots}，其中 {padding} 格",
            "cache=5": f"cache={words}",
        },
        {
            "right": words,
            "reply": f"{words} 个词占了 0 到 {words - 1}，填充不占号。缓存有几格，与新词在第几个位置，是两回事。",
            "misconceptions": {
                "cache-slots": (slots, f"你数的是缓存的格数：其中 {padding} 格是填充，不占位置。"),
                "cache-slots-from-one": (
                    slots + 1,
                    "你数的是缓存的格数，还从 1 数起；填充不占位置，第一个词在 0。",
                ),
                "forgot-cache": (0, "你让它从头数起：缓存里的词已经占了前面的位置。"),
                "last-word": (words - 1, "那是缓存里最后一个词的位置，新词还要往后一个。"),
                "from-one": (words + 1, "你从 1 数起了：第一个真实的词在位置 0。"),
                "padding-only": (padding, "那是填充的格数；要数的是真实的词。"),
            },
        },
    )


@_seeded("11-1")
def _different_rows(dice: random.Random) -> Variant:
    rows = dice.choice([4, 5, 7, 8, 9])
    columns = rows + dice.randint(2, 25)
    cells, pairs = rows * columns, rows * (rows - 1) // 2
    return Variant(
        {
            "6 行 10 列": f"{rows} 行 {columns} 列",
            "60 格能": f"{cells} 格能",
            "左上角的 6 × 6 格": f"左上角的 {rows} × {rows} 格",
            "对角线上的 6 格": f"对角线上的 {rows} 格",
            "另外 30 格": f"另外 {2 * pairs} 格",
            "少了 15 行，剩 45 行": f"少了 {pairs} 行，剩 {cells - pairs} 行",
        },
        {
            "right": cells - pairs,
            "reply": (f"对调以后仍在网格里的是 {rows} × {rows} 格，其中 {2 * pairs} 格两两相撞，少 {pairs} 行。"),
            "misconceptions": {
                "no-collision": (cells, "你以为每格都不同：加法不分先后，(1, 2) 与 (2, 1) 的和相同。"),
                "halved": (
                    lambda a: a in (cells // 2, cells / 2),
                    f"你把全部 {cells} 格都两两配了对：第 {rows} 列以后的格子，对调就出了网格。",
                ),
                "diagonal": (
                    lambda a: a in (cells - rows * rows // 2, cells - rows * rows / 2),
                    "你把对角线上的格子也当成撞了：(2, 2) 对调后还是自己，没有少。",
                ),
                "long-side": (
                    cells - columns * (columns - 1) // 2,
                    f"你用了 {columns} 取 2：对调的两格，行号和列号都要小于 {rows}。",
                ),
            },
        },
    )


# ------------------------------------------------------------------ 写代码的题：换一个底数


def _other_base(number: str, words: Callable[[int], dict[str, str]], notice: bool) -> None:
    @_seeded(number)
    def make(dice: random.Random) -> Variant:
        base = dice.choice([k for k in range(11, 100) if k % 10]) * 10 ** dice.choice([1, 2, 3])
        said = f"这个班的底数不是 10000，是 {base}：公式里的 10000 都换成 {base}。" if notice else ""
        return Variant({**words(base), "10000": str(base)}, base=float(base), notice=said)


_other_base(
    "0-2",
    lambda base: {
        "100$，角度是 2 和 0.02": f"{base**0.5:.2f}$，角度是 2 和 {2 / base**0.5:.4f}",
        "$\\sin 0.02 = 0.0200$，$\\cos 0.02 = 0.9998$": (
            f"$\\sin {2 / base**0.5:.4f} = {math.sin(2 / base**0.5):.4f}$，"
            f"$\\cos {2 / base**0.5:.4f} = {math.cos(2 / base**0.5):.4f}$"
        ),
    },
    notice=True,
)
_other_base("3-3", lambda base: {}, notice=True)
_other_base(
    "5-4",
    lambda base: {"encode_positions(offsets, d_model)": f"encode_positions(offsets, d_model, base={base})"},
    notice=False,
)
