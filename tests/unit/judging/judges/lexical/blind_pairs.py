"""Claims labelled before the judge was ever run on them, on long-winded pages: how well it carries over.

On its first run it was right on 38 of 50 (76 %; plain token overlap: 24). General rules and word lists were
mended afterwards, so these no longer measure how it does on unseen claims.
"""

from __future__ import annotations

from .labelled_pairs import Pair

LAKE = """Lake Ossery - Encyclopaedia of Northern Waters
Lake Ossery (local name: Osr Mere) is a freshwater lake in the county of Dunholm, about 14 km north-west of the market
town of Bressing. With a surface of 23.6 square kilometres it is the third-largest lake of the county, after Lake Tyne
and the Great Broad. Its greatest depth, 61 m, was measured by the hydrographer Clara Venn in 1908.
The lake is fed by the rivers Osk and Lanner and drains into the Bure. Because of the mild winters of recent decades
it has not frozen over completely since 1987. Swimming is permitted at two beaches; motor boats have been banned since
1994, with the exception of the rescue service. Some 310 species of plants grow on its shores, 12 of which are protected.
In the 19th century the lake supplied ice to the breweries of Bressing. A plan of 1963 to drain the southern bay for
farmland met with fierce resistance and was finally dropped. The nature reserve, founded in 1971, covers 480 hectares
and is looked after by the Bressing Trust, which has about 1,900 members.
"""

STARTUP = """Quillon raises $42M to make warehouse robots cheaper
By Hana Ortiz | June 11, 2024
Quillon, a robotics start-up based in Tallow City, has closed a Series B round of $42 million led by Northgate Ventures,
with participation from existing investors Amber Fund and Loom Capital. The round values the company at $310 million,
nearly twice its valuation of two years ago. Founded in 2017 by siblings Mara and Felix Dorn, Quillon builds robots that
pick soft goods such as clothing. Its second-generation arm, the Q2, costs $18,000, less than half of what rivals charge.
The company has 140 employees and expects to reach 200 by the end of the year. It shipped 620 arms in 2023 and plans to
ship 1,500 in 2024. Chief executive Mara Dorn declined to say whether Quillon is profitable. "We are not going public any
time soon," she added. A previous attempt to enter the Asian market failed in 2021.
"""

PAPER = """Sleep duration and reaction time in night-shift nurses: a cohort study
Abstract. Background: Short sleep is common among night-shift workers. Objective: To determine whether sleep duration
predicts reaction time. Methods: We followed 418 nurses from five hospitals in Ravenna Province for eighteen months.
Sleep was recorded by wrist actigraphy; reaction time by a ten-minute vigilance task. Results: Mean sleep duration was
5.8 hours (SD 1.1). Nurses who slept fewer than five hours responded 38 milliseconds more slowly than those who slept
seven hours or more (95% CI 29 to 47). Caffeine intake was not associated with reaction time. Dropout was 9%.
Conclusions: Short sleep is associated with slower responses. The study cannot establish a causal effect.
Funding: Ministry of Labour. The authors declare no competing interests.
"""

STATION = """# Harrow Vale station
Harrow Vale is a railway station on the Calder Line, opened by the Midland & Coast Railway on 1 August 1879. The present
building, the work of the architect Edith Sturm, dates from 1936. Platforms 1 and 2 are used by stopping trains to Port
Ellery; platform 3 has been out of use since the closure of the Mossby branch in 1965.

| Year | Passengers |
| 2021 | 412,000 |
| 2022 | 588,000 |
| 2023 | 641,300 |

The ticket office is open Monday to Friday from 06:30 to 12:15. There are no lifts, so platform 2 can be reached by
stairs only. Parking costs £4.20 a day. The station cat, Marmalade, became famous in 2018 and died in March 2022.
"""

PAIRS: tuple[Pair, ...] = (
    Pair("paraphrase", "The maximum depth of Lake Ossery is 61 metres", LAKE, "supported"),
    Pair("paraphrase", "Lake Ossery covers an area of 23.6 km²", LAKE, "supported"),
    Pair("paraphrase", "Clara Venn measured the lake's depth in 1908", LAKE, "supported"),
    Pair("paraphrase", "Motor boats have been forbidden on Lake Ossery since 1994", LAKE, "supported"),
    Pair("paraphrase", "The Bressing Trust takes care of the nature reserve", LAKE, "supported"),
    Pair("paraphrase", "Lake Ossery lies in Dunholm county", LAKE, "supported"),
    Pair("paraphrase", "The nature reserve at Lake Ossery was established in 1971", LAKE, "supported"),
    Pair("paraphrase", "Around 310 plant species grow on the shores of Lake Ossery", LAKE, "supported"),
    Pair("number", "Lake Ossery has a maximum depth of 81 metres", LAKE, "refuted"),
    Pair("date", "Lake Ossery last froze over completely in 1997", LAKE, "refuted"),
    Pair("number", "The Bressing Trust has about 9,100 members", LAKE, "refuted"),
    Pair("negation", "The southern bay of Lake Ossery was drained for farmland", LAKE, "refuted"),
    Pair("negation", "Swimming is prohibited in Lake Ossery", LAKE, "refuted"),
    Pair("silent", "Lake Ossery is popular with anglers", LAKE, "undecided"),
    Pair("silent", "The nature reserve at Lake Ossery has a visitor centre", LAKE, "undecided"),
    Pair("paraphrase", "Northgate Ventures led Quillon's $42 million Series B", STARTUP, "supported"),
    Pair("paraphrase", "Quillon was founded in 2017 by Mara and Felix Dorn", STARTUP, "supported"),
    Pair("paraphrase", "Quillon is valued at 310 million dollars", STARTUP, "supported"),
    Pair("paraphrase", "Quillon's Q2 arm sells for $18,000", STARTUP, "supported"),
    Pair("paraphrase", "In 2023 Quillon delivered 620 robot arms", STARTUP, "supported"),
    Pair("paraphrase", "Quillon employs 140 people", STARTUP, "supported"),
    Pair("number", "Quillon raised $24 million in its Series B round", STARTUP, "refuted"),
    Pair("exchanged", "Quillon shipped 1,500 arms in 2023", STARTUP, "refuted"),
    Pair("number", "Quillon has 410 employees", STARTUP, "refuted"),
    Pair("date", "Quillon was founded in 2015", STARTUP, "refuted"),
    Pair("negation", "Quillon is going public soon", STARTUP, "refuted"),
    Pair("silent", "Quillon makes robots for hospitals", STARTUP, "undecided"),
    Pair("silent", "Quillon's robots are used by Loom Stores", STARTUP, "undecided"),
    Pair("paraphrase", "The study followed 418 nurses for 18 months", PAPER, "supported"),
    Pair("paraphrase", "Nurses slept 5.8 hours on average", PAPER, "supported"),
    Pair("paraphrase", "The study was funded by the Ministry of Labour", PAPER, "supported"),
    Pair(
        "paraphrase",
        "Nurses sleeping less than five hours reacted 38 milliseconds more slowly",
        PAPER,
        "supported",
    ),
    Pair("number", "The study followed 481 nurses", PAPER, "refuted"),
    Pair("negation", "Caffeine intake was associated with reaction time", PAPER, "refuted"),
    Pair("negation", "The study establishes a causal effect", PAPER, "refuted"),
    Pair("number", "The dropout rate was 19%", PAPER, "refuted"),
    Pair("silent", "The nurses were paid for taking part", PAPER, "undecided"),
    Pair("paraphrase", "Harrow Vale station opened on August 1, 1879", STATION, "supported"),
    Pair("paraphrase", "Edith Sturm was the architect of the present building", STATION, "supported"),
    Pair("paraphrase", "Harrow Vale had 588,000 passengers in 2022", STATION, "supported"),
    Pair("paraphrase", "A day's parking at Harrow Vale costs £4.20", STATION, "supported"),
    Pair("paraphrase", "Platform 3 at Harrow Vale has not been used since 1965", STATION, "supported"),
    Pair("exchanged", "Harrow Vale had 588,000 passengers in 2023", STATION, "refuted"),
    Pair("date", "The present station building dates from 1963", STATION, "refuted"),
    Pair("negation", "Harrow Vale station has lifts", STATION, "refuted"),
    Pair("number", "Parking at Harrow Vale costs £2.40 a day", STATION, "refuted"),
    Pair("silent", "Harrow Vale station has a waiting room with heating", STATION, "undecided"),
    Pair("silent", "The ticket office sells bus tickets", STATION, "undecided"),
    Pair("elsewhere", "The Mossby branch closed in 1965", PAPER, "undecided"),
    Pair("elsewhere", "Quillon raised $42 million", LAKE, "undecided"),
)
