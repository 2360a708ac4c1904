"""PDFs in a process of their own."""

import os
import runpy
import sys
from io import BytesIO, StringIO
from pathlib import Path

import pypdfium2
import pytest

from judging.pages import pdf as module
from judging.pages import pdf_worker
from judging.pages.pdf import PdfFailed, PdfText, read_pdf
from tests.unit.judging.pages.documents import pdf


def test_title_text_and_pages_are_read() -> None:
    assert read_pdf(pdf(["One", "Two é"], title=" A\ttitle ")) == PdfText(
        "A title", "One\n\nTwo é", 2, is_cut=False
    )


def test_pages_over_300_are_left_out_and_marked() -> None:
    read = read_pdf(pdf([f"p{n}" for n in range(302)]))
    assert (read.pages, read.is_cut) == (302, True)
    assert read.text.split() == [f"p{n}" for n in range(300)]


@pytest.mark.parametrize("document", [b"", b"%PDF-1.7", b"not a PDF", pdf(["a"])[:200]])
def test_what_is_no_pdf_fails(document: bytes) -> None:
    with pytest.raises(PdfFailed, match="Failed to load document"):
        read_pdf(document)


def test_text_outside_the_page_is_not_read() -> None:
    moved = pdf(["inside"]).replace(b"20 100 Td", b"20 900 Td")
    assert read_pdf(moved).text == ""


def test_a_slow_reader_is_killed() -> None:
    with pytest.raises(PdfFailed, match=r"over 0\.01 s"):
        read_pdf(pdf(["a"]), seconds=0.01)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "reader ended with -9"),
        ("import sys; sys.exit(3)", "reader ended with 3"),
        ("raise MemoryError", "MemoryError"),
    ],
)
def test_a_reader_that_dies_is_a_failed_document(
    script: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text(script)
    monkeypatch.setattr(module, "_WORKER", worker)
    with pytest.raises(PdfFailed, match=reason):
        read_pdf(b"")


def test_the_reader_sees_nothing_of_our_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALSERVICE_SECRET_KEY", "secret")
    worker = tmp_path / "worker.py"
    worker.write_text("import os, sys; sys.exit(' '.join(sorted(os.environ)))")
    monkeypatch.setattr(module, "_WORKER", worker)
    with pytest.raises(PdfFailed) as failed:
        read_pdf(b"")
    assert set(str(failed.value).split()) <= {"LANG", "LC_CTYPE"}


def test_characters_no_database_stores_are_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text(r"""print('{"title": "a\\u0000", "text": "\\ud800b", "pages": 1, "is_cut": false}')""")
    monkeypatch.setattr(module, "_WORKER", worker)
    assert read_pdf(b"") == PdfText("a\ufffd", "?b", 1, is_cut=False)


# ---------------------------------------------------------------- inside the worker


def work(document: bytes, monkeypatch: pytest.MonkeyPatch) -> tuple[str, list[tuple[int, tuple[int, int]]]]:
    """Run the worker's code in this process, with its limits noted instead of set."""
    limits: list[tuple[int, tuple[int, int]]] = []
    out = StringIO()
    monkeypatch.setattr("resource.setrlimit", lambda what, value: limits.append((what, value)))
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": BytesIO(document)}))
    monkeypatch.setattr(sys, "stdout", out)
    runpy.run_path(str(Path(pdf_worker.__file__)), run_name="__main__")
    return out.getvalue(), limits


def test_the_worker_limits_itself_before_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    printed, limits = work(pdf(["One"]), monkeypatch)
    assert '"text": "One"' in printed
    assert dict(limits) == {
        resource.RLIMIT_AS: (1_500 * 2**20,) * 2,
        resource.RLIMIT_CPU: (60, 60),
        resource.RLIMIT_FSIZE: (32 * 2**20,) * 2,
        resource.RLIMIT_CORE: (0, 0),
    }


@pytest.mark.parametrize(("limit", "text"), [(3, "One"), (2, None)])
def test_a_page_over_what_is_left_is_missing_not_empty(limit: int, text: str | None) -> None:
    with pypdfium2.PdfDocument(pdf(["One"])) as document:
        assert pdf_worker.page_text(document, 0, limit) == text


def test_an_empty_page_is_empty_not_missing() -> None:
    with pypdfium2.PdfDocument(pdf([""])) as document:
        assert pdf_worker.page_text(document, 0, 100) == ""


def test_a_reader_that_prints_without_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = tmp_path / "worker.py"
    limits = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))"
    worker.write_text(f"{limits}\nwhile True: print('a' * 10000)")
    monkeypatch.setattr(module, "_WORKER", worker)
    with pytest.raises(PdfFailed, match=r"File too large|ended with"):
        read_pdf(b"")
    assert os.listdir(tmp_path) == ["worker.py"]
