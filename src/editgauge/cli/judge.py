"""`editgauge judge`: ask a vision-language model about outputs, by a benchmark's own protocol."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from editgauge.cli import judge_decide, judge_extras, judge_views
from editgauge.cli.groups import grouped
from editgauge.cli.judge_live import LiveLine
from editgauge.cli.judge_options import What, Who
from editgauge.cli.judge_requests import How, Money, Traffic
from editgauge.cli.judge_session import session
from editgauge.cli.options import JsonOpt

if TYPE_CHECKING:
    from editgauge.judging.session import Session

_EXAMPLE = (
    "Example: editgauge judge run textedit DATA --outputs OUTPUTS --run runs/my-model --model "
    "gpt-4o-2024-11-20 --budget 5"
)


class JudgeGroup(TyperGroup):
    """A group in which ``run`` may be left out: ``editgauge judge BENCH DATA``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        cls=JudgeGroup,
        no_args_is_help=True,
        rich_markup_mode=None,
        help="Ask a vision-language model about outputs. Without a command: run.",
    )
    group.command("run", epilog=_EXAMPLE)(run)
    judge_views.register(group)
    judge_extras.register(group)
    judge_decide.register(group)
    app.add_typer(group, name="judge")


@grouped
def run(
    what: What,
    who: Who,
    how: How,
    traffic: Traffic,
    money: Money,
    json: JsonOpt = False,
) -> None:
    """Judge outputs. Stops and continues at any point; a reply that was paid for is never paid for
    again.
    """
    from editgauge.store.addresses import address_of
    from editgauge.store.remote import working

    with (
        working(what.run) as here,
        session(replace(what, run=here), who, how, traffic, money) as opened,
    ):
        opened.named = address_of(what.run) or str(what.run)
        judge(opened, json)


def judge(opened: Session, json: bool) -> None:
    """Run a session, print what it did, and end with its exit code."""
    from editgauge.cli import common
    from editgauge.judging import command, estimate

    live = LiveLine(opened, quiet=json)
    asks = opened.options.budget is not None and not opened.options.offline
    if asks and (told := estimate.of_session(opened).bought):
        live.say(told)
    outcome = command.run(opened, progress=live.show, say=live.say, interruptible=True)
    live.end()
    if json:
        common.print_json(outcome.as_json())
    else:
        print("\n".join(outcome.lines()))
    common.warn(opened.todo.run)
    if outcome.interrupted:
        raise typer.Exit(130)
    if outcome.broke:
        raise typer.Exit(3)
    if outcome.without_score:
        raise typer.Exit(1)
