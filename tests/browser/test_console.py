"""The console in real Chromium against a real stack."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gateway.clients import SERVICES
from gateway.supervisor.background import RunningStack
from tests.browser.console import Console, console
from tests.contract.runtime.process import running

pytestmark = pytest.mark.slow
TABS = ("decide", "extract", "forecast", "cascade")
DEVICES: dict[str, dict[str, Any]] = {
    "desktop": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
}


@pytest.fixture
def page(browser: Any, stack: RunningStack) -> Iterator[Console]:
    with console(browser, stack.http) as made:
        yield made


def texts(found: Any) -> list[str]:
    return [text.strip() for text in found.all_inner_texts()]


def test_one_click_gives_the_first_answer(page: Console) -> None:
    page.open()
    assert "All 4 services are ready" in page.page.locator("#status").inner_text()
    answers = page.run("decide")
    assert answers.locator(".card").count() == 3
    for card in answers.locator(".card").all():
        shares = [float(text.strip("<> %")) for text in texts(card.locator(".bar .share"))]
        assert sum(shares) == pytest.approx(100, abs=0.4)
    assert "tokens" in answers.locator(".facts").inner_text()


def test_rows_can_be_changed(page: Console) -> None:
    page.open("decide")
    panel = page.panel("decide")
    while panel.locator(".row").count():
        panel.locator(".remove").first.click()
    panel.get_by_role("button", name="+ Choice").click()
    page.page.keyboard.type("Which colour is named?")
    panel.locator(".row textarea").fill("red\nblue: the colour of the sky\n\n")
    panel.locator("[name=state]").fill("The bag is blue.")
    answers = page.run("decide")
    assert texts(answers.locator(".bar .name")) == ["red", "blue"]
    answers.locator("summary").click()
    sent = json.loads(answers.locator("pre").first.inner_text())
    assert sent["questions"]["q1"]["criteria"] == {"red": None, "blue": "the colour of the sky"}


def test_values_stand_beside_the_words_that_prove_them(page: Console) -> None:
    page.open("extract")
    sent = page.panel("extract").locator("[name=state]").input_value()
    result = page.run("extract")
    # The text has characters that take two units here and are one code point there.
    assert any(ord(letter) > 0xFFFF for letter in sent)
    shown = result.locator(".reader").evaluate(
        "(reader) => { const copy = reader.cloneNode(true); copy.querySelectorAll('sup').forEach((e) => e.remove());"
        " return copy.textContent; }"
    )
    assert shown == sent
    marks = [mark.evaluate("(mark) => mark.firstChild.data") for mark in result.locator("mark").all()]
    assert {"360.00 EUR", "45.00 EUR", "24.50 EUR"} <= set(marks)
    computed = result.locator(".value", has_text="computed")
    assert computed.locator(".shown").inner_text() == "429.50 EUR"
    assert computed.locator(".computed li").count() == 3
    # The computed value is active from the start: a line leads to each operand.
    assert result.locator(".threads path").count() == result.locator("mark.active").count() == 3
    assert texts(result.locator(".absent .shown")) == ["not in the text"]


def test_spans_count_code_points(page: Console) -> None:
    page.open()
    pieces = page.page.evaluate(
        """async () => (await import("/console/spans.js")).pieces("a😀b👩‍🚀c", [
            { start: 1, end: 3, owner: 1 }, { start: 2, end: 6, owner: 0 }, { start: 5, end: 99, owner: 2 }])"""
    )
    assert pieces == [
        {"text": "a", "owners": []},
        {"text": "😀", "owners": [1]},
        {"text": "b", "owners": [0, 1]},
        {"text": "👩‍🚀", "owners": [0]},
        {"text": "c", "owners": []},
    ]


def test_pasted_numbers(page: Console) -> None:
    page.open()
    read = """async (text) => { const { readNumbers } = await import("/console/numbers.js");
        try { return readNumbers(text); } catch (error) { return error.fields[0].message; } }"""
    assert page.page.evaluate(read, "1, 2;3\n-4e1 .5 - NA") == [1, 2, 3, -40, 0.5, None, None]
    assert page.page.evaluate(read, "1,2,3") == [1, 2, 3]
    assert page.page.evaluate(read, "") == []
    assert "1,234" in page.page.evaluate(read, "1,234 1,300")
    assert "12x" in page.page.evaluate(read, "3 12x")


def test_a_forecast_is_drawn_and_told(page: Console) -> None:
    page.open("forecast")
    result = page.run("forecast")
    for part in ("most", "half", "middle", "seen"):
        assert len(result.locator(f"svg .{part}").get_attribute("d")) > 50
    plot = result.get_by_role("slider")
    assert plot.get_attribute("aria-valuenow") == "61"
    plot.focus()
    page.page.keyboard.press("End")
    last = result.locator(".readout").inner_text()
    assert last.startswith("Step 72, 12 ahead") and plot.get_attribute("aria-valuetext") == last
    plot.hover(position={"x": 60, "y": 100})
    assert "ahead" not in result.locator(".readout").inner_text()
    result.get_by_text("All values as a table").click()
    assert result.locator("tbody tr").count() == 12


def test_gaps_break_the_line(page: Console) -> None:
    page.open("forecast")
    page.panel("forecast").get_by_role("button", name="Daily visitors").click()
    result = page.answered("forecast")
    assert result.locator("svg .seen").get_attribute("d").count("M") == 3


def test_a_cascade_is_seen_while_it_runs(page: Console) -> None:
    page.open("cascade")
    page.panel("cascade").locator(".primary").click()
    page.page.wait_for_selector("#cascade-panel [data-state=running]")
    result = page.answered("cascade")
    assert texts(result.locator(".step .name")) == ["facts", "policy", "mood", "letter", "reply"]
    kinds = texts(result.locator(".step .word"))
    assert kinds == ["small model", "rule", "small model", "rule", "language model"]
    assert result.locator(".verdict").inner_text() == "Decision: repair"
    assert "BR-20418" in result.locator(".reply").inner_text()
    assert "to write" in result.locator(".split").inner_text()


def test_a_letter_about_something_else_goes_to_a_person(page: Console) -> None:
    page.open("cascade")
    page.panel("cascade").locator("[name=email]").fill("Hello, when do you open on Sunday?")
    result = page.run("cascade")
    assert "person" in result.locator(".verdict").inner_text()
    assert "facts" in result.locator(".warning").inner_text()


def refused(page: Console) -> None:
    """A refused request is no fault of the page, but Chromium tells of it as one."""
    page.complaints = [text for text in page.complaints if "Failed to load resource" not in text]


def test_an_error_names_reason_and_field(page: Console) -> None:
    page.open("extract")
    panel = page.panel("extract")
    panel.get_by_role("button", name="+ Money").click()
    panel.locator(".row").last.get_by_label("Name").fill("rest")
    panel.locator(".row").last.get_by_label("How the value is found").select_option("sum")
    panel.locator(".row").last.get_by_label("Fields to compute from").fill("room, nothing")
    problem = page.run("extract").get_by_role("alert")
    assert problem.locator(".reason").inner_text() == "INVALID_FIELD"
    assert "rest" in problem.locator("code").first.inner_text()
    assert panel.locator("[aria-invalid]").count() == panel.locator(".fault").count() == 1
    refused(page)
    # And it is gone when the request is right.
    panel.locator(".row").last.locator(".remove").click()
    assert page.run("extract").get_by_role("alert").count() == 0


def test_two_options_of_one_name(page: Console) -> None:
    page.open("decide")
    page.panel("decide").locator(".row").nth(1).locator("textarea").fill("a\nb\na: again")
    problem = page.run("decide").get_by_role("alert")
    assert "twice" in problem.inner_text()
    assert page.page.evaluate("document.activeElement.getAttribute('aria-invalid')") == "true"


def test_the_keyboard_is_enough(page: Console) -> None:
    page.open()
    keys = page.page.keyboard
    keys.press("Tab")
    assert page.page.evaluate("document.activeElement.className") == "skip"
    keys.press("Tab")
    for tab in (*TABS[1:], TABS[0]):
        keys.press("ArrowRight")
        assert page.page.evaluate("location.hash") == f"#{tab}"
        assert page.panel(tab).is_visible()
        assert page.page.locator("[role=tabpanel]:visible").count() == 1
    keys.press("End")
    keys.press("ArrowLeft")
    assert page.page.locator("[aria-selected=true]").inner_text() == "Forecast"
    outline = page.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    for _ in range(4):  # Over the three examples into the numbers.
        keys.press("Tab")
    assert page.page.evaluate("document.activeElement.name") == "values"
    keys.press("Control+Enter")
    page.answered("forecast").locator("svg .middle").wait_for()  # Drawn once its size is known.


def test_a_link_opens_a_tab(page: Console) -> None:
    page.open("extract")
    assert page.panel("extract").is_visible() and not page.panel("decide").is_visible()
    page.page.evaluate("location.hash = '#cascade'")
    page.page.wait_for_selector("#cascade-panel:not([hidden])")


@pytest.mark.parametrize("device", DEVICES)
def test_it_fits_and_stays_where_it_is(browser: Any, stack: RunningStack, screenshots: Path, device: str) -> None:
    with console(browser, stack.http, **DEVICES[device]) as page:
        width = page.page.viewport_size["width"]
        for tab in TABS:
            page.page.goto("about:blank")
            page.open(tab)
            assert page.shift() < 0.01, tab
            page.run(tab)
            assert page.width() <= width, tab
            # A picture of the whole page has no bottom of the window for the button to stick to.
            flat = "scrollTo(0, 0); document.querySelectorAll('.go').forEach((e) => (e.style.position = 'static'))"
            page.page.evaluate(flat)
            page.page.screenshot(path=screenshots / f"{tab}-{device}.png", full_page=True)


def test_a_locked_gateway_asks_for_its_key(browser: Any, stack: RunningStack, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    flags = [flag for name in SERVICES for flag in (f"--{name}", getattr(stack, name))]
    env = {"QUARTET_GATEWAY_API_KEY": "s3cret"}
    with running(tmp_path, "gateway", "--http", address, *flags, env=env):
        with console(browser, f"http://{address}") as page:
            page.open("decide")
            problem = page.run("decide").get_by_role("alert")
            problem.get_by_label("API key").fill("s3cret")
            problem.get_by_label("API key").press("Enter")
            page.page.wait_for_selector("#decide-panel .card")
            refused(page)


def test_an_answer_out_of_sight_comes_into_view(browser: Any, stack: RunningStack) -> None:
    with console(browser, stack.http, reduced_motion="reduce") as page:
        page.open("extract")
        page.page.evaluate("scrollTo(0, 400)")
        result = page.run("extract")
        assert 0 <= result.evaluate("(element) => element.getBoundingClientRect().top") < 100


def test_the_state_of_the_services_in_words(page: Console) -> None:
    page.open()
    say = """async (services) => (await import("/console/status.js")).inWords(services)"""
    some = {"classifier": "SERVING", "llm": "NOT_SERVING"}
    assert page.page.evaluate(say, some) == {
        "state": "partly",
        "words": "Language model is starting or draining; 1 ready",
    }
    nothing = page.page.evaluate(say, {"llm": "UNREACHABLE"})
    assert nothing == {"state": "down", "words": "Language model does not answer"}
