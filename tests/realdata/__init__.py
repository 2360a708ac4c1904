"""The real example answers as bundles: rubrics of our own beside prompts and answers that lie outside the project."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

EXAMPLES = Path(__file__).parents[3] / "shared" / "examples" / "mind2web2"
TASKS = ("lol_sylas", "overleaf_template", "yu_lineage")
AGENTS = (1, 2, 3)


def task_set_files(name: str) -> dict[str, bytes]:
    """The files of the set in the folder ``name``, with the prompts put into its tasks."""
    prompts = json.loads((EXAMPLES / "prompts.json").read_text(encoding="utf-8"))
    folder = Path(__file__).parent / name
    files = {"taskset.yaml": (folder / "taskset.yaml").read_bytes()}
    for task in TASKS:
        rubric = (folder / "tasks" / f"{task}.yaml").read_text(encoding="utf-8")
        files[f"tasks/{task}.yaml"] = f"prompt: {json.dumps(prompts[task])}\n{rubric}".encode()
    return files


def answer_name(task: str, agent: int) -> str:
    """Where an agent's answer to a task lies, relative to the examples."""
    return f"{task}/answer_{agent}.md"


def answers_of(agent: int) -> io.BytesIO:
    """A zip with an agent's three answers, each as the first run of its task."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for task in TASKS:
            archive.writestr(f"{task}/answer_1.md", (EXAMPLES / answer_name(task, agent)).read_bytes())
    out.seek(0)
    out.name = f"agent-{agent}.zip"
    return out
