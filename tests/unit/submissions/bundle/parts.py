"""Small bundles and small limits."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from submissions.bundle import BundleReading, Limits

LIMITS = Limits(answer_bytes=1_000, bundle_bytes=20_000, bundle_files=20, bundle_ratio=100)


def lines(*records: Any) -> list[bytes]:
    """The records as JSON lines."""
    return [json.dumps(record).encode() + b"\n" for record in records]


def zipped(*files: tuple[str | zipfile.ZipInfo, str | bytes]) -> io.BytesIO:
    """A deflated zip of the files, in this order; names may repeat."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    out.seek(0)
    return out


def faults(reading: BundleReading) -> list[tuple[str, str]]:
    """Where and which."""
    return [(fault.where, str(fault.code)) for fault in reading.faults]
