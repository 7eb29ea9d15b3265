"""Options of the commands that may work on many machines: where the work is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from editgauge.cli.options import WorkersOpt

if TYPE_CHECKING:
    from editgauge.run.workers import Workers


AddressOpt = Annotated[
    str,
    typer.Option(
        "--address",
        metavar="HOST:PORT",
        help="The Ray cluster; default: RAY_ADDRESS, else a Ray of its own on this machine.",
    ),
]


@dataclass(slots=True, kw_only=True)
class Placing:
    """Where the work is done, and by how many workers."""

    title: ClassVar[str] = "Where the work is done"
    workers: WorkersOpt = None
    engine: Annotated[
        str,
        typer.Option("--engine", help="Where the work is done: local (processes here) or ray."),
    ] = "local"
    address: AddressOpt = ""

    def open(self, devices: str = "") -> Workers:
        """A context manager. Raises as `run.workers.open_workers`."""
        from editgauge.cli import common
        from editgauge.run.workers import open_workers

        return open_workers(
            self.engine,
            workers=self.workers,
            cores=common.cores(),
            address=self.address,
            devices=devices,
            say=lambda text: typer.echo(text, err=True),
        )
