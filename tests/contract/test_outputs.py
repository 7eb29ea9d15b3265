"""Outputs as they come: under other names, missing, unreadable, of another size or mode."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.contract.datasets import (
    SIZE,
    WEB,
    instance,
    organ_record,
    organs,
    plain,
    prompt_record,
    prompts,
    put,
    task_record,
    tasks,
)
from tests.contract.support import cli, picture, rows_of, save, values

Row = dict[str, Any]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    organs(tmp_path / "data", [organ_record(n) for n in (1, 2, 3)])
    return tmp_path / "data"


def score(benchmark: str, data: Path, run: Path, *more: Any) -> dict[tuple[str, str, str], Row]:
    """(sample, metric, variant) -> row, of one editor."""
    about = ("--run", run, "--tracks", "pixel", "--workers", 0, *more)
    cli("score", benchmark, data, *about, expect=None)
    return {(row["sample"], row["metric"], row["variant"]): row for row in rows_of(run)}


# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".png", ".PNG", ".jpg", ".JPEG", ".webp"])
def test_the_official_names_with_any_extension(tmp_path: Path, suffix: str) -> None:
    roots = {
        name: tmp_path / name for name in ("texteditbench", "textedit", "medebench", "krisbench")
    }
    instance(roots["texteditbench"], split=WEB)
    prompts(roots["textedit"], [prompt_record(3)])
    organs(roots["medebench"], [organ_record(38)])
    tasks(roots["krisbench"], {"1": task_record()})
    places = {
        "texteditbench": "real/Art_Creative_Expression/004_edited",
        "textedit": "1.1.1/3.0",
        "medebench": "38_0",
        "krisbench": "chemistry/1",
    }
    for name, place in places.items():
        file = tmp_path / "out" / name / "m" / f"{place}{suffix}"
        file.parent.mkdir(parents=True)
        file.write_bytes(plain(seed=9))  # what a file is, its content decides
        words = ("check", name, roots[name], "--outputs", tmp_path / "out" / name, "--json")
        (found,) = cli(*words, expect=None).json["outputs"]
        counted = {key: found["count"][key] for key in ("present", "readable", "missing", "extra")}
        assert counted == {"present": 1, "readable": 1, "missing": 0, "extra": 0}, name


def test_other_names_by_a_pattern(data: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        put(tmp_path / f"mine/res_{number}.png", number)
    put(tmp_path / "mine/other.png")
    words = ("import", "medebench", data, "--from", tmp_path / "mine")
    seen = cli(*words, "--pattern", "res_{id}", "--json", expect=1).json
    assert seen["matched"] == {"1": "res_1.png", "2": "res_2.png"}
    assert (seen["missing"], seen["unexpected"]) == (["3"], ["other.png"])
    more = ("--pattern", "res_{id}", "--editor", "m", "--to", tmp_path / "official")
    cli(*words, *more, expect=1)
    assert sorted(p.name for p in (tmp_path / "official/m").iterdir()) == ["1_0.png", "2_0.png"]
    direct = ("--outputs", tmp_path / "mine", "--pattern", "res_{id}", "--editor", "m")
    rows = score("medebench", data, tmp_path / "one", *direct)
    again = score("medebench", data, tmp_path / "two", "--outputs", tmp_path / "official")
    assert {key: row["value"] for key, row in rows.items()} == {
        key: row["value"] for key, row in again.items()
    }
    assert rows["1", "psnr", "faithful"]["value"] is not None


def test_other_names_by_a_table(data: Path, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        put(tmp_path / f"mine/{number * 7}.png", number)
    (tmp_path / "map.csv").write_text("sample,file\n1,7.png\n2,14.png\n3,21.png\n")
    words = ("import", "medebench", data, "--from", tmp_path / "mine")
    seen = cli(*words, "--map", tmp_path / "map.csv", "--json").json
    assert seen["matched"] == {"1": "7.png", "2": "14.png", "3": "21.png"}
    more = ("--outputs", tmp_path / "mine", "--map", tmp_path / "map.csv", "--editor", "m")
    assert len(score("medebench", data, tmp_path / "run", *more)) >= 9
    (tmp_path / "mine/14.png").unlink()
    seen = cli(*words, "--map", tmp_path / "map.csv", "--json", expect=1).json
    assert seen["missing"] == ["2"], "a line without its picture"


def test_a_manifest_of_any_shape_names_files_and_samples(data: Path, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        put(tmp_path / f"mine/{number * 7}.png", number)
    named = {"1": "7.png", "2": "14.png", "3": "21.png"}
    records = [
        {"uid": int(one), "image": {"path": f"/home/me/{file}"}} for one, file in named.items()
    ]
    (tmp_path / "map.json").write_text(json.dumps({"date": "today", "results": records}))
    (tmp_path / "map.tsv").write_text(
        "".join(f"{a}\t{b}\t{c}\n" for a, b, c in [
            ("out", "task", "other"), ("7.png", 1, 2), ("14.png", 2, 3), ("21.png", 3, 1)])
    )  # fmt: skip
    words = ("import", "medebench", data, "--from", tmp_path / "mine")
    assert cli(*words, "--map", tmp_path / "map.json", "--json").json["matched"] == named
    doubtful = (*words, "--map", tmp_path / "map.tsv")
    cli(*doubtful, expect=2)
    assert cli(*doubtful, "--column", "sample=task", "--json").json["matched"] == named


def test_all_models_in_one_folder(data: Path, tmp_path: Path) -> None:
    models = ("SeedX", "Gemini_2")
    for number in (1, 2, 3):
        for model in models:
            put(tmp_path / f"mine/{number}_{model}.png", number)
    words = ("import", "medebench", data, "--from", tmp_path / "mine", "--pattern", "{id}_{editor}")
    seen = cli(*words, "--json").json["matched_by_editor"]
    assert seen == {m: {str(n): f"{n}_{m}.png" for n in (1, 2, 3)} for m in models}
    cli(*words, "--to", tmp_path / "to")
    assert sorted(path.name for path in tmp_path.glob("to/*")) == sorted(models)
    direct = ("--outputs", tmp_path / "mine", "--pattern", "{id}_{editor}", "--tracks", "pixel")
    cli("score", "medebench", data, *direct, "--workers", 0, "--run", tmp_path / "r", expect=None)
    assert {row["editor"] for row in rows_of(tmp_path / "r")} == {*models}


@pytest.mark.parametrize(
    "name", ["{place}", "ComfyUI_{place:05}_", "{place}_0", "TextEditing_{topic}_{place:03}"]
)
def test_names_that_prove_no_sample_are_not_proposed(tmp_path: Path, name: str) -> None:
    root = tmp_path / "data"
    for number in (4, 30, 61):
        instance(root, split=WEB, number=number)
    topic = "Art & Creative Expression"
    for place in (1, 2, 30):  # the last one is an id by coincidence
        put(tmp_path / "mine" / f"{name.format(place=place, topic=topic)}.png", place)
    words = ("import", "texteditbench", root, "--from", tmp_path / "mine")
    seen = cli(*words, expect=1)
    assert "score" not in seen.out
    assert cli(*words, "--json", expect=1).json["matched"] == {}
    cli(*words, "--editor", "m", "--to", tmp_path / "to", expect=2)
    assert not list(tmp_path.glob("to/*/*"))


def test_a_neighbouring_folder_never_ends_score(data: Path, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        put(tmp_path / f"out/m/{number}_0.png", number)
    for name in ("log 12:30", "a*b", "x" * 200, "con?"):
        put(tmp_path / "out" / name / "figure.png")
    put(tmp_path / "out/2:30/1_0.png")  # as if it were an editor's
    rows = score("medebench", data, tmp_path / "run", "--outputs", tmp_path / "out")
    assert {row["editor"] for row in rows.values()} == {"m"}
    words = ("score", "medebench", data, "--outputs", tmp_path / "out", "--run", tmp_path / "run")
    for _ in range(2):  # also where there is nothing to do
        done = cli(*words, "--tracks", "pixel", "--workers", 0, "--json", expect=1)
        assert sum("left out" in text for text in done.json["problems"]) == 5


@pytest.mark.parametrize("line", ["1,{}/secret.png\n", "1,../secret.png\n"])
def test_a_table_reaches_no_file_outside_its_folder(data: Path, tmp_path: Path, line: str) -> None:
    secret = put(tmp_path / "secret.png", 77).read_bytes()
    put(tmp_path / "mine/7.png")
    (tmp_path / "map.csv").write_text(f"sample,file\n{line.format(tmp_path)}")
    words = ("import", "medebench", data, "--from", tmp_path / "mine", "--editor", "m")
    cli(*words, "--map", tmp_path / "map.csv", "--to", tmp_path / "to", expect=None)
    assert not list(tmp_path.glob("to/m/*"))
    direct = ("--outputs", tmp_path / "mine", "--map", tmp_path / "map.csv", "--editor", "m")
    score("medebench", data, tmp_path / "run", *direct)
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not [path for path in files if path.read_bytes() == secret]


# -- what is there ---------------------------------------------------------------------------------


def test_missing_and_unreadable_outputs_have_a_status_and_are_no_zero(
    data: Path, tmp_path: Path
) -> None:
    put(tmp_path / "out/m/1_0.png")
    (tmp_path / "out/m/2_0.png").write_bytes(plain()[:300])
    rows = score("medebench", data, tmp_path / "run", "--outputs", tmp_path / "out")
    status = {sample: rows[sample, "masked_ssim", "faithful"]["status"] for sample in "123"}
    assert status == {"1": "scored", "2": "unreadable", "3": "missing"}
    for sample in "23":
        row = rows[sample, "masked_ssim", "faithful"]
        assert row["value"] is None
        assert row["reason"]
    told = cli("check", "medebench", data, "--outputs", tmp_path / "out", "--json", expect=1).json
    count = told["outputs"][0]["count"]
    assert (count["present"], count["unreadable"], count["missing"]) == (2, 1, 1)


def test_an_output_of_another_size(tmp_path: Path) -> None:
    """TextEditBench's released code gives it no SSIM; corrected resizes it. MedEBench resizes."""
    folder = instance(tmp_path / "t", split=WEB)
    before = picture(4, *SIZE)
    save(folder / "4.jpg", before)
    larger = np.asarray(Image.fromarray(before).resize((128, 96)))
    save(tmp_path / "o/m/real/Art_Creative_Expression/004_edited.png", larger)
    rows = score("texteditbench", tmp_path / "t", tmp_path / "r", "--outputs", tmp_path / "o")
    sample = f"{WEB}/Art_Creative_Expression/004"
    assert rows[sample, "ssim", "faithful"]["status"] == "not_applicable"
    assert 0.5 < rows[sample, "ssim", "corrected"]["value"] <= 1
    assert "128" in str(rows[sample, "ssim", "corrected"]["detail"])
    organs(tmp_path / "m", [organ_record(1)])
    save(tmp_path / "mo/m/1_0.png", larger)
    medical = score("medebench", tmp_path / "m", tmp_path / "mr", "--outputs", tmp_path / "mo")
    assert medical["1", "masked_ssim", "faithful"]["status"] == "scored"


@pytest.mark.parametrize("mode", ["L", "P", "RGBA", "CMYK", "1"])
def test_an_output_of_another_mode_is_scored_as_the_colours_that_it_shows(
    tmp_path: Path, mode: str
) -> None:
    organs(tmp_path / "m", [organ_record(1)])
    shown = Image.fromarray(picture(8, *SIZE)).convert(mode)
    suffix = ".jpg" if mode == "CMYK" else ".png"
    found = []
    for name, image in (("own", shown), ("rgb", shown.convert("RGB"))):
        file = tmp_path / name / "m" / f"1_0{suffix if name == 'own' else '.png'}"
        file.parent.mkdir(parents=True)
        image.save(file)
        if (name, mode) == ("rgb", "CMYK"):
            Image.open(tmp_path / "own/m/1_0.jpg").convert("RGB").save(file)
        run = tmp_path / f"run-{name}"
        score("medebench", tmp_path / "m", run, "--outputs", tmp_path / name)
        found.append([values(run, metric)["1"] for metric in ("masked_ssim", "psnr", "ssim_full")])
    assert None not in found[0]
    assert found[0] == found[1]


def test_scores_are_made_anew_when_an_output_is_replaced(data: Path, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        put(tmp_path / f"out/m/{number}_0.png", 20)
    before = score("medebench", data, tmp_path / "run", "--outputs", tmp_path / "out")
    put(tmp_path / "out/m/2_0.png", 21)
    after = score("medebench", data, tmp_path / "run", "--outputs", tmp_path / "out")
    assert len(before) == len(after)
    changed = {key[0] for key in before if before[key]["value"] != after[key]["value"]}
    assert changed == {"2"}
    assert score("medebench", data, tmp_path / "run") == after


Replace = Callable[[Path, Path], object]
"""Puts the second file in the place of the first."""


def written_over(old: Path, new: Path) -> None:
    """As `cp -p` does: the same file, with the time of the other."""
    facts = old.stat()
    old.write_bytes(new.read_bytes())
    os.utime(old, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def renamed(old: Path, new: Path) -> None:
    """As `rsync -t` does: another file under the name, with the time of the other."""
    facts = old.stat()
    os.utime(new, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    new.replace(old)


def of_one_size(path: Path, seed: int) -> Path:
    """A picture whose file has the size and the age of all others that are made here."""
    save(path, picture(seed, *SIZE), compress_level=0)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return path


@pytest.mark.parametrize("replace", [written_over, renamed])
@pytest.mark.parametrize("what", ["output", "reference"])
def test_a_replaced_picture_of_the_same_size_and_time_is_scored_anew(
    data: Path, tmp_path: Path, replace: Replace, what: str
) -> None:
    for number in (1, 2, 3):
        of_one_size(tmp_path / f"out/m/{number}_0.png", 20 + number)
        of_one_size(data / f"editing/changed/{number}.png", 40 + number)
    told = ("--outputs", tmp_path / "out")
    before = score("medebench", data, tmp_path / "run", *told)
    places = {"output": tmp_path / "out/m/2_0.png", "reference": data / "editing/changed/2.png"}
    replace(places[what], of_one_size(tmp_path / "new.png", 77))
    after = score("medebench", data, tmp_path / "run", *told)
    changed = {key[0] for key in before if before[key]["fingerprint"] != after[key]["fingerprint"]}
    assert changed == {"2"}
    assert after == score("medebench", data, tmp_path / "fresh", *told)


def test_a_folder_of_outputs_that_leads_elsewhere_now_is_scored_anew(
    data: Path, tmp_path: Path
) -> None:
    for number in (1, 2, 3):
        of_one_size(tmp_path / f"first/m/{number}_0.png", 20)
        of_one_size(tmp_path / f"second/m/{number}_0.png", 30)
    out = tmp_path / "out"
    out.symlink_to(tmp_path / "first")
    before = score("medebench", data, tmp_path / "run", "--outputs", out)
    out.unlink()
    out.symlink_to(tmp_path / "second")
    after = score("medebench", data, tmp_path / "run", "--outputs", out)
    assert after == score("medebench", data, tmp_path / "fresh", "--outputs", tmp_path / "second")
    assert after != before


def test_a_report_shows_the_picture_that_was_scored(data: Path, tmp_path: Path) -> None:
    out, report = tmp_path / "out/m", tmp_path / "report"
    for number in (1, 2, 3):
        of_one_size(out / f"{number}_0.png", 20 + number)
    old, new = (out / "2_0.png").read_bytes(), of_one_size(tmp_path / "new.png", 77).read_bytes()
    score("medebench", data, tmp_path / "run", "--outputs", tmp_path / "out")
    told = ("report", tmp_path / "run", "--copy-images", "--to", report)
    cli(*told)
    thumbnails = {path: path.read_bytes() for path in report.rglob("*.webp")}
    written_over(out / "2_0.png", tmp_path / "new.png")
    score("medebench", data, tmp_path / "run", "--outputs", tmp_path / "out")
    cli(*told)
    shown = {path.read_bytes() for path in (report / "pictures").iterdir()}
    assert new in shown
    assert old not in shown
    assert sum(path.read_bytes() != data for path, data in thumbnails.items()) == 1
    kept = tmp_path / "run/edits/medebench/m/2_0.png"  # changed in the run, and not scored again
    written_over(kept, of_one_size(tmp_path / "third.png", 78))
    assert kept.name in cli(*told, expect=None).text
    assert kept.read_bytes() not in {path.read_bytes() for path in (report / "pictures").iterdir()}


def test_verify_reads_every_picture_and_lists_what_changed(data: Path, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        of_one_size(tmp_path / f"out/m/{number}_0.png", 20 + number)
    words = ("score", "medebench", data, "--run", tmp_path / "run", "--tracks", "pixel")
    words = (*words, "--workers", 0, "--outputs", tmp_path / "out")
    cli(*words, expect=None)
    assert cli(*words, "--verify", "--json", expect=None).json["changed"] == []
    written_over(tmp_path / "out/m/3_0.png", of_one_size(tmp_path / "new.png", 77))
    verified = cli(*words, "--verify", "--json", expect=None).json
    assert [Path(place).name for place in verified["changed"]] == ["3_0.png"]
    assert verified["computed"]
    assert "3_0.png" not in cli(*words, "--verify", expect=None).out


def test_a_run_keeps_the_inputs_of_the_samples_that_have_an_output(
    data: Path, tmp_path: Path
) -> None:
    put(tmp_path / "out/m/2_0.png", 20)
    score("medebench", data, tmp_path / "run", "--outputs", tmp_path / "out")
    kept = {path.name for path in (tmp_path / "run/inputs").rglob("*.png")}
    assert kept == {"2.png"}
    cli("report", tmp_path / "run", "--to", tmp_path / "report")
    page = "".join(path.read_text() for path in (tmp_path / "report").rglob("*.js*"))
    assert '"used":1' in page.replace(" ", "")
    put(tmp_path / "out/m/3_0.png", 21)
    score("medebench", data, tmp_path / "run", "--outputs", tmp_path / "out")
    kept = {path.name for path in (tmp_path / "run/inputs").rglob("*.png")}
    assert kept == {"2.png", "3.png"}


def test_some_samples_are_checked_alone(data: Path, tmp_path: Path) -> None:
    put(tmp_path / "out/m/2_0.png", 20)
    words = ("check", "medebench", data, "--outputs", tmp_path / "out", "--json")
    assert cli(*words, expect=1).json["samples"] == 3
    checked = cli(*words, "--sample", "2", expect=None).json
    assert checked["samples"] == 1
    assert checked["outputs"][0]["count"]["missing"] == 0
    assert not [one for one in checked["issues"] if one["sample"] in ("1", "3")]
    cli(*words, "--sample", "nobody", expect=2)


def test_every_folder_is_an_editor_unless_one_is_named(data: Path, tmp_path: Path) -> None:
    for editor in ("ours", "theirs"):
        put(tmp_path / f"out/{editor}/1_0.png", 3)
    words = ("score", "medebench", data, "--outputs", tmp_path / "out", "--tracks", "pixel")
    cli(*words, "--run", tmp_path / "both", "--workers", 0, expect=None)
    cli(*words, "--run", tmp_path / "one", "--workers", 0, "--editor", "ours", expect=None)
    assert {row["editor"] for row in rows_of(tmp_path / "both")} == {"ours", "theirs"}
    assert {row["editor"] for row in rows_of(tmp_path / "one")} == {"ours"}


@pytest.mark.parametrize("suffix", [".png", ".jpg"])
def test_outputs_of_one_colour_are_named_by_check_and_score(
    suffix: str, data: Path, tmp_path: Path
) -> None:
    black = np.zeros((96, 128, 3), np.uint8)
    out, run = tmp_path / "out", tmp_path / "run"
    save(out / f"m/1_0{suffix}", black)
    save(out / f"m/2_0{suffix}", black + np.array([200, 16, 16], np.uint8))
    save(out / f"m/3_0{suffix}", picture(3))
    (found,) = cli("check", "medebench", data, "--outputs", out, "--json", expect=None).json[
        "outputs"
    ]
    named = {
        issue["sample"]: issue["found"]
        for issue in found["issues"]
        if issue["kind"] == "output-one-colour"
    }
    assert (found["count"]["one-colour"], set(named)) == (2, {"1", "2"})
    assert "black" in named["1"]
    assert "200, 1" in named["2"]
    words = ("medebench", data, "--run", run, "--tracks", "pixel", "--workers", 0)
    for more in (("--outputs", out), ("--outputs", out), ()):
        told = cli("score", *words, *more, expect=None)
        assert "m: 2 outputs of one colour all over, 1 of them black (first: 1)" in told.text
    save(out / f"m/1_0{suffix}", picture(1))
    save(out / f"m/2_0{suffix}", picture(2))
    assert "one colour" not in cli("score", *words, "--outputs", out, expect=None).text


def test_an_editors_output_of_one_colour_is_named_by_score(tmp_path: Path) -> None:
    for editor in ("blank", "copy"):
        words = ("mini", "--editor", editor, "--run", tmp_path / "run", "--workers", 0)
        cli("edit", *words, "--limit", 2)
    words = ("mini", "--run", tmp_path / "run", "--tracks", "pixel", "--workers", 0)
    told = cli("score", *words, expect=None)
    (line,) = [line for line in told.text.splitlines() if "of one colour" in line]
    assert "blank: " in line
    assert "0 of them black" in line
