"""The form that starts a run, as a person fills it in; and the run that comes of it."""

from __future__ import annotations

import re
from pathlib import Path

from hands import choose, press
from playwright.sync_api import Locator, Page, expect

from isogloss.lab.runs.queue import Runs
from isogloss.lab.runs.run import Run
from tests.helpers.waiting import wait_until

TRAINING_TIMEOUT = 600_000


class RunForm:
    """The form of the page whose keys begin with `key`."""

    def __init__(self, page: Page, key: str) -> None:
        self.page = page
        self._key = key
        self._form = page.locator(f".st-key-{key}-form")
        self._start = page.locator(f".st-key-start-{key} button")

    def open(self) -> RunForm:
        """Unfold the form, unless it is, since there is nothing else to show."""
        folded = self._form.locator("details").first
        expect(folded).to_be_visible()
        if folded.get_attribute("open") is None:
            press(folded.locator("summary").first)
        expect(self._start).to_be_visible()
        return self

    def name_model(self, directory: Path) -> None:
        choose(self.page.get_by_role("combobox", name="Model", exact=True), "Another model")
        # Until a model is named there is nothing to start.
        expect(self._start).to_have_count(0)
        named = self.page.get_by_role("textbox", name="Hub id")
        named.fill(str(directory))
        named.press("Enter")
        expect(self._start).to_be_enabled()

    def fill(self, name: str, value: str, proof: str) -> None:
        """Fill a field and wait until what the form says follows from it."""
        field = self.page.locator(f".st-key-{self._key}-{name} input")
        field.fill(value)
        field.press("Enter")
        self.expect_text(proof)

    def choices(self, name: str) -> Locator:
        """The field of a list of choices; Backspace takes the last one out."""
        return self.page.locator(f".st-key-{self._key}-{name}").get_by_role("combobox")

    def expect_text(self, text: str) -> None:
        expect(self._form.get_by_text(text).first).to_be_visible()

    def start(self, runs: Runs) -> Run:
        """Start the run and, while it is under way, reload the page."""
        before = set(runs.all())
        press(self._start)
        wait_until(lambda: len(runs.all()) > len(before))
        (run,) = set(runs.all()) - before
        expect(self.page).to_have_url(re.compile(f"run={run.id}"))
        self.page.reload()
        return run

    def expect_result(self, run: Run, parts: str) -> None:
        """The run is finished, and the page shows it and nothing else."""
        wait_until(lambda: run.state in ("finished", "failed"))
        assert run.state == "finished", run.problem
        under_way = self.page.get_by_text(re.compile(rf"\d of {parts} done"))
        expect(under_way).to_have_count(0)
        expect(self.page).to_have_url(re.compile(f"run={run.id}"))
        assert self.page.get_by_test_id("stException").count() == 0
