"""第 09 课的验证格，各会被哪一种错变红。"""


def worse(kind, length, value):
    """把存下的结果改坏一处：图和正文说的就不对了。"""
    return f"""
for row in stored:
    if row["kind"] == {kind!r} and {length!r} in row["accuracy"]:
        row["accuracy"][{length!r}] = {value}
"""


MUTATIONS = {
    "改动后面的词，前面的回答一个也不变；不加位置编码，打乱前面的词，最后的回答也不变": (
        "np.where(np.tri(words.shape[1]), 0, -1e9)",
        "np.where(np.tri(words.shape[1], k=1), 0, -1e9)",  # 掩码挪了一格，看得见下一个词
    ),
    "八个分数都相同时，交叉熵是 ln 8": (
        "return -anp.sum(log_chance * asked) / np.sum(asked)",
        "return -anp.sum(log_chance * asked) / len(targets)",  # 除以句数，没有除以问了几处
    ),
    "24 个词以内，正弦和可学习超过 95%，不加的在 12% 和 30% 之间；答“出现最多的词”也是这么多": (
        "asked = (targets >= 0) & (np.arange(length) >= length - last)",
        "asked = (targets >= -1) & (np.arange(length) < last)",  # 数了开头，连不问的也算
    ),
    "图 1 的各种说法": worse("正弦", "48", 0.97),
    "现场训练的那一个，与存下的种子 0 相同": worse("正弦", "24", 0.8),
    "造的头处处往回三步；训练出来的，8 个种子里 6 个在训练过的范围里全是，另两个七成以上；之外的都不过半": (
        "built @ sinpe.shift_matrix(BACK, D) @ built.T",
        "built @ sinpe.shift_matrix(BACK, D).T @ built.T",  # 转置反了，往后看
    ),
    "位置 0–23 的编码只占 10 个方向；位置 40、95 有四成多、六成多在外面；13 根指针转不满一圈": """
right = sinpe.encode_positions
sinpe.encode_positions = lambda places, d, **more: right(places, d, base=100.0, **more)  # 底数错了，指针都快
""",
    "随机起点与旋转（第 12 课）的结果": worse("旋转", "96", 0.4),
    "成绩表里的说法，每种做法 8 个种子": worse("词嵌入乘 √d", "24", 0.9),
    "正弦的 8 个种子，句长 48 时没有一个超过四成": worse("正弦", "48", 0.45),
}
