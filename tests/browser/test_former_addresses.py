"""Links of earlier versions."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_an_address_that_was_leads_to_the_page_with_all_that_it_asks(page, app):
    page.goto(f"{app}/training?layer=4&moment=5")
    expect(page.get_by_role("heading", name="When do the languages meet?")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/emergence\?.*layer=4&moment=5"))
    page.goto(f"{app}/corpus?layer=3")
    expect(page.get_by_role("heading", name="Bring your own text")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/your_text\?.*layer=3"))
    expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(13)
