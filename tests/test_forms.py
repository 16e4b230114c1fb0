"""GitHub 的表单合乎它的格式：不合的表单，GitHub 不报错，只是不显示。"""

import re

import pytest
import yaml

FORMS = ["1_error.yml", "2_unclear.yml"]
# 取自 GitHub 文档“Syntax for issue forms”和“Syntax for GitHub's form schema”
TOP = {"name", "description", "body", "title", "labels", "assignees", "projects", "type"}
ELEMENT = {"type", "id", "attributes", "validations"}
ATTRIBUTES = {  # 类型：（必有的，可有的）
    "markdown": ({"value"}, set()),
    "input": ({"label"}, {"description", "placeholder", "value"}),
    "textarea": ({"label"}, {"description", "placeholder", "value", "render"}),
    "dropdown": ({"label", "options"}, {"description", "multiple", "default"}),
    "checkboxes": ({"label", "options"}, {"description"}),
}


def problems(form):
    """这张表单不合格式的地方。"""
    if not isinstance(form, dict) or not {"name", "description", "body"} <= form.keys() <= TOP:
        yield f"顶层的键：{form.keys() if isinstance(form, dict) else form}"
        return
    fields = [element for element in form["body"] if element.get("type") != "markdown"]
    if not fields:
        yield "至少要有一处可填"
    for key in ("id", "label"):
        values = [element.get(key, element["attributes"].get(key)) for element in fields]
        if len(set(values)) < len(values):
            yield f"{key} 有重复：{values}"
    for element in form["body"]:
        required, optional = ATTRIBUTES.get(element.get("type"), (None, None))
        if required is None or not {"type", "attributes"} <= element.keys() <= ELEMENT:
            yield f"元素：{element}"
        elif not required <= element["attributes"].keys() <= required | optional:
            yield f"{element['type']} 的 attributes：{element['attributes'].keys()}"
        elif not all(
            isinstance(value, str | bool | int | list) and value != "" for value in element["attributes"].values()
        ):
            yield f"{element['type']} 有空的或类型不对的值：{element['attributes']}"
        elif element["type"] == "markdown" and element.keys() != {"type", "attributes"}:
            yield "markdown 不能有 id 和 validations"
        elif "id" in element and not re.fullmatch(r"[A-Za-z0-9_-]+", element["id"]):
            yield f"id 只能用字母、数字、- 和 _：{element['id']}"
        elif element.get("validations", {"required": True}).keys() != {"required"}:
            yield f"validations：{element['validations']}"
        elif element["type"] == "dropdown" and len(set(element["attributes"]["options"])) < len(
            element["attributes"]["options"]
        ):
            yield "选项有重复"


@pytest.fixture
def templates(pytestconfig):
    return pytestconfig.rootpath / ".github" / "ISSUE_TEMPLATE"


def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_there_are_the_two_forms_and_a_blank_issue_is_allowed_too(templates):
    assert sorted(path.name for path in templates.iterdir()) == [*FORMS, "config.yml"]
    assert load(templates / "config.yml") == {"blank_issues_enabled": True}


@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_valid(name, templates):
    assert list(problems(load(templates / name))) == []


def required(form):
    return {element["id"] for element in form["body"] if element.get("validations", {}).get("required")}


def test_the_error_form_asks_for_the_lesson_the_cell_and_the_doctor(templates):
    form = load(templates / "1_error.yml")
    assert form["name"] == "报错"
    assert required(form) == {"lesson", "cell", "happened", "doctor"}
    (doctor,) = [element for element in form["body"] if element.get("id") == "doctor"]
    assert "python -m sinpe doctor" in doctor["attributes"]["description"]
    assert doctor["attributes"]["render"] == "text"  # 原样显示，不当作 Markdown


def test_the_unclear_form_says_that_it_is_no_defect_and_demands_little(templates):
    form = load(templates / "2_unclear.yml")
    assert form["name"] == "看不懂"
    assert "不算缺陷" in form["description"]
    assert form["labels"] != load(templates / "1_error.yml")["labels"]
    assert required(form) == {"lesson", "sentence"}


def broken(change):
    form = {
        "name": "n",
        "description": "d",
        "body": [
            {"type": "markdown", "attributes": {"value": "v"}},
            {"type": "input", "id": "a", "attributes": {"label": "A"}, "validations": {"required": True}},
            {"type": "dropdown", "id": "b", "attributes": {"label": "B", "options": ["1", "2"]}},
        ],
    }
    change(form)
    return form


@pytest.mark.parametrize(
    "change",
    [
        lambda form: form.pop("description"),
        lambda form: form.update(about="旧模板的键"),
        lambda form: form.update(body=form["body"][:1]),
        lambda form: form["body"][1].update(id="b"),
        lambda form: form["body"][1].update(id="空 格"),
        lambda form: form["body"][1]["attributes"].update(label="B"),
        lambda form: form["body"][1].update(type="text"),
        lambda form: form["body"][1].update(required=True),
        lambda form: form["body"][1]["attributes"].update(id="a"),
        lambda form: form["body"][1].update(validations={"require": True}),
        lambda form: form["body"][1]["attributes"].update(placeholder=""),
        lambda form: form["body"][0].update(id="m"),
        lambda form: form["body"][2]["attributes"].update(options=["1", "1"]),
    ],
)
def test_a_broken_form_is_noticed(change):
    assert list(problems(broken(lambda form: None))) == []
    assert list(problems(broken(change)))


def test_the_pull_request_template_leads_to_the_rules(pytestconfig):
    text = (pytestconfig.rootpath / ".github" / "pull_request_template.md").read_text(encoding="utf-8")
    for phrase in ("见过它失败", "tools/notebooks.py run", "GLOSSARY.md", "bash .ci/run", "(../CONTRIBUTING.md)"):
        assert phrase in text


def test_contributing_keeps_the_three_promises(pytestconfig):
    text = (pytestconfig.rootpath / "CONTRIBUTING.md").read_text(encoding="utf-8")
    promises = re.search(r"^## 三条承诺\n\n((?:\d\. .+\n)+)", text, re.MULTILINE)[1].splitlines()
    assert len(promises) == 3
    for promise, word in zip(promises, ("论断都运行过", "课程会回答", "模块要做到"), strict=True):
        assert word in promise
