"""One PDF on standard input, its text as JSON on standard output. Always a process of its own.

pdfium is C++ and reads what attackers write: whatever happens to it happens here, with no secret in the
environment and no more memory and time than these limits. Run by ``judging.pages.pdf``, never imported.
"""

from __future__ import annotations

import json
import resource
import sys

import pypdfium2

MAX_PAGES = 300
MAX_CHARACTERS = 2_000_000
MAX_PAGE_CHARACTERS = 400_000
MEMORY_BYTES = 1_500 * 2**20
CPU_SECONDS = 60
OUTPUT_BYTES = 32 * 2**20  # of JSON: two million characters, escaped


def main() -> None:
    """Read, bounded, and print one object: title, text, number of pages, and whether text is missing."""
    for limit, value in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, OUTPUT_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (value, value))
    document = pypdfium2.PdfDocument(sys.stdin.buffer.read())
    texts: list[str] = []
    left = MAX_CHARACTERS
    is_cut = len(document) > MAX_PAGES
    for number in range(min(len(document), MAX_PAGES)):
        text = page_text(document, number, left)
        is_cut = is_cut or text is None
        texts.append(text or "")
        left -= len(texts[-1])
    read = {
        "title": document.get_metadata_value("Title"),
        "text": "\n\n".join(texts),
        "pages": len(document),
        "is_cut": is_cut,
    }
    sys.stdout.write(json.dumps(read))  # ASCII: lone surrogates travel escaped


def page_text(document: pypdfium2.PdfDocument, number: int, limit: int) -> str | None:
    """Text inside the page's box (what lies outside is seen by nobody), or None if it is over the limits."""
    page = document[number]
    content = page.get_textpage()
    count = content.count_chars()
    text = str(content.get_text_bounded()) if 0 < count <= min(limit, MAX_PAGE_CHARACTERS) else ""
    content.close()
    page.close()
    if not text and count > 0:
        return None
    return text.replace("\r\n", "\n").replace("\ufffe", "")  # U+FFFE: pdfium's mark of a hyphen it removed


if __name__ == "__main__":
    main()
