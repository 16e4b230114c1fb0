"""第 09 课的练习。"""

from __future__ import annotations

import numpy as np

from ._declare import coding, guessing, mistake

guessing(
    "9-1",
    asks="0 到 1 之间的一个小数，例如 0.6",
    right=0.43,
    near=0.2,
    reply="总答出现得最多的词，前三个词里数是 0.45，四个词里数是 0.41；不分先后的办法，最好也就是这样。",
    misconceptions={
        "chance": (0.125, "你以为它只能乱猜：可是答案就在它看得见的前三个词里，用不着从八种里猜。"),
        "one-of-three": (
            lambda a: 0.3 <= a <= 0.344,
            "你是按三选一算的：三个词各不相同时是这样，可是它们有时相同，那时对的机会更大。",
        ),
        "one-of-four": (0.25, "你是按四选一算的：答案不会是最后一个词自己，而且前三个词有时相同。"),
        "solved": (lambda a: a > 0.8, "你以为四个词这么短，总该记得住：记得住有哪些词，记不住谁在最前面。"),
    },
)

_ASKED = "分母是问了几处：targets 不是 −1 的地方。"


def _share(right, asked):
    return lambda answers, targets: float(np.mean(right(answers, targets)[asked(targets)]))


def _equal(answers, targets):
    return np.array(answers) == np.array(targets)


@coding(
    "9-2",
    cases=[
        "np.array([[1, 2, 3]]), np.array([[-1, 2, 0]])",
        "np.array([[5]]), np.array([[5]])",
        "np.array([[5], [4]]), np.array([[3], [4]])",
        "np.array([[0, 1, 2, 3], [3, 2, 1, 0]]), np.array([[-1, -1, 2, 3], [-1, 2, -1, -1]])",
        "np.array([[0, 0, 7], [7, 7, 1], [2, 2, 2]]), np.array([[-1, 0, 1], [7, 7, 7], [-1, -1, 3]])",
        "np.array([[-1, 4, -1, 6]]), np.array([[-1, 4, 5, -1]])",
    ],
    random=lambda dice: [
        f"np.array({[[dice.randint(0, 3) for _ in range(6)] for _ in range(5)]}), "
        f"np.array({[[dice.randint(-1, 3) for _ in range(5)] + [dice.randint(0, 3)] for _ in range(5)]})"
    ],
    golden={"np.array([[1, 2, 3]]), np.array([[-1, 2, 0]])": 0.5},
    atol=lambda expected, *args: 1e-6,  # float32 的平均也算对
    returns="number",
    mistakes=[
        mistake(
            "accuracy/all-places",
            "分母数了所有的地方，没有问的也算在内",
            _ASKED,
            lambda answers, targets: float(np.mean(answers == targets)),
            "一句话只问最后一处时，全答对了，你的函数给几？",
        ),
        mistake(
            "accuracy/right-over-all",
            "分子只数问到的，分母却数了所有的地方",
            _ASKED,
            lambda answers, targets: float(np.mean((answers == targets) & (targets >= 0))),
        ),
        mistake(
            "accuracy/per-sentence",
            "先求每一句的比例再平均：问得少的句子占了同样的份量",
            "所有问到的地方放在一起算；每一句问几处不一定相同。",
            lambda answers, targets: float(
                np.mean([np.mean(a[t >= 0] == t[t >= 0]) for a, t in zip(answers, targets, strict=True)])
            ),
        ),
        mistake(
            "accuracy/zero-not-asked",
            "把答案是 0 的地方当成没有问",
            "0 是一个词；没有问的地方是 −1。",
            _share(_equal, lambda targets: targets > 0),
        ),
        mistake(
            "accuracy/asked-by-answers",
            "用 answers 判断哪里问了",
            "哪里问了，写在 targets 里。",
            lambda answers, targets: float(np.mean((answers == targets)[answers >= 0])),
        ),
        mistake(
            "accuracy/count",
            "返回的是答对的个数，不是比例",
            "还要除以问了几处。",
            lambda answers, targets: int(np.sum((answers == targets) & (targets >= 0))),
        ),
        mistake(
            "accuracy/wrong-share",
            "返回的是答错的比例",
            "题目要答对的比例。",
            lambda answers, targets: float(np.mean((answers != targets)[targets >= 0])),
        ),
        mistake(
            "accuracy/last-only",
            "只看了每一句的最后一处",
            "问到的地方不一定在最后。",
            lambda answers, targets: float(np.mean((answers == targets)[:, -1])),
        ),
        mistake(
            "accuracy/first-sentence",
            "只看了第一句",
            "一批里的每一句都要算。",
            lambda answers, targets: float(np.mean((answers[0] == targets[0])[targets[0] >= 0])),
        ),
    ],
    tested="核对了 7 批回答：有的句子一处也没有问，有的全问，有的答案是 0，有的回答是 −1。",
    note="每一句问几处不一定相同，所以先求每句的比例再平均，与放在一起算不是一回事。",
)
def accuracy_at(answers, targets):
    """返回问到的地方里答对的比例。"""
    asked = right = 0
    for row_of_answers, row_of_targets in zip(answers, targets, strict=True):
        for answer, target in zip(row_of_answers, row_of_targets, strict=True):
            if target != -1:
                asked += 1
                right += int(answer == target)
    return right / asked


_FUTURE = "先让右上方（看后面的词）不可能最高，对角线留着。"
_ROWS = "第 m 行应当是第 m − k 列；最前面 k 行没有往回 k 步的位置，不算。"


def _looks(favourites, target=lambda m, k: m - k, first=lambda k: k):
    def wrong(scores, k):
        chosen = favourites(np.array(scores, float))
        rows = np.arange(len(scores))[first(k) :]
        return float(np.mean(chosen[rows] == target(rows, k))) if len(rows) else 0.0

    return wrong


def _causal(scores, diagonal=0):
    return np.where(np.tri(len(scores), k=diagonal), scores, -np.inf).argmax(axis=1)


def _zeroed(scores):
    return (scores * np.tri(len(scores))).argmax(axis=1)


@coding(
    "9-3",
    cases=[
        "np.array([[0.0, 9.0, 1.0], [5.0, 2.0, 8.0], [3.0, 4.0, 1.0]]), 1",
        "np.array([[2.0]]), 0",
        "np.array([[1.0, 2.0], [4.0, 3.0]]), 0",
        "np.array([[1.0, 2.0], [4.0, 3.0]]), 1",
        "np.array([[-1.0, -2.0, -3.0, 5.0], [-1.0, -4.0, -2.0, -3.0],"
        " [-2.0, -5.0, -4.0, -1.0], [-9.0, -1.0, -2.0, -3.0]]), 2",
        "np.array([[-1.0, -2.0, -3.0, 5.0], [-1.0, -4.0, -2.0, -3.0],"
        " [-2.0, -5.0, -4.0, -1.0], [-9.0, -1.0, -2.0, -3.0]]), 1",
        "np.random.default_rng(5).normal(size=(9, 9)) + 3 * np.eye(9, k=-3), 3",
        "np.random.default_rng(7).normal(size=(40, 40)) + 2 * np.eye(40, k=-2) + 2 * np.eye(40, k=2), 2",
        "np.random.default_rng(8).normal(size=(12, 12)) + 9 * np.eye(12, k=4), 4",
        "np.arange(36.0).reshape(6, 6), 0",
    ],
    random=lambda dice: [
        f"np.random.default_rng({dice.randint(100, 999)}).normal(size=(20, 20)) + 2 * np.eye(20, k=-4), 4"
    ],
    golden={"np.array([[0.0, 9.0, 1.0], [5.0, 2.0, 8.0], [3.0, 4.0, 1.0]]), 1": 1.0},
    atol=lambda expected, *args: 1e-6,  # float32 的平均也算对
    returns="number",
    mistakes=[
        mistake(
            "looks/future", "没有挡住后面的词", _FUTURE, _looks(lambda s: s.argmax(axis=1)), "位置 0 能看见位置 1 吗？"
        ),
        mistake(
            "looks/zeroed",
            "把后面的分数乘成了 0：分数有负的，0 反而最高",
            "挡住的地方要比什么都小：负无穷。",
            _looks(_zeroed),
            "一行的分数都是负数，挡住的写 0，谁最高？",
        ),
        mistake("looks/not-self", "连自己也挡住了", "因果掩码看得见自己。", _looks(lambda s: _causal(s, -1))),
        mistake("looks/one-ahead", "多看见了后面的一个词", _FUTURE, _looks(lambda s: _causal(s, 1))),
        mistake("looks/all-rows", "前 k 行也算进了分母", _ROWS, _looks(_causal, first=lambda k: 0)),
        mistake("looks/ahead", "方向反了：数的是往后 k 步", _ROWS, _looks(_causal, target=lambda m, k: m + k)),
        mistake(
            "looks/column",
            "沿着列取了最大：argmax 的 axis 不对",
            "一行是从一个位置看出去：axis=1。",
            _looks(lambda s: np.where(np.tri(len(s)), s, -np.inf).argmax(axis=0)),
        ),
        mistake("looks/least", "取了最小的分数", "最想看的是分数最高的：argmax。", _looks(lambda s: s.argmin(axis=1))),
        mistake(
            "looks/same-column", "与 k 相比，没有与 m − k 相比", _ROWS, _looks(_causal, target=lambda m, k: k + 0 * m)
        ),
        mistake("looks/short", "往回少走了一步", _ROWS, _looks(_causal, target=lambda m, k: m - k + 1)),
        mistake("looks/far", "往回多走了一步", _ROWS, _looks(_causal, target=lambda m, k: m - k - 1)),
        mistake("looks/skips-row", "少算了第 k 行", _ROWS, lambda s, k: _looks(_causal, first=lambda k: k + 1)(s, k)),
        mistake(
            "looks/count",
            "返回的是行数，不是比例",
            "还要除以算了几行。",
            lambda s, k: _looks(_causal)(s, k) * (len(s) - k),
        ),
    ],
    tested="核对了 11 张分数表，1 行到 40 行；有全是负数的，有后面的词分数最高的，有 k = 0 的。",
    note="分数有正有负，所以挡住的地方要写负无穷，写 0 不够小。",
)
def looks_back(scores, k):
    """返回第 k 行起、最想看往回 k 步的行所占的比例。"""
    hits = 0
    for m in range(k, len(scores)):
        best = 0
        for n in range(m + 1):
            if scores[m][n] > scores[m][best]:
                best = n
        hits += int(best == m - k)
    return hits / (len(scores) - k)
