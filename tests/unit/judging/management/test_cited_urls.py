"""The command that shows what would be fetched."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

PROJECT = Path(__file__).parents[4]


def test_every_file_gets_a_line_with_its_urls(tmp_path: Path) -> None:
    one, two = tmp_path / "one.md", tmp_path / "zwei ü.md"
    one.write_bytes(b"\xef\xbb\xbf[a](https://x.org/a), \xff https://x.org/b.")
    two.write_text("nothing", encoding="utf-8")
    out = StringIO()
    call_command("cited_urls", str(one), str(two), stdout=out)
    assert [json.loads(line) for line in out.getvalue().splitlines()] == [
        {"file": str(one), "urls": ["https://x.org/a", "https://x.org/b"]},
        {"file": str(two), "urls": []},
    ]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"gone\.md: No such file"):
        call_command("cited_urls", str(tmp_path / "gone.md"))


def test_it_runs_without_a_secret_or_a_database(tmp_path: Path) -> None:
    answer = tmp_path / "a.md"
    answer.write_text("https://x.org/a", encoding="utf-8")
    bare = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("EVALSERVICE_", "DJANGO_", "COV_"))
    }
    done = subprocess.run(
        [sys.executable, "manage.py", "cited_urls", str(answer)],
        cwd=PROJECT,
        env=bare,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["urls"] == ["https://x.org/a"]
