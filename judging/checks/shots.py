"""Whether a judge is shown the picture of a page beside its text, and what a verdict remembers of that."""

from __future__ import annotations

from judging.case import Case, Shot, Snapshot
from judging.judges.base import Picture, VerifyReply
from judging.prompts.templates import CLAIM_BY_PICTURE
from judging.rubric import Screenshot

__all__ = ["SHORT", "fingerprint", "picture_of", "shot_of", "told"]

SHORT = 1_000  # characters of a page's text: below it ``auto`` shows the picture


def shot_of(screenshot: Screenshot, snapshot: Snapshot | None) -> Shot | None:
    """The picture that a leaf asks for, if the page has one: told by leaf and page alone."""
    if snapshot is None or snapshot.shot is None or screenshot == "never":
        return None
    return snapshot.shot if screenshot == "always" or snapshot.characters < SHORT else None


def fingerprint(shot: Shot) -> list[str]:
    """What of a picture goes into a key, and the words that it is shown with: they are no part of any profile."""
    return [shot.sha256, CLAIM_BY_PICTURE.hash]


def picture_of(shot: Shot, case: Case) -> Picture | None:
    """The picture with its bytes; None if they are not there, or not what they were."""
    data = case.picture(shot)
    return None if data is None else Picture(shot.sha256, shot.media_type, shot.width, shot.height, data)


def told(shot: Shot | None, picture: Picture | None, reply: VerifyReply) -> dict[str, str]:
    """What the evidence says of a picture that was asked for: ``shown``, ``refused`` by the model, ``ignored`` by a judge
    without eyes, or ``missing``; and what the verdict rests on, where the judge says so."""
    if shot is None:
        return {}
    state = reply.record.picture if picture else "missing"
    return {"picture": state, "picture_sha256": shot.sha256, "seen_in": reply.seen_in}
