"""Reading the environment: what is meant is taken, what is odd is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from evalservice import env


def refusal(reader: Any, *arguments: Any, **options: Any) -> str:
    """The sentence with which a value is refused."""
    with pytest.raises(ImproperlyConfigured) as caught:
        reader(*arguments, **options)
    return str(caught.value)


# ------------------------------------------------------------------ plain values and files
def test_a_value_is_taken_from_its_variable_or_else_the_default() -> None:
    assert env.read("NAME", "default", environ={"NAME": "value"}) == "value"
    assert env.read("NAME", "default", environ={"NAME": ""}) == ""
    assert env.read("NAME", "default", environ={}) == "default"


def test_a_value_may_lie_in_a_file_whose_line_end_is_not_part_of_it(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("välue\n", encoding="utf-8")
    assert env.read("NAME", "default", environ={"NAME_FILE": str(file)}) == "välue"


def test_a_value_and_a_file_at_once_are_refused() -> None:
    assert (
        refusal(env.read, "NAME", environ={"NAME": "", "NAME_FILE": "x"})
        == "Set NAME or NAME_FILE, not both."
    )


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing = refusal(env.read, "NAME", environ={"NAME_FILE": str(tmp_path / "none")})
    assert missing == f"NAME_FILE: cannot read {tmp_path / 'none'}: No such file or directory"
    assert "Is a directory" in refusal(env.read, "NAME", environ={"NAME_FILE": str(tmp_path)})
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "is not text" in refusal(env.read, "NAME", environ={"NAME_FILE": str(binary)})


# ------------------------------------------------------------------ networks and prices
def test_addresses_and_networks_are_read_as_networks() -> None:
    given = {"NAME": "192.0.2.7, 198.51.100.0/24,2001:db8::/32"}
    assert env.networks("NAME", environ=given) == ["192.0.2.7/32", "198.51.100.0/24", "2001:db8::/32"]
    assert env.networks("NAME", environ={}) == []


@pytest.mark.parametrize("odd", ["ours.example", "192.0.2.7/24", "300.1.1.1"])
def test_what_is_no_network_is_refused(odd: str) -> None:
    assert refusal(env.networks, "NAME", environ={"NAME": odd}).startswith("NAME: ")


def test_prices_are_read_by_model() -> None:
    table = '{"m": {"prompt": 1, "completion": 2.5}, "n": {"prompt": 0, "cached": 0.5, "completion": 0}}'
    assert env.prices("NAME", environ={"NAME": table}) == {
        "m": {"prompt": 1.0, "completion": 2.5},
        "n": {"prompt": 0.0, "cached": 0.5, "completion": 0.0},
    }
    assert env.prices("NAME", environ={}) == {}


@pytest.mark.parametrize(
    "odd",
    [
        "cheap",
        "[]",
        '{"m": 1}',
        '{"m": {"prompt": 1}}',
        '{"m": {"prompt": -1, "completion": 1}}',
        '{"m": {"prompt": NaN, "completion": 1}}',
        '{"m": {"prompt": "much", "completion": 1}}',
        '{"m": {"prompt": null, "completion": 1}}',
        '{"m": {"prompt": 1, "completion": 1, "reasoning": 1}}',
    ],
)
def test_what_is_no_table_of_prices_is_refused(odd: str) -> None:
    assert refusal(env.prices, "NAME", environ={"NAME": odd}).startswith("NAME: dollars per million tokens")


# ------------------------------------------------------------------ flags, numbers, choices, lists
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", True),
        ("TRUE", True),
        ("yes", True),
        (" on ", True),
        ("0", False),
        ("False", False),
        ("no", False),
        ("off", False),
    ],
)
def test_a_flag_has_several_words(text: str, value: bool) -> None:
    assert env.flag("NAME", not value, environ={"NAME": text}) is value


@pytest.mark.parametrize("default", [True, False])
def test_a_flag_that_is_not_set_has_its_default(default: bool) -> None:
    assert env.flag("NAME", default, environ={}) is default
    assert env.flag("NAME", default, environ={"NAME": " "}) is default


@pytest.mark.parametrize("text", ["2", "maybe", "truee", "-1"])
def test_a_flag_that_is_neither_is_refused(text: str) -> None:
    assert refusal(env.flag, "NAME", False, environ={"NAME": text}) == f"NAME={text!r}: say 1 or 0."


@pytest.mark.parametrize(
    ("text", "value"), [("", 7), ("3", 3), (" 9 ", 9), ("+4", 4), ("-2", -2), ("007", 7)]
)
def test_a_number_is_whole(text: str, value: int) -> None:
    assert env.integer("NAME", 7, low=-2, high=9, environ={"NAME": text}) == value


@pytest.mark.parametrize("text", ["x", "1.5", "1e3", "1_0", "٣", "0x10", "nan", "9" * 19, "--1", "1 2"])
def test_a_number_that_is_none_is_refused(text: str) -> None:
    message = refusal(env.integer, "NAME", 7, low=0, high=9, environ={"NAME": text})
    assert message == f"NAME={text!r}: a whole number is needed."


@pytest.mark.parametrize("text", ["-1", "10", "999999999"])
def test_a_number_out_of_range_is_refused_with_the_range(text: str) -> None:
    message = refusal(env.integer, "NAME", 7, low=0, high=9, environ={"NAME": text})
    assert message == f"NAME={text}: must lie between 0 and 9."


def test_a_choice_is_one_of_those_named() -> None:
    assert env.choice("NAME", "a", ("a", "b"), environ={"NAME": " b "}) == "b"
    assert env.choice("NAME", "a", ("a", "b"), environ={"NAME": ""}) == "a"
    assert (
        refusal(env.choice, "NAME", "a", ("a", "b"), environ={"NAME": "A"}) == "NAME='A': choose one of a, b."
    )


def test_a_list_is_words_between_commas() -> None:
    assert env.listed("NAME", "x", environ={"NAME": " a.org , ,b.org,"}) == ["a.org", "b.org"]
    assert env.listed("NAME", "x,y", environ={}) == ["x", "y"]


# ------------------------------------------------------------------ folders and databases
def test_a_folder_is_absolute_and_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert env.folder("NAME", Path("x"), environ={"NAME": "a/b"}) == tmp_path / "a" / "b"
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700  # rubrics will lie in it
    assert (tmp_path / "a" / "b").is_dir()
    assert env.folder("NAME", tmp_path / "c", environ={}) == tmp_path / "c"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    message = refusal(env.folder, "NAME", tmp_path, environ={"NAME": str(tmp_path / "file" / "below")})
    assert message == f"NAME: cannot make the folder {tmp_path / 'file' / 'below'}: Not a directory"


def test_without_a_url_the_database_is_the_file_whatever_its_path_holds() -> None:
    path = Path("/srv/my data#1/100%/db.sqlite3")
    assert env.database("", sqlite=path) == {"ENGINE": env.SQLITE, "NAME": str(path)}


@pytest.mark.parametrize(
    ("url", "engine", "name"),
    [
        ("postgres://me:p%40ss@db.example.org:5433/eval", "django.db.backends.postgresql", "eval"),
        ("postgresql://db.example.org/eval", "django.db.backends.postgresql", "eval"),
        ("sqlite:////srv/db.sqlite3", "django.db.backends.sqlite3", "/srv/db.sqlite3"),
    ],
)
def test_a_url_names_a_database_of_two_kinds(url: str, engine: str, name: str) -> None:
    config = env.database(url, sqlite=Path("x"))
    assert (config["ENGINE"], config["NAME"]) == (engine, name)


@pytest.mark.parametrize(
    "url", ["nonsense", "mysql://a/b", "postgres://a:s3cret@host", "postgres://", "redis://s3cret@h/0"]
)
def test_a_url_of_no_such_database_is_refused_without_repeating_it(url: str) -> None:
    message = refusal(env.database, url, sqlite=Path("x"))
    assert message.startswith("DATABASE_URL: postgres://user:password@host/name")
    assert "s3cret" not in message


# ------------------------------------------------------------------ derived keys
def test_keys_for_two_purposes_or_of_two_secrets_differ() -> None:
    keys = {env.derived_key(secret, purpose) for secret in ("a", "b") for purpose in ("x", "y")}
    assert len(keys) == 4
    assert all(len(key) == 64 for key in keys)


@pytest.mark.parametrize(
    ("text", "value"), [("", 7.5), ("2", 2.0), ("2.50", 2.5), (" 0.01 ", 0.01), ("0", 0.0)]
)
def test_a_number_is_read(text: str, value: float) -> None:
    assert env.number("NAME", 7.5, low=0.0, high=9.0, environ={"NAME": text}) == value


@pytest.mark.parametrize("text", ["-1", "1e3", "1_0", "٣", "nan", "inf", "1.", ".5", "2,5", "ten"])
def test_what_is_no_plain_number_is_refused(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^NAME=.*: a number is needed, like 2\.50\."):
        env.number("NAME", 7.5, low=0.0, high=9.0, environ={"NAME": text})


@pytest.mark.parametrize("text", ["9.1", "99999999999999999999"])
def test_a_number_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="must lie between 0 and 9"):
        env.number("NAME", 7.5, low=0.0, high=9.0, environ={"NAME": text})
