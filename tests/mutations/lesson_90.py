"""第 90 页的验证格，各会被哪一种错变红。"""

PE = "sinpe.encode_positions(pos, d, dtype=np.float64, **more)"  # 第一格里 pe 的定义


def instead(name, wrong):
    """换掉 sinpe 里的一个函数；wrong 里的 original 是原来的那个。"""
    return f"original = sinpe.{name}\nsinpe.{name} = {wrong}"


BASE = (PE, 'sinpe.encode_positions(pos, d, dtype=np.float64, **(more | {"base": 100}))')  # 底数写成了 100
DOUBLE = (PE, 'sinpe.encode_positions(pos, d, dtype=np.float64, **(more | {"base": 1e8}))')  # 指数里的 2 乘了两遍
ANGLE = "np.asarray(pos)[..., None] * 10000.0 ** (-np.arange(d) / d)"
OWN = (PE, f"np.where(np.arange(d) % 2, np.cos({ANGLE}), np.sin({ANGLE}))")  # 余弦用了自己的指数
ONE = (PE, "sinpe.encode_positions(np.asarray(pos) + 1, d, dtype=np.float64, **more)")  # 从 1 数起
HALVES = (PE, 'sinpe.encode(pos, d, "hf_marian", dtype=np.float64)')  # 布局成了前后两半
NOTHING = (PE, "np.zeros((*np.shape(pos), d))")  # 忘了加
# 拼接时词和位置放反了
SWAPPED = """class Swapped:
    def __getattr__(self, name):
        return getattr(numpy, name)

    def hstack(self, parts):
        return numpy.hstack(parts[::-1])


numpy, np = np, Swapped()
"""

MUTATIONS = {
    "逐列写出公式，i 走遍 0 到 d/2 - 1，正好填满 d 列": HALVES,
    "第 0 行和第 1 行都是一半正弦、一半余弦：平方和各是 d/2 = 32": (
        PE,
        "(np.cos if pos % 2 else np.sin)(pos * sinpe.angular_frequencies(2 * d))",
    ),
    "2 乘两遍，就是底数一亿；512 个位置里动不到 0.01 弧度的从 0 对变成 13 对": instead(
        "angular_frequencies", "lambda d, *, base=10000.0: original(d, base=base ** 0.5)"
    ),
    "有 // 时等于公式；没有时，位置 1 的一对平方和不是 1": OWN,
    "用 2i 时每一行的长度都是 √32 = 5.657；用 2i+1 时 200 行里在 5.30 与 6.04 之间变": OWN,
    "每一对的余弦列，都是正弦列提前四分之一圈": OWN,
    "float64 下两种写法相等；float32 下，5000 个位置的最大误差都在 1e-4 与 1e-3 之间": DOUBLE,
    "两种布局的内积表相同，列却不同；换列的次序就能互换": HALVES,
    "d = 4、位置 1 的三种第 2 列：0.0100、0.0001、0.0998": DOUBLE,
    "最慢的角频率之比，d = 4 是 100，d = 512 是 1.037；换算会被拒绝": instead(
        "angular_frequencies", "lambda d, **k: np.geomspace(1, 1 / 10000, d // 2)"
    ),
    "奇数被拒绝；多出的一列单独看，长度随位置变": OWN,
    "建 100 行和建 5000 行，前 100 行逐位相同": instead(
        "sinusoidal_positional_encoding", "lambda n, d: original(n, d, base=n)"
    ),
    "位置 1 的第 0 列是 0.8415；当成度则是 0.0175": (
        PE,
        "sinpe.encode_positions(np.deg2rad(pos), d, dtype=np.float64)",
    ),
    "对的表认作论文的；余弦用了自己的指数的表，认出来是写错": OWN,
    "没有编码，打乱输入只会打乱输出；加了编码就不是": NOTHING,
    "换一种排法，平均的输出：不加、照坐标加，都不变；照号码加，就变": NOTHING,
    "位置 0，逐个相乘以后两个不同的词变得一样；相加不会；旋转不改长度，倒着转就回来": HALVES,
    "用公式填好一张“学来的”表，查表再加，与直接加相同；改动一行，只影响那个位置": instead(
        "add_positional_encoding", "lambda x: original(x, offset=1)"
    ),
    "词全都一样时，只加给 Q 和 K，各个位置的输出相同；加在输入上，就不同": NOTHING,
    "一段之内，从 0 数和接着数，内积处处相同；接着数，第二段没有一行与第一段重复": OWN,
    "前面多一个记号，每一行推一步 M_1，内积不变；一行 0 不是任何位置的编码": instead(
        "shift_matrix", "lambda k, d: original(-k, d)"
    ),
    "输出不相同，换回次序才相同；平均以后相同": (
        "scores = q @ k.T / np.sqrt(len(w[0]))",
        "scores = q @ k.T / np.sqrt(len(w[0])) - np.arange(len(x))",
    ),
    "由前几对读出的角度，就是 pos·ω 去掉整圈": ONE,
    "一对能线性地推到下一步，误差只有舍入；单独一个正弦推不出": (
        PE,
        "np.sin(np.asarray(pos)[..., None] * [1.0, 1.0]) ** [1, 2]",
    ),
    "k = 10，最快的一对：两个自变量系数恰为 cos 10、sin 10；只用正弦，R² 约 0.70": (
        PE,
        "np.sin(np.asarray(pos)[..., None] * [1.0, 0.5])",
    ),
    "位置 500 的序号是长为 1 的词向量的 500 倍；编码的长度在哪里都是 √32": OWN,
    "除以长度，一步从 0.1 变成 0.001；用编码，走一步的距离与长度、位置都无关": OWN,
    "7 到 8 翻四位，6 到 7 只翻一位；编码每走一步，距离都相同": OWN,
    "底数越大，最长的波长越长，50 个位置里不怎么动的列也越多": BASE,
    "d = 64、长度 100 时，底数 100 的最长波长已够（544）；十万则要大于 20,000 的底数": instead(
        "wavelengths", "lambda d, *, base: original(d, base=10000.0)"
    ),
    "位置 1 和 10001 的编码相距 7.8，与旁边的位置差不多": (
        PE,
        "sinpe.encode_positions(np.asarray(pos) % 10000, d, dtype=np.float64)",
    ),
    "最短 2π；最长在 d = 4、64、512 时是 628、47117、60611，都不到 62832": instead(
        "wavelengths", "lambda d: 2 * np.pi * np.geomspace(1, 10000, d // 2)"
    ),
    "一对时，位置 0 与 710 只差 6e-5；64 维时，离位置 0 最近的总是旁边的一个": (
        PE,
        "sinpe.encode_positions(pos, d, dtype=np.float64, **more).round(3)",
    ),
    "50 个位置、512 维：163 列的标准差小于 0.01；底数 100 时一列也没有": DOUBLE,
    "(3, 10)、(103, 110) 两组位置的内积相同，等于核在距离 7 的值；编码本身不同": OWN,
    "拼接再乘，等于词和位置各乘各的再相加；两个矩阵相同，就等于先加再乘": SWAPPED,
    "平均向量占长度的 82%；减去它，前 16 个方向占方差的 99%，15 个不够": BASE,
    "200 个随机的词、50 个位置，一万种和，不同的词最近也相距 7.1": NOTHING,
    "d = 512：编码长 16；两种初始化的词，乘 √d 前后长 1、22.6 和 22.6、512": OWN,
    "把每一行除以自己的长度，等于整张表除以 √(d/2)": OWN,
    "丢一成、其余除以 0.9，两万次平均以后仍是原来的编码，单独一次却不是": OWN,
    "两句不同的话，和减去词，剩下的是同一张表": ONE,
    "两次独立算出的表逐位相同，没有随机数，也没有要存的状态": ONE,
    "返回和的模块，再 += 一次，得到 2x + PE": ONE,
    "24 层随机更新以后，位置那一份还在和里，占长度的比例却一层层变小": OWN,
    "512 行的表，第 600 行查不到；公式照样给出，而且就是 M_88 把第 512 行推过去的结果": BASE,
    "两边的第 k 行都是同一行；接着数则是另一行": ONE,
    "预先建好的 50 行加不到 60 个词上；现算就可以，与一次建 60 行相同": ONE,
    "d = 64、训练长度 512：16 对走满一圈，其余 16 对到了 2048 都有没见过的角度": BASE,
    "位置除以 4 以后，都在训练的范围内，每隔四个恰是见过的行；相邻的距离变成 0.26 倍": (
        PE,
        "sinpe.encode_positions(np.asarray(pos).astype(int), d, dtype=np.float64)",
    ),
    "直接加，结果成了 float64；换成 float32 再加，类型不变，编码只差半个末位单位": ONE,
    "float16 的位置 2049 变成 2048，前两列里错了 0.9；先算后换，误差不到 0.0003": (
        PE,
        "sinpe.encode_positions(np.asarray(pos, np.float16), d, dtype=np.float64)",
    ),
    "小数和负数照样平移；时间压到 [0, 1] 以后，最慢的 24 对几乎不动": BASE,
    "5000 × 512 的 float32 是 10.24 MB；只要的三行现算，与整张表里的相同": instead(
        "encode_positions", "lambda p, d: original(np.asarray(p) + 1, d)"
    ),
    "d = 64、128、512：第一次上升在 6、12、44，第一次为负在 725、1707、3284": instead(
        "similarity_kernel", "lambda o, d: original(o, d, base=100.0)"
    ),
    "中间放 M_3，每一行最高的都在左边三步；放 M_{-3}，在右边三步": instead(
        "shift_matrix", "lambda k, d: original(abs(k), d)"
    ),
    "随机的矩阵，同一距离的分数各处不同；单位矩阵，处处相同": OWN,
    "有因果掩码，打乱输入就不只是打乱输出；没有，就只是打乱": ("if causal else scores", "if not causal else scores"),
    "同一个 M_5 适用于一百万以内的各处；2 × 2 的块，换成（余弦，正弦）就是转置": BASE,
    "相距 4 的两组，差向量不同，长度相同，等于由核算出的": OWN,
    "标准差 0.2 的噪声，一千个位置都认得出": (PE, "sinpe.encode_positions(pos, d, dtype=np.float64, base=1e30)"),
    "改动最慢一对的两列，第一个头（前 8 列）的查询也变了；直接切输入则不变": OWN,
    "批次里放两份同样的句子：沿序列加，两份相同；沿批次加，两份不同": NOTHING,
    "在 (1, 10, 8) 的表上，[:, 0, 0::2] 报错，[0, :, 0::2] 填得进": HALVES,
    "换一个 max_len 重算，共有的行逐位相同，所以不必随权重存盘": ONE,
    "从 0 与从 2 数起，内积表相同；混用则第 0 行就不同": OWN,
    "带上已缓存的长度，逐词与整句逐位相同；不带，只有第一个词对": instead(
        "add_positional_encoding", "lambda x, offset=0: original(x, offset=offset + (offset > 0))"
    ),
    "同一句话，左填充 3 个与不填充，真实的词得到同样的编码；用 arange 就不同": instead(
        "positions_from_mask", "lambda mask: np.arange(len(mask))"
    ),
    "掩掉填充以后，填充处放什么，真实的词的输出都相同；只清零、不掩，就不同": (
        "np.where(np.tri(len(x)), scores, -np.inf)",
        "np.where(np.tri(len(x)), scores, -1.0)",
    ),
    "两句拼成一行，各从 0 数起，每句的和与单独算时逐位相同": instead(
        "add_positional_encoding", "lambda x, positions=None: original(x)"
    ),
    "三种约定的表，都认得出布局和频率表；第 0 行就分得开交替与前后两半": instead(
        "encode", "lambda p, d, name: original(np.asarray(p) + 1, d, 'paper')"
    ),
    "坐标乘 2π 以后，底数 20 时每一对都转过 0.3 弧度以上；底数 10000 时只有 11 对": instead(
        "angular_frequencies", "lambda d, *, base: original(d)"
    ),
    "第 (r, c) 格的 64 列，一半是 r 的编码，一半是 c 的编码": ONE,
    "ddpm 的表是前后两半，最慢的频率恰是 1/10000，与论文的不同": instead(
        "encode", "lambda p, d, name, **k: original(p, d, 'guided_diffusion', **k)"
    ),
    "转过以后，分数只看距离，长度不变；相加的，分数随绝对位置变": instead(
        "rotary_embedding", "lambda x, p: original(x, np.sqrt(p))"
    ),
    "-0.25·距离 一直下降；正弦的核有升有降": instead("similarity_kernel", "lambda o, d: -np.asarray(o, float)"),
}
