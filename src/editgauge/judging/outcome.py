"""What a judge command did, for people and for programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from editgauge.judging.asking import Stats
from editgauge.judging.session import Session
from editgauge.types import JUDGE_SCORER as SCORER
from editgauge.types import Status


def facts(stats: Stats) -> dict[str, Any]:
    """The counts of a run as JSON."""
    return {
        "done": stats.done,
        "requests": stats.asked,
        "from_store": stats.stored,
        "unasked": stats.unasked,
        "refused": stats.refused,
        "failed": stats.failed,
        "unparsable": stats.unparsable,
        "repaired": stats.repaired,
        "cut_off": stats.cut_off,
        "tokens_in": stats.tokens_in,
        "tokens_cached": stats.tokens_cached,
        "tokens_out": stats.tokens_out,
        "dollars": round(stats.spent, 6),
        "dollars_unbilled": round(max(0.0, stats.unbilled), 6),
    }


@dataclass(slots=True)
class Outcome:
    """What a judge command did."""

    session: Session
    complete: bool
    interrupted: bool
    notes: list[str] = field(default_factory=list)

    @property
    def broke(self) -> str:
        """Why the budget ended the command, or empty."""
        return self.session.todo.engine.broke

    @property
    def without_score(self) -> int:
        """Metrics of edits that have no score, those that were not asked included."""
        fine = (Status.SCORED.value, Status.NOT_APPLICABLE.value)
        return self.session.todo.engine.stats.unasked + sum(
            n
            for (_, _, _, variant), counter in self.session.todo.summary.counts.items()
            if variant == "corrected"
            for status, n in counter.items()
            if status not in fine
        )

    def as_json(self) -> dict[str, Any]:
        todo, stats = self.session.todo, self.session.todo.engine.stats
        return {
            "run": self.session.named,
            "benchmark": todo.benchmark,
            "judge": todo.source,
            "answered": todo.engine.answered,
            "complete": self.complete,
            "interrupted": self.interrupted,
            "over_budget": bool(self.broke),
            **facts(stats),
            "dollars_of_run": round(todo.engine.ledger.totals.booked, 6),
            "refused_by_category": todo.refused,
            "rows_made": todo.summary.computed,
            "rows_kept": todo.summary.kept,
            "without_score": self.without_score,
            "counts": [
                {"editor": e, "metric": m, "variant": v, "statuses": dict(counter)}
                for (e, _, m, v), counter in sorted(todo.summary.counts.items())
            ],
            "notes": self.notes,
        }

    def lines(self) -> list[str]:
        todo = self.session.todo
        out = []
        for editor, counts in sorted(self._samples().items()):
            told = ", ".join(
                f"{n} {status.replace('_', ' ')}" for status, n in Counter(counts).most_common()
            )
            out.append(f"{editor}, samples: {told}")
        out += [f"refused in {category}: {n}" for category, n in sorted(todo.refused.items())]
        out += [f"note: {note}" for note in self.notes]
        out += self._money()
        out.append(f"{todo.summary.computed} new rows, {todo.summary.kept} reused")
        if unasked := todo.engine.stats.unasked:
            out.append(
                f"{unasked} calls are not in the reply store and were not asked: they have no row"
            )
        out.append(f"rows:  {self.session.named}")
        return [*out, self._ending()]

    def _samples(self) -> dict[str, dict[str, int]]:
        """editor -> status -> samples, of the editors that this command looked at."""
        todo = self.session.todo
        among = [sample.id for sample in self.session.samples]
        counts = todo.run.samples_by_status(
            todo.benchmark, [SCORER], among=among, source=todo.source, variant="corrected"
        )
        editors = {key[0] for key in todo.summary.counts}
        return {editor: found for editor, found in counts.items() if editor in editors}

    def _money(self) -> list[str]:
        todo, stats = self.session.todo, self.session.todo.engine.stats
        answered = todo.engine.answered
        other = answered and answered != self.session.options.model
        out = [f"judge: {todo.source}{f' (answered by {answered})' if other else ''}"]
        money = ", costs not counted: no price is known (--price IN/OUT)"
        if self.session.price is not None:
            money = ""
        if self.session.price is not None and not self.session.price.free:
            money = f", {stats.spent:.4f} US dollars"
            if stats.unbilled > 5e-5:
                money += f" ({stats.unbilled:.4f} of it estimated: no usable bill came)"
        out.append(
            f"{stats.asked} requests, {stats.stored} replies from the store, {stats.tokens_in:,} "
            f"tokens in, {stats.tokens_out:,} out{money}"
        )
        if self.session.price and (total := todo.engine.ledger.totals.booked) > stats.spent + 5e-5:
            out.append(f"{total:.4f} US dollars for judging in this run, all commands together")
        return out

    def _ending(self) -> str:
        if self.broke:
            return self.broke
        if self.interrupted:
            return "stopped; the same command goes on from here"
        if self.session.options.offline and not self.complete:
            return "next:  the same command without --offline asks what is missing"
        if not self.complete:
            return "stopped; the same command goes on from here"
        todo = self.session.todo
        return f"next:  editgauge table {self.session.named} --benchmark {todo.benchmark}"
