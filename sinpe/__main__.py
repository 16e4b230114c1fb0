"""命令行：``python -m sinpe`` 打印种子例子；``table`` 生成编码表；``doctor`` 检查环境；``progress`` 看练习。"""

import argparse
import os
import sys
import textwrap
from contextlib import contextmanager

from . import encoding
from .conventions import CONVENTIONS

# argparse 自己的话是英文，经由它的 _ 和 ngettext 取出（gettext 的惯用写法）；没有列出的保持英文
_ARGPARSE = {
    "usage: ": "用法：",
    "options": "选项",
    "positional arguments": "参数",
    "show this help message and exit": "显示这段说明",
    "%(prog)s: error: %(message)s\n": "%(message)s\n",
    "argument %(argument_name)s: %(message)s": "%(argument_name)s：%(message)s",
    "the following arguments are required: %s": "缺少 %s；请补上，用法见上一行或 --help。",
    "expected one argument": "后面要跟一个值；请补上。",
    "unrecognized arguments: %s": "不认识 %s；可用的选项见 --help。",
    "invalid choice: %(value)r (choose from %(choices)s)": "不能是 %(value)r；可选：%(choices)s。",
    "ignored explicit argument %r": "后面不跟值，收到 %r；请去掉它。",
}

_TABLE_NOTES = """\
第 k 行是位置 start + K + k，其中 start 是所选约定的第一个位置：论文是 0，fairseq 是 2。
存文件时逐块计算，表可以比内存大。全部写完才换上正式的文件名，中断不会留下半张表。

约定：
"""


@contextmanager
def _chinese_argparse():
    """这期间 argparse 说中文。别的程序导入本模块，不受影响。"""
    saved = argparse._, argparse.ngettext
    argparse._ = lambda message: _ARGPARSE.get(message, message)
    argparse.ngettext = lambda singular, plural, n: _ARGPARSE.get(singular, singular if n == 1 else plural)
    try:
        yield
    finally:
        argparse._, argparse.ngettext = saved


def _number(text: str) -> int | float | str:
    """能读成数就读成数；读不成的原样交给库，由它用自己的话拒绝，规则只写一处。"""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sinpe",
        description="正弦位置编码。不写命令，就打印 5 个位置、8 维的例子。",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", metavar="命令", title="可用的命令")

    text = "检查环境：Python、所需的包、中文字体、内核，用的是不是克隆里的 sinpe"
    commands.add_parser("doctor", help=text, description=text + "。全都正常时退出码是 0。", allow_abbrev=False)

    text = "看练习做到哪里：自己的，或者一个班的"
    progress = commands.add_parser(
        "progress",
        help=text,
        description=text + "。只读存下的笔记本，不运行；加上 --run 才运行里面的代码。",
        allow_abbrev=False,
    )
    progress.add_argument("paths", nargs="*", metavar="文件或文件夹", help="默认是当前文件夹；一个学生一个子文件夹")
    progress.add_argument("--output", metavar="文件", help="一道题一行，写成 .csv 文件；已有的会被替换")
    progress.add_argument("--seed", metavar="种子", help="这个班的种子；别的种子的答案不算")
    progress.add_argument("--run", action="store_true", help="先运行再查：会在这台机器上运行这些笔记本里的代码")
    progress.add_argument("--seconds", type=_number, default=300, metavar="秒", help="--run 时一本最多跑多久，默认 300")

    table = commands.add_parser(
        "table",
        help="打印一张编码表，或存成文件",
        description="打印一张编码表（大表只打印首尾几行），或者存成 .npy、.csv 文件。",
        epilog=_TABLE_NOTES + textwrap.fill("  ".join(CONVENTIONS), 76, initial_indent="  ", subsequent_indent="  "),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    table.add_argument("--seq-len", type=_number, required=True, metavar="L", help="位置的个数")
    table.add_argument("--d-model", type=_number, required=True, metavar="D", help="每个位置几个数")
    table.add_argument(
        "--convention", default="paper", metavar="名字", help="照哪个系统的约定，默认 paper（论文）；见下面"
    )
    table.add_argument(
        "--offset", type=_number, default=0, metavar="K", help="跳过该约定的前几个位置，默认 0，可以是负数或小数"
    )
    table.add_argument("--base", type=_number, metavar="B", help="底数，默认是该约定自己的（论文取 10000）")
    table.add_argument("--dtype", default="float32", choices=("float16", "float32", "float64"), help="默认 float32")
    table.add_argument("--output", metavar="文件", help="写到这个文件，以 .npy 或 .csv 结尾；已有的会被替换")
    return parser


def main(argv: list[str] | None = None) -> int:
    if sys.stderr is None:  # 被关掉了。没有地方报错，也还是照常做事
        sys.stderr = open(os.devnull, "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # 终端的编码容不下汉字时，也不要中途报错
    try:
        with _chinese_argparse():
            args = vars(_parser().parse_args(argv))
        code = _run(args)
        if sys.stdout is None:
            raise OSError
        sys.stdout.flush()  # 写不出去要在这里知道，不要等 Python 退出时用英文说
    except OSError as error:
        reason = "另一头已经关闭" if isinstance(error, BrokenPipeError) or sys.stdout is None else "可能是磁盘满了"
        _complain(f"结果必须写得出去，收到的标准输出写不进（{reason}）；请换一个去处。")
        _abandon(sys.stdout)
        code = 1
    return code


def _run(args: dict) -> int:
    command = args.pop("command")
    if command is None:
        encoding._print_example()
    elif command == "doctor":
        from ._doctor import doctor  # 只在用到时导入，别的命令不必等

        return doctor()
    else:
        if command == "progress":
            from ._progress import progress as work
        else:
            from ._table import table as work

        try:
            work(**args)
        except (TypeError, ValueError) as error:
            _complain(error)
            return 2
        except KeyboardInterrupt:
            _complain("已中断，没有写出文件。")
            return 130
    return 0


def _complain(text: object) -> None:
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:  # 标准错误也写不进去：没有别处可说
        _abandon(sys.stderr)


def _abandon(stream) -> None:
    """这个流写不出去了。把它接到空设备，Python 退出时再写一次才不会用英文报错。"""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (AttributeError, OSError, ValueError):  # 没有这个流，或不是真的文件（例如测试里）
        pass


if __name__ == "__main__":
    sys.exit(main())
