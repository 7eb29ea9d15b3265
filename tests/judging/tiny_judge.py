"""A vision-language model of two small files, made by hand: no training, no download.

With a JSON schema it fills texts with "ok" and every number with round(9 x the mean brightness of
the **last** picture of the conversation), so that the order of pictures and their encoding can be
asserted end to end through somebody else's server (llama.cpp's). How it works:

* The vision tower is an identity: its patch embedding averages a patch, and the projector carries
  that average into one channel of the language model (BRIGHT), with a flag that says "I am a
  picture" (PICTURE).
* The single attention head looks for positions with the flag and prefers late ones: two slow rotary
  pairs of the query and the key turn distance into preference. Its value is the brightness, written
  into the channel SEEN.
* The output layer is a state machine over bytes: after ``"`` an "o", after "o" a "k", after "k" a
  quote, after ``:`` a digit, chosen by a parabola in SEEN; the server's grammar does the rest
  (names, braces, commas).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

SIDE, PATCH = 56, 14
WIDTH, HEAD, WIDE = 64, 16, 32
BASE, BRIGHT, PICTURE, SEEN, QUOTE, O_BYTE, K_BYTE, COLON, DIGIT = range(9)
"""Channels of the residual stream; the last five say what the byte before was."""
LOUD = 64.0
"""The constant channel: it dominates the norm, so that normalising divides by 8 and changes nothing
else.
"""
BYTES, END = 256, 258
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
Matrix = npt.NDArray[np.float32]


def make(folder: Path) -> None:
    """Write ``text.gguf`` and ``mmproj.gguf``; needs the package gguf."""
    from gguf import GGUFWriter

    for name, kind, write in (("text", "llama", _language), ("mmproj", "clip", _vision)):
        writer: Any = GGUFWriter(folder / f"{name}.gguf", kind)
        for tensor, matrix in write(writer).items():
            writer.add_tensor(tensor, matrix)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


def byte_letters() -> list[str]:
    """GPT-2's printable letter for each byte, which is how byte tokens are written."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(BYTES))
    return [chr(byte if byte in plain else 0x100 + next(others)) for byte in range(BYTES)]


def zeros(*shape: int) -> Matrix:
    return np.zeros(shape, np.float32)


def embeddings() -> Matrix:
    table = zeros(END + 1, WIDTH)
    table[:, BASE] = LOUD
    told = {QUOTE: b'"', O_BYTE: b"o", K_BYTE: b"k", COLON: b":", DIGIT: b"0123456789"}
    for channel, letters in told.items():
        table[list(letters), channel] = 1
    return table


def output_layer() -> Matrix:
    """Scores of the next byte. A digit d wins over its neighbours where SEEN is nearest to d / 9."""
    head = zeros(END + 1, WIDTH)
    head[:, BASE] = -100
    for byte in b' abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,_-{}[]"':
        head[byte, BASE] = -60 - byte / 100
    head[END, BASE] = -55
    head[ord("t"), BASE] = -59  # ``true`` where the schema leaves yes or no
    head[ord("o"), QUOTE] = head[ord("k"), O_BYTE] = head[ord('"'), K_BYTE] = 300
    head[ord("}"), DIGIT], head[END, DIGIT] = 3000, 200
    sharp = 4000.0
    for number in range(10):
        share, token = number / 9, ord("0") + number
        head[token, BASE] = -100 - sharp * (1 + share * share) / 8
        head[token, SEEN], head[token, COLON] = 2 * sharp * share, sharp + 1000
    return head


def attention() -> dict[str, Matrix]:
    """Queries and keys on two slow rotary pairs of head 0 (the flag PICTURE, and how late), values
    the brightness.
    """
    strong = 900.0
    query, key, value, out = (zeros(WIDTH, WIDTH) for _ in range(4))
    query[12, BASE] = query[14, BASE] = strong / LOUD * 8
    key[12, PICTURE], key[14, PICTURE] = strong, 2 * strong
    value[0, BRIGHT] = 1
    out[SEEN, 0] = 1
    return {"attn_q": query, "attn_k": key, "attn_v": value, "attn_output": out}


def _language(writer: Any) -> dict[str, Matrix]:
    """Its settings, written, and its tensors."""
    letters = byte_letters()
    numbers = {"context_length": 8192, "embedding_length": WIDTH, "block_count": 1,
               "feed_forward_length": WIDE, "head_count": WIDTH // HEAD,
               "head_count_kv": WIDTH // HEAD, "rope_dimension_count": HEAD,
               "rope_freq_base": 10000.0, "layer_norm_rms_eps": 1e-6, "vocab_size": END + 1,
               "file_type": 0, "bos_token_id": BYTES + 1, "eos_token_id": END,
               "pad_token_id": BYTES}  # fmt: skip
    for name, number in numbers.items():
        getattr(writer, f"add_{name}")(number)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([*letters, "<pad>", "<|im_start|>", "<|im_end|>"])
    writer.add_token_types([1] * BYTES + [3] * 3)  # normal ones, and those of control
    writer.add_token_merges([f"{letters[0]} {letters[0]}"])
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)
    norm = np.full(WIDTH, 8, np.float32)
    norm[BASE] = 1
    block = {"attn_norm": norm, "ffn_norm": norm, **attention()}
    block |= {"ffn_gate": zeros(WIDE, WIDTH), "ffn_up": zeros(WIDE, WIDTH)}
    block["ffn_down"] = zeros(WIDTH, WIDE)
    tensors = {"token_embd": embeddings(), "output_norm": norm, "output": output_layer()}
    tensors |= {f"blk.0.{name}": matrix for name, matrix in block.items()}
    return {f"{name}.weight": matrix for name, matrix in tensors.items()}


def _vision(writer: Any) -> dict[str, Matrix]:
    """Its settings, written, and its tensors."""
    width, wide, layers = 32, 64, 2
    writer.add_string("clip.projector_type", "mlp")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_bool("clip.use_gelu", False)
    numbers = {"image_size": SIDE, "patch_size": PATCH, "embedding_length": width,
               "feed_forward_length": wide, "block_count": layers, "projection_dim": WIDTH,
               "attention.head_count": 2}  # fmt: skip
    for name, number in numbers.items():
        writer.add_uint32(f"clip.vision.{name}", number)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-5)
    writer.add_array("clip.vision.image_mean", [0.0, 0.0, 0.0])
    writer.add_array("clip.vision.image_std", [1.0, 1.0, 1.0])
    writer.add_file_type(0)
    patch = zeros(width, 3, PATCH, PATCH)
    patch[0] = 1 / (3 * PATCH * PATCH)
    positions = zeros((SIDE // PATCH) ** 2, width)
    tensors = {"v.patch_embd.weight": patch, "v.position_embd.weight": positions}
    shapes = dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_out"), (width, width))
    shapes |= {"ffn_up": (wide, width), "ffn_down": (width, wide), "ln1": (width,), "ln2": (width,)}
    for layer in range(layers):  # every block adds nothing: the residual stream goes through
        for name, shape in shapes.items():
            weight = zeros(*shape) + float(len(shape) == 1)
            tensors[f"v.blk.{layer}.{name}.weight"] = weight.astype(np.float32)
            tensors[f"v.blk.{layer}.{name}.bias"] = zeros(shape[0])
    first, second = zeros(WIDTH, width), zeros(WIDTH, WIDTH)
    lift, drop = zeros(WIDTH), zeros(WIDTH)
    # far from 0 the GELU between the two layers is the identity
    first[BRIGHT, 0], lift[BRIGHT] = 1, 10
    second[BRIGHT, BRIGHT], drop[BRIGHT] = 1, -10
    drop[BASE], drop[PICTURE] = LOUD, 1
    tensors |= {"mm.0.weight": first, "mm.0.bias": lift}
    return tensors | {"mm.2.weight": second, "mm.2.bias": drop}


SERVE = """
import signal, sys
import xllamacpp
folder, slots = sys.argv[1], int(sys.argv[2])
p = xllamacpp.CommonParams()
p.model.path, p.mmproj.path = folder + "/text.gguf", folder + "/mmproj.gguf"
p.model_alias = {"tiny-judge"} if isinstance(p.model_alias, (set, frozenset)) else "tiny-judge"
p.n_ctx, p.n_parallel = 8192 * slots, slots
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1
p.n_threads_http = 8
p.cache_type_k = p.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
p.port, p.hostnames, p.api_keys = 0, ["127.0.0.1"], ["sk-test"]
p.warmup, p.use_jinja = True, True
server = xllamacpp.Server(p)
print("listening", server.listening_address, flush=True)
signal.pause()
"""
"""Run with ``python -c SERVE FOLDER SLOTS``: llama.cpp's own server on a free port, key
``sk-test``.
"""
