"""Texts proposed by a language model: instructions in plain words, paraphrases, descriptions of a
change. A person who sees the difference decides.

The model is asked through the judge's engine: its client, its store of replies (nothing is paid
for twice), its budget. What it says is a proposal beside the sample (`proposed`), never its text.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editgauge.curation.dataset import PRIVATE, DataSet
from editgauge.curation.privacy import unseen
from editgauge.errors import DataError, UsageError
from editgauge.instructions import quoted
from editgauge.judging.asking import Engine, Job, Settings
from editgauge.judging.cache import ReplyStore
from editgauge.judging.chat import Client
from editgauge.judging.models import check_alias
from editgauge.judging.options import JudgeOptions, price_for
from editgauge.judging.pictures import PictureStore
from editgauge.judging.protocol import Call, Picture, fenced
from editgauge.judging.reading import read
from editgauge.judging.rubrics import RubricFolder
from editgauge.judging.scores import ExchangeResult
from editgauge.services.booking import Ledger
from editgauge.store.hashes import HashStore
from editgauge.store.paid import Paid
from editgauge.types import Status
from editgauge.web.log import Act

PARTS: tuple[str, ...] = ("modality", "action", "entity", "region", "context")
"""Of a description of change (MedEBench, arXiv 2506.01921, appendix D.1)."""
_LONGEST = 2000
_RUBRICS = Path(__file__).parent / "rubrics"
_PURPOSE = "refining a data set"


@dataclass(slots=True, kw_only=True)
class Refined:
    """What came of asking."""

    proposed: list[str]
    """Samples that have a new proposal."""
    failed: dict[str, str]
    """Sample -> why there is none."""
    spent: float
    """US dollars of this command."""
    asked: int
    """Requests that were sent; the others were in the store."""
    stopped: str = ""
    """Why the budget ended it, or empty."""


def refine(
    data: DataSet, options: JudgeOptions, who: str, *, samples: Sequence[str] = (),
    paraphrases: int = 2, describe: bool = False, seed: int = 0,
) -> Refined:  # fmt: skip
    """Ask a model for each sample that has an instruction, and keep what it says as proposals.

    With `describe` it is shown both pictures of each pair and asked what changed; pictures that
    nobody has looked at are never sent. `seed` draws the paraphrase that becomes ``rephrased``.
    Raises `UsageError` for a budget without a price, `RunError` where no server answers.
    """
    if not 0 <= paraphrases <= 9:
        raise UsageError(f"--paraphrases {paraphrases}: wanted 0 to 9")
    check_alias(options.model, options.allow_alias)
    price = price_for(options)
    records = [data.record(s) for s in samples] if samples else data.records()
    made = Refined(proposed=[], failed={}, spent=0.0, asked=0)
    jobs = [
        Job(call, about={"sample": record["id"], "purpose": _PURPOSE}, payload=record)
        for record in records
        if (call := _call(data, record, paraphrases, describe, made)) is not None
    ]

    def done(job: Job, heard: ExchangeResult) -> None:
        identity = job.payload["id"]
        try:
            said = _said(job.call, heard)
            fields = _described(said) if describe else _rewritten(job.payload, said, seed)
        except DataError as error:
            made.failed[identity] = str(error)
            return
        _propose(data, identity, fields, options.model, who)
        made.proposed.append(identity)

    private = data.root / PRIVATE
    with ExitStack() as stack:
        paid = stack.enter_context(Paid(private / "paid.sqlite"))
        store = ReplyStore(paid.path, paid)
        if options.replies is not None:
            store = ReplyStore(options.replies, stack.enter_context(Paid(options.replies)))
        book = Ledger(paid, purpose=_PURPOSE, budget=options.budget)
        hashes = stack.enter_context(HashStore(private / "hashes.sqlite"))
        client = Client(options.base_url or None)
        stack.callback(client.close)
        settings = Settings(
            model=options.model,
            retry=frozenset({"failed"}),
            repair=False,
            concurrency=options.concurrency,
        )
        engine = Engine(client, store, PictureStore(hashes), settings, price=price, ledger=book)
        engine.run(jobs, done)
        made.spent, made.asked, made.stopped = engine.stats.spent, engine.stats.asked, engine.broke
    return made


def _call(
    data: DataSet, record: Mapping[str, Any], paraphrases: int, describe: bool, made: Refined
) -> Call | None:
    """The question about a sample; None, with the reason kept, where it cannot be asked."""
    instruction = (record.get("instruction") or "").strip()
    if not instruction:
        made.failed[record["id"]] = "no instruction"
        return None
    rubrics = RubricFolder(_RUBRICS)
    pictures: tuple[Picture, ...] = ()
    texts = {"instruction": fenced("instruction", instruction)}
    if describe:
        if not record.get("reference"):
            made.failed[record["id"]] = "no reference to compare with"
            return None
        if unseen(record):
            made.failed[record["id"]] = "a picture that nobody has looked at is not sent"
            return None
        shown = {"before": record["images"][0], "after": record["reference"]}
        pictures = tuple(Picture(data.path(path), name) for name, path in shown.items())
        fields = PARTS
    else:
        knowledge = record.get("knowledge")
        texts["knowledge"] = fenced("knowledge", knowledge) if knowledge else ""
        fields = ("instruction", *(f"paraphrase_{n + 1}" for n in range(paraphrases)))
    words, rubric = rubrics.render("describe" if describe else "refine", **texts)
    return Call(
        name="describe" if describe else "refine",
        parts=(words, *pictures),
        reply=dict.fromkeys(fields, str),
        metrics={},
        rubric=rubric,
    )


def _said(call: Call, heard: ExchangeResult) -> dict[str, str]:
    """The texts of a reply. Raises `DataError` with what is wrong with it."""
    if heard.status is not Status.SCORED or heard.last is None:
        raise DataError(heard.reason or "no reply")
    verdict = read(call, heard.last, cut_off=heard.cut_off)
    if verdict.problem:
        raise DataError(f"the reply cannot be read: {verdict.problem}")
    for name, text in verdict.words.items():
        if not text.strip() or len(text) > _LONGEST:
            raise DataError(f"the reply has no usable {name}")
    return {name: text.strip() for name, text in verdict.words.items()}


def _rewritten(record: Mapping[str, Any], said: Mapping[str, str], seed: int) -> dict[str, Any]:
    """Raises `DataError` for a text that lost what was quoted: it would ask for another edit."""
    wanted = {quote.text for quote in quoted(record["instruction"])}
    for text in said.values():
        lost = wanted - {quote.text for quote in quoted(text)}
        if lost:
            raise DataError(f"the model lost the quoted text {min(lost)!r}")
    others = [text for name, text in said.items() if name != "instruction"]
    made: dict[str, Any] = {"instruction": said["instruction"]}
    if others:
        made |= {"paraphrases": others, "rephrased": drawn(others, record["id"], seed)}
    return made


def drawn(texts: Sequence[str], identity: str, seed: int) -> str:
    """The text that a seed draws for a sample: the same in every run."""
    mark = hashlib.blake2b(f"{seed}\n{identity}".encode(), digest_size=8).digest()
    return texts[int.from_bytes(mark, "big") % len(texts)]


def _described(said: Mapping[str, str]) -> dict[str, Any]:
    """One sentence from the parts, by our template."""
    text = (
        f"Edit this {said['modality']} to show the {said['action']} of {said['entity']} in "
        f"{said['region']}; keep {said['context']} as it is."
    )
    return {"change": text}


def _propose(data: DataSet, identity: str, fields: Mapping[str, Any], model: str, who: str) -> None:
    def made(record: dict[str, Any]) -> Mapping[str, Any]:
        new = {name: text for name, text in fields.items() if record.get(name) != text}
        known = record.get("proposed") or {}
        return {"proposed": {**known, **new, "by": model} if new or known else None}

    data.update(identity, made, Act(who, "proposed"))


# -- a person decides ------------------------------------------------------------------------------


def difference(old: str, new: str) -> list[tuple[str, str]]:
    """What changed between two texts, word by word: (``same``, ``out`` or ``in``, text)."""
    one, two = old.split(" "), new.split(" ")
    pieces: list[tuple[str, str]] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(("same", " ".join(one[a:b])))
            continue
        if b > a:
            pieces.append(("out", " ".join(one[a:b])))
        if d > c:
            pieces.append(("in", " ".join(two[c:d])))
    return pieces


def proposals(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The open proposals of a sample: field, text, and the difference to what is there."""
    proposed = record.get("proposed") or {}
    found = []
    for name, text in proposed.items():
        if name == "by":
            continue
        now = record.get(name)
        old, new = (_text(value) for value in (now, text))
        found.append({"field": name, "by": proposed.get("by", ""), "pieces": difference(old, new)})
    return found


def decide(
    data: DataSet, sample: str, version: int, name: str, take: bool, who: str, *, nonce: str = ""
) -> dict[str, Any]:
    """Take a proposal over into the sample, which is then refined, or put it away. Raises
    `Conflict`, and `UsageError` where there is no such proposal.
    """
    record = data.record(sample)
    proposed = dict(record.get("proposed") or {})
    if name == "by" or name not in proposed:
        raise UsageError(f"{sample}: nothing is proposed for {name!r}")
    text = proposed.pop(name)
    left = proposed if set(proposed) - {"by"} else None
    fields: dict[str, Any] = {"proposed": left}
    if take:
        fields |= {name: text, "state": "refined"}
    what = "taken over" if take else "put away"
    return data.change(sample, version, fields, Act(who, what, name, nonce))


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(str(item) for item in value)
    return str(value or "")
