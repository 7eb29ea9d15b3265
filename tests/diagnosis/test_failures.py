"""The readings of outputs: each kind by each basis, cut-offs, groups, and how the bases agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.made_rows import frame, record, row

from editgauge.diagnosis import failures
from editgauge.diagnosis.failures import KINDS, NONE, Cutoffs, cutoffs_of, read, tables
from editgauge.store.run import Run
from editgauge.tables.draw import draw
from editgauge.tables.results import Delivery
from editgauge.types import Row

B = "medebench"
CASES = (
    # EA, CP, IoU of attention, IoU of change, share that changed -> by attention, by pixels
    (8, 0.9, 0.6, 0.6, 0.1, "well", "well"),
    (8, 0.1, 0.0, 0.0, 0.1, "well", "well"),
    (5, 0.9, 0.6, 0.6, 0.1, "well", "well"),  # at the cut-off is high
    (2, 0.9, 0.6, 0.0, 0.0, "returned", "returned"),
    (9, 1.0, 0.6, 0.0, 0.0, "returned", "returned"),  # whatever a judge says of it
    (2, 0.9, 0.6, 0.0, 0.001, "there", "neither"),
    (2, 0.9, 0.3, 0.3, 0.1, "there", "there"),
    (2, 0.9, 0.1, 0.6, 0.004, "neither", "neither"),
    (2, 0.1, 0.6, 0.1, 0.1, "elsewhere", "elsewhere"),
    (2, 0.1, 0.0, 0.6, 0.5, "elsewhere", "there"),
    (None, 0.9, 0.6, 0.6, 0.1, "placed", "placed"),
    (None, 0.9, 0.6, 0.1, 0.1, "placed", "elsewhere"),
    (None, 0.9, 0.6, 0.1, 0.001, "placed", "neither"),
    (None, None, 0.1, 0.6, 0.1, "astray", "placed"),
    (2, None, 0.6, 0.6, 0.1, "", "there"),
)


def made(editor: str = "m", cases: Sequence[Any] = CASES) -> list[Row]:
    found = []
    names = ("EA", "masked_ssim", "attention_iou", "change_iou", "change_share")
    for number, case in enumerate(cases):
        for name, value in zip(names, case, strict=False):
            if value is not None:
                found.append(row(f"s{number}", editor, name, float(value), benchmark=B))
    return found


def records(count: int = len(CASES)) -> list[dict[str, Any]]:
    kinds = ("removal", "addition")
    return [record(f"s{n}", task_type=kinds[n % 2]) for n in range(count)]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_every_kind(number: int) -> None:
    all_rows = frame(made(), records(), B)
    for basis, wanted in zip(failures.BASES, CASES[number][5:], strict=True):
        found = read(all_rows, basis, cutoffs_of(B))
        assert found is not None
        code = int(found.kinds[0, number])
        assert ("" if code == NONE else KINDS[code]) == wanted, basis


def test_an_input_that_was_given_back_is_never_an_edit() -> None:
    every = frame(made(), records(), B)
    every = replace(every, deliveries={"m": Delivery(given_back=frozenset({"s0", "s9"}))})
    for basis in failures.BASES:
        found = read(every, basis, cutoffs_of(B))
        assert found is not None
        assert [KINDS[found.kinds[0, n]] for n in (0, 9)] == ["returned", "returned"]


def test_cut_offs_move_outputs_from_kind_to_kind() -> None:
    all_rows = frame(made(), records(), B)
    strict = read(all_rows, "attention", cutoffs_of(B, accurate=9.0, iou=0.7))
    assert strict is not None
    assert [KINDS[code] for code in strict.kinds[0, :3]] == ["neither", "elsewhere", "neither"]
    assert cutoffs_of(B) == Cutoffs(
        accuracy="EA", accurate=5.0, preservation="masked_ssim", preserved=0.7
    )


def test_shares_by_task_type_with_counts_and_honest_intervals() -> None:
    by_attention, by_pixels = tables(frame(made(), records(), B), intervals=True)
    assert by_attention.name == "medebench.failures_attention"
    lines = {line.group: line for line in by_attention.rows}
    assert list(lines) == ["addition", "removal", "all"]
    cell = lines["all"].cells["well"]
    assert (cell.value, cell.n, cell.of) == (3 / 14, 3, 14)
    # Agresti and Coull's interval of 3 of 14: (3 + 1.92) / (14 + 3.84) = 0.2758, plus and minus
    # 1.96 times the root of 0.2758 * 0.7242 / 17.84
    assert cell.low == pytest.approx(0.06843, abs=1e-4)
    assert cell.high == pytest.approx(0.48318, abs=1e-4)
    names = [column.name for column in by_attention.columns]
    assert names[-3:] == ["placed", "astray", "iou"]
    assert "EA at 5, masked_ssim at 0.7, attention_iou at 0.3" in " ".join(by_attention.notes)
    assert [column.heading[0] for column in by_pixels.columns][5] == "changed there (not judged)"
    assert "0.5% of the picture" in " ".join(by_pixels.notes)
    assert "looked right but did not act" in draw(by_attention, "markdown")


def test_without_any_judgement_what_cannot_be_told_has_no_number() -> None:
    cases = [(None, None, None, 0.6, 0.1), (None, None, None, 0.0, 0.1)]
    (table,) = tables(frame(made(cases=cases), records(2), B))
    (line,) = [line for line in table.rows if line.group == "all"]
    assert line.cells["well"].value is None
    assert line.cells["there"].value is None
    assert line.cells["placed"].value == line.cells["elsewhere"].value == 0.5


def test_the_last_cut_offs_of_a_run_are_found_again(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    assert failures.recorded([run], B) == cutoffs_of(B)
    run.record("diagnose", benchmark=B, cutoffs=failures.as_facts(cutoffs_of(B, iou=0.4)))
    assert failures.recorded([run], B) == cutoffs_of(B, iou=0.4)
