"""The console in a browser, as a person uses it; notes whatever a person would not see go wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

WAIT_MS = 60_000
SHIFTS = """
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value);
  }).observe({ type: "layout-shift", buffered: true });
"""


class Console:
    """One page. `complaints` holds errors and warnings of its console, `asked` all addresses that it asked for."""

    def __init__(self, page: Any, url: str) -> None:
        self.page = page
        self.url = url
        self.complaints: list[str] = []
        self.asked: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._said)
        page.add_init_script(SHIFTS)

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def open(self, tab: str = "") -> None:
        """Goes to the page, or to one of its tabs."""
        self.page.goto(f"{self.url}/#{tab}" if tab else f"{self.url}/")
        # Not wait_for_function: it evaluates a string, which the page's own policy refuses.
        self.page.wait_for_selector("#status[data-state]")
        self.page.wait_for_selector("#cascade-panel .chip", state="attached")

    def panel(self, tab: str) -> Any:
        return self.page.locator(f"#{tab}-panel")

    def answered(self, tab: str) -> Any:
        """The result of a tab once nothing runs any more."""
        self.page.wait_for_selector(f"#{tab}-panel .result:not([aria-busy]):not(:has(.idle))", timeout=WAIT_MS)
        return self.panel(tab).locator(".result")

    def run(self, tab: str) -> Any:
        """Presses the tab's button; its result."""
        self.panel(tab).locator(".primary").click()
        return self.answered(tab)

    def outside(self) -> list[str]:
        """Addresses that are not of this gateway."""
        return [address for address in self.asked if not address.startswith(f"{self.url}/")]

    def width(self) -> int:
        return int(self.page.evaluate("document.documentElement.scrollWidth"))

    def shift(self) -> float:
        """How much moved without anyone's doing."""
        return float(self.page.evaluate("window.shifts.reduce((sum, value) => sum + value, 0)"))


@contextmanager
def console(browser: Any, url: str, **options: Any) -> Iterator[Console]:
    """A page in a context of its own; whatever it complained of, or asked elsewhere, fails the test."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **options})
    context.set_default_timeout(WAIT_MS)
    try:
        made = Console(context.new_page(), url)
        yield made
        assert made.complaints == []
        assert made.outside() == []
    finally:
        context.close()
