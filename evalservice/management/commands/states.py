"""``manage.py states``: the diagram of a submission's states, from the one table they move by."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from submissions.models import Submission


def diagram() -> str:
    """The transitions as a Mermaid state diagram, in the order of the table."""
    lines = ["```mermaid", "stateDiagram-v2", "  [*] --> draft"]
    for source, targets in Submission.TRANSITIONS.items():
        lines += [f"  {source} --> {target}" for target in sorted(targets)]
        if not targets:
            lines.append(f"  {source} --> [*]")
    return "\n".join([*lines, "```"])


class Command(BaseCommand):
    """Paste the output between the markers in ``docs/architecture.md``; a test compares them."""

    help = "Print the diagram of a submission's states."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it."""
        self.stdout.write(diagram())
