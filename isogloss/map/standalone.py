"""The layer scrubber as one HTML file that works offline by double click."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from dataclasses import asdict
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
#map { margin-bottom: 44px; }
#map .scrubber:not(.talk) .caption { display: block; }
details { margin: 14px 4px 0; }
summary { cursor: pointer; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 18px; }
dt { opacity: 0.7; } dd { margin: 0; overflow-wrap: anywhere; }
"""


def html_document(data: ScrubberData, **view: Any) -> str:
    """Return a self-contained page with the very same scrubber, opened at the given view.

    `view` takes the fields of `MapView` (layer, pins, color_by, links, labels, talk). A content
    security policy lets only the page's own script and style run, named by their hashes, and
    forbids every network access. All data lies in base64 or escaped, so it can't become markup.
    """
    styles, code = style() + _PAGE_STYLE, script("standalone")
    policy = (
        f"default-src 'none'; script-src '{_source_hash(code)}'; "
        f"style-src '{_source_hash(styles)}'; "
        "img-src blob: data:; base-uri 'none'; form-action 'none'"
    )
    shown = json.dumps(asdict(MapView(**view)) | {"height": None}).replace("<", "\\u003c")
    title = html.escape(data.caption or "Isogloss")
    rows = "".join(
        f"<dt>{html.escape(name)}</dt><dd>{html.escape(str(value))}</dd>"
        for name, value in data.provenance.items()
    )
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
<div id="map"></div>
<details><summary>How this was made</summary><dl>{rows}</dl></details>
<script type="application/json" id="view">{shown}</script>
<script type="text/plain" id="payload">{base64.b64encode(data.blob).decode("ascii")}</script>
<script type="module">{code}</script>
</body>
</html>
"""


def _source_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
