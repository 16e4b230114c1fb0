"""第一条承诺：错误的实现会让课文变红。

把 ``sinpe`` 复制一份，在副本里犯一个流传的错，再逐课运行；每种错至少要有两课报错。错出自 ``sinpe.mistakes`` 的目录，
另加几处只改一个函数、一个参数的。期望写在课文的验证格里，这里不写任何数。只要跑到第一个出错的格，所以不慢。
"""

import os
import shutil

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

import notebooks

# 接在副本的 encoding.py 末尾：算编码的两个函数照目录里的错来算，其余函数照旧调用它们
SPOIL = """

def _spoil(code):
    def encode_positions_(positions, d_model, *, base=10000.0, dtype=np.float32, out=None):
        from .mistakes import commit

        positions = np.asarray(positions, np.float64)
        wide = commit(code, positions.reshape(-1), d_model, base).reshape(*positions.shape, d_model)
        result = np.empty(wide.shape, dtype) if out is None else out
        result[...] = wide
        return result

    def table(seq_len, d_model, *, base=10000.0, offset=0, dtype=np.float32, out=None):
        angular_frequencies(d_model, base=base)  # 参数的检查照旧
        positions = offset + np.arange(_check_seq_len(seq_len))
        return encode_positions_(positions, d_model, base=base, dtype=dtype, out=out)

    globals().update(encode_positions=encode_positions_, sinusoidal_positional_encoding=table)


"""
CODES = ["swapped", "halves", "from-one", "negated", "own-exponent", "base-100", "denominator-endpoint"]
CODES += ["exponent-doubled", "power-of-ratio", "angle-floored"]
# 只改一处的：（文件，原来的，改成的，先跑哪几课）
ELSEWHERE = {
    "相加不理 offset": (
        "encoding",
        "base=base, offset=offset, dtype=np.float64)",
        "base=base, dtype=np.float64)",
        "00 07",
    ),
    "相加不理 base": (
        "encoding",
        "base=base, offset=offset, dtype=np.float64)",
        "offset=offset, dtype=np.float64)",
        "00 01",
    ),
    "平移不理 base": (
        "relative",
        "omega = angular_frequencies(d_model, base=base)",
        "omega = angular_frequencies(d_model)",
        "02 05",
    ),
    "网格不理 order": ("grid", 'if order == "C" else tuple(sizes)[::-1]', "", "10 90"),
    "float16 舍入两次": (
        "encoding",
        "= z[rows].view(np.float64)",
        "= z[rows].view(np.float64).astype(np.float32)",
        "06 91",
    ),
    "sockeye 写成交错": ("conventions", '("sockeye", "sin_cos"', '("sockeye", "interleaved"', "10 90"),
}


def turns_red(path, package_parent):
    environment = os.environ | {"PYTHONPATH": str(package_parent)}
    client = NotebookClient(
        nbformat.read(path, 4), kernel_name="python3", timeout=120, resources={"metadata": {"path": str(path.parent)}}
    )
    try:
        client.execute(env=environment)
    except CellExecutionError as error:
        if error.ename != "AssertionError":
            pytest.fail(f"{path.name} 停下了，但不是因为验证格：{error.ename}: {error.evalue}")
        return True
    return False


def lessons(first=""):
    """各课，点了名的在前。"""
    found = [path for path in notebooks.find() if "solutions" not in path.parts]
    return sorted(found, key=lambda path: (path.name[:2] not in first.split(), path.name))


def turns_two_red(package_parent, first=""):
    red = []
    for path in lessons(first):
        if turns_red(path, package_parent):
            red.append(path.name)
        if len(red) == 2:
            return
    pytest.fail(f"只有 {red} 报错")


@pytest.fixture
def copied(tmp_path, pytestconfig):
    """副本里的一个模块：读它，改它。"""
    shutil.copytree(pytestconfig.rootpath / "sinpe", tmp_path / "sinpe", ignore=shutil.ignore_patterns("__pycache__"))

    def change(name, old, new):
        path = tmp_path / "sinpe" / f"{name}.py"
        source = path.read_text(encoding="utf-8")
        assert source.count(old) == 1
        path.write_text(source.replace(old, new), encoding="utf-8")

    return change


@pytest.mark.dev("nbclient")
@pytest.mark.parametrize("code", CODES)
def test_a_mistake_of_the_catalogue_turns_at_least_two_lessons_red(code, copied, tmp_path):
    end = 'if __name__ == "__main__":'
    copied("encoding", end, f"{SPOIL}_spoil({code!r})\n\n{end}")
    turns_two_red(tmp_path)


@pytest.mark.dev("nbclient")
@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_mistake_in_one_place_turns_at_least_two_lessons_red(name, copied, tmp_path):
    module, old, new, first = ELSEWHERE[name]
    copied(module, old, new)
    turns_two_red(tmp_path, first)
