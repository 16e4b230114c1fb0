"""第 09 课的对照实验：``python benchmarks/ablation.py``，两个核约六分钟，结果存进 ablation.json，课里的图由它画出。

网络、训练、任务都取自第 09 课的笔记本，这里不另写一份；这里只列出要跑哪些，每种 8 个种子。
“旋转”换掉的只是 ``queries_and_keys``：q 和 k 照第 12 课转过，词嵌入不加位置编码。
"""

import ast
import json
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # 矩阵很小，一个进程一个核最快

import autograd.numpy as anp
import numpy as np
from autograd import grad
from common import HERE, machine, save
from tqdm import tqdm

import sinpe

SEEDS = range(8)
LENGTHS = (24, 48, 96, 128)
COPY = ["不加", "正弦", "可学习", "拼接", "词嵌入乘 √d", "不加，词嵌入乘 √d", "正弦，随机起点", "旋转"]
OTHER = ["不加", "正弦", "可学习", "拼接", "词嵌入乘 √d"]
# 任务：（课里的函数，训练的步数）。后两种一句话只问一处，学得慢，多给些步数
TASKS = {"往回抄": ("copy_task", 400), "出现过没有": ("presence_task", 1000), "谁在前": ("first_task", 1000)}
RANGES = ((3, 24), (24, 48), (48, 96))  # 头在这几段位置里，最想看往回三步的占多少


def lesson():
    """第 09 课里的函数和常数。"""
    cells = json.loads(Path(HERE, "../notebooks/09_does_it_matter.ipynb").read_text(encoding="utf-8"))["cells"]
    space = {"anp": anp, "np": np, "grad": grad, "sinpe": sinpe}
    for cell in cells:
        if cell["cell_type"] == "code":
            for node in ast.parse("".join(cell["source"])).body:
                constant = isinstance(node, ast.Assign) and not any(isinstance(n, ast.Call) for n in ast.walk(node))
                if isinstance(node, ast.FunctionDef) or (constant and node.lineno < 3):
                    exec(compile(ast.Module([node], []), "第 09 课", "exec"), space)
    return space


def rotated(network, x_in, places):
    """照第 12 课转过的 q 和 k：第 i 对是第 i 与第 i + D/2 个分量。"""
    turn = sinpe.encode_positions(places, x_in.shape[-1], dtype=np.float64)
    sin, cos = turn[:, 0::2], turn[:, 1::2]

    def rotate(a):
        left, right = a[..., : a.shape[-1] // 2], a[..., a.shape[-1] // 2 :]
        return anp.concatenate([left * cos - right * sin, left * sin + right * cos], axis=-1)

    return rotate(anp.matmul(x_in, network["Q"])), rotate(anp.matmul(x_in, network["K"]))


def one(kind, task, seed):
    space = lesson()
    inner = {"正弦，随机起点": "正弦", "旋转": "不加"}.get(kind, kind)
    if kind == "旋转":
        space["queries_and_keys"] = rotated
    name, steps = TASKS[task]
    make = space[name]
    network = space["train"](inner, seed, make, steps=steps, starts=105 if kind == "正弦，随机起点" else 1)
    lengths = LENGTHS if task == "往回抄" else LENGTHS[:1]
    row = {"kind": kind, "task": task, "seed": seed}
    count = 256 if task == "往回抄" else 1024  # 问得少的，多考几句
    row["accuracy"] = {n: round(float(space["accuracy"](network, inner, n, make, count)), 4) for n in lengths}
    if inner == "正弦" and task == "往回抄":
        scores = space["place_scores"](network, RANGES[-1][-1])
        row["picks"] = [round(float(space["picks_back"](scores, *span)), 4) for span in RANGES]
    return row


def main():
    runs = [(kind, "往回抄", seed) for kind in COPY for seed in SEEDS]
    runs += [(kind, task, seed) for task in list(TASKS)[1:] for kind in OTHER for seed in SEEDS]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        rows = list(tqdm(pool.map(one, *zip(*runs, strict=True)), total=len(runs)))
    for kind, task in dict.fromkeys((kind, task) for kind, task, _ in runs):
        same = [row["accuracy"] for row in rows if (row["kind"], row["task"]) == (kind, task)]
        shown = {
            n: f"{np.median([a[n] for a in same]):.0%}（{min(a[n] for a in same):.0%}–{max(a[n] for a in same):.0%}）"
            for n in same[0]
        }
        print(task, kind, shown)
    save("ablation.json", {"machine": machine("numpy", "autograd"), "rows": rows})


if __name__ == "__main__":
    main()
