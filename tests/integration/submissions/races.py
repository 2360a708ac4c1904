"""Several threads that do one thing at the same moment, each with a connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from django.db import connection


def at_once(count: int, deed: Callable[[], Any]) -> list[Any]:
    """What ``count`` threads got when all did ``deed`` together; an exception counts as a result."""
    barrier, results = threading.Barrier(count), []

    def run() -> None:
        try:
            barrier.wait()
            results.append(deed())
        except Exception as error:  # a thread's exception would only be printed
            results.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
