import pytest

from gateway.cascades.grounding import missing, unsupported

FACTS = {
    "order_number": "BR-20418",
    "price": {"amount": "1284.50", "currency": "EUR"},
    "delivered": "2026-03-14",
    "limit": 192,
    "note": "two wheels",
}


@pytest.mark.parametrize(
    "text",
    [
        "Your order BR-20418 cost 1,284.50 euros.",
        "It cost 1.284,50 EUR and 192.00.",
        "Delivered on 14 March 2026, that is March 14.",
        "On 2026-03-14, 14th of March, 14.03.2026.",
        "Both of the two wheels.",
        "One of our team will call.",
        "",
    ],
)
def test_what_the_facts_say_is_supported(text: str) -> None:
    assert unsupported(text, FACTS) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It cost 1,284.05.", ["1284.05"]),
        ("Order BR-20419.", ["BR-20419"]),
        ("Within 14 days.", ["14"]),
        ("Your 30-day guarantee.", ["30"]),
        ("By 15 March.", ["15 Mar"]),
        ("On 14 March 2025.", ["14 Mar 2025"]),
        ("In three days, 20 % off", ["3", "20"]),
    ],
)
def test_what_they_do_not_say_is_found(text: str, found: list[str]) -> None:
    assert unsupported(text, FACTS) == found


def test_missing_ignores_case_and_spaces() -> None:
    assert missing("We  will\nREPAIR it", ["we will repair", "replace"]) == ["replace"]
