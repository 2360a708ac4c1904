"""The only door to the internet: a guard that judges every connection, and a bounded GET through it.

No models, no Django: whatever fetches (pages, search, webhooks) imports this package and nothing else that
opens a socket. What the operator configured, and nobody else can name, is asked without the guard (:class:`Service`).
"""

from submissions.egress.door import Door
from submissions.egress.fetch import Fetched, FetchLimits, Outcome, get
from submissions.egress.guard import Guard
from submissions.egress.ledger import GuardLimits, Refusal, RefusalKind
from submissions.egress.outside import Dialer, NoSuchHost, Resolver, ResolverFailed
from submissions.egress.policy import SPECIAL_NAMES, Denied, Policy, Target
from submissions.egress.probe import known_good_answers
from submissions.egress.services import Failure, Service, ServiceFailed, ServiceLimits

__all__ = [
    "SPECIAL_NAMES",
    "Denied",
    "Dialer",
    "Door",
    "Failure",
    "FetchLimits",
    "Fetched",
    "Guard",
    "GuardLimits",
    "NoSuchHost",
    "Outcome",
    "Policy",
    "Refusal",
    "RefusalKind",
    "Resolver",
    "ResolverFailed",
    "Service",
    "ServiceFailed",
    "ServiceLimits",
    "Target",
    "get",
    "known_good_answers",
]
