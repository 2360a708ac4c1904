"""What a team installs: a wheel with the client in it, nothing of the server, and only what it declares beside it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.programs import ROOT

pytest.importorskip("hatchling", reason="hatchling, which builds the wheel, is not in this environment")

CLIENT = ROOT / "evalservice" / "client"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this tree without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment with the wheel and what it declares, and nothing else."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=False, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(site)
    for needed in closure(required(wheel)):
        for name in {
            file.parts[0] for file in needed.files or () if file.parts[0] not in {"..", "__pycache__"}
        }:
            (site / name).symlink_to(Path(str(needed.locate_file(name))))
    return folder / "bin" / "python"


def required(wheel: Path) -> list[str]:
    """What the wheel needs without extras."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    return wanted(metadata.get_all("Requires-Dist") or [])


def wanted(requirements: list[str]) -> list[str]:
    """The names that hold here, without extras."""
    parsed = [Requirement(text) for text in requirements]
    return [one.name for one in parsed if one.marker is None or one.marker.evaluate({"extra": ""})]


def closure(names: list[str]) -> Iterator[Distribution]:
    """The distributions of that name and all that these need."""
    seen: set[str] = set()
    while names:
        name = names.pop().lower().replace("_", "-")
        if name not in seen:
            seen.add(name)
            found = distribution(name)
            names += wanted(found.requires or [])
            yield found


def run(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """In the fresh environment, away from the repository."""
    return subprocess.run(
        [str(python), "-I", *arguments],
        cwd=python.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_wheel_holds_the_client_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        (entry_points,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        commands = archive.read(entry_points).decode()
        licences = [name for name in archive.namelist() if name.endswith("/LICENSE")]
    files = {
        path.relative_to(ROOT).as_posix() for path in CLIENT.rglob("*") if path.suffix in {".py", ".typed"}
    }
    assert names == files
    assert "evalservice/client/py.typed" in names
    assert commands.split() == ["[console_scripts]", "evalservice", "=", "evalservice.client.cli:app"]
    assert len(licences) == 1


def test_a_team_installs_three_libraries(wheel: Path) -> None:
    assert required(wheel) == ["httpx", "rich", "typer"]


def test_the_client_works_where_nothing_of_the_server_is(python: Path) -> None:
    script = (
        "import importlib.util as util, sys; import evalservice.client, evalservice.client.cli;"
        "print([util.find_spec(name) for name in ('django', 'rest_framework', 'evalservice.settings', 'judging')]);"
        "print(evalservice.client.__file__)"
    )
    done = run(python, "-W", "error", "-c", script)
    assert done.returncode == 0, done.stderr
    found, place = done.stdout.splitlines()
    assert found == "[None, None, None, None]"
    assert Path(place).is_relative_to(python.parent.parent)


def test_the_command_runs_where_nothing_of_the_server_is(python: Path) -> None:
    entry = "import sys; from evalservice.client.cli import app; sys.argv[0] = 'evalservice'; app()"
    helped = run(python, "-c", entry, "--help")
    assert helped.returncode == 0, helped.stderr
    assert "Usage: evalservice" in helped.stdout
    nowhere = run(python, "-c", entry, "sets", "--url", "http://127.0.0.1:9")
    assert nowhere.returncode == 4
    assert "Cannot reach the service" in nowhere.stderr


def test_a_changed_client_is_installed_anew() -> None:
    """``make install`` puts a copy of the client into the environment, which must not grow old there."""
    make = shutil.which("make")
    assert make is not None
    command = [make, "--dry-run", "--print-data-base", "--question", ".venv/.installed"]
    printed = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    ).stdout
    (rule,) = (line for line in printed.splitlines() if line.startswith(".venv/.installed:"))
    modules = {f"evalservice/client/{path.name}" for path in CLIENT.glob("*.py")}
    assert modules
    assert modules <= set(rule.split())
