"""Attention of a diffusers pipeline while it runs, to chosen tokens of its prompt: of a U-Net with
cross-attention to the text (InstructPix2Pix and its kin), and of transformers in which picture and
text attend to each other (FLUX.1 Kontext, Qwen-Image-Edit).

Each attention processor is wrapped. While it works, calls of `scaled_dot_product_attention` are
looked at and left as they are, so the pipeline's output is the same to the last bit. Only the
conditional branch of a guidance counts: in a U-Net's batch InstructPix2Pix puts it first and other
pipelines last; a transformer is called with the prompt first. Maps are added up as they come:
memory does not depend on the steps.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from editgauge.errors import EditgaugeError
from editgauge.metrics import Floats
from editgauge.types import JsonObject

BLOCK = 1 << 20
"""Logits that are in memory at once: 4 MB as float32."""
Locate = Callable[[Sequence[int], int], Sequence[int]]
"""From the token numbers that the text encoder was given and how many of the last of them the
attention sees, to the positions among these that are wanted.
"""


class NotWatched(EditgaugeError):
    """The attention of this pipeline cannot be collected; the message says why."""


class Kind(NamedTuple):
    """How a pipeline is built: the attributes of its network, tokenizer and encoder; `joint`: text
    and picture in one sequence, the text first, else cross-attention; `first`: the conditional
    branch is the first of a batch, else the last.
    """

    model: str
    tokenizer: str
    encoder: str
    joint: bool
    first: bool = True


def kind_of(pipe: Any) -> Kind:
    """How a pipeline's attention is collected. Raises `NotWatched` for one of no known family."""
    if getattr(pipe, "unet", None) is not None:
        first = "InstructPix2Pix" in type(pipe).__name__
        return Kind("unet", "tokenizer", "text_encoder", joint=False, first=first)
    name = type(getattr(pipe, "transformer", None)).__name__
    if name == "FluxTransformer2DModel":
        return Kind("transformer", "tokenizer_2", "text_encoder_2", joint=True)
    if name == "QwenImageTransformer2DModel":
        return Kind("transformer", "tokenizer", "text_encoder", joint=True)
    raise NotWatched(
        f"{type(pipe).__name__}: how its attention is to be read is not known here; known are "
        f"U-Net pipelines, FLUX.1 and Qwen-Image (change grounding needs no attention)"
    )


@dataclass(slots=True, kw_only=True)
class Attention:
    """Attention to the wanted tokens, as it was collected.

    Of each shape (h, w) of map: the sum over calls of the network and layers of the mean over
    heads, (tokens, h, w), and how many there were. `calls` of the network for the conditional
    branch; `seen`: the shapes of all maps that there were, also of those that were not wanted.
    """

    positions: tuple[int, ...] = ()
    sums: dict[tuple[int, int], Floats] = field(default_factory=dict)
    counts: dict[tuple[int, int], int] = field(default_factory=dict)
    calls: int = 0
    seen: set[tuple[int, int]] = field(default_factory=set)

    def maps(self) -> Floats:
        """The mean map of each token, (tokens, h, w): over steps, heads and layers of a resolution,
        and over resolutions, each up-sampled (bilinear) to the largest. Raises `NotWatched` where
        nothing was collected.
        """
        import cv2

        if not self.sums:
            there = ", ".join(f"{w}x{h}" for h, w in sorted(self.seen, reverse=True))
            raise NotWatched(
                f"no layer has the wanted resolution; there are {there or 'none that can be seen'} "
                f"(choose the longer side by the setting resolution, or all)"
            )
        height, width = max(self.sums)
        planes = [
            [cv2.resize(plane, (width, height), interpolation=cv2.INTER_LINEAR) for plane in mean]
            for shape in sorted(self.sums, reverse=True)
            for mean in [self.sums[shape] / self.counts[shape]]
        ]
        return np.asarray(np.mean(planes, axis=0))

    def map(self) -> Floats:
        """The mean over the wanted tokens (the occurrences of a concept), shape (h, w)."""
        return np.asarray(self.maps().mean(axis=0))


@contextlib.contextmanager
def watch(pipe: Any, locate: Locate, *, resolution: int | None = None) -> Iterator[Attention]:
    """Collect the attention of whatever `pipe` does inside of the block, for one prompt at a time.

    `locate` is asked once, when the network is first called. `resolution`: the longer side of the
    maps that are wanted, None for all (a transformer has one only). Everything is put back at the
    end. Raises `NotWatched` for a pipeline of no known family.
    """
    kind = kind_of(pipe)
    network = getattr(pipe, kind.model)
    watching = _Watching(kind=kind, locate=locate, resolution=None if kind.joint else resolution)
    before = dict(network.attn_processors)
    with contextlib.ExitStack() as stack:
        encoder = getattr(pipe, kind.encoder)
        hooks = [
            encoder.register_forward_pre_hook(watching.encoding, with_kwargs=True),
            network.register_forward_pre_hook(watching.calling, with_kwargs=True),
        ]
        for hook in hooks:
            stack.callback(hook.remove)
        stack.callback(network.set_attn_processor, dict(before))
        network.set_attn_processor({k: _wrapped(p, watching) for k, p in before.items()})
        yield watching.attention


def _wrapped(processor: Any, watching: _Watching) -> Any:
    """The processor with eyes. Its call keeps the signature, which diffusers inspects."""
    function = type(processor).__call__

    class Watched:
        @functools.wraps(function)
        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            text = args[2] if len(args) > 2 else kwargs.get("encoder_hidden_states")
            wanted = watching.counted and (watching.kind.joint or text is not None)
            with _looking(watching.seen) if wanted else contextlib.nullcontext():
                return processor(*args, **kwargs)

        def __getattr__(self, name: str) -> Any:
            return getattr(processor, name)

    return Watched()


@dataclass(slots=True, kw_only=True)
class _Watching:
    """The state of one `watch`: what the text encoder and the transformer were `given` at their
    first call, whether the present call is of the conditional branch (`counted`), the latents'
    height and width (the map's, in a transformer).
    """

    kind: Kind
    locate: Locate
    resolution: int | None
    attention: Attention = field(default_factory=Attention)
    given: list[int] | None = None
    text: Any = None
    counted: bool = False
    size: tuple[int, int] = (0, 0)

    def encoding(self, module: Any, args: tuple[Any, ...], kwargs: JsonObject) -> None:
        ids = kwargs.get("input_ids", args[0] if args else None)
        if self.given is None and ids is not None:
            self.given = [int(number) for number in ids[0].tolist()]

    def calling(self, module: Any, args: tuple[Any, ...], kwargs: JsonObject) -> None:
        import torch

        states = kwargs["encoder_hidden_states"]
        if self.kind.joint:
            if self.text is None:
                self.text = states.detach()
            same = states.shape == self.text.shape
            self.counted = same and bool(torch.equal(states, self.text))
            self.size = _joint_size(kwargs)
        else:
            sample = args[0] if args else kwargs["sample"]
            self.counted, self.size = True, (int(sample.shape[-2]), int(sample.shape[-1]))
        if not self.counted:
            return
        self.attention.calls += 1
        if not self.attention.positions:
            if self.given is None:
                raise NotWatched("the prompt did not go through the pipeline's text encoder")
            self.attention.positions = tuple(self.locate(self.given, int(states.shape[1])))

    def seen(self, query: Any, key: Any, mask: Any, scale: float) -> None:
        """Take in the attention of one layer: see `mean_attention`, for a batch."""
        at = 0 if self.kind.first else -1
        query, key = query[at], key[at]
        if mask is not None:
            mask = mask[(None,) * (4 - mask.ndim)]
            mask = mask[at if len(mask) > 1 else 0]
        shape = self.size
        if self.kind.joint:
            text = int(self.text.shape[1])
            rows = slice(text, text + shape[0] * shape[1])
            query = query[:, rows]
            mask = mask[:, rows] if mask is not None and mask.shape[1] > 1 else mask
        else:
            shape = _shape_of(int(query.shape[1]), shape)
        self.attention.seen.add(shape)
        if self.resolution is None or max(shape) == self.resolution:
            sums, counts = self.attention.sums, self.attention.counts
            maps = mean_attention(query, key, mask, scale, self.attention.positions)
            sums[shape] = sums.get(shape, 0.0) + maps.reshape(len(maps), *shape)
            counts[shape] = counts.get(shape, 0) + 1


def _joint_size(kwargs: JsonObject) -> tuple[int, int]:
    """Height and width of the map of the picture that is made, in tokens: the first picture."""
    if (shapes := kwargs.get("img_shapes")) is not None:
        first = shapes[0][0] if isinstance(shapes[0], list) else shapes[0]
        return int(first[1]), int(first[2])
    ids = kwargs["img_ids"]  # (N, 3): number of the picture, row, column
    rows = ids[ids[:, 0] == 0]
    return int(rows[:, 1].max()) + 1, int(rows[:, 2].max()) + 1


def _shape_of(queries: int, size: tuple[int, int]) -> tuple[int, int]:
    """The shape of a U-Net's map with so many queries: the latents', halved some times."""
    height, width = size
    while height * width > queries:
        height, width = -(-height // 2), -(-width // 2)
    if height * width != queries:
        raise NotWatched(f"{queries} queries are no picture of {size[1]}x{size[0]}, halved")
    return height, width


def mean_attention(
    query: Any, key: Any, mask: Any, scale: float, positions: Sequence[int]
) -> Floats:
    """The attention to these keys, the mean over heads: shape (positions, Q), float64. `query`:
    (heads, Q, D); `key`: (heads or fewer, K, D); `mask`: (heads or 1, Q or 1, K), added to the
    logits, or boolean; `scale`: factor of the logits.
    """
    import torch

    heads, queries, _ = query.shape
    columns = torch.as_tensor(positions, device=query.device)
    summed = torch.zeros((queries, len(positions)), dtype=torch.float64)
    step = max(1, BLOCK // int(key.shape[1]))
    for head, start in itertools.product(range(heads), range(0, queries, step)):
        block = slice(start, min(start + step, queries))
        keys = key[head * len(key) // heads].float()
        logits = (query[head, block].float() * scale) @ keys.T
        if mask is not None:
            mine = mask[head if len(mask) > 1 else 0]
            mine = mine[block] if len(mine) > 1 else mine
            if mine.dtype == torch.bool:
                logits.masked_fill_(~mine, float("-inf"))
            else:
                logits += mine.float()
        # The softmax in place: a block is in memory once.
        logits -= logits.amax(dim=-1, keepdim=True)
        logits.exp_()
        attention = logits[:, columns] / logits.sum(dim=-1, keepdim=True)
        summed[block] += attention.double().cpu()
    return np.asarray((summed / heads).T.numpy())


@contextlib.contextmanager
def _looking(seen: Callable[..., None]) -> Iterator[None]:
    """Hand every attention that is computed inside of the block to `seen`; change nothing."""
    from torch.nn.functional import scaled_dot_product_attention
    from torch.overrides import TorchFunctionMode

    class Looking(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            kwargs = kwargs or {}
            output = func(*args, **kwargs)
            if func is scaled_dot_product_attention:
                seen(*_arguments(*args, **kwargs))
            return output

    with Looking():
        yield


def _arguments(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, **_: Any,
) -> tuple[Any, Any, Any, float]:  # fmt: skip
    """The arguments of `scaled_dot_product_attention` that its weights depend on."""
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    return query.detach(), key.detach(), attn_mask, float(factor)
