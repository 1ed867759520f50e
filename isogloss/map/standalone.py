"""The layer scrubber as one HTML file that works offline by double click."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from dataclasses import asdict, dataclass
from typing import Any

from isogloss.map.bundle import script, style
from isogloss.map.payload import MapView, ScrubberData

_PAGE_STYLE = """
:root { color-scheme: light dark; --st-background-color: #ffffff; --st-text-color: #20242c; }
@media (prefers-color-scheme: dark) {
  :root { --st-background-color: #11151c; --st-text-color: #e8eaee; }
}
html { background: var(--st-background-color); color: var(--st-text-color); }
body { margin: 0; padding: 12px 16px; font: 15px/1.5 system-ui, "Segoe UI", "Noto Sans CJK SC",
  "PingFang SC", "Microsoft YaHei", "Source Han Sans SC", sans-serif; }
#maps { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: 12px;
  margin-bottom: 44px; }
@media (max-width: 800px) { #maps { grid-auto-flow: row; } }
#maps .scrubber:not(.talk) .caption { display: block; }
details { margin: 14px 4px 0; }
summary { cursor: pointer; }
h2 { margin: 14px 0 0; font-size: 1em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 18px; }
dt { opacity: 0.7; } dd { margin: 0; overflow-wrap: anywhere; }
"""


@dataclass(frozen=True, eq=False)
class Comparison:
    """A second map, which stands beside the first, and what the two are called."""

    name: str
    data: ScrubberData
    first_name: str


def html_document(data: ScrubberData, beside: Comparison | None = None, **view: Any) -> str:
    """Return a self-contained page with the very same scrubber, opened at the given view.

    `view` takes the fields of `MapView` (layer, pins, color_by, links, labels, talk). The map that
    is `beside` follows the first, as it does in the app. A content security policy lets only the
    page's own script and style run, named by their hashes, and forbids every network access. All
    data lies in base64 or escaped, so it can't become markup.
    """
    maps = [_map(data, MapView(**view))]
    made = [_how_made(data)]
    if beside is not None:
        maps = [
            _map(data, MapView(**view), pane="first", name=beside.first_name),
            _map(beside.data, MapView(), pane="second", name=beside.name),
        ]
        made = [
            f"<h2>{html.escape(name)}</h2>{_how_made(each)}"
            for name, each in ((beside.first_name, data), (beside.name, beside.data))
        ]
    styles, code = style() + _PAGE_STYLE, script("standalone")
    policy = (
        f"default-src 'none'; script-src '{_source_hash(code)}'; "
        f"style-src '{_source_hash(styles)}'; "
        "img-src blob: data:; base-uri 'none'; form-action 'none'"
    )
    title = html.escape(data.caption or "Isogloss")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{styles}</style>
</head>
<body>
<div id="maps">
{"".join(maps)}
</div>
<details><summary>How this was made</summary>{"".join(made)}</details>
<script type="module">{code}</script>
</body>
</html>
"""


def _map(data: ScrubberData, view: MapView, **more: str) -> str:
    """Where a map will stand, with its view and its data within."""
    shown = json.dumps(asdict(view) | {"height": None} | more).replace("<", "\\u003c")
    return f"""<div>
<script type="application/json" class="view">{shown}</script>
<script type="text/plain" class="payload">{base64.b64encode(data.blob).decode("ascii")}</script>
</div>"""


def _how_made(data: ScrubberData) -> str:
    rows = "".join(
        f"<dt>{html.escape(name)}</dt><dd>{html.escape(str(value))}</dd>"
        for name, value in data.provenance.items()
    )
    return f"<dl>{rows}</dl>"


def _source_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
