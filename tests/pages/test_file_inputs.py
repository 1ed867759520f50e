"""Files in forms: visitors upload, paths are for the owner, and a run finds what was uploaded."""

import os
import tomllib
from pathlib import Path

import pytest
import streamlit as st
from streamlit import config

from components.shared import file_inputs
from components.shared.file_inputs import check_model_name, may_name_paths, named_path
from components.shared.runs.nli_form import UPLOAD_MEGABYTES
from isogloss.errors import IsoglossError
from isogloss.settings import FILES
from isogloss.text.nli import BUNDLED_DIRECTORY
from isogloss.text.reading import GivenFile
from isogloss.text.uploads import keep_upload, prune_uploads
from tests.helpers.server import ROOT

EVERYWHERE = "0.0.0.0"


@pytest.fixture
def listen(monkeypatch):
    """Have the server listen on an address."""
    monkeypatch.delenv(FILES.name, raising=False)
    asked = st.get_option

    def listen_on(address: str | None) -> None:
        def answer(name: str) -> object:
            return address if name == "server.address" else asked(name)

        monkeypatch.setattr(file_inputs.st, "get_option", answer)

    return listen_on


def path_fields(app):
    return [field for field in app.text_input if (field.key or "").startswith("path-")]


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("localhost", True), ("127.0.0.1", True), ("127.0.0.2", True), ("::1", True),
        (EVERYWHERE, False), ("::", False), ("192.168.1.4", False), ("example.org", False),
        (None, False),
    ],
)  # fmt: skip
def test_paths_are_for_a_server_of_this_machine(listen, address, local, tmp_path):
    listen(address)
    assert may_name_paths() == local
    if local:
        assert named_path(str(tmp_path)) == str(tmp_path)
        check_model_name(str(tmp_path))
        return
    for name in (str(tmp_path), f"random:{tmp_path}#1", "~", "./model", "/etc/passwd"):
        with pytest.raises(IsoglossError, match="files on it cannot be named"):
            check_model_name(name)
    for name in ("mini-en-zh", "random:mini-en-zh", "google-bert/bert-base-chinese@main", ""):
        check_model_name(name)


@pytest.mark.parametrize("address", [EVERYWHERE, "localhost"])
def test_paths_below_the_directory_that_the_owner_allows(listen, monkeypatch, tmp_path, address):
    listen(address)
    allowed, other = tmp_path / "allowed", tmp_path / "allowed-not"
    for directory in (allowed, other):
        directory.mkdir()
        (directory / "a.tsv").write_text("text")
    (allowed / "link").symlink_to(other)
    monkeypatch.setenv(FILES.name, str(allowed))
    assert named_path(str(allowed / "a.tsv")) == str((allowed / "a.tsv").resolve())
    for path in (other / "a.tsv", allowed / "link" / "a.tsv", allowed / ".." / "allowed-not"):
        with pytest.raises(IsoglossError, match="only what is below"):
            named_path(str(path))


def test_a_visitor_brings_nli_files_and_the_run_has_them(open_app, runs, listen, app_store):
    listen(EVERYWHERE)
    app = open_app("transfer")
    app.segmented_control(key="transfer-data").set_value("files").run()
    assert not path_fields(app)
    wanted = ["train.en.tsv", "dev.en.tsv", "dev.zh.tsv", "test.en.tsv", "test.zh.tsv"]
    files = [(name, (BUNDLED_DIRECTORY / name).read_bytes(), "text/plain") for name in wanted]
    app.get("file_uploader")[0].set_value(files).run()
    assert not app.exception
    app.button(key="start-transfer").click().run()
    (run,) = runs.all("transfer")
    directory = Path(run.plan.data)
    assert sorted(path.name for path in directory.iterdir()) == sorted(wanted)
    assert len(run.plan.read_data().train) > 0
    # Long afterwards the run still has them.
    later = directory.parent.stat().st_mtime + 1e6
    prune_uploads(app_store.root, runs.named_files(), later)
    assert directory.is_dir()
    runs.remove(run)
    prune_uploads(app_store.root, runs.named_files(), later)
    assert not directory.exists()


def test_a_visitor_brings_files_to_the_sentences_form(open_app, runs, listen):
    listen(EVERYWHERE)
    app = open_app("sentences")
    app.segmented_control(key="sentences-source").set_value("file").run()
    app.selectbox(key="sentences-text").set_value("file").run()
    app.selectbox(key="sentences-sts").set_value("file").run()
    assert not path_fields(app)
    texts = {
        "nli": ("train.en.tsv", (BUNDLED_DIRECTORY / "train.en.tsv").read_bytes()),
        "text": ("mine.en-zh.tsv", "Yes.\t是。\nNo.\t不。\nTea.\t茶。\n".encode()),
        "sts": ("sts.en.tsv", b"a\tb\t1\na\tc\t2\na\td\t3\n"),
    }
    for key, (name, data) in texts.items():
        fields = {field.key: field for field in app.get("file_uploader")}
        fields[f"upload-sentences-{key}"].set_value((name, data, "text/plain")).run()
    assert not app.exception
    app.button(key="start-sentences").click().run()
    (run,) = runs.all("sentences")
    data = run.plan.read_data()
    assert (len(data.nli), len(data.text), len(data.sts[0])) == (744, 3, 3)


def test_a_visitor_cannot_have_a_directory_loaded_as_a_model(open_app, listen, encoder_directory):
    listen(EVERYWHERE)
    app = open_app("transfer")
    app.selectbox[0].set_value("Another model …").run()
    field = next(field for field in app.text_input if field.label.startswith("Hub id"))
    assert "directory" not in field.label
    field.set_value(str(encoder_directory)).run()
    assert any("files on it cannot be named" in warning.value for warning in app.warning)
    assert not [button for button in app.button if button.key == "start-transfer"]


def test_old_uploads_go_when_something_is_uploaded(open_app, app_store):
    old = Path(keep_upload(GivenFile("old.txt", b"old"), app_store.root))
    os.utime(old.parent, (0, 0))
    app = open_app("your_text")
    field = app.get("file_uploader")[0]
    field.upload("mine.en-zh.tsv", "Yes.\t是。\n".encode(), "text/plain").run()
    assert app.metric[0].value == "1"
    assert not old.exists()


@pytest.fixture
def server_takes():
    """Set how many megabytes the server takes."""
    before = config.get_option("server.maxUploadSize")
    yield lambda allowed: config.set_option("server.maxUploadSize", allowed)
    config.set_option("server.maxUploadSize", before)


def test_forms_promise_what_the_server_takes(open_app, server_takes):
    """The server refuses whatever is larger than its setting, whoever promised more."""
    server_takes(7)
    app = open_app("transfer")
    app.segmented_control(key="transfer-data").set_value("files").run()
    assert [field.proto.max_upload_size_mb for field in app.get("file_uploader")] == [7]
    app = open_app("your_text")
    assert [field.proto.max_upload_size_mb for field in app.get("file_uploader")] == [7]
    app.segmented_control[0].set_value("Paste").run()
    app.text_area[0].set_value("A cat.\t一只猫。").run()
    app.segmented_control[1].set_value("I have its vectors").run()
    assert [field.proto.max_upload_size_mb for field in app.get("file_uploader")] == [7, 7]
    assert any("More than 7 MB a file" in each.value for each in app.caption)


def test_the_server_takes_the_largest_file_that_a_form_asks_for():
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["maxUploadSize"] >= max(file_inputs.MEGABYTES, UPLOAD_MEGABYTES)
