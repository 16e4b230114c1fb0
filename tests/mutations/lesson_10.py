"""第 10 课的验证格，各会被哪一种错变红；见 ``test_mutations.py``。"""

WRONG_LADDER = """
right = sinpe.encode
sinpe.encode = lambda places, d, name="paper", **more: right(
    places, d, "hf_marian" if name == "marian_nmt" else name, **more
)
"""
TRANSPOSED = ("P = np.eye(8)[:, order]", "P = np.eye(8)[order]")

MUTATIONS = {
    "sinpe 按名字复现四家的数组；两排之内只差列的次序，两排之间换次序也换不出来": (
        '"marian_nmt/n5_d8_s0": "marian_nmt"',
        '"marian_nmt/n5_d8_s0": "hf_marian"',
    ),
    "换一个底数，tensor2tensor 的表就成了论文的表": WRONG_LADDER,
    "频率表就是 geomspace 的两种 endpoint；图 2 的各数；维度加倍，差距减半；d = 2 时都是 1": WRONG_LADDER,
    "交错的表右乘 P，与分半的表逐位相同；变回去用转置，不是再乘一次": TRANSPOSED,
    "真实的数组也是如此；余弦在前就是两半对调；用两次只有 d = 4 复原": TRANSPOSED,
    "三个模型都读得准；改布局、改频率表都读错；W 的行跟着换，答案不变；频率表换不回来": ("rcond=1e-7", "rcond=1e-2"),
    "手工的三步与 sinpe.identify 相符；照认出的约定重算，与原表只差 float32 的舍入": (
        "off -= 2 * np.pi * np.round(off / (2 * np.pi))",
        "off %= 2 * np.pi",
    ),
    "七家都认对了；改了名字的几家，数都相同；可疑的三张各得其所；指数加倍只有对照 expected 才算错": (
        "np.where(np.arange(16) % 2, np.cos(angle), np.sin(angle))",
        "np.where(np.arange(16) % 2, np.sin(angle), np.cos(angle))",
    ),
    "换布局一位不差，来回都行；换幅度只差末位；频率表不同就不换": "sinpe.convert = lambda table, source, target: table",
    "总表里的 23 家，都与它们自己算出的数组相符；底数、倍数、五种搭配": """
right = sinpe.encode
sinpe.encode = lambda places, d, name: right(places, d, "paper" if name == "sockeye" else name)
""",
    "与三家的真实输出一致；左填充不改变位置；有缓存与一次送全相同；起点 2 就是起点 0 乘平移矩阵 M_2": """
right = sinpe.add_positional_encoding
sinpe.add_positional_encoding = lambda x, offset=0, base=10000.0: right(x, base=base)
""",
    "四家的网格都复现了，含类别词、通道在前、DETR 的归一化；方的网格互为转置，长方的连行的集合都不同": """
right = sinpe.grid_encoding
sinpe.grid_encoding = lambda *args, axes=("y", "x"), **more: right(*args, **more)
""",
    "三家 7 维的真实输出都复现了；上面三行数与正文所说的公式一致": """
right = sinpe.encode
sinpe.encode = lambda places, d, name: right(places, d, "tensor2tensor" if name == "hf_marian" else name)
""",
    "三条误解各有反例": ('names = "hf_marian", "marian_nmt"', 'names = "hf_marian", "transformer_xl"'),
}
