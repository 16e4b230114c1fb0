"""计时脚本共用的三件事：交替计时、记下是哪台机器、把结果存成 JSON。"""

import datetime
import importlib.metadata
import json
import math
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent


def interleave(
    contenders: dict[str, Callable[[], object]], *, rounds: int, budget: float = math.inf
) -> dict[str, list[float]]:
    """轮流运行每个选手，返回各轮的秒数。交替着跑，机器忽快忽慢时同一轮里的选手受同样的影响，比值仍可信。

    每个选手先空跑一次再计时：上一个选手释放的内存有时归还系统，有时留着，下一个选手要不要重新向系统要内存
    （一页约一两微秒）就看它，与算法无关；空跑之后，各人面对的是自己留下的内存。
    满 5 轮之后，用掉 ``budget`` 秒就停。
    """
    seconds = {name: [] for name in contenders}
    began = time.perf_counter()
    for done in range(rounds):
        if done >= 5 and time.perf_counter() - began > budget:
            break
        for name, run in contenders.items():
            run()
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def median_ratio(seconds: dict[str, list[float]], name: str, reference: str) -> float:
    """同一轮里 ``name`` 与 ``reference`` 之比的中位数。"""
    return statistics.median(a / b for a, b in zip(seconds[name], seconds[reference], strict=True))


def machine(*packages: str) -> dict[str, object]:
    """返回处理器、核数、日期与版本；不含主机名和路径。"""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        processor = names[0] if names else processor
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in packages},
    }


def save(name: str, data: dict) -> None:
    text = json.dumps(data, ensure_ascii=False, indent=1)
    (HERE / name).write_text(text + "\n", encoding="utf-8", newline="\n")
