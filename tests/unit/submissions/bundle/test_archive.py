"""A bundle as a zip: Mind2Web 2's layout, and every trick an archive can play."""

from __future__ import annotations

import io
import random
import struct
import tracemalloc
import zipfile
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.bundle import Limits, read_bundle, read_zip
from tests.unit.submissions.bundle.parts import LIMITS, faults, lines, zipped

NOISE = random.Random(7).randbytes(3_000).hex()


def entry(name: str, *, mode: int = 0, method: int = zipfile.ZIP_STORED) -> zipfile.ZipInfo:
    """A file with a Unix mode."""
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    info.compress_type = method
    return info


@pytest.mark.parametrize("folder", ["", "agent/", "./", "agent\\"])
def test_tasks_and_runs_are_read_from_the_paths(folder: str) -> None:
    bundle = zipped(
        (f"{folder}lineage/answer_1.md", "One."),
        (f"{folder}lineage/answer_12.md", "Twelve."),
        (f"{folder}templates/answer_1.md", ""),
    )
    reading = read_zip(bundle, LIMITS)
    assert faults(reading) == []
    assert [(a.task, a.run, a.text) for a in reading.answers] == [
        ("lineage", 1, "One."),
        ("lineage", 12, "Twelve."),
        ("templates", 1, ""),
    ]


@pytest.mark.parametrize(
    ("content", "text", "keeps_raw"),
    [
        (b"\xef\xbb\xbfmarked", "marked", True),
        ("é😀".encode("utf-16"), "é😀", True),
        (b"one\r\ntwo", "one\ntwo", True),
        (b"a\0b", "a\ufffdb", True),
        (b"plain\n", "plain\n", False),
    ],
)
def test_text_is_cleaned_and_the_bytes_kept_if_they_differ(
    content: bytes, text: str, keeps_raw: bool
) -> None:
    (answer,) = read_zip(zipped(("t/answer_1.md", content)), LIMITS).answers
    assert answer.text == text
    assert answer.raw == (content if keeps_raw else None)


def test_what_macos_adds_is_passed_over() -> None:
    bundle = zipped(
        ("a/", ""), ("a/t/", ""), ("a/.DS_Store", "x"), ("__MACOSX/a/t/._answer_1.md", "x"),
        ("a/t/._answer_1.md", "x"), ("a/t/answer_1.md", "Yes."),
    )  # fmt: skip
    reading = read_zip(bundle, LIMITS)
    assert faults(reading) == []
    assert [a.text for a in reading.answers] == ["Yes."]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../t/answer_1.md", "path_unsafe"),
        ("a/../answer_1.md", "path_unsafe"),
        ("..\\t\\answer_1.md", "path_unsafe"),
        ("/etc/answer_1.md", "path_unsafe"),
        ("C:/t/answer_1.md", "path_unsafe"),
        ("__MACOSX/../../t/answer_1.md", "path_unsafe"),
        ("t" * 256 + "/answer_1.md", "name_too_long"),
        ("é" * 128 + "/answer_1.md", "name_too_long"),
        ("answer_1.md", "file_unexpected"),
        ("a/b/c/answer_1.md", "file_unexpected"),
        ("t/answer_0.md", "file_unexpected"),
        ("t/answer_01.md", "file_unexpected"),
        ("t/answer_1000.md", "file_unexpected"),
        ("t/answer_١.md", "file_unexpected"),
        ("t/answer_1.txt", "file_unexpected"),
        ("README.md", "file_unexpected"),
        ("t/answers.zip", "archive_nested"),
        ("t/answers.tar.GZ", "archive_nested"),
    ],
)
def test_a_file_in_the_wrong_place_is_refused_by_name(name: str, code: str) -> None:
    reading = read_zip(zipped((name, "x"), ("t/answer_1.md", "y")), LIMITS)
    assert faults(reading) == [(name.replace("\\", "/"), code)]


def test_names_of_255_bytes_are_read() -> None:
    (answer,) = read_zip(zipped(("é" * 127 + "t/answer_1.md", "x")), LIMITS).answers
    assert answer.task == "é" * 127 + "t"


def test_of_a_name_without_end_a_fault_shows_the_beginning() -> None:
    (fault,) = read_zip(zipped(("t" * 2_000 + "/answer_1.md", "x")), LIMITS).faults
    assert (fault.where, fault.code) == ("t" * 1_000, "name_too_long")


def test_utf8_names_without_their_flag_are_read() -> None:
    data = zipped(("任务/answer_1.md", "x")).getvalue()
    name = "任务/answer_1.md".encode()
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(mark) + offset
        data = data[:at] + struct.pack("<H", 0) + data[at + 2 :]
    assert data.count(name) == 2
    (answer,) = read_zip(io.BytesIO(data), LIMITS).answers
    assert answer.task == "任务"


def test_other_names_are_taken_as_code_page_437() -> None:
    data = zipped(("tXsk/answer_1.md", "x")).getvalue().replace(b"tXsk", b"t\x84sk")
    (answer,) = read_zip(io.BytesIO(data), LIMITS).answers
    assert answer.task == "täsk"


def test_a_name_with_a_nul_is_refused() -> None:
    data = zipped(("t/answer_1.mdX.exe", "x")).getvalue().replace(b".mdX", b".md\0")
    assert [code for _, code in faults(read_zip(io.BytesIO(data), LIMITS))] == ["path_unsafe"]


@pytest.mark.parametrize("mode", [0o120777, 0o010644, 0o060644, 0o140777])
def test_links_and_devices_are_refused(mode: int) -> None:
    bundle = zipped((entry("t/answer_1.md", mode=mode), "/etc/passwd"))
    assert faults(read_zip(bundle, LIMITS)) == [("t/answer_1.md", "file_not_regular")]


def test_encrypted_files_are_refused() -> None:
    data = bytearray(zipped(("t/answer_1.md", "x")).getvalue())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert faults(read_zip(io.BytesIO(data), LIMITS)) == [("t/answer_1.md", "file_encrypted")]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(method: int) -> None:
    bundle = zipped((entry("t/answer_1.md", method=method), "x"))
    assert faults(read_zip(bundle, LIMITS)) == [("t/answer_1.md", "file_compression")]


def test_the_same_task_and_run_twice_is_refused() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        bundle = zipped(("t/answer_1.md", "x"), ("t/answer_1.md", "y"))
    assert faults(read_zip(bundle, LIMITS)) == [("t/answer_1.md", "answer_duplicate")]


def test_answers_of_two_agents_are_refused() -> None:
    bundle = zipped(*((f"{agent}/{agent}/answer_1.md", "x") for agent in ("one", "two", "three")))
    assert faults(read_zip(bundle, LIMITS)) == [("bundle", "bundle_layout")]


def test_invalid_text_is_refused_by_name() -> None:
    bundle = zipped(("t/answer_1.md", b"caf\xe9"), ("u/answer_1.md", "fine"))
    assert faults(read_zip(bundle, LIMITS)) == [("t/answer_1.md", "encoding_invalid")]


def test_an_answer_over_the_limit_is_refused() -> None:
    bundle = zipped(("t/answer_1.md", "x" * 1_000), ("u/answer_1.md", "x" * 1_001))
    assert faults(read_zip(bundle, LIMITS)) == [("u/answer_1.md", "answer_too_large")]


def test_a_bomb_is_refused_by_its_ratio() -> None:
    limits = replace(LIMITS, answer_bytes=10**7, bundle_bytes=10**8)
    bundle = zipped(("t/answer_1.md", "x" * 10**6), ("u/answer_1.md", "x" * 90_000))
    assert faults(read_zip(bundle, limits)) == [("t/answer_1.md", "file_ratio")]


def test_all_files_together_are_limited() -> None:
    files = [(f"t{n}/answer_1.md", NOISE[:1_000]) for n in range(20)]
    assert faults(read_zip(zipped(*files), LIMITS)) == []
    limits = replace(LIMITS, bundle_bytes=19_999)
    assert faults(read_zip(zipped(*files), limits)) == [("bundle", "bundle_too_large")]


def test_too_many_files_are_refused() -> None:
    files = [(f"t{n}/answer_1.md", "x") for n in range(21)]
    assert faults(read_zip(zipped(*files[:20]), LIMITS)) == []
    assert faults(read_zip(zipped(*files), LIMITS)) == [("bundle", "bundle_too_many")]


def test_a_directory_of_many_entries_is_never_loaded() -> None:
    files = [(f"d{n}/", "") for n in range(1_500)]
    assert faults(read_zip(zipped(*files), LIMITS)) == [("bundle", "bundle_too_many")]


def test_a_huge_directory_is_never_loaded() -> None:
    info = entry("t/answer_1.md")
    info.extra = struct.pack("<HH", 0xFFFF, 60_000) + b"\0" * 60_000
    comment = b"c" * 65_000
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for n in range(15):
            padded = entry(f"t{n}/answer_1.md")
            padded.extra, padded.comment = info.extra, comment
            archive.writestr(padded, "x")
    limits = Limits(answer_bytes=100, bundle_bytes=10**9, bundle_files=20, bundle_ratio=100)
    assert faults(read_zip(out, limits)) == [("bundle", "bundle_too_many")]


def _declare(data: bytes, size: int) -> bytes:
    """The archive with another size in its directory and at the file."""
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.index(mark) + offset
        data = data[:at] + struct.pack("<I", size) + data[at + 4 :]
    return data


@pytest.mark.parametrize("size", [10, 990])
def test_a_false_size_is_found_out(size: int) -> None:
    data = _declare(zipped(("t/answer_1.md", NOISE[:800])).getvalue(), size)
    assert faults(read_zip(io.BytesIO(data), LIMITS)) == [("t/answer_1.md", "file_damaged")]


def _in_zip64(data: bytes, *, file_at: int, directory_at: int) -> io.BytesIO:
    """The zip of one stored file, with other places of the file and of the directory than its own, in 64 bits."""
    size, entries_at = struct.unpack("<LL", data[-10:-2])
    local, entry = data[:entries_at], data[entries_at : entries_at + size]
    name = entry[46 : 46 + struct.unpack("<H", entry[28:30])[0]]
    places = struct.pack("<HHQ", 1, 8, file_at)
    entry = entry[:30] + struct.pack("<H", len(places)) + entry[32:42] + b"\xff" * 4 + name + places
    end = struct.pack("<4sQHHLLQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, len(entry), directory_at)
    end += struct.pack("<4sLQL", b"PK\6\7", 0, len(local) + len(entry), 1)
    end += struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, 1, 1, 2**32 - 1, 2**32 - 1, 0)
    return io.BytesIO(local + entry + end)


@pytest.mark.parametrize("beyond", [2**62, 2**63 - 1, 2**63, 2**64 - 1])
def test_places_beyond_any_file_are_found_out(beyond: int) -> None:
    data = zipped(("t/answer_1.md", "x")).getvalue()
    own = struct.unpack("<L", data[-6:-2])[0]
    assert read_zip(_in_zip64(data, file_at=0, directory_at=own), LIMITS).slots == {("t", 1): "t/answer_1.md"}
    moved = read_zip(_in_zip64(data, file_at=beyond, directory_at=own), LIMITS)
    assert faults(moved) == [("t/answer_1.md", "file_damaged")]
    assert faults(read_zip(_in_zip64(data, file_at=0, directory_at=beyond), LIMITS)) != []


def test_a_changed_byte_is_found_out() -> None:
    data = bytearray(zipped((entry("t/answer_1.md"), "stored as it is")).getvalue())
    data[data.index(b"stored")] ^= 1
    assert faults(read_zip(io.BytesIO(data), LIMITS)) == [("t/answer_1.md", "file_damaged")]


@pytest.mark.parametrize("cut", [4, 30, -30, -1])
def test_a_broken_archive_is_refused(cut: int) -> None:
    data = zipped(("t/answer_1.md", "x" * 100)).getvalue()[:cut]
    assert faults(read_zip(io.BytesIO(data), LIMITS)) == [("bundle", "archive_damaged")]


def test_a_flagged_name_that_is_not_utf8_is_refused() -> None:
    data = zipped(("té/answer_1.md", "x")).getvalue().replace("é".encode(), b"\xff\xff")
    assert faults(read_zip(io.BytesIO(data), LIMITS)) == [("bundle", "archive_damaged")]


def test_an_empty_archive_is_refused() -> None:
    assert faults(read_bundle(zipped(), LIMITS)) == [("bundle", "bundle_empty")]


def test_the_format_is_told_by_content() -> None:
    (from_zip,) = read_bundle(zipped(("t/answer_1.md", "x")), LIMITS).answers
    (from_lines,) = read_bundle(io.BytesIO(b"".join(lines({"task": "t", "answer": "x"}))), LIMITS).answers
    assert replace(from_zip, where="") == replace(from_lines, where="")


def test_an_archive_is_never_held_whole() -> None:
    limits = Limits(answer_bytes=100_000, bundle_bytes=10**9, bundle_files=1_000, bundle_ratio=10_000)
    bundle = zipped(*((f"t{n}/answer_1.md", f"{n}\r\n" + "x" * 90_000) for n in range(300)))
    tracemalloc.start()
    with closing(read_bundle(bundle, limits)) as reading:
        sizes = sum(len(answer.text) for answer in reading.answers)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert faults(reading) == []
    assert sizes > 27_000_000
    assert peak < 5_000_000


@settings(max_examples=300)
@given(st.data())
def test_a_damaged_archive_gives_answers_or_faults(data: st.DataObject) -> None:
    whole = bytearray(zipped(("a/t/answer_1.md", "x" * 50), ("a/u/answer_1.md", NOISE[:300])).getvalue())
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    reading = read_zip(io.BytesIO(whole), LIMITS)
    assert reading.slots or reading.faults
