"""Text of PDFs, read in a process that may die."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

__all__ = ["PdfFailed", "PdfText", "read_pdf"]

WALL_SECONDS = 75.0
_WORKER = Path(__file__).with_name("pdf_worker.py")
# Nothing of ours: neither secrets nor proxies nor search paths.
_ENVIRONMENT = {"LANG": "C.UTF-8"}


class PdfFailed(Exception):
    """The document could not be read: damaged, locked, or over the limits of time and memory."""


@dataclass(frozen=True, slots=True)
class PdfText:
    """Title and text of a document. ``is_cut``: it has more pages or characters than we read (300, 2 million)."""

    title: str
    text: str
    pages: int
    is_cut: bool


def read_pdf(document: bytes, *, seconds: float = WALL_SECONDS) -> PdfText:
    """Read a PDF; blocks for at most ``seconds``.

    :raises PdfFailed: for whatever the document does to its reader.
    """
    # Files, not pipes: the worker's limit on file sizes then bounds what it can answer.
    with TemporaryFile() as given, TemporaryFile() as printed, TemporaryFile() as complaints:
        given.write(document)
        given.seek(0)
        worker = subprocess.Popen(  # noqa: S603  # our own interpreter and file, no shell
            [sys.executable, "-I", str(_WORKER)],
            stdin=given,
            stdout=printed,
            stderr=complaints,
            env=_ENVIRONMENT,
        )
        with worker:
            _wait(worker, seconds)
        if worker.returncode != 0:
            raise PdfFailed(_last_line(complaints) or f"reader ended with {worker.returncode}")
        printed.seek(0)
        return _parsed(printed.read())


def _wait(worker: subprocess.Popen[bytes], seconds: float) -> None:
    try:
        worker.wait(seconds)
    except subprocess.TimeoutExpired:
        worker.kill()
        raise PdfFailed(f"over {seconds:g} s") from None


def _last_line(complaints: IO[bytes]) -> str:
    complaints.seek(0)
    lines = complaints.read(100_000).decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:200] if lines else ""


def _parsed(printed: bytes) -> PdfText:
    read = json.loads(printed)
    title = " ".join(_clean(read["title"]).split())
    return PdfText(title, _clean(read["text"]), read["pages"], read["is_cut"])


def _clean(text: str) -> str:
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
