"""第 05 课的验证格，各会被哪一种错变红；见 ``test_mutations.py``。"""

OTHER_WAY_ROUND = ("np.array([[c, s], [-s, c]])", "np.array([[c, -s], [s, c]])")
KERNEL_IGNORES_BASE = """
right = sinpe.similarity_kernel
sinpe.similarity_kernel = lambda offsets, d_model, base=10000.0: right(offsets, d_model)
"""
KERNEL_IS_AVERAGED = """
right = sinpe.similarity_kernel
sinpe.similarity_kernel = lambda offsets, d_model, base=10000.0: right(offsets, d_model, base=base) / (d_model / 2)
"""

MUTATIONS = {
    "同一个 M_k 对每个位置都管用": OTHER_WAY_ROUND,
    "手写的 M_k 与库里的相等；换一个底数也移得动；图 1 的四段弧；上面四行里的数": """
right = sinpe.shift_matrix
sinpe.shift_matrix = lambda k, d_model, base=10000.0: right(k, d_model)
""",
    "图里三步所说的：转角与位置无关，反向是转置，25 步时第 0 对几乎转回原处": (
        "rows = sinpe.sinusoidal_positional_encoding(1300, 8, dtype=np.float64)",
        "rows = sinpe.sinusoidal_positional_encoding(1300, 8, base=500.0, dtype=np.float64)",
    ),
    "位置 0 在正上方，走一步是顺时针；两列对调、反向平移，各要换成转置": OTHER_WAY_ROUND,
    "步数相加，矩阵相乘；反着走就是转置，也就是逆": (
        "np.cos(omega * k), np.sin(omega * k)",
        "np.cos(omega * abs(k)), np.sin(omega * abs(k))",
    ),
    "平移 k 步，就是给每个复数乘上 exp(-jωk)": ("rows.view(np.complex128)", "rows.view(np.complex128).conj()"),
    "慢对的角度、四种形状的误差、数值秩、平方和、两次拟合": ("(512, 64, offset=10,", "(512, 64, offset=11,"),
    "转过许多圈的对，只用正弦时 R² 等于 cos²(ωk)（观察）；正弦和余弦合用时等于 1（恒等式）": (
        "np.sum((target - target.mean()) ** 2)",
        "np.sum(np.abs(target - target.mean()))",
    ),
    "长度都是 √(d/2)；内积等于 g(m - n)，也等于库里的核": KERNEL_IS_AVERAGED,
    "第一次回升、第一次为负、上升的步数、定律的误差、d = 4 的 622、最高的一处": """
right = sinpe.similarity_kernel
sinpe.similarity_kernel = lambda offsets, d_model: right(offsets, d_model, base=9000.0)
""",
    "距离的平方等于 d - 2g(k)；位置 6 比位置 5 离位置 0 更近": KERNEL_IS_AVERAGED,
    "图里三步所说的：回升的两处，100 步附近的平均，500 步以内没有为负，波浪还在": KERNEL_IGNORES_BASE,
    "一个只装 4 对的头，每个位置都最关注前面第 3 个位置；它的秩是 8，M_3 的秩是 64": (
        "W_Q = sinpe.shift_matrix(3, 64)[:, :8]",
        "W_Q = sinpe.shift_matrix(3, 64).T[:, :8]",
    ),
    "左右等距的两个位置，内积相等；整个 M_3 也指向前面第 3 个位置；共轭相乘": OTHER_WAY_ROUND,
    "三条误解各有反例": (
        "W = np.random.default_rng(0).normal(size=(64, 64)) / 8",
        "W = sinpe.shift_matrix(2, 64)",
    ),
}
