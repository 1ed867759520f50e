"""What the first page waits for: only these libraries are loaded before the map is drawn."""

import os
import subprocess
import sys

from tests.pages.conftest import ROOT

BEFORE_THE_FIRST_PICTURE = {
    "charset_normalizer",
    "cloudpickle",
    "cython_runtime",
    "dateutil",
    "filelock",
    "numpy",
    "packaging",
    "pyarrow",
    "safetensors",
}
"""Beside the standard library, Streamlit with what it stands on, and our own packages.

pyarrow reads the token table. torch, transformers, pandas, scipy and scikit-learn are not here:
each takes about as long as all of these.
"""

SCRIPT = """
import sys
from streamlit.testing.v1 import AppTest
of_streamlit = {name.partition(".")[0] for name in sys.modules}
import components.layer_scrubber as scrubber
from components.shared import loading

draw, loaded = scrubber.layer_scrubber, []

def watch(*words, **options):
    loaded.extend(name for name in sys.modules if not name.startswith("_"))
    return draw(*words, **options)

scrubber.layer_scrubber = watch
loading.warm_up = lambda: None  # it waits until the page has had the server to itself
app = AppTest.from_file("app.py", default_timeout=250).run()
assert not app.exception, app.exception
roots = {name.partition(".")[0] for name in loaded}
assert "components" in roots, "the map was not drawn"
of_runs = ("isogloss.experiments.", "isogloss.training.")
early = [name for name in loaded if name.startswith(of_runs)]
assert not early, f"experiments are for pages of their own: {early}"
ours = {"app", "cache", "components", "isogloss", "pages"}
print(*sorted(roots - of_streamlit - ours - set(sys.stdlib_module_names)))
"""


def test_what_is_imported_before_the_first_picture(tmp_path):
    script = tmp_path / "first.py"
    script.write_text(SCRIPT.replace('"app.py"', repr(str(ROOT / "app.py"))), encoding="utf-8")
    environment = os.environ | {"ISOGLOSS_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    finished = subprocess.run(
        [sys.executable, str(script)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
    more = set(finished.stdout.split()) - BEFORE_THE_FIRST_PICTURE
    assert more == set(), "import it within the function that needs it"
