"""Options of `editgauge tune`: how it trains (see `groups`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

if TYPE_CHECKING:
    from editgauge.tuning.training import Recipe


@dataclass(slots=True, kw_only=True)
class Training:
    """How a U-Net is trained."""

    title: ClassVar[str] = "Training"
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of split and training.")] = 0
    steps: Annotated[
        int, typer.Option("--steps", min=1, help="Updates for each training sample.")
    ] = 50
    rate: Annotated[
        float | None, typer.Option("--rate", help="Learning rate; default 5e-5, with --lora 1e-4.")
    ] = None
    resolution: Annotated[
        int, typer.Option("--resolution", min=8, help="Longer side of the training pictures.")
    ] = 512
    precision: Annotated[str, typer.Option("--precision", help="float32, bfloat16 or float16.")] = (
        "float32"
    )
    accumulate: Annotated[
        int, typer.Option("--accumulate", min=1, help="Samples whose gradients make one update.")
    ] = 1
    dropout: Annotated[
        float,
        typer.Option("--dropout", help="Share of draws without words, without picture, both."),
    ] = 0.05
    lora: Annotated[
        int, typer.Option("--lora", min=0, help="Train LoRA of this rank; 0: all weights.")
    ] = 0
    schedule: Annotated[
        str, typer.Option("--schedule", help="Of the rate: constant, linear or cosine.")
    ] = "constant"
    warmup: Annotated[
        int, typer.Option("--warmup", min=0, help="Updates until the rate is full.")
    ] = 0
    every: Annotated[
        int,
        typer.Option("--checkpoint-every", min=1, help="Updates between two checkpoints."),
    ] = 100

    def recipe(self) -> Recipe:
        """The options as a training takes them."""
        from editgauge.tuning.training import RATES, recipe_of

        rate = RATES["lora" if self.lora else "all"] if self.rate is None else self.rate
        same = ("resolution", "precision", "accumulate", "dropout", "lora", "schedule", "warmup")
        values = {name: getattr(self, name) for name in (*same, "seed")}
        return recipe_of({**values, "steps_a_sample": self.steps, "rate": rate})
