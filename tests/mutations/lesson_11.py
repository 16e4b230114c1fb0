"""第 11 课的验证格，各会被哪一种错变红。"""

MUTATIONS = {
    "不等间隔时，平移仍是同一个矩阵，内积仍只取决于相差多久": (
        "moments = np.array([0.0, 0.25, 1.75, 7.5, 19.125])",
        "moments = np.float32(np.array([0.0, 0.25, 1.75, 7.5, 19.125]) + 1.7e9)",  # Unix 时间存成了 float32
    ),
    "位置过了 2^24，float64 的编码仍分得开，减起点只是一次平移": """
right = sinpe.encode_positions
sinpe.encode_positions = lambda where, *a, **more: right(np.float32(where), *a, **more)  # 位置成了 float32
""",
    "float32 在 17 亿处相隔 128；减了起点就都分得开；254 的那点误差，编码至多差 2e-5": (
        "elapsed = (epoch - epoch[0]).astype(np.float32)",
        "elapsed = narrow - narrow[0]",  # 先存成 float32，再减起点，就晚了
    ),
    "有效秩 1.05 和 47.6，几个方向平分就是几；0.027、11.3；diffusers 乘 1000 的真实输出": (
        "endpoint=False, scale=1000)",
        "endpoint=False, scale=1)",  # 忘了乘 1000
    ),
    "(5) 与直接相加相符；底数照 (2) 取，最慢的一对全程恰好一圈": (
        "return (parts / (2 * np.pi)) ** (width / (width - 2))",
        "return parts / (2 * np.pi)",  # 以为最慢的角频率是 1/b
    ),
    "图 2 四步所说的；187 是最小值；166 与 10000 的分辨率和有效秩": (
        "phases = scale * np.asarray(times)",
        "phases = np.asarray(times)",  # 忘了乘倍数
    ),
    "核在 24 小时处没有回升；日历的在 168 小时回到 1；转满一周期是单位矩阵；库里写作 scale": (
        "angle = 2 * np.pi * hours / period",
        "angle = hours / period",  # 忘了 2π
    ),
    "相加时只有对调的格子相撞；拼接时不相撞，内积是两个核之和；相加的内积随地方而变": (
        "appended = sinpe.grid_encoding(H, W, 64",
        "appended = sinpe.grid_encoding(W, H, 64",  # 高和宽对调，形状照样对
    ),
    "七家的八个真实输出都复现了": (
        '"moco_v3/h2_w3_d8": ((2, 3, 8), {**flipped, "order": "F"})',
        '"moco_v3/h2_w3_d8": ((2, 3, 8), flipped)',  # 没有按列摊平
    ),
    "高与宽对调，形状不变，错第 2 到 5 行；方的网格上轴对调就是转置，长方的不是": (
        "right = sinpe.grid_encoding(2, 3, 8)",
        'right = sinpe.grid_encoding(2, 3, 8, order="F")',  # 摊平的次序错了
    ),
    "插值短了的倍数；整数坐标就是 grid_encoding；diffusers、DETR 的真实输出；19 对与 0 对": (
        "return np.concatenate([first, second], axis=-1).reshape(-1, width)",
        "return np.concatenate([first, second], axis=-1).swapaxes(0, 1).reshape(-1, width)",  # 按列摊平了
    ),
    "V-JEPA 和 CogVideoX 的真实输出；第 9 格": (
        "depth=2, widths=(8, 4, 4))",
        'depth=2, axes=("y", "x", "z"), widths=(4, 4, 8))',  # 时间放到了最后
    ),
    "四个误差；随机的五组都在 0.32 与 0.43 之间；36 弧度；圆的核；NeRF 有无 π 的值；Perceiver 的真实输出": (
        "200 * sinpe.angular_frequencies(64, base=smallest_base(200, 64))",
        "sinpe.angular_frequencies(64, base=smallest_base(200, 64))",  # 忘了乘倍数
    ),
}
