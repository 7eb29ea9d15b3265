"""What people do, from end to end: a study in the browser, ratings from a file, a data set."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.chromium import chromium
from tests.contract.faults import copy_of, files
from tests.contract.support import cli, killed, rows_of, save
from tests.curation.made_set import edited, scan, scene
from tests.study.served import Server

DESIGN = """
name = "first"
mode = "rate"
annotators_per_sample = 2
seed = 1
[[questions]]
id = "EA"
text = "Does the output follow the instruction?"
[samples]
count = 3
"""
RATED = {"ann": 4, "ben": 2}


def lines_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# -- a study ---------------------------------------------------------------------------------------


def until(page: Any, true: str) -> None:
    """Wait for an expression. (The page's own rules allow no script that Playwright would wait by.)"""
    for _ in range(600):
        if page.evaluate(true):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never: {true}\n{page.inner_text('body')}")


def rate(browser: Any, link: str, key: int, samples: int) -> str:
    """Rate both outputs of each sample by keys, as the page says; returns all that was read."""
    page = browser.new_context().new_page()
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.goto(link)
    read = ""
    for _ in range(samples):
        until(page, "[...document.images].filter(image => image.complete).length > 1")
        read += page.inner_text("body")
        page.keyboard.press(str(key))
        page.keyboard.press(str(key))
        before = page.inner_text("body")
        page.keyboard.press("Enter")
        until(page, f"document.body.innerText.trim() !== {json.dumps(before.strip())}")
    page.wait_for_timeout(200)
    page.context.close()
    assert not failures
    return read


@pytest.mark.browser
def test_a_study_from_the_design_to_agreement(judged_run: Path, tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason="a study needs the extra study")
    run = copy_of(judged_run, tmp_path / "run")
    design = tmp_path / "design.toml"
    design.write_text(DESIGN, encoding="utf-8")
    assert cli("study", "start", "--estimate", run, design, "--json").json["tasks"] == 6
    server = Server(run)
    base = ("--base", server.url)
    told = cli("study", "start", run, design, "--annotators", "ann,ben", *base, "--json")
    links = told.json["links"]
    for link in links.values():
        token = link.rsplit("/", 1)[-1].encode()
        assert not [path for path in files(run) if token in path.read_bytes()], "a link is kept"
    with chromium() as browser:
        for name, key in RATED.items():
            server.begin()  # killed between the two, after the page said it was sent
            read = rate(browser, links[name], key, 3)
            server.kill()
            assert "EA" in read or "follow the instruction" in read
            assert "judge-2026" not in read
            assert "copy" not in read
    status = cli("study", "status", run, "--json").json
    assert status["missing"] == 0
    cli("study", "export", run, tmp_path / "ratings.csv")
    lines = lines_of(tmp_path / "ratings.csv")
    assert len(lines) == 3 * 2 * 2
    assert {(line["annotator"], float(line["value"])) for line in lines} == set(RATED.items())
    cli("study", "agree", run, "--json")
    cli("check", run)
    cli("report", run)
    first, tables = pages_of(run / "report")
    assert "2 annotators (6 outputs)" in first
    assert "alpha" in first
    assert "means of people" in tables
    assert "1 to 5" in tables, "a mean of people has its scale in its heading"


def test_a_study_in_the_local_network_prints_links_that_can_be_opened(
    judged_run: Path, tmp_path: Path
) -> None:
    pytest.importorskip("starlette", reason="a study needs the extra study")
    run = copy_of(judged_run, tmp_path / "run")
    design = tmp_path / "design.toml"
    design.write_text(DESIGN, encoding="utf-8")
    cli("study", "start", run, design, "--annotators", "ann,ben")
    server = Server(run, more=("--lan",))
    server.begin()
    assert server.process is not None
    assert server.process.stdout is not None
    said = ""
    while "stop with" not in said:
        line = server.process.stdout.readline()
        assert line, f"the server ended: {said}"
        said += line
    links = re.findall(r"http://\S+/a/\S+", said)
    assert len(links) == 2, "one for each annotator"
    assert "0.0.0.0" not in said, "nobody can open that address"
    assert "HTTPS" in said
    printed = urlsplit(links[0])
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection:
        connection.request("GET", printed.path, headers={"Host": printed.netloc})
        answer = connection.getresponse()
        assert answer.status == 303, "the link signs in and leads to the first page"
    server.kill()


def pages_of(report: Path) -> tuple[str, str]:
    """The text of a report's first page and of its tables."""
    with chromium() as browser:
        page = browser.new_context().new_page()
        page.goto((report / "index.html").as_uri())
        until(page, "document.body.innerText.includes('annotators')")
        first = str(page.inner_text("body"))
        page.get_by_role("link", name="Means of people").click()
        until(page, "document.body.innerText.includes('means of people')")
        return first, str(page.inner_text("body"))


RATINGS = """sample,annotator,question,copy,reference
replace-01,ann,EA,2,1
replace-01,ben,EA,2,1
replace-02,ann,EA,2,1
replace-02,ben,EA,1,2
replace-03,ann,EA,2,1
replace-03,ben,EA,2,1
"""


def test_ratings_from_a_file_become_rows_and_agreement(judged_run: Path, tmp_path: Path) -> None:
    run, made = copy_of(judged_run, tmp_path / "run"), tmp_path / "ratings.csv"
    made.write_text(RATINGS, encoding="utf-8")
    for _ in range(2):  # a file may be taken in again
        cli("study", "import", run, made, "--scale", "rank")
    ratings = [row for row in rows_of(run) if row["metric"] == "EA.rank"]
    assert len(ratings) == 12
    assert {row["value"] for row in ratings if row["editor"] == "reference"} == {1.0, 2.0}
    cli("study", "export", run, tmp_path / "out.csv")
    out = lines_of(tmp_path / "out.csv")
    wanted = {(line["sample"], line["annotator"]): line for line in lines_of(made)}
    assert len(out) == 2 * len(wanted) == 12
    for line in out:
        same = wanted[line["sample"], line["annotator"]]
        assert float(line["value"]) == float(same[line["editor"]])
    assert "ann" in cli("study", "agree", run).out
    assert cli("table", run, "--calibrate", "human", "--set", "proxy=EA=ssim", "--json").out
    made.write_text(RATINGS.replace("replace-02,ben,EA,1,2", "nowhere,ben,EA,1,2"))
    refused = cli("study", "import", run, made, "--scale", "rank", expect=2)
    assert "nowhere" in refused.err
    assert len([row for row in rows_of(run) if row["metric"] == "EA.rank"]) == 12
    named = RATINGS.replace("ben", "ben@example.org")
    made.write_text(named)
    cli("study", "import", run, made, "--scale", "rank", expect=2)
    cli("study", "import", run, made, "--scale", "rank", "--anonymise")
    assert not [path for path in files(run) if b"example.org" in path.read_bytes()]


def test_a_run_with_a_study_holds_no_secret(
    judged_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is given the run cannot find an annotator by trying names."""
    monkeypatch.setenv("EDITGAUGE_PRIVATE", str(tmp_path / "private"))
    run, ratings = copy_of(judged_run, tmp_path / "run"), tmp_path / "ratings.csv"
    ratings.write_text(RATINGS, encoding="utf-8")
    anonymised = ("study", "import", run, ratings, "--scale", "rank", "--anonymise")
    cli(*anonymised)
    design = tmp_path / "design.toml"
    design.write_text(DESIGN, encoding="utf-8")
    cli("study", "start", run, design, "--annotators", "ann,ben")
    secrets = files(tmp_path / "private")
    assert secrets, "the secret of the pseudonyms is on this machine"
    for secret in secrets:
        assert not [path for path in files(run) if secret.read_bytes() in path.read_bytes()]
    before = {row["source"] for row in rows_of(run) if row["metric"] == "EA.rank"}
    cli(*anonymised)
    after = {row["source"] for row in rows_of(run) if row["metric"] == "EA.rank"}
    assert before == after, "the same annotator has the same pseudonym on this machine"
    monkeypatch.setenv("EDITGAUGE_PRIVATE", str(tmp_path / "another machine"))
    refused = cli(*anonymised, expect=2)
    assert "on the machine that imported" in refused.err


# -- a data set ------------------------------------------------------------------------------------


def test_a_data_set_from_pictures_to_a_release(tmp_path: Path) -> None:
    folder = tmp_path / "wards"
    cli("new", "dataset", folder, "title=Our wards", "required=licence", "reviews=2")
    for number in (1, 2, 3):
        save(tmp_path / f"before/s-{number}.png", scene(number))
        save(tmp_path / f"after/s-{number}.png", edited(scene(number)))
    (tmp_path / "before/s-4.png").write_bytes(b"no picture")
    save(tmp_path / "after/s-4.png", scene(4))
    add = ("curate", "add", folder, "--keep-names", "--set", "licence=CC0", "--ocr", "none")
    pair = (tmp_path / "before", "--references", tmp_path / "after")
    cli(*add, *pair, "--set", "category=Lung/remove nodule", expect=1)
    names = ["s-1", "s-2", "s-3"]
    cli(*add, scan(tmp_path / "Quillfeather.dcm", name="Quillfeather^Ada"))
    for name in names:
        told = ("instruction=Remove the nodule.", "organ=Lung", "task=remove nodule")
        cli("curate", "set", folder, name, *told, "change=Edit this scan to remove the nodule.")
        cli("curate", "set", folder, name, "mask=difference")
    release = ("curate", "export", folder, "--version", "1.0.0", "--to", tmp_path / "wards.zip")
    assert "s-1" in cli("curate", "export", folder, expect=1).text, "nobody has reviewed it"
    cli(*release, "--ocr", "none", expect=2)
    assert not (tmp_path / "wards.zip").exists()
    for who in ("ann", "ben"):
        for name in names:
            cli("curate", "set", folder, name, "review=accept", "--who", who)

    to = tmp_path / "exported"
    export = ("curate", "export", folder, "--layout", "medebench", "--to", to, "--ocr", "none")
    cli(*export, expect=2)
    assert not to.exists(), "a scan that nobody has looked at keeps everything here"
    cli(*export, "--ready-only", expect=2)
    assert not to.exists(), "nothing leaves that was neither searched for names nor looked at"
    cli("curate", "add", folder)
    cli(*export, "--ready-only", expect=1)
    assert cli("check", "medebench", to, "--json").json
    cli("curate", "set", folder, "s-3", "--note", "consent withdrawn", "state=erased")
    assert cli(*release, "--ready-only", "--ocr", "none", expect=None).code in (0, 1)
    with zipfile.ZipFile(tmp_path / "wards.zip") as packed:
        assert packed.testzip() is None
        members = {name: packed.read(name) for name in packed.namelist()}
    assert any(b"s-1" in data for data in members.values())
    held = [*members.values(), *(path.read_bytes() for path in files(folder) + files(to))]
    for word in (b"Quillfeather", b"PAT12345"):
        assert not [data for data in held if word in data], "a patient is named"
    log = cli("curate", "log", folder, "--json").json
    assert {"ann", "ben"} <= {event["who"] for event in log["events"]}

    save(tmp_path / "outputs/mine/s-1.png", edited(scene(1)))
    score = ("score", f"dir:{folder}", "--outputs", tmp_path / "outputs", "--editor", "mine")
    cli(*score, "--run", tmp_path / "run", "--workers", 0, expect=1)
    assert "scored" in {row["status"] for row in rows_of(tmp_path / "run")}


def test_a_confirmed_change_of_a_data_set_survives_kill_9(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    cli("new", "dataset", folder)
    cli(
        "curate", "add", folder, "--keep-names", save(tmp_path / "a.png", scene(1)), "--ocr", "none"
    )
    for number, seconds in enumerate((0.2, 0.6, 1.0)):
        cli("curate", "set", folder, "a", f"instruction=Step {number}.")
        killed(("curate", "set", folder, "a", "split=test"), seconds)
        log = cli("curate", "log", folder, "--json").text
        assert f"Step {number}." in log
