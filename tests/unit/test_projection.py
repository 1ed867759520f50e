"""Projection: repeatable, flowing, honest about what it keeps, and calm about odd input."""

import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from isogloss import projection
from isogloss.errors import IsoglossError, Stopped
from isogloss.neighbourhoods import chance_preservation, neighbourhood_preservation
from isogloss.projection import (
    ProjectionOptions,
    lay_together,
    mean_movement,
    project_layers,
)
from isogloss.projection_fits import principal_components
from isogloss.projection_methods import METHODS

PCA = ProjectionOptions("pca")


def turning_layers(points=90, width=24, layers=4, seed=0):
    """Six groups that drift a little and whose space is turned at random from layer to layer."""
    random = np.random.default_rng(seed)
    groups = np.arange(points) % 6
    X = 4 * random.normal(size=(6, width))[groups] + random.normal(size=(points, width))
    stack = []
    for _ in range(layers):
        rotation, _ = np.linalg.qr(random.normal(size=(width, width)))
        X = X @ rotation + 0.3 * random.normal(size=X.shape)
        stack.append(X.astype(np.float16))
    return stack, np.arange(points) // 6 % 2


def alone(stack, sides, options):
    """Each layer fitted by itself: coordinates at the same scale, and mean preservation."""
    layouts = [project_layers([layer], sides, options) for layer in stack]
    together = lay_together([layout.coordinates[0] for layout in layouts])
    return together, np.mean([layout.preservation for layout in layouts])


@pytest.mark.parametrize("method", ["pca", "tsne"])
def test_same_seed_same_bytes(method):
    stack, sides = turning_layers(points=60, layers=2)
    first, second = (project_layers(stack, sides, ProjectionOptions(method)) for _ in range(2))
    assert first.coordinates.tobytes() == second.coordinates.tobytes()
    assert first.coordinates.dtype == first.preservation.dtype == np.float32
    assert first.coordinates.shape == (2, 60, 2)


def test_another_seed_another_picture():
    stack, sides = turning_layers(points=60, layers=1)
    one, other = (project_layers(stack, sides, ProjectionOptions("tsne", seed=s)) for s in (1, 2))
    assert not np.array_equal(one.coordinates, other.coordinates)


def test_tsne_flows_and_keeps_as_many_neighbours_as_layers_fitted_alone():
    stack, sides = turning_layers()
    options = ProjectionOptions("tsne", perplexity=12)
    flowing = project_layers(stack, sides, options)
    separate, separate_preservation = alone(stack, sides, options)
    assert mean_movement(flowing.coordinates).mean() < 0.5 * mean_movement(separate).mean()
    assert flowing.preservation.mean() > separate_preservation - 0.03
    assert flowing.preservation.min() > 2 * flowing.chance


def test_a_layer_begins_smaller_the_more_its_neighbourhoods_change(monkeypatch):
    random = np.random.default_rng(10)
    same, other = random.normal(size=(2, 60, 8))
    picture, starts = random.normal(size=(60, 2)), []

    def fit(X, start, perplexity, seed):
        starts.append(start)
        return picture

    monkeypatch.setattr(projection, "fit_tsne", fit)
    project_layers([other, same, same], np.zeros(60, dtype=int), ProjectionOptions("tsne"))
    # The middle layer comes first, then the one after it, then the one before.
    assert starts[0] is None
    np.testing.assert_allclose(starts[1], picture)
    np.testing.assert_allclose(starts[2], 0.2 * picture)


@pytest.mark.timeout(1200)  # UMAP compiles itself, which takes a busy machine minutes
def test_umap_flows_is_repeatable_keeps_as_many_neighbours_and_stays_finite():
    stack, sides = turning_layers(layers=3)
    options = ProjectionOptions("umap", neighbours=10)
    first, second = (project_layers(stack, sides, options) for _ in range(2))
    assert first.coordinates.tobytes() == second.coordinates.tobytes()
    separate, separate_preservation = alone(stack, sides, options)
    assert mean_movement(first.coordinates).mean() < 0.5 * mean_movement(separate).mean()
    assert first.preservation.mean() > separate_preservation - 0.03
    # Here, since UMAP compiles itself anew in every process.
    assert_odd_layers_stay_finite("umap")


def test_pca_is_the_two_largest_singular_directions():
    X = np.random.default_rng(1).normal(size=(40, 9)) * np.linspace(3, 0.5, 9)
    options = ProjectionOptions("pca", remove_language_means=False)
    found = project_layers([X], np.arange(40) % 2, options).coordinates[0].astype(float)
    U, S, _ = np.linalg.svd(X - X.mean(0), full_matrices=False)
    expected = U[:, :2] * S[:2]
    # Inner products know nothing of turns; one factor remains.
    found, expected = found @ found.T, expected @ expected.T
    np.testing.assert_allclose(found / np.trace(found), expected / np.trace(expected), atol=1e-6)


@pytest.mark.parametrize("width", [30, 1500])
def test_principal_components_match_singular_values_in_narrow_and_wide_layers(width):
    X = np.random.default_rng(2).normal(size=(25, width))
    X -= X.mean(0)
    components = principal_components(X, 50, seed=0)
    assert components.shape == (25, 50)
    assert not components[:, 25:].any()
    singular_values = np.linalg.svd(X, compute_uv=False)
    np.testing.assert_allclose(
        np.linalg.norm(components[:, :24], axis=0), singular_values[:24], rtol=1e-4
    )


def test_a_planted_turn_reflection_shift_and_scale_are_undone():
    shape = np.random.default_rng(3).normal(size=(30, 2)) * (2, 1)
    angle = 2.1
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    layouts = [shape, 7 * shape @ turn + 5, 0.1 * shape @ turn.T @ np.diag([1, -1]) - 2]
    together = lay_together(layouts)
    np.testing.assert_allclose(together[0], together[1], atol=1e-6)
    np.testing.assert_allclose(together[2], together[1], atol=1e-6)
    assert mean_movement(together).max() < 1e-6
    assert mean_movement(lay_together(layouts, turn=False)).max() > 0.3


def test_layers_share_one_scale_and_fill_the_unit_box():
    random = np.random.default_rng(4)
    together = lay_together([random.normal(size=(50, 2)) * scale for scale in (1, 1000, 1e-6)])
    radii = np.sqrt((together.astype(float) ** 2).sum(axis=2).mean(axis=1))
    np.testing.assert_allclose(radii, radii[0], rtol=1e-5)
    assert np.abs(together).max() == 1


def test_mean_movement_of_a_known_shift():
    coordinates = np.zeros((3, 5, 2))
    coordinates[1] = (3, 4)
    np.testing.assert_allclose(mean_movement(coordinates), [5, 5])


def test_removing_language_means_joins_two_shifted_copies():
    random = np.random.default_rng(5)
    words = random.normal(size=(30, 8))
    stack = [np.concatenate([words, words + 50])]
    sides = np.repeat([0, 1], 30)
    joined = project_layers(stack, sides, PCA).coordinates[0]
    np.testing.assert_allclose(joined[:30], joined[30:], atol=1e-6)
    kept = project_layers(stack, sides, ProjectionOptions("pca", remove_language_means=False))
    gap = kept.coordinates[0, :30].mean(0) - kept.coordinates[0, 30:].mean(0)
    assert np.linalg.norm(gap) > 1


# -- neighbourhoods ------------------------------------------------------------------------------


def test_preservation_is_one_for_the_plane_itself_and_chance_for_noise():
    random = np.random.default_rng(6)
    plane = random.normal(size=(400, 2))
    lifted = plane @ np.linalg.qr(random.normal(size=(7, 2)))[0].T
    assert neighbourhood_preservation(lifted, plane) == 1
    noise = neighbourhood_preservation(lifted, random.normal(size=(400, 2)))
    assert noise == pytest.approx(chance_preservation(400), abs=0.01)


def test_preservation_counts_a_hand_made_case():
    # On a line 0 1 3 6 10 each has one nearest; moving the last beside the first spoils two.
    high = np.array([[0.0], [1], [3], [6], [10]])
    low = np.array([[0.0, 0], [1, 0], [3, 0], [6, 0], [-0.5, 0]])
    assert neighbourhood_preservation(high, low, k=1) == pytest.approx(3 / 5)


def test_preservation_falls_with_trustworthiness():
    random = np.random.default_rng(7)
    X = random.normal(size=(150, 2)) @ random.normal(size=(2, 12))
    pictures = [X[:, :2] + noise * random.normal(size=(150, 2)) for noise in (0.0, 0.3, 1.0, 5.0)]
    ours = [neighbourhood_preservation(X, picture) for picture in pictures]
    theirs = [trustworthiness(X, picture, n_neighbors=10) for picture in pictures]
    assert ours == sorted(ours, reverse=True)
    assert theirs == sorted(theirs, reverse=True)


def test_preservation_does_not_punish_the_choice_among_equal_points():
    random = np.random.default_rng(8)
    high = np.repeat(random.normal(size=(6, 9)) + 100, 30, axis=0)
    low = np.repeat(random.normal(size=(6, 2)), 30, axis=0) + 1e-3 * random.normal(size=(180, 2))
    assert neighbourhood_preservation(high, low) == 1


# -- odd input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["pca", "tsne"])
@pytest.mark.parametrize("points", [2, 3, 4, 5, 9])
def test_few_points_give_a_picture_or_one_sentence(method, points):
    stack = [np.random.default_rng(points).normal(size=(points, 6)) for _ in range(2)]
    sides = np.arange(points) % 2
    if points < METHODS[method].fewest_points:
        with pytest.raises(IsoglossError, match="at least 5 points, not"):
            project_layers(stack, sides, ProjectionOptions(method))
        return
    layout = project_layers(stack, sides, ProjectionOptions(method))
    assert np.isfinite(layout.coordinates).all()
    assert 0 <= layout.preservation.min() <= layout.preservation.max() <= 1
    assert layout.options.perplexity <= max(2, points / 3)


@pytest.mark.parametrize("method", ["pca", "tsne"])
def test_equal_points_and_a_constant_layer_stay_finite(method):
    assert_odd_layers_stay_finite(method)


def assert_odd_layers_stay_finite(method):
    random = np.random.default_rng(9)
    repeated = np.repeat(random.normal(size=(4, 8)), 10, axis=0)
    constant = np.full((40, 8), 0.1, dtype=np.float16)
    stack = [repeated, constant, random.normal(size=(40, 8))]
    layout = project_layers(stack, np.arange(40) % 2, ProjectionOptions(method, neighbours=5))
    assert np.isfinite(layout.coordinates).all()
    assert not layout.coordinates[1].any()
    assert np.ptp(layout.coordinates[0], axis=0).min() > 0
    assert np.ptp(layout.coordinates[2], axis=0).min() > 0
    assert np.isfinite(layout.preservation).all()


def test_points_on_a_line_are_drawn():
    stack = [np.linspace(0, 1, 30)[:, None]]
    for method in ("pca", "tsne"):
        layout = project_layers(stack, np.zeros(30, dtype=int), ProjectionOptions(method))
        assert np.isfinite(layout.coordinates).all()
        assert layout.preservation[0] > 0.8


@pytest.mark.parametrize(
    ("stack", "sides", "message"),
    [
        ([], [0, 1], "without layers"),
        ([np.ones((3, 2))], [0, 1], "has 3 points, but the sides name 2"),
        ([np.ones((2, 2))], [0, 2], "0 or 1"),
        ([np.ones((2, 2)), np.array([[np.nan, 1], [0, 1]])], [0, 1], "Layer 1 holds NaN"),
        ([np.ones((1, 2))], [0], "at least 2 points"),
    ],
)
def test_bad_input_is_one_sentence(stack, sides, message):
    with pytest.raises(IsoglossError, match=message):
        project_layers(stack, np.array(sides), PCA)


@pytest.mark.parametrize(
    "settings", [{"method": "mds"}, {"perplexity": 0}, {"neighbours": 1}, {"seed": -1}]
)
def test_bad_options_are_refused(settings):
    with pytest.raises(IsoglossError):
        ProjectionOptions(**settings)


def test_progress_rises_to_one_and_a_stop_is_heard():
    stack, sides = turning_layers(points=20, layers=3)
    heard = []
    project_layers(stack, sides, PCA, progress=lambda share, message: heard.append(share))
    assert heard == sorted(heard)
    assert heard[-1] == 1
    with pytest.raises(Stopped):
        project_layers(stack, sides, PCA, should_stop=lambda: len(heard) > 0)


def test_layers_are_read_one_at_a_time():
    stack, sides = turning_layers(points=20, layers=3)
    opened = []
    layers = [lambda layer=layer: opened.append(layer) or stack[layer] for layer in range(3)]
    layout = project_layers(layers, sides, PCA)
    assert opened == [0, 1, 2, 0, 1, 2]
    assert layout.coordinates.shape == (3, 20, 2)
