"""Reading what a team uploads: JSON lines or a zip of Markdown files, streamed, under limits. Knows no Django.

Either every answer of a bundle is good, or the list of *all* its faults comes back, each with its place. Answers are
read one at a time and wait on disk, so that memory depends on the largest answer and not on the bundle.
The meaning (is there such a task?) is checked by :mod:`submissions.services`, which knows the task set.
"""

from submissions.bundle.archive import read_zip
from submissions.bundle.collector import BundleReading, Collector, Slot
from submissions.bundle.jsonl import read_jsonl
from submissions.bundle.reading import AnswerIn, Fault, FaultCode, Limits
from submissions.bundle.record import FieldFault, read_record
from submissions.bundle.spool import Spool
from submissions.bundle.strict import MalformedJson, load_json
from submissions.bundle.text import CleanText, UndecodableText, clean_text
from submissions.bundle.upload import read_bundle

__all__ = [
    "AnswerIn",
    "BundleReading",
    "CleanText",
    "Collector",
    "Fault",
    "FaultCode",
    "FieldFault",
    "Limits",
    "MalformedJson",
    "Slot",
    "Spool",
    "UndecodableText",
    "clean_text",
    "load_json",
    "read_bundle",
    "read_jsonl",
    "read_record",
    "read_zip",
]
