"""命令行：种子例子、``table``、``doctor``，以及它们在出错时说的话。"""

import io
import json
import os
import re
import shlex
import subprocess
import sys
import tracemalloc
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import sinpe
from sinpe import __main__ as cli
from sinpe import _doctor, _table, plotting

posix = pytest.mark.skipif(os.name == "nt", reason="Windows 没有这样的终端和限额")


def run(*arguments, **options):
    """在新的进程里运行 ``python -m sinpe …``。"""
    command = [sys.executable, "-m", "sinpe", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, **options)


def load(path, *arguments):
    """在本进程里写一个文件，再读回来。"""
    assert cli.main(["table", *arguments, "--output", str(path)]) == 0
    return np.load(path, allow_pickle=False) if path.suffix == ".npy" else np.loadtxt(path, delimiter=",", ndmin=2)


# ---------------------------------------------------------------- 种子例子


def test_without_a_command_it_prints_the_seed_example_like_the_single_file(pytestconfig):
    alone = subprocess.run(
        [sys.executable, str(pytestconfig.rootpath / "sinpe" / "encoding.py")],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (0, alone.stdout, "")
    assert done.stdout.startswith("(5, 8)\n[[ 0.      1.  ")


# ---------------------------------------------------------------- table：打印


@pytest.mark.parametrize(("seq_len", "d_model"), [(5, 8), (0, 4), (8, 124), (8, 126), (7, 512), (100, 10), (3000, 64)])
def test_the_printed_table_looks_as_if_numpy_had_printed_all_of_it(seq_len, d_model, capsys):
    assert cli.main(["table", "--seq-len", str(seq_len), "--d-model", str(d_model)]) == 0
    whole = sinpe.sinusoidal_positional_encoding(seq_len, d_model)
    assert capsys.readouterr().out == f"{whole.shape}\n{np.array2string(whole, precision=4, suppress_small=True)}\n"


def test_a_huge_table_is_printed_without_being_computed(capsys):
    # 2**40 行，放不进内存
    assert cli.main(["table", "--seq-len", str(2**40), "--d-model", "64"]) == 0
    last = sinpe.encode_positions(2**40 - 1, 64)
    assert f"{last[0]:.4f}".rstrip("0") in capsys.readouterr().out.splitlines()[-1]


# ---------------------------------------------------------------- table：哪些行


@pytest.mark.parametrize("name", ["paper", "fairseq", "opennmt_tf", "whisper", "guided_diffusion"])
def test_the_first_row_is_the_first_position_of_the_convention(name, tmp_path):
    table = load(tmp_path / "x.npy", "--seq-len", "50", "--d-model", "16", "--convention", name)
    start = {"paper": 0, "fairseq": 2, "opennmt_tf": 1, "whisper": 0, "guided_diffusion": 0}[name]
    # 两边各舍入到 float32 一次
    np.testing.assert_allclose(table, sinpe.encode(np.arange(start, start + 50), 16, name), rtol=0, atol=2**-24)


@pytest.mark.parametrize("name", ["paper", "fairseq"])
def test_an_offset_skips_that_many_rows(name, tmp_path):
    where = ("--d-model", "8", "--convention", name, "--dtype", "float64")
    whole = load(tmp_path / "x.npy", "--seq-len", "60", *where)
    part = load(tmp_path / "x.npy", "--seq-len", "20", "--offset", "40", *where)
    # 起点不同，旋转的次序也不同：角度的误差是 eps·pos 的量级
    np.testing.assert_allclose(part, whole[40:], rtol=0, atol=62 * 2**-52)


def test_an_offset_may_be_negative_or_fractional(tmp_path):
    table = load(tmp_path / "x.npy", "--seq-len", "3", "--d-model", "4", "--offset=-1.5")
    np.testing.assert_allclose(table, sinpe.encode_positions([-1.5, -0.5, 0.5], 4), rtol=0, atol=2**-24)


@pytest.mark.parametrize("name", ["paper", "tensor2tensor"])
def test_a_base_replaces_the_one_of_the_convention(name, tmp_path):
    arguments = ("--seq-len", "9", "--d-model", "8", "--convention", name, "--dtype", "float64")
    table = load(tmp_path / "x.npy", *arguments, "--base", "100")
    omega = np.geomspace(1, 1 / 100, 4, endpoint=name != "paper")
    sines = table[:, 0::2] if name == "paper" else table[:, :4]
    np.testing.assert_allclose(sines, np.sin(np.arange(9)[:, None] * omega), rtol=0, atol=8 * 4 * 2**-52)


# ---------------------------------------------------------------- table：文件


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_npy_has_the_very_bytes_of_np_save(dtype, tmp_path):
    load(tmp_path / "x.npy", "--seq-len", "30", "--d-model", "8", "--dtype", dtype)
    expected = io.BytesIO()
    np.save(expected, sinpe.sinusoidal_positional_encoding(30, 8, dtype=dtype))
    assert (tmp_path / "x.npy").read_bytes() == expected.getvalue()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_csv_gives_back_every_bit(dtype, tmp_path):
    table = load(tmp_path / "x.csv", "--seq-len", "300", "--d-model", "8", "--dtype", dtype)
    np.testing.assert_array_equal(table.astype(dtype), sinpe.sinusoidal_positional_encoding(300, 8, dtype=dtype))


@pytest.mark.parametrize("suffix", [".npy", ".csv"])
@pytest.mark.parametrize("seq_len", [0, 1, 63, 64, 65, 200])
def test_blocks_join_without_a_seam(suffix, seq_len, tmp_path, monkeypatch):
    whole = sinpe.sinusoidal_positional_encoding(seq_len, 8, dtype=np.float64)
    monkeypatch.setattr(_table, "_BLOCK", 64 * 8)
    arguments = ("--seq-len", str(seq_len), "--d-model", "8", "--dtype", "float64")
    assert cli.main(["table", *arguments, "--output", str(tmp_path / f"x{suffix}")]) == 0
    if suffix == ".csv" and seq_len == 0:
        assert (tmp_path / "x.csv").read_bytes() == b""
    else:
        # 起点不同，旋转的次序也不同：角度的误差是 eps·pos 的量级
        np.testing.assert_allclose(load(tmp_path / f"x{suffix}", *arguments), whole, rtol=0, atol=200 * 2**-52)


def test_memory_does_not_grow_with_the_table(tmp_path):
    tracemalloc.start()
    try:
        load_size = 2**19 * 64 * 4  # 128 MB
        assert cli.main(["table", "--seq-len", str(2**19), "--d-model", "64", "--output", str(tmp_path / "x.npy")]) == 0
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (tmp_path / "x.npy").stat().st_size == load_size + 128
    assert peak < load_size / 4  # 一块 4 MB，加上旋转用的几块小数组


def test_success_is_told_in_one_line(tmp_path, capsys):
    path = tmp_path / "x.npy"
    load(path, "--seq-len", "3", "--d-model", "4")
    assert capsys.readouterr() == (f"已写入 {path}：形状 (3, 4)，float32。\n", "")
    assert os.listdir(tmp_path) == ["x.npy"]


# ---------------------------------------------------------------- table：写不成


def failing(monkeypatch, error):
    """第一块写完就出错。"""

    def progress(starts):
        yield starts[0]
        raise error

    monkeypatch.setattr(_table, "_progress", progress)


@pytest.mark.parametrize("old", [None, b"precious"])
@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (OSError(28, ""), 2)])
def test_a_failure_half_way_leaves_everything_as_it_was(old, error, code, tmp_path, monkeypatch, capsys):
    path = tmp_path / "x.npy"
    if old:
        path.write_bytes(old)
    failing(monkeypatch, error)
    assert cli.main(["table", "--seq-len", "3", "--d-model", "4", "--output", str(path)]) == code
    assert [file.read_bytes() for file in tmp_path.iterdir()] == ([old] if old else [])
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert ("已中断" if code == 130 else "磁盘空间不够") in err


@posix
def test_a_file_that_cannot_grow_is_reported_and_removed(tmp_path):
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000));"
        "from sinpe.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    arguments = ["table", "--seq-len", "100000", "--d-model", "64", "--output", "x.npy"]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "output 必须写得进去，收到 'x.npy'（超出单个文件的大小限制）；请换一个位置。\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("none/x.npy", "（文件夹不存在）；请换一个位置"),
        ("folder.npy", "（那是一个文件夹）；请换一个位置"),
        ("file/x.npy", "；请换一个位置"),
        ("n" * 300 + ".npy", "（名字太长）；请换一个位置"),
        ("none.npy/x.npy", "（文件夹不存在）；请换一个位置"),
        ("x.txt", "必须以 .npy 或 .csv 结尾，收到 'x.txt'；请换一个名字"),
        ("x", "必须以 .npy 或 .csv 结尾，收到 'x'；请换一个名字"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_in_one_line(output, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "file").touch()
    assert cli.main(["table", "--seq-len", "3", "--d-model", "4", "--output", output]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert words in err
    assert sorted(os.listdir(tmp_path)) == ["file", "folder.npy"]


def test_a_folder_is_refused_before_any_row_is_computed(tmp_path, capsys):
    (tmp_path / "x.npy").mkdir()
    assert cli.main(["table", "--seq-len", str(2**50), "--d-model", "64", "--output", str(tmp_path / "x.npy")]) == 2
    assert "（那是一个文件夹）" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", [".npy", ".csv"])
def test_a_table_larger_than_the_disk_is_refused_at_once(suffix, tmp_path, capsys):
    path = tmp_path / f"x{suffix}"
    assert cli.main(["table", "--seq-len", str(2**50), "--d-model", "64", "--output", str(path)]) == 2
    assert "（磁盘空间不够）" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@posix
@pytest.mark.parametrize("lines", [2, 60_000])
def test_a_csv_that_only_fails_when_it_is_closed_leaves_no_draft(lines, tmp_path):
    # 最后几千字节在关文件时才真正写出：那时才报的错，也要删掉草稿
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20));"
        "from sinpe.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    arguments = ["table", "--seq-len", str(lines), "--d-model", "4", "--output", "x.csv"]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 2
    assert done.stderr == "output 必须写得进去，收到 'x.csv'（超出单个文件的大小限制）；请换一个位置。\n"
    assert list(tmp_path.iterdir()) == []


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_process_that_is_told_to_stop_leaves_no_draft(name, tmp_path):
    program = (
        "import os, signal, sys; from sinpe import _table; from sinpe.__main__ import main\n"
        "def progress(starts):\n"
        "    yield starts[0]\n"
        "    assert len(os.listdir()) == 1, os.listdir()\n"
        f"    signal.raise_signal(signal.{name})\n"
        "    yield from starts[1:]\n"
        "_table._progress, _table._BLOCK = progress, 8\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    arguments = ["table", "--seq-len", "9", "--d-model", "4", "--output", "x.npy"]
    done = subprocess.run([sys.executable, "-c", program, *arguments], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == {"SIGTERM": 143, "SIGHUP": 129, "SIGINT": 130}[name], done.stderr
    assert list(tmp_path.iterdir()) == []


def test_drafts_left_by_others_are_no_obstacle(tmp_path):
    # 断电留下的草稿；在容器里，新进程的号码常与它的相同
    for name in (f".x.npy.{os.getpid()}.tmp", ".x.npy.1.tmp", ".sinpe-.tmp"):
        (tmp_path / name).touch()
    assert load(tmp_path / "x.npy", "--seq-len", "3", "--d-model", "4").shape == (3, 4)


def test_a_name_of_255_bytes_is_fine(tmp_path):
    path = tmp_path / ("n" * 251 + ".npy")
    assert load(path, "--seq-len", "3", "--d-model", "4").shape == (3, 4)


@posix
def test_a_link_stays_a_link_and_the_mode_stays(tmp_path):
    real, link = tmp_path / "real.npy", tmp_path / "link.npy"
    real.touch()
    real.chmod(0o640)
    link.symlink_to("real.npy")
    load(link, "--seq-len", "3", "--d-model", "4")
    assert (link.is_symlink(), real.stat().st_mode & 0o777) == (True, 0o640)
    assert np.load(real, allow_pickle=False).shape == (3, 4)


@posix
def test_a_new_file_has_the_mode_of_any_new_file(tmp_path):
    (tmp_path / "other").touch()
    load(tmp_path / "x.npy", "--seq-len", "3", "--d-model", "4")
    assert (tmp_path / "x.npy").stat().st_mode == (tmp_path / "other").stat().st_mode


@posix
@pytest.mark.parametrize(
    ("goal", "words"),
    [("loop.npy", "链接绕成了圈"), ("/dev/null", "那不是普通的文件"), ("/proc/x.npy", "那里不能新建文件")],
)
def test_a_link_to_where_nothing_can_be_written_is_refused(goal, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop.npy").symlink_to(goal)
    assert cli.main(["table", "--seq-len", "3", "--d-model", "4", "--output", "loop.npy"]) == 2
    assert capsys.readouterr().err.endswith(f"（{words}）；请换一个位置。\n")
    assert os.listdir(tmp_path) == ["loop.npy"]


# ---------------------------------------------------------------- 关着的、写满的输出


@posix
@pytest.mark.parametrize("command", ["", "table --seq-len 4000 --d-model 64"], ids=["seed", "table"])
@pytest.mark.parametrize(
    ("redirect", "reason"), [("| true", "另一头已经关闭"), ("> /dev/full", "可能是磁盘满了"), (">&-", "另一头已经关闭")]
)
def test_a_closed_or_full_output_is_told_in_one_line(redirect, reason, command, tmp_path):
    program = f"({shlex.quote(sys.executable)} -m sinpe {command}; echo $? > code) {redirect}"
    if redirect == "| true":  # 等另一头真的关了再写
        program = f"(sleep 0.5; {shlex.quote(sys.executable)} -m sinpe {command}; echo $? > code) | true"
    done = subprocess.run(["sh", "-c", program], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.stderr == f"结果必须写得出去，收到的标准输出写不进（{reason}）；请换一个去处。\n"
    assert (tmp_path / "code").read_text() == "1\n"


@posix
@pytest.mark.parametrize("redirect", ["2>&-", "2>/dev/full"])
def test_a_closed_or_full_stderr_does_not_stop_the_work(redirect, tmp_path, monkeypatch):
    program = f"{shlex.quote(sys.executable)} -m sinpe table --seq-len 3 --d-model 4"
    for arguments, code in (("--output x.npy", 0), ("--base 1", 2)):
        done = subprocess.run(
            ["sh", "-c", f"{program} {arguments} {redirect}"], cwd=tmp_path, capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (code, b"")
    assert np.load(tmp_path / "x.npy", allow_pickle=False).shape == (3, 4)


def test_a_name_far_from_all_conventions_gets_no_unrelated_suggestion(capsys):
    assert cli.main([*TABLE, "--convention", "foo"]) == 2
    assert capsys.readouterr().err == (
        "convention 必须是一种约定的名字，收到 'foo'；可用的名字见 python -m sinpe table --help。\n"
    )


# ---------------------------------------------------------------- table：进度条


@posix
def test_the_progress_bar_is_drawn_on_a_terminal_only(tmp_path):
    import pty
    import select
    import termios

    command = ["table", "--seq-len", "300000", "--d-model", "64", "--output", str(tmp_path / "x.npy")]
    assert run(*command).stderr == ""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    done = subprocess.run([sys.executable, "-m", "sinpe", *command], stderr=theirs, stdout=subprocess.PIPE, check=True)
    drawn = os.read(ours, 1 << 16).decode() if select.select([ours], [], [], 0)[0] else ""
    os.close(theirs)  # 读完再关：那一头关了，没读的就丢了
    os.close(ours)
    assert "计算并写入" in drawn
    assert "已写入" in done.stdout.decode()


def test_without_tqdm_the_file_is_written_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(_table, "_BLOCK", 8)
    table = load(tmp_path / "x.npy", "--seq-len", "5", "--d-model", "4")
    np.testing.assert_allclose(table, sinpe.sinusoidal_positional_encoding(5, 4), rtol=0, atol=2**-24)


# ---------------------------------------------------------------- 说中文

TABLE = ("table", "--seq-len", "3", "--d-model", "8")
MISUSE = [
    (("tabel",), "不能是 'tabel'；可选：'doctor', 'progress', 'table'"),
    (("table",), "缺少 --seq-len, --d-model；请补上"),
    (("table", "--seq-len"), "--seq-len：后面要跟一个值"),
    (("table", "--seq-len", "--d-model", "8"), "--seq-len：后面要跟一个值"),
    ((*TABLE, "more"), "不认识 more；"),
    ((*TABLE, "--out", "x.npy"), "不认识 --out x.npy；"),  # 不接受缩写：将来添了选项，缩写会变意思
    (("--seq-len", "3"), "命令：不能是 '3'"),
    ((*TABLE, "--dtype", "int8"), "--dtype：不能是 'int8'；可选：'float16', 'float32', 'float64'"),
    (("table", "--help=1"), "-h/--help：后面不跟值，收到 '1'"),
    (("doctor", "--now"), "不认识 --now；"),
]
BAD_VALUES = [
    (("--seq-len", "many", "--d-model", "8"), "seq_len 必须是整数，收到 'many'"),
    (("--seq-len", "2.5", "--d-model", "8"), "seq_len 必须是整数，收到 2.5"),
    (("--seq-len", "-1", "--d-model", "8"), "seq_len 不能是负数，收到 -1"),
    (("--seq-len", "3", "--d-model", "7"), "d_model 必须是正偶数"),
    (("--seq-len", "3", "--d-model", "eight", "--convention", "fairseq"), "d_model 必须是整数，收到 'eight'"),
    ((*TABLE[1:], "--base", "1"), "base 必须大于 1"),
    ((*TABLE[1:], "--base", "ten", "--convention", "fairseq"), "base 必须是实数，收到 'ten'"),
    ((*TABLE[1:], "--offset", "nan"), "offset 必须是有限的数，收到 nan"),
    ((*TABLE[1:], "--offset", "half"), "offset 必须是实数，收到 'half'"),
    ((*TABLE[1:], "--offset", str(2**53)), "offset + seq_len - 1 的绝对值不能超过 2**53"),
    ((*TABLE[1:], "--offset", str(2**53 - 3), "--convention", "fairseq"), "的绝对值不能超过 2**53"),
    (("--seq-len", str(10**30), "--d-model", "8"), "seq_len 不能超过"),
    ((*TABLE[1:], "--convention", "fairsek"), "'fairseq'"),
]


def english(text):
    """去掉命令、选项、值和约定的名字，剩下的英文词。"""
    text = re.sub(r"'[^']*'|\{[^}]*\}|--?[\w-]+|python -m sinpe( table| doctor| progress)?|\b[A-Z]+\b|\.\w+", " ", text)
    known = {"paper", "start", "float32", "more", "sinpe", "doctor", "table", "progress", "Python", *sinpe.CONVENTIONS}
    return [word for word in re.findall(r"[A-Za-z_]\w+", text) if word not in known]


@pytest.mark.parametrize(
    "arguments", [(), ("table",), ("doctor",), ("progress",)], ids=["", "table", "doctor", "progress"]
)
def test_help_is_in_chinese(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main([*arguments, "--help"])
    out, err = capsys.readouterr()
    assert (stop.value.code, err) == (0, "")
    assert out.startswith("用法：python -m sinpe")
    assert "显示这段说明" in out
    assert english(out) == []


@pytest.mark.parametrize(("arguments", "words"), MISUSE, ids=[" ".join(arguments) for arguments, _ in MISUSE])
def test_misuse_is_answered_in_chinese_with_the_usage(arguments, words, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(list(arguments))
    out, err = capsys.readouterr()
    assert (stop.value.code, out) == (2, "")
    assert err.startswith("用法：")
    # 可选的值，有的 Python 版本写引号，有的不写
    assert words.replace("'", "") in err.splitlines()[-1].replace("'", "")
    assert english(err) == []


@pytest.mark.parametrize(("arguments", "words"), BAD_VALUES, ids=[" ".join(arguments) for arguments, _ in BAD_VALUES])
@pytest.mark.parametrize("output", [(), ("--output", "x.npy")], ids=["print", "write"])
def test_a_bad_value_gets_the_one_line_of_the_library(arguments, words, output, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["table", *arguments, *output]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert words in err
    assert list(tmp_path.iterdir()) == []


def test_argparse_speaks_english_again_afterwards(capsys):
    import argparse

    before = argparse._
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    assert argparse._ is before


@pytest.mark.parametrize("arguments", [("--help",), ("table",), ("doctor",)], ids=" ".join)
def test_a_terminal_without_chinese_is_no_reason_to_crash(arguments, tmp_path):
    done = run(*arguments, cwd=tmp_path, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert "Traceback" not in done.stderr
    assert "\\u" in done.stdout + done.stderr


# ---------------------------------------------------------------- doctor


@pytest.fixture
def clone(tmp_path):
    """一个克隆，里面的 sinpe 就是正在用的这一份，不论它是怎样装的。"""
    folder = tmp_path / "clone"
    (folder / "notebooks").mkdir(parents=True)
    (folder / "notebooks" / "00_quickstart.ipynb").touch()
    (folder / "pyproject.toml").write_text('[project]\nname = "sinpe"\n', encoding="utf-8")
    try:
        (folder / "sinpe").symlink_to(Path(sinpe.__file__).parent, target_is_directory=True)
    except OSError:
        pytest.skip("Windows 上没有建链接的权限")
    return folder


@pytest.fixture
def examine(monkeypatch, capsys):
    """在 ``folder`` 里看一次医生：``(退出码, 各行)``。"""
    monkeypatch.setenv("PYTHONPATH", str(Path(sinpe.__file__).parents[1]))  # 子进程也用这一份

    def examine(folder):
        monkeypatch.chdir(folder)
        code = cli.main(["doctor"])
        out, err = capsys.readouterr()
        assert err == ""
        return code, out.splitlines()

    return examine


def line(lines, word):
    (found,) = [text for text in lines if text.startswith("[") and word in text]
    return found


def test_a_good_environment_is_ready(clone, examine):
    code, lines = examine(clone)
    assert (code, lines[-1]) == (0, "可以开始了。"), "\n".join(lines)
    assert all(text.startswith("[好]") for text in lines[:-2])
    assert lines[-2].startswith("打开教程：")
    assert lines[-2].endswith(os.path.join("notebooks", "00_quickstart.ipynb"))
    for word in ("Python 3.", f"numpy {np.__version__}", "matplotlib", "jupyterlab 4.", "ipywidgets", "tqdm"):
        line(lines, word)
    assert "画出了“位置编码”" in line(lines, "] 中文字体")
    assert line(lines, "内核") == "[好] 内核 python3：用的就是这个 Python"
    assert line(lines, "克隆") == f"[好] sinpe {sinpe.__version__}：笔记本里用的就是克隆里的这一份"


def test_this_repository_is_recognised_as_a_clone(pytestconfig):
    root = pytestconfig.rootpath
    assert _doctor._find_clone(root / "notebooks") == _doctor._find_clone(root) == root


def test_any_folder_of_the_clone_will_do(clone, examine):
    code, lines = examine(clone / "notebooks")
    assert code == 0
    assert line(lines, "克隆里的这一份")


def test_outside_a_clone_it_tells_which_sinpe_is_used(tmp_path, examine):
    code, lines = examine(tmp_path)
    assert (code, lines[-1]) == (0, "可以开始了。")
    assert line(lines, "不在克隆里").startswith(f"[好] sinpe {sinpe.__version__}：{os.path.dirname(sinpe.__file__)}")


def change_version(monkeypatch, package, version):
    true = metadata.version

    def fake(name):
        if name == package and version is None:
            raise metadata.PackageNotFoundError(name)
        return version if name == package else true(name)

    monkeypatch.setattr(metadata, "version", fake)


@pytest.mark.parametrize(
    ("version", "words"), [(None, "jupyterlab：没有安装"), ("3.99", "jupyterlab 3.99：太旧，至少要 4.")]
)
def test_a_missing_or_old_package_is_told_with_the_command_that_installs_it(
    version, words, clone, monkeypatch, examine
):
    change_version(monkeypatch, "jupyterlab", version)
    code, lines = examine(clone)
    assert code == 1
    assert line(lines, words).startswith("[缺]")
    assert re.fullmatch(r"  1\. 装上缺的包：.*python\S* -m pip install '?\"?jupyterlab>=4\S*", lines[-1])
    assert sys.executable in lines[-1]


def test_the_lower_bounds_are_those_of_the_installed_package(clone, monkeypatch, examine):
    (bound,) = [text.removeprefix("numpy>=") for text in metadata.requires("sinpe") if text.startswith("numpy")]
    change_version(monkeypatch, "numpy", "1.2")
    _, lines = examine(clone)
    assert line(lines, "numpy") == f"[缺] numpy 1.2：太旧，至少要 {bound}"


def test_without_matplotlib_and_jupyter_it_does_not_crash(tmp_path):
    # 只有 NumPy 的环境：挡住别的包，而不是装一个环境
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "from importlib import metadata\n"
        "true = metadata.version\n"
        "def version(name):\n"
        "    if name not in ('numpy', 'sinpe'):\n"
        "        raise metadata.PackageNotFoundError(name)\n"
        "    return true(name)\n"
        "metadata.version = version\n"
        "for name in ('matplotlib', 'jupyter_client', 'jupyterlab', 'tqdm'):\n"
        "    sys.modules[name] = None\n",
        encoding="ascii",
    )
    done = run("doctor", cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)})
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (1, "")
    for word in ("jupyterlab：没有安装", "matplotlib：没有安装", "字体：要有 matplotlib", "内核：要有 JupyterLab"):
        assert line(lines, word).startswith("[缺]")
    assert "matplotlib>=" in lines[-1]
    assert "jupyterlab>=" in lines[-1]


def test_a_sinpe_that_was_never_installed_is_told(clone, monkeypatch, examine):
    def requires(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", requires)
    code, lines = examine(clone)
    assert code == 1
    assert line(lines, "没有安装").startswith("[缺] sinpe")
    assert "pip install -e" in lines[-1]


def test_a_font_without_chinese_is_noticed_when_drawn(clone, monkeypatch, examine):
    monkeypatch.setitem(plotting._STYLE, "font.family", ["DejaVu Sans"])
    code, lines = examine(clone)
    assert code == 1
    assert line(lines, "] 中文字体").startswith("[缺] 中文字体：画不出“位置编码”（UserWarning: Glyph")


def test_a_lost_font_file_is_noticed(clone, monkeypatch, examine, tmp_path):
    monkeypatch.setattr(plotting, "_FONT", tmp_path / "lost.otf")
    code, lines = examine(clone)
    assert code == 1
    assert line(lines, "] 中文字体").startswith("[缺] 中文字体：画不出")


@pytest.mark.parametrize(
    ("script", "words"),
    [("#!/bin/sh\necho /somewhere/else\n", "用的是另一个 Python"), (None, "启动不了（FileNotFoundError）")],
)
@posix
def test_a_kernel_of_another_python_is_noticed(script, words, clone, monkeypatch, examine, tmp_path):
    program = tmp_path / "program"
    if script:
        program.write_text(script, encoding="ascii")
        program.chmod(0o755)
    folder = tmp_path / "kernels" / "python3"
    folder.mkdir(parents=True)
    spec = {"argv": [str(program), "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Python 3"}
    (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    code, lines = examine(clone)
    assert code == 1
    assert line(lines, "内核").startswith("[缺]")
    assert words in line(lines, "内核")
    assert any(str(folder) in text for text in lines[-2:])


def test_another_sinpe_than_the_one_in_the_clone_is_noticed(tmp_path, examine):
    (tmp_path / "sinpe").mkdir()
    (tmp_path / "sinpe" / "__init__.py").touch()
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "sinpe"\n', encoding="utf-8")
    code, lines = examine(tmp_path)
    assert code == 1
    assert "不是克隆里的这一份" in line(lines, "克隆")
    assert lines[-1].endswith(f"{tmp_path}[lab]") or lines[-1].endswith(f"'{tmp_path}[lab]'")


def test_a_sinpe_that_the_kernel_cannot_import_is_noticed(clone, monkeypatch, examine):
    true = _doctor._ask

    def ask(program, code, folder):
        return (
            (None, "ModuleNotFoundError: No module named 'sinpe'") if "sinpe" in code else true(program, code, folder)
        )

    monkeypatch.setattr(_doctor, "_ask", ask)
    code, lines = examine(clone)
    assert code == 1
    assert line(lines, "笔记本里导入不了").startswith("[缺] sinpe")


@posix
def test_a_deleted_folder_is_told(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    program = f"rmdir {shlex.quote(str(folder))} && {shlex.quote(sys.executable)} -m sinpe doctor"
    done = subprocess.run(["sh", "-c", program], cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines()[0].startswith("[缺] 当前文件夹已经不在了")


@posix
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("#!/bin/sh\necho 'Some CJK SC,某黑体'\n", "[好] 系统的中文字体：Some CJK SC"),
        ("#!/bin/sh\n", "[注意] 系统的中文字体：没有。浏览器若在这台机器上，网页里的汉字会成为方框。装一个：Debian"),
        (None, "[注意] 系统的中文字体：没有 fc-list"),
    ],
)
def test_the_fonts_of_the_system_are_looked_up(script, words, clone, monkeypatch, examine, tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    if script:
        (folder / "fc-list").write_text(script, encoding="utf-8")
        (folder / "fc-list").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(sys, "platform", "linux")
    code, lines = examine(clone)
    assert line(lines, "系统的中文字体").startswith(words)
    assert code == 0  # 浏览器常在另一台机器上，缺了也可以开始
