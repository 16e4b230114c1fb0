"""编码表的速度与内存：``python benchmarks/engine.py``，约三分钟，结果存进 engine.json，第 06 课由它画图。

同一轮里各个选手交替运行，比的是同一轮之内的比值。装了 PyTorch、transformers、positional-encodings 的话，一并比较；
没装就不比。绝对的毫秒数只对这台机器成立。设了 OPENBLAS_CORETYPE 的话先去掉：``env -u OPENBLAS_CORETYPE python …``。

量两遍：``tables`` 里每次都新建结果，包括向系统要内存的时间；``warm`` 里结果写进同一块用过的内存，只比计算本身。
"""

import statistics
import tracemalloc
from importlib.util import find_spec

import numpy as np
from common import interleave, machine, median_ratio, save

import sinpe

SIZES = [(5, 8), (512, 512), (4096, 512), (65536, 512), (1_000_000, 128), (8192, 4096)]
WARM_SIZES = [(1, 512), (5, 8), (64, 64), (128, 128), (256, 256), (512, 512), (4096, 512), (65536, 512)]
MEMORY_SIZES = [(1000, 512), (10_000, 512), (100_000, 512)]
OPTIONAL = [name for name in ("torch", "transformers", "positional-encodings") if find_spec(name.replace("-", "_"))]


def write_floor(seq_len, d_model):
    """写满同样大小的新内存：任何算法都不会比它快。"""
    return np.full((seq_len, d_model), 0.5, np.float32)


def float32_angles(seq_len, d_model):
    """最常见的写法：角度也用 float32。位置一大就不准，见第 06 课。"""
    pos = np.arange(seq_len, dtype=np.float32)[:, None]
    omega = np.exp(np.arange(0, d_model, 2, dtype=np.float32) * np.float32(-np.log(10000.0) / d_model))
    pe = np.empty((seq_len, d_model), np.float32)
    pe[:, 0::2] = np.sin(pos * omega)
    pe[:, 1::2] = np.cos(pos * omega)
    return pe


def float64_angles(seq_len, d_model):
    """直接写对：角度用 float64，逐个数算正弦、余弦。"""
    angle = np.arange(seq_len)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    pe = np.empty((seq_len, d_model), np.float32)
    pe[:, 0::2] = np.sin(angle)
    pe[:, 1::2] = np.cos(angle)
    return pe


def torch_tutorial(seq_len, d_model):
    """PyTorch 教程里的公式，float32 角度，由我们重写。"""
    import torch

    pos = torch.arange(seq_len).unsqueeze(1)
    omega = torch.exp(torch.arange(0, d_model, 2) * (-np.log(10000.0) / d_model))
    pe = torch.zeros(seq_len, d_model)
    pe[:, 0::2] = torch.sin(pos * omega)
    pe[:, 1::2] = torch.cos(pos * omega)
    return pe


def huggingface_m2m100(seq_len, d_model):
    from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding

    return M2M100SinusoidalPositionalEmbedding.get_embedding(seq_len, d_model)


def huggingface_whisper(seq_len, d_model):
    from transformers.models.whisper.modeling_whisper import sinusoids

    return sinusoids(seq_len, d_model)


def positional_encodings_package(seq_len, d_model):
    import torch
    from positional_encodings.torch_encodings import PositionalEncoding1D

    return PositionalEncoding1D(d_model)(torch.empty(1, seq_len, d_model))


NUMPY = {
    "np.full": write_floor,
    "sinpe": sinpe.sinusoidal_positional_encoding,
    "float32 角度": float32_angles,
    "float64 角度": float64_angles,
}
OTHERS = {
    **({"PyTorch 教程": torch_tutorial} if "torch" in OPTIONAL else {}),
    **({"HF M2M100": huggingface_m2m100, "HF Whisper": huggingface_whisper} if "transformers" in OPTIONAL else {}),
    **({"positional-encodings": positional_encodings_package} if "positional-encodings" in OPTIONAL else {}),
}


def time_tables(contenders, seq_len, d_model):
    repeat = max(1, 20_000 // (seq_len * d_model))  # 小表太快，一次计时里多跑几遍

    def run(build):
        return lambda: [build(seq_len, d_model) for _ in range(repeat)]

    return interleave({name: run(build) for name, build in contenders.items()}, rounds=51, budget=12)


def warm(seq_len, d_model, with_torch):
    """各种写法，结果写进各自用过的内存。PyTorch 用两个线程，它的角度也是 float64。"""
    outs = [np.empty((seq_len, d_model), np.float32) for _ in range(4)]
    even = np.arange(0, d_model, 2)

    def fill():
        outs[0].fill(0.5)

    def rotate():
        sinpe.sinusoidal_positional_encoding(seq_len, d_model, out=outs[1])

    def angles32():
        omega = np.exp(even.astype(np.float32) * np.float32(-np.log(10000.0) / d_model))
        angle = np.arange(seq_len, dtype=np.float32)[:, None] * omega
        outs[2][:, 0::2] = np.sin(angle)
        outs[2][:, 1::2] = np.cos(angle)

    def angles64():
        angle = np.arange(seq_len)[:, None] / 10000 ** (even / d_model)
        outs[3][:, 0::2] = np.sin(angle)
        outs[3][:, 1::2] = np.cos(angle)

    contenders = {"写满": fill, "sinpe": rotate, "float32 角度": angles32, "float64 角度": angles64}
    if with_torch:
        import torch

        contenders = {"写满": fill, "sinpe": rotate}
        torch.set_num_threads(2)
        result = torch.empty(seq_len, d_model)

        def torch64():
            pos = torch.arange(seq_len, dtype=torch.float64).unsqueeze(1)
            omega = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
            angle = pos * omega
            result[:, 0::2] = torch.sin(angle)
            result[:, 1::2] = torch.cos(angle)

        contenders["torch float64，两线程"] = torch64
    return contenders


def time_warm(seq_len, d_model, with_torch=False):
    repeat = max(1, 50_000 // (seq_len * d_model))

    def run(build):
        return lambda: [build() for _ in range(repeat)]

    contenders = {name: run(build) for name, build in warm(seq_len, d_model, with_torch).items()}
    seconds = interleave(contenders, rounds=201, budget=12)
    return {
        "seq_len": seq_len,
        "d_model": d_model,
        "microseconds": {name: round(statistics.median(s) / repeat * 1e6, 1) for name, s in seconds.items()},
        "over_sinpe": {name: round(median_ratio(seconds, name, "sinpe"), 3) for name in seconds},
    }


def time_one_position():
    positions = [0, 1, 1000, 10**6, 2**27, 2**53]
    calls = {str(pos): lambda pos=pos: [sinpe.encode_positions(pos, 512) for _ in range(200)] for pos in positions}
    return {pos: statistics.median(times) / 200 for pos, times in interleave(calls, rounds=31).items()}


def extra_memory(build, seq_len, d_model):
    """运行期间 NumPy 内存的峰值，减去结果本身，单位 MB。PyTorch 的内存不经过 tracemalloc，所以只量 NumPy 的。"""
    tracemalloc.start()
    build(seq_len, d_model)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return (peak - 4 * seq_len * d_model) / 1e6


def measure_memory():
    return [
        {"seq_len": n, "d_model": d, "extra_megabytes": {name: extra_memory(f, n, d) for name, f in NUMPY.items()}}
        for n, d in MEMORY_SIZES
    ]


def main():
    # 先把 NumPy 的几种量完，再轮到别的库：导入 PyTorch 会改变进程管理内存的方式，NumPy 的时间跟着变
    tables = [{"seq_len": n, "d_model": d, "over_full": {}} for n, d in SIZES]
    for group in (NUMPY, {"np.full": write_floor, **OTHERS}):
        print(f"{'÷ np.full':>14s} " + " ".join(f"{name:>14s}" for name in group))
        for table in tables:
            seconds = time_tables(group, table["seq_len"], table["d_model"])
            table["over_full"] |= {name: median_ratio(seconds, name, "np.full") for name in group}
            if group is NUMPY:
                table["over_float32"] = {name: median_ratio(seconds, name, "float32 角度") for name in group}
            size = f"{table['seq_len']}×{table['d_model']}"
            print(f"{size:>14s} " + " ".join(f"{table['over_full'][name]:14.2f}" for name in group), flush=True)
        if group is NUMPY:
            one, memory = time_one_position(), measure_memory()
            warm_rows = [time_warm(*size) for size in WARM_SIZES]
    against_torch = [time_warm(*size, with_torch=True) for size in WARM_SIZES] if "torch" in OPTIONAL else []
    for row in warm_rows + against_torch:
        print("内存用过：", row)
    print("sinpe ÷ float32 角度：", [round(table["over_float32"]["sinpe"], 2) for table in tables])
    print("一个位置，512 维，微秒：", {pos: round(seconds * 1e6, 1) for pos, seconds in one.items()})
    for row in memory:
        print("额外内存，MB：", row["seq_len"], {name: round(mb, 1) for name, mb in row["extra_megabytes"].items()})
    data = {
        "machine": machine("numpy", *OPTIONAL),
        "tables": tables,
        "warm": warm_rows,
        "warm_with_torch": against_torch,
        "one_position_seconds": one,
        "memory": memory,
    }
    save("engine.json", data)


if __name__ == "__main__":
    main()
