"""第 04 课的验证格，各会被哪一种错变红；见 ``test_mutations.py``。"""

LADDER_TO_THE_END = """
sinpe.wavelengths = lambda d, base=10000.0: 2 * np.pi * base ** (2 * np.arange(d // 2) / max(d - 2, 1))
"""
WITHOUT_TWO_PI = "sinpe.wavelengths = lambda d, base=10000.0: base ** (2 * np.arange(d // 2) / d)"
BASE_IGNORED = ("sinpe.angular_frequencies(d_model, base=base)", "sinpe.angular_frequencies(d_model)")

MUTATIONS = {
    "第 2i 列是相位的正弦，第 2i+1 列是余弦，扣掉整圈不改变结果；库里的角频率、波长与手写的相等": """
right = sinpe.sinusoidal_positional_encoding
sinpe.sinusoidal_positional_encoding = lambda *args, **more: right(*args, **more)[:, [0, 2, 4, 6, 1, 3, 5, 7]]
""",
    "相邻波长之比恒为 10000**(2/d_model)，与 i 无关": LADDER_TO_THE_END,
    "图 1 的两句话，以及公比等于 2 的维度": ("lam = sinpe.wavelengths(64)", "lam = sinpe.wavelengths(64, base=1000)"),
    "最长波长等于 2π·10000**((d_model-2)/d_model)，严格小于 10000·2π": LADDER_TO_THE_END,
    "四对都没有转整数圈；位置 10001 离位置 1，比位置 2 远一倍以上；512 维最慢的一对不到六分之一圈": WITHOUT_TWO_PI,
    "竖线的位置、两条直线的斜率，以及几乎不动的 163 列里正弦、余弦各占多少": ("rows.std(axis=0)", "rows.std(axis=1)"),
    "九张图里不动的列数；底数 100 时最长的波长和圈数；波长每 10 倍多出的对数": (
        "seq_len, d_model, base=base, dtype=np.float64",
        "seq_len, d_model, dtype=np.float64",
    ),
    "图 5 三步里的数": WITHOUT_TWO_PI,
    "公式给出的距离，与两行编码之差的长度相等": ("np.sin(w * delta / 2)", "np.sin(w * delta)"),
    "分辨率随底数变小；图 6 里谁到了顶、谁还在升；上面的六个平均距离；底数 83 够、82 不够": BASE_IGNORED,
    "从 99 到 100 变了三位数；相位的正弦、余弦就是编码；每一步的距离都相同": (
        "where / 10.0 ** np.arange(4)",
        "where // 10.0 ** np.arange(4)",
    ),
    "20 万步以内，16 维以上的各种维度，最近的另一个位置都是相邻的那一个": (
        "sinpe.angular_frequencies(d_model, base=base)",
        "sinpe.angular_frequencies(d_model, base=base)[:1]",
    ),
    "图 7 的 44 步、710 步；8 维的四个圈数，以及它不如 6 维": ("2 * np.sqrt(sum(", "np.sqrt(sum("),
    "四条误解里的数": BASE_IGNORED,
}
