"""第 07 课的验证格，各会被哪一种错变红。"""

MUTATIONS = {
    "拼接以后的乘积拆成两项；两半取同一个矩阵，就是相加": (
        "np.vstack([upper, lower])",
        "np.vstack([lower, upper])",  # 上下两半放反了
    ),
    "82%、163 列、16 个方向": ("np.arange(50), 512", "np.arange(1, 101), 512"),  # 数了 100 个位置
    "48 种以内全对，64 种起有错；编码的数值秩是 33": (
        "words = 0.5 * np.random.default_rng(0).normal(size=(count, D))",
        "words = 0.5 * np.random.default_rng(0).normal(size=(2 * count, D))[::2] * 0",  # 词没有加上去
    ),
    "正文里的几个长度": ("draws.normal(size=(1000, d)) / np.sqrt(d)", "draws.normal(size=(1000, d)) / d"),
    "加完再丢，丢掉的格里词和位置都没有了；丢了词再加，编码还在": (
        "after = np.where(keep, (tokens + codes) / 0.9, 0)",
        "after = np.where(keep, tokens / 0.9, 0) + codes",  # 丢了词才加位置
    ),
    "库里的函数总是沿倒数第二个轴；两句相同的话结果相同，打乱批里的次序只是换位": """
def by_batch(x, **more):
    return x + codes[: len(x), None]  # 沿批的轴加


sinpe.add_positional_encoding = by_batch
""",
    "挡住填充，真实的词不受影响；没挡、或者平均时数了填充，就变了": (
        "scores = np.where(mask, q @ k.T / np.sqrt(D), -np.inf)",
        "scores = np.where(mask, q @ k.T / np.sqrt(D), 0)",  # 挡住的写成 0，不是负无穷：填充被数了进去
    ),
    "左边补了两格的句子，与不补时逐个相同；照列号来加就不同": (
        "places = sinpe.positions_from_mask(mask)",
        "places = np.arange(6) + 0 * mask",  # 用了列号
    ),
    "逐个、五个五个地送，都与一次送完相同；忘了 offset 就不同": """
plain = sinpe.add_positional_encoding
steps = [plain(stream[:, t : t + 1], offset=max(t - 1, 0)) for t in range(20)]  # offset 少了 1
""",
    "测出的分辨率与 σ/ω 相差不到一成，量程与分辨率之比处处是 2π/σ": (
        "angle = np.arctan2(0 + noise[:, 0], 1 + noise[:, 1])",
        "angle = np.arctan(noise[:, 0] / np.abs(noise[:, 1]))",  # 漏了余弦的 1
    ),
}
