"""第 00 课：每个验证格、核对格，各有一种说得出的错使它变红。

键是那一格首行冒号后面的字；值是紧接在它前面执行的几行，犯一个常见的错。
"""

NO_OFFSET = """
right_add = sinpe.add_positional_encoding
sinpe.add_positional_encoding = lambda x, offset=0, base=10000: right_add(x, base=base)
"""
NO_BASE = """
right_add = sinpe.add_positional_encoding
sinpe.add_positional_encoding = lambda x, offset=0, base=10000: right_add(x, offset=offset)
"""
FROM_ONE = """
right_table = sinpe.sinusoidal_positional_encoding
sinpe.sinusoidal_positional_encoding = lambda n, d, **rest: right_table(n + 1, d, **rest)[1:]
"""

MUTATIONS = {
    # 建表时没有写 dtype
    "表的形状是 (5, 8)，类型是 float32": "pe = pe.astype(np.float64)",
    # 先全部正弦，再全部余弦
    "第一行是 0 1 0 1 0 1 0 1": "pe = np.hstack([pe[:, 0::2], pe[:, 1::2]])",
    # 位置从 1 数起
    "PE(1, 0) = sin 1 ≈ 0.8415，级数是笔算的，没有用到 np.sin": "pe = np.roll(pe, -1, axis=0)",
    # 余弦用自己的指数
    "偶数列是正弦，奇数列是余弦，40 个数逐个相符": """
pe = pe.copy()
pe[:, 1::2] = np.cos(np.arange(5)[:, None] / 10000 ** (np.arange(1, 8, 2) / 8))
""",
    # 表也乘了 √d_model
    "所有的数都在 [-1, 1] 内，一万个位置也不例外": """
right = sinusoidal_positional_encoding
sinusoidal_positional_encoding = lambda seq_len, d_model: right(seq_len, d_model) * d_model**0.5
""",
    # np.cos 写成了 np.sin
    "每一对的平方和等于 1": "pe = np.repeat(pe[:, 0::2], 2, axis=1)",
    # 底数写成 100
    "第 5 节的圈数、波长、圆点数，错开四分之一个波长，最右边的四分之一几乎不变": (
        "turns = 99 / sinpe.wavelengths(64, base=100)"
    ),
    # 每个位置都加了位置 0 的编码
    "“我”差了位置 2 减位置 0，“你”差了它的相反数，“爱”不差；编码按公式另算": "y_in = y + pe[:1]",
    # 位置的次序反了
    "接起来乘矩阵，等于各乘一半再相加；两半相同时，就是先相加再乘": "x_in = x + pe[2::-1]",
    "手写的表与 sinpe 的表相等": FROM_ONE,
    "逐个词地加，与一次加完相同；一批里的两句话加的是同一张表": NO_OFFSET,
    "三个函数给出的是同一套数，任意位置、offset 和 base 也与公式逐个算的相符": NO_BASE,
    # 奇数位置先余弦后正弦
    "奇数位置（1 和 3）同样是偶数列放正弦、奇数列放余弦": """
pe = pe.copy()
pe[1::2] = pe[1::2][:, np.arange(8) ^ 1]
""",
}
