"""Claims are the sentences about a subtask that hold something to check, with what they cite."""

from __future__ import annotations

from .asking import claims

ANSWER = """# Briefing

## 1. Tariff decision

On 12 May the Energy Commission adopted decision 26/114 ([Commission](https://c.example/26)). It is a good day.
The shares are as follows:

| Regulated tariff | Before | After |
|---|---|---|
| Households [1] | 18.1 | 16.4 |
| Firms | | 14.1 |

So everybody in Vessania gains. Is Torvale next in 2027?

### Who gains

- **Households:** 3,200 crowns[^2]
- Nobody

## 2. Outlook

The next review takes place on 15 September 2026 [1].

```
Code 42 is no claim
```

## Sources

[1]: https://c.example/tariff
[^2]: https://c.example/note
1. Some Source 2026 https://c.example/x
"""


def test_a_section_headed_like_the_subtask_is_read_alone_and_in_order() -> None:
    found = claims(ANSWER, "Tariff decision — Figures are right")
    assert [(c.text, c.urls) for c in found] == [
        ("On 12 May the Energy Commission adopted decision 26/114.", ("https://c.example/26",)),
        ("Regulated tariff: Households; Before: 18.1; After: 16.4", ("https://c.example/tariff",)),
        ("Regulated tariff: Firms; After: 14.1", ()),
        ("Who gains: Households: 3,200 crowns", ("https://c.example/note",)),
    ]


def test_without_such_a_heading_sentences_that_share_words_are_taken() -> None:
    found = claims(ANSWER, "When the next review takes place")
    assert [c.text for c in found] == ["The next review takes place on 15 September 2026."]


def test_without_a_subtask_nothing_is_about_it() -> None:
    assert claims(ANSWER, "Zebras") == ()
    assert claims("", "Tariff decision") == ()


def test_the_limit_holds() -> None:
    assert len(claims(ANSWER, "Tariff decision", limit=2)) == 2
    assert claims(ANSWER, "Tariff decision", limit=0) == ()


def test_items_below_an_item_have_it_as_their_subject() -> None:
    answer = "## Huts\n\n1. Lantern Col Hut\n   - Beds: 24\n   - Price: 52 marks\n"
    assert [c.text for c in claims(answer, "Huts")] == [
        "Lantern Col Hut: Beds: 24",
        "Lantern Col Hut: Price: 52 marks",
    ]


def test_conclusions_without_a_number_are_left_to_rationality() -> None:
    answer = (
        "## Reasons\n\nThe plan by Ida Kelmer failed. Therefore Torvale waits. Thus Torvale lost 3 votes."
    )
    assert [c.text for c in claims(answer, "Reasons")] == [
        "The plan by Ida Kelmer failed.",
        "Thus Torvale lost 3 votes.",
    ]


def test_a_month_alone_is_no_name() -> None:
    assert claims("## Season\n\nThe season ends in September or October.", "Season") == ()


def test_chinese_sentences_are_claims_too() -> None:
    found = claims("## 大学\n\n青石大学创建于1952年。校园很美。现有学生约2.3万人。", "大学")
    assert [c.text for c in found] == ["青石大学创建于1952年。", "现有学生约2.3万人。"]


LISTED = """## Huts

1. **Sorrel Hut**
   - Beds: 30
   - Opened in 1931 ([register](https://h.example/register))
   - Source: [The huts of Harn in 2027](https://h.example/sorrel)
2. **Lantern Hut** has 24 beds.
   - **Sources:** https://h.example/a, https://h.example/b
3. Brook Hut has 12 beds.
   - Source: the old register of the valley gives 12 beds

Sources: https://h.example/all
"""


def test_a_line_that_names_the_sources_of_an_item_is_no_claim_but_what_its_claims_cite() -> None:
    assert [(c.text, c.urls) for c in claims(LISTED, "Huts")] == [
        ("Sorrel Hut: Beds: 30", ("https://h.example/sorrel",)),
        ("Opened in 1931", ("https://h.example/register",)),
        ("Lantern Hut has 24 beds.", ("https://h.example/a", "https://h.example/b")),
        ("Brook Hut has 12 beds.", ()),
        ("Brook Hut has 12 beds.: Source: the old register of the valley gives 12 beds", ()),
    ]
