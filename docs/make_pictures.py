"""The pictures of the README, made from the running app: `make pictures`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from docs.making.demo import EVERYDAY, first_maps
from isogloss.map.data import scrubber_data
from isogloss.map.film import animate, film_scene
from isogloss.map.maps import find_map
from isogloss.models.presets import DEFAULT_MODEL
from isogloss.store import Store
from isogloss.studies.study import list_studies
from tests.helpers.server import CHROMIUM, CHROMIUM_ARGUMENTS, running_app

PICTURES = Path(__file__).parent / "pictures"
DESKTOP, PROJECTOR = (1440, 900), (1024, 768)
AT_REST = """() => !document.querySelector(
    '[data-testid=stStatusWidget], [data-testid=stSkeleton], [data-testid=stProgress]'
) && [...document.querySelectorAll('[data-testid=stPlotlyChart]')].every(
    chart => chart.querySelector('.main-svg, canvas')
)"""
OTHER_PAGES = (
    "similarity",
    "best_layer",
    "languages",
    "inner_language",
    "transfer",
    "emergence",
    "adaptation",
    "layers_needed",
    "sentences",
    "two_models",
    "your_text",
)
PAGES = {"token_map": "", **{name: name for name in OTHER_PAGES}}


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as empty:
        with running_app(Path(empty)) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=list(CHROMIUM_ARGUMENTS)
            )
            for name, path in PAGES.items():
                for theme in ("light", "dark"):
                    take(browser, f"{address}/{path}", f"{name}-{theme}", DESKTOP, theme)
            take(browser, f"{address}/?talk=1", "talk", PROJECTOR, "dark")
            browser.close()
        film(Store(Path(empty)))


def take(browser: Browser, url: str, name: str, size: tuple[int, int], theme: str) -> None:
    """One screenshot, taken when the page has come to rest."""
    page: Page = browser.new_page(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if theme == "dark" else "light",
    )
    page.goto(url)
    page.get_by_role("heading", level=1).wait_for(timeout=120_000)
    page.wait_for_timeout(2_000)
    page.wait_for_function(AT_REST, timeout=120_000)
    page.wait_for_timeout(2_000)
    page.screenshot(path=PICTURES / f"{name}.png")
    page.close()


def film(store: Store) -> None:
    """The map that the app opens on, through all its layers; small enough for a README."""
    name, _, _ = EVERYDAY.partition(".")
    study = next(
        study
        for study in list_studies(store)
        if study.model == DEFAULT_MODEL
        and str(study.entry.facts["corpus"]).startswith(name)
        and study.languages == ("en", "zh")
    )
    token_map = find_map(study, first_maps()[0])
    assert token_map is not None
    data = film_scene(scrubber_data(study, token_map))
    animate(
        data, PICTURES / "layers.gif", size=(800, 450), seconds_per_layer=0.7, frames_per_second=8
    )


if __name__ == "__main__":
    main()
