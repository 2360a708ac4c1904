"""``python -m tests.bench [NAME]``: one JSON line a figure; the exit code is 1 if a goal was missed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence

from tests.bench import judge, scoring
from tests.bench.measure import Figure

BENCHES: dict[str, Callable[[], Iterable[Figure]]] = {
    "judge": judge.figures,
    "scoring": scoring.figures,
}


def main(arguments: Sequence[str]) -> int:
    """Run the benches named, or all."""
    names = list(arguments) or sorted(BENCHES)
    if unknown := [name for name in names if name not in BENCHES]:
        print(f"no bench {', '.join(unknown)}; there are: {', '.join(sorted(BENCHES))}", file=sys.stderr)  # noqa: T201  # a command prints
        return 2
    missed = 0
    for name in names:
        for figure in BENCHES[name]():
            print(json.dumps({"bench": name, **figure.as_dict()}), flush=True)  # noqa: T201  # a command prints
            missed += figure.holds is False
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
