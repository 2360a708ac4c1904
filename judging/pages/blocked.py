"""Is this page what the URL promised, or a wall in front of it? Pure.

Status first. Words condemn a page only if it shows little text: an article about captchas is no captcha.
"""

from __future__ import annotations

import re

from judging.pages.captures import PageVerdict

__all__ = ["classify", "verdict_of_status"]

_BLOCKED = frozenset(
    {401, 403, 407, 429, 451, 503, 999}
)  # 999: what one network answers to all it takes for robots
_NOT_FOUND = 404  # 410 stays error_status: the scoring rules name it so

_HEAD = 3000  # characters of the text that are searched
_EMPTY = 40  # bytes of UTF-8: a dozen Chinese characters can be a whole answer, a dozen letters cannot
_CHALLENGE_BELOW = 4000
_WALL_BELOW = 2500
_MISSING_BELOW = 1500
_MISSING_HEAD = 300
_CONSENT_PHRASES = 2
_CONTENT = 600  # characters in lines that are not about consent: a page with a banner, not a wall


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_CHALLENGE = _any_of(
    r"just a moment\.\.\.|attention required! \| cloudflare|performing security verification",
    r"checking (?:if the site connection is secure|your browser)|ddos protection by|please stand by, while we",
    r"enable javascript and cookies to continue|enable js and disable any ad ?blocker",
    r"pardon our interruption|access to this page has been denied|request unsuccessful\. incapsula",
    r"(?:verify|confirm|prove)(?: that)? you(?: are|'re|’re) (?:a )?(?:human|not a (?:ro)?bot)",
    r"are you a robot|robot or human|i'?m not a robot|making sure you(?:'|’)re not a bot|press (?:and|&) hold",
    r"unusual (?:traffic|activity) from your|automated (?:access|queries|requests) (?:to|from)",
    r"(?:type|enter) the characters you see|whoa there, pardner|human verification|security check to access",
    r"you don'?t have permission to access [\s\S]{0,200}reference #|your access to this (?:site|service) has been limited",
    r"请完成安全验证|安全验证|人机验证|访问验证|私は人間です|ロボットではありません|я не робот|sicherheitsüberprüfung",
)
_LOGIN = _any_of(
    r"\b(?:log ?in|sign ?in|create (?:an )?account|register) to (?:continue|view|see|read|access)(?! (?:the |all )?comments?)",
    r"you must (?:be|have) (?:logged|signed) ?in to (?!(?:post|leave|write|add|reply|comment))",
    r"this content is for (?:\w+ )?(?:subscribers|members)|your session has expired",
    r"subscribe to (?:continue|read|unlock)|already a subscriber\?",
    r"登录后(?:可|才|即可|才能)?(?:查看|阅读|继续|浏览|访问)|ログインしてください|ログインが必要|войдите, чтобы (?:продолжить|читать)",
    r"bitte melden sie sich an, um|connectez-vous pour (?:continuer|lire|voir)",
)
_CONSENT = _any_of(
    r"we (?:and our (?:\d+ )?partners )?(?:use|value|store)\b|(?:accept|reject|decline|allow) (?:all|optional|cookies)",
    r"cookie (?:policy|consent|preferences|settings)|before you continue to|manage (?:my )?(?:choices|preferences|options)",
    r"wir verwenden cookies|alle akzeptieren|akzeptieren und weiter|nous utilisons des cookies|tout (?:accepter|refuser)",
)
_ABOUT_CONSENT = _any_of(
    r"cookie|consent|privacy|partner|advert|personali[sz]|your data|datenschutz|accept|reject|einwillig"
)
_MISSING = _any_of(
    r"^\W*404\b|\berror:? 404\b|\b404:? (?:error|not found|page)|http 404",
    r"page (?:was |is )?(?:not|cannot be|could not be|can'?t be) found|page you(?:'re| are|’re) looking for|page you requested",
    r"no longer (?:available|exists)|does(?:n't|n’t| not) exist|not available anymore",
    r"ページが見つかりません|页面不存在|页面未找到|您访问的页面|頁面不存在|seite (?:wurde )?nicht gefunden|page (?:introuvable|non trouvée)",
    r"página no encontrada|страница не найдена",
)
_PARKED = _any_of(
    r"(?:this |the )?domain(?: name)?(?: \S+)? (?:is|may be) for sale|buy this domain|domain (?:is )?parked|parked (?:free|domain)",
    r"courtesy of godaddy|sedo(?:'s)? domain parking|hugedomains|this web page is parked|interested in (?:buying )?this domain",
    r"域名(?:出售|转让)|このドメインは.{0,20}(?:販売|売り出)|diese domain (?:steht|kaufen)",
)


def verdict_of_status(status: int) -> PageVerdict:
    """What an HTTP status alone says; ``ok`` means that the page decides."""
    if status in _BLOCKED:
        return PageVerdict.BLOCKED_STATUS
    if status == _NOT_FOUND:
        return PageVerdict.NOT_FOUND
    if status in (204, 205):
        return PageVerdict.EMPTY
    return PageVerdict.OK if 200 <= status < 300 else PageVerdict.ERROR_STATUS


def classify(status: int, title: str, text: str) -> PageVerdict:
    """The verdict on an HTML page, by its status and what a reader sees of it."""
    by_status = verdict_of_status(status)
    if by_status is not PageVerdict.OK:
        return by_status
    text = text.strip()
    head = f"{title}\n{text[:_HEAD]}"
    if len(text) < _CHALLENGE_BELOW and _CHALLENGE.search(head):
        return PageVerdict.CHALLENGE
    if len(text.encode("utf-8", "replace")) < _EMPTY:
        return PageVerdict.EMPTY
    if len(text) < _MISSING_BELOW and _PARKED.search(head):
        return PageVerdict.PARKED
    if len(text) < _MISSING_BELOW and (_MISSING.search(title) or _MISSING.search(text[:_MISSING_HEAD])):
        return PageVerdict.SOFT_404
    return _wall(head) if len(text) < _WALL_BELOW else PageVerdict.OK


def _wall(head: str) -> PageVerdict:
    if _LOGIN.search(head):
        return PageVerdict.LOGIN_WALL
    content = sum(len(line) for line in head.splitlines() if not _ABOUT_CONSENT.search(line))
    if len(_CONSENT.findall(head)) >= _CONSENT_PHRASES and content < _CONTENT:
        return PageVerdict.CONSENT_WALL
    return PageVerdict.OK
