"""What the documents say is so: links lead somewhere, names exist, tables equal the code."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from django.core.management import get_commands
from markdown_it import MarkdownIt

from evalservice.client import cli
from evalservice.management.commands.states import diagram
from tests.programs import ROOT

FOLDERS = ("docs", "examples")
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(page for name in FOLDERS for page in ROOT.joinpath(name).rglob("*.md"))]
)
PAGES = [page for page in DOCUMENTS if "answers" not in page.parts and "taskset" not in page.parts]
# Read by the client, and by the scripts that look for a browser.
OTHER_VARIABLES = {"EVALSERVICE_URL", "EVALSERVICE_KEY", "EVALSERVICE_CHROMIUM"}


def read(name: str) -> str:
    """A document of the repository."""
    return ROOT.joinpath(name).read_text(encoding="utf-8")


def page_ids() -> list[str]:
    """Names for the reports."""
    return [page.relative_to(ROOT).as_posix() for page in PAGES]


def links(page: Path) -> Iterator[str]:
    """What a page links to, code left out."""
    for block in MarkdownIt().enable("table").parse(page.read_text(encoding="utf-8")):
        for token in block.children or ():
            target = token.attrGet("href") or token.attrGet("src")
            if target is not None:
                yield str(target)


def anchors(page: Path) -> set[str]:
    """The anchors that a forge gives the headings of a page."""
    headings = re.findall(r"^#+ +(.+?) *$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def tracked() -> list[Path]:
    """The files of the repository."""
    if not ROOT.joinpath(".git").exists():
        pytest.skip("not a git checkout: nothing says which files belong to the repository")
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    files = [ROOT / os.fsdecode(name) for name in done.stdout.split(b"\0") if name]
    return [file for file in files if file.is_file()]


# ------------------------------------------------------------------ links and names
@pytest.mark.parametrize("page", PAGES, ids=page_ids())
def test_every_local_link_leads_somewhere(page: Path) -> None:
    dead = []
    for target in links(page):
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        goal = page.parent / unquote(parts.path) if parts.path else page
        if not goal.exists() or (
            parts.fragment and goal.suffix == ".md" and parts.fragment not in anchors(goal)
        ):
            dead.append(target)
    assert dead == []


@pytest.mark.parametrize("page", PAGES, ids=page_ids())
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))
    client = {
        command.name or command.callback.__name__
        for command in cli.app.registered_commands
        if command.callback
    }
    assert set(re.findall(r"(?:^|`)make ([a-z]+)", text, re.MULTILINE)) <= targets
    assert set(re.findall(r"manage\.py ([a-z_]+)", text)) <= set(get_commands())
    assert set(re.findall(r"`evalservice ([a-z]+)", text)) <= client


@pytest.mark.parametrize("page", PAGES, ids=page_ids())
def test_every_variable_that_a_page_names_is_read_somewhere(page: Path) -> None:
    named = set(re.findall(r"\bEVALSERVICE_[A-Z_]+", page.read_text(encoding="utf-8")))
    from_files = {f"{name}_FILE" for name in variables()}
    assert named <= variables() | from_files | OTHER_VARIABLES


# ------------------------------------------------------------------ tables and diagrams
def variables() -> set[str]:
    """What the settings read from the environment."""
    return set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', read("evalservice/settings.py")))


def test_operating_lists_every_variable_that_the_settings_read_and_no_other() -> None:
    table = re.findall(r"^\| `([A-Z_]+)` \|", read("docs/operating.md"), re.MULTILINE)
    assert len(table) == len(set(table))
    assert set(table) == variables()
    assert len(table) > 30


def test_the_diagram_of_states_is_drawn_from_the_table_they_move_by() -> None:
    shown = re.search(r"<!-- states:.*?-->\n(.*?)\n<!-- /states -->", read("docs/architecture.md"), re.DOTALL)
    assert shown is not None
    assert shown[1] == diagram()


def test_the_client_page_lists_every_exit_code_with_its_meaning() -> None:
    table = re.findall(r"^\| (\d+) \| (.+) \|$", read("docs/client.md"), re.MULTILINE)
    assert {int(code): meaning for code, meaning in table} == cli.EXIT_CODES


def test_the_client_page_lists_every_command() -> None:
    table = re.findall(r"^\| `evalservice ([a-z]+)", read("docs/client.md"), re.MULTILINE)
    assert table == [command.callback.__name__ for command in cli.app.registered_commands if command.callback]


def test_the_change_log_knows_the_version() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    assert f"## {project['version']}" in read("CHANGELOG.md")
    assert ROOT.joinpath(*project["license-files"]).is_file()


# ------------------------------------------------------------------ what is written down
def hosts_of_registries() -> set[str]:
    """The package registries that this machine is set up to use, but for the public one."""
    configured = [value for name, value in os.environ.items() if re.search("INDEX", name)]
    for file in (Path("/etc/pip.conf"), Path.home() / ".pip/pip.conf", Path.home() / ".config/pip/pip.conf"):
        configured += re.findall(r"https?://\S+", file.read_text(encoding="utf-8")) if file.is_file() else []
    hosts = {urlsplit(value).hostname for value in " ".join(configured).split()}
    return {host for host in hosts if host and host not in {"pypi.org", "127.0.0.1", "localhost"}}


def test_no_file_names_this_machine_its_folders_or_its_registry() -> None:
    telling = {str(ROOT), str(Path.home()), socket.gethostname(), *hosts_of_registries()}
    # A short word says nothing: "/app" or "ci" stand for many machines.
    words = [word.encode() for word in telling if len(word) > 8 or word.count("/") > 1]
    found = [file.relative_to(ROOT) for file in tracked() if any(word in file.read_bytes() for word in words)]
    assert found == []


def test_the_lock_holds_names_versions_and_hashes_alone() -> None:
    lines = read("requirements.lock").splitlines()
    assert not [line for line in lines if "://" in line or line.startswith("--")]
    assert sum("--hash=sha256:" in line for line in lines) > 100
    assert not ROOT.joinpath("uv.lock").exists() or ROOT / "uv.lock" not in tracked()


def test_the_compose_file_is_one() -> None:
    command = ["-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", "docker/compose.yaml"]
    done = subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_image_and_the_compose_file_set_only_what_the_settings_read() -> None:
    text = read("docker/compose.yaml") + read("docker/Dockerfile")
    assert set(re.findall(r"\bEVALSERVICE_[A-Z_]+", text)) <= variables()
