"""速查的核对格，各会被哪一种错变红。"""

MUTATIONS = {
    "手算的表、波长、平移矩阵的块、核、精度": (
        "move, g = sinpe.shift_matrix(3, 64)",
        "move, g = sinpe.shift_matrix(-3, 64)",  # 转反了
    ),
    "六种约定的布局、频率表和首位置；五条检查对论文的表全过，对写错的不全过": (
        "np.allclose((pairs**2).sum(axis=2), 1)",
        "np.allclose((pairs**2).sum(axis=1), 1)",  # 沿错了轴
    ),
}
