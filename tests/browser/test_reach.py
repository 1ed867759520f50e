"""Who uses no mouse or sees no colours gets everywhere: axe-core on all pages, and the Tab key."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hands import wait_for_rest
from playwright.sync_api import Browser, Page, expect
from scrubber_driver import Scrubber

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
STREAMLITS_OWN = {
    # The sections of its navigation are <div> within <ul>; Isogloss has no say in that.
    "list": "stSidebarNavItems",
    "listitem": "stSidebarNavItems",
}
"""Rule by rule, the part of Streamlit's page whose fault cannot be mended from here."""
CHECK = """async (streamlits) => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    const element = (target) => document.querySelector([target].flat(2)[0]);
    const part = (rule) => `[data-testid=${streamlits[rule]}]`;
    const own = (rule, { target }) => element(target[0])?.closest(part(rule));
    return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
        .flatMap(({ id, nodes }) => nodes.filter((node) => !(streamlits[id] && own(id, node)))
            .map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`));
}"""
WHERE = """() => {
    let where = document.activeElement;
    while (where.shadowRoot?.activeElement) where = where.shadowRoot.activeElement;
    return where.getAttribute("role") ?? where.tagName;
}"""


@pytest.fixture(scope="session")
def axe() -> Path:
    """The script, as package-lock.json names it; without Node and npm nothing can be checked."""
    if not AXE.exists() and shutil.which("npm"):
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=ROOT, check=False)
    if not AXE.exists() and not os.environ.get("CI"):
        pytest.skip("axe-core is not installed: npm ci")
    return AXE


def pages() -> list[str]:
    return ["", *sorted(path.stem for path in (ROOT / "pages").glob("*.py"))]


def open_page(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("h1").wait_for()
    wait_for_rest(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_fault(browser: Browser, app: str, axe: Path, scheme):
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    context.set_default_timeout(240_000)
    page = context.new_page()
    faults = {}
    for name in pages():
        open_page(page, f"{app}/{name if name != 'token_map' else ''}")
        page.add_script_tag(path=axe)
        faults[name] = page.evaluate(CHECK, STREAMLITS_OWN)
    context.close()
    assert not {name: found for name, found in faults.items() if found}


def test_the_slider_is_at_most_the_fifth_stop_of_tab_and_shows_that_it_has_the_focus(
    page: Page, app: str
):
    scrubber = Scrubber(page).open(f"{app}/?layer=8")
    wait_for_rest(page)
    drawn = "e => e.querySelector('.strip').toDataURL()"
    before = scrubber.root.evaluate(drawn)
    stops = []
    while "slider" not in stops and len(stops) < 5:
        page.keyboard.press("Tab")
        stops.append(page.evaluate(WHERE))
    assert stops[-1] == "slider"
    scrubber.settle()
    assert scrubber.root.evaluate(drawn) != before
    page.keyboard.press("ArrowRight")
    scrubber.wait("element.scrubber.layer === 9")


def test_what_the_picture_shows_can_be_read_as_a_table(page: Page, app: str):
    scrubber = Scrubber(page).open(f"{app}/?layer=8")
    table = page.get_by_role("table", name="Layer 8")
    expect(table.get_by_role("row").nth(1)).to_contain_text("burst")
    first = scrubber.get("pins")[0]
    assert table.locator("tbody tr").count() == 100
    scrubber.page.get_by_role("slider").press("Home")
    row = page.get_by_role("table", name="Layer 0").get_by_role("row").nth(1)
    expect(row).to_contain_text("burst")
    assert scrubber.get("pins")[0] == first
