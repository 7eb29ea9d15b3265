"""What an instruction asks for: operations, and the texts that they are about."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Literal

from editgauge.editors.typeset.colours import Colour
from editgauge.editors.typeset.phrases import Description
from editgauge.editors.typeset.vocabulary import Manner

Kind = Literal[
    "change", "insert", "delete", "move", "swap", "resize", "recolour", "rotate", "restyle"
]
Role = Literal["title", "all", "only", "single"]


@dataclass(frozen=True, slots=True)
class Span:
    """The letters `start` to `end` of line number `line`."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Target:
    """Which text is meant: by its words, by its role in the picture, or by a description; the
    others are None. `spans`: where those words stand, once that is known. `inside`: a longer text
    that it is a part of.
    """

    text: str | None = None
    _: KW_ONLY
    role: Role | None = None
    description: Description | None = None
    spans: tuple[Span, ...] = ()
    inside: str | None = None

    def __str__(self) -> str:
        if self.description is not None:
            return repr(self.description.told)
        return repr(self.text) if self.text is not None else f"the {self.role} text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One thing to do. Which fields are set follows from `kind`:

    change: `targets` (one), `text`, and perhaps `colour`. insert: `text` and `place`, or `place`
    relative to `targets` (one; two for ``between``), and perhaps `colour` and `amount` (its size as
    a factor). delete: `targets` (one or more). move: `targets` and `place` (a corner, a side, a
    direction, or before, after, above, below `anchor`), `amount` in pixels if told, or `share`, a
    part of the picture's width or height. swap: two targets. resize: `targets` and `amount`
    (factor), or `anchor` (as wide as that text). recolour: `targets` and `colour`, or that of
    `anchor`. rotate: `targets`, `amount` in degrees, positive = counterclockwise. restyle:
    `targets` and `manner`. `slight`: by less than usual. `centred`: move across the picture, resize
    about its own centre. `perhaps_there`: an insertion that is a move where the picture has the
    text ("put A at the top").
    """

    kind: Kind
    targets: tuple[Target, ...] = ()
    text: str | None = None
    place: str | None = None
    amount: float | None = None
    colour: Colour | None = None
    anchor: Target | None = None
    manner: Manner | None = None
    slight: bool = False
    share: float | None = None
    centred: bool = False
    perhaps_there: bool = False
