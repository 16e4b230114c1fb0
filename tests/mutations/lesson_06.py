"""第 06 课的验证格，各由哪一种错变红。"""

MUTATIONS = {
    # 位置仍存成 float32，角度却在 float64 里乘：误差小得多
    "第 1 节的误差、倍数、960 万和整数弧度": (
        "angle = np.asarray(pos, dtype=np.float32)[:, None] * omega",
        "angle = np.asarray(pos, dtype=np.float64)[:, None] * omega.astype(np.float64)",
    ),
    # 角频率在 float32 里算好再放宽
    "float64 的角频率，相对误差可以超过 1.5ε，绝对误差不到 ε 的一半": (
        "exact_frequencies = sinpe.angular_frequencies\n"
        "sinpe.angular_frequencies = lambda d: exact_frequencies(d).astype(np.float32).astype(np.float64)"
    ),
    # 截断而不舍入
    "四个 ε 都是“1 与下一个数之差”，而且都舍入到最近的数，恰在中间时取偶数": (
        "((bits + half) & np.uint32(0xFFFF0000))",
        "(bits & np.uint32(0xFFFF0000))",
    ),
    # 角频率忘了存成低精度，角度也忘了：只剩位置那一次舍入
    "每个误差都不超过 1.5·ε·pos；每一组的最大值超过 0.2·ε·pos，中位数在 1/15 与 1/4 之间；真值就是 sinpe 的角频率": (
        "    rounded = store[name]\n",
        "    rounded = store['float64']\n",
    ),
    # bfloat16 有 8 位有效数字，误作 7 位（漏了隐含的一位）
    "第一个存不下的整数是 257、2049、16777217；4096 个位置存成 bfloat16 后只剩 769 个不同的": (
        '("bfloat16", 2**8)',
        '("bfloat16", 2**7)',
    ),
    # 库里的角频率存成了 float32
    "与独立的真值相比，float32 的误差不超过 2**-25 + 2·ε·pos": (
        "exact_frequencies = encoding.angular_frequencies\n"
        "encoding.angular_frequencies = lambda d, base=10000.0: ("
        "exact_frequencies(d, base=base).astype(np.float32).astype(np.float64))"
    ),
    # 位置先转成了 float32
    "2**24 与 2**24 + 1 的编码不同，各自与真值相符；float64 的承诺 4·ε·pos；4.4e-10 和 1.5 %": (
        "exact_positions = sinpe.encode_positions\n"
        "sinpe.encode_positions = lambda pos, *a, **k: exact_positions(np.asarray(pos, np.float32), *a, **k)"
    ),
    # 库改用了分半布局
    "编码表的一行就是一行复数，实部是正弦，虚部是余弦": (
        "direct = np.concatenate([direct[:, 0::2], direct[:, 1::2]], axis=1)"
    ),
    # 转反了方向
    "逐行旋转与直接计算相符": ("one_step = turn(omega)", "one_step = turn(-omega)"),
    # 粗行的步长写成 63
    "粗细两级与直接计算相符": ("coarse = 1j * turn(64 * steps * omega)", "coarse = 1j * turn(63 * steps * omega)"),
    # 翻倍时转的步数少了 1
    "翻倍得到的细行和粗行，与直接算的相符；4096 行的表，正弦、余弦只要算 12 行": (
        "turn(step * done * omega)",
        "turn(step * (done - 1) * omega)",
    ),
    # 块与块的起点忘了转
    "四步造出的表，与 sinpe 的表至多差一个末位单位，误差不超过承诺": (
        "block = fine_rows * (1j * coarse_rows[c])",
        "block = fine_rows * (1j * coarse_rows[0])",
    ),
    # 角频率存成 float32 再转：旋转的误差远超 ε·pos
    "两种算法的误差都在 ε·pos 之内；256 对里，旋转更准的占三成到七成": (
        "fine_rows = turn(steps * omega.astype(np.float32).astype(np.float64))\n"
        "rotated = (1j * coarse_rows[:, None] * fine_rows).reshape(n, -1)[rows]\n"
        "error_rotated = (np.abs(rotated - true) / scale).max(axis=0)"
    ),
    # 记录里把两种角度的写法弄反了
    "图 4 的图注，记录里的数": (
        "for t in tables:\n"
        "    o = t['over_full']\n"
        "    o['float32 角度'], o['float64 角度'] = o['float64 角度'], o['float32 角度']"
    ),
    # 库改成一次算出整张 float64 的表
    "十万行、512 维，结果 205 MB；记录里 sinpe 另需不到 2 MB，直接写法 200 MB、400 MB 以上；现量一万行也不到 2 MB": (
        "sinpe.sinusoidal_positional_encoding = lambda n, d: ("
        "sinpe.encode_positions(np.arange(n), d, dtype=np.float64).astype(np.float32))"
    ),
    # 相加在 float16 里做
    "先算准再转，误差不超过 2**-9；加好再转，误差至多是转了再加的三分之二；float16 的输入也只舍入一次": (
        "sinpe.add_positional_encoding = lambda x: x + sinpe.sinusoidal_positional_encoding(*x.shape, dtype=x.dtype)"
    ),
    # 拿来比的那一份，位置从 1 数起
    "float32 里，两种写法在位置 5000 之后的误差相差不到一倍": (
        "from_zero = sinpe.encode_positions\n"
        "sinpe.encode_positions = lambda pos, *a, **k: from_zero(np.asarray(pos) + 1, *a, **k)"
    ),
    # 分块改大了，课文没有跟着改
    "512 维的表，翻倍 5 次，转到组的第一块 1 次，组内逐块再转 15 次，共 21 次": "encoding._BLOCK = 1 << 15",
}
