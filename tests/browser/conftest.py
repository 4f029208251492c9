"""A real Chromium. Nothing is installed from here: what is missing is named."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "console"


def executable() -> str:
    """Path of the browser; fails with what to install."""
    wanted = os.environ.get("QUARTET_CHROMIUM")
    found = wanted or next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        pytest.fail(
            "the console's test needs Chromium: install it (Debian: apt-get install chromium) "
            "or set QUARTET_CHROMIUM to its path",
            pytrace=False,
        )
    return found


# Not for the session: Playwright keeps an event loop in this thread, and tests of other folders start their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.fail("the console's test needs the extra `browser`: pip install -e '.[browser]'", pytrace=False)
    path = executable()
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield made
        made.close()


@pytest.fixture
def screenshots() -> Path:
    """Where the pictures of the last run are kept."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return SCREENSHOTS
