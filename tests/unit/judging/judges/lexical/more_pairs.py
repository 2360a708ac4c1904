"""More labelled claims, written after the thresholds were set, on other subjects and other kinds of page."""

from __future__ import annotations

from .labelled_pairs import Pair

PHONE = """Norvik X5 specifications
Display: 6.4 inch OLED, 120 Hz
Weight: 187 g
Battery: 4,600 mAh, wireless charging: no
Storage: 128 GB or 256 GB
Released: 12 September 2024
Price at launch: $749 (128 GB), $849 (256 GB)
Water resistance: IP68
"""

FILM = """The Salt Road (film) - Kinopedia
The Salt Road is a 1974 drama film directed by Aino Virtala and starring Peter Hask and Lena Morrow.
It premiered at the Ostrava festival on 9 May 1974, where it won the Golden Lamp. The film runs for 118 minutes.
Critics praised the photography of Jonas Reik, but the film lost money at the box office.
A sequel was planned but never made. Virtala's next film, Glass Harvest, followed in 1977.
"""

LEAGUE = """## Eastern Hockey League 2022-23
| Team | Played | Won | Lost | Points |
|---|---|---|---|---|
| Borgvik Bears | 52 | 31 | 15 | 99 |
| Halmer Harriers | 52 | 28 | 19 | 88 |
| Tornby Tigers | 52 | 25 | 21 | 81 |
| Velby Wolves | 52 | 12 | 36 | 43 |

The Bears won the title for the third time. Top scorer was Mikko Salo of the Harriers with 47 goals.
The Wolves were relegated. The season began on 16 September 2022 and ended on 30 April 2023.
"""

TRIAL = """Effect of drug K-17 on migraine: a randomised trial
Methods. We enrolled 642 adults at 18 centres; 321 received K-17 and 321 placebo for 12 weeks.
Results. The mean number of migraine days per month fell by 4.2 in the K-17 group and by 1.9 in the placebo group
(p < 0.001). Serious adverse events occurred in 2.5% of patients. No deaths were reported.
Conclusion. K-17 reduced migraine days. It did not improve sleep. The trial was funded by Aldane Pharma.
"""

TOWN = """Lindenau is a town in the district of Marsch with 17,420 inhabitants (2021 census).
It lies on the left bank of the Elde at an elevation of 48 m. The mayor is Petra Vogt, in office since 2016.
The town was granted its charter in 1284 by Duke Ottmar. Its church of St Anne was built between 1390 and 1425.
A fire destroyed most of the old town in 1671. Since 1993 Lindenau has been twinned with Castel Rovo.
The railway station closed in 2004. There is no university in the town.
"""

NEWS = """Storm leaves thousands without power
By Tom Reyes, 4 February 2025
About 62,000 households in Kestrel County lost electricity on Monday after a storm brought down lines.
Winds of up to 134 km/h were measured at Cape Lorn. Two people were injured; nobody was killed.
Schools will stay closed until Thursday. The utility Northgrid said repairs would cost at least $18 million.
The governor, Alice Brandt, declared a state of emergency. Ferry services have not resumed.
"""

JAPANESE = """霧島美術館は1987年に開館した。設計者は田中健一である。収蔵作品は約4,200点。
入館料は大人800円、学生500円。休館日は月曜日。2019年11月2日に新館が完成した。館内にレストランはない。
"""

FRENCH = """Le pont de Vaurel a été construit entre 1859 et 1864 par l'ingénieur Émile Castan.
Il mesure 214 mètres de long et compte neuf arches. En 1910, une crue a emporté deux arches.
Il est classé monument historique depuis le 7 mars 1984. Il n'est pas ouvert aux voitures.
"""

RECIPE = """Grandma Ilse's rye bread
Makes 2 loaves. Preparation 30 minutes, baking 55 minutes at 210 °C.
You need 750 g of rye flour, 250 g of wheat flour, 20 g of salt and half a litre of water. The dough contains no yeast.
Let the dough rest for 14 hours. Let the loaves cool completely before cutting, because warm bread crumbles.
"""

FORUM = """Is the Kestrel tunnel 12 km long?
user441: My teacher said that the Kestrel tunnel is 12 km long.
moderator: That is not correct. The Kestrel tunnel is 9.4 km long and was finished in 2009.
user77: There is a rumour that it leaks every spring.
"""

CENSUS = """Gulls of the Skarne islands
North Skarne had 444 nests in 2025 after 1,110 in 2015. South Skarne had 300 nests in 2025 and Mid Skarne 75.
In the cup final Torvale beat Harnsund by two goals. Ylva Brandt was the teacher of Nils Okker.
Prices rose from 4 crowns in 2015 to 6 crowns in 2025.
"""

PAIRS: tuple[Pair, ...] = (
    Pair("exact", "The Salt Road was directed by Aino Virtala", FILM, "supported"),
    Pair("exact", "The mayor of Lindenau is Petra Vogt", TOWN, "supported"),
    Pair("exact", "The governor, Alice Brandt, declared a state of emergency", NEWS, "supported"),
    Pair("exact", "K-17 reduced migraine days", TRIAL, "supported"),
    Pair("exact", "The rye dough rests for 14 hours", RECIPE, "supported"),
    Pair("paraphrase", "The Norvik X5 weighs 187 grams", PHONE, "supported"),
    Pair("paraphrase", "The Norvik X5 was released on September 12, 2024", PHONE, "supported"),
    Pair("paraphrase", "At launch the 256 GB Norvik X5 cost 849 dollars", PHONE, "supported"),
    Pair("paraphrase", "The Salt Road won the Golden Lamp at the Ostrava festival", FILM, "supported"),
    Pair("paraphrase", "The running time of The Salt Road is 118 minutes", FILM, "supported"),
    Pair("paraphrase", "Jonas Reik was praised for the photography of The Salt Road", FILM, "supported"),
    Pair("paraphrase", "The Borgvik Bears won 31 games and finished with 99 points", LEAGUE, "supported"),
    Pair("paraphrase", "Mikko Salo scored 47 goals", LEAGUE, "supported"),
    Pair("paraphrase", "The Velby Wolves lost 36 games", LEAGUE, "supported"),
    Pair("paraphrase", "642 adults took part in the trial of K-17", TRIAL, "supported"),
    Pair("paraphrase", "Aldane Pharma paid for the K-17 trial", TRIAL, "supported"),
    Pair("paraphrase", "Lindenau has a population of about 17,400", TOWN, "supported"),
    Pair("paraphrase", "Lindenau received its town charter in 1284", TOWN, "supported"),
    Pair("paraphrase", "Petra Vogt has been mayor of Lindenau since 2016", TOWN, "supported"),
    Pair(
        "paraphrase", "More than 60,000 homes in Kestrel County were without electricity", NEWS, "supported"
    ),
    Pair("paraphrase", "Wind speeds reached 134 km/h at Cape Lorn", NEWS, "supported"),
    Pair("paraphrase", "The bread is baked for 55 minutes at 210 degrees Celsius", RECIPE, "supported"),
    Pair("paraphrase", "The Kestrel tunnel has a length of 9.4 kilometres", FORUM, "supported"),
    Pair("number", "The Norvik X5 has a battery of 4,200 mAh", PHONE, "refuted"),
    Pair("number", "The Norvik X5 weighs 178 g", PHONE, "refuted"),
    Pair("number", "The Salt Road runs for 181 minutes", FILM, "refuted"),
    Pair("number", "The Halmer Harriers finished with 99 points", LEAGUE, "refuted"),
    Pair("number", "The Tornby Tigers won 28 games", LEAGUE, "refuted"),
    Pair("number", "Mikko Salo scored 74 goals", LEAGUE, "refuted"),
    Pair("number", "The K-17 trial enrolled 462 adults", TRIAL, "refuted"),
    Pair("number", "Serious adverse events occurred in 5.2% of patients", TRIAL, "refuted"),
    Pair("number", "Lindenau has 71,420 inhabitants", TOWN, "refuted"),
    Pair("number", "The rye bread needs 570 g of rye flour", RECIPE, "refuted"),
    Pair("number", "About 26,000 households in Kestrel County lost electricity", NEWS, "refuted"),
    Pair("date", "The Norvik X5 was released on 21 September 2024", PHONE, "refuted"),
    Pair("date", "The Salt Road premiered on 9 March 1974", FILM, "refuted"),
    Pair("date", "Glass Harvest followed in 1979", FILM, "refuted"),
    Pair("date", "The railway station of Lindenau closed in 2014", TOWN, "refuted"),
    Pair("date", "The hockey season ended on 30 April 2022", LEAGUE, "refuted"),
    Pair("negation", "The Norvik X5 supports wireless charging", PHONE, "refuted"),
    Pair("negation", "A sequel to The Salt Road was made", FILM, "refuted"),
    Pair("negation", "K-17 improved sleep", TRIAL, "refuted"),
    Pair("negation", "Lindenau has a university", TOWN, "refuted"),
    Pair("negation", "Ferry services have resumed", NEWS, "refuted"),
    Pair("negation", "The rye bread dough contains yeast", RECIPE, "refuted"),
    Pair("negation", "The Salt Road made money at the box office", FILM, "refuted"),
    Pair("silent", "The Norvik X5 has a headphone jack", PHONE, "undecided"),
    Pair("silent", "The Salt Road was shot in Morocco", FILM, "undecided"),
    Pair("silent", "The Borgvik Bears play in the Granite Arena", LEAGUE, "undecided"),
    Pair("silent", "K-17 is taken twice a day", TRIAL, "undecided"),
    Pair("silent", "Lindenau has a hospital", TOWN, "undecided"),
    Pair("silent", "The storm damaged the harbour of Kestrel County", NEWS, "undecided"),
    Pair("silent", "The Salt Road was directed by Olli Kant", FILM, "refuted"),
    Pair("silent", "The mayor of Lindenau is Bernd Krahl", TOWN, "refuted"),
    Pair("elsewhere", "The Norvik X5 weighs 187 g", TOWN, "undecided"),
    Pair("elsewhere", "Aino Virtala directed The Salt Road", RECIPE, "undecided"),
    Pair("language", "霧島美術館は1987年に開館した", JAPANESE, "supported"),
    Pair("language", "霧島美術館は1978年に開館した", JAPANESE, "refuted"),
    Pair("language", "霧島美術館の大人の入館料は800円である", JAPANESE, "supported"),
    Pair("language", "霧島美術館の新館は2019年11月2日に完成した", JAPANESE, "supported"),
    Pair("language", "Le pont de Vaurel mesure 214 mètres de long", FRENCH, "supported"),
    Pair("language", "Le pont de Vaurel mesure 241 mètres de long", FRENCH, "refuted"),
    Pair("language", "Le pont de Vaurel est ouvert aux voitures", FRENCH, "refuted"),
    Pair("language", "Le pont de Vaurel compte neuf arches", FRENCH, "supported"),
    Pair("quoted", "The Kestrel tunnel is 12 km long", FORUM, "refuted"),
    # the right words and numbers, but not of each other
    Pair("exchanged", "North Skarne had 444 nests in 2025", CENSUS, "supported"),
    Pair("exchanged", "North Skarne had 444 nests in 2015", CENSUS, "refuted"),
    Pair("exchanged", "North Skarne had 1,110 nests in 2015", CENSUS, "supported"),
    Pair("exchanged", "North Skarne had 1,110 nests in 2025", CENSUS, "refuted"),
    Pair("exchanged", "Mid Skarne had 75 nests in 2025", CENSUS, "supported"),
    Pair("exchanged", "South Skarne had 75 nests in 2025", CENSUS, "refuted"),
    Pair("exchanged", "Torvale beat Harnsund in the cup final", CENSUS, "supported"),
    Pair("exchanged", "Harnsund beat Torvale in the cup final", CENSUS, "refuted"),
    Pair("exchanged", "Harnsund was beaten by Torvale in the cup final", CENSUS, "supported"),
    Pair("exchanged", "Nils Okker was the teacher of Ylva Brandt", CENSUS, "refuted"),
    Pair("exchanged", "Ylva Brandt was Nils Okker's teacher", CENSUS, "supported"),
)
