"""Transactions that get into each other's way on purpose."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection, connections, transaction
from django.db.models import Model

from tests.processes import until


def meeting_at(row: Model, deeds: Sequence[Callable[[], Any]]) -> list[Any]:
    """What deeds gave that each ran in a thread and all needed ``row``; an exception counts as a result.

    The row is inserted and taken back by a transaction that ends when all of them wait. So whoever came to it from
    one side holds what lies on that side: with rows taken in different orders, nobody could go on. A database with
    one writer at a time has them wait at its door.
    """
    results: list[Any] = [None] * len(deeds)

    def run(number: int) -> None:
        try:
            results[number] = deeds[number]()
        except Exception as error:  # a thread's exception would only be printed
            results[number] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(deeds))]
    with transaction.atomic():
        row.save(force_insert=True)
        for thread in threads:
            thread.start()
        if connection.vendor == "postgresql":
            until(lambda: _waiting() == len(deeds))
        transaction.set_rollback(True)
    for thread in threads:
        thread.join()
    return results


def _waiting() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # in a transaction it would stand still
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return int(cursor.fetchone()[0])
