"""第 07 课的验证格，各会被哪一种错变红。"""


def _with(name, wrong):
    """验证格里用的 np，换成有一个函数写错了的。"""
    return f"""
import types

real = np
np = types.SimpleNamespace(**{{known: getattr(real, known) for known in dir(real)}})
np.{name} = {wrong}
"""


MUTATIONS = {
    "拼接以后的乘积拆成两项；两半取同一个矩阵，就是相加": _with(
        "vstack", "lambda parts: real.vstack(parts[::-1])"
    ),  # 上下两半放反了
    "82%、163 列、16 个方向；26 与 32 个方向；32 种词以内误差不到 1e-9，40 种超过 0.1；各读对多少": (
        "vocabulary = vocabulary - vocabulary @ keep_place",
        "vocabulary = vocabulary @ keep_place",  # 投影反了：词全落在位置的方向里
    ),
    "20 种随机的词、200 个位置，不同的词的和，最近也隔着相邻两个位置的五倍以上": (
        "codes = sinpe.encode_positions(np.arange(N), D, dtype=np.float64)",
        "codes = 8 * sinpe.encode_positions(np.arange(N), D, dtype=np.float64)",  # 编码也乘了 √d
    ),
    "四种初始化的长度与两种余弦；编码长 16；标准差 0.02 的长 0.45": (
        "np.sqrt(width * v) * draws",
        "width * v * draws",  # 方差当成了标准差
    ),
    "300 次平均下来，两种都回到词加编码；加完再丢，丢掉的格里什么都不剩": _with(
        "where",
        "lambda keep, kept, lost: real.where(keep, kept * 0.9, lost)",  # 没有除以留下的比例
    ),
    "库里的函数总是沿倒数第二个轴；相同的两句结果相同，打乱批里的次序只是换位": """
def by_batch(x, **more):
    return x + codes[: len(x), None]  # 沿批的轴加


sinpe.add_positional_encoding = by_batch
""",
    "挡住填充，那里放什么都一样；没挡、只清零、平均时数了填充，就变了": (
        "scores = np.where(visible, scores, -np.inf)",
        "scores = np.where(visible, scores, 0)",  # 挡住的写成 0，不是负无穷：填充被数了进去
    ),
    "左边补了两格的句子，编码与不补时逐个相同，注意力的输出也相同；照列号来加就不同": (
        "where = sinpe.positions_from_mask(mask)",
        "where = np.arange(6) + 0 * mask",  # 用了列号，填充也占了号
    ),
    "逐个送与一次送完相同，先送 12 个再逐个送也相同；忘了 offset，只有第一个词是对的": (
        "offset=offset_of(keys)",
        "offset=max(offset_of(keys) - 1, 0)",  # offset 少了 1
    ),
    "测出的误差与 σ/ω 相差不到一成，波长与它之比处处是 2π/σ；三种读法，读对的比例与错的远近": (
        '"最快的 4 对": slice(0, 8), "最慢的 8 对": slice(48, 64)',
        '"最快的 4 对": slice(56, 64), "最慢的 8 对": slice(0, 16)',  # 以为越往右越快
    ),
    "起点挪两格，就是每一行转过 M_2；同样的权重，输出却变了；再加一次得到 2x + p；一百万也照样加": """
plain = add
add = lambda x, offset=0: plain(x)  # offset 没有传下去
""",
}
