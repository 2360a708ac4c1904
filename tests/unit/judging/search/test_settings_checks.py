"""Settings of the search that contradict themselves."""

from __future__ import annotations

from typing import Any

import pytest

from judging.search.settings_checks import search_messages

OFF: dict[str, Any] = {
    "provider": "off",
    "url": "",
    "key": "",
    "queries": 1,
    "results": 5,
    "test_sets": False,
}
SEARXNG = {**OFF, "provider": "searxng", "url": "http://search.internal:8080"}
SERPER = {**OFF, "provider": "serper", "key": "s3cret-key"}
ADDRESS = "EVALSERVICE_SEARCH_URL: an address"


def told(config: dict[str, Any]) -> list[str]:
    """What is said of the settings."""
    messages = list(search_messages(config))
    assert all((one.id, one.level) == ("evalservice.E013", 40) for one in messages)
    return [str(one.msg) for one in messages]


@pytest.mark.parametrize(
    "config",
    [
        OFF,
        SEARXNG,
        SERPER,
        {**SEARXNG, "test_sets": True},
        {**SERPER, "url": "https://gateway.example/v1/search"},
        {**SERPER, "url": "http://gateway:8080/search"},
        {**SERPER, "url": "http://Gateway.Internal/search"},
        {**SERPER, "url": "http://127.0.0.1:8080"},
        {**SERPER, "url": "http://[fd00::1]/search"},
        {**SEARXNG, "url": "http://searx.example"},
    ],
)
def test_what_fits_together_is_not_spoken_of(config: dict[str, Any]) -> None:
    assert told(config) == []


@pytest.mark.parametrize(
    ("config", "beginning"),
    [
        ({**OFF, "url": "http://a.example"}, "EVALSERVICE_SEARCH=off, but"),
        ({**OFF, "key": "k"}, "EVALSERVICE_SEARCH=off, but"),
        ({**OFF, "test_sets": True}, "EVALSERVICE_SEARCH=off, but"),
        ({**SEARXNG, "url": ""}, "EVALSERVICE_SEARCH=searxng needs EVALSERVICE_SEARCH_URL"),
        ({**SEARXNG, "key": "k"}, "EVALSERVICE_SEARCH=searxng takes no"),
        ({**SERPER, "key": ""}, "EVALSERVICE_SEARCH=serper needs EVALSERVICE_SEARCH_KEY"),
        ({**SERPER, "key": "a\nb"}, "EVALSERVICE_SEARCH_KEY holds"),
        ({**SERPER, "key": "schl\u00fcssel"}, "EVALSERVICE_SEARCH_KEY holds"),
    ],
)
def test_what_does_not_is_named(config: dict[str, Any], beginning: str) -> None:
    (message,) = told(config)
    assert message.startswith(beginning)


@pytest.mark.parametrize("host", ["gateway.example", "8.8.8.8", "[2606:4700::1111]:8080", "internal.example"])
def test_a_key_is_not_sent_in_clear_through_the_internet(host: str) -> None:
    (message,) = told({**SERPER, "url": f"http://{host}/search"})
    assert message.startswith("EVALSERVICE_SEARCH_URL: https is needed")
    assert host not in message


@pytest.mark.parametrize(
    "url",
    [
        "search.internal", "ftp://a.example", "http://", "http://me:pass@a.example", "http://me@a.example",
        "http://a.example?q=1", "http://a.example/#x", "http://a.example:99999", "http://a.example:0",
        "http://[::1", "http://a b.example", "http://a.example/\x7f",
    ],
)  # fmt: skip
def test_what_is_no_plain_address_is_refused_without_being_repeated(url: str) -> None:
    (message,) = told({**SEARXNG, "url": url})
    assert message.startswith(ADDRESS)
    assert "pass" not in message
