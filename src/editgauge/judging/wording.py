"""The wording of judges' replies: what marks an example, a template, a condition, a refusal, or
thinking aloud.

Patterns only: which of them matters where is decided in `answers`. They lean to one side: a phrase
that could mean that a number is not the judge's own verdict counts as such, because a second call
is cheaper than a wrong score.
"""

from __future__ import annotations

import re

PLACEHOLDER = re.compile(
    r"(?:\.{2,}|…|<[^<>]*>|\[[^\[\]]*\]|x+|n|k|\?+|int|integer|number|score|str|string|text|reason(?:ing)?|rationale"
    r"|explanation|your\b.{0,40}|\d+\s*(?:-|–|—|to|\.\.|\|)\s*\d+|\d+(?:\s*[,|/]\s*\d+){2,}"
    r"|(?:an? )?(?:int(?:eger)?|number|score)\b.{0,40}\d+\s*(?:-|–|—|to|and)\s*\d+.{0,10}"
    r"|(?:your|a|the)?\s*(?:short|brief|concise|one-sentence)?\s*(?:reason(?:ing)?|rationale|explanation)"
    r"(?:\s+(?:here|goes here|of .{0,40}|for .{0,40}|why .{0,40}))?)\Z",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\b(?:for example|examples?|for instance|template|schema|(?:a|the) sample\b|sample "
    r"(?:output|answer"
    r"|json|re\w+)|hypothetical\w*|placeholder"
    r"|for reference|possible|allowed|valid "
    r"answers?|options|levels?|scale|drafts?|scratchpad|thinking|tentativ\w+"
    r"|impressions?|guess\w*|assum\w+|random\w*|arbitrar\w+|default|dummy|pretend\w*|simulat\w+"
    r"|wants? me|(?:told|asked|supposed|ordered|instructed|requested|trying|tries|demands?|wants?) "
    r"(?:me |you |us )?to"
    r"|you asked|instructions? "
    r"(?:say|ask|was|were)|rubric|ignor\w+|inject\w*|previous\w*|earlier|initial\w*"
    r"|(?:another|other|second) (?:judge|model)"
    r"|(?:image|picture|photo|sign|caption|poster|banner|label|text|watermark|overlay|it|which|that)s? "
    r"(?:\w+ "
    r"){0,3}(?:says?|saying|reads?|reading|contains?|states?|tells?|instructs?|shows?|commands?|asks?)"
    r"|(?:written|printed|embedded|hidden|visible|overlaid) (?:text|in|on|instruction))\b",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    r"\b(?:such as|instead of|rather than|would|could|should|might|had the|if|not|never|unless)\b",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    r"(?:\bhere(?:'s| "
    r"is)|\bverdict|\bevaluation|\bassessment|\bfinal|\bconclusion|\btherefore|\bresult"
    r"|\bmy (?:answer|score|rating|judge?ment))\b[^.!?]{0,40}\Z",
    re.IGNORECASE,
)
_DISOWNED = re.compile(
    r"[ \t`]*(?:=|:|->|→|means?\b|stands\b|represents?\b|indicates?\b|corresponds?\b|for (?:a "
    r"|the )?(?:perfect|best|worst)"
    r"|would|could|might|(?:is|was) (?:the |an? |what |not |only |just |wrong)"
    r"|\((?:example|format|template|sample|not))",
    re.IGNORECASE,
)
_WEAKLY_CITED = re.compile(r"\b(?:format|structure|syntax|form|shape)\b", re.IGNORECASE)
REASON_KEY = re.compile("reason|rational|explan|comment", re.IGNORECASE)
BLIND = re.compile(
    r"\b(?:can(?:'|’)?t|cannot|can not|could not|couldn(?:'|’)?t|unable to|not able to|did "
    r"not|didn(?:'|’)?t) (?:\w+ )?"
    r"(?:see|view|access|open|load|receive|find) (?:the |any |these |this |your |both |either "
    r"|actual )?"
    r"(?:images?|pictures?|photos?|attachments?|files?)\b|\bno (?:images?|pictures?) "
    r"(?:was|were|is|are"
    r"|provided|attached)\b",
    re.IGNORECASE,
)
"""A judge that saw nothing: whatever number it gives is none."""
REFUSAL = re.compile(
    r"\b(?:i(?:'|’)?m sorry|i am sorry|sorry,|i can(?:'|’)?t|i cannot|i can not|i(?:'|’)?m (?:not "
    r"able|unable)"
    r"|i am (?:not able|unable)|i won(?:'|’)?t|unable to (?:help|assist|comply|process|provide"
    r"|evaluate|assess|view|rate|judge))",
    re.IGNORECASE,
)
_THINKING = re.compile(
    r"\s*<(think|thinking|thought|reasoning|analysis|scratchpad)>", re.IGNORECASE
)


def is_cited(before: str, refused: bool, after: str = "") -> bool:
    """Whether the words around an object or line say that it is an example, a condition, or
    something seen.
    """
    lead = re.sub(r"\be\.\s?g\.?,?", "for example", before[-160:])
    lead = lead if len(before) <= 160 else lead.partition(" ")[2]
    if _DISOWNED.match(after) or lead.rpartition("\n")[2].lstrip().startswith(">"):
        return True  # taken back, or a quotation in Markdown
    lead = re.split(r"(?<=[.!?])\s+|\n\s*\n", re.sub(r"```\w*|[`*_#]", " ", lead).rstrip())[-1]
    if lead.endswith((".", "!", "?")):  # a finished sentence introduces nothing, unless it says so
        return (
            re.search(r"\b(?:example|template|placeholder|schema)\b", lead, re.IGNORECASE)
            is not None
        )
    if re.fullmatch(r"\s*(?:\w+ ){0,2}(?:format|structure|syntax|form)\s*:?", lead, re.IGNORECASE):
        return True
    if _QUOTED.search(lead) or (refused and _WEAKLY_CITED.search(lead)):
        return True
    return _DOUBTED.search(lead) is not None and _ANNOUNCED.search(lead) is None


def without_thinking(reply: str) -> str | None:
    """The reply after the judge's thinking block; None when the block never ends."""
    if "<|channel|>" in reply:  # channels of some open models: only the final one is an answer
        _, final, answer = reply.rpartition("<|channel|>final<|message|>")
        return answer if final else None
    opening = _THINKING.match(reply)
    if opening:
        tag = opening.group(1)
        parts = re.split(rf"</{tag}>", reply, flags=re.IGNORECASE)
        return parts[-1] if len(parts) > 1 else None
    closing = list(re.finditer(r"</(?:think|thinking|thought|reasoning)>", reply, re.IGNORECASE))
    return reply[closing[-1].end() :] if closing else reply
