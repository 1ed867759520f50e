"""What surrounds every page: the product's name, the navigation, and sentences for errors."""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from components.shared import background, loading, query, session, task_list
from components.shared.markdown import in_a_sentence
from components.shared.read_only import close_uploads
from components.shared.studies import tours
from isogloss.former_names import ADDRESSES
from isogloss.places import app_folder

_FRAMED = "framed"
_STYLE = """
<style>
.block-container { padding: 1.6rem 2.4rem 3rem; max-width: 1560px; }
h1 { font-size: 1.75rem !important; letter-spacing: -0.015em; padding: 0 0 0.1rem !important; }
.st-key-finding p { font-size: 1.1rem; line-height: 1.5; max-width: 62rem; }
[class*="st-key-chart-"] { position: relative; }
/* In the chart's corner, an icon alone; its words are for who does not see it. */
[class*="st-key-save-"] {
  position: absolute; top: -1rem; right: -0.2rem; width: max-content; z-index: 2;
  [data-testid="stPopoverButton"] {
    min-height: 0; padding: 0.2rem; opacity: 0.6;
    [data-testid="stMarkdownContainer"] { position: absolute; clip-path: inset(50%); }
    [aria-hidden="true"]:not([data-testid]) { display: none; }
    &:is(:hover, :focus-visible, [aria-expanded="true"]) { opacity: 1; }
  }
}
.st-key-chips [data-testid="stPageLink-NavLink"] {
  border: 1px solid var(--st-border-color, rgb(128 128 128 / 40%)); border-radius: 0.6rem;
  min-height: 2.5rem; margin: 0;
}
@media (max-height: 820px) and (min-width: 641px) {
  .block-container { padding-top: 0.9rem; }
  .block-container > div > [data-testid="stVerticalBlock"] { gap: 0.6rem; }
  h1 { font-size: 1.4rem !important; padding: 0 !important; }
}
/* In a narrow window the sidebar is a row of icons that opens over the page while used. A link
   that was clicked keeps the focus, and does not hold it open over the page it led to. */
@media (min-width: 769px) and (max-width: 1200px) {
  [data-testid="stSidebar"][data-collapsed="false"] {
    width: 3.5rem !important; min-width: 3.5rem !important; overflow: visible;
  }
  [data-testid="stSidebar"][data-collapsed="false"] [data-testid="stSidebarContent"] {
    position: absolute; top: 0; left: 0; width: 18.75rem; height: 100%; padding: 0 0.2rem;
    background-color: inherit;
  }
  [data-testid="stSidebar"]:is(:hover, :has(:focus-visible, :focus:not(a))) {
    [data-testid="stSidebarContent"] { box-shadow: 0 0 2rem rgb(0 0 0 / 25%); }
  }
  [data-testid="stSidebar"]:not(:hover, :has(:focus-visible, :focus:not(a))) {
    [data-testid="stSidebarContent"] { width: 3.5rem; overflow: hidden; }
    [data-testid="stSidebarLogo"] { width: 1.9rem; object-fit: cover; object-position: left; }
    :is(
      [data-testid="stNavSectionHeader"], [data-testid="stSidebarCollapseButton"],
      [data-testid="stSidebarNavLink"] > :nth-child(2)
    ) { visibility: hidden; }
    [data-testid="stSidebarUserContent"] { display: none; }
  }
  /* its right edge, to be drawn at */
  [data-testid="stSidebar"] > :not([data-testid="stSidebarContent"]) { display: none; }
}
[data-testid="stMetricValue"] { font-size: 1.55rem; font-variant-numeric: tabular-nums; }
[data-testid="stMetricLabel"] { opacity: 0.8; }
[data-testid="stCaptionContainer"] { color: inherit !important; opacity: 0.8; }
/* Streamlit writes white on the primary colour, which is a bright one in the dark. */
:is([data-testid="stBaseButton-primary"], [data-testid="stBaseButton-primaryFormSubmit"]):enabled {
  color: light-dark(#ffffff, #11151a) !important;
}
[data-testid="stCode"] .token { color: inherit !important; }
[data-testid="stSelectbox"] input { text-overflow: ellipsis; }
[data-testid="stSelectboxVirtualDropdown"] {
  width: max-content !important; min-width: var(--trigger-width); max-width: min(36rem, 90vw);
}
@media (max-width: 640px) {
  .block-container { padding: 3.8rem 1rem 2rem; }
  h1 { font-size: 1.4rem !important; }
}
</style>
"""


_PAGES = {
    "token_map": ("See", "Token map", "bubble_chart"),
    "languages": ("See", "Languages", "public"),
    "best_layer": ("Measure", "Best layer", "stairs"),
    "similarity": ("Measure", "Similarity", "grid_on"),
    "inner_language": ("Measure", "Inner language", "waves"),
    "transfer": ("Train", "Transfer", "ac_unit"),
    "emergence": ("Train", "Emergence", "timeline"),
    "adaptation": ("Train", "Adaptation", "model_training"),
    "layers_needed": ("Train", "Layers needed", "layers"),
    "sentences": ("Train", "Sentences", "join"),
    "two_models": ("Train", "Two models", "rotate_right"),
    "your_text": ("Bring", "Your text", "upload_file"),
    "studies": ("Bring", "Studies", "inventory_2"),
}
"""Every page by its file: what one does there, what it is called, and its icon."""


def pages() -> dict[str, list[StreamlitPage]]:
    """Every page of the app, by what one does there."""
    there: dict[str, list[StreamlitPage]] = {}
    for name, (section, title, icon) in _PAGES.items():
        path, icon = f"pages/{name}.py", f":material/{icon}:"
        page = st.Page(path, title=title, icon=icon, default=name == "token_map")
        there.setdefault(section, []).append(page)
    there["Bring"] += [_former_page(address, name) for address, name in ADDRESSES.items()]
    return there


def _former_page(address: str, name: str) -> StreamlitPage:
    """Takes whoever comes by an address that was to the page, with all that the link says."""

    def go_on() -> None:
        st.switch_page(f"pages/{name}.py", query_params=st.query_params.to_dict())

    return st.Page(go_on, title="Isogloss", url_path=address, visibility="hidden")


def open_page() -> None:
    """Run the page that was asked for; what the user can mend is said in a sentence."""
    close_uploads()
    page = st.navigation(pages(), expanded=True)
    st.session_state[_FRAMED] = True
    st.html(_STYLE)
    st.logo(app_folder() / "assets" / "wordmark.svg", size="large")
    loading.warm_up()
    session.keep_values()
    session.remember_visitor()
    task_list.show()
    try:
        with background.page_at_work(page.title):
            tours.show(page.url_path)
            page.run()
            query.say_what_cannot_be()  # of a page that runs again the words would be lost
    except Exception as error:
        sentence = in_a_sentence(error)
        if sentence is None:
            raise
        st.error(sentence, icon=":material/error:")


def title(heading: str, lead: str = "") -> None:
    """A page's heading and, if there is one that always holds, the sentence that explains it."""
    _require_frame()
    st.title(heading, anchor=False)
    if lead:
        st.markdown(lead)


def _require_frame() -> None:
    """Go through app.py where Streamlit did not.

    A folder called `pages` makes Streamlit run a page on its own when a link to it is the first
    thing a new server is asked for; once navigation was declared it no longer does.
    """
    if _FRAMED not in st.session_state:
        st.navigation(pages())
        st.rerun()
