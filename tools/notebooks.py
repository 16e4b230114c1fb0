"""作者的脚本：重跑笔记本，把输出存得一字不差；查笔记本是否守规矩。

    python tools/notebooks.py run   [文件…]    在新内核里从头跑一遍，覆盖存下的输出
    python tools/notebooks.py check [文件…]    列出违反的规矩，一行一条；只要有，退出码就是 1

不写文件，就是 notebooks/ 下的全部笔记本。规矩只写在本文件：一条一个小函数，用 @rule 登记，`problems` 逐条去问。
关乎口味的（格数、图数）用 @taste 登记，`check` 只提醒，不算错。
"""

import argparse
import ast
import base64
import hashlib
import io
import re
import statistics
import subprocess
import sys
import tokenize
import unicodedata
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import environment
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbclient.output_widget import OutputWidget

ROOT = Path(__file__).resolve().parent.parent
# 语言信息只留名字：换一个 Python 小版本，不该让每本笔记本都变一行
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
VEGA = "application/vnd.vega.v5+json"
REFERENCE = ("90", "91")  # 查阅用的几页的编号
FOLDED = ("# 核对：", "# 画图：")  # 首行这样写的代码格，读者看到的只是输出


def find() -> list[Path]:
    """返回课程里全部笔记本的路径。"""
    return sorted(p for p in (ROOT / "notebooks").rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)


def load(path: Path) -> nbformat.NotebookNode:
    """读一本笔记本，不作修补：nbformat.read 会悄悄补上、改掉 id，那样就查不出来了。"""
    return nbformat.v4.reads(path.read_text(encoding="utf-8"))


def dump(nb: nbformat.NotebookNode) -> bytes:
    """返回存盘的字节：UTF-8，末尾有换行，在 Windows 上也只用 LF。"""
    return (nbformat.v4.writes(nb) + "\n").encode()


# ------------------------------------------------------------------ 重跑


# 一本里有两个以上的滑块时，nbclient 把滑块的状态发回内核会打断等待，一直等到超时。我们只读状态，不必发回
OutputWidget.sync_state = lambda self: None


def run(nb: nbformat.NotebookNode, path: Path) -> list[str]:
    """在新内核里重跑一本笔记本，存下输出，返回空表；跑不通就返回原因，文件原样不动。"""
    started, stopped = [], None
    client = NotebookClient(
        nb,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        timeout=300,
        record_timing=False,
        on_cell_start=lambda cell, cell_index: started.append(cell),
    )
    try:
        client.execute(stderr=subprocess.DEVNULL)  # 内核启动时的提示与课文无关
    except CellExecutionError:
        pass  # 错误已经存成输出，下面一并报告
    except CellTimeoutError:
        stopped = "超过 300 秒没有跑完"
    except DeadKernelError:
        stopped = "内核崩溃了"
    tidy(nb)
    book = Book(nb, path)
    for cell in book.code:  # 滑块的回调出错时 nbclient 不作声，所以不靠它，看输出
        errors = [f"{o.ename}: {o.evalue}" for o in cell.outputs if o.output_type == "error"]
        if stopped and cell.node is started[-1]:
            errors = [stopped]
        if errors:
            first = cell.source.strip().splitlines()[0]
            return [f"{book.name}: {cell.where}：没有跑通（{first}）：{errors[0]}；文件没有改动"]
    for cell in book.code:
        if "readme-figure" in cell.tags and cell.pictures:
            path.with_suffix(".png").write_bytes(cell.pictures[0])
    draft = path.with_name(path.name + ".tmp")  # 先写在旁边再换名，中途断电也不会留下半本
    draft.write_bytes(dump(nb))
    draft.replace(path)
    return []


def tidy(nb: nbformat.NotebookNode) -> None:
    """就地去掉每次运行、每台机器都会不同的东西，折起该折的代码，并把滑块换成它第一眼的静态图。"""
    state = nb.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    nb.metadata, nb.nbformat, nb.nbformat_minor = nbformat.from_dict(METADATA), 4, 5
    seen = {None}
    for index, cell in enumerate(nb.cells):
        cell.metadata = nbformat.from_dict(cell_metadata(cell))
        if cell.get("id") in seen:
            cell.id = hashlib.sha1(f"{index} {cell.source}".encode()).hexdigest()[:8]
        seen.add(cell.id)
        if cell.cell_type == "code":
            cell.outputs = merge(still_pictures(cell.outputs, state))


def cell_metadata(cell) -> dict:
    """一格应有的元数据：作者写的标签，加上把代码折起来的三种写法（JupyterLab、网页版、Colab 各认一种）。"""
    tags = [tag for tag in cell.metadata.get("tags", []) if tag != "hide-input"]
    if cell.cell_type == "code" and cell.source.startswith(FOLDED):
        return {"cellView": "form", "jupyter": {"source_hidden": True}, "tags": [*tags, "hide-input"]}
    return {"tags": tags} if tags else {}


def still_pictures(outputs, state):
    """控件换成其中 Output 控件此刻的内容；没有内容的控件（进度条）不留痕迹。"""
    for output in outputs:
        view = output.get("data", {}).get(WIDGET_VIEW)
        yield from widget_contents(view["model_id"], state) if view else [output]


def widget_contents(model_id, state):
    """按显示的次序，取出一个控件和它里面各层控件的内容。"""
    model = state.get(model_id, {}).get("state", {})
    yield from map(nbformat.from_dict, model.get("outputs", []))
    for child in model.get("children", []):
        yield from widget_contents(child.removeprefix("IPY_MODEL_"), state)


def merge(outputs) -> list[nbformat.NotebookNode]:
    """合并相邻的同名文字流：一段文字分几次到达，由当时的快慢决定。"""
    merged = []
    for output in outputs:
        if merged and output.get("name") == merged[-1].get("name", ""):  # 只有文字流有名字
            merged[-1].text += output.text
            continue
        merged.append(output)
    return merged


# ------------------------------------------------------------------ 看一本笔记本

HAN = re.compile("[\u3007\u3400-\u9fff]")
# 文字格里不按普通文字显示的四种片段。先匹配的先得，所以代码块里的 $ 和反引号不会再被认成公式和代码
SPAN = re.compile(
    r"(?P<fence>^ *(?P<mark>```|~~~).*?^ *(?P=mark) *$)|(?P<display>\$\$.*?\$\$)"
    r"|(?P<code>(?<!`)(?P<tick>`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)(?P=tick)(?!`))"
    r"|(?P<math>(?<![\\$])\$(?!\s)[^$\n]+?(?<![\s\\])\$)",
    re.MULTILINE | re.DOTALL,
)
NOT_TEXT = re.compile(r"\s|[-*+] |\d+[.)] |[>|<]")  # 列表、引用、表格、HTML 各占各的行
LINK = re.compile(r"""\]\(\s*<?([^)\s>]+)|^\[[^\]]+\]:\s*<?([^\s>]+)|(?:href|src)=["']([^"']+)""", re.MULTILINE)


class Cell:
    """一格：报告里怎样称呼它，前后是谁，以及几条规矩共用的看法。"""

    before = after = None

    def __init__(self, book, node, number: int):
        self.book, self.node, self.source, self.metadata = book, node, node.source, node.metadata
        self.tags, self.outputs = node.metadata.get("tags", []), node.get("outputs", [])
        self.is_code = node.cell_type == "code"
        self.where = f"第 {number} 个{'代码格' if self.is_code else '文字格'}"
        if self.is_code:
            self.read_code()
        self.inline = [match for match in SPAN.finditer(self.source) if match["code"] or match["math"]]
        # 去掉代码块和独行公式；行内代码与公式各换成一个反引号，因为判断加粗时它们都算标点
        self.prose = SPAN.sub(lambda match: "`" if match["code"] or match["math"] else "\n\n", self.source)

    def read_code(self):
        try:  # 魔法命令与 ! 命令都不合语法；续行开头的取余号则合
            self.tree = ast.parse(self.source)
        except SyntaxError:
            self.tree = None
        self.nodes = list(ast.walk(self.tree)) if self.tree else []
        self.last = ast.unparse(self.tree.body[-1]) if self.tree and self.tree.body else ""  # 最后一条语句
        self.calls = [ast.unparse(node.func) for node in self.nodes if isinstance(node, ast.Call)]
        self.names = {getattr(node, "id", getattr(node, "attr", None)) for node in self.nodes}
        self.is_live = bool(self.names & {"interact", "interactive", "interactive_output", "tqdm", "trange"})
        self.verifies = self.source.startswith(("# 验证：", "# 核对："))
        self.folded = self.source.startswith(FOLDED)
        self.checks = {call for call in self.calls if call.startswith("exercises.check_")}
        self.lines = sum(1 for line in self.source.splitlines() if line.strip())
        data = [item for output in self.outputs for item in output.get("data", {}).items()]
        self.pictures = [base64.b64decode(value) for kind, value in data if kind == "image/png"]
        self.is_vega = any(kind == VEGA for kind, _ in data)
        texts = [value for kind, value in data if kind not in ("image/png", "image/jpeg")]
        texts += [output[key] for output in self.outputs for key in ("text", "evalue", "traceback") if key in output]
        self.output_text = "\n".join(map(str, texts))


def is_reference(name: str) -> bool:
    """查阅用的一页：问与答、速查。没有练习、小结和下一课。"""
    return name[:2] in REFERENCE


class Book:
    """一本笔记本：格子、标题、图号。

    属性 whole、lesson、reference 供规矩挑选对象：整本；一课；查阅用的一页（90、91）。解答只属于 whole。
    """

    where = "整本"

    def __init__(self, nb: nbformat.NotebookNode, path: Path):
        self.nb, self.path, self.code, self.text, self.cells = nb, Path(path), [], [], []
        self.name = self.path.relative_to(ROOT).as_posix() if self.path.is_relative_to(ROOT) else str(path)
        for node in nb.cells:
            kind = self.code if node.cell_type == "code" else self.text
            kind.append(Cell(self, node, len(kind) + 1))
            self.cells.append(kind[-1])
        for upper, lower in pairwise(self.cells):
            upper.after, lower.before = lower, upper
        solution, reference = self.path.parent.name == "solutions", is_reference(self.path.stem)
        self.whole = [self]
        self.lesson, self.reference = ([] if solution or other else [self] for other in (reference, not reference))
        self.is_quickstart = bool(self.lesson) and self.path.stem == "00_quickstart"
        self.captions = [int(match[1]) for cell in self.text if (match := re.match(r"图 (\d+)", cell.source))]
        found = [(cell, m) for cell in self.text for m in re.finditer(r"^(#{1,6}) +(.+?) *$", cell.prose, re.MULTILINE)]
        self.headings = [(cell, len(m[1]), m[2]) for cell, m in found]
        section, self.told, self.practice = "", [], []  # 讲课的代码格；练习一节的代码格
        for cell in self.cells:
            section = [section, *(title for owner, level, title in self.headings if owner is cell and level == 2)][-1]
            if cell.is_code:
                (self.practice if section.endswith("练习") else self.told).append(cell)


RULES, TASTES = [], []


def rule(scope: str, among: list = RULES):
    """登记一条规矩。scope 是 Book 的一个属性：对其中每一个问一遍，逐条给出“违反了什么；怎么改”。"""

    def register(function):
        among.append((scope, function))
        return function

    return register


def taste(scope: str):
    """登记一条关乎口味的：有理由时可以不从，所以只提醒。"""
    return rule(scope, TASTES)


def problems(nb: nbformat.NotebookNode, path: Path, rules: list | None = None) -> list[str]:
    """返回一本笔记本违反的全部规矩，每条一行；守规矩则为空。"""
    book = Book(nb, path)
    return [
        f"{book.name}: {subject.where}：{message}"
        for scope, function in (RULES if rules is None else rules)
        for subject in getattr(book, scope)
        for message in function(subject)
    ]


# ------------------------------------------------------------------ 规矩：文件与输出


@rule("whole")
def format_is_valid(book):
    ids = [cell.node.get("id") for cell in book.cells]
    if None in ids or len(set(ids)) < len(ids):
        yield "有格子缺 id 或 id 重复；用 run 重跑，会补上新的"
    elif (book.nb.nbformat, book.nb.nbformat_minor) != (4, 5):
        yield f"格式是 nbformat {book.nb.nbformat}.{book.nb.nbformat_minor}，应为 4.5；用 run 重跑"
    else:
        try:
            nbformat.validate(book.nb)
        except nbformat.ValidationError as error:
            yield f"不合 nbformat 4.5 的格式：{str(error).splitlines()[0]}"


@rule("whole")
def file_is_small(book):
    if (size := len(dump(book.nb))) > 1_500_000:
        yield f"有 {size / 1e6:.1f} MB，超过 1.5 MB；减小图的尺寸或数据点"


@rule("whole")
def metadata_is_minimal(book):
    for key in sorted(book.nb.metadata.keys() - METADATA):
        yield f"元数据里有 {key}；用 run 重跑，会去掉"
    if book.nb.metadata.get("kernelspec", {}).get("name") != "python3":
        yield "内核名不是 python3；用 run 重跑，会改好"


@rule("cells")
def cell_metadata_is_what_run_writes(cell):
    if cell.is_code and cell.folded and cell.metadata != cell_metadata(cell.node):
        yield "“核对”格、“画图”格的代码没有折起来；用 run 重跑，会折好"
    elif cell.metadata != cell_metadata(cell.node):
        keys = "、".join(sorted(cell.metadata.keys() - {"tags"})) or "hide-input"
        yield f"元数据里有 {keys}，只许有 tags；用 run 重跑，会去掉"
    for tag in sorted(set(cell.tags) - {"nbval-ignore-output", "readme-figure", "hide-input"}):
        yield f"没有 {tag} 这个标签；只用 nbval-ignore-output、readme-figure"


@rule("whole")
def cells_ran_in_order(book):
    for count, cell in enumerate((cell for cell in book.code if cell.lines), 1):
        if (found := cell.node.get("execution_count")) != count:
            yield f"{cell.where}的执行序号是 {found}，应为 {count}；用 run 从头重跑"
            return  # 后面的多半都错开了，说一处就够


@rule("code")
def no_empty_cell(cell):
    if not cell.lines:
        yield "是空的；删掉它"


@rule("code")
def nothing_on_stderr(cell):
    if any(output.get("name") == "stderr" for output in cell.outputs):
        yield "往 stderr 写了字（缺字形、弃用、警告都会）；找到原因改掉，不要压住警告"


@rule("code")
def no_errors(cell):
    # 打了 raises-exception 标签也不行：JupyterLab 的“全部运行”照样停在那里，后面的格都不跑
    if any(output.output_type == "error" for output in cell.outputs):
        yield "报错了；改好它。若是有意展示的，用 try / except 把报错打印出来"


@rule("code")
def ignored_output_has_a_reason(cell):
    ignored = "nbval-ignore-output" in cell.tags
    if ignored and not cell.is_live and "widgets" not in cell.names:
        yield "nbval-ignore-output 只给滑块格和进度条格；去掉标签，让输出受到比较"
    if cell.is_live and not ignored:
        yield "滑块格、进度条格要打 nbval-ignore-output 标签，否则 nbval 必红"


@rule("code")
def widgets_are_still_pictures(cell):
    if any(WIDGET_VIEW in output.get("data", {}) for output in cell.outputs):
        yield "存下的是控件，没有内核就看不见；用 run 重跑，会换成静态图"


LOCAL_PATH = r"(?<![\w.])/(?:home|root|tmp|Users)/"
UNWANTED_OUTPUT = {
    r"\bat 0x[0-9a-fA-F]": "输出里有内存地址，每次都不同；不要显示对象本身，显示它的数",
    LOCAL_PATH + r"|\b[A-Z]:\\|site-packages|ipykernel_": "输出里有本机的路径；只显示与机器无关的内容",
}
UNWANTED_CODE = {
    r"pip install|\b(?:urllib|requests)\b|https?://": "代码不碰网络；依赖写进 pyproject.toml，网址写在文字格里",
    r"NBVAL_|PYTEST_VALIDATE": "用标签，不用注释来指示 nbval",
    LOCAL_PATH: "代码里有绝对路径；写相对于笔记本所在文件夹的路径",
}


@rule("code")
def output_is_portable(cell):
    for pattern, advice in UNWANTED_OUTPUT.items():
        if match := re.search(pattern, cell.output_text):
            yield f"{advice}（{match[0]}）"


# ------------------------------------------------------------------ 规矩：代码


@rule("code")
def code_has_no_unwanted_words(cell):
    for pattern, advice in UNWANTED_CODE.items():
        if match := re.search(pattern, cell.source):
            yield f"{advice}（{match[0]}）"


@rule("code")
def no_han_in_figure_math(cell):
    for formula in re.findall(r"\$[^$\n]*\$", cell.source):
        if HAN.search(formula):
            yield f"{formula} 里有汉字，图上画不出来；移到公式外面"


@rule("code")
def code_is_plain_python(cell):
    if cell.tree is None or "get_ipython" in cell.names:
        yield "不是纯 Python；不用 %、! 与 ? 开头的命令，写成普通的代码"


@rule("code")
def no_semicolon_at_the_end(cell):
    if cell.tree:
        tokens = tokenize.generate_tokens(io.StringIO(cell.source).readline)
        words = [token.string for token in tokens if token.type != tokenize.COMMENT and token.string.strip()]
        if words[-1:] == [";"]:
            yield "格尾有分号，在 nbval 下不起作用；画图以 plt.show() 收尾，别的写 _ = …"


@rule("code")
def cells_are_short(cell):
    most = 60 if cell.folded else 20
    if cell.lines > most:
        yield f"有 {cell.lines} 行，超过 {most} 行；拆成几格，中间写文字"


def columns(line: str) -> int:
    """一行占几列：汉字和全角标点占两列。"""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)


@rule("code")
def lines_fit_the_pane(cell):
    # 1280 像素宽的窗口、开着文件列表，JupyterLab 的一格放得下 88 列；折起来的没有人对着读，放宽到 120
    most = 120 if cell.folded else 88
    for line in cell.source.splitlines():
        if (width := columns(line)) > most:
            yield f"“{line.strip()[:16]}…”一行有 {width} 列，超过 {most} 列；折成两行"


@rule("code")
def imports_come_first(cell):
    found = [ast.unparse(node) for node in cell.nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    if cell is not cell.book.code[0] and set(found) - {"from sinpe import exercises"}:  # 练习格可以自带这一行
        yield "有导入；导入都放在第一个代码格"


@rule("whole")
def style_is_set_once(book):
    count = sum(call.split(".")[-1] == "use_style" for cell in book.code for call in cell.calls)
    wanted = any(cell.pictures or "matplotlib" in cell.source for cell in book.code)
    if count != wanted:
        yield f"use_style() 调用了 {count} 次，应为 {wanted:d} 次；画图的笔记本在开头调用一次"


@rule("code")
def verification_is_marked(cell):
    if re.match(r"#\s*(?:验证|核对)", cell.source) and not cell.verifies:
        yield "验证格的首行写作 `# 验证：`（核对正文里的数的写 `# 核对：`）加一句断言；冒号全角，井号后空一格"


@rule("code")
def verification_compares_and_reports(cell):
    compares = any(call.startswith("np.testing.") for call in cell.calls)
    if cell.verifies and not compares and not {ast.Try, ast.Assert} <= set(map(type, cell.nodes)):
        yield "验证格没有验证；用 np.testing 比较，核对报错则用 try 与 assert"
    if cell.verifies and "print(" not in cell.last:
        yield "验证格的最后一句应当是 print，说出在什么范围内成立"
    if cell.source.startswith("# 核对：") and "已核对：" not in cell.output_text:
        yield "核对格没有印出“已核对：……”；代码折起来以后，读者只看得见这一行"


# ------------------------------------------------------------------ 规矩：文字与图


@rule("code")
def text_between_code(cell):
    if cell.before and cell.before.is_code and not cell.verifies:
        yield "前面没有文字；先说会看到什么，或改写成验证格"


@rule("code")
def figures_are_shown_and_captioned(cell):
    if "plt.show" in cell.calls and not cell.pictures:
        yield "写了 plt.show()，却没有存下图；用 run 重跑，还是没有就查画图的代码"
    if cell.pictures and not cell.is_live:
        if cell.last != "plt.show()" and not cell.is_vega:
            yield "画了图；最后一句写 plt.show()"
        if cell.after is None or not re.match(r"图 \d+", cell.after.source):
            yield "画了图；下一格应是文字，以图号开头（“图 3：……”），说该看哪里"


@rule("code")
def live_pictures_are_complete(cell):
    for output in cell.outputs:
        kinds = output.get("data", {}).keys()
        if VEGA in kinds and not {"image/png", "text/plain"} <= kinds:
            yield "会动的图旁边没有存静态图和一句话；GitHub 和屏幕阅读器要用，用 sinpe.live 里的函数来画"


@rule("whole")
def captions_count_from_one(book):
    if book.captions != list(range(1, len(book.captions) + 1)):
        yield f"图号依次是 {book.captions}，应从 1 起连续；只有图下的文字以“图 N”开头"


@rule("whole")
def readme_figure_is_current(book):
    tagged = [cell for cell in book.code if "readme-figure" in cell.tags]
    if len(tagged) != book.is_quickstart:
        yield f"readme-figure 标签有 {len(tagged)} 个，应为 {book.is_quickstart:d} 个；只有 00_quickstart 有一个"
    image = book.path.with_suffix(".png")
    if tagged and (not image.exists() or [image.read_bytes()] != tagged[0].pictures):
        yield f"{image.name} 与{tagged[0].where}存下的图不同；用 run 重跑，会重写它"


def is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"


def render_bold(match: re.Match) -> str:
    """按 CommonMark 去掉一对加粗的星号：外侧紧挨文字而里侧是标点的，不成对，原样留下。"""
    inner, outer = match[1], (match.string[: match.start()][-1:], match.string[match.end() :][:1])
    broken = any(is_mark(i) and o.strip() and not is_mark(o) for i, o in zip((inner[0], inner[-1]), outer, strict=True))
    return match[0] if broken else inner


@rule("text")
def bold_renders(cell):
    for stars in re.findall(r".{0,9}\*\*.{0,9}", re.sub(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", render_bold, cell.prose)):
        yield f"“{stars}”的星号会露出来；标点移到加粗外面，或在加粗外侧空一格"


@rule("text")
def spaces_around_code_and_math(cell):
    for match in cell.inline:
        if HAN.search(cell.source[: match.start()][-1:] + cell.source[match.end() :][:1]):
            yield f"{match[0]} 与汉字之间空一个半角格，不然 GitHub 上公式显示不出来"


@rule("text")
def no_han_in_math(cell):
    for match in cell.inline:
        if match["math"] and HAN.search(match[0]):
            yield f"{match[0]} 里有汉字；移到公式外面"


@rule("text")
def one_line_per_paragraph(cell):
    for block in re.split(r"\n\s*\n", cell.prose):
        for upper, lower in pairwise(block.splitlines()):
            text = not NOT_TEXT.match(block) and not NOT_TEXT.match(lower) and not upper.startswith("#")
            if text and HAN.search(upper) and HAN.search(lower):
                yield f"段内换了行，会显示成空格；把“{lower[:9]}…”接到上一行"


@rule("whole")
def headings_descend_in_steps(book):
    for (_, above, _), (cell, level, title) in pairwise(book.headings):
        if level > above + 1:
            yield f"{cell.where}的“{title}”从 {above} 级标题跳到了 {level} 级；一级一级往下"


@rule("text")
def links_lead_somewhere(cell):
    for link in map("".join, LINK.findall(cell.prose)):
        target = unquote(re.split("[#?]", link)[0])
        if not re.match(r"[a-z]+:|#", link) and not (cell.book.path.parent / target).exists():
            yield f"链接 {link} 指向的文件不存在；还没写的课只标“待写”，不加链接"


# ------------------------------------------------------------------ 规矩：一课的样子（解答不受约束）


@rule("lesson")
def header_tells_what_to_expect(book):
    number = book.path.stem.split("_")[0]
    titles = [(cell, title) for cell, level, title in book.headings if level == 1]
    if [cell for cell, _ in titles] != book.cells[:1] or not titles[0][1].startswith(number):
        yield f"一级标题只有一个，在开头的文字格里，以课号“{number}”开头"
    for word in ("你将做出", "你将学会", "需要先会", "预计用时"):
        if not book.cells or word not in book.cells[0].source:
            yield f"开头的文字格里没有“{word}”；补上"


@rule("lesson")
def tail_is_complete(book):
    sections = [re.sub(r"^[\d.]+ ", "", title) for _, level, title in book.headings if level == 2]
    if sections[-4:] != ["小结", "常见误解", "练习", "延伸阅读"]:
        yield "最后四个二级标题应依次是 小结、常见误解、练习、延伸阅读"


@rule("lesson")
def the_next_lesson_is_one_click_away(book):
    last = book.cells[-1].source.rstrip().splitlines()[-1:] if book.cells else []
    if not last or not re.match(r"下一课：\[.+\]\(.+\)。?$|这是最后一课", last[0]):
        yield "最后一行应是“下一课：[……](……)”；用 python tools/course.py 写上"


@taste("lesson")
def lesson_has_the_right_size(book):
    for what, count, low, high in (
        ("代码格", len(book.told), 10 if book.is_quickstart else 15, 35),  # 练习由读者写，不占讲课的篇幅
        ("图", len(book.captions), 1 if book.is_quickstart else 3, 6),
        ("验证格", sum(cell.verifies for cell in book.code), 1, 35),
        ("写代码的练习", sum(bool(cell.checks) for cell in book.practice), 1, 3),
    ):
        if not low <= count <= high:
            yield f"有 {count} 个{what}，应在 {low} 到 {high} 之间"
    # 导入格、折起来的格不算
    median = statistics.median([cell.lines for cell in book.told[1:] if not cell.folded] or [0])
    if median > 6:
        yield f"代码格行数的中位数是 {median}，超过 6；把长的格拆开"


@rule("lesson")
def no_answer_stands_in_the_open(book):
    for cell in book.practice:
        other = [
            node
            for node in (cell.tree.body if cell.tree else [])
            if not isinstance(node, ast.FunctionDef | ast.ImportFrom) and not ast.unparse(node).startswith("exercises.")
        ]
        if other:
            found = ast.unparse(other[0])[:24]
            yield f"{cell.where}在练习一节里算了别的（{found}）；答案在 solutions/ 里断言，这里不印出来"
    practising = False
    for cell in book.cells:
        for _, level, title in [h for h in book.headings if h[0] is cell]:
            practising = title.endswith("练习") if level == 2 else practising
        if practising and not cell.is_code:
            shown = re.sub(r"<details>.*?</details>", "", cell.source, flags=re.DOTALL)
            if match := re.search(r"(?:答案|解答|结果)(?:是|：).{0,12}", shown):
                yield f"{cell.where}露着答案（{match[0]}）；收进 <details>"


@rule("lesson")
def exercises_wait_for_the_reader(book):
    for cell in (cell for cell in book.practice if cell.checks):
        for node in cell.nodes:
            if isinstance(node, ast.FunctionDef) and ast.unparse(node.body[-1]) != "return ...":
                yield f"{cell.where}的 {node.name} 已经写好了；练习的空函数只写 return ...，解答放进 solutions/"
    if book.practice and book.practice[-1].last != f"exercises.progress({int(book.path.stem[:2])})":
        yield "练习一节的最后一格应是 exercises.progress(课号)，印出通过了几道"


@rule("lesson")
def solutions_cover_the_exercises(book):
    path = book.path.parent / "solutions" / book.path.name
    checks = set().union(*(cell.checks for cell in book.code))
    if checks and not path.exists():
        yield f"没有解答 solutions/{path.name}；建一本，文件名相同"
    elif checks:
        solution = Book(load(path), path)
        for name in sorted(checks ^ set().union(*(cell.checks for cell in solution.code))):
            yield f"{name} 只在课里或只在解答里；两边的练习应当相同"
        if not solution.code or "exercises.strict" not in solution.code[0].calls:
            yield f"solutions/{path.name} 的第一个代码格里没有 exercises.strict()；没有它，解答错了也不报错"
        for place, other in ((book, f"solutions/{path.name}"), (solution, f"../{path.name}")):
            if not any(f"]({other})" in cell.source for cell in place.text):
                yield f"{place.name} 里没有指向 {other} 的链接；补上"


# ------------------------------------------------------------------ 规矩：查阅用的一页


@rule("reference")
def reference_says_what_it_is_for(book):
    number = book.path.stem.split("_")[0]
    titles = [(cell, title) for cell, level, title in book.headings if level == 1]
    if [cell for cell, _ in titles] != book.cells[:1] or not titles[0][1].startswith(number):
        yield f"一级标题只有一个，在开头的文字格里，以编号“{number}”开头"
    for word in ("你将做出", "需要先会"):
        if not book.cells or word not in book.cells[0].source:
            yield f"开头的文字格里没有“{word}”；补上，README 的学习路径要用"


@rule("reference")
def each_question_is_answered_with_a_proof(book):
    # 从搜索引擎直接落到一问上的人，要看得到回答、证明和去处
    for cell, level, title in book.headings:
        if level == 3 and title.endswith("？"):
            if cell.after is None or not cell.after.is_code or not cell.after.verifies:
                yield f"“{title}”的下一格不是验证格；每一问都要有一格证明"
            if not re.search(r"\]\(\d\d_\w+\.ipynb", cell.source):
                yield f"“{title}”没有指向哪一课的链接；补上"


# ------------------------------------------------------------------ 命令行


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run", "check"], help="重跑，或者检查")
    parser.add_argument("files", nargs="*", type=Path, help="笔记本；不写就是全部")
    args = parser.parse_args(argv)
    if args.command == "run":
        environment.clean()  # 与 pytest --nbval 用同一套环境，内核会继承
    action, found = {"run": run, "check": problems}[args.command], []
    for path in [path.resolve() for path in args.files] or find():
        try:
            nb = load(path)
        except (OSError, ValueError, AttributeError) as error:  # 没有这个文件，或者内容不是笔记本
            found.append(f"{path}: 整本：读不进来：{error}")
        else:
            found += action(nb, path)
            if args.command == "check":
                for line in problems(nb, path, TASTES):
                    print(f"提醒：{line}")
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
