"""The studies page: what is kept, its names, and deleting, moving and bringing it back."""

from dataclasses import replace

import pytest

from isogloss.store import export_entries
from isogloss.store.names import given_name
from isogloss.studies.extraction import extract
from isogloss.studies.study import Study, list_studies, told_apart
from tests.helpers.pages import said


def press(app, key):
    app.button(key=key).click().run()
    assert not app.exception, app.exception
    return app


def rows(app):
    return [each.value for each in app.markdown if each.value.startswith("**")]


def test_an_empty_store_says_what_to_do(open_app):
    assert "Your text" in open_app("studies").info[0].value


def test_every_study_says_what_it_is_and_how_large(open_app, study):
    app = open_app("studies")
    (row,) = rows(app)
    assert row.startswith(f"**{study.title}**")
    assert "English–Chinese · 10 pairs · " in row
    (bar,) = app.get("progress")
    assert "which the disk has room for" in bar.proto.text
    assert "studies export" in app.code[0].value


def test_the_bar_is_of_the_limit_where_there_is_one(open_app, study, monkeypatch):
    size = study.entry.size_bytes
    monkeypatch.setattr(
        type(study.entry.store).__init__, "__kwdefaults__", {"demo": None, "limit_bytes": 2 * size}
    )
    (bar,) = open_app("studies").get("progress")
    assert bar.proto.value == 50
    assert "ISOGLOSS" in bar.proto.text


def test_what_was_deleted_can_be_brought_back(open_app, study, app_store):
    app = press(open_app("studies"), f"delete-{study.key}")
    assert list_studies(app_store) == ()
    assert "was deleted" in said(app)
    assert not [each for each in app.button if each.key == f"open-{study.key}"]
    press(app, "undo-delete")
    assert [each.key for each in list_studies(app_store)] == [study.key]
    assert app_store.verify(list_studies(app_store)[0].entry) == ()
    assert "was deleted" not in said(app)


def test_a_study_in_use_is_not_deleted(open_app, study, app_store):
    app = open_app("studies")
    with app_store.using(study.entry):
        press(app, f"delete-{study.key}")
    assert "is in use" in app.warning[0].value
    assert len(list_studies(app_store)) == 1


def test_another_name_is_kept_and_the_languages_stay_with_it(open_app, study, app_store):
    app = open_app("studies")
    app.text_input(key=f"name-{study.key}").set_value("  My *own*   words ").run()
    assert not app.exception
    assert given_name(app_store, study.key) == "My *own* words"
    assert list_studies(app_store)[0].title.endswith("My *own* words en–zh")
    assert "My \\*own\\* words en–zh" in rows(app)[0]
    app.text_input(key=f"name-{study.key}").set_value("").run()
    assert list_studies(app_store)[0].title == study.title


def test_what_was_exported_can_be_imported(open_app, study, app_store, tmp_path):
    archive = tmp_path / "study.tar"
    export_entries(app_store, [study.key], archive)
    app_store.remove(study.key)
    app = open_app("studies")
    app.get("file_uploader")[0].upload("study.tar", archive.read_bytes(), "application/x-tar")
    app.run()
    press(app, "import-studies")
    assert "1 study imported." in app.success[0].value
    assert [each.key for each in list_studies(app_store)] == [study.key]


def test_a_file_that_is_no_archive_is_said_in_a_sentence(open_app, app_store):
    app = open_app("studies")
    app.get("file_uploader")[0].upload("study.tar", b"nothing of the kind" * 99, "text/plain")
    app.run()
    press(app, "import-studies")
    assert "not a whole Isogloss archive" in app.error[0].value


def test_a_study_is_opened_from_its_row(open_app, study, patience):
    app = press(open_app("studies"), f"open-{study.key}")
    assert app.query_params["study"] == study.key[:12]


def test_a_read_only_server_lets_nobody_rename_or_delete(open_app, study, monkeypatch):
    monkeypatch.setenv("ISOGLOSS_READ_ONLY", "1")
    app = open_app("studies")
    assert rows(app)
    assert not app.text_input
    assert {each.key for each in app.button} == {f"open-{study.key}"}
    assert str(study.entry.store.root) not in said(app)


def first(bitext, count):
    """The first pairs of a text, without what was added by hand."""
    return replace(
        bitext,
        source=bitext.source[:count],
        target=bitext.target[:count],
        topics=None,
        gold=None,
        words=None,
    )


def test_equal_titles_are_told_apart(encoder, bitext, app_store):
    whole = Study(extract(encoder, bitext, app_store))
    fewer, other = (
        Study(extract(encoder, replace(first(bitext, count), name=name), app_store))
        for count, name in ((5, bitext.name), (4, "another"))
    )
    titles = told_apart([whole, fewer, other])
    assert titles[whole.key] == f"{whole.title} · {len(bitext)} pairs"
    assert len(set(titles.values())) == len(titles)


@pytest.mark.filterwarnings("ignore::isogloss.store.CorruptEntryWarning")
def test_a_corrupt_entry_is_reported_and_not_shown(open_app, study):
    states = study.entry.path / "states.safetensors"
    states.write_bytes(states.read_bytes()[:-10])
    app = open_app("studies")
    assert not rows(app)
    assert "corrupt" in app.warning[0].value
