"""``manage.py taskset new`` and ``lint``, and ``export_rubric_schema``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from judging.rubric import rubric_schema
from tests.growth import assert_proportional

PROJECT = Path(__file__).parents[4]


def run(*arguments: str) -> list[str]:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("protocol", ["rubric_tree", "cascade"])
def test_a_new_set_lints_clean_as_a_folder_and_as_a_zip(protocol: str, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "My 1st set"
    assert run("taskset", "new", str(folder), "--protocol", protocol) == [
        f"Wrote {folder}. Edit taskset.yaml and tasks/, then: manage.py taskset lint {folder}",
        f"Its pages and answers show how: manage.py taskset preview {folder} --answer {folder}/answers/alps/right.md",
    ]
    (verdict,) = run("taskset", "lint", str(folder))
    assert verdict.startswith("my-1st-set 1.0: 1 tasks, sha256 ")
    archive = shutil.make_archive(str(tmp_path / "set"), "zip", folder.parent)
    assert run("taskset", "lint", archive) == [verdict]


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Élan", "lan"), ("42", "set-42"), ("a", "set-a"), ("---", "set"), ("x" * 80, "x" * 60)],
)
def test_the_slug_follows_from_the_folder(name: str, slug: str, tmp_path: Path) -> None:
    run("taskset", "new", str(tmp_path / name))
    (verdict,) = run("taskset", "lint", str(tmp_path / name))
    assert verdict.split(" ")[0] == slug


def test_new_writes_into_an_empty_folder_and_over_nothing(tmp_path: Path) -> None:
    run("taskset", "new", str(tmp_path))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.yaml")}
    with pytest.raises(CommandError, match="is not empty; nothing was written"):
        run("taskset", "new", str(tmp_path), "--protocol", "cascade")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.yaml")} == before


def test_new_says_why_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(CommandError, match=r"file/set: Not a directory|file: Not a directory"):
        run("taskset", "new", str(tmp_path / "file" / "set"))


def test_lint_prints_every_fault_on_a_line_of_its_own(tmp_path: Path) -> None:
    run("taskset", "new", str(tmp_path))
    task = tmp_path / "tasks" / "alps.yaml"
    task.write_text(
        task.read_text().replace("task_type: retrieval", "task_type: x").replace("m.sources  ", "m.source  ")
    )
    (tmp_path / "notes.txt").write_text("x")
    out = StringIO()
    with pytest.raises(CommandError, match=r"^2 to mend$"):
        call_command("taskset", "lint", str(tmp_path), stdout=out)
    assert out.getvalue().splitlines() == [
        "warning: notes.txt: (whole file): is no part of a task set and is left out",
        'tasks/alps.yaml: task_type: must be one of retrieval, analysis, is the text "x"',
        "tasks/alps.yaml: tree.node.children[3].sources: the schema declares no property 'source' "
        '(did you mean "sources"?); declared are name, height, sources',
    ]


def with_faults(folder: Path, count: int) -> Path:
    """A new task set with so many unknown keys in its task."""
    run("taskset", "new", str(folder))
    task = folder / "tasks" / "alps.yaml"
    task.write_text(task.read_text() + "".join(f"k{n}: 1\n" for n in range(count)))
    return folder


def faults_of(folder: Path) -> list[str]:
    """The lines ``lint`` prints, and its last word."""
    out = StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("taskset", "lint", str(folder), stdout=out)
    return [*out.getvalue().splitlines(), str(caught.value)]


def test_thousands_of_faults_cost_what_they_number_and_the_first_are_shown(tmp_path: Path) -> None:
    assert_proportional(faults_of, lambda count: with_faults(tmp_path / str(count), count), 4_000, 18_000)
    *lines, verdict = faults_of(tmp_path / "18000")
    assert verdict == "18000 to mend"
    assert len(lines) == 201
    assert lines[0].startswith("tasks/alps.yaml: k0: unknown key")
    assert lines[-1] == "… and 17,800 more"


def test_lint_tells_what_it_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / "set.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../taskset.yaml", "x")
    out = StringIO()
    with pytest.raises(CommandError, match=r"^1 to mend$"):
        call_command("taskset", "lint", str(path), stdout=out)
    assert out.getvalue() == "../taskset.yaml: (whole file): is a path out of the archive\n"


def test_a_subcommand_is_needed() -> None:
    with pytest.raises(CommandError, match="SUBCOMMAND"):
        run("taskset")
    with pytest.raises(CommandError, match="invalid choice"):
        run("taskset", "bake")


def test_the_schema_is_printed_or_written(tmp_path: Path) -> None:
    assert json.loads("\n".join(run("export_rubric_schema"))) == rubric_schema()
    path = tmp_path / "schema.json"
    assert run("export_rubric_schema", "--output", str(path)) == []
    assert json.loads(path.read_text()) == rubric_schema()
    with pytest.raises(CommandError, match="Is a directory"):
        run("export_rubric_schema", "--output", str(tmp_path))


def bare(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``manage.py`` with nothing of the service in the environment."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("EVALSERVICE_", "DJANGO_", "COV_"))
    }
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT, env=kept, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_they_run_without_a_secret_or_a_database(tmp_path: Path) -> None:
    folder = str(tmp_path / "set")
    assert bare("taskset", "new", folder).returncode == 0
    assert bare("taskset", "lint", folder).returncode == 0
    (tmp_path / "set" / "taskset.yaml").unlink()
    failed = bare("taskset", "lint", folder)
    assert (failed.returncode, failed.stderr) == (1, "CommandError: 1 to mend\n")
    assert failed.stdout.startswith("taskset.yaml: (whole file): is missing")
    assert bare("export_rubric_schema").returncode == 0
