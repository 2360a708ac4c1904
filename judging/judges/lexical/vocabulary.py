"""The word lists the offline judge reads with: closed, small and general, about no task in particular.

Every list holds folded words (lower case, no diacritics); ``words`` stems what is compared as stems.
"""

from __future__ import annotations

__all__ = [
    "ABBREVIATIONS",
    "DEBUNKERS",
    "IRREGULAR",
    "LIGHT",
    "MONTHS",
    "NEGATORS",
    "NUMBER_WORDS",
    "OPPOSITES",
    "ORDINAL_WORDS",
    "SCALES",
    "STOP_WORDS",
    "SYNONYMS",
    "word_list",
]


def word_list(words: str) -> list[str]:
    """The words of a block of text, as these lists are written."""
    return words.split()


# Words that say nothing about what a sentence is about. Negators are here as well: they are read as polarity.
STOP_WORDS = frozenset(
    word_list("""
    a an the this that these those there here it its itself he him his she her hers they them their theirs we us
    our you your i me my who whom whose which what when where how is are was were be been being am do does did
    done doing have has had having will would shall should can could may might must of in on at by for with from
    to into onto upon about as and or but nor so if then than also too very just only even still yet not no never
    none neither without cannot s t re ve ll d such some any each every all both either other another same own
    more most less least over under up down out off again further once per via etc while during before after many much
    between through because until against among within whether since around approximately nearly almost roughly
    de la le les des du un une et est dans sur pour par que qui au aux en
    der die das den dem ein eine einer eines einem und ist im am zu zum zur von vom mit auf fur als auch wird
    wurde war sind el los las una y es del al con para su lo il gli della di che e o os do da dos
    """)
)

NEGATORS = frozenset(
    word_list("""
    not no never none neither nor without cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt
    hasnt havent hadnt couldnt shouldnt nobody nothing nowhere lacks lack lacked lacking lost lose loses losing fails failed refused
    refuses unable nicht kein keine keinen keiner nie niemals ohne pas jamais aucun aucune sans nunca ningun
    ninguna sin jamas non mai senza nao sem niet geen
    """)
)

# Verbs and nouns that say little by themselves: what is said with them is said by the words around.
LIGHT = frozenset(
    word_list("""
    lie stand cover take make give get hold keep come go call name know say report state note rate level total amount
    number figure time thing way kind type part case place become remain stay feature comprise consist
    contain currently located situated
    """)
)

# A sentence with one of these says that what it repeats is not so.
DEBUNKERS = frozenset(
    word_list("""
    false falsely untrue myth hoax incorrect incorrectly debunked misconception erroneous erroneously mistaken
    mistakenly fabricated rumor rumour rumors rumours disproved disproven refuted wrongly fictional fictitious
    """)
)

# Pairs that cannot both hold of one thing.
OPPOSITES: tuple[tuple[str, str], ...] = (
    ("increase grow", "decrease decline shrink"),
    ("largest biggest", "smallest"),
    ("highest tallest", "lowest shortest"),
    ("longest", "shortest"),
    ("oldest", "youngest newest"),
    ("open", "closed shut"),
    ("win", "lose"),
    ("accepted approved", "rejected refused declined denied"),
    ("allow legal", "forbid illegal"),
    ("free", "paid"),
    ("alive", "dead"),
    ("north northern", "south southern"),
    ("east eastern", "west western"),
    ("first earliest", "last latest"),
    ("best", "worst"),
    ("public", "private"),
    ("exports", "imports"),
    ("arrived", "departed"),
    ("successful succeeded", "unsuccessful failed"),
    ("major", "minor"),
    ("maximum", "minimum"),
    ("fastest", "slowest"),
    ("richest", "poorest"),
    ("cheapest", "costliest"),
    ("include", "exclude"),
    ("summer", "winter"),
)

# Words that stand for each other in what is asked and what is written.
SYNONYMS: tuple[str, ...] = (
    "high tall height elevation altitude",
    "highest tallest",
    "largest biggest",
    "found founded establish created foundation inception",
    "population inhabitants residents",
    "price cost fee",
    "die death dead deceased",
    "birth born",
    "buy acquire purchase acquisition",
    "big large",
    "begin start commence launch",
    "opened inaugurated",
    "end finish conclude",
    "film movie",
    "located situated location",
    "write author writer",
    "win winner victory",
    "advise advisor adviser supervisor supervise supervision",
    "climb ascend ascent summited climber",
    "company firm corporation",
    "build construct construction",
    "head lead leader director direct",
    "forbid ban prohibit",
    "allow permit",
    "maximum greatest",
    "average mean",
    "surface area",
    "deliver ship",
    "house home household",
    "long length distance",
    "wide width",
    "deep depth",
    "weigh weight",
    "percent percentage",
    "increase grow growth rise",
    "decrease decline shrink",
    "doctor phd doctoral doctorate",
    "show display demonstrate",
    "study research",
    "happen occur",
    "need require",
    "receive obtain grant award",
    "fund finance sponsor pay",
    "enrol enroll recruit participate",
    "annual yearly",
    "photo photograph picture",
    "warden keeper custodian",
    "beds berths",
)

IRREGULAR: dict[str, str] = {
    "won": "win", "winning": "win", "wrote": "write", "written": "write", "built": "build", "held": "hold",
    "led": "lead", "made": "make", "began": "begin", "begun": "begin", "beginning": "begin", "rose": "rise",
    "risen": "rise", "fell": "fall", "fallen": "fall", "grew": "grow", "grown": "grow", "sold": "sell",
    "bought": "buy", "went": "go", "gone": "go", "died": "die", "dies": "die", "dying": "die", "took": "take",
    "taken": "take", "gave": "give", "given": "give", "became": "become", "lost": "lose", "found": "find",
    "men": "man", "women": "woman", "children": "child", "feet": "foot", "said": "say", "sent": "send",
    "spent": "spend", "stood": "stand", "taught": "teach", "thought": "think", "told": "tell", "paid": "pay",
    "met": "meet", "ran": "run", "running": "run", "chose": "choose", "chosen": "choose", "drew": "draw",
    "drawn": "draw", "drove": "drive", "driven": "drive", "flew": "fly", "flown": "fly", "knew": "know",
    "known": "know", "lay": "lie", "lies": "lie", "lying": "lie", "born": "born", "series": "series",
    "species": "species", "bus": "bus", "gas": "gas", "news": "news", "during": "during", "spring": "spring",
    "king": "king", "founded": "founded", "phd": "phd", "beds": "bed",
    "opened": "opened", "used": "use", "uses": "use", "froze": "freeze", "frozen": "freeze",
    "forbidden": "forbid", "forbade": "forbid", "torn": "tear", "tore": "tear", "woke": "wake",
    "beaten": "beat", "eaten": "eat", "broken": "break", "broke": "break", "spoken": "speak", "spoke": "speak",
    "stolen": "steal", "stole": "steal", "worn": "wear", "wore": "wear", "hidden": "hide", "hid": "hide",
    "thrown": "throw", "threw": "throw", "shown": "show", "swam": "swim", "swum": "swim", "sank": "sink",
    "sunk": "sink", "sang": "sing", "sung": "sing", "struck": "strike", "caught": "catch", "fought": "fight",
    "brought": "bring", "kept": "keep", "slept": "sleep", "lent": "lend", "shot": "shoot", "hung": "hang",
}  # fmt: skip

MONTHS: dict[str, int] = {
    word: number
    for number, words in enumerate(
        (
            "january jan januar janvier enero gennaio janeiro januari",
            "february feb februar fevrier febrero febbraio fevereiro februari",
            "march mar marz mars marzo marco maart",
            "april apr avril abril aprile",
            "may mai mayo maggio maio mei",
            "june jun juni juin junio giugno junho",
            "july jul juli juillet julio luglio julho",
            "august aug aout agosto augustus",
            "september sep sept septembre septiembre settembre setembro",
            "october oct oktober okt octobre octubre ottobre outubro",
            "november nov novembre noviembre novembro",
            "december dec dezember dez decembre diciembre dicembre dezembro",
        ),
        start=1,
    )
    for word in words.split()
}

NUMBER_WORDS: dict[str, int] = {
    word: value
    for value, word in enumerate(
        word_list("""zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty""")
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}

ORDINAL_WORDS: dict[str, int] = {
    word: value
    for value, word in enumerate(
        word_list("""first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
        fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"""),
        start=1,
    )
}

SCALES: dict[str, float] = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "millions": 1e6, "mn": 1e6, "mio": 1e6, "millionen": 1e6,
    "millones": 1e6, "billion": 1e9, "billions": 1e9, "bn": 1e9, "mrd": 1e9, "milliarden": 1e9,
    "trillion": 1e12, "tn": 1e12, "lakh": 1e5, "crore": 1e7, "tausend": 1e3, "mille": 1e3, "k": 1e3,
    "万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8, "千": 1e3, "百万": 1e6, "만": 1e4, "억": 1e8,
}  # fmt: skip

ABBREVIATIONS = frozenset(
    word_list("""
    dr prof mr mrs ms st jr sr vs etc e.g i.e eg ie cf al fig no nr vol pp p ed eds inc ltd co corp approx ca est
    dept univ gen col lt sgt rev hon u.s u.k u.n ph.d m.sc b.sc jan feb mar apr jun jul aug sep sept oct nov dec
    mt ft z.b d.h bzw usw
    """)
)
