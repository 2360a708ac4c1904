"""Reading the files of a task set out of folders and zips that may be anything."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.taskset_files import FilesReading, Limits, read_archive, read_files, read_folder


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    target.seek(0)
    return target


def lines(reading: FilesReading) -> list[str]:
    return [str(fault) for fault in reading.faults]


SET = {"taskset.yaml": b"a", "tasks/x.yaml": b"b", "pages/p.html": b"c"}


def written(root: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def test_a_folder_gives_its_files_by_posix_path_and_leaves_hidden_ones(tmp_path: Path) -> None:
    litter = {
        ".git/config": b"x",
        ".DS_Store": b"x",
        "__MACOSX/taskset.yaml": b"x",
        "tasks/.x.swp": b"x",
        "Thumbs.db": b"x",
    }
    assert read_files(written(tmp_path, SET | litter)) == FilesReading(SET)


def test_links_are_refused_and_not_followed(tmp_path: Path) -> None:
    root = written(tmp_path / "set", SET)
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    (root / "tasks/link.yaml").symlink_to(secret)
    (root / "more").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(root / "pipe")
    reason = "(whole file): is a link or a device; put the file itself there"
    reading = read_folder(root)
    assert sorted(lines(reading)) == [f"{name}: {reason}" for name in ("more", "pipe", "tasks/link.yaml")]
    assert b"secret" not in reading.files.values()


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    (written(tmp_path, SET) / "taskset.yaml").chmod(0)
    assert lines(read_folder(tmp_path)) == ["taskset.yaml: (whole file): cannot be read: Permission denied"]


def test_a_file_that_vanishes_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, SET)

    def refuse(self: Path, *_args: object) -> None:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(Path, "open", refuse)
    assert len(read_folder(tmp_path).faults) == 3
    assert lines(read_folder(tmp_path))[0].endswith("cannot be read: No such file or directory")


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    os.makedirs(os.fsencode(tmp_path) + b"/tasks")
    with open(os.fsencode(tmp_path) + b"/tasks/\xff\n.yaml", "wb"):
        pass
    assert lines(read_folder(tmp_path)) == [
        "tasks/\\udcff .yaml: (whole file): has a name that cannot be printed; rename it"
    ]


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone.zip"
    assert lines(read_files(gone)) == [f"{gone}: (whole file): cannot be opened: No such file or directory"]


@pytest.mark.parametrize("top", ["", "my-set/", "./"])
def test_a_zip_gives_the_same_with_and_without_a_folder_above(top: str, tmp_path: Path) -> None:
    path = tmp_path / "set.zip"
    entries = [(f"{top}{name}", data) for name, data in SET.items()]
    path.write_bytes(
        zipped((f"{top}tasks/", b""), *entries, ("__MACOSX/._x", b"x"), (f"{top}.DS_Store", b"x")).read()
    )
    assert read_files(path) == FilesReading(SET)


def test_a_folder_above_stays_where_it_holds_no_set() -> None:
    assert read_archive(zipped(("tasks/x.yaml", b"b"))).files == {"tasks/x.yaml": b"b"}
    two = zipped(("a/taskset.yaml", b"1"), ("b/taskset.yaml", b"2"))
    assert read_archive(two).files == {"a/taskset.yaml": b"1", "b/taskset.yaml": b"2"}


def info(name: str, *, mode: int = 0, flags: int = 0) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.external_attr = mode << 16
    made.flag_bits = flags
    return made


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/passwd", "C:/x", "C:\\x", "..\\x"])
def test_a_path_out_of_the_archive_is_refused(name: str) -> None:
    reading = read_archive(zipped((name, b"x"), ("taskset.yaml", b"a")))
    assert [fault.reason for fault in reading.faults] == ["is a path out of the archive"]
    assert reading.files == {"taskset.yaml": b"a"}


def test_links_and_devices_in_an_archive_are_refused() -> None:
    archive = zipped(
        (info("tasks/l.yaml", mode=stat.S_IFLNK | 0o777), b"/etc/passwd"), (info("d", mode=stat.S_IFBLK), b"")
    )
    assert [fault.reason for fault in read_archive(archive).faults] == [
        "is a link or a device; put the file itself there"
    ] * 2


def test_rare_ways_of_packing_are_refused() -> None:
    reason = "is encrypted or packed in a rare way; use stored or deflated files"
    assert [fault.reason for fault in read_archive(zipped(("a", b"x"), method=zipfile.ZIP_LZMA)).faults] == [
        reason
    ]
    raw = bytearray(zipped(("a", b"x")).read())
    entry = raw.index(b"PK\x01\x02")
    raw[entry + 8] |= 1  # the flag of an encrypted entry
    assert [fault.reason for fault in read_archive(io.BytesIO(bytes(raw))).faults] == [reason]


def test_names_twice_in_an_archive_are_refused() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        archive = zipped(("taskset.yaml", b"a"), ("taskset.yaml", b"b"))
    reading = read_archive(archive)
    assert lines(reading) == ["taskset.yaml: (whole file): is in the archive twice"]


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06", b"not a zip", b"PK\x03\x04" + b"\0" * 100])
def test_what_is_no_zip_is_one_fault(content: bytes) -> None:
    assert lines(read_archive(io.BytesIO(content))) == [
        "(archive): (whole file): is neither a folder nor a zip that can be read"
    ]


def test_a_damaged_member_is_named() -> None:
    raw = bytearray(zipped(("taskset.yaml", b"abc" * 50)).read())
    raw[45] ^= 0xFF
    assert lines(read_archive(io.BytesIO(bytes(raw)))) == [
        "taskset.yaml: (whole file): does not unpack to what the archive promises"
    ]


def test_a_bomb_is_refused_before_it_unpacks() -> None:
    assert lines(read_archive(zipped(("taskset.yaml", b"\0" * 5_000_000)))) == [
        "taskset.yaml: (whole file): unpacks to more than 200 times its size"
    ]


def test_a_size_that_lies_is_not_believed() -> None:
    raw = zipped(("taskset.yaml", os.urandom(3_000))).read()
    lying = raw.replace((3_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert lines(read_archive(io.BytesIO(lying))) == [
        "taskset.yaml: (whole file): does not unpack to what the archive promises"
    ]


@pytest.mark.parametrize(
    ("limits", "line"),
    [
        (Limits(files=2), "{}: (whole file): has more than 2 files"),
        (Limits(total_bytes=2), "{}: (whole file): unpacks to more than 2 bytes"),
    ],
)
def test_folders_and_zips_have_the_same_limits(limits: Limits, line: str, tmp_path: Path) -> None:
    assert lines(read_files(written(tmp_path, SET), limits)) == [line.format(tmp_path)]
    assert lines(read_archive(zipped(*SET.items()), limits)) == [line.format("(archive)")]


def test_a_file_has_a_limit_of_its_own(tmp_path: Path) -> None:
    files = SET | {"pages/big.html": b"x" * 11}
    expected = ["pages/big.html: (whole file): has more than 10 bytes"]
    assert lines(read_files(written(tmp_path, files), Limits(file_bytes=10))) == expected
    assert lines(read_archive(zipped(*files.items()), Limits(file_bytes=10))) == expected


def test_a_huge_directory_is_refused_before_it_is_read() -> None:
    archive = zipped(*((f"{n}", b"") for n in range(30)), method=zipfile.ZIP_STORED)
    assert lines(read_archive(archive, Limits(files=10))) == [
        "(archive): (whole file): lists more than 10 files"
    ]


@given(st.binary(max_size=200), st.integers(0, 400), st.integers(1, 255))
def test_no_bytes_raise(noise: bytes, place: int, change: int) -> None:
    assert read_archive(io.BytesIO(noise)).faults
    raw = bytearray(zipped(("taskset.yaml", noise), ("tasks/a.yaml", b"x")).read())
    raw[place % len(raw)] ^= change
    read_archive(io.BytesIO(bytes(raw)))
