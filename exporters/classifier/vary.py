"""Variation of corpus rows: what a caller may write differently without changing the answer, and negated twins."""

import random
from dataclasses import replace

from exporters.classifier.data import Item, Sample, one_hot, with_target

OTHER = ("none of the above", "other", "none of these", "something else", "not listed")
UNTRUE = ("Is it false that this holds: {}", "Is the answer to this no? {}", "{} Answer yes if it is NOT so.")
IS_IT = ("{} Is it {}?", "{} Is the answer '{}'?", "{} Would '{}' be right?", "Is this about '{1}'?", "Does '{1}' fit?")
FIELDS = ("text", "message", "body", "content", "input", "note")
SIDE_FIELDS = (
    ("channel", ("email", "chat", "phone", "web")),
    ("id", ("A-1042", "77120", "req_9f2", "20551")),
    ("language", ("en",)),
    ("received", ("2026-03-04", "2025-11-19", "2026-07-30")),
    ("priority", ("normal", "low", None)),
    ("attachments", (0, 1, 2)),
)


def vary(sample: Sample, rng: random.Random) -> Sample:
    """A row as another caller could have sent it."""
    if rng.random() < 0.01:
        return Sample("", tuple(_uniform(item) for item in sample.items))
    items = tuple(_vary(item, rng) for item in sample.items)
    state = sample.state
    if isinstance(state, str) and rng.random() < 0.15:
        state = _wrapped(state, rng)
    return Sample(state, items)


def _uniform(item: Item) -> Item:
    return replace(item, target=(1 / len(item.options),) * len(item.options))


def _wrapped(text: str, rng: random.Random) -> dict[str, object]:
    fields: list[tuple[str, object]] = [(rng.choice(FIELDS), text)]
    fields += [(name, rng.choice(values)) for name, values in rng.sample(SIDE_FIELDS, rng.randint(0, 3))]
    rng.shuffle(fields)
    return dict(fields)


def _vary(item: Item, rng: random.Random) -> Item:
    if item.kind == "choice":
        return _vary_choice(item, rng)
    if item.kind == "noul":
        return _vary_noul(item, rng)
    return item


def _vary_noul(item: Item, rng: random.Random) -> Item:
    draw = rng.random()
    if draw < 0.06:
        flipped = replace(
            item, instructions=rng.choice(UNTRUE).format(item.instructions), options=(("no", None), ("yes", None))
        )
        return with_target(flipped, 1 - item.answer)
    if draw < 0.14:
        names = rng.choice((("no", "yes"), ("false", "true"), ("No", "Yes")))
        told = tuple((name, text) for name, (_, text) in zip(names, item.options, strict=True))
        return replace(item, kind="choice", options=told)
    if draw < 0.3:
        return replace(item, options=(("no", None), ("yes", None)))
    return item


def _vary_choice(item: Item, rng: random.Random) -> Item:
    draw = rng.random()
    if draw < 0.14 and len(item.options) > 2:
        return _as_noul(item, rng)
    if draw < 0.24 and len(item.options) > 2:
        item = _with_other(item, rng)
    options = item.options
    if rng.random() < 0.3:
        options = tuple((name, None) for name, _ in options)
    elif rng.random() < 0.12 and all(text for _, text in options):
        letters = rng.sample("ABCDEFGHKLMNPQRSTUVW", len(options))
        options = tuple((letter, text) for letter, (_, text) in zip(letters, options, strict=True))
    if rng.random() < 0.3:
        old, new = rng.choice(((" ", "_"), ("_", " "), ("-", " ")))
        options = tuple((name.replace(old, new), text) for name, text in options)
    instructions = "" if rng.random() < 0.04 else item.instructions
    return replace(item, options=options, instructions=instructions)


def _as_noul(item: Item, rng: random.Random) -> Item:
    right = rng.random() < 0.5
    wrong = [index for index in range(len(item.options)) if index != item.answer]
    index = item.answer if right else rng.choice(wrong)
    name, told = item.options[index]
    named = told if told and rng.random() < 0.3 else name
    asked = rng.choice(IS_IT).format(item.instructions, named.replace("_", " "))
    return Item("noul", asked, (("no", None), ("yes", None)), one_hot(2, int(right)))


def _with_other(item: Item, rng: random.Random) -> Item:
    """The answer taken out and 'none of these' in its place, or 'none of these' as one more wrong option."""
    keep = [index for index in range(len(item.options)) if index != item.answer or rng.random() < 0.5]
    options = [*(item.options[index] for index in keep), (rng.choice(OTHER), None)]
    answer = keep.index(item.answer) if item.answer in keep else len(options) - 1
    return replace(item, options=tuple(options), target=one_hot(len(options), answer))
