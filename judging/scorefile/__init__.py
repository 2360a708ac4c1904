"""Score files: one task's verdicts a line as JSON, in either protocol. Pure: no Django, no settings.

``{"key": …, "protocol": "rubric_tree", "tree": {id, description, critical, mode, children | verdict}}`` or
``{"key": …, "protocol": "cascade", "subtasks": [{id, importance, instruction: [{verdict}],
factuality: [{claims: […]} | {verdict}], rationality: [{verdict}]}], "profile": {…}}``. A verdict or claim that
was not judged is null. Keys that only describe (``title``, ``comment``, …) may stand anywhere; any other
unknown key is refused, since a misspelt ``critical`` would change a score.
"""

from judging.scorefile.lines import Refused, Scored, score_lines
from judging.scorefile.strict import Fault

__all__ = ["Fault", "Refused", "Scored", "score_lines"]
