"""Guessed rules: folders in the shapes of the four benchmarks, named in many ways. No output is ever
given to another sample; where the names prove the samples, all are found.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from editgauge.store.matching import matches_of
from editgauge.testing import make_sample
from editgauge.types import Sample

Name = Callable[[Sample, int], str]
TOPICS = ("Art & Creative Expression", "Business & Advertising", "Merchandise & Apparel", "Maps")
TASKS = ("count_change", "color_change", "temporal_prediction", "chemistry")
ORGANS = ("Teeth", "GI Tract", "Lung")


def texteditbench(first: Sample) -> list[Sample]:
    """Two splits with topics; numbers start anew in each; ids of the release with slips."""
    samples = []
    for split, folder in (("synthetic", "canva"), ("real", "real")):
        numbers = (4, 11, 30) if split == "synthetic" else (7, 13, 61)
        for topic in TOPICS:
            for number in numbers:
                plain = topic.replace(" & ", "_").replace(" ", "_")
                spelled = topic.replace(" & ", "&") if number == 4 else topic
                samples.append(
                    replace(
                        first,
                        id=f"data_{split}/{plain}/{number:03}",
                        split=split,
                        category=(plain,),
                        images=(Path(f"/data/{plain}/{number}.jpg"),),
                        output_stems=(f"{folder}/{plain}/{number:03}_edited",),
                        attributes={
                            "topic": topic,
                            "record_id": f"TextEditing_{spelled}_{number:03}",
                        },
                    )
                )
    return samples


def textedit(first: Sample) -> list[Sample]:
    """Categories of numbers; every record has a number of its own."""
    numbers = {"1.1.1": (3, 7), "1.1.2": (58, 63), "2.1": (763,), "2.7": (2022, 2026)}
    return [
        replace(
            first,
            id=f"{category}/{number}",
            split="Real" if category[0] == "2" else "Virtual",
            category=(category,),
            images=(Path(f"/data/{13055450 + 7919 * number}.0.jpg"),),
            output_stems=(f"{category}/{13055450 + 7919 * number}.0",),
            attributes={"category": category},
        )
        for category, some in numbers.items()
        for number in some
    ]


def medebench(first: Sample) -> list[Sample]:
    """Ids are numbers."""
    return [
        replace(
            first,
            id=str(number),
            split="all",
            category=(ORGANS[number % 3], f"Remove kind {'abcdefg'[number % 7]}."),
            images=(Path(f"/data/{number}.png"),),
            output_stems=(f"{number}_0", str(number)),
            attributes={"organ": ORGANS[number % 3]},
        )
        for number in (0, 2, 5, 38, 45, 48, 53, 64)
    ]


def krisbench(first: Sample) -> list[Sample]:
    """Categories in which numbers start anew."""
    return [
        replace(
            first,
            id=f"{task}/{number}",
            split="all",
            category=("Factual", "Perception", task),
            images=(Path(f"/data/{task}/{number}.jpg"),),
            output_stems=(f"{task}/{number}",),
            attributes={"task": task},
        )
        for task in TASKS
        for number in ((1, 16, 27) if task != "count_change" else (1,))
    ]


SHAPES = (texteditbench, textedit, medebench, krisbench)


def flat(sample: Sample) -> str:
    return sample.id.replace("/", "_")


def group(sample: Sample) -> str:
    return sample.category[-1].replace("/", "_")


def number_of(sample: Sample) -> int:
    return int(sample.id.rpartition("/")[2])


PROVING: dict[str, Name] = {
    "official": lambda s, _: s.output_stems[0],
    "id": lambda s, _: s.id,
    "with a hyphen": lambda s, _: s.id.replace("/", "-"),
    "upper case": lambda s, _: flat(s).upper(),
    "an ending": lambda s, _: f"{flat(s)}_edited",
    "model and seed": lambda s, _: f"SeedX_{flat(s)}_seed42",
    "a time": lambda s, n: f"{flat(s)}_{1_700_000_000 + 37 * n}",
    "below a folder": lambda s, _: f"results/ours v2/{flat(s)}",
    "a folder each": lambda s, _: f"{flat(s)}/output",
    "official, flat": lambda s, _: s.output_stems[0].replace("/", "_"),
    "split, group, number": lambda s, _: f"{s.split}/{group(s)}/{number_of(s):04}_result",
}
"""Names that tell the sample; all of them must be found."""
DOUBTFUL: dict[str, Name] = {
    "counted from 1": lambda _, n: f"{n + 1}",
    "counted from 0": lambda _, n: f"{n}",
    "ComfyUI": lambda _, n: f"ComfyUI_{n + 1:05}_",
    "counted, official form": lambda _, n: f"{n}_0",
    "counted in a group": lambda s, n: f"{group(s)}_{n + 1}",
    "counted in a group's folder": lambda s, n: f"{group(s)}/{n + 1:03}",
    "counted as the release": lambda s, n: f"TextEditing_{s.attributes.get('topic')}_{n:03}",
    "place and a number": lambda s, n: f"{n}_{number_of(s)}",
    "a number and place": lambda s, n: f"{group(s)}_{number_of(s)}_{n}",
    "number alone": lambda s, _: f"{number_of(s)}",
    "hashes": lambda s, n: f"{random.Random(n).getrandbits(48):x}",
    "numbers by chance": lambda s, n: "-".join(str(random.Random(n).randrange(99)) for _ in "abc"),
    "an unknown group": lambda s, n: f"Unknown {n % 3}_{number_of(s):03}",
}
"""Names that may tell the sample or not: no match may be wrong."""
ONE_FILE = 100
"""Of so many samples one is looked at. One file ``chemistry_1`` is an id, whoever counted it."""


def shifted(samples: Sequence[Sample]) -> list[Sample]:
    return [*samples[1:], *samples[:1]]


def wrong_and_found(
    root: Path, samples: Sequence[Sample], files: dict[str, str]
) -> tuple[int, int]:
    """How many matches are wrong, and how many there are. `files`: file -> its sample."""
    for name in files:
        path = root / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"picture")
    matches = matches_of(root / "mine", samples)
    found = {file.relative_to(root / "mine").as_posix(): s for s, file in matches.named.items()}
    return sum(files[file] != sample for file, sample in found.items()), len(found)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("way", PROVING)
@pytest.mark.parametrize("part", [1, 2, 5])
def test_names_that_tell_the_sample_are_found(
    shape: Callable[[Sample], list[Sample]], way: str, part: int, tmp_path: Path
) -> None:
    samples = shape(make_sample(tmp_path / "data"))
    endings = (".png", ".jpg", ".webp")
    files = {
        f"{PROVING[way](sample, n)}{endings[n % 3]}": sample.id
        for n, sample in enumerate(samples[::part])
    }
    assert wrong_and_found(tmp_path, samples, files) == (0, len(files))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("way", DOUBTFUL)
@pytest.mark.parametrize("part", [1, 2, 5, ONE_FILE])
def test_names_that_do_not_tell_the_sample_give_none_to_another(
    shape: Callable[[Sample], list[Sample]], way: str, part: int, tmp_path: Path
) -> None:
    if part == ONE_FILE and way.startswith("counted in a group"):
        return
    samples = shape(make_sample(tmp_path / "data"))
    chosen = samples[len(samples) // 2 :] + samples[: len(samples) // 2]
    files: dict[str, str] = {}
    for n, sample in enumerate(chosen[::part]):
        files.setdefault(f"{DOUBTFUL[way](sample, n)}.png", sample.id)
    assert wrong_and_found(tmp_path, samples, files)[0] == 0


@pytest.mark.parametrize("shape", SHAPES)
def test_names_with_the_numbers_of_two_samples_prove_nothing(
    shape: Callable[[Sample], list[Sample]], tmp_path: Path
) -> None:
    samples = shape(make_sample(tmp_path / "data"))
    files = {
        f"{number_of(sample)}_{number_of(other)}.png": sample.id
        for sample, other in zip(samples, shifted(samples), strict=True)
    }
    assert wrong_and_found(tmp_path, samples, files)[0] == 0


def test_ids_of_the_release_are_tried_first(tmp_path: Path) -> None:
    samples = texteditbench(make_sample(tmp_path / "data"))
    wanted = {
        "TextEditing_Merchandise & Apparel_030.png": "data_synthetic/Merchandise_Apparel/030",
        "TextEditing_Merchandise & Apparel_007.jpg": "data_real/Merchandise_Apparel/007",
        "TextEditing_Business & Advertising_061.png": "data_real/Business_Advertising/061",
        "TextEditing_Maps_030.webp": "data_synthetic/Maps/030",
    }
    assert wrong_and_found(tmp_path, samples, wanted) == (0, 4)


def test_a_name_that_is_another_samples_id_is_given_to_nobody(tmp_path: Path) -> None:
    samples = texteditbench(make_sample(tmp_path / "data"))
    slip = replace(
        samples[0], attributes={**samples[0].attributes, "record_id": "TextEditing_Maps_031"}
    )
    samples[0] = slip  # its release id says another topic and number than its folder
    files = {f"TextEditing_Maps_0{n}.png": f"nobody {n}" for n in ("99", "98")}
    assert wrong_and_found(tmp_path, samples, files)[1] == 0


def test_one_picture_of_58_that_has_the_number_of_a_sample_is_a_coincidence(tmp_path: Path) -> None:
    samples = medebench(make_sample(tmp_path / "data"))
    files = {f"{n + 100}-{'xyz'[n % 3]}.png": f"nobody {n}" for n in range(57)}
    files["38.png"] = "nobody 57"
    assert wrong_and_found(tmp_path, samples, files)[1] == 0


def test_the_folders_name_speaks_against_another_group(tmp_path: Path) -> None:
    samples = textedit(make_sample(tmp_path / "data"))
    place = tmp_path / "2.7" / "mine"
    place.mkdir(parents=True)
    (place / "58.png").write_bytes(b"picture")
    assert matches_of(place, samples).named == {}
    assert "its name says" in matches_of(place, samples).doubt
