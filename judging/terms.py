"""What a judge's profile says of asking: which models, how often, with what, about how much of a page. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from judging.canonical import canonical

__all__ = ["PASSAGE_TOKENS", "Terms", "same_every_time"]

PASSAGE_TOKENS = 6_000  # of a page in one prompt, where a profile says nothing else
LABEL = 120  # characters


def _sampling() -> dict[str, float]:
    return {"temperature": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """``verify`` has one model for each seat: one judges alone, an odd number of different ones is a panel.

    ``votes`` are those of a model that judges alone; the seats of a panel are its votes. ``sampling`` goes with every
    question. ``passage_tokens`` has a number for each model; it is empty for a judge that counts characters.
    ``group_claims`` is how many checks may share a call; 1: each is asked alone. ``picture_detail`` is how closely pictures of
    pages are looked at.
    """

    extract: str
    verify: tuple[str, ...]
    votes: int = 1
    sampling: Mapping[str, float] = field(default_factory=_sampling)
    passage_tokens: Mapping[str, int] = field(default_factory=dict)
    group_claims: int = 1
    picture_detail: str = "auto"

    @classmethod
    def alone(cls, model: str) -> Self:
        """One model for everything."""
        return cls(extract=model, verify=(model,), passage_tokens={model: PASSAGE_TOKENS})

    @classmethod
    def read(cls, parameters: Mapping[str, Any], *, model: str) -> Self:
        """From the parameters of a stored profile and its model's name; they may be older than panels and tokens."""
        models = parameters.get("models", {"extract": model, "verify": [model]})
        sampling = parameters.get("sampling", {"temperature": parameters.get("temperature", 0)})
        return cls(
            extract=models["extract"],
            verify=tuple(models["verify"]),
            votes=int(parameters.get("votes", 1)),
            sampling=sampling,
            passage_tokens=parameters.get("passage_tokens", {}),
            group_claims=int(parameters.get("group_claims", 1)),
            picture_detail=parameters.get("picture_detail", "auto"),
        )

    def as_parameters(self) -> dict[str, Any]:
        """What :meth:`read` reads; all of it changes verdicts. A number is written in one way: 0.0 is 0.

        Checks that are asked alone and pictures looked at as usual leave no trace, so that a profile older than both is
        the same profile.
        """
        unusual: dict[str, Any] = {}
        if self.group_claims > 1:
            unusual["group_claims"] = self.group_claims
        if self.picture_detail != "auto":
            unusual["picture_detail"] = self.picture_detail
        return {
            "models": {"extract": self.extract, "verify": list(self.verify)},
            "votes": self.votes,
            "sampling": {name: _plain(value) for name, value in self.sampling.items()},
            "passage_tokens": dict(self.passage_tokens),
            **unusual,
        }

    @property
    def models(self) -> tuple[str, ...]:
        """Every model once: by seat, then the one that extracts."""
        return tuple(dict.fromkeys((*self.verify, self.extract)))

    @property
    def label(self) -> str:
        """The models as a reader of a board sees them, on one line."""
        names = ", ".join(self.verify)
        names += "" if self.extract in self.verify else f"; extraction: {self.extract}"
        return names if len(names) <= LABEL else names[: LABEL - 1] + "…"

    @property
    def is_panel(self) -> bool:
        """Whether several models judge."""
        return len(self.verify) > 1

    @property
    def repeats_itself(self) -> bool:
        """Whether a model that judges alone would be asked the very same for each vote."""
        return not self.is_panel and same_every_time(self.sampling)

    @property
    def most_votes(self) -> int:
        """How many calls a check takes at most, where its rubric says nothing else."""
        return len(self.verify) if self.is_panel else 1 if self.repeats_itself else self.votes

    @property
    def shown(self) -> int | None:
        """Tokens of a page that are put before those who decide: all seats of a panel see the same ones."""
        return min((self.passage_tokens[model] for model in self.verify if self.passage_tokens), default=None)

    @property
    def read_out(self) -> int | None:
        """Tokens of a page that are put before the model that extracts."""
        return self.passage_tokens.get(self.extract)

    # -- which models serve
    def pins(self, text: str) -> dict[str, str]:
        """The name under which each model serves, by the name asked for; from the text that a run keeps."""
        if not text:
            return {}
        pins: dict[str, str] = json.loads(text) if len(self.models) > 1 else {self.models[0]: text}
        return pins

    def as_pinned(self, pins: Mapping[str, str]) -> str:
        """The text of :meth:`pins`: the name alone where there is but one model, else canonical JSON."""
        return canonical(dict(pins)).decode() if len(self.models) > 1 else pins[self.models[0]]


def same_every_time(sampling: Mapping[str, float]) -> bool:
    """Whether a model that is asked so gives the same answer again: at temperature 0, and without a seed to change."""
    return sampling.get("temperature") == 0 and "seed" not in sampling


def _plain(value: float) -> float:
    return int(value) if value == int(value) else value
