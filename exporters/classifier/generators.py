"""Made decisions about texts: ladders, routing, orders, personal data, claims, passages.

Every generator draws one sample whose answer follows from how it was put together; the wording is in `phrases.json`.
Decisions about numbers and records are in `numbers`.
"""

import random
from collections.abc import Callable
from typing import Any

from exporters.classifier.data import Item, Sample, one_hot
from exporters.classifier.numbers import GENERATORS as NUMBERS
from exporters.classifier.phrases import PHRASES, choice, named, noul


def ladder(rng: random.Random) -> Sample:
    """Urgency, satisfaction, severity or risk: a level of 2 to 5, and yes/no questions on the same scale."""
    scale = PHRASES["ladders"][rng.choice(list(PHRASES["ladders"]))]
    grade, size = rng.randrange(5), rng.choice((2, 3, 4, 5, 5))
    text = rng.choice(scale["grades"][grade])
    levels = tuple((name, None) for name in scale["names"][str(size)])
    if size in (2, 4) and grade == 2:
        return ladder(rng)  # the middle has no place on an even scale
    place = round(grade * (size - 1) / 4) if size != 4 else (0, 1, 1, 2, 3)[grade]
    items = [
        Item("score", rng.choice(scale["asked"]), levels, one_hot(size, place)),
        choice(rng.choice(scale["asked"]), rng.sample(levels, size), levels[place][0]),
    ]
    if grade != 2:
        items.append(noul(rng.choice(scale["yes"]), grade >= scale["yes_from"]))
        items.append(noul(rng.choice(scale["no"]), grade <= 1))
    return Sample(_framed(text, rng), tuple(rng.sample(items, rng.randint(1, 2))))


def _framed(text: str, rng: random.Random) -> Any:
    draw = rng.random()
    if draw < 0.25:
        return (
            f"{rng.choice(PHRASES['openers'])} {text} {rng.choice(PHRASES['closers'])} {rng.choice(PHRASES['names'])}"
        )
    if draw < 0.45:
        return {"message": text, "from": rng.choice(PHRASES["names"])}
    return text


def routing(rng: random.Random) -> Sample:
    """Which team gets a message; the right one is sometimes missing."""
    teams = PHRASES["teams"]
    team = rng.choice(list(teams))
    others = rng.sample([name for name in teams if name != team], rng.randint(1, 6))
    alias = {name: rng.choice((name, name, *teams[name]["aliases"])) for name in (team, *others)}
    plain = rng.random() < 0.4
    options = [(alias[name], None if plain else teams[name]["about"]) for name in (team, *others)]
    answer = alias[team]
    if rng.random() < 0.25:
        told = None if plain else "anything that fits no other team"
        options.append((rng.choice(("other", "none of these", "general", "not listed")), told))
        if rng.random() < 0.5 and len(options) > 2:
            options, answer = options[1:], options[-1][0]
    asked = rng.choice(
        ("Which team should handle this?", "Route the message.", "Department", "Where does it belong?", "")
    )
    wrong = rng.choice(others)
    extra = [
        noul(f"Is this about {teams[team]['about']}?", True),
        noul(f"Is this about {teams[wrong]['about']}?", False),
        noul(f"Should the {wrong} team get this?", False),
        noul(f"Should the {team} team get this?", True),
    ]
    routed = choice(asked, rng.sample(options, len(options)), answer)
    return Sample(_framed(rng.choice(teams[team]["texts"]), rng), (routed, *rng.sample(extra, rng.randint(0, 2))))


def order(rng: random.Random) -> Sample:
    """A message about an order: what is wrong, what is wanted, each also as yes/no, with negated remarks mixed in."""
    trouble, wishes = PHRASES["trouble"], PHRASES["wishes"]
    kind, wish = rng.choice(list(trouble)), rng.choice(list(wishes))
    problems = [name for name in trouble if trouble[name]["fine"]]
    fine = trouble[rng.choice([name for name in problems if name != kind])]["fine"]
    good = rng.choice(PHRASES["goods"])
    text = f"Order {rng.randint(1000, 99999)}: the {good} {rng.choice(trouble[kind]['texts'])}."
    if rng.random() < 0.5:
        text = rng.choice((f"{text} At least it {fine}.", f"My {good} {fine}. {text}"))
    asked, hoped = rng.choice(problems), rng.choice(("refund", "replacement", "repair"))
    fault = kind != "no problem"
    items = [
        choice(rng.choice(("What is the problem?", "Type of complaint", "Classify.")), named(rng, *trouble), kind),
        noul(rng.choice(trouble[asked]["asked"]), asked == kind),
        noul(f"Is it true that it {trouble[asked]['fine']}?", asked != kind) if trouble[asked]["fine"] == fine
        else noul("Is there a complaint?", fault),
        noul(f"Does the customer ask for a {hoped}?", hoped == wish),
        choice("What does the customer want?", named(rng, *wishes), wish),
        noul(rng.choice(("Is the customer satisfied?", "Did everything go well with the order?")), not fault),
    ]  # fmt: skip
    return Sample(
        _framed(f"{text} {rng.choice(wishes[wish])}".strip(), rng), tuple(rng.sample(items, rng.randint(1, 4)))
    )


def personal(rng: random.Random) -> Sample:
    """Whether a text holds personal data, and which."""
    who, number = rng.choice(PHRASES["names"]), rng.randint(100, 999)
    card = " ".join(str(rng.randint(1000, 5599)) for _ in range(4))
    street = rng.choice(("Oak Street", "Station Road", "Hill Lane", "Park Avenue"))
    harmless = ("the meeting starts at nine", "version 2.4 is out", f"we sold {number} units", "room 204 is free")
    month = rng.choice(("March", "July", "October"))
    held = {
        "e-mail address": f"write to {who.lower()}{number}@{rng.choice(('mail.com', 'post.org', 'example.de'))}",
        "phone number": f"call +{rng.randint(1, 99)} {number} {rng.randint(1000, 9999)} {rng.randint(100, 999)}",
        "street address": f"deliver to {number} {street}",
        "card number": f"my card is {card}",
        "date of birth": f"I was born on {rng.randint(1, 28)} {month} {rng.randint(1950, 2005)}",
        "none": rng.choice(harmless),
    }
    kind = rng.choice([*held, "none"])
    text = f"{rng.choice(PHRASES['openers'])} {held[kind]}. {rng.choice(PHRASES['closers'])}"
    asked = rng.choice([name for name in held if name != "none"])
    whether = ("Does the text contain personal data?", "Is there PII in this?", "Can a person be identified from this?")
    items = [
        noul(rng.choice(whether), kind != "none"),
        noul("Is it free of personal data?", kind == "none"),
        noul(f"Does it contain a {asked}?", asked == kind),
        choice("Which personal data is in the text?", named(rng, *held), kind),
    ]
    return Sample(text, tuple(rng.sample(items, rng.randint(1, 3))))


POSITIVE = ("{0} {1}.", "{0} has {1}.", "{0} {1} yesterday.", "Luckily {0} {1}.")
NEGATIVE = ("{0} did not {2}.", "{0} has not {1} yet.", "{0} never {1}.", "{0} forgot to {2}.", "{0} refused to {2}.")
RELATIONS = ("supported", "contradicted", "not mentioned")


def claim(rng: random.Random) -> Sample:
    """Statements that are supported, contradicted or not mentioned, and negation twins."""
    facts, acts = rng.sample(PHRASES["acts"], rng.randint(2, 4)), PHRASES["acts"]
    people = rng.sample(PHRASES["names"], len(facts))
    done = [rng.random() < 0.5 for _ in facts]
    text = " ".join(
        rng.choice(POSITIVE if yes else NEGATIVE).format(who, past, base)
        for who, (past, base), yes in zip(people, facts, done, strict=True)
    )
    index = rng.randrange(len(facts))
    (past, base), who, yes = facts[index], people[index], done[index]
    kind = rng.choice(RELATIONS)
    stated = f"{who} {past}." if yes == (kind == "supported") else f"{who} did not {base}."
    if kind == "not mentioned":
        stated = f"{who} {rng.choice([act for act in acts if act not in facts])[0]}."
    items = [
        noul(f"Did {who} {base}?", yes),
        noul(f"Is it true that {who} did not {base}?", not yes),
        noul(f"Has {who} {past}?", yes),
        noul(f"Does the text contradict this: {who} {past}?", not yes),
        noul(f"Does the text support this: {who} {past}?", yes),
        choice(f"Statement: {stated} How does it relate to the text?", named(rng, *RELATIONS), kind),
    ]
    return Sample(text, tuple(rng.sample(items, rng.randint(1, 3))))


def passage(rng: random.Random) -> Sample:
    """Whether a passage answers a question, and whether an answer agrees with it."""
    facts = rng.sample(PHRASES["passages"], rng.randint(2, 4))
    values = [rng.randint(2, 60) for _ in facts]
    lines = [f"{who} {does} {rest.format(value)}." for (who, does, rest, _), value in zip(facts, values, strict=True)]
    index = rng.randrange(len(facts))
    who, does, rest, question = facts[index]
    unknown = rng.choice([fact for fact in PHRASES["passages"] if fact not in facts])[3]
    said = values[index] + (0 if rng.random() < 0.5 else rng.choice((-1, 1, 10, 25)))
    reply, right = f"{who} {does} {rest.format(said)}.", said == values[index]
    record = {"passage": " ".join(lines), "question": question, "answer": reply}
    items = [
        noul("Is the answer supported by the passage?", right),
        noul("Does the answer contradict the passage?", not right),
        noul("Is the answer made up?", not right),
        choice("Judge the answer.", named(rng, "faithful", "unfaithful"), "faithful" if right else "unfaithful"),
        noul(f"Does the passage say this: {question}", True),
        noul(f"Does the passage say this: {unknown}", False),
        noul(f"Can this be answered from the passage: {unknown}", False),
        noul(f"Can this be answered from the passage: {question}", True),
    ]
    return Sample(record, tuple(rng.sample(items, rng.randint(1, 3))))


Generator = Callable[[random.Random], Sample]

COMPOSED: tuple[Generator, ...] = (claim, claim, passage, personal, order, *NUMBERS)
"""Put together from parts: seldom the same twice."""

PHRASED: tuple[Generator, ...] = (ladder, routing)
"""Whole sentences from a list: a model that sees them often learns them by heart and becomes too sure."""


def generate(rng: random.Random) -> Sample:
    """One made sample."""
    return rng.choice(COMPOSED if rng.random() < 0.8 else PHRASED)(rng)
