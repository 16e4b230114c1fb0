"""第 01 课：每个验证格、核对格，各有一种说得出的错使它变红。

键是那一格首行冒号后面的字；值是紧接在它前面执行的几行，犯一个常见的错。
"""

# 分数里混进了行号
WITH_ROW_NUMBERS = "scores = lambda X: X @ W_Q @ (X @ W_K).T + np.arange(len(X))"
# 该用普通注意力的地方，用了带掩码的
MASKED = "attention = lambda X: softmax(scores(X) + np.triu(np.full((len(X), len(X)), -np.inf), 1)) @ (X @ W_V)"

MUTATIONS = {
    # 次序写成了另一个
    "PX 就是按 order 取行，它等于 Y；P 的转置是它的逆": "P = np.eye(3)[[1, 2, 0]]",
    # 权重转置了
    "矩阵写法的第 1 行，就是“爱”的三个值按三个权重取的平均；每行权重之和为 1": (
        "attention = lambda X: softmax(scores(X)).T @ (X @ W_V)"
    ),
    "证明的四步，逐步成立": WITH_ROW_NUMBERS,
    "五个词的 120 种词序，Attn(PX) = P Attn(X) 无一例外": MASKED,
    "图 1 的九个权重同名则相同；两句的输出矩阵不同，换回次序则相同；图 2 的两条路走到同一张表，那张表与原来的不同": (
        WITH_ROW_NUMBERS
    ),
    "取平均之后，120 种词序得到同一个句向量": MASKED,
    # 忘了除以 √d_model
    "固定“我”的查询，键和值按 120 种次序打乱，输出不变": (
        "attention = lambda X: softmax(X @ W_Q @ (X @ W_K).T) @ (X @ W_V)"
    ),
    # 每一层都加了位置编码
    "六层，以及两头并排，120 种词序都等变": """
def transformer(X, layers):
    for W in layers:
        X = block(sinpe.add_positional_encoding(X), W)
    return X
""",
    # -1e9 写成了 -1e-9
    "图 3 里九个同名的格都变了；120 种词序里，只有原来的次序使 PBPᵀ = B，其余 119 种，等变都不成立": (
        "causal_mask = lambda n: np.triu(np.full((n, n), -1e-9), k=1)"
    ),
    # 掩码没有加上
    "“我”的输出，不加掩码 1 种，一层因果注意力 16 种，两层 65 种": "causal_attention = attention",
    # 已经加了位置编码
    "一层因果注意力分不清最后一个词前面的次序，两层分得清": """
without = causal_attention
causal_attention = lambda X: without(sinpe.add_positional_encoding(X))
""",
    # 位置从 1 数起
    "sinpe 给出的前三行，与上一课印出的四位小数相同": """
right_table = sinpe.sinusoidal_positional_encoding
sinpe.sinusoidal_positional_encoding = lambda n, d, **rest: right_table(n + 1, d, **rest)[1:]
""",
    # 每个位置都加了位置 0 的编码
    "除了原来的次序，PC ≠ C；120 种词序里，“我”有 120 种输出": (
        "sinpe.add_positional_encoding = lambda X: X + sinpe.encode_positions(0, X.shape[-1])"
    ),
    # offset 没有用上
    "图 4 各行的种数；add_positional_encoding 就是相加，换一个起点或底数也是，也分得清": """
right_add = sinpe.add_positional_encoding
sinpe.add_positional_encoding = lambda x, offset=0, base=10000: right_add(x, base=base)
""",
    # 除以了总长度，不是前文的长度
    "起始词给出的恰是 m；方差等于 σ²/m；相邻两个方差的降幅，开头是一半，第 63 到 64 个是 1/64": (
        "uniform = np.tril(np.ones((64, 64))) / 64"
    ),
    "两句的第 0 行不同；24 层之后“我”仍只有一种输出；编码跟着词一起打乱，注意力仍然等变": MASKED,
}
