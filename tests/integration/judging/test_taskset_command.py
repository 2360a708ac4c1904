"""``manage.py taskset import`` and ``activate``."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from submissions.models import TaskSet
from tests.judging_factories import archive, lake_task, tree_files

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "set"


def write(root: Path, files: Mapping[str, bytes]) -> Path:
    shutil.rmtree(root, ignore_errors=True)
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def run(*arguments: str | Path) -> list[str]:
    out = StringIO()
    try:
        call_command("taskset", *map(str, arguments), stdout=out)
    except CommandError as error:
        return [*out.getvalue().splitlines(), f"error: {error}"]
    return out.getvalue().splitlines()


def test_a_set_is_imported_and_imported_again(root: Path) -> None:
    write(root, tree_files())
    assert run("import", root)[-1].startswith("lakes 1.0: created, 2 tasks, 8 pages")
    assert run("import", root)[-1].startswith("lakes 1.0: unchanged, 2 tasks, 8 pages")
    assert TaskSet.objects.get().state == TaskSet.State.DRAFT


def test_an_import_says_what_becomes_of_its_pages(root: Path) -> None:
    write(root, tree_files())
    told = "What cites one of these pages is judged by this copy, also where pages are fetched live."
    assert run("import", root)[-1] == f"lakes 1.0: created, 2 tasks, 8 pages. {told}"
    write(root, tree_files(pages={}, slug="ponds"))
    assert run("import", root)[-1] == "ponds 1.0: created, 2 tasks, 0 pages."


def test_a_zip_is_imported_and_opened(root: Path, tmp_path: Path) -> None:
    write(root, tree_files())
    packed = shutil.make_archive(str(tmp_path / "lakes"), "zip", root.parent, root.name)
    lines = run("import", packed, "--activate")
    assert lines[-2].startswith("lakes 1.0: created")
    assert lines[-1].startswith("lakes 1.0: active since ")
    assert TaskSet.objects.get().state == TaskSet.State.ACTIVE


def test_every_fault_is_told_and_nothing_is_imported(root: Path) -> None:
    wrong = lake_task()
    wrong["tree"]["children"][1]["claim"] = "{{ pond.depth }}"
    write(root, tree_files({"brume": wrong}, licence=None))
    lines = run("import", root)
    assert len(lines) == 3
    assert lines[0].startswith("taskset.yaml: ")
    assert lines[1].startswith("tasks/brume.yaml: tree.children[1].claim: ")
    assert lines[2] == "error: 2 to mend; nothing was done"
    assert not TaskSet.objects.exists()


def test_files_that_cannot_be_read_are_told(root: Path, tmp_path: Path) -> None:
    assert run("import", tmp_path / "nowhere")[-1] == "error: 1 to mend; nothing was done"
    write(root, tree_files())
    (root / "tasks" / "link.yaml").symlink_to(root / "taskset.yaml")
    assert (
        run("import", root)[0]
        == "tasks/link.yaml: (whole file): is a link or a device; put the file itself there"
    )


def test_changed_content_under_the_same_version_is_refused(root: Path) -> None:
    write(root, tree_files())
    run("import", root)
    write(root, tree_files(title="Other lakes"))
    assert run("import", root)[0].startswith("taskset.yaml: version: version 1.0 is already imported")


def test_warnings_are_told(root: Path) -> None:
    write(root, tree_files(pages={**archive({"brume": "Deep."}), "pages/stray.html": b"<p>x"}))
    assert any(line.startswith("warning: pages/stray.html") for line in run("import", root))


def test_a_version_is_opened_by_name(root: Path) -> None:
    for version in ("1.0", "2.0"):
        write(root, tree_files(version=version))
        run("import", root)
    assert run("activate", "lakes", "1.0")[-1].startswith("lakes 1.0: active since ")
    assert run("activate", "lakes", "2.0")[-1].startswith("lakes 2.0: active since ")
    assert list(TaskSet.objects.order_by("version").values_list("state", flat=True)) == ["retired", "active"]
    assert run("activate", "lakes", "1.0") == [
        "error: lakes 1.0: version 1.0 is retired; import a new version"
    ]
    assert run("activate", "lakes", "3.0") == ["error: There is no lakes 3.0."]


def test_a_test_set_is_not_opened_by_one_person(root: Path) -> None:
    write(root, tree_files(split="test"))
    lines = run("import", root, "--activate")
    assert lines[-1].startswith("error: lakes 1.0: a test set is activated by two people")
    assert TaskSet.objects.get().state == TaskSet.State.DRAFT
