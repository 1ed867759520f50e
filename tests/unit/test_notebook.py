"""The example notebook: a fresh kernel runs it offline, and what is kept of it is what it says."""

import json

import nbformat

from docs.make_notebook import NOTEBOOK, ROOT, execute

MOST_BYTES = 2_000_000


def told(notebook, cell):
    """What a code cell shows, without pictures, which another version may draw otherwise."""
    outputs = notebook.cells[cell].outputs
    return [output.get("text") or output.data.get("text/plain") for output in outputs]


def test_a_fresh_kernel_says_what_is_kept(tmp_path):
    kept = nbformat.read(NOTEBOOK, as_version=4)
    fresh = execute(tmp_path / "cache")
    code = [number for number, cell in enumerate(kept.cells) if cell.cell_type == "code"]
    assert [kept.cells[number].execution_count for number in code] == list(range(1, len(code) + 1))
    for number in code[:-1]:  # the last one computes anew, and rounding differs by machine
        assert told(fresh, number) == told(kept, number), "write it anew: make notebook"
        assert kept.cells[number].outputs
    assert "morning" in told(fresh, code[-1])[0]
    figures = [o for number in code for o in kept.cells[number].outputs if "plotly" in str(o)]
    assert len(figures) == 2
    assert "srcdoc" in str(kept.cells), "the map is in it"


def test_it_is_small_and_knows_no_machine():
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert len(text.encode()) < MOST_BYTES
    assert str(ROOT) not in text
    assert "site-packages" not in text
    assert json.loads(text)["metadata"]["kernelspec"]["name"] == "python3"


def test_the_notebook_for_colab_runs_after_the_wheel_is_there(tmp_path, monkeypatch):
    """Colab itself cannot be tried here; what its cells say is, but for the installation."""
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path))
    notebook = nbformat.read(ROOT / "docs" / "colab.ipynb", as_version=4)
    nbformat.validate(notebook)
    installs, *cells = (cell.source for cell in notebook.cells if cell.cell_type == "code")
    assert "[notebook]" in installs
    names = {}
    for cell in cells[:-1]:  # the last one computes a study, as the example notebook does
        exec(cell, names)
    assert names["view"].layer == 8
    compile(cells[-1], "colab", "exec")
    assert not any(cell.get("outputs") for cell in notebook.cells)
