"""What a served model must know about its conversations, read from the chat template in a GGUF file."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from exporters.llm.weights import UnsupportedWeights

START, END = "<|im_start|>", "<|im_end|>"
_ENDS = (END, START, "<|endoftext|>")
_DEFAULT_SYSTEM = re.compile(re.escape(START) + r"system\n(.*?)" + re.escape(END), re.DOTALL)


def chat_facts(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """ChatML markers, default system turn and end tokens; raises UnsupportedWeights for another template.

    A turn that begins without the one before having ended also ends a text.
    """
    template = str(metadata.get("tokenizer.chat_template", ""))
    tokens: list[str] = metadata["tokenizer.ggml.tokens"]
    if START not in template or END not in template or not {START, END} <= set(tokens):
        raise UnsupportedWeights("the chat template is not ChatML")
    found = _DEFAULT_SYSTEM.search(template)
    ends = {tokens.index(token) for token in _ENDS if token in tokens} | {int(metadata["tokenizer.ggml.eos_token_id"])}
    return {
        "chat": {"start": START, "end": END, "default_system": found.group(1) if found else ""},
        "chat_template_sha256": hashlib.sha256(template.encode()).hexdigest(),
        "end_tokens": sorted(ends),
    }
