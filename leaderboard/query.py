"""What a reader asked of a board's page, read from the query string. Pure.

Whatever makes no sense is left out of account: an old link must not end in an error.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

MAX_SEARCH = 100  # characters; longer texts name no system


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """Sorting, filters and columns. Empty texts stand for the board's own order and for all."""

    sort: str = ""
    descending: bool = False
    system_class: str = ""
    organisation: str = ""
    search: str = ""
    all_columns: bool = False

    @classmethod
    def read(cls, given: Mapping[str, str], *, sortable: Collection[str]) -> BoardQuery:
        """The query of a request; ``sortable`` are the columns one may sort by."""
        sort = given.get("sort", "")
        known = sort if sort in sortable else ""
        return cls(
            sort=known,
            descending=bool(known) and given.get("dir") == "desc",
            system_class=given.get("class", ""),
            organisation=given.get("org", ""),
            search=given.get("q", "").strip()[:MAX_SEARCH],
            all_columns=given.get("columns") == "all",
        )

    @property
    def is_filtered(self) -> bool:
        """Whether rows may be missing."""
        return bool(self.system_class or self.organisation or self.search)

    def sorted_by(self, column: str, *, descending: bool) -> BoardQuery:
        """The same rows in another order."""
        return replace(self, sort=column, descending=descending)

    def with_columns(self, *, all_columns: bool) -> BoardQuery:
        """The same rows with more or fewer columns."""
        return replace(self, all_columns=all_columns)

    def parameters(self) -> dict[str, str]:
        """The query in the words of the address, defaults left out."""
        found = {
            "q": self.search,
            "class": self.system_class,
            "org": self.organisation,
            "sort": self.sort,
            "dir": "desc" if self.descending else "",
            "columns": "all" if self.all_columns else "",
        }
        return {name: value for name, value in found.items() if value}

    def link(self) -> str:
        """A relative address that asks for this again."""
        return f"?{urlencode(self.parameters())}"
