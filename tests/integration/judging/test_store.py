"""Keeping captures: pages by identity, snapshots in a row, text that any database takes."""

from __future__ import annotations

import datetime as dt
import hashlib
import threading
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import IntegrityError, connections
from django.utils import timezone

from judging.case import Shot
from judging.citations import MalformedUrl
from judging.models import Page, PageSnapshot
from judging.pages import store
from judging.pages.captures import Capture, PageVerdict
from judging.pages.pictures import NotAPicture
from judging.pages.store import is_failure, pages_for, read_picture, read_text, snapshot_data
from submissions import blobs
from tests.judging_factories import saved
from tests.pictures import jpeg, png, png_chunk

NOW = timezone.now()
URL = "https://lakes.example/brume"


def capture(**fields: Any) -> Capture:
    values: dict[str, Any] = {
        "url": URL,
        "verdict": PageVerdict.OK,
        "fetched_at": NOW,
        "text": "Deep.",
        **fields,
    }
    return Capture(**values)


def page_for(url: str) -> Page:
    return pages_for([url], now=NOW)[url]


@pytest.mark.django_db
def test_a_page_is_one_row_however_it_is_spelt() -> None:
    first = page_for(URL)
    assert page_for("HTTPS://Lakes.EXAMPLE:443/brume") == first
    assert page_for(f"{URL}?a=1") != first
    assert (first.url, first.key_hash) == (URL, hashlib.sha256(first.key.encode()).hexdigest())
    with pytest.raises(MalformedUrl):
        page_for("https://")


@pytest.mark.django_db
def test_a_url_longer_than_an_index_takes_is_a_page() -> None:
    url = f"{URL}?q={'x' * 4_000}"
    assert page_for(url) == page_for(url)


@pytest.mark.django_db
def test_snapshots_of_a_page_are_numbered_and_never_changed() -> None:
    first = saved(capture())
    second = saved(capture(text="Deeper."))
    assert (first.number, second.number, Page.objects.count()) == (1, 2, 1)
    assert (read_text(first.text_sha256), read_text(second.text_sha256), read_text("")) == (
        "Deep.",
        "Deeper.",
        "",
    )


@pytest.mark.django_db
def test_what_was_captured_is_kept_whole() -> None:
    taken = capture(
        raw=b"<p>Deep.", status=200, final_url=f"{URL}/", chain=((301, URL),), content_type="text/html", title="Brume",
        probe_ok=True, static_only=True, detail="d", extractor="e",
    )  # fmt: skip
    row = saved(taken)
    row.refresh_from_db()
    assert (row.final_url, row.chain, row.title, row.characters) == (f"{URL}/", [[301, URL]], "Brume", 5)
    assert (blobs.get(row.raw_sha256), row.content_type, row.detail, row.extractor) == (
        b"<p>Deep.",
        "text/html",
        "d",
        "e",
    )
    later = NOW + dt.timedelta(days=1)
    data = snapshot_data(row, collected_at=later)
    assert (data.id, data.verdict, data.probe_ok, data.static_only) == (row.pk, "ok", True, True)
    assert (data.collected_at, data.text_sha256) == (later, row.text_sha256)


@pytest.mark.django_db
def test_a_page_without_content_has_no_blob() -> None:
    row = saved(capture(verdict=PageVerdict.NOT_FOUND, text="", status=404))
    assert (row.text_sha256, row.raw_sha256, row.final_url) == ("", "", "")


@pytest.mark.django_db
def test_odd_text_of_a_page_is_stored_on_every_database() -> None:
    odd = capture(
        text="a\x00b\ud800", title="t\x00", detail="\udfff", content_type="x" * 300, extractor="y" * 99
    )
    row = saved(odd)
    row.refresh_from_db()
    assert (read_text(row.text_sha256), row.title, row.detail) == ("a\ufffdb\ufffd", "t\ufffd", "\ufffd")
    assert (len(row.content_type), len(row.extractor)) == (200, 60)


@pytest.mark.django_db
def test_a_page_that_is_ok_without_text_is_refused_by_the_database() -> None:
    with pytest.raises(IntegrityError, match="snapshot_ok_has_text"):
        saved(capture(text=""))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("verdict", "probe_ok", "ours"),
    [
        ("network", None, True),
        ("dead_host", False, True),
        ("dead_host", True, False),
        ("login_wall", None, False),
    ],
)
def test_failures_of_ours_are_told_from_everything_else(
    verdict: str, probe_ok: bool | None, ours: bool
) -> None:
    old = NOW - dt.timedelta(days=99)
    taken = capture(verdict=PageVerdict(verdict), probe_ok=probe_ok, text="", fetched_at=old)
    assert is_failure(saved(taken)) is ours


@pytest.mark.django_db(transaction=True)
def test_workers_that_capture_a_page_at_once_number_it_in_turn() -> None:
    page_for(URL)
    together = threading.Barrier(4)

    def worker(number: int) -> None:
        together.wait()
        saved(capture(text=f"Text {number}"))
        connections.close_all()

    threads = [threading.Thread(target=worker, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numbers = PageSnapshot.objects.order_by("number").values_list("number", flat=True)
    assert list(numbers) == [1, 2, 3, 4]


@pytest.mark.django_db
def test_a_number_that_can_never_be_had_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "TRIES", 3)
    tries: list[int] = []

    def taken(rows: Any) -> list[PageSnapshot]:
        tries.append(1)
        raise IntegrityError("taken")

    monkeypatch.setattr(store, "_insert", taken)
    with pytest.raises(IntegrityError, match="taken"):
        saved(capture())
    assert len(tries) == 3


# ------------------------------------------------------------------ pictures
def stored_shot(data: bytes) -> Shot:
    """The picture of a stored page, as judging has it."""
    shot = snapshot_data(saved(capture(shot=data)), collected_at=NOW).shot
    assert shot is not None
    return shot


@pytest.mark.django_db
def test_a_picture_is_kept_with_what_it_is() -> None:
    data = png(30, 20)
    row = saved(capture(shot=data))
    row.refresh_from_db()
    assert (row.picture_type, row.picture_width, row.picture_height) == ("image/png", 30, 20)
    found = snapshot_data(row, collected_at=NOW)
    assert found.shot == Shot(row.picture_sha256, "image/png", 30, 20)
    assert found.characters == 5
    assert read_picture(found.shot) == data


@pytest.mark.django_db
def test_a_page_without_a_picture_has_none() -> None:
    row = saved(capture())
    assert (row.picture_sha256, row.picture_type, row.picture_width) == ("", "", None)
    assert snapshot_data(row, collected_at=NOW).shot is None


@pytest.mark.django_db
def test_a_capture_with_what_is_no_picture_is_not_stored() -> None:
    with pytest.raises(NotAPicture):
        saved(capture(shot=b"GIF89a"))


@pytest.mark.django_db
def test_a_picture_that_is_gone_is_none_and_raises_nothing() -> None:
    shot = stored_shot(png())
    default_storage.delete(blobs.blob_name(shot.sha256))
    assert read_picture(shot) is None


@pytest.mark.django_db
def test_a_store_that_fails_says_nothing_of_a_picture() -> None:
    shot = stored_shot(png())
    place = Path(default_storage.path(blobs.blob_name(shot.sha256)))
    place.unlink()
    place.symlink_to(place)  # ELOOP: an error of the store that is no absence
    try:
        with pytest.raises(OSError, match="symbolic links"):
            read_picture(shot)
    finally:
        place.unlink()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "other", [png(9, 9), jpeg(), b"GIF89a", png(3, 2, png_chunk(b"tEXt", b"x")), b"\0" * (6 * 2**20)]
)
def test_a_picture_that_is_not_what_was_stored_is_not_shown(other: bytes) -> None:
    shot = stored_shot(png())
    default_storage.delete(blobs.blob_name(shot.sha256))
    default_storage.save(blobs.blob_name(shot.sha256), ContentFile(other))
    assert read_picture(shot) is None
