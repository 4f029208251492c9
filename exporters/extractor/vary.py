"""Field-side variety: the same question under other names, in other cases, with and without instructions."""

import random
from dataclasses import replace

from exporters.extractor.pack import Ask
from services.extractor.tokens import spelled

_OPAQUE = ("field", "value", "item", "x", "col", "f", "slot", "attr")
_FRAMES = ("the {}", "{} as stated", "what is the {}?", "{} in the text", "extract the {}", "{}, if given", "which {}?")


def cased(words: list[str], rng: random.Random) -> str:
    """Words in one of the usual spellings of names."""
    if not words:
        return "field"
    match rng.randrange(6):
        case 0 | 1:
            return "_".join(words)
        case 2:
            return words[0] + "".join(word.capitalize() for word in words[1:])
        case 3:
            return " ".join(words)
        case 4:
            return "".join(word.capitalize() for word in words)
    return "-".join(words)


def shortened(words: list[str], rng: random.Random) -> list[str]:
    """Words as hurried people write them: cut, dropped or without vowels."""
    out = list(words)
    roll = rng.random()
    if len(out) > 1 and roll < 0.3:
        out.pop(rng.randrange(len(out)))
    elif roll < 0.6:
        out = [word[: rng.randint(3, 5)] if len(word) > 5 else word for word in out]
    elif roll < 0.8:
        out = [word[0] + "".join(c for c in word[1:] if c not in "aeiou") if len(word) > 4 else word for word in out]
    elif len(out) > 1:
        rng.shuffle(out)
    return out


def varied(ask: Ask, rng: random.Random) -> Ask:
    """One field as somebody else may have asked for it; never loses both the name and the instructions."""
    words = spelled(ask.name).split()
    opaque = not words or words[0] in _OPAQUE or (len(words) > 1 and words[-1].isdigit())
    roll = rng.random()
    if ask.instructions and roll < 0.12:
        return replace(ask, name=f"{rng.choice(_OPAQUE)}_{rng.randint(1, 40)}")
    if ask.instructions and not opaque and roll < 0.34:
        ask = replace(ask, instructions="")
    elif not ask.instructions and not opaque and roll < 0.2:
        told = rng.choice(_FRAMES).format(" ".join(words))
        return Ask(f"{rng.choice(_OPAQUE)}_{rng.randint(1, 40)}", ask.type, told)
    if opaque:
        return ask
    if rng.random() < 0.15 and ask.instructions:
        words = shortened(words, rng)
    return replace(ask, name=cased(words, rng)) if rng.random() < 0.7 else ask
