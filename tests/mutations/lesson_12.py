"""第 12 课的验证格，各会被哪一种错变红。"""


def worse(kind, length, value):
    return f"""
for row in kept:
    if row["kind"] == {kind!r}:
        row["accuracy"][{length!r}] = {value}
"""


BACKWARDS = ("* np.exp(1j * theta)", "* np.exp(-1j * theta)")  # 转反了方向

MUTATIONS = {
    "手算的四个数；与库里的函数在远近不同的位置上相等": BACKWARDS,
    "距离固定，旋转的分数一动不动；相加的分数跟着位置变": (
        "return (rotate(query, [m]) @ rotate(key, [n]).T).item()",
        "return (rotate(query, [m]) @ rotate(key, [-n]).T).item()",  # 键转反了，成了取决于和
    ),
    "整句往后挪 1000，值不转时输出不变，值也转就变了；转过以后长短不变": (
        "v = rotate(v, places) if turn_values else v",
        "v = rotate(v, places)",  # 值总是转
    ),
    "重排列，两种配对就一样；4 维排两次是原样，6 维、8 维不是": (
        "return np.r_[0:d:2, 1:d:2]",
        "return np.r_[1:d:2, 0:d:2]",
    ),
    "与 transformers 5.24.0 里真实模型的结果相符（float32，角度也是 float32，容差随位置放宽）": """
right = sinpe.rotary_embedding
sinpe.rotary_embedding = lambda x, where, layout="halves", **more: right(x, where, **more)  # 忘了配对
""",
    "三个轴各自平移，分数不变；与 Qwen2-VL 的代码算出的相符": (
        "omega * (owner == axis)",
        "omega * (owner != axis)",  # 该动的不动，不该动的动了
    ),
    "图 1 的说法；以及分段的式子就是 Llama 3.1 的（与真实系统存下的频率相比，它用 float32）": (
        "base=base * s ** (d / (d - 2))",
        "base=base * s",  # 最慢的一对慢得不够
    ),
    "图 2 的说法；查询和键相同、各对一样长时，旋转的分数就是第 05 课的核": (
        "return 2.0 ** (-8 * np.arange(1, heads + 1) / heads)",
        "return 2.0 ** (-8 * np.arange(heads) / heads)",  # 从 0 数起
    ),
    "对照表的十二格；整句倒过来，ALiBi 只是跟着倒，旋转不是": ('if how == "旋转":', 'if how in ("旋转", "不加"):'),
    "图 3 的说法，8 个种子": worse("旋转", "96", 0.97),
    "位置 2^24 + 1 与 2^24 的结果不同，与整数里求余的角度相符；存成 float32 就分不开": """
right = sinpe.rotary_embedding
sinpe.rotary_embedding = lambda x, where, **more: right(x, np.asarray(where, np.float32), **more)  # 位置成了 float32
""",
    "缓存里的键是照绝对位置转好的；查询与键的起点不一致，分数就错了": (
        "return (rotate(query, [m]) @ rotate(key, [n]).T).item()",
        "return (rotate(query, [m]) @ rotate(key, [0]).T).item()",  # 键总停在位置 0
    ),
}
