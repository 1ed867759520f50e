"""The map as notebooks show it: an iframe that holds everything and asks nobody for anything."""

import re

import pytest
from playwright.sync_api import expect

import isogloss as ig

pytestmark = pytest.mark.browser


def test_the_scrubber_works_within_an_iframe(
    page, encoder_directory, corpus, tmp_path, monkeypatch
):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "store"))
    study = ig.extract(str(encoder_directory), corpus, device="cpu")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_content(ig.token_map(study, "pca", pairs=4)._repr_html_())
    inside = page.frame_locator("iframe")
    slider = inside.get_by_role("slider").first
    expect(slider).to_be_visible()
    slider.focus()
    slider.press("End")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("3"))
    assert [url for url in asked if url.startswith("http")] == []
