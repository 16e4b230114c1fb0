"""第 13 课的验证格，各会被哪一种错变红。"""

MUTATIONS = {
    "展品 1、2、3 的首行都红，改好的绿": ("np.tile([0.0, 1.0], len(row) // 2)", "np.tile([1.0, 0.0], len(row) // 2)"),
    "展品 4、5、6 不成对，改好的成对": (
        "table = encode(near)\n    return close(table[:, 0::2]",
        "table = encode([0])\n    return close(table[:, 0::2]",  # 只看了位置 0
    ),
    "展品 2 印出的数；展品 4 的四个数；展品 5 的循环写出来与它逐数相同；慢到原来的 0.1": (
        'mystery = commit("own-exponent-doubled", np.arange(64), 16)',
        'mystery = commit("own-exponent", np.arange(64), 16)',
    ),
    "转速的三条查得出展品 7 到 10，改好的三条都绿": (
        "return bool(np.all(np.diff(turns(encode)) < 0))",
        "return bool(np.all(np.diff(turns(encode)) <= 0))",  # 一样快也算渐慢
    ),
    "展品 9 的频率，展品 7 在 d = 128 时也全是 1，展品 8 涨到几千": (
        '9: (("exp-of-index-endpoint", "halves"), "首频", 16)',
        '9: (("exp-of-index-endpoint",), "首频", 16)',
    ),
    "展品 11 同距、平移都红，改好的都绿；只看非负的位置，就查不出来": (
        "near, far = np.arange(-20, 60)",
        "near, far = np.arange(60)",  # 没有负的位置
    ),
    "展品 12、13、14 不逐步，展品 15 不同句；改好的都绿": (
        "encode([pos]) for pos in near]",
        "encode(near) for pos in near[:1]]",  # 没有一个一个地算
    ),
    "展品 13 单看是一张正确的表；展品 14 长度相同的第二次就错；展品 12 相邻两行相同": (
        "cache.setdefault(len(positions), mend(positions))",
        "cache.setdefault(tuple(positions), mend(positions))",  # 键里有了全部位置，就不错了
    ),
    "展品 16、17、18 在远处都红，改好的绿；近处 80 个位置，首行、成对、首频三条都绿": (
        "np.arange(2040, 2100)",
        "np.arange(40, 100)",  # 不够远
    ),
    "展品 16 两行两行相同；gpt-neox 报告里的角度；bfloat16 差出 0.37 弧度；float32 的余地；float16 只舍入一次": (
        '16: (("position-float16",), "平移", 16)',
        '16: (("position-float32",), "平移", 16)',
    ),
    "修了一半的表，同距、平移都绿，只有公比和远处还红": (
        "formula = 10000.0 ** (-np.arange(len(omega)) / len(omega))",
        "formula = 1e8 ** (-np.arange(len(omega)) / len(omega))",  # 也加倍了
    ),
    "换列而不换权重，输出就变；一起换，与原来相同。乘方从右往左算": (
        "order = np.arange(16).reshape(2, 8).T.ravel()",
        "order = np.arange(16)",
    ),
    "Sockeye 换了列就是论文的；ddpm 的最慢一对恰好 1/10000，十条里只有公比、远处红；每列自己的指数没有平移矩阵": (
        'sinpe.encode(positions, 16, "ddpm", dtype=np.float64)',
        'sinpe.encode(positions, 16, "hf_marian", dtype=np.float64)',  # 这一种是论文的频率
    ),
    "每件展品在陈列它的那一条上红；改好的十条全绿；没有一条查得出全部": (
        "close(encode([0, 0, 0, 1, 2])[2:], encode([0, 1, 2]))",
        "close(encode([0, 1, 2]), encode([0, 1, 2]))",  # 忘了填充
    ),
    "每件展品变红的各条，照各自的“变红”那一行；远处漏掉 11 和 14；只有 14 是一条查得出": (
        "np.arange(2040, 2100)",
        "np.arange(-2100, -2040)",
    ),
    "十九件展品都报错，改好的、float32 的都通过": (
        "low=-20, far=4095",
        "low=-20, far=95",  # 不够远
    ),
    "identify 叫得出九件，五件只说不对在哪里，13 和 15 说没有错": (
        'shown.get(k, np.arange(64))), expected="paper")',
        'np.arange(64)), expected="paper")',  # 都从位置 0 看起：13、15 碰巧对了，16 到 18 在近处
    ),
    "目录以外的写法，对的五种都通过，错的八种都报错": (
        "f(np.r_[9, 0, 1])[1:]",
        "f(np.r_[0, 0, 1])[1:]",  # 排过次序的也过得去
    ),
}
