"""A second lot of claims labelled before the judge was run on them, on three more kinds of page.

On its first run it was right on 35 of 47 (74 %). General rules were mended afterwards, as for the first lot.
"""

from __future__ import annotations

from .labelled_pairs import Pair

AQUEDUCT = """Tessel Aqueduct
The Tessel Aqueduct carries drinking water from the springs of Orle to the city of Maren over a distance of 38 km. Engineers of the
duchy built it between 1741 and 1759; the chief engineer, Bastian Rooke, did not live to see it finished. Some 9 km run underground.
The longest of its eleven bridges, the Arches of Fell, has 27 arches and is 341 m long. Until 1908 it was the only source of water for
the city, and it still delivers about 15 percent of the supply. Restoration, paid for by the region, started in 2020 and is expected to
last until 2026. Walking on the Arches of Fell has been forbidden since an accident in 1992.
UNESCO rejected an application for world heritage status in 2011, but a new one is being prepared.
"""

MINUTES = """Minutes of the council meeting, 17 October 2023
Present: 23 of 31 councillors. Chair: Ruth Adeyemi.
1. The budget for 2024 was adopted by 14 votes to 8 with one abstention. Spending rises by 3.2 per cent to 84.6 million.
2. The motion to close the swimming pool at Elm Park was defeated. The pool will be renovated instead for 2.1 million; work begins in April 2024.
3. Councillor Ames asked when the tram to Northgate would be completed. The mayor replied that no date could be given.
4. The council decided to plant 400 trees a year. The proposal to ban leaf blowers was postponed.
Next meeting: 14 November 2023, 19:00.
"""

INTERVIEW = """Interview: "I never wanted to be a chef"
Noor Castell, 44, runs the restaurant Salt & Stone in Port Hallow, which won its second star this spring. She grew up on a farm near Ebbing
with four brothers and studied chemistry before she went to Lyon in 2003 to train under Paulette Grange. She opened Salt & Stone in 2012 with a
loan of 90,000 euros from her aunt. The restaurant seats 28 guests and is closed on Sundays and Mondays; a menu of nine courses costs 165 euros.
Castell does not use butter. Her cookbook, Low Tide, has sold more than 60,000 copies. Asked about rumours of a second restaurant in London,
she laughed: "That is nonsense."
"""

PAIRS: tuple[Pair, ...] = (
    Pair("paraphrase", "The Tessel Aqueduct is 38 kilometres long", AQUEDUCT, "supported"),
    Pair(
        "paraphrase",
        "The Tessel Aqueduct supplies the city of Maren with drinking water",
        AQUEDUCT,
        "supported",
    ),
    Pair("paraphrase", "Construction of the Tessel Aqueduct took from 1741 to 1759", AQUEDUCT, "supported"),
    Pair("paraphrase", "The Arches of Fell have 27 arches", AQUEDUCT, "supported"),
    Pair("paraphrase", "The aqueduct provides around 15% of Maren's water today", AQUEDUCT, "supported"),
    Pair("paraphrase", "Bastian Rooke was the chief engineer of the Tessel Aqueduct", AQUEDUCT, "supported"),
    Pair("paraphrase", "Restoration of the aqueduct began in 2020", AQUEDUCT, "supported"),
    Pair("paraphrase", "The region finances the restoration", AQUEDUCT, "supported"),
    Pair("contradiction", "The Arches of Fell are 314 m long", AQUEDUCT, "refuted"),
    Pair("contradiction", "The Tessel Aqueduct was built between 1751 and 1769", AQUEDUCT, "refuted"),
    Pair("contradiction", "The Tessel Aqueduct has nine bridges", AQUEDUCT, "refuted"),
    Pair("contradiction", "Walking on the Arches of Fell is allowed", AQUEDUCT, "refuted"),
    Pair("contradiction", "The Tessel Aqueduct is a UNESCO world heritage site", AQUEDUCT, "refuted"),
    Pair("contradiction", "Bastian Rooke lived to see the aqueduct finished", AQUEDUCT, "refuted"),
    Pair("silent", "The aqueduct was damaged by an earthquake", AQUEDUCT, "undecided"),
    Pair("silent", "The Tessel Aqueduct can be visited with a guide", AQUEDUCT, "undecided"),
    Pair("silent", "Restoration was completed in 2026", AQUEDUCT, "undecided"),
    Pair("paraphrase", "The council adopted the 2024 budget by 14 votes to 8", MINUTES, "supported"),
    Pair("paraphrase", "Spending rises by 3.2% to 84.6 million in 2024", MINUTES, "supported"),
    Pair("paraphrase", "The council will plant 400 trees per year", MINUTES, "supported"),
    Pair("paraphrase", "23 councillors were present at the meeting", MINUTES, "supported"),
    Pair("paraphrase", "Renovation of the Elm Park pool costs 2.1 million", MINUTES, "supported"),
    Pair("paraphrase", "The next meeting takes place on 14 November 2023 at 7 pm", MINUTES, "supported"),
    Pair("contradiction", "The council decided to close the swimming pool at Elm Park", MINUTES, "refuted"),
    Pair("contradiction", "The budget was adopted by 18 votes to 4", MINUTES, "refuted"),
    Pair("contradiction", "Leaf blowers were banned", MINUTES, "refuted"),
    Pair("contradiction", "The pool renovation begins in June 2024", MINUTES, "refuted"),
    Pair("contradiction", "The mayor gave a date for the completion of the tram", MINUTES, "refuted"),
    Pair("silent", "The council discussed a new school", MINUTES, "undecided"),
    Pair("silent", "Ruth Adeyemi is the mayor", MINUTES, "undecided"),
    Pair("paraphrase", "Salt & Stone was awarded a second star this spring", INTERVIEW, "supported"),
    Pair("paraphrase", "Noor Castell trained under Paulette Grange in Lyon", INTERVIEW, "supported"),
    Pair("paraphrase", "Noor Castell opened Salt & Stone in 2012", INTERVIEW, "supported"),
    Pair("paraphrase", "Salt & Stone has 28 seats", INTERVIEW, "supported"),
    Pair("paraphrase", "A nine-course menu at Salt & Stone costs €165", INTERVIEW, "supported"),
    Pair("paraphrase", "Low Tide has sold over 60,000 copies", INTERVIEW, "supported"),
    Pair("paraphrase", "Noor Castell studied chemistry", INTERVIEW, "supported"),
    Pair("paraphrase", "Salt & Stone is closed on Mondays", INTERVIEW, "supported"),
    Pair("contradiction", "Salt & Stone is open on Sundays", INTERVIEW, "refuted"),
    Pair("contradiction", "Noor Castell cooks with butter", INTERVIEW, "refuted"),
    Pair("contradiction", "Noor Castell opened Salt & Stone in 2021", INTERVIEW, "refuted"),
    Pair("contradiction", "The menu at Salt & Stone costs 156 euros", INTERVIEW, "refuted"),
    Pair("contradiction", "Noor Castell has three brothers", INTERVIEW, "refuted"),
    Pair("contradiction", "Noor Castell is opening a second restaurant in London", INTERVIEW, "refuted"),
    Pair("silent", "Noor Castell was born in Ebbing", INTERVIEW, "undecided"),
    Pair("silent", "Salt & Stone has a garden", INTERVIEW, "undecided"),
    Pair("contradiction", "Noor Castell trained in Paris", INTERVIEW, "refuted"),
)
