"""第 08 课的验证格，各会被哪一种错变红。"""

MUTATIONS = {
    "从第 3 行起，每一行最高的都是往回三步；最高分处处是 D/2 = 32": (
        "return np.where(np.tri(len(rows)), rows @ b @ rows.T, -np.inf)",
        "return np.where(np.tri(len(rows)), rows @ b.T @ rows.T, -np.inf)",  # 转置反了，往后看
    ),
    "最高 32.0，左右两边都是 30.9": ("shift = sinpe.shift_matrix(K, D)", "shift = sinpe.shift_matrix(K, D, base=100)"),
    "倍数每加大一次，权重都更集中；不放大是 0.03，乘 32 是 0.97": (
        "gain * scores_of(rows, b) / np.sqrt(D)",
        "scores_of(rows, b) / np.sqrt(D)",  # 忘了放大
    ),
    "最快的 8 对与全部 32 对一样准，4 对也有 0.9 左右；散开的 4 对不到三成；最慢的几乎没有": (
        "keep[[2 * i for i in pairs]] = keep[[2 * i + 1 for i in pairs]] = 1",
        "keep[[i for i in pairs]] = keep[[i + D // 2 for i in pairs]] = 1",  # 当成了分半布局
    ),
    "四项加起来就是分数": (
        '"位—词": codes @ shift @ embedded.T',
        '"位—词": embedded @ shift @ codes.T',  # 两个交叉项写成了同一个
    ),
    "前三项的标准差都在 2.5 和 3.5 之间，远大于要分辨的 1.1": (
        "vocabulary = 0.5 * rng.normal(size=(50, D))",
        "vocabulary = rng.normal(size=(50, D))",
    ),
    "20 组随机的词，全对的比例都不到两成": (
        "scores_of(rows, b)[K:].argmax(axis=1) == np.arange(N - K)",
        "np.abs(scores_of(rows, b)[K:].argmax(axis=1) - np.arange(N - K)) <= K",  # 看得差不多也算对
    ),
    "两种办法都处处看对；词多过列数就不行了": (
        "return share_right(inputs, reader @ shift @ reader.T)",
        "return share_right(inputs, shift)",  # 没有先读出位置
    ),
    "I 给偶函数，J 给奇函数，这 60 步之内往左为正": ("[[0.0, 1.0], [-1.0, 0.0]]", "[[0.0, -1.0], [1.0, 0.0]]"),
    "M_k = cos(ωk) I + sin(ωk) J": (
        "shift = sinpe.shift_matrix(K, D)",
        "shift = sinpe.shift_matrix(-K, D)",
    ),
    "与平移可以交换的 B，每条对角线上的分数都相同；随机的 B 不是": (
        "[[a, b], [-b, a]]",
        "[[a, b], [b, a]]",  # 对称的块与旋转不可交换
    ),
    "B = M_50 时，从第 50 行起，最高的都是往回 50 步": (
        "return np.where(np.tri(len(rows)), rows @ b @ rows.T, -np.inf)",
        "return np.where(np.tri(len(rows), k=-1), rows @ b @ rows.T, 1e3)",  # 掩码挪了一格，还反了
    ),
}
