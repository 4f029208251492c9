"""From a conversation to token ids, in the ChatML form that the model was tuned on."""

from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import Tokenizer

ROLES = ("system", "user", "assistant")


@dataclass(frozen=True, slots=True)
class Turn:
    """One message: who says it, and what."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class ChatML:
    """Renders `<|im_start|>role\\ncontent<|im_end|>\\n` per turn, then the head of the answer.

    Control tokens come from here alone. Text that looks like one, in a role or a content, is encoded as the
    characters it is made of, so a message cannot end its own turn or open another.
    """

    tokenizer: Tokenizer
    start: int
    end: int
    default_system: str

    @classmethod
    def of(cls, tokenizer: Tokenizer, *, start: str, end: str, default_system: str) -> "ChatML":
        """A format over `tokenizer`, which from then on reads special tokens in a text as plain characters."""
        tokenizer.encode_special_tokens = True
        return cls(tokenizer, _id(tokenizer, start), _id(tokenizer, end), default_system)

    def render(self, turns: Sequence[Turn]) -> list[int]:
        """Token ids of the conversation. A first turn that is not a system turn gets the default one before it."""
        said = list(turns)
        if self.default_system and said[0].role != "system":
            said.insert(0, Turn("system", self.default_system))
        ids: list[int] = []
        for turn in said:
            ids += [self.start, *self.text(f"{turn.role}\n{turn.content}"), self.end, *self.text("\n")]
        return [*ids, self.start, *self.text("assistant\n")]

    def text(self, text: str) -> list[int]:
        """Token ids of a text, none of them a control token."""
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids


def _id(tokenizer: Tokenizer, token: str) -> int:
    found: int | None = tokenizer.token_to_id(token)
    if found is None:
        raise ValueError(f"the tokenizer has no token {token!r}")
    return found
