"""The start page: the map at once, its settings, and the link that reopens it."""


def texts(app):
    return " ".join(element.value for element in (*app.title, *app.markdown, *app.caption))


def test_an_empty_cache_says_what_to_do(open_app):
    app = open_app()
    assert not app.exception
    assert "Your text" in app.sidebar.info[0].value


def test_the_map_is_there_at_once_with_its_numbers(open_app, study):
    app = open_app()
    assert not app.exception
    assert app.title[0].value == "Where do translations meet?"
    labels = [metric.label for metric in app.metric]
    assert labels[1:] == [
        "Mean rank of the translation",
        "Alignment error rate",
        "Neighbours the picture keeps",
    ]
    assert "made by hand" in texts(app)


def test_the_address_holds_the_view(open_app, study):
    app = open_app()
    assert app.query_params["study"] == study.key[:12]
    assert app.query_params["layer"] == "2"


def test_a_link_reopens_layer_and_method(open_app, study):
    app = open_app(study=study.key[:12], layer="1", method="pca")
    assert not app.exception
    assert app.metric[0].label.endswith("layer 1")
    assert app.query_params["method"] == "pca"


def test_a_link_to_an_unknown_study_opens_another_and_says_so(open_app, study):
    app = open_app(study="ffff0000")
    assert not app.exception
    assert "not in this cache" in app.toast[0].value


def test_nonsense_in_the_address_is_ignored(open_app, study):
    app = open_app(study=study.key, layer="9999", method="magic", pins="x.7.-1", color="no")
    assert not app.exception
    assert app.metric[0].label.endswith(f"layer {study.n_layers}")


def test_how_it_was_made_is_on_the_page(open_app, study):
    app = open_app()
    shown = app.table[0].value.to_numpy().ravel().tolist()
    assert study.key in shown
