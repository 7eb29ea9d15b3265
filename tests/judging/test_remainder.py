"""`remainder`: what a reply says beside its verdict must be accounted for, or it is flagged."""

from __future__ import annotations

import pytest

from editgauge.judging.objects import Pairs
from editgauge.judging.remainder import LONGEST, Place, Verdicts, against, rival_in, unexplained


def left(text: str, given: int = 4, place: Place = Place.REASON) -> str:
    """What is not accounted for beside one verdict of `given` on a scale from 0 to 5."""
    return unexplained(text, Verdicts({given}, 0, 5), place)


@pytest.mark.parametrize(
    "text",
    [
        "2 letters are blurred and the price changed from $5 to $3",
        'the sign reads "3" in line 2',
        "Three of the legs are fused; one arm is missing.",
        "The word is soft, hence 4.",
        "Not quite a 5 because of the halo.",
        "One point is deducted for the smear.",
        "The original background is kept; the shadow should fall to the left.",
        "Compared with the reference, the letters are 3 px wider.",
        "Der Hintergrund ist unverändert, eine Blume fehlt.",
        "背景不变，少了一朵花。",
        "As asked.",
    ],
)
def test_what_is_seen_is_accounted_for(text: str) -> None:
    assert left(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "The logo is missing, hence 3.",
        "A 3 is honest.",
        "Two points are deducted for the smear.",
        "I was shown the prompt alone.",
        "This was meant for the reference.",
        "A throwaway to make the parser happy.",
        "Flibber wobbet gronk.",
        "Lower, given the smear.",
        "Should be one notch down.",
        "Eigentlich nur 2 Punkte.",
        "其实只值2分。",
        "Ставлю 2.",
        "Scrap that.",
        "½ of the letters",
    ],
)
def test_what_nobody_explained_is_left_over(text: str) -> None:
    assert left(text) != ""
    assert left(text, place=Place.BEHIND) != ""


def test_before_a_verdict_only_other_scores_and_guesses_count() -> None:
    assert left("Let me look at both pictures step by step.", place=Place.BEFORE) == ""
    assert "3" in left("I rate the edit 3 of 5.", place=Place.BEFORE)
    assert "pretend" in left("Let me pretend that it loaded.", place=Place.BEFORE)


def test_behind_a_verdict_a_conclusion_and_the_judge_itself_are_left_over() -> None:
    assert left("The word is gone and the background intact.", place=Place.BEHIND) == ""
    assert left("The arrow changed, so it is not complete.", place=Place.BEHIND)
    assert left("I see a second sign.", place=Place.BEHIND)
    assert left("Let me know if you need anything else!", place=Place.BEHIND) == ""


def test_a_text_that_is_no_reason_is_left_over() -> None:
    assert left("the sign is sharp. " * LONGEST)
    assert left("sharp.\n" * 1000)


def test_every_text_of_a_reply_is_weighed() -> None:
    verdicts = Verdicts({4}, 0, 5)
    fine = "The sign is sharp."
    assert against([fine], [fine], [fine], fine, fine, verdicts) == ""
    assert "own words" in against(["Rather 2."], [], [], "", "", verdicts)
    assert "after it was given" in against([fine], [], [], "", "Rather 2.", verdicts)
    assert "after it was given" in against([fine], [], ["void"], "", "", verdicts)


@pytest.mark.parametrize(
    ("pairs", "rival"),
    [
        ([("IF", 4), ("max", 5), ("confidence", 3)], ""),
        ([("IF", 4), ("details", Pairs([("moved", 2)]))], ""),
        ([("IF", 4), ("second_opinion", 3)], "second_opinion: 3"),
        ([("IF", 4), ("score", 2)], "score: 2"),
        ([("IF", 4), ("strict", Pairs([("reading", "2")]))], "reading: 2"),
        ([("IF", 4), ("votes", [4, 2, 2])], "votes: a list of numbers"),
    ],
)
def test_a_number_under_another_key_is_a_rival(pairs: list[tuple[str, object]], rival: str) -> None:
    assert rival_in(Pairs(pairs), frozenset({"if"}), Verdicts({4}, 0, 5)) == rival
