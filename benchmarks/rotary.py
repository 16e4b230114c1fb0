"""旋转位置编码的速度：``python benchmarks/rotary.py``，约半分钟，结果存进 rotary.json。

比的是同一轮之内的比值，分母是 NumPy 里最常见的写法：余弦表、正弦表事先备好，float32，整个数组一起算。
``sinpe`` 的时间含算角度，而且用 float64 算、只舍入一次。装了 PyTorch 就一并比较（同样的写法，表也备好）。
"""

from importlib.util import find_spec

import numpy as np
from common import interleave, machine, median_ratio, save

import sinpe

SHAPES = [(1, 32, 1, 128), (1, 32, 512, 128), (8, 16, 512, 64), (1, 8, 32768, 64)]  # (batch, heads, seq_len, d)


def contenders(shape):
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    length, dim = shape[-2:]
    positions = np.arange(1000, 1000 + length)
    cos, sin = sinpe.rotary_tables(positions, dim)
    out = np.empty_like(x)

    def usual():
        np.multiply(x, cos, out=out)
        out.__iadd__(np.concatenate([-x[..., dim // 2 :], x[..., : dim // 2]], axis=-1) * sin)

    found = {
        "常见写法": usual,
        "sinpe，分半": lambda: sinpe.rotary_embedding(x, positions, out=out),
        "sinpe，交错": lambda: sinpe.rotary_embedding(x, positions, layout="interleaved", out=out),
    }
    if find_spec("torch"):
        import torch

        tx, tcos, tsin = map(torch.from_numpy, (x, cos, sin))

        def with_torch():
            return tx * tcos + torch.cat([-tx[..., dim // 2 :], tx[..., : dim // 2]], dim=-1) * tsin

        found["PyTorch"] = with_torch
    return found


def main():
    rows = []
    for shape in SHAPES:
        repeat = max(1, 100_000 // int(np.prod(shape)))

        def repeated(run, repeat=repeat):
            return lambda: [run() for _ in range(repeat)]

        seconds = interleave({name: repeated(run) for name, run in contenders(shape).items()}, rounds=31, budget=8)
        rows.append({"shape": shape, "over_usual": {name: median_ratio(seconds, name, "常见写法") for name in seconds}})
        print(shape, {name: round(ratio, 2) for name, ratio in rows[-1]["over_usual"].items()}, flush=True)
    packages = ["numpy", *(["torch"] if find_spec("torch") else [])]
    save("rotary.json", {"machine": machine(*packages), "rows": rows})


if __name__ == "__main__":
    main()
