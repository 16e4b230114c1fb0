"""第一条承诺：错误的实现会让课文变红。

把 ``sinpe`` 复制一份，在副本里犯一个流传的错，再逐课运行；每种错至少要有两课报错。
期望写在课文的验证格里，这里不写任何数。只要跑到第一个出错的格，所以不慢。
"""

import os
import shutil

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

import notebooks

# 接在副本的 encoding.py 末尾：换掉算编码的两个函数，其余函数照旧调用它们
SPOIL = """

def _spoil(change):
    right = encode_positions

    def encode_positions_(positions, d_model, *, base=10000.0, dtype=np.float32, out=None):
        wide = change(np.asarray(positions, np.float64), right, d_model, base)
        result = np.empty(wide.shape, dtype) if out is None else out
        result[...] = wide
        return result

    def table(seq_len, d_model, *, base=10000.0, offset=0, dtype=np.float32, out=None):
        angular_frequencies(d_model, base=base)  # 参数的检查照旧
        positions = offset + np.arange(_check_seq_len(seq_len))
        return encode_positions_(positions, d_model, base=base, dtype=dtype, out=out)

    globals().update(encode_positions=encode_positions_, sinusoidal_positional_encoding=table)


def _wide(pos, right, d_model, base):
    return right(pos, d_model, base=base, dtype=np.float64)


def _own_cosine(pos, right, d_model, base):
    wide = _wide(pos, right, d_model, base)
    wide[..., 1::2] = np.cos(pos[..., None] * base ** (-np.arange(1, d_model, 2) / d_model))
    return wide


"""
LADDER = "np.arange(0.0, -d_model, -2.0) / d_model"
# 错误的名字：（接在 SPOIL 后面的一行，在源码里的一处替换）
WRONG = {
    "正弦余弦对调": (
        "_spoil(lambda *a: _wide(*a).reshape(*a[0].shape, -1, 2)[..., ::-1].reshape(*a[0].shape, -1))",
        None,
    ),
    "分半布局": ("_spoil(lambda *a: np.concatenate([_wide(*a)[..., 0::2], _wide(*a)[..., 1::2]], axis=-1))", None),
    "位置从 1 数起": ("_spoil(lambda pos, *a: _wide(pos + 1, *a))", None),
    "正弦变号": ("_spoil(lambda *a: _wide(*a) * np.tile([-1, 1], a[2] // 2))", None),
    "余弦用自己的指数": ("_spoil(_own_cosine)", None),
    "底数 100": ("", ("np.power(base,", "np.power(base**0.5,")),
    "指数 i/(d/2-1)": ("", (LADDER, "np.arange(0.0, -d_model, -2.0) / max(d_model - 2, 1)")),
    "指数加倍": ("", (LADDER, f"2 * {LADDER}")),
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


@pytest.mark.dev("nbclient")
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_implementation_turns_at_least_two_lessons_red(name, tmp_path, pytestconfig):
    lines, replacement = WRONG[name]
    shutil.copytree(pytestconfig.rootpath / "sinpe", tmp_path / "sinpe", ignore=shutil.ignore_patterns("__pycache__"))
    encoding = tmp_path / "sinpe" / "encoding.py"
    source = encoding.read_text(encoding="utf-8")
    if replacement:
        assert source.count(replacement[0]) == 1
        source = source.replace(*replacement)
    else:
        source = source.replace('if __name__ == "__main__":', SPOIL + lines + '\n\nif __name__ == "__main__":')
    encoding.write_text(source, encoding="utf-8")

    lessons = [path for path in notebooks.find() if "solutions" not in path.parts]
    red = []
    for path in lessons:
        if turns_red(path, tmp_path):
            red.append(path.name)
        if len(red) == 2:
            return
    pytest.fail(f"{name}：{len(lessons)} 课里只有 {red} 报错")
