"""Weights as data: one table of what each network needs, from where, and how it is recognised.

Nothing here is shipped: a file comes from `editgauge fetch weights NAME`, from a folder that
somebody filled (``--weights DIR`` or ``EDITGAUGE_WEIGHTS``), or out of an installed package
(torchmetrics' wheel has the LPIPS heads). Wherever it comes from, its SHA-256 is checked before it
is loaded: another model is never used silently.

Checksums in the table come from the publishers (a hash in the file's name or address, the hub's
listing) and were compared with several public records of the same files. Where no checksum is
published, `sha256` is None: the file is refused until ``editgauge fetch weights NAME
--trust-first-use`` has recorded what it is in the folder's lock file, and from then on any other
content is refused.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from editgauge.errors import UnknownName, WeightsError
from editgauge.images import write_bytes
from editgauge.services import hub
from editgauge.services.download import Progress, Remote, download, sha256

ENVIRONMENT = "EDITGAUGE_WEIGHTS"
LOCK_FILE = "editgauge-weights.lock.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightFile:
    """One file of a network. `package` is where an installed package carries the same bytes:
    (package, path in it).
    """

    name: str
    url: str
    sha256: str | None
    size: int | None = None
    package: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What one network needs. `source` is a hub id or a page, `revision` the pinned commit, tag or
    file version.
    """

    name: str
    title: str
    source: str
    revision: str
    licence: str
    files: tuple[WeightFile, ...]
    used_for: str
    activation: str | None = None
    """The activation function that the network was trained with, where a wrong one would not be
    noticed.
    """

    @property
    def size(self) -> int | None:
        """Bytes of all files, None when one is not known."""
        sizes = [f.size for f in self.files]
        return None if None in sizes else sum(s for s in sizes if s is not None)

    @property
    def command(self) -> str:
        """What to type to get them."""
        trust = " --trust-first-use" if any(f.sha256 is None for f in self.files) else ""
        return f"editgauge fetch weights {self.name}{trust}"


def _lpips(name: str, title: str, backbone: WeightFile, head: WeightFile, used_for: str) -> Weights:
    return Weights(
        name=f"lpips-{name}",
        title=f"LPIPS v0.1, {title} backbone (torchvision) and linear heads",
        source="torchvision and richzhang/PerceptualSimilarity",
        revision="v0.1",
        licence="BSD-3-Clause (backbone), BSD-2-Clause (heads)",
        files=(backbone, head),
        used_for=used_for,
    )


def _head(name: str, checksum: str, size: int) -> WeightFile:
    """The linear heads: the file of the original repository, which torchmetrics' wheel carries byte
    for byte.
    """
    return WeightFile(
        name=f"{name}.pth",
        url=f"https://github.com/richzhang/PerceptualSimilarity/raw/master/lpips/weights/v0.1/{name}.pth",
        sha256=checksum,
        size=size,
        package=("torchmetrics", f"functional/image/lpips_models/{name}.pth"),
    )


def _torchvision(name: str, checksum: str, size: int) -> WeightFile:
    return WeightFile(
        name=name, url=f"https://download.pytorch.org/models/{name}", sha256=checksum, size=size
    )


def _on_hub(
    identity: str, revision: str, files: Mapping[str, tuple[str, int]]
) -> tuple[WeightFile, ...]:
    """Files of a repository of the hub: name -> SHA-256 and size."""
    return tuple(
        WeightFile(
            name=name,
            url=f"{hub.ENDPOINT}/{identity}/resolve/{revision}/{name}",
            sha256=checksum,
            size=size,
        )
        for name, (checksum, size) in files.items()
    )


_SAM_ID = "facebook/sam-vit-base"
_SAM_REVISION = "70c1a07f894ebb5b307fd9eaaee97b9dfc16068f"
_DINO_ID = "IDEA-Research/grounding-dino-tiny"
_DINO_REVISION = "a2bb814dd30d776dcf7e30523b00659f4f141c71"
_YUNET_ID = "opencv/face_detection_yunet"
_YUNET_REVISION = "3cc26e7f1014a5ee5d74a42acee58bafc9d0a310"
_CLIP_ID = "openai/clip-vit-large-patch14"
_CLIP_REVISION = "32bd64288804d66eefd0ccbe215aa642df71cc41"


WEIGHTS: dict[str, Weights] = {
    weights.name: weights
    for weights in (
        _lpips(
            "squeeze",
            "SqueezeNet 1.1",
            _torchvision(
                "squeezenet1_1-b8a52dc0.pth",
                "b8a52dc049b60e4b6ab68ad0df457362afab8b6304b2febdc1650a5dab4d7e7b",
                4_958_839,
            ),
            _head(
                "squeeze",
                "4a5350f23600cb79923ce65bb07cbf57dca461329894153e05a1346bd531cf76",
                10_811,
            ),
            "TextEditBench LPIPS",
        ),
        _lpips(
            "alex",
            "AlexNet",
            _torchvision(
                "alexnet-owt-7be5be79.pth",
                "7be5be791159472b1fbf3c69796f7cb30dca7ad8466c2df70058c37116cdee02",
                244_408_911,
            ),
            _head(
                "alex", "df73285e35b22355a2df87cdb6b70b343713b667eddbda73e1977e0c860835c0", 6_009
            ),
            "MedEBench LPIPS",
        ),
        _lpips(
            "vgg",
            "VGG-16",
            _torchvision(
                "vgg16-397923af.pth",
                "397923af8e79cdbb6a7127f12361acd7a2f83e06b05044ddf496e83de57a5bf0",
                553_433_881,
            ),
            _head("vgg", "a78928a0af1e5f0fcb1f3b9e8f8c3a2a5a3de244d830ad5c1feddc79b8432868", 7_289),
            "LPIPS on request",
        ),
        Weights(
            name="clip-vit-large-patch14",
            title="CLIP ViT-L/14 (OpenAI)",
            source=_CLIP_ID,
            revision=_CLIP_REVISION,
            licence="MIT",
            files=_on_hub(
                _CLIP_ID,
                _CLIP_REVISION,
                {
                    "config.json": (
                        "8a09b467700c58138c29d53c605b34ebc69beaadd13274a8a2af8ad2c2f4032a",
                        4_519,
                    ),
                    "model.safetensors": (
                        "a2bf730a0c7debf160f7a6b50b3aaf3703e7e88ac73de7a314903141db026dcb",
                        1_710_540_580,
                    ),
                    "vocab.json": (
                        "3f0c4f7d2086b61b38487075278ea9ed04edb53a03cbb045b86c27190fa8fb69",
                        961_143,
                    ),
                    "merges.txt": (
                        "9fd691f7c8039210e0fced15865466c65820d09b63988b0174bfe25de299051a",
                        524_619,
                    ),
                },
            ),
            used_for="CLIPScore, ISim, TAlign, DAlign, aesthetic score",
            activation="quick_gelu",
        ),
        Weights(
            name="laion-aesthetic-vit-l-14",
            title="LAION aesthetic predictor v1, linear head for ViT-L/14",
            source="LAION-AI/aesthetic-predictor",
            revision="main",
            licence="MIT",
            files=(
                WeightFile(
                    name="sa_0_4_vit_l_14_linear.pth",
                    url="https://github.com/LAION-AI/aesthetic-predictor/raw/main/sa_0_4_vit_l_14_linear.pth",
                    sha256=None,
                ),
            ),
            used_for="TextEdit aesthetic score",
        ),
        Weights(
            name="inception-fid",
            title="Inception-v3 of 2015-12-05 for FID, ported from TensorFlow",
            source="mseitzer/pytorch-fid",
            revision="fid_weights",
            licence="Apache-2.0",
            files=(
                WeightFile(
                    name="pt_inception-2015-12-05-6726825d.pth",
                    url="https://github.com/mseitzer/pytorch-fid/releases/download/fid_weights/"
                    "pt_inception-2015-12-05-6726825d.pth",
                    sha256="6726825d0af5f729cebd5821db510b11b1cfad8faad88a03f1befd49fb9129b2",
                    size=95_628_359,
                ),
            ),
            used_for="MedEBench FID and KID",
        ),
        Weights(
            name="sam-vit-base",
            title="Segment Anything, ViT-B (Meta)",
            source=_SAM_ID,
            revision=_SAM_REVISION,
            licence="Apache-2.0",
            files=_on_hub(
                _SAM_ID,
                _SAM_REVISION,
                {
                    "config.json": (
                        "5ebd0d8643b486f3a716bf17c2a15531eb818b2b96ff0c6c5dcc88fa015161af",
                        6_566,
                    ),
                    "model.safetensors": (
                        "892c410e496344e527255ccdcb2cb7244a609acb5389c7c4fdba1288f861c579",
                        374_979_480,
                    ),
                },
            ),
            used_for="masks from a box or a click (curate)",
        ),
        Weights(
            name="grounding-dino-tiny",
            title="Grounding DINO, Swin-T (IDEA)",
            source=_DINO_ID,
            revision=_DINO_REVISION,
            licence="Apache-2.0",
            files=_on_hub(
                _DINO_ID,
                _DINO_REVISION,
                {
                    "config.json": (
                        "eec82c5ab66e16df12a9a212e68ac011779927c2536cf9078658e35d85f0c67a",
                        1_644,
                    ),
                    "model.safetensors": (
                        "1a2412ef99bd74bcd3c2a246fa1e48581f8889a1300c9051974741314fc042f3",
                        689_359_096,
                    ),
                    "tokenizer.json": (
                        "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
                        711_396,
                    ),
                },
            ),
            used_for="masks from words, before sam-vit-base (curate)",
        ),
        Weights(
            name="yunet",
            title="YuNet face detector (OpenCV)",
            source=_YUNET_ID,
            revision=_YUNET_REVISION,
            licence="MIT",
            files=_on_hub(
                _YUNET_ID,
                _YUNET_REVISION,
                {
                    "face_detection_yunet_2023mar.onnx": (
                        "8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4",
                        232_589,
                    ),
                },
            ),
            used_for="faces from any side, and their eyes (curate)",
        ),
    )
}


def find(name: str) -> Weights:
    """The table's entry. Raises `UnknownName` with the names there are."""
    if name not in WEIGHTS:
        raise UnknownName(f"weights {name!r} are not known; there are: {', '.join(WEIGHTS)}")
    return WEIGHTS[name]


def folder(chosen: Path | str | None = None) -> Path:
    """The weights folder: the chosen one, else ``EDITGAUGE_WEIGHTS``, else the user's cache."""
    if chosen:
        return Path(chosen)
    if named := os.environ.get(ENVIRONMENT):
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "editgauge" / "weights"


@dataclass(frozen=True, slots=True)
class Local:
    """Files of a network that are here and were checked: name -> path, and the SHA-256 of each."""

    weights: Weights
    paths: Mapping[str, Path]
    checksums: Mapping[str, str]

    @property
    def identity(self) -> dict[str, str]:
        """What a row's origin says of them: no paths."""
        return {"weights": self.weights.name, "revision": self.weights.revision, **self.checksums}

    @property
    def folder(self) -> Path:
        """Where all files lie, for a library that reads a folder. Raises `WeightsError` when they
        lie in several.
        """
        folders = {path.parent for path in self.paths.values()}
        if len(folders) != 1:
            raise WeightsError(
                f"weights {self.weights.name!r}: wanted all files in one folder, found them in "
                f"{len(folders)}"
            )
        return folders.pop()


_checked: dict[tuple[str, int, int], str] = {}


def checksum(path: Path) -> str:
    """SHA-256 of a file, computed once in a process for one path, size and time."""
    stat = path.stat()
    key = (os.path.abspath(path), stat.st_size, stat.st_mtime_ns)
    if key not in _checked:
        _checked[key] = sha256(path)
    return _checked[key]


def locate(name: str, chosen: Path | str | None = None) -> Local:
    """All files of a network, checked.

    A file is looked for at ``FOLDER/NAME/FILE``, then ``FOLDER/FILE``, then in the package that
    carries it. Raises `WeightsError` with the exact command when a file is not there, has no
    recorded checksum, or has another one.
    """
    weights = find(name)
    root = folder(chosen)
    lock = _read_lock(root)
    paths, checksums = {}, {}
    for file in weights.files:
        path = _path(weights, file, root)
        if path is None:
            raise WeightsError(f"weights {name!r} are not here ({file.name}): {weights.command}")
        wanted = file.sha256 or lock.get(name, {}).get(file.name)
        if wanted is None:
            raise WeightsError(
                f"weights {name!r}: no checksum of {file.name} is published, and none was "
                f"recorded: {weights.command}"
            )
        try:
            found = checksum(path)
        except OSError as error:
            raise WeightsError(f"{path}: cannot be read ({error.strerror or error})") from error
        if found != wanted:
            raise WeightsError(
                f"weights {name!r}: {path.name} is another file (SHA-256 wanted {wanted[:16]}…, "
                f"found {found[:16]}…); "
                f"remove it, then: {weights.command}"
            )
        paths[file.name], checksums[file.name] = path, found
    return Local(weights, paths, checksums)


def described(entry: Weights, chosen: Path | str | None = None) -> dict[str, Any]:
    """An entry as JSON values, with its state in the folder: ``here``, ``not here`` or ``wrong``
    (files that are not what their checksums say).
    """
    try:
        locate(entry.name, chosen)
        state = "here"
    except WeightsError as error:
        state = "not here" if "not here" in str(error) else "wrong"
    return {
        "name": entry.name,
        "title": entry.title,
        "state": state,
        "size": entry.size,
        "licence": entry.licence,
        "source": entry.source,
        "revision": entry.revision,
        "used_for": entry.used_for,
        "command": entry.command,
        "files": {file.name: file.sha256 for file in entry.files},
    }


def fetch(
    name: str,
    chosen: Path | str | None = None,
    *,
    trust_first_use: bool = False,
    progress: Progress | None = None,
) -> Local:
    """Get what is missing, check everything, and say where it is.

    Files that are there are checked and kept. Without a published checksum a file is fetched (or,
    when already there, accepted) only with `trust_first_use`, and its SHA-256 recorded in the
    folder's lock file. Raises `WeightsError` or `DownloadError`.
    """
    weights = find(name)
    root = folder(chosen)
    lock = _read_lock(root)
    for file in weights.files:
        known = file.sha256 or lock.get(name, {}).get(file.name)
        if known is None and not trust_first_use:
            raise WeightsError(
                f"weights {name!r}: no checksum of {file.name} is published; to accept what the "
                f"address gives now and "
                f"hold it to that from then on: editgauge fetch weights {name} --trust-first-use"
            )
        path = _path(weights, file, root)
        if path is None:
            path = root / name / file.name
            download(_remote(file, known), path, progress=progress)
        if known is None:
            lock.setdefault(name, {})[file.name] = checksum(path)
            _write_lock(root, lock)
    return locate(name, chosen)


def _remote(file: WeightFile, known: str | None) -> Remote:
    """A file on the hub may come from a mirror (``HF_ENDPOINT``); what it must be does not change
    with that.
    """
    on_hub = file.url.startswith(hub.ENDPOINT + "/")
    url = hub.endpoint() + file.url.removeprefix(hub.ENDPOINT) if on_hub else file.url
    return Remote(
        url=url,
        sha256=known,
        size=file.size,
        token=os.environ.get("HF_TOKEN") or None if on_hub else None,
    )


def _path(weights: Weights, file: WeightFile, root: Path) -> Path | None:
    for path in (root / weights.name / file.name, root / file.name):
        if path.is_file():
            return path
    if file.package is not None:
        try:
            spec = importlib.util.find_spec(file.package[0])
        except (ImportError, ValueError):
            spec = None
        if spec is not None and spec.origin is not None:
            path = Path(spec.origin).parent / file.package[1]
            if path.is_file():
                return path
    return None


def _read_lock(root: Path) -> dict[str, dict[str, str]]:
    path = root / LOCK_FILE
    if not path.is_file():
        return {}
    try:
        data = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise WeightsError(
            f"{path}: cannot be read ({error}); remove it and fetch the weights again"
        ) from error
    if not isinstance(data, dict) or not all(isinstance(v, dict) for v in data.values()):
        raise WeightsError(
            f"{path}: wanted {{weights: {{file: SHA-256}}}}, found something else; remove it"
        )
    return data


def _write_lock(root: Path, lock: dict[str, dict[str, str]]) -> None:
    write_bytes(
        root / LOCK_FILE,
        orjson.dumps(lock, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n",
    )
