"""The web process as production starts it, on the database of the running test."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

import httpx

from evalservice.demo import free_port
from tests.processes import ROOT, children, database_url

RATES = ("READS", "WRITES", "ANSWERS", "UPLOADS")
MIB = 2**20


class WebProcess:
    """gunicorn with two processes of eight threads; ends with the ``with`` block."""

    def __init__(self, log: Path, **environment: str) -> None:
        self._log = log
        self._port = free_port(0)
        rates = {f"EVALSERVICE_{name}_PER_MINUTE": "1000000" for name in RATES}
        self._environment = {**os.environ, "DATABASE_URL": database_url(), **rates, **environment}

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        arguments = ["--bind", f"127.0.0.1:{self._port}", "--worker-class", "gthread", "--threads", "8",
                     "--workers", "2", "--no-control-socket", "--log-level", "warning"]  # fmt: skip
        with self._log.open("ab") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "gunicorn", "evalservice.wsgi", *arguments],
                cwd=ROOT, env=self._environment, stdout=out, stderr=out,
            )  # fmt: skip
        self._wait_until_ready()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(30)

    def _wait_until_ready(self) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end and self._process.poll() is None:
            try:
                if httpx.get(f"{self.address}/healthz").status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.1)
        raise TimeoutError(self.log())

    def log(self) -> str:
        """What it wrote."""
        return self._log.read_text()

    def peak_mib(self) -> int:
        """The largest resident size any of its processes has had since :meth:`forget_peaks`, in MiB (Linux)."""
        return max(map(_peak_kib, self._all())) // 1024

    def forget_peaks(self) -> int:
        """Start measuring anew; the largest resident size now, in MiB."""
        for pid in self._all():
            Path(f"/proc/{pid}/clear_refs").write_text("5")
        return self.peak_mib()

    def _all(self) -> list[int]:
        return [self._process.pid, *children(self._process.pid)]


def _peak_kib(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def api(web: WebProcess, token: str, *, timeout: float = 60.0) -> httpx.Client:
    """A connection of a team's own to the API."""
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=f"{web.address}/api/v1/", headers=headers, timeout=timeout)


def system_of(client: httpx.Client, name: str) -> Any:
    """The id of a new system."""
    response = client.post("systems", json={"name": name, "system_class": "deep_research"})
    assert response.status_code == 201, response.text
    return response.json()["id"]
