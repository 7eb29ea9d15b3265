"""A data set made in code, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw

from editgauge.curation.dataset import DataSet
from editgauge.curation.records import About, Record
from editgauge.images import Array

SIZE = (160, 120)
BOX = (40, 30, 100, 60)
"""Left, top, right, bottom of what a reference changes."""


def scene(seed: int = 0, size: tuple[int, int] = SIZE) -> Array:
    """A picture with enough detail to be found again: smooth blobs of random colours."""
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 256, (size[1] // 8 + 1, size[0] // 8 + 1, 3)).astype(np.uint8)
    import cv2

    return np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def edited(pixels: Array) -> Array:
    made = pixels.copy()
    left, top, right, bottom = BOX
    made[top:bottom, left:right] = 255 - made[top:bottom, left:right]
    return made


def area(size: tuple[int, int] = SIZE) -> Any:
    mask = np.zeros((size[1], size[0]), dtype=np.bool_)
    left, top, right, bottom = BOX
    mask[top:bottom, left:right] = True
    return mask


def make_set(root: Path, count: int = 2, **about: Any) -> DataSet:
    data = DataSet.create(root, About(**{"name": "wards", **about}))
    for number in range(count):
        add(data, number)
    return data


def add(data: DataSet, number: int, **fields: Any) -> Record:
    pixels = scene(number)
    before, after = data.keep(pixels), data.keep(edited(pixels))
    facts = {
        "id": f"s{number:02d}",
        "instruction": 'Replace "OLD" with "NEW".',
        "images": [before],
        "reference": after,
        "pictures": {before: {"looked": "ann"}, after: {"looked": "ann"}},
        "masks": {"input": data.keep(area(), "masks")},
        "category": ["Lung", "remove nodule"] if number % 2 else ["Brain", "remove tumour"],
        "source_text": "OLD",
        "target_text": "NEW",
        "caption": "a NEW sign",
        "change": "Edit this scan to take the lesion out.",
        "attributes": {"difficulty": "hard" if number % 3 else "easy", "operation": "text_change"},
        **fields,
    }
    return data.add(facts, "ann")


def scan(path: Path, *, name: str = "MUSTERMANN^ERIKA", burnt: str = "MUSTERMANN 1961") -> Path:
    """A DICOM file with a name in its elements and burnt into its pixels."""
    pydicom = pytest.importorskip("pydicom")
    from pydicom.dataset import FileDataset, FileMetaDataset
    from pydicom.uid import ExplicitVRLittleEndian, SecondaryCaptureImageStorage, generate_uid

    canvas = Image.new("L", (512, 384), 30)
    drawing = ImageDraw.Draw(canvas)
    drawing.ellipse((120, 110, 400, 360), fill=150)
    drawing.text((16, 12), burnt, fill=255, font_size=34)
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID = SecondaryCaptureImageStorage
    meta.MediaStorageSOPInstanceUID = generate_uid()
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    data = FileDataset(str(path), {}, file_meta=meta, preamble=b"\0" * 128)
    data.PatientName, data.PatientID, data.Modality = name, "PAT12345", "CR"
    data.InstitutionName = "Klinikum Musterstadt"
    data.Rows, data.Columns = 384, 512
    data.SamplesPerPixel, data.PhotometricInterpretation = 1, "MONOCHROME2"
    data.BitsAllocated = data.BitsStored = 16
    data.HighBit, data.PixelRepresentation = 15, 0
    data.WindowCenter, data.WindowWidth = 2048, 4096
    data.PixelData = (np.asarray(canvas).astype(np.uint16) * 16).tobytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    data.save_as(path, enforce_file_format=True)
    assert pydicom.misc.is_dicom(path)
    return path
