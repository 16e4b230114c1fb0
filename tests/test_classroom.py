"""教师的脚本：幻灯片、图、练习表，和真的 JupyterHub 上的一小轮。"""

import asyncio
import importlib.util
import json
import os
import re
import shutil
import sys

import classkit
import course
import pytest

import notebooks
from sinpe.exercises import _seeds

LESSONS = {lesson.number: lesson for lesson in classkit.written([])}


def test_the_table_of_exercises_is_current():
    assert classkit.main(["table", "--check"]) == 0, "运行 python tools/classkit.py table"
    text = classkit.TEACHING.read_text(encoding="utf-8")
    for lesson in LESSONS.values():
        for number in re.findall(r"^\*\*练习 (\d+-\d+)（", course.sections(lesson.book)["练习"].text, re.MULTILINE):
            assert f"\n| {number} " in text


def test_the_page_names_the_exercises_that_take_a_seed():
    page = classkit.TEACHING.read_text(encoding="utf-8")
    (said,) = re.findall(r"换数的是练习 ([\d\-、]+)；", page)
    assert said.split("、") == sorted(_seeds.VARIANTS, key=lambda n: [*map(int, n.split("-"))])


def test_the_hub_figures_on_the_page_are_those_measured(root):
    rounds = json.loads((root / "benchmarks" / "classroom.json").read_text(encoding="utf-8"))["rounds"]
    page = classkit.TEACHING.read_text(encoding="utf-8")
    for r in rounds:
        columns = ("lesson", "students", "all_up_s", "last_done_s", "idle_mb", "running_mb")
        row = f"| {' | '.join(str(r[c]) for c in columns)} |"
        assert row in page, row
        assert r["failed_cells"] == 0
    last = {r["lesson"]: r["last_done_s"] for r in rounds if r["students"] == 30}
    assert f"第 00 课最后一个人要等 {last['00']:.0f} 秒，第 05 课要等 {last['05']:.0f} 秒" in page
    hub = [r["hub_mb"] for r in rounds]
    assert f"Hub 和代理自己占 {min(hub)} 到 {max(hub)} MB" in page


@pytest.mark.dev("vl_convert", "mathjax")
def test_a_deck_is_small_and_opens_without_a_network(tmp_path):
    assert classkit.main(["decks", "--to", str(tmp_path), "00"]) == 0
    (path,) = tmp_path.glob("*.html")
    text = path.read_text(encoding="utf-8")
    slides = text.count("<section>")
    pictures = sum(len(cell.pictures) > 0 for cell in LESSONS["00"].book.code)
    assert 4 <= slides <= classkit.MOST
    assert text.count('<div class="picture"><svg') == pictures
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', text)
    assert (tmp_path / re.search(r'<script src="([^"]+)"', text)[1]).exists()


@pytest.mark.dev("vl_convert")
def test_every_figure_of_a_lesson_becomes_an_svg_with_its_caption():
    lesson = LESSONS["00"]
    found = classkit.figures(lesson)
    assert len(found) == sum(len(cell.pictures) for cell in lesson.book.code)
    for number, caption, svg in found:
        assert svg.startswith("<svg")
        assert "<desc>" in svg
        assert "dc:date" not in svg
        assert caption.startswith(f"图 {number}") or not number


@pytest.mark.dev("vl_convert")
def test_every_live_figure_is_drawn():
    """画不出的，vl_convert 不报错，给一张空的。"""
    outputs = [
        o["data"] for lesson in LESSONS.values() for c in lesson.book.code for o in c.node.outputs if "data" in o
    ]
    live = [data for data in outputs if notebooks.VEGA in data]
    assert len(live) > 3
    for data in live:
        svg = classkit.first_look(data)
        assert len(svg) > 5000
        assert "<path" in svg or "<image" in svg


@pytest.fixture
def root():
    return notebooks.ROOT


@pytest.mark.dev("jupyterhub")
@pytest.mark.skipif(sys.platform != "linux", reason="本机的 JupyterHub 只在 Linux 上试")
def test_two_students_on_a_real_hub(root, monkeypatch):
    proxy = os.environ.get("SINPE_PROXY") or shutil.which("configurable-http-proxy")
    if not proxy:
        pytest.skip("没有 configurable-http-proxy；npm 装上以后，用环境变量 SINPE_PROXY 指出来")
    import psutil

    monkeypatch.syspath_prepend(root / "benchmarks")
    spec = importlib.util.spec_from_file_location("hub_benchmark", root / "benchmarks" / "classroom.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "LIMIT", 120)
    (notebook,) = (root / "notebooks").glob("00_*.ipynb")
    before = {p.pid for p in psutil.process_iter()}
    found = asyncio.run(module.lesson(2, notebook, proxy))
    assert (found["students"], found["failed_cells"]) == (2, 0)
    left = [p for p in psutil.process_iter() if p.pid not in before and _mentions(p, "sinpe-hub-")]
    assert left == [], "留下了进程"


def _mentions(process, word):
    import psutil

    try:
        return word in " ".join(process.cmdline()) or word in process.environ().get("HOME", "")
    except psutil.Error:
        return False
