"""``python -m sinpe table``：打印编码表，或逐块写成文件。"""

import dataclasses
import difflib
import errno
import os
import shutil
import signal
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from .conventions import CONVENTIONS, encode
from .encoding import _check_limit, _check_position, _check_seq_len

_BLOCK = 1 << 20  # 每块约这么多个数：float64 也只占 8 MB
_PRINTED = 1000  # 不超过这么多个数就全部打印，与 NumPy 自己的省略规则相同
_DIGITS = {2: 5, 4: 9, 8: 17}  # 字节数对应的十进制有效数字：这么多位，读回来一字不差
_REASONS = {
    errno.ENOENT: "文件夹不存在",
    errno.ENOTDIR: "路径当中有一段不是文件夹",
    errno.EISDIR: "那是一个文件夹",
    errno.EACCES: "没有写的权限",
    errno.EPERM: "没有写的权限",
    errno.EROFS: "磁盘只读",
    errno.ENOSPC: "磁盘空间不够",
    errno.EFBIG: "超出单个文件的大小限制",
    errno.ENAMETOOLONG: "名字太长",
    errno.ENXIO: "那不是普通的文件",
    errno.ELOOP: "链接绕成了圈",
    errno.EBUSY: "那个文件正被占用",
    errno.EIO: "磁盘读写出错",
    getattr(errno, "EDQUOT", None): "磁盘配额用完了",
}


def table(seq_len, d_model, convention, offset, base, dtype, output) -> None:
    """打印编码表；给了 ``output`` 就写成文件。不合规则的参数由库报错，一概在动文件之前。"""
    seq_len, offset = _check_seq_len(seq_len), _check_position("offset", offset)
    if convention not in CONVENTIONS:
        near = difflib.get_close_matches(convention.lower(), CONVENTIONS)
        way = f"相近的有 {'、'.join(map(repr, near))}" if near else "可用的名字见 python -m sinpe table --help"
        raise ValueError(f"convention 必须是一种约定的名字，收到 {convention!r}；{way}。")
    convention = CONVENTIONS[convention]
    if base is not None:
        convention = dataclasses.replace(convention, base=base)
    first = convention.start + offset
    _check_limit("offset + seq_len - 1", first + max(seq_len - 1, 0))

    def rows(k, count):
        """第 ``k`` 行起的 ``count`` 行。"""
        return encode(first + np.arange(k, k + count), d_model, convention, dtype=dtype)

    sample = rows(0, min(seq_len, 1))
    shape = (seq_len, sample.shape[1])
    if output is None:
        _print(rows, shape)
    else:
        _write(rows, shape, sample.dtype, Path(output))
        print(f"已写入 {output}：形状 {shape}，{sample.dtype}。")


def _print(rows, shape) -> None:
    """照 NumPy 打印整张表的样子；要省略的大表只计算会打印的行。"""
    seq_len = shape[0]
    short = seq_len * shape[1] > _PRINTED and seq_len > 7
    # 首尾各打印三行；中间留一行，NumPy 便知道要省略
    shown = np.concatenate([rows(0, 4), rows(seq_len - 3, 3)]) if short else rows(0, seq_len)
    print(shape)
    print(np.array2string(shown, precision=4, suppress_small=True, threshold=0 if short else _PRINTED))


def _write(rows, shape, dtype, output: Path) -> None:
    """逐块写到旁边的草稿，写完才换名：中途失败，原来的文件还是原样，草稿也不留下。"""
    kind = output.suffix.lower()
    if kind not in (".npy", ".csv"):
        raise ValueError(f"output 必须以 .npy 或 .csv 结尾，收到 {str(output)!r}；请换一个名字，例如 pe.npy。")
    try:
        target = output.resolve()  # 链接指向的文件：换掉它，链接还是链接
        if target.is_symlink():  # 走到头还是链接，就是绕圈；3.13 起 resolve 不再报错
            raise OSError(errno.ELOOP, "")
        if target.exists() and not target.is_file():
            raise OSError(errno.EISDIR if target.is_dir() else errno.ENXIO, "")
        size = shape[0] * shape[1] * (dtype.itemsize if kind == ".npy" else 2)  # CSV 里一个数至少是一位加逗号
        disk = shutil.disk_usage(target.parent)
        if disk.total and size > disk.free:  # total 是 0 的不是磁盘，例如 /proc
            raise OSError(errno.ENOSPC, "")
        with _stoppable():
            # 名字每次不同：别人的草稿，或者断电留下的，都不碍事
            handle, name = tempfile.mkstemp(".tmp", ".sinpe-", target.parent)
            draft = Path(name)
            try:
                with open(handle, "wb") as file:  # Windows 上，开着的文件不能换名，所以先关
                    _fill(file, kind, rows, shape, dtype)
                draft.chmod(_mode(target))
                draft.replace(target)
            except BaseException:  # 包括 Ctrl-C，也包括关文件时才报的写不下
                draft.unlink(missing_ok=True)
                raise
    except (OSError, RuntimeError) as error:  # 3.13 以前，绕圈的链接报 RuntimeError
        code = getattr(error, "errno", errno.ELOOP)
        if code == errno.ENOENT and output.parent.exists():
            reason = "那里不能新建文件"
        else:
            reason = _REASONS.get(code) or f"系统报错 {errno.errorcode.get(code, code)}"
        raise ValueError(f"output 必须写得进去，收到 {str(output)!r}（{reason}）；请换一个位置。") from None


def _mode(target: Path) -> int:
    """``target`` 的权限；还没有这个文件，就是新文件该有的权限。mkstemp 的草稿只有自己能读。"""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextmanager
def _stoppable():
    """这期间收到“请停止”的信号，就像 Ctrl-C 一样收拾好再走；平常它会让 Python 当场退出。"""

    def stop(number, frame):
        raise SystemExit(128 + number)

    saved = {}
    try:
        for name in ("SIGTERM", "SIGHUP"):  # Windows 没有后一个
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) == signal.SIG_DFL:
                saved[number] = signal.signal(number, stop)
    except ValueError:  # 不在主线程，管不了信号
        pass
    try:
        yield
    finally:
        for number, handler in saved.items():
            signal.signal(number, handler)


def _fill(file, kind, rows, shape, dtype) -> None:
    if kind == ".npy":
        header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
    step = max(1, _BLOCK // shape[1])
    for k in _progress(range(0, shape[0], step)):
        block = rows(k, min(step, shape[0] - k))
        if kind == ".npy":
            file.write(block)
        else:
            np.savetxt(file, block, fmt=f"%.{_DIGITS[dtype.itemsize]}g", delimiter=",")


def _progress(starts: range):
    """不止一块，又装了 tqdm，而且 stderr 是终端，才有进度条。"""
    try:
        from tqdm import tqdm
    except ImportError:
        return starts
    return tqdm(starts, desc="计算并写入", unit="块", leave=False, disable=None if len(starts) > 1 else True)
