"""One Chromium, the system's own, and one server for all browser tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from isogloss.lab.runs.queue import Runs
from isogloss.store import Store
from tests.helpers.server import CHROMIUM, CHROMIUM_ARGUMENTS, running_app

TIMEOUT = 240_000
"""Milliseconds; generous, because a page that computes may share its cores."""
expect.set_options(timeout=TIMEOUT)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give browser tests, and no others, a second try, which the summary then tells.

    A real browser beside a busy server can lose an event in ways that neither the app nor a test
    can prevent, and one such loss in two hundred tests should not refuse a change. What fails twice
    is broken; what needs its second try again and again should be mended like any other test.
    """
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=list(CHROMIUM_ARGUMENTS)
        )
        yield started
        started.close()


@pytest.fixture(scope="session")
def app_store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """What the server keeps: the studies and runs of all browser tests."""
    return Store(tmp_path_factory.mktemp("app") / "cache", demo=None)


@pytest.fixture(scope="session")
def runs(app_store: Store) -> Runs:
    return Runs(app_store, shipped=None)


@pytest.fixture(scope="session")
def app(app_store: Store) -> Iterator[str]:
    """The address of the app; its start costs more than most of the tests."""
    with running_app(app_store.root) as address:
        yield address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 860}, accept_downloads=True)
    context.set_default_timeout(TIMEOUT)
    yield context.new_page()
    context.close()
