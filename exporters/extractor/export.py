"""Exports the sentence encoder as int8 ONNX and distils its word table.

    python -m exporters.extractor.export --base FOLDER --out services/extractor/weights/quartet-extract-0.1.0

FOLDER holds config.json, model.safetensors and tokenizer.json of all-MiniLM-L6-v2.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

import numpy as np
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

from exporters.extractor.encoder import ByteEmbedding, Encoder, load

TABLE_WIDTH = 96
LONGEST = 512


def export_encoder(encoder: Encoder, out: Path, *, quantise: bool = True) -> None:
    """Writes the graph `ids [rows, tokens] -> vectors [rows, tokens, width]`.

    Weights are int8 per output channel. Activations get their scale at run time from the whole input tensor, so a
    text's vectors do not depend on other texts only when it is run alone: the service uses a batch of one.
    """
    if quantise and isinstance(encoder.words, torch.nn.Embedding):
        encoder.words = ByteEmbedding(encoder.words)
    example = torch.ones(1, 16, dtype=torch.long)
    tokens = torch.export.Dim("tokens", min=2, max=LONGEST)
    program = torch.onnx.export(
        encoder,
        (example,),
        dynamo=True,
        optimize=False,
        input_names=["ids"],
        output_names=["vectors"],
        dynamic_shapes=({1: tokens},),
    )
    if program is None:
        raise RuntimeError("the exporter returned no program")
    with tempfile.TemporaryDirectory() as scratch:
        full = Path(scratch) / "full.onnx"
        program.save(str(full), external_data=False)
        if quantise:
            quantize_dynamic(full, out, weight_type=QuantType.QInt8, per_channel=True)
        else:
            shutil.copy(full, out)


@torch.no_grad()
def word_table(encoder: Encoder, *, start: int, end: int, width: int = TABLE_WIDTH) -> np.ndarray:
    """One int8 vector per vocabulary entry [vocabulary, width]: the entry encoded alone, centred, reduced, unit length.

    Cosines of rows tell how near two words are without a model run (static distillation as in model2vec).
    """
    if isinstance(encoder.words, ByteEmbedding):
        raise TypeError("the table is made from the unquantised encoder")
    vocabulary = encoder.words.num_embeddings
    rows = []
    for first in range(0, vocabulary, 512):
        ids = torch.arange(first, min(first + 512, vocabulary))
        edge = torch.ones_like(ids)
        hidden = encoder(torch.stack([edge * start, ids, edge * end], 1))
        rows.append(torch.nn.functional.normalize(hidden.mean(1), dim=-1))
    vectors = torch.cat(rows)
    vectors = vectors - vectors.mean(0)
    axes = torch.linalg.eigh(vectors.T @ vectors)[1][:, -width:]
    reduced = torch.nn.functional.normalize(vectors @ axes, dim=-1)
    table: np.ndarray = (reduced * 127).round().to(torch.int8).numpy()
    return table


def main() -> None:
    """Command line entry."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    encoder = load(options.base)
    np.save(options.out / "words.npy", word_table(encoder, start=101, end=102))
    export_encoder(encoder, options.out / "model.onnx")
    shutil.copy(options.base / "tokenizer.json", options.out / "tokenizer.json")


if __name__ == "__main__":
    main()
