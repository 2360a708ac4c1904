"""docs/operating.md as an operator follows it: its commands, in its order, until web and worker serve."""

from __future__ import annotations

import re
import shlex
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import yaml

from tests.processes import until
from tests.programs import ROOT, clean_environment

pytestmark = pytest.mark.installation

HOST = "eval.example.org"
PASSWORD = "a passphrase of this test"
# What stays away: the machine has the clone and the packages, and nobody sits at its terminal.
ELSEWHERE = ("git clone", "make install")
LASTING = (".venv/bin/gunicorn", "manage.py worker")


def commands() -> list[str]:
    """The commands of the page, in order."""
    blocks = re.findall(
        r"<!-- commands.*?-->\n```sh\n(.*?)```",
        ROOT.joinpath("docs/operating.md").read_text("utf-8"),
        re.DOTALL,
    )
    lines = "".join(blocks).splitlines()
    return [line for line in lines if line and not line.startswith(("#", *ELSEWHERE))]


@dataclass(frozen=True)
class Installation:
    """A machine on which everything was done that the page says but what stays running."""

    folder: Path
    output: str
    environment: dict[str, str]


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """By the commands of the page, in a clone as ``make install`` leaves it."""
    clone = tmp_path_factory.mktemp("clone")
    for name in ROOT.iterdir():
        if name.name not in {"var", ".venv", ".git"}:
            clone.joinpath(name.name).symlink_to(name)
    clone.joinpath("var").mkdir()
    clone.joinpath(".venv").symlink_to(Path(sys.prefix))
    return Installation(clone, *follow(clone))


def operator(clone: Path) -> dict[str, str]:
    """The operator's shell, with the answers to what ``createsuperuser`` asks at a terminal."""
    environment = clean_environment(clone / "var")
    answers = {
        "DJANGO_SUPERUSER_USERNAME": "chief",
        "DJANGO_SUPERUSER_EMAIL": "chief@example.org",
        "DJANGO_SUPERUSER_PASSWORD": PASSWORD,
    }
    return environment | answers


def follow(clone: Path) -> tuple[str, dict[str, str]]:
    """All commands that end; their output, and the environment in which those that stay are to run."""
    lines = [line for line in commands() if not any(word in line for word in LASTING)]
    script = "\n".join(lines).replace("createsuperuser", "createsuperuser --noinput")
    done = subprocess.run(
        ["bash", "-euc", f"{script}\nprintf '\\0'; env -0"], cwd=clone, env=operator(clone), text=True,
        capture_output=True, timeout=170, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    output, _, variables = done.stdout.partition("\0")
    environment = dict(pair.split("=", 1) for pair in variables.split("\0") if pair)
    return output + done.stderr, environment


@contextmanager
def staying(command: str, on: Installation, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """A command that does not end by itself."""
    words, environment = shlex.split(command, comments=True), on.environment | variables
    with on.folder.joinpath("var/log").open("ab") as log:
        process = subprocess.Popen(words, cwd=on.folder, env=environment, stdout=log, stderr=log)
        try:
            yield process
        finally:
            process.terminate()
            process.wait(30)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as there:
        return int(there.getsockname()[1])


def healthy(port: int, environment: dict[str, str]) -> bool:
    """What the compose file asks a web container."""
    compose = yaml.safe_load(ROOT.joinpath("docker/compose.yaml").read_text("utf-8"))
    _, _, *question = compose["services"]["web"]["healthcheck"]["test"]
    asked = [word.replace("127.0.0.1:8000", f"127.0.0.1:{port}") for word in question]
    done = subprocess.run([sys.executable, *asked], env=environment, capture_output=True, check=False)
    return done.returncode == 0


def test_the_page_leads_from_a_clone_to_an_installation(installation: Installation) -> None:
    output, var = installation.output, installation.folder / "var"
    assert "static files copied" in output
    assert "Superuser created" in output
    assert "orrenfell-expeditions 1.0: created, 8 tasks, 69 pages" in output
    assert re.search(r"evk_[0-9a-z]{16}_[\w-]{43}", output)
    # A secret that is long enough; what is left is about HTTPS.
    assert set(re.findall(r"security\.W\d+", output)) == {f"security.W0{n}" for n in ("04", "08", "12", "16")}
    assert len(var.joinpath("secret").read_text().strip()) >= 50
    assert var.joinpath("secret").stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect(var / "backup.sqlite3")) as backup:
        assert backup.execute("SELECT count(*) FROM submissions_apikey").fetchone() == (1,)


def test_web_and_worker_of_the_page_serve(installation: Installation) -> None:
    web, worker = (next(line for line in commands() if word in line) for word in LASTING)
    port = free_port()
    bound = web.replace("gunicorn ", f"gunicorn --bind 127.0.0.1:{port} ")
    address = f"http://127.0.0.1:{port}"
    with staying(bound, installation), staying(worker, installation) as running:
        until(
            lambda: healthy(port, installation.environment),
            seconds=60,
            what=installation.folder.joinpath("var/log").read_text,
        )
        with httpx.Client(base_url=address, headers={"Host": HOST}) as client:
            assert client.get("/").status_code == 200
            assert client.get("/api/v1/task-sets").json()["results"][0]["slug"] == "orrenfell-expeditions"
            page = client.get("/admin/login/?next=/admin/")
            token = re.search(r'csrfmiddlewaretoken" value="(\w+)"', page.text)
            assert token is not None
            entered = {"username": "chief", "password": PASSWORD, "csrfmiddlewaretoken": token[1]}
            assert client.post("/admin/login/?next=/admin/", data=entered).headers["location"] == "/admin/"
        assert running.poll() is None


def test_a_probe_needs_no_tls_and_one_of_the_names(installation: Installation) -> None:
    variables = {"EVALSERVICE_HTTPS": "1", "EVALSERVICE_HOSTS": f".{HOST}, other.example.org"}
    secured = installation.environment | variables
    port = free_port()
    command = f"{sys.executable} -m gunicorn evalservice.wsgi --bind 127.0.0.1:{port} --no-control-socket"
    with staying(command, installation, **variables):
        log = installation.folder.joinpath("var/log")
        until(lambda: healthy(port, secured), seconds=60, what=log.read_text)
        assert not healthy(port, secured | {"EVALSERVICE_HOSTS": "elsewhere.example.org"})
        answer = httpx.get(f"http://127.0.0.1:{port}/", headers={"Host": HOST})
        assert (answer.status_code, answer.headers["location"]) == (301, f"https://{HOST}/")
