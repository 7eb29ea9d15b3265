"""A vision-language model of two small files, made by hand: no training, no download, the judge of
the tests.

Its one ability: with a JSON schema it fills texts with "ok" and every number with round(9 x the
mean brightness of the **last** picture of the conversation), so that the order of pictures and
their encoding can be asserted end to end through somebody else's server (llama.cpp's). How it
works:

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
BYTES = 256
PAD, START, END = BYTES, BYTES + 1, BYTES + 2
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
Matrix = npt.NDArray[np.float32]


def make(folder: Path) -> tuple[Path, Path]:
    """Write ``text.gguf`` and ``mmproj.gguf``; needs the package gguf."""
    folder.mkdir(parents=True, exist_ok=True)
    text, vision = folder / "text.gguf", folder / "mmproj.gguf"
    _write_language(text)
    _write_vision(vision)
    return text, vision


def byte_letters() -> list[str]:
    """GPT-2's printable letter for each byte, which is how byte tokens are written in a
    vocabulary.
    """
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = {byte: chr(byte) for byte in plain}
    others = (byte for byte in range(BYTES) if byte not in letters)
    letters |= {byte: chr(0x100 + number) for number, byte in enumerate(others)}
    return [letters[byte] for byte in range(BYTES)]


def zeros(*shape: int) -> Matrix:
    return np.zeros(shape, np.float32)


def embeddings() -> Matrix:
    table = zeros(END + 1, WIDTH)
    table[:, BASE] = LOUD
    for channel, letters in (
        (QUOTE, b'"'),
        (O_BYTE, b"o"),
        (K_BYTE, b"k"),
        (COLON, b":"),
        (DIGIT, b"0123456789"),
    ):
        table[list(letters), channel] = 1
    return table


def output_layer() -> Matrix:
    """Scores of the next byte. A digit d wins over its neighbours where SEEN is nearest to d /
    9.
    """
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


def _write_language(path: Path) -> None:
    from gguf import GGUFWriter, TokenType

    letters = byte_letters()
    writer: Any = GGUFWriter(path, "llama")
    writer.add_name("last-picture-brightness")
    writer.add_context_length(8192)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(WIDE)
    writer.add_head_count(WIDTH // HEAD)
    writer.add_head_count_kv(WIDTH // HEAD)
    writer.add_rope_dimension_count(HEAD)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_vocab_size(END + 1)
    writer.add_file_type(0)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([*letters, "<pad>", "<|im_start|>", "<|im_end|>"])
    writer.add_token_types([TokenType.NORMAL] * BYTES + [TokenType.CONTROL] * 3)
    writer.add_token_merges([f"{letters[0]} {letters[0]}"])
    writer.add_bos_token_id(START)
    writer.add_eos_token_id(END)
    writer.add_pad_token_id(PAD)
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)
    norm = np.full(WIDTH, 8, np.float32)
    norm[BASE] = 1
    tensors = {"token_embd": embeddings(), "output_norm": norm, "output": output_layer()}
    tensors |= {"blk.0.attn_norm": norm, "blk.0.ffn_norm": norm}
    tensors |= {f"blk.0.{name}": matrix for name, matrix in attention().items()}
    tensors |= {"blk.0.ffn_gate": zeros(WIDE, WIDTH), "blk.0.ffn_up": zeros(WIDE, WIDTH)}
    tensors["blk.0.ffn_down"] = zeros(WIDTH, WIDE)
    for name, matrix in tensors.items():
        writer.add_tensor(f"{name}.weight", matrix)
    _close(writer)


def _write_vision(path: Path) -> None:
    from gguf import GGUFWriter

    width, wide, layers = 32, 64, 2
    writer: Any = GGUFWriter(path, "clip")
    writer.add_string("clip.projector_type", "mlp")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_bool("clip.use_gelu", False)
    numbers = {"image_size": SIDE, "patch_size": PATCH, "embedding_length": width, "feed_forward_length": wide,
               "block_count": layers, "projection_dim": WIDTH,
               "attention.head_count": 2}  # fmt: skip
    for name, number in numbers.items():
        writer.add_uint32(f"clip.vision.{name}", number)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-5)
    writer.add_array("clip.vision.image_mean", [0.0, 0.0, 0.0])
    writer.add_array("clip.vision.image_std", [1.0, 1.0, 1.0])
    writer.add_file_type(0)
    patch = zeros(width, 3, PATCH, PATCH)
    patch[0] = 1 / (3 * PATCH * PATCH)
    writer.add_tensor("v.patch_embd.weight", patch)
    writer.add_tensor("v.position_embd.weight", zeros((SIDE // PATCH) ** 2, width))
    for layer in range(layers):  # every block adds nothing: the residual stream goes through
        for name in ("attn_q", "attn_k", "attn_v", "attn_out"):
            writer.add_tensor(f"v.blk.{layer}.{name}.weight", zeros(width, width))
            writer.add_tensor(f"v.blk.{layer}.{name}.bias", zeros(width))
        for name in ("ln1", "ln2"):
            writer.add_tensor(f"v.blk.{layer}.{name}.weight", np.ones(width, np.float32))
            writer.add_tensor(f"v.blk.{layer}.{name}.bias", zeros(width))
        for name, rows, columns in (("ffn_up", wide, width), ("ffn_down", width, wide)):
            writer.add_tensor(f"v.blk.{layer}.{name}.weight", zeros(rows, columns))
            writer.add_tensor(f"v.blk.{layer}.{name}.bias", zeros(rows))
    first, second = zeros(WIDTH, width), zeros(WIDTH, WIDTH)
    lift, drop = zeros(WIDTH), zeros(WIDTH)
    first[BRIGHT, 0], lift[BRIGHT] = (
        1,
        10,
    )  # far from 0 the GELU between the two layers is the identity
    second[BRIGHT, BRIGHT], drop[BRIGHT] = 1, -10
    drop[BASE], drop[PICTURE] = LOUD, 1
    for name, tensor in (
        ("0.weight", first),
        ("0.bias", lift),
        ("2.weight", second),
        ("2.bias", drop),
    ):
        writer.add_tensor(f"mm.{name}", tensor)
    _close(writer)


def _close(writer: Any) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


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
