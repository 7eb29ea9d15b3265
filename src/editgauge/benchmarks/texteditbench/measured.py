"""Reads what TextEditBench's released pixel scripts wrote: ``lipis_ssim.py`` and ``mse_psnr.py``.

The first names a sample by topic and number. The second names it by the number alone: the topic,
and the split where both have it, are taken from the path of the file; else it is clear which sample
is meant only where the samples are those of one split and one topic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from editgauge.benchmarks.texteditbench.imports import bare
from editgauge.scoring.imports import ReleasedScore, read_json, wrong_format
from editgauge.types import Sample

_SIMILARITY = {"ssim": "ssim_similarity_outside_mask", "lpips": "lpips_similarity_outside_mask"}
_ERROR = ("mse", "psnr")


def similarity(
    path: Path, known: Mapping[str, Sample], editor: str | None
) -> Iterator[ReleasedScore]:
    """``lipis_ssim.py``: a list of {"topic", "id", "ssim_similarity_outside_mask", …}, of one
    model. A null is a sample that the script could not score (another size).
    """
    value = read_json(path)
    if not isinstance(value, list):
        raise wrong_format(path, 'a list of {"topic", "id", "ssim_similarity_outside_mask"}', value)
    for entry in value:
        if not isinstance(entry, dict) or not set(_SIMILARITY.values()) & set(entry):
            raise wrong_format(path, f'entries with "{_SIMILARITY["ssim"]}"', entry)
    model = editor or path.stem
    places = _Places(known.values())
    for entry in value:
        sample = places.of(str(entry.get("id", "")), str(entry.get("topic", "")))
        for metric, name in _SIMILARITY.items():
            if name in entry:
                yield ReleasedScore(
                    editor=model,
                    sample=sample,
                    metric=metric,
                    value=entry[name],
                    script="lipis_ssim.py",
                )


def error(path: Path, known: Mapping[str, Sample], editor: str | None) -> Iterator[ReleasedScore]:
    """``mse_psnr.py``: {"summary", "details": [{"id", "filename", "mse", "psnr"}]}, of one model."""
    value = read_json(path)
    details = value.get("details") if isinstance(value, dict) else None
    if not isinstance(details, list):
        raise wrong_format(path, '{"details": [{"id", "mse", "psnr"}]}', value)
    model = editor or path.stem
    places = _Places(known.values())
    for entry in details:
        if not isinstance(entry, dict) or not set(_ERROR) & set(entry):
            raise wrong_format(path, 'entries {"id", "mse", "psnr"}', entry)
        sample = places.of(str(entry.get("id", "")), "", path)
        for metric in _ERROR:
            if metric in entry:
                yield ReleasedScore(
                    editor=model,
                    sample=sample,
                    metric=metric,
                    value=entry[metric],
                    script="mse_psnr.py",
                )


class _Places:
    """The samples by number, and by topic's folder and number."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        self._at: dict[tuple[str, str], list[str]] = {}
        self._words: dict[str, tuple[str, str]] = {}
        for sample in samples:
            folder, name = sample.id.split("/")[-2:]
            self._words[sample.id] = (folder, sample.output_stems[0].partition("/")[0])
            for topic in ("", bare(folder)):
                self._at.setdefault((topic, _digits(name)), []).append(sample.id)

    def of(self, name: str, topic: str, file: Path | None = None) -> str:
        """The id of the sample that is meant; what to say of it where there is none or several.

        `file`: where several have the number, those whose topic, then whose split its path names.
        """
        found = self._at.get((bare(topic), _digits(name)), [])
        path = "/".join(file.with_suffix("").parts[-3:]).lower() if file is not None else ""
        if len(found) > 1:
            found = [one for one in found if bare(self._words[one][0]) in bare(path)] or found
        if len(found) > 1:
            words = path.replace("/", "_").split("_")
            found = [one for one in found if self._words[one][1].lower() in words] or found
        if len(found) == 1:
            return found[0]
        told = "/".join(filter(None, (topic, name)))
        if not found:
            return told
        return (
            f"{told} (fits {len(found)} samples: narrow them with --split and --where topic=NAME)"
        )


def _digits(name: str) -> str:
    return name.strip().lstrip("0") or "0"
