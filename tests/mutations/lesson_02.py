"""第 02 课的验证格，各会被哪一种错变红。"""

# 换掉库里的一个函数；right 是原来的
ENDPOINT = "sinpe.angular_frequencies = lambda d, *, base=10000.0: np.geomspace(1, 1 / base, d // 2)"
DOUBLED_EXPONENT = """
right = sinpe.encode_positions
sinpe.encode_positions = lambda pos, d, **more: right(pos, d, base=1e8, **more)
"""

MUTATIONS = {
    "正弦表在两段里，最高分都在往前第三格；随机数只在凑过的那一段": (
        "M_3 = sinpe.shift_matrix(3, 64)",
        "M_3 = sinpe.shift_matrix(3, 64).T",  # 方向反了，看的是后面第三个
    ),
    "成绩表逐格相符；没通过平移一致的，误差远在 1e-9 以上；第 3 节正文里的数": (
        "// 2.0 ** np.arange(20) % 2",
        "/ 2.0 ** np.arange(20) % 2",  # 忘了取整
    ),
    "15 秒里各指针转过的角度；43200 秒各不相同": ("[43200, 3600, 60]", "[86400, 3600, 60]"),  # 时针一天一圈
    "c = 1.05 走到一百以外；c = 1 是等差数列；c = 0.95 走十万步也没有走远，18 步差一点绕满一圈": (
        "2 * c * codes[-1]",
        "c * codes[-1]",  # 式 (1) 漏了 2
    ),
    "六步的等式，一步一行": ("mystery(np.pi / 2 / omega)", "mystery(np.pi / omega)"),  # 四分之一圈写成半圈
    "sinpe 的表是 (sin p, cos p)，shift_matrix(k) 是上面的旋转矩阵": (
        "right = sinpe.shift_matrix\nsinpe.shift_matrix = lambda *a, **more: right(*a, **more).T"
    ),
    "d_model = 8 的四对，走 2000π 步一起回到原处；相邻的整数步都没有": DOUBLED_EXPONENT,
    "恒等式 (2)，Δ 从 0 到 9999；图 5 里对得上的根数": ENDPOINT,
    "每远十倍加 16；斜率 6.95；均匀随机换五组数也一样；等差的 195；余量": (
        "return 2 * (1 - np.cos",
        "return (1 - np.cos",  # 弦长的平方漏了 2
    ),
    "手算的一行与 sinpe 的表相符，是 (0.8415, 0.5403, 0.0100, 0.99995)": ("1 - 0.01**2 / 2,", "1 - 0.01**2,"),
    "两种写法相等；多乘一个 2，等于底数 10000**2": ENDPOINT,
    "论文的公式和五种改法都通过检查；表都与论文的不同；底数换了，平移矩阵、相加都要跟着换": (
        "right = sinpe.shift_matrix\nsinpe.shift_matrix = lambda k, d, *, base=10000.0: right(k, d)"
    ),
    "1000 个位置，每一列里靠得最近的两个数；整串数两两至少相距 0.645": (
        "right = sinpe.sinusoidal_positional_encoding\n"
        "sinpe.sinusoidal_positional_encoding = lambda n, d, **more: right(n, d, base=100.0, **more)"
    ),
    "位置 10001 与位置 1，d_model = 8 的四对各相距多少；d_model = 512 的第 13 对转了几圈": DOUBLED_EXPONENT,
}
