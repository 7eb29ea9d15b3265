"""Every environment variable that the tool reads: its name, what it is for, and whether it holds a
secret. The reference page and `editgauge doctor` are made from this table.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Variable:
    """One line of the table: the names that are tried, in order, and what the value means."""

    names: tuple[str, ...]
    meaning: str
    secret: bool = False


VARIABLES: tuple[Variable, ...] = (
    Variable(("EDITGAUGE_JUDGE_KEY", "OPENAI_API_KEY"), "key of the judge's server", secret=True),
    Variable(
        ("EDITGAUGE_EDITOR_KEY", "OPENAI_API_KEY"),
        "key of the service that edits (editor `openai`)",
        secret=True,
    ),
    Variable(
        ("EDITGAUGE_EDITOR_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "key of the service that edits (editor `gemini`)",
        secret=True,
    ),
    Variable(
        ("EDITGAUGE_EDITOR_KEY", "OPENROUTER_API_KEY"),
        "key of the service that edits (editor `chat`)",
        secret=True,
    ),
    Variable(
        ("EDITGAUGE_EDITOR_KEY", "BFL_API_KEY"),
        "key of the service that edits (editor `bfl`)",
        secret=True,
    ),
    Variable(
        ("EDITGAUGE_EDITOR_KEY", "FAL_KEY"),
        "key of the service that edits (editor `fal`)",
        secret=True,
    ),
    Variable(
        ("EDITGAUGE_EDITOR_KEY", "REPLICATE_API_TOKEN"),
        "key of the service that edits (editor `replicate`)",
        secret=True,
    ),
    Variable(
        ("EDITGAUGE_EDITOR_KEY", "DASHSCOPE_API_KEY"),
        "key of the service that edits (editor `dashscope`)",
        secret=True,
    ),
    Variable(
        ("EDITGAUGE_EDITOR_KEY", "IDEOGRAM_API_KEY"),
        "key of the service that edits (editor `ideogram`)",
        secret=True,
    ),
    Variable(("HF_TOKEN",), "key of the hub, for gated data sets and weights", secret=True),
    Variable(("HF_ENDPOINT",), "a mirror of the hub"),
    Variable(("WANDB_API_KEY",), "key of Weights & Biases (`log --to wandb`)", secret=True),
    Variable(
        ("MLFLOW_TRACKING_TOKEN", "MLFLOW_TRACKING_PASSWORD"),
        "key of an MLflow server (`log --to mlflow`)",
        secret=True,
    ),
    Variable(("OPENAI_BASE_URL",), "the judge's server when `--base-url` is not given"),
    Variable(
        ("EDITGAUGE_CACHE",),
        "where the pictures of `mini` and copies of stores are kept; default: `editgauge` in the "
        "user's cache folder",
    ),
    Variable(
        ("EDITGAUGE_STORE_CACHE",),
        "what copies of data on stores (`s3://…`) may take on this machine, such as `200GB`; "
        "default 50 GB",
    ),
    Variable(
        ("EDITGAUGE_WEIGHTS",),
        "where network weights are kept; default: `editgauge/weights` in the user's cache folder",
    ),
    Variable(
        ("EDITGAUGE_MAX_PIXELS",),
        "the largest width × height that is decoded; default 100,000,000. A larger picture ends as "
        "a status, not in memory",
    ),
    Variable(
        ("EDITGAUGE_MEMORY",),
        "what a process may hold while it reads or aligns a picture (`--memory`), such as `2GB`; "
        "default 1 GB. A larger picture ends as a status, not in memory",
    ),
    Variable(("EDITGAUGE_THREADS",), "CPU threads of a neural network; default: the cores"),
    Variable(
        ("EDITGAUGE_FONTS",),
        "folders with further fonts for the editor `typeset`, joined as in PATH",
    ),
    Variable(
        ("EDITGAUGE_OCR_CACHE",),
        "a folder for what OCR has read, shared by runs; default: each run keeps its own",
    ),
    Variable(
        ("EDITGAUGE_IMAGEREWARD",),
        "the command that starts the program which gives ImageReward scores, in an environment of "
        "its own",
    ),
    Variable(
        ("EDITGAUGE_MEDCLIP",),
        "the command that starts the program which gives MedCLIP scores, likewise",
    ),
    Variable(("EDITGAUGE_CONFIG",), "the project file; default: editgauge.toml of this folder"),
    Variable(("RAY_ADDRESS",), "the Ray cluster of `--engine ray` when `--address` is not given"),
    Variable(("NO_COLOR",), "any value: no colours on a terminal"),
)
