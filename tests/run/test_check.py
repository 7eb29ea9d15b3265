"""What a check finds in data and in outputs: each fault alone, on small data sets made in code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge.images import read_image, write_bytes, write_png
from editgauge.run.check_data import Issue, check_data
from editgauge.run.check_outputs import check_outputs
from editgauge.testing import make_sample
from editgauge.types import Finding, Sample
from tests.benchmarks.releases import picture
from tests.fakes import make_samples


@dataclass
class Bench:
    """A benchmark, and the data set, of the samples that it is given."""

    samples: Sequence[Sample]
    root: Path
    published_counts: dict[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def __iter__(self) -> Any:
        return iter(self.samples)


def data_issues(root: Path, *samples: Sample) -> list[Issue]:
    bench: Any = Bench(samples, root)
    return check_data(bench, bench)[2]


def kinds(issues: Sequence[Issue]) -> list[str]:
    return [issue.kind for issue in issues]


@pytest.mark.parametrize("what", ["input.png", "mask.png", "reference.png"])
def test_missing_and_unreadable_files(tmp_path: Path, what: str) -> None:
    sample = make_sample(tmp_path)
    path = tmp_path / "sample-1" / what
    whole = path.read_bytes()
    for content in (None, b"no picture", whole[: len(whole) // 2], b""):
        path.unlink() if content is None else path.write_bytes(content)
        (issue,) = data_issues(tmp_path, sample)
        assert issue.kind == "file-missing" if content is None else "file-unreadable"
        assert issue.file == f"sample-1/{what}"
        assert str(tmp_path) not in issue.found


@pytest.mark.parametrize(
    ("mask", "found"),
    [
        (np.zeros((48, 64), np.bool_), ["mask-empty"]),
        (np.full((48, 64), 127, np.uint8), ["mask-empty"]),
        (np.ones((48, 64), np.bool_), ["mask-full"]),
        (np.eye(24, 32, dtype=np.bool_), ["mask-size"]),
    ],
)
def test_masks(tmp_path: Path, mask: Any, found: list[str]) -> None:
    sample = make_sample(tmp_path, size=(64, 48))
    path = tmp_path / "sample-1" / "mask.png"
    write_png(path, mask)
    issues = data_issues(tmp_path, replace(sample, masks={"input": path}, reference=None))
    assert kinds(issues) == found


def test_references(tmp_path: Path) -> None:
    sample = make_sample(tmp_path, size=(64, 48))
    reference = tmp_path / "sample-1" / "reference.png"
    picture(reference, size=(32, 24))
    assert kinds(data_issues(tmp_path, sample)) == ["reference-size"]
    write_png(reference, read_image(sample.image))
    assert kinds(data_issues(tmp_path, sample)) == ["reference-same"]
    pixels = read_image(sample.image).copy()
    pixels[:8, :8] = 255 - pixels[:8, :8]
    write_png(reference, pixels)
    (issue,) = data_issues(tmp_path, sample)
    assert (issue.kind, issue.level) == ("reference-outside", "attention")
    assert issue.found.startswith("1 of 8 blocks")  # of 4 x 3 blocks the mask touches four
    without = replace(sample, masks={})
    assert data_issues(tmp_path, without) == []  # nobody says what may change


def test_ids_and_outputs_that_occur_twice(tmp_path: Path) -> None:
    one, two = make_samples(tmp_path, 2)
    assert kinds(data_issues(tmp_path, one, one)) == ["id-twice", "output-shared"]
    (issue,) = data_issues(tmp_path, one, replace(two, output_stems=one.output_stems))
    assert (issue.kind, issue.sample) == ("output-shared", "sample-1")


def outputs(folder: Path, samples: Sequence[Sample]) -> Path:
    """An output for every sample: its reference."""
    for sample in samples:
        assert sample.reference is not None
        write_bytes(folder / f"{sample.output_stems[0]}.png", sample.reference.read_bytes())
    return folder


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (lambda path, sample: None, []),
        (lambda path, sample: path.unlink(), ["missing"]),
        (lambda path, sample: path.write_text("<html>"), ["unreadable"]),
        (lambda path, sample: path.write_bytes(path.read_bytes()[:300]), ["unreadable"]),
        (lambda path, sample: picture(path, size=(32, 24)), ["size"]),
        (lambda path, sample: path.write_bytes(sample.image.read_bytes()), ["given-back"]),
        (lambda path, sample: picture(path.with_suffix(".webp")), ["several"]),
        (lambda path, sample: picture(path.with_name("stranger.png")), ["extra"]),
        (lambda path, sample: picture(path.parent / "deep" / "stranger.png"), ["extra"]),
        (lambda path, sample: path.rename(path.with_suffix(".gif")), ["missing", "extra"]),
        (lambda path, sample: (path.unlink(), path.symlink_to(path.name)), ["unreadable"]),
    ],
)
def test_outputs(tmp_path: Path, spoil: Any, found: list[str]) -> None:
    samples = make_samples(tmp_path / "data", 2, size=(64, 48))
    folder = outputs(tmp_path / "out", samples)
    spoil(folder / "sample-1.png", samples[0])
    report = check_outputs(samples, "a", folder)
    assert kinds(report.issues) == [f"output-{kind}" for kind in found]
    assert all(issue.level == "attention" for issue in report.issues)
    assert all(report.count[kind] == 1 for kind in found)
    assert str(tmp_path) not in "".join(issue.found + issue.file for issue in report.issues)


def test_outputs_of_another_split_and_faults_of_the_data_are_not_the_outputs(
    tmp_path: Path,
) -> None:
    samples = make_samples(tmp_path / "data", 2)
    folder = outputs(tmp_path / "out", samples)
    assert kinds(check_outputs(samples[:1], "a", folder).issues) == ["output-extra"]
    samples[0].image.unlink()
    assert check_outputs(samples[:1], "a", folder, others=samples).issues == []
