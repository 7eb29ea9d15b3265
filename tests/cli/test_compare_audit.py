"""`editgauge audit` finds what is wrong in published tables, and nothing that rounding explains."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge.benchmarks.audits import TEXTEDITBENCH

HEAD = "model," + ",".join(
    f"{s}_{d}" for s in ("synthetic", "real") for d in ("IF", "TA", "VC", "LP", "SE", "overall")
)
GOOD = "a,1.00,2.00,3.00,4.00,5.00,15.00,1.00,1.00,1.00,1.00,1.00,5.02"


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ([GOOD], []),  # 0.02 is within rounding of five means
        ([GOOD, GOOD.replace("a,", "b,").replace("5.02", "5.04")], ["b, real_overall"]),
        (
            ["a,1,1,1,1,1,5,1,1,1,1,1,5", "b,1,1,1,1,1,5,1,1,1,1,1,5",
             "Mean,1,1,1,1,1,5,1,1,1,4,1,5"],
            ["Mean, real_LP"],
        ),
    ],
)  # fmt: skip
def test_what_rounding_does_not_explain_is_named(
    tmp_path: Path, lines: list[str], wrong: list[str]
) -> None:
    path = tmp_path / "judge.csv"
    path.write_text("\n".join([HEAD, *lines]) + "\n", encoding="utf-8")
    (audit,) = TEXTEDITBENCH
    assert [text.partition(":")[0] for text in audit(path).inconsistent] == wrong
