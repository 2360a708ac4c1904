"""Packing: a file as it is, a folder as a zip that depends on its answers alone."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from evalservice.client import NothingToSubmit
from evalservice.client.bundles import packed


def answers(folder: Path, *names: str) -> Path:
    """A folder with these answers."""
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"About {name}", encoding="utf-8")
    return folder


def content(path: Path) -> tuple[str, bytes]:
    """What would be uploaded."""
    with packed(path) as (name, stream):
        return name, stream.read()


def test_a_file_is_sent_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_bytes(b"\xff\x00")
    assert content(file) == ("answers.jsonl", b"\xff\x00")


def test_a_folder_becomes_a_zip_of_its_answers_alone(tmp_path: Path) -> None:
    folder = answers(tmp_path / "mine", "b/answer_1.md", "a/answer_2.md", "a/notes.txt", "a/answer_1.md")
    with packed(folder) as (name, stream), zipfile.ZipFile(stream) as archive:
        assert name == "mine.zip"
        assert archive.namelist() == ["a/answer_1.md", "a/answer_2.md", "b/answer_1.md"]
        assert archive.read("b/answer_1.md") == b"About b/answer_1.md"


def test_the_same_answers_make_the_same_bytes_whenever_they_were_written(tmp_path: Path) -> None:
    folder = answers(tmp_path / "mine", "a/answer_1.md")
    before = content(folder)
    os.utime(folder / "a" / "answer_1.md", (1, 1))
    assert content(folder) == before


def test_the_current_folder_has_a_name_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(answers(tmp_path / "mine", "a/answer_1.md"))
    assert content(Path("."))[0] == "mine.zip"


def test_a_folder_without_answers_is_nothing_to_submit(tmp_path: Path) -> None:
    answers(tmp_path, "a/answer.md")
    with pytest.raises(NothingToSubmit, match=r"holds no <task>/answer_<run>\.md"), packed(tmp_path):
        pass


def test_a_path_that_is_not_there_is_nothing_to_submit(tmp_path: Path) -> None:
    with pytest.raises(NothingToSubmit, match="does not exist"), packed(tmp_path / "none"):
        pass


def test_an_answer_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    answers(tmp_path, "a/answer_1.md")
    (tmp_path / "a" / ("answer_" + "2.md")).symlink_to("/proc/self/mem")
    with pytest.raises(NothingToSubmit, match=r"answer_2\.md cannot be read"), packed(tmp_path):
        pass


def test_a_name_that_is_not_in_utf8_is_named(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(folder)
    Path(os.fsdecode(folder + b"/answer_1.md")).write_text("x", encoding="utf-8")
    with pytest.raises(NothingToSubmit, match="rename it"), packed(tmp_path):
        pass
