from decimal import Decimal

import pytest

from gateway.cascades.grounding import unsupported
from gateway.demo.answers import Side, StepTaken, amount, judge, reply_problems
from gateway.demo.emails import FIELDS, again, shipped
from gateway.demo.llm_alone import _read_action, _read_json, _writing_prompt
from gateway.demo.prices import Prices

TRUTH = shipped()[0].truth or {}
GOOD = "About order BR-20418: we will repair your oak side table of 14 March 2026, as 96.00 EUR is under 144.00 EUR."


def test_the_truth_of_every_email_stands_in_it_and_follows_the_policy() -> None:
    for email in shipped():
        assert email.truth is not None
        assert set(email.truth) == {*FIELDS, "action"}
        facts = {name: f"{value:.2f}" if isinstance(value, float) else value for name, value in email.truth.items()}
        assert unsupported(" ; ".join(str(facts[name]) for name in FIELDS), email.text) == []
        under = Decimal(facts["repair_quote"]) < Decimal("0.60") * Decimal(facts["price_paid"])
        assert email.truth["action"] == ("repair" if under else "replace")
        assert max(map(len, email.text.splitlines())) <= 94


def test_a_letter_comes_again_about_another_order() -> None:
    for email in shipped():
        second = again(email, 1)
        assert email.truth and second.truth
        assert second.truth["order_number"] != email.truth["order_number"]
        assert second.truth["order_number"] in second.text
        assert email.truth["order_number"] not in second.text
        assert again(email, 0) == email


def test_a_reply_is_judged_by_the_truth() -> None:
    assert reply_problems(GOOD, TRUTH) == []
    assert reply_problems("", TRUTH) == ["no reply"]
    assert reply_problems(GOOD.replace("repair", "replace"), TRUTH) == ["promises to replace"]
    assert reply_problems(GOOD.replace("96.00", "69.00"), TRUTH) == ["says 69"]
    assert reply_problems(GOOD.replace("BR-20418", "your order"), TRUTH) == ["does not name BR-20418"]
    assert reply_problems(GOOD.replace("oak side table", "lamp"), TRUTH) == ["does not name oak side table"]
    assert reply_problems("We will repair or we will replace it.", TRUTH)[-1] == "promises to repair and replace"


def test_answers_are_right_by_value_not_by_spelling() -> None:
    values = {
        "order_number": "br-20418",
        "item": "an Oak side table",
        "price_paid": {"amount": "240.00", "currency": "EUR"},
        "repair_quote": "96 EUR",
        "order_date": "2026-03-03",
        "delivery_date": "2026-03-15",
        "action": None,
    }
    verdicts = {v.name: v.right for v in judge(Side((), values, GOOD, 1.0), TRUTH)}
    assert verdicts == {
        "order_number": True,
        "item": True,
        "price_paid": True,
        "repair_quote": True,
        "order_date": True,
        "delivery_date": False,
        "action": False,
        "reply": True,
    }
    assert all(v.right is None for v in judge(Side((), values, GOOD, 1.0), None))


def test_what_is_left_to_a_person_is_neither_right_nor_wrong() -> None:
    side = Side((), {"order_number": "BR-20418"}, "", 1.0, stopped="goes to a person: price_paid was not found")
    verdicts = {v.name: v.right for v in judge(side, TRUTH)}
    assert (verdicts["order_number"], verdicts["price_paid"]) == (True, False)
    assert (verdicts["action"], verdicts["reply"]) == (None, None)


@pytest.mark.parametrize(
    ("value", "read"),
    [({"amount": "1.50"}, "1.50"), ("$1,200.00", "1200.00"), (96, "96"), ("none", None), (None, None), (True, None)],
)
def test_amounts(value: object, read: str | None) -> None:
    assert amount(value) == (None if read is None else Decimal(read))


def test_the_baseline_is_read_generously() -> None:
    assert _read_json('Sure! {"item": "lamp", "price_paid": 8.5} Bye') == {"item": "lamp", "price_paid": 8.5}
    assert _read_json('{"item": "lamp", "item": "desk", "price_paid": 8.5, "x": "cut of') == {
        "item": "lamp",
        "price_paid": 8.5,
    }
    assert _read_json("no idea") == {}
    assert _read_action("I would Replace.") == "replace"
    assert _read_action("no idea") is None


def test_the_baseline_writes_from_the_same_prompt() -> None:
    prompt = _writing_prompt({"order_number": "A-1", "delivery_date": "2026-03-14", "action": "repair"})
    assert "order: A-1\nitem: unknown\ndelivered: 14 March 2026" in prompt[-1][1]
    assert [role for role, _ in prompt] == ["system", "user", "assistant", "user", "assistant", "user"]


def test_costs_at_stated_prices() -> None:
    prices = Prices(small_in=1.0, llm_in=2.0, llm_out=4.0)
    assert prices.of(StepTaken("a", "extractor", 0.1, 1_000_000)) == 1.0
    assert prices.of(StepTaken("a", "llm", 0.1, 1_000_000, 500_000)) == 4.0
    assert prices.of(StepTaken("a", "arithmetic", 0.1)) == 0.0
