"""练习的检查器：对的答案都收下，错的答案都挡住，而且说得出是哪一种错。"""

import pytest
from wrong_answers import RIGHT, WRONG

from sinpe import exercises

CHECKS = {name.removeprefix("check_"): getattr(exercises, name) for name in exercises.__all__ if "check_" in name}
WRONGS = [(check, source, words, answer) for check, found in WRONG.items() for source, words, answer in found]
RIGHTS = [(check, answer) for check, found in RIGHT.items() for answer in found]
PUBLISHED = "C1 C2 C4 C6 C7 C10 C14 C15 C17 D1 D2 D3 E3 E4 F8 F12 H2 J3".split()  # C3 是 C1 的另一份报告


def name_of(answer):
    return "+".join(function.__name__ for function in answer)


@pytest.fixture(autouse=True)
def fresh_state(monkeypatch):
    monkeypatch.setattr(exercises, "_TIME_LIMIT", 1.0)  # 死循环的两例不必等 5 秒
    monkeypatch.setattr(exercises, "_passed", set())
    yield
    exercises.strict(False)


# ------------------------------------------------------------------ 对与错


@pytest.mark.parametrize(("check", "answer"), RIGHTS, ids=[f"{c}-{name_of(a)}" for c, a in RIGHTS])
def test_a_right_answer_passes_however_it_is_written(check, answer, capsys):
    CHECKS[check](*answer)
    first, tested, note = capsys.readouterr().out.splitlines()
    assert first.endswith("：通过。")
    assert "核对了" in tested
    assert note.startswith("值得注意：")


@pytest.mark.parametrize(
    ("check", "words", "answer"),
    [(check, words, answer) for check, _, words, answer in WRONGS],
    ids=[f"{check}-{name_of(answer)}" for check, _, _, answer in WRONGS],
)
def test_a_wrong_answer_is_named(check, words, answer, capsys):
    CHECKS[check](*answer)
    said = capsys.readouterr().out
    assert "还不对" in said
    diagnosis = said[said.index("像是这种错：") :]
    assert all(word in diagnosis for word in words), said
    assert "\n提示：" in diagnosis


def test_every_checker_is_tried_with_enough_answers():
    assert set(RIGHT) == set(WRONG) == set(CHECKS)
    assert all(len(found) >= 2 for found in RIGHT.values())
    assert all(len(found) >= 5 for found in WRONG.values())
    assert len(WRONGS) >= 80
    assert set(PUBLISHED) <= {source for _, source, _, _ in WRONGS}
