"""Made decisions about numbers and records: policy by share, limits, bands, return windows, fields, conditions."""

import random
from collections.abc import Callable
from typing import Any

from exporters.classifier.data import Item, Sample, one_hot
from exporters.classifier.phrases import PHRASES, amounts, choice, named, noul


def shaped(values: dict[str, Any], sentence: str, rng: random.Random) -> Any:
    """The same facts as a record or as a sentence."""
    return values if rng.random() < 0.5 else sentence


SHARE_RULES = (
    "Policy: repair if the repair costs under {0} % of the price, else replace.",
    "Repair when the repair cost is below {0}% of the price paid; otherwise replace the item.",
    "We replace the item unless the repair costs less than {0} percent of its price.",
    "If the repair would cost {0} % of the price or more, replace it, else repair it.",
)


def policy_share(rng: random.Random) -> Sample:
    """Repair or replace by the share of the price, the share stated or to be worked out."""
    price, limit = round(rng.uniform(20, 900), 2), rng.choice((25, 30, 40, 50, 60, 70, 75, 80))
    near = limit / 100 + rng.choice((-1, 1)) * rng.uniform(0.03, 0.25)
    repair = round(price * max(0.02, rng.choice((rng.uniform(0.05, 0.98), near))), 2)
    under, percent = repair < price * limit / 100, round(100 * repair / price)
    if percent == limit:
        return policy_share(rng)
    good = rng.choice(PHRASES["goods"])
    values: dict[str, Any] = {"item": good, "price_paid": price, "repair_quote": repair}
    paid, quoted = amounts(rng, price, repair)
    text = f"The {good} cost {paid}. The workshop asks {quoted} for the repair."
    if rng.random() < 0.7:
        values["repair_share_of_price"] = rng.choice((f"{percent} %", percent / 100, f"{percent}%"))
        text += f" That is {percent} % of the price."
    rule = rng.choice(SHARE_RULES).format(limit)
    told = [("repair", f"the repair costs under {limit} % of the price"), ("replace", f"it costs {limit} % or more")]
    right = "repair" if under else "replace"
    items = [
        choice(f"{rule} What should we do?", named(rng, "repair", "replace"), right),
        choice(rng.choice((rule, "Which action fits?")), list(told), right),
        noul(f"{rule} Should it be repaired?", under),
        noul(f"{rule} Should it be replaced?", not under),
        noul(f"Is the repair under {limit} % of the price?", under),
    ]
    return Sample(shaped(values, text, rng), tuple(rng.sample(items, rng.randint(1, 3))))


def threshold(rng: random.Random) -> Sample:
    """One measure against one limit, over and under."""
    name, phrase, unit, low, high = rng.choice(PHRASES["measures"])
    limit = rng.randint(low, high)
    value = rng.choice(
        (rng.randint(low, high), limit + rng.choice((-1, 1)) * rng.randint(1, max(2, (high - low) // 6)))
    )
    if value == limit:
        return threshold(rng)
    who, words, over = rng.choice(PHRASES["names"]), name.replace("_", " "), value > limit
    values = {"name": who, name: value, "country": rng.choice(("DE", "US", "FR", "IN"))}
    bands = [(f"up to {limit} {unit}", None), (f"more than {limit} {unit}", None)]
    items = [
        noul(f"Is the {words} over {limit} {unit}?", over),
        noul(f"Is the {words} under {limit} {unit}?", not over),
        noul(f"Is the {words} at least {limit}?", over),
        noul(f"The limit is {limit} {unit}. Is the limit exceeded?", over),
        noul(f"Rule: accept up to {limit} {unit}. Should this be accepted?", not over),
        choice(f"Compare the {words} with {limit} {unit}.", named(rng, "above", "below"), "above" if over else "below"),
        choice("Which band applies?", bands, bands[over][0]),
    ]
    return Sample(shaped(values, f"{who}: {phrase.format(value)}.", rng), tuple(rng.sample(items, rng.randint(1, 4))))


def bands(rng: random.Random) -> Sample:
    """A measure on a scale of 2 to 10 bands that are written out."""
    name, phrase, unit, low, high = rng.choice(PHRASES["measures"])
    size = rng.randint(2, 10)
    step = max(1, (high - low) // size)
    starts = [low + step * index for index in range(size)]
    value = rng.randint(low, starts[-1] + step - 1)
    place = max(index for index, start in enumerate(starts) if value >= start)
    levels = [f"{start} to {start + step - 1} {unit}" for start in starts[:-1]] + [f"{starts[-1]} {unit} or more"]
    asked = rng.choice(
        (f"Which band is the {name.replace('_', ' ')} in?", f"Level of {name}", "Place it on the scale.")
    )
    who = rng.choice(PHRASES["names"])
    scale = Item("score", asked, tuple((level, None) for level in levels), one_hot(size, place))
    return Sample(shaped({"name": who, name: value}, f"{who}: {phrase.format(value)}.", rng), (scale,))


def window(rng: random.Random) -> Sample:
    """Return windows in days, alone and with a second condition."""
    limit, days = rng.choice((7, 10, 14, 21, 28, 30, 45, 60, 90)), rng.randint(0, 120)
    if days == limit:
        return window(rng)
    good, inside, opened = rng.choice(PHRASES["goods"]), days < limit, rng.random() < 0.4
    values = {"item": good, "days_since_delivery": days, "opened": opened}
    state_of = "have opened it" if opened else "it is still sealed"
    text = f"I received the {good} {days} days ago and {state_of}. I would like to return it."
    rule = f"Returns are accepted within {limit} days of delivery"
    told = [("accept", "inside the return window"), ("refuse", "too late")]
    items = [
        noul(f"{rule}. Can it be returned?", inside),
        noul(f"{rule} if the item is unopened. Is the return allowed?", inside and not opened),
        noul("Has the item been opened?", opened),
        noul("Is the item still sealed?", not opened),
        choice(f"{rule}.", list(told), "accept" if inside else "refuse"),
    ]
    return Sample(shaped(values, text, rng), tuple(rng.sample(items, rng.randint(1, 3))))


def record(rng: random.Random) -> Sample:
    """Reading one field of a structured state, or two with and / or."""
    records = PHRASES["records"]
    fields = rng.sample(list(records), rng.randint(2, 6))
    values = {name: rng.choice(records[name]) for name in fields}
    key, second = rng.sample(fields, 2)
    value = values[key]
    other = rng.choice([text for text in records[key] if text != value])
    state: dict[str, Any] = {name: text == "true" if name == "verified" else text for name, text in values.items()}
    if rng.random() < 0.4:
        state = {"id": rng.randint(1, 9999), rng.choice(("customer", "record", "order", "user")): state}
    asked, also = rng.choice((value, other)), rng.choice(records[second])
    first_holds, second_holds = asked == value, also == values[second]
    items = [
        noul(f"Is the {key} {asked}?", first_holds),
        noul(f"Is the {key} not {asked}?", not first_holds),
        noul(f"Is the {key} anything but {asked}?", not first_holds),
        noul(f"Does `{key}` equal {asked}?", first_holds),
        noul(f"Is the {key} {asked} and the {second} {also}?", first_holds and second_holds),
        noul(f"Is the {key} {asked} or the {second} {also}?", first_holds or second_holds),
        choice(rng.choice((f"What is the {key}?", key, f"Value of `{key}`")), named(rng, *records[key]), value),
    ]
    return Sample(state, tuple(rng.sample(items, rng.randint(1, 4))))


GENERATORS: tuple[Callable[[random.Random], Sample], ...] = (policy_share, threshold, threshold, bands, window, record)
