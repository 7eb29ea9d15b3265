"""Make the weights of words by which `editgauge.judging.likeness` flags a reply.

    python tools/reply_words.py            write them
    python tools/reply_words.py --left-out say what replies that are left out of the making get

The labelled replies are those of tests/judging/replies: clear ones, whose number holds, and traps,
where none does (replies where both is right are left out, and so are the ordinary ones, which stay
a check). Each term of at least two replies is a yes or no. Its weight is found by a logistic
regression with the two labels at equal weight, a penalty on squares and no constant, since a reply
without words speaks neither way; a term is penalised the less, the more its share differs between
the labels (S. Wang and C. Manning, "Baselines and Bigrams", ACL 2012). The limit is what `FLAGGED`
of the clear replies lie above when their set is left out.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.judging import (  # noqa: E402
    reply_corpus,
    reply_corpus_fifth,
    reply_corpus_fourth,
    reply_corpus_second,
    reply_corpus_seventh,
    reply_corpus_sixth,
    reply_corpus_third,
)
from tests.judging.held_out import HELD_OUT, PAIRS, SETS, held_out, of_set  # noqa: E402
from tests.judging.reply_corpus import SCORE, Case  # noqa: E402
from tests.judging.test_blindness import BLIND, SEEING  # noqa: E402

from editgauge.judging import likeness  # noqa: E402
from editgauge.judging.likeness import Weights, terms_of  # noqa: E402

CORPORA = (
    reply_corpus.all_cases,
    reply_corpus_second.second_cases,
    reply_corpus_third.third_cases,
    reply_corpus_fourth.fourth_cases,
    reply_corpus_fifth.fifth_cases,
    reply_corpus_sixth.sixth_cases,
    reply_corpus_seventh.seventh_cases,
)
FLAGGED = 0.03
"""Share of the clear replies of sets left out that may be flagged; see ``--left-out``."""
STRENGTH = 0.3
"""Inverse of the penalty on squares, found by leaving sets out; 0.1 to 1 do as well."""
PARTS = 10
SMALL = 0.05
"""Weights below this are left out of the file."""


def labelled() -> dict[str, list[Case]]:
    """The replies by the name of their set, clear ones and traps without any number."""
    sets = {name: list(of_set(name)) for name in (*SETS, *PAIRS)}
    sets |= {name: list(held_out(name)) for name in HELD_OUT}
    sets |= {cases.__name__: unique(cases()) for cases in CORPORA}
    sets["seeing"] = [plain(sentence, clear=True) for sentence in SEEING]
    sets["blind"] = [plain(sentence, clear=False) for sentence in BLIND]
    return {
        name: [case for case in cases if case.clear or is_trap(case)]
        for name, cases in sets.items()
    }


def unique(cases: Sequence[Case]) -> list[Case]:
    """One case for each set of terms: some are made from templates."""
    return list({(frozenset(terms_of(case.reply)), case.clear): case for case in cases}.values())


def plain(reason: str, *, clear: bool) -> Case:
    reply = json.dumps({"reason": reason, "score": 1}, ensure_ascii=False)
    return Case("reason", reply, SCORE, (frozenset({1} if clear else {None}),), clear)


def is_trap(case: Case) -> bool:
    return all(allowed == {None} for allowed in case.allowed)


def digest(sets: dict[str, list[Case]]) -> str:
    """What the labelled replies are: a hash over them, their labels and their terms."""
    told = [
        [case.reply, case.clear, sorted(terms_of(case.reply))]
        for name in sorted(sets)
        for case in sets[name]
    ]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def fitted(cases: Sequence[Case]) -> Weights:
    """The weights that tell the clear ones from the traps among `cases`; no limit."""
    found = [terms_of(case.reply) for case in cases]
    trap = np.array([not case.clear for case in cases])
    counts = Counter(term for terms in found for term in terms)
    names = sorted(term for term, count in counts.items() if count > 1)
    column = {name: at for at, name in enumerate(names)}
    at = [[column[term] for term in sorted(terms) if term in column] for terms in found]
    shape = (len(cases), len(names))
    rows = np.repeat(np.arange(len(cases)), [len(each) for each in at])
    has = csr_array((np.ones(len(rows)), (rows, np.concatenate(at).astype(int))), shape=shape)
    in_traps, in_clear = 1 + has[trap].sum(axis=0), 1 + has[~trap].sum(axis=0)
    scale = 0.1 + abs(np.log(in_traps / in_traps.sum() * in_clear.sum() / in_clear))
    features = has.multiply(scale).tocsr()
    sign = np.where(trap, 1.0, -1.0)
    share = np.where(trap, 0.5 / trap.mean(), 0.5 / (~trap).mean())

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margin = sign * (features @ weights)
        value = STRENGTH * share @ np.logaddexp(0, -margin) + weights @ weights / 2
        slope = -STRENGTH * share * sign / (1 + np.exp(np.minimum(margin, 500)))
        return value, features.T @ slope + weights

    best = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B").x
    return Weights(float("inf"), dict(zip(names, (best * scale).tolist(), strict=True)))


def left_out(sets: dict[str, list[Case]]) -> tuple[list[float], list[float]]:
    """The weights of the clear replies and of the traps, each by what the other sets make."""
    names = list(sets)
    clear, traps = [], []
    for part in range(PARTS):
        own = names[part::PARTS]
        known = fitted([case for name in names if name not in own for case in sets[name]])
        for case in (case for name in own for case in sets[name] if name.startswith("set_")):
            (clear if case.clear else traps).append(known.of(case.reply))
    return clear, traps


def main(words: list[str]) -> int:
    sets = labelled()
    clear, traps = left_out(sets)
    limit = round(float(np.quantile(clear, 1 - FLAGGED)), 2)
    if words == ["--left-out"]:
        for share in (0.01, 0.02, FLAGGED, 0.04, 0.05):
            beyond = np.quantile(clear, 1 - share)
            told = np.mean(np.array(traps) > beyond)
            print(f"{share:.0%} of {len(clear)} clear, {told:.0%} of {len(traps)} traps")
        return 0
    known = fitted([case for cases in sets.values() for case in cases])
    terms = {name: round(value, 2) for name, value in sorted(known.terms.items())}
    table = {
        "made_by": "tools/reply_words.py",
        "replies": digest(sets),
        "limit": limit,
        "terms": {name: value for name, value in terms.items() if abs(value) >= SMALL},
    }
    text = json.dumps(table, ensure_ascii=False, indent=0)
    (Path(likeness.__file__).parent / likeness.FILE).write_text(text + "\n", encoding="utf-8")
    print(f"{len(table['terms'])} terms, limit {limit}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
