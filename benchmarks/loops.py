"""第 03 课的计时：同一张表，三重、两重、一重循环、广播、sinpe 各要多少秒。

python benchmarks/loops.py        约半分钟，写出 loops.json
"""

import math
import statistics

import numpy as np
from common import interleave, machine, median_ratio, save

import sinpe

SIZES = [(8, 8), (16, 16), (32, 32), (64, 64), (128, 128), (256, 256), (512, 512), (1024, 512)]
PASSES = 5  # 每种大小分五趟测，机器一时忙碌只影响其中一趟


def three_loops(seq_len, d_model):
    pe = np.empty((seq_len, d_model), dtype=np.float32)
    for pos in range(seq_len):
        for i in range(d_model // 2):
            for k, function in enumerate((math.sin, math.cos)):
                angle = pos * 10000 ** (-2 * i / d_model)
                pe[pos, 2 * i + k] = function(angle)
    return pe


def two_loops(seq_len, d_model):
    pe = np.empty((seq_len, d_model), dtype=np.float32)
    for pos in range(seq_len):
        for i in range(d_model // 2):
            angle = pos * 10000 ** (-2 * i / d_model)
            pe[pos, 2 * i] = math.sin(angle)
            pe[pos, 2 * i + 1] = math.cos(angle)
    return pe


def one_loop(seq_len, d_model):
    omega = 10000.0 ** (-2 * np.arange(d_model // 2) / d_model)
    pe = np.empty((seq_len, d_model), dtype=np.float32)
    for pos in range(seq_len):
        pe[pos, 0::2] = np.sin(pos * omega)
        pe[pos, 1::2] = np.cos(pos * omega)
    return pe


def broadcast(seq_len, d_model):
    pos = np.arange(seq_len)[:, None]
    omega = 10000.0 ** (-2 * np.arange(d_model // 2) / d_model)
    angle = pos * omega
    pe = np.empty((seq_len, d_model), dtype=np.float32)
    pe[:, 0::2] = np.sin(angle)
    pe[:, 1::2] = np.cos(angle)
    return pe


CONTENDERS = {
    "三重循环": three_loops,
    "两重循环": two_loops,
    "一重循环": one_loop,
    "广播": broadcast,
    "sinpe": sinpe.sinusoidal_positional_encoding,
}


def check(seq_len, d_model):
    """先确认各种写法算的是同一张表：float32 各舍入一次，至多偏到相邻的一个。"""
    for encode in CONTENDERS.values():
        np.testing.assert_allclose(encode(seq_len, d_model), three_loops(seq_len, d_model), rtol=0, atol=2**-24)


def measure(seq_len, d_model):
    contenders = {name: lambda encode=encode: encode(seq_len, d_model) for name, encode in CONTENDERS.items()}
    return interleave(contenders, rounds=min(100, max(5, 2**18 // (seq_len * d_model))))  # 小表一次几微秒，多跑几轮


def summary(seq_len, d_model, seconds):
    """各写法的中位秒数，以及同一轮里与广播之比的中位数，都取三位有效数字。"""
    ratio = {name: median_ratio(seconds, name, "广播") for name in seconds}
    return {
        "seq_len": seq_len,
        "d_model": d_model,
        "rounds": len(seconds["广播"]),
        "seconds": {name: float(f"{statistics.median(times):.3g}") for name, times in seconds.items()},
        "ratio_to_broadcast": {name: float(f"{value:.3g}") for name, value in ratio.items()},
    }


def main():
    times = {size: {name: [] for name in CONTENDERS} for size in SIZES}
    for size in SIZES:
        check(*size)
    for _ in range(PASSES):
        for size in SIZES:
            for name, seconds in measure(*size).items():
                times[size][name] += seconds
    save("loops.json", {"machine": machine("numpy"), "results": [summary(*size, times[size]) for size in SIZES]})


if __name__ == "__main__":
    main()
