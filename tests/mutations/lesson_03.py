"""第 03 课：每个验证格、核对格，各有一种说得出的错使它变红。

键是那一格首行冒号后面的字；值是紧接在它前面执行的几行，犯一个常见的错。
"""

MUTATIONS = {
    # i 走 0, 2, 4, …，指数里又乘了 2
    "三重、两重、一重循环、广播和 sinpe 给出同一张表": """
def encode(seq_len, d_model):
    angle = np.arange(seq_len)[:, None] * 10000.0 ** (-2 * np.arange(0, d_model, 2) / d_model)
    pe = np.empty((seq_len, d_model), dtype=np.float32)
    pe[:, 0::2] = np.sin(angle)
    pe[:, 1::2] = np.cos(angle)
    return pe
""",
    # 忘了除以表里数的个数
    "上面关于快慢的话，对 loops.json 里的测量成立": "unit = {name: each * count for name, each in unit.items()}",
    # 中途降到了半精度
    "整数表只剩位置 0 的余弦；float32 表与 float64 的值至多差半个末位单位": "pe = pe.astype(np.float16)",
    # 分母写成了 d/2 - 1
    "exp/log 与直接求幂相等，指数在 (-9.22, 0] 内": (
        "sinpe.angular_frequencies = lambda d_model: np.geomspace(1, 1e-4, d_model // 2)"
    ),
    # 对数算成了一个 float64 的数组
    "用 math.log，角度是 float32；用 np.log，角度的类型由 NumPy 的版本决定": """
class math:
    log = staticmethod(lambda value: np.log(np.full(1, value)))
""",
    # 以为在测 float32 的角度，测的是 float64 的
    "float32 角度的误差与位置成正比；准确值与 math 逐个算的相符": "worst = {start: 2.0**-25 for start in worst}",
    # 没有检查维度
    "sinpe 拒绝 3 到 99 的每个奇数；encode(5, 3) 不报错，第 2 列是第 0 列的副本": "library = encode",
    # [:, None] 其实没有漏
    "忘了 [:, None]，长度不等时报错；seq_len = d_model/2 时不报错，各行相同": "forgot_none = encode",
    # 所有位置都是 0
    "一批里两个相同的样本，正确写法给出相同的输出，加错轴的不同": (
        "encode = lambda seq_len, d_model: sinpe.encode_positions(np.zeros(seq_len), d_model)"
    ),
    # offset 没有用上
    "sinpe 与正确的写法一致，从位置 0 加、接着上文从位置 3 加、两层批次都是": """
right_add = sinpe.add_positional_encoding
sinpe.add_positional_encoding = lambda x, offset=0: right_add(x)
""",
    # 把角度改成了 float32
    "图 5 的读法；正确的两个实现通过全部六项": "encode = classic",
    # 底数多乘了一遍
    "三条误解，分别在 100 × 64、d_model = 8、形状 (5, 4) 上核对": """
right = library
library = lambda seq_len, d_model, base: right(seq_len, d_model, base=base * 10000)
""",
}
