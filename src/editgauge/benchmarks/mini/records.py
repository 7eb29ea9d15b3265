"""What is known about each sample of the built-in benchmark. Light: nothing here draws or imports
what draws.

Each is shaped like a sample of one of the four benchmarks (attribute ``protocol``): a text edit
with masks and the ten difficulty attributes (``texteditbench``), one with source text, target text
and caption (``textedit``), a medical edit with organ, task and region (``medebench``), or one that
needs knowledge, several pictures or frames (``krisbench``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

TEN = (
    "num_text_regions",
    "text_length",
    "font_complexity",
    "language",
    "surface_geometry",
    "occlusion",
    "context_dependency",
    "background_clutter",
    "task_category",
    "semantic_linkage",
)
"""Each 0, 1 or 2; their sum is the difficulty: easy to 5, medium to 10, hard above."""
SPLITS = ("plain", "textured")
"""Flat grounds and gradients; grain, wood, walls and photographs."""


@dataclass(frozen=True, slots=True)
class Record:
    """One sample. `draw` names the function that draws it (``module:function``), called with False
    and True.
    """

    id: str
    draw: str
    protocol: str
    split: str
    topic: str
    instruction: str
    scores: str
    """The ten difficulty attributes, a digit each, in the order of `TEN`."""
    source: str | None = None
    target: str | None = None
    caption: str | None = None
    knowledge: str | None = None
    change: str | None = None
    concept: str | None = None
    rephrased: str | None = None
    more: tuple[str, ...] = ()
    """Further input images: ``module:function:argument``."""
    attributes: Mapping[str, str | int] = field(default_factory=dict)
    jpeg: bool = False
    """The input is a JPEG, as a photograph would be."""

    @property
    def operation(self) -> str:
        return self.id.rpartition("-")[0]

    def difficulty(self) -> dict[str, str | int]:
        """The ten attributes, their total and the tier that follows from it."""
        values = {name: int(digit) for name, digit in zip(TEN, self.scores, strict=True)}
        total = sum(values.values())
        tier = "easy" if total <= 5 else "medium" if total <= 10 else "hard"
        return {"difficulty": tier, "difficulty_total": total, **values}


RECORDS: tuple[Record, ...] = (
    Record(
        "replace-01",
        "posters:bakery",
        "texteditbench",
        "plain",
        "Posters",
        'Replace "FRESH BREAD" with "WARM ROLLS".',
        "1000000000",
        "FRESH BREAD",
        "WARM ROLLS",
        'A bakery poster with a loaf of bread under the words "WARM ROLLS"',
    ),
    Record(
        "replace-02",
        "signs:motorway",
        "textedit",
        "plain",
        "Signs",
        'Change the text "Lyon" to "Nice".',
        "2000002100",
        "Lyon",
        "Nice",
        "A green motorway sign that shows Nice 24 km and Dijon 185 km above a road",
    ),
    Record(
        "replace-03",
        "signs:blackboard",
        "krisbench",
        "textured",
        "Signs",
        "Correct the sum that is wrong, and leave everything else as it is.",
        "2210002122",
        "12 + 30 = 41",
        "12 + 30 = 42",
        "A blackboard with three correct sums",
        knowledge="12 plus 30 is 42, so the 41 after the equals sign must become 42; the other two "
        "sums are right.",
        attributes={
            "task": "mathematics",
            "knowledge_type": "Conceptual",
            "dimension": "Natural Science",
        },
    ),
    Record(
        "replace-04",
        "posters:book",
        "textedit",
        "textured",
        "Prints",
        'Replace "Quiet" with "Silent" on the cover of the book.',
        "1010100200",
        "Quiet",
        "Silent",
        'A blue book called "Silent Rivers" on a wooden table beside a cup of coffee',
        jpeg=True,
    ),
    Record(
        "replace-05",
        "signs:tea_house",
        "textedit",
        "textured",
        "Signs",
        'The tea house "清香茶馆" is now called Mountains and Water: replace its name with '
        '"山水茶馆".',
        "1222002122",
        "清香茶馆",
        "山水茶馆",
        "A red and gold sign of a Chinese tea house between two lanterns",
        knowledge="山水 means mountains and water; 茶馆, the tea house, stays, and so does the English "
        "line below.",
    ),
    Record(
        "replace-06",
        "posters:weather",
        "texteditbench",
        "plain",
        "Screens",
        'Change "Rainy" to "Sunny".',
        "2000002002",
        "Rainy",
        "Sunny",
        'A weather app for Lisbon that says "Sunny" under a picture of the sun',
        knowledge="The picture above the word shows the weather, so the rain cloud must become a "
        "sun.",
    ),
    Record(
        "replace-07",
        "posters:chart",
        "krisbench",
        "plain",
        "Screens",
        "One label of this chart cannot be right. Correct it.",
        "2000002122",
        "Feb",
        "Mar",
        "A bar chart of visitors per month from January to May",
        knowledge="The months run Jan, Feb, Mar, Apr, May: the second Feb, below the third bar, "
        "must read Mar.",
        attributes={
            "task": "anomaly_correction",
            "knowledge_type": "Factual",
            "dimension": "Attribute Perception",
        },
    ),
    Record(
        "replace-08",
        "signs:menu",
        "textedit",
        "textured",
        "Signs",
        'Replace the drink "Latte" with "Mocha".',
        "2000001100",
        "Latte",
        "Mocha",
        "A black menu board of a cafe with Espresso, Mocha, Cappuccino and Hot Cocoa",
    ),
    Record(
        "delete-01",
        "posters:concert",
        "texteditbench",
        "plain",
        "Posters",
        'Remove the red stamp "SOLD OUT".',
        "2010020100",
        "SOLD OUT",
        None,
        "A concert poster with a setting sun over the sea",
    ),
    Record(
        "delete-02",
        "posters:bottle",
        "texteditbench",
        "plain",
        "Labels",
        'Delete the words "Sugar Free" from the label.',
        "2010100000",
        "Sugar Free",
        None,
        "A bottle of lemonade with a white label",
    ),
    Record(
        "delete-03",
        "signs:lake_photo",
        "texteditbench",
        "textured",
        "Prints",
        'Remove the date "12.08.2024" from the photograph.',
        "0000000200",
        "12.08.2024",
        None,
        "A lake between mountains at sunset",
        jpeg=True,
    ),
    Record(
        "delete-04",
        "things:liver",
        "medebench",
        "textured",
        "Medical",
        "Remove the lesion from the liver.",
        "0000002100",
        caption="An axial scan of the abdomen with a healthy liver",
        change="The dark round spot in the lower left of the liver is gone; the tissue there looks "
        "like the rest.",
        concept="lesion",
        rephrased="Show this liver without the lesion.",
        attributes={"organ": "Liver", "task": "Lesion Removal"},
    ),
    Record(
        "insert-01",
        "posters:birthday",
        "texteditbench",
        "plain",
        "Prints",
        'Add the name "Anna" below "Happy Birthday", in the same lettering.',
        "1020000000",
        None,
        "Anna",
        'A birthday card with balloons that says "Happy Birthday Anna"',
    ),
    Record(
        "insert-02",
        "posters:ticket",
        "texteditbench",
        "plain",
        "Prints",
        'Write "Seat 24" in the empty box of the ticket.',
        "2000002100",
        None,
        "Seat 24",
        "A theatre ticket for The Winter Garden, row F, seat 24",
    ),
    Record(
        "insert-03",
        "signs:notice",
        "texteditbench",
        "textured",
        "Signs",
        'Add "营业中" in red below "欢迎光临".',
        "1101010100",
        None,
        "营业中",
        "A wooden board on a door that says welcome and open in Chinese",
    ),
    Record(
        "move-01",
        "posters:museum",
        "texteditbench",
        "plain",
        "Posters",
        'Move the text "MUSEUM NIGHT" to the bottom of the poster.',
        "1000000010",
        "MUSEUM NIGHT",
        "MUSEUM NIGHT",
        'A poster of a temple under the moon with "MUSEUM NIGHT" at the bottom',
    ),
    Record(
        "move-02",
        "signs:area_map",
        "textedit",
        "textured",
        "Prints",
        'The name "Blue Lake" is in the wrong place. Move it onto the lake.',
        "2110002122",
        "Blue Lake",
        "Blue Lake",
        "A map with a forest, a village and a lake called Blue Lake",
        knowledge="The lake is the blue area at the lower right, at the end of the river; the name "
        "stands in a forest.",
    ),
    Record(
        "recolour-01",
        "signs:exit_sign",
        "texteditbench",
        "textured",
        "Signs",
        'Make the word "EXIT" green.',
        "0000000100",
        "EXIT",
        "EXIT",
        "A white sign with the word EXIT in green in a dark corridor",
    ),
    Record(
        "recolour-02",
        "things:litmus",
        "krisbench",
        "plain",
        "Science",
        "Show the beaker after the acid has been added.",
        "2000002022",
        "Litmus",
        "Litmus",
        "A beaker with red liquid and a dropper above it",
        knowledge="Litmus is blue in a base and turns red in an acid, so the liquid must be red.",
        attributes={
            "task": "chemistry",
            "knowledge_type": "Conceptual",
            "dimension": "Natural Science",
        },
    ),
    Record(
        "recolour-03",
        "things:teeth",
        "medebench",
        "textured",
        "Medical",
        "Whiten the teeth.",
        "0000002000",
        caption="A smiling mouth with white teeth",
        change="The yellow teeth have become white; lips and skin are as they were.",
        concept="teeth",
        rephrased="Make the yellow teeth white.",
        attributes={"organ": "Teeth", "task": "Teeth Whitening"},
    ),
    Record(
        "scale-01",
        "posters:sale",
        "texteditbench",
        "plain",
        "Posters",
        'Make the text "25% OFF" twice as large.',
        "1000000010",
        "25% OFF",
        "25% OFF",
        'A yellow and red poster that says "SALE" and "25% OFF" in large letters',
    ),
    Record(
        "scale-02",
        "things:eye",
        "medebench",
        "textured",
        "Medical",
        "Dilate the pupil.",
        "0000002010",
        caption="An eye with a wide pupil",
        change="The black pupil in the middle of the iris has become twice as wide.",
        concept="pupil",
        rephrased="Show this eye with a dilated pupil.",
        attributes={"organ": "Eyes", "task": "Pupil Dilation"},
    ),
    Record(
        "rotate-01",
        "signs:fragile",
        "texteditbench",
        "textured",
        "Labels",
        'Turn the label "FRAGILE" so that it stands straight.',
        "1100102120",
        "FRAGILE",
        "FRAGILE",
        "A cardboard box with a straight white label that says FRAGILE",
    ),
    Record(
        "compose-01",
        "things:mug",
        "krisbench",
        "textured",
        "Objects",
        "Put the logo of the second picture onto the mug of the first.",
        "1010002120",
        None,
        "ALPINE",
        "A white mug with a round green logo on a wooden table",
        more=("things:badge",),
        attributes={
            "task": "multi-element_composition",
            "knowledge_type": "Procedural",
            "dimension": "Instruction Decomposition",
        },
    ),
    Record(
        "compose-02",
        "things:shelf",
        "krisbench",
        "plain",
        "Objects",
        "Put the three things of the other pictures onto the shelf, from left to right in the "
        "order of the pictures.",
        "0000002020",
        caption="A shelf with a red apple, a blue teapot and a green plant",
        more=("things:single:apple", "things:single:teapot", "things:single:plant"),
        attributes={
            "task": "multi-element_composition",
            "knowledge_type": "Procedural",
            "dimension": "Instruction Decomposition",
        },
    ),
    Record(
        "temporal-01",
        "things:candle_before_after",
        "krisbench",
        "plain",
        "Objects",
        "These are frames 1, 2 and 4 of a candle that burns down. Draw frame 3.",
        "0000002022",
        caption="A candle that has burnt down by more than half",
        knowledge="Equal times lie between the frames, so frame 3 is halfway between frames 2 and "
        "4: 60 % burnt.",
        more=("things:candle_frame:2", "things:candle_frame:4"),
        attributes={
            "task": "temporal_prediction_intermediate",
            "knowledge_type": "Factual",
            "dimension": "Temporal Prediction",
            "frames": "1,2,4",
            "missing_frame": 3,
        },
    ),
)

COUNTS: Mapping[str, int] = {
    "": len(RECORDS),
    **Counter(record.split for record in RECORDS),
    **Counter(record.topic for record in RECORDS),
}
"""Samples in all, per split, and per topic."""
