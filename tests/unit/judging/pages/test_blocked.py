"""Walls and pages, told apart."""

import pytest

from judging.pages.blocked import classify
from judging.pages.captures import PageVerdict

ARTICLE = (
    "The lake was first surveyed in 1871 by a party of three, who measured its depth at forty places. "
    "Their figures stood for ninety years, until an echo sounder found a trench along the northern shore. "
)

WALLS = {
    "Cloudflare": (
        "Just a moment...",
        "x.org\nVerifying you are human. This may take a few seconds.",
        PageVerdict.CHALLENGE,
    ),
    "Cloudflare block": (
        "Attention Required! | Cloudflare",
        "Sorry, you have been blocked",
        PageVerdict.CHALLENGE,
    ),
    "Cloudflare, by its text alone": (
        "x.org",
        "Enable JavaScript and cookies to continue",
        PageVerdict.CHALLENGE,
    ),
    "PerimeterX": (
        "Access to this page has been denied",
        "Press & Hold to confirm you are a human (and not a bot).",
        PageVerdict.CHALLENGE,
    ),
    "Imperva": (
        "Pardon Our Interruption",
        "As you were browsing something about your browser made us think you were a bot.",
        PageVerdict.CHALLENGE,
    ),
    "Incapsula": (
        "",
        "Request unsuccessful. Incapsula incident ID: 877000180175-4491",
        PageVerdict.CHALLENGE,
    ),
    "DataDome": ("x.org", "Please enable JS and disable any ad blocker", PageVerdict.CHALLENGE),
    "Akamai": (
        "Access Denied",
        'Access Denied\nYou don\'t have permission to access "http://x.org/" on this server.\nReference #18.2d351ab8.1557333295',
        PageVerdict.CHALLENGE,
    ),
    "search engine": (
        "https://x.org/search",
        "Our systems have detected unusual traffic from your computer network.",
        PageVerdict.CHALLENGE,
    ),
    "shop": (
        "x.org",
        "Enter the characters you see below. Sorry, we just need to make sure you're not a robot.",
        PageVerdict.CHALLENGE,
    ),
    "forum": (
        "x",
        "whoa there, pardner! Your request has been blocked due to a network policy.",
        PageVerdict.CHALLENGE,
    ),
    "Anubis": ("Making sure you're not a bot!", "Loading...", PageVerdict.CHALLENGE),
    "Chinese": ("百度安全验证", "网络不给力，请稍后重试。请完成安全验证后继续访问。", PageVerdict.CHALLENGE),
    "log in": (
        "x.org",
        "Log in to continue\nEmail\nPassword\nForgot your password? Create a new account",
        PageVerdict.LOGIN_WALL,
    ),
    "must be logged in": (
        "x.org",
        "You must be logged in to view this page. Click here to return to the start.",
        PageVerdict.LOGIN_WALL,
    ),
    "paywall": (
        "A headline",
        ARTICLE + "Subscribe to continue reading. Already a subscriber? Sign in.",
        PageVerdict.LOGIN_WALL,
    ),
    "Chinese log in": (
        "文章",
        "该内容仅限会员访问，登录后可查看全文。请使用手机号或者邮箱登录您的账号。",
        PageVerdict.LOGIN_WALL,
    ),
    "consent": (
        "Before you continue",
        "Before you continue to Search\nWe use cookies and data to deliver and maintain services\nReject all\nAccept all\nMore options",
        PageVerdict.CONSENT_WALL,
    ),
    "German consent": (
        "Zeitung",
        "Wir verwenden Cookies und ähnliche Verfahren\nAlle akzeptieren\nEinwilligung widerrufen",
        PageVerdict.CONSENT_WALL,
    ),
    "not found": ("Page not found | x.org", "Sorry, we could not find that. " * 3, PageVerdict.SOFT_404),
    "404 in the title": (
        "404 - x.org",
        "Oops. Something went wrong on the way here. Return to the home page.",
        PageVerdict.SOFT_404,
    ),
    "not found in the text": (
        "x.org",
        "The page you're looking for has moved or never was. Try the search.",
        PageVerdict.SOFT_404,
    ),
    "gone": (
        "Listing",
        "This listing is no longer available. Have a look at similar ones nearby.",
        PageVerdict.SOFT_404,
    ),
    "Japanese not found": (
        "x",
        "お探しのページが見つかりませんでした。URLをご確認のうえ、もう一度お試しください。",
        PageVerdict.SOFT_404,
    ),
    "for sale": (
        "x.org",
        "The domain x.org is for sale. Make an offer or call one of our brokers today.",
        PageVerdict.PARKED,
    ),
    "parked": (
        "x.org",
        "This Web page is parked FREE, courtesy of GoDaddy. Is this your domain?",
        PageVerdict.PARKED,
    ),
    "application without its script": ("An app", "Loading…", PageVerdict.EMPTY),
    "nothing": ("", "", PageVerdict.EMPTY),
}

PAGES = {
    "article": ("The lake", ARTICLE),
    "article about captchas": (
        "How bots are told apart",
        ("Just a moment... says the page that asks: are you a robot? " + ARTICLE) * 20,
    ),
    "article about error pages": (
        "The page not found",
        ("Everyone has met it: page not found. " + ARTICLE) * 8,
    ),
    "article about log-ins": ("Passwords", ("The form says: log in to continue. " + ARTICLE) * 12),
    "short article with a cookie banner": (
        "The lake",
        "We use cookies. Accept all. Reject all. Cookie policy.\n" + "\n".join([ARTICLE] * 4),
    ),
    "post with comments for members": (
        "The lake",
        ARTICLE + "You must be logged in to post a comment. Log in to view comments.",
    ),
    "car of that name": (
        "Peugeot 404",
        "The Peugeot 404 was a family car made in Sochaux from 1960 to 1975. " + ARTICLE,
    ),
    "short Chinese page": ("湖", "北湖位于该市北部，最大水深四十米。"),
    "short page": ("Depth", "Depth of the lake: 40 m (measured in 1871)."),
}


@pytest.mark.parametrize("wall", WALLS)
def test_a_wall_is_recognised(wall: str) -> None:
    title, text, verdict = WALLS[wall]
    assert classify(200, title, text) is verdict


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_not_taken_for_a_wall(page: str) -> None:
    title, text = PAGES[page]
    assert classify(200, title, text) is PageVerdict.OK


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        *((code, PageVerdict.BLOCKED_STATUS) for code in (401, 403, 407, 429, 451, 503, 999)),
        (404, PageVerdict.NOT_FOUND),
        *((code, PageVerdict.ERROR_STATUS) for code in (300, 302, 400, 402, 410, 418, 500, 502, 504, 522)),
        *((code, PageVerdict.EMPTY) for code in (204, 205)),
        *((code, PageVerdict.OK) for code in (200, 201, 203, 206)),
    ],
)
def test_the_status_comes_before_every_word(status: int, verdict: PageVerdict) -> None:
    assert classify(status, "The lake", ARTICLE) is verdict
    if verdict is not PageVerdict.OK:
        assert classify(status, "Just a moment...", "") is verdict


@pytest.mark.parametrize(
    ("below", "phrase", "verdict"),
    [
        (4000, "Are you a robot?", PageVerdict.CHALLENGE),
        (2500, "Log in to continue", PageVerdict.LOGIN_WALL),
        (1500, "Page not found.", PageVerdict.SOFT_404),
        (1500, "Buy this domain.", PageVerdict.PARKED),
    ],
)
def test_words_condemn_short_pages_only(below: int, phrase: str, verdict: PageVerdict) -> None:
    text = phrase + " " + "a" * below
    assert classify(200, "", text[: below - 1]) is verdict
    assert classify(200, "", text[:below]) is PageVerdict.OK


def test_words_far_down_condemn_nothing() -> None:
    assert classify(200, "", "a" * 3100 + " are you a robot?") is PageVerdict.OK
    assert classify(200, "", "a" * 301 + " page not found") is PageVerdict.OK
