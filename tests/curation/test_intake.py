"""Pictures in: alignment, scans, faces, near-duplicates, metadata."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from editgauge.curation import alignment, dicom, intake, privacy
from editgauge.curation.dataset import DataSet
from editgauge.curation.fields import set_words
from editgauge.curation.records import About, Box, Record
from editgauge.curation.review import faults, faults_by_protocol
from editgauge.errors import DataError, UsageError
from editgauge.images import read_image, read_mask, write_png
from editgauge.web.log import Act
from tests.curation.made_set import BOX, edited, make_set, scan, scene

WHO = intake.Intake(who="ann")


def misaligned(pixels: Any) -> tuple[Any, Any]:
    """The picture turned about its middle and shifted, and the matrix that did it."""
    height, width = pixels.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), 1.5, 1.0)
    matrix[:, 2] += (5.6, 4.2)
    way = {"flags": cv2.INTER_CUBIC, "borderMode": cv2.BORDER_REFLECT}
    return cv2.warpAffine(pixels, matrix, (width, height), **way), matrix


def furthest(matrix: Any, truth: Any, size: tuple[int, int]) -> float:
    """The largest error in pixels over the frame."""
    corners = np.array([[[x, y] for x in (0.0, size[0] - 1) for y in (0.0, size[1] - 1)]])
    back = cv2.transform(cv2.transform(corners, truth), np.asarray(matrix))
    return float(np.hypot(*(back - corners)[0].T).max())


@pytest.mark.parametrize("size", [(256, 200), (160, 120)])
def test_a_pair_is_aligned_within_a_tenth_of_a_pixel(size: tuple[int, int]) -> None:
    fixed = scene(1, size)
    moving, truth = misaligned(edited(fixed))
    found = alignment.align(fixed, moving)
    assert (found.method, found.refused) == ("sift", "")
    assert furthest(found.matrix, truth, size) < 0.1


def test_a_scan_without_corners_is_aligned_by_its_values() -> None:
    soft = np.zeros((200, 256), np.float32)
    blobs = ((128, 100, 90, 70, 120), (100, 90, 20, 30, 60), (160, 110, 25, 18, -70))
    for x, y, a, b, level in blobs:
        ellipse = cv2.ellipse(np.zeros_like(soft), (x, y), (a, b), 20, 0, 360, 1.0, -1)
        soft += level * cv2.GaussianBlur(ellipse, (0, 0), 5)
    fixed = np.repeat(np.clip(soft, 0, 255).astype(np.uint8)[:, :, None], 3, axis=2)
    moving, truth = misaligned(fixed)
    found = alignment.align(fixed, moving)
    assert (found.method, found.refused) == ("phase", "")
    assert furthest(found.matrix, truth, (256, 200)) < 0.5


def test_pairs_come_from_two_folders(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 0)
    for number in range(2):
        pixels = scene(number, (256, 200))
        write_png(tmp_path / "in" / f"p{number}.png", pixels)
        write_png(tmp_path / "ref" / f"p{number}.png", misaligned(edited(pixels))[0])
    write_png(tmp_path / "ref" / "p1.png", scene(9, (256, 200)))
    taken = intake.pair(data, tmp_path / "in", tmp_path / "ref", WHO)
    assert [item.sample for item in taken] == ["s0001", ""]
    assert "not aligned" in taken[1].note
    record = data.record("s0001")
    facts = record.pictures[record.reference].alignment
    assert facts["quality"] > 0.5
    assert len(list((tmp_path / "set" / "pictures").iterdir())) == 2, "nothing is left of a refusal"
    write_png(tmp_path / "in" / "lonely.png", scene(3))
    with pytest.raises(DataError, match="'lonely'"):
        intake.pair(data, tmp_path / "in", tmp_path / "ref", WHO)


def test_metadata_goes_and_orientation_is_applied(tmp_path: Path) -> None:
    image = Image.fromarray(scene(1))
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "Erika Mustermann"
    image.save(tmp_path / "a.jpg", exif=exif, comment=b"Erika Mustermann")
    data = make_set(tmp_path / "set", 0)
    (taken,) = intake.add(data, [tmp_path / "a.jpg"], intake.Intake(who="ann", longest=80))
    kept = data.path(data.record(taken.sample).images[0])
    assert read_image(kept).shape[:2] == (80, 60)
    assert all(b"Erika" not in path.read_bytes() for path in data.root.rglob("*") if path.is_file())


def test_a_file_is_taken_in_once_whatever_became_of_its_sample(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    for number in range(4):
        write_png(folder / f"{number}.png", scene(number + number // 3))
    data = make_set(tmp_path / "set", 0)
    intake.add(data, [folder / f"{n}.png" for n in range(3)], WHO)
    data.change("s0001", 1, {"instruction": "Turn it."}, Act("ann"))
    (old,) = data.record("s0002").images
    privacy.hide(data, "s0002", 1, old, [Box("other", (5, 5, 50, 50))], "ann")
    data.change("s0003", 1, {"state": "erased"}, Act("ann"))
    data.rename("s0001", "renamed", "ann")
    again = intake.add(data, [folder], WHO)
    assert [(item.sample, item.note) for item in again] == [
        ("renamed", intake.BEFORE),
        ("s0002", intake.BEFORE),
        ("s0003", f"{intake.BEFORE} and erased"),
        ("s0001", ""),
    ]
    assert not (data.root / old).exists(), "what was hidden does not come back"
    split = intake.Intake(who="ann", fields={"split": "test"})
    assert [item.sample for item in intake.add(data, [folder / "0.png"], split)] == ["s0004"]
    pair = (data, folder / "0.png", folder / "0.png", WHO)
    assert intake.pair(*pair)[0].sample == intake.pair(*pair)[0].sample == "s0005"


class Reading:
    """An OCR engine that reads one text at one place, wherever it is still to be seen."""

    def __call__(self, image: Any, language: str = "en") -> list[Any]:
        from editgauge.ocr.engine import Text

        if int(image[12:56, 16:330].max()) < 250:
            return []
        corners = ((16.0, 12.0), (330.0, 12.0), (330.0, 56.0), (16.0, 56.0))
        return [Text(corners, "MUSTERMANN 1961", 0.99)]


def test_a_scan_keeps_its_window_and_no_name(tmp_path: Path) -> None:
    path = scan(tmp_path / "MUSTERMANN_ERIKA.dcm")
    data = make_set(tmp_path / "set", 0)
    engine = Reading()
    how = intake.Intake(who="ann", engine=engine, fields={"instruction": "Remove the device."})
    (taken,) = intake.add(data, [path], how)
    record = data.record(taken.sample)
    (facts,) = record.pictures.values()
    assert facts.scan["window"] == [2048.0, 4096.0]
    assert facts.scan["modality"] == "CR"
    proposal = next(one for one in facts.proposals if one.kind == "text")
    found = faults(data, [record], engine=engine)
    assert {why.split(":")[0] for _, why in found} >= {
        "a picture that nobody has looked at for names and faces"
    }
    assert any("to be read in the pixels" in why for _, why in found)
    (old,) = record.images
    hidden = privacy.hide(data, taken.sample, 1, old, [proposal], "ann")
    assert not (data.root / old).exists(), "the picture with the name is gone"
    assert not faults(data, [hidden], engine=engine)
    everything = b"".join(p.read_bytes() for p in data.root.rglob("*") if p.is_file())
    for word in (b"MUSTERMANN", b"ERIKA", b"PAT12345", b"Musterstadt", b"1961"):
        assert word.lower() not in everything.lower()
    data.change(taken.sample, hidden.version, {"instruction": "Ask Mustermann."}, Act("ben"))
    assert any("name a patient" in why for _, why in faults(data, data.records()))


def volume(path: Path, *, groups: bool = False) -> Path:
    """A CT file of five frames, frame n of 100 n Hounsfield units with a darker half; `groups`:
    rescaling and windows stand in functional groups, another one for each frame.
    """
    pydicom = pytest.importorskip("pydicom")
    from pydicom.dataset import Dataset

    def group(keyword: str, **facts: Any) -> Any:
        made, inside = Dataset(), Dataset()
        for name, value in facts.items():
            setattr(inside, name, value)
        setattr(made, keyword, [inside])
        return made

    data = pydicom.dcmread(scan(path))
    data.Modality, data.BodyPartExamined = "CT", "MUSTERMANN"
    data.NumberOfFrames, data.Rows, data.Columns = 5, 40, 48
    values = np.arange(1, 6, dtype=np.uint16)[:, None, None] * 100 + np.full((40, 48), 1024, "u2")
    values[:, :, :24] -= 80
    data.PixelData = values.tobytes()
    rule = {"RescaleSlope": 1, "RescaleIntercept": -1024}
    if groups:
        del data.WindowCenter, data.WindowWidth
        data.SharedFunctionalGroupsSequence = [group("PixelValueTransformationSequence", **rule)]
        data.PerFrameFunctionalGroupsSequence = [
            group("FrameVOILUTSequence", WindowCenter=100 * n, WindowWidth=200) for n in range(1, 6)
        ]
    else:
        data.RescaleSlope, data.RescaleIntercept = 1, -1024
        data.WindowCenter, data.WindowWidth = [300, 50], [600, 100]
    data.save_as(path, enforce_file_format=True)
    return path


def test_frames_and_windows_are_chosen(tmp_path: Path) -> None:
    file = dicom.ScanFile(volume(tmp_path / "a.dcm"))
    shown = {w: file.scan(2, w).pixels[0, [0, 47], 0].tolist() for w in ("file", "full", "160,41")}
    by_the_standard = [round((value - 299.5) / 599 * 255 + 127.5) for value in (120, 200)]
    assert shown == {"file": by_the_standard, "full": [0, 255], "160,41": [0, 255]}
    assert file.scan(2).facts == {
        "modality": "CT", "photometric": "MONOCHROME2", "frame": 2, "window": [300.0, 600.0],
    }, "a name in another element is no body part"  # fmt: skip
    assert [file.chosen(words) for words in ("middle", "4,2")] == [[3], [2, 4]]
    with pytest.raises(UsageError, match="wanted file"):
        file.scan(1, "0,0")
    with pytest.raises(DataError, match=r"a\.dcm: frame 9 is asked for, the file has 5"):
        file.chosen("9")


def test_each_frame_is_shown_by_its_own_group(tmp_path: Path) -> None:
    file = dicom.ScanFile(volume(tmp_path / "a.dcm", groups=True))
    first, last = file.scan(1), file.scan(5)
    assert (first.facts["window"], last.facts["window"]) == ([100.0, 200.0], [500.0, 200.0])
    assert np.array_equal(first.pixels, last.pixels)
    assert first.pixels[0, 47, 0] == 128


@pytest.mark.parametrize("spoil", ["cut", "text", "rows"])
def test_a_scan_that_is_none(tmp_path: Path, spoil: str) -> None:
    path = scan(tmp_path / "a.dcm")
    raw = path.read_bytes()
    path.write_bytes({
        "cut": raw[: len(raw) // 3],
        "text": b"\0" * 128 + b"DICM" + b"nonsense" * 50,
        "rows": raw.replace((384).to_bytes(2, "little"), b"\xff\xff", 1),
    }[spoil])  # fmt: skip
    with pytest.raises(DataError, match=r"a\.dcm"):
        dicom.ScanFile(path).scan()


def test_a_reference_and_a_mask_are_given_later(tmp_path: Path) -> None:
    pixels = scene(1, (256, 200))
    write_png(tmp_path / "before.png", pixels)
    shifted, _ = misaligned(edited(pixels))
    write_png(tmp_path / "after.png", shifted)
    with DataSet.create(tmp_path / "set", About(name="wards", protocol="medebench")) as data:
        intake.add(data, [tmp_path / "before.png"], WHO)
        data.change("s0001", 1, {"instruction": "Turn it."}, Act("ann"))
        faults_before = [fault.why for fault in faults_by_protocol(data, data.records())]
        assert "no reference, which the layout has" in faults_before
        given = (f"reference={tmp_path / 'after.png'}", "mask.roi=difference")
        record = set_words(data, "s0001", given, "ann")
        assert isinstance(record, Record)
        first = record.reference
        reference = read_image(data.path(first))
        assert reference.shape == pixels.shape
        outside = np.ones(pixels.shape[:2], bool)
        left, top, right, bottom = BOX
        outside[top - 8 : bottom + 8, left - 8 : right + 8] = False
        outside[:20] = outside[-20:] = False
        outside[:, :20] = outside[:, -20:] = False
        difference = np.abs(reference.astype(int) - pixels.astype(int))[outside]
        assert difference.mean() < 6, "the reference is aligned to the input"
        assert record.unseen, "a person looks at the new picture, too"
        assert read_mask(data.path(record.masks["roi"])).any()
        write_png(tmp_path / "other.png", edited(pixels))
        words = (f"reference={tmp_path / 'other.png'}", "align=none")
        again = set_words(data, "s0001", words, "ann")
        assert isinstance(again, Record)
        assert again.reference != first
        assert not (data.root / first).exists(), "the older reference is gone"
        assert set(again.pictures) == {*again.images, again.reference}
