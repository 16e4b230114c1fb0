"""运行笔记本的环境：在谁的机器上都一样。``pytest --nbval``（conftest.py）和 ``tools/notebooks.py run`` 共用。"""

import os
import tempfile

# 读者自己的设置，每一个都会改变笔记本的输出
UNWANTED = (
    "MPLBACKEND",  # 换掉画图后端，图就不见了
    "MATPLOTLIBRC",  # 改图的大小
    "PYTHONSTARTUP",  # 先执行一段代码
    "PYTHONWARNINGS",  # 把警告变成错误
    "PYTHONOPTIMIZE",  # 去掉 assert，验证格形同虚设
    "PYTHONDEVMODE",  # 多打印警告
    "JUPYTER_PATH",  # 换掉内核
)
_kept = []


def clean() -> None:
    """清好环境变量，建好字体缓存。内核是子进程，继承这些，所以要早于任何内核和画图；再调用一次没有影响。"""
    if _kept:
        return
    for name in UNWANTED:
        os.environ.pop(name, None)
    # 家目录里的设置用空目录顶替，家目录不可写时也就不妨碍。Windows 上内核可能还占着文件，删不掉就算了
    _kept.append(settings := tempfile.TemporaryDirectory(prefix="sinpe-", ignore_cleanup_errors=True))
    os.environ |= {
        "IPYTHONDIR": os.path.join(settings.name, "ipython"),
        "JUPYTER_CONFIG_DIR": os.path.join(settings.name, "jupyter"),
        "JUPYTER_DATA_DIR": os.path.join(settings.name, "jupyter"),  # 里面若有名叫 python3 的内核，会顶替这个环境的
        "MPLCONFIGDIR": os.path.join(settings.name, "matplotlib"),
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
    }
    # 先在这里建好字体缓存：某个内核来建的话，超过 5 秒就会往 stderr 打印一句话
    import matplotlib.font_manager  # noqa: F401


def remove() -> None:
    """删掉顶替家目录的空目录。"""
    while _kept:
        _kept.pop().cleanup()
