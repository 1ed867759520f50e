"""Projection: repeatable, flowing, honest about what it keeps, and calm about odd input."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from isogloss.errors import IsoglossError, Stopped
from isogloss.measures.projection import fits, fitting_process, near_points
from isogloss.measures.projection import layout as projection
from isogloss.measures.projection.fits import (
    FitOptions,
    fit_layer,
    fit_tsne,
    principal_components,
)
from isogloss.measures.projection.fitting_process import FittingProcess
from isogloss.measures.projection.layout import ProjectionOptions, project_layers
from isogloss.measures.projection.methods import PROJECTIONS
from isogloss.measures.projection.near_points import find_near_points
from isogloss.measures.projection.neighbourhoods import (
    chance_preservation,
    neighbourhood_preservation,
)
from isogloss.measures.projection.turning import lay_together, mean_movement

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
    return stack


def alone(stack, options):
    """Each layer fitted by itself: positions at the same scale, and mean preservation."""
    layouts = [project_layers([layer], options) for layer in stack]
    together = lay_together([layout.positions[0] for layout in layouts])
    return together, np.mean([layout.preservation for layout in layouts])


@pytest.mark.parametrize("method", ["pca", "tsne"])
def test_same_seed_same_bytes(method):
    stack = turning_layers(points=60, layers=2)
    first, second = (project_layers(stack, ProjectionOptions(method)) for _ in range(2))
    assert first.positions.tobytes() == second.positions.tobytes()
    assert first.positions.dtype == first.preservation.dtype == np.float32
    assert first.positions.shape == (2, 60, 2)


def test_another_seed_another_picture():
    stack = turning_layers(points=60, layers=1)
    one, other = (project_layers(stack, ProjectionOptions("tsne", seed=s)) for s in (1, 2))
    assert not np.array_equal(one.positions, other.positions)


def test_tsne_flows_and_keeps_as_many_neighbours_as_layers_fitted_alone():
    stack = turning_layers()
    options = ProjectionOptions("tsne", perplexity=30)
    flowing = project_layers(stack, options)
    separate, separate_preservation = alone(stack, options)
    assert mean_movement(flowing.positions).mean() < 0.5 * mean_movement(separate).mean()
    assert flowing.preservation.mean() > separate_preservation - 0.03
    assert flowing.preservation.min() > 2 * flowing.chance


def test_a_layer_begins_smaller_the_more_its_neighbourhoods_change(monkeypatch):
    random = np.random.default_rng(10)
    same, other = random.normal(size=(2, 60, 8))
    picture, starts = random.normal(size=(60, 2)), []

    def fit(X, start, options, tell):
        starts.append(start)
        return picture

    monkeypatch.setattr(projection, "fit_layer", fit)
    project_layers([other, same, same], ProjectionOptions("tsne"))
    # The middle layer comes first, then the one after it and the one before, at once.
    assert starts[0] is None
    smaller, full = sorted(starts[1:], key=np.ptp)
    np.testing.assert_allclose(full, picture)
    np.testing.assert_allclose(smaller, 0.2 * picture)


def test_umap_flows_is_repeatable_keeps_as_many_neighbours_and_stays_finite(monkeypatch):
    stack, options = turning_layers(layers=3), ProjectionOptions("umap", neighbours=10)
    # In this process and in one test alone, since UMAP compiles itself anew in every process.
    monkeypatch.setattr(projection, "FittingProcess", FitHere)
    first, second = (project_layers(stack, options) for _ in range(2))
    assert first.positions.tobytes() == second.positions.tobytes()
    separate, separate_preservation = alone(stack, options)
    # Where fits that know nothing of each other land is chance, so half of it needs some room.
    assert mean_movement(first.positions).mean() < 0.65 * mean_movement(separate).mean()
    assert first.preservation.mean() > separate_preservation - 0.03
    assert_odd_layers_stay_finite("umap")
    large = project_layers(stack, options, most_exact=50)
    assert large.preservation.mean() > separate_preservation - 0.05
    assert mean_movement(large.positions).mean() < 0.65 * mean_movement(separate).mean()


class FitHere:
    """In place of a process: the same fit in this one."""

    def __init__(self, options):
        self.options = options

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        pass

    def fit(self, X, start, tell):
        return fit_layer(X, start, self.options, tell)


def test_a_process_of_its_own_gives_what_this_one_would():
    """By t-SNE, since UMAP would compile itself in both."""
    (X,) = (layer.astype(np.float64) for layer in turning_layers(layers=1))
    options, shares = FitOptions("tsne", 10, 5, 0, large=False), []
    with FittingProcess(options) as process:
        found = process.fit(X, None, shares.append)
    np.testing.assert_array_equal(found, fit_layer(X, None, options, lambda share: None))
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1


class StopAtOnce(Exception):
    """What a test raises to end a fit."""


def test_a_fit_by_tsne_is_stopped_in_its_middle():
    stack = turning_layers(layers=1)
    shares = []

    def should_stop():
        return bool(shares) and shares[-1] > 0.3

    def progress(share, message):
        shares.append(share)

    with pytest.raises(Stopped):
        project_layers(stack, ProjectionOptions("tsne"), progress, should_stop)
    assert 0.3 < shares[-1] < 0.4, "within one layer, long before its end"


def test_a_stop_is_heard_while_layers_on_both_sides_are_fitted():
    shares = []

    def should_stop():
        return bool(shares) and shares[-1] > 0.5

    def progress(share, message):
        shares.append(share)

    stack = turning_layers(layers=5)
    with pytest.raises(Stopped):
        project_layers(stack, ProjectionOptions("tsne"), progress, should_stop)
    assert shares == sorted(shares)
    assert 0.5 < shares[-1] < 0.6


def test_a_fit_of_few_points_waits_for_nothing_to_compile():
    program = (
        "import sys, numpy as np\n"
        "from isogloss.measures.projection.fits import fit_tsne\n"
        "fit_tsne(np.random.default_rng(0).normal(size=(40, 5)), None, 5, 0)\n"
        "sys.exit('numba' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def fit_apart(tell):
    with FittingProcess(FitOptions("umap", 10, 5, 0, large=False)) as process:
        process.fit(np.eye(30), None, tell)


def test_a_fit_by_umap_is_stopped_while_it_compiles(monkeypatch):
    started = []
    start = subprocess.Popen

    def watched(*words, **options):
        started.append(start(*words, **options))
        return started[-1]

    monkeypatch.setattr(fitting_process.subprocess, "Popen", watched)

    def tell(share):
        raise StopAtOnce

    with pytest.raises(StopAtOnce):
        fit_apart(tell)
    assert started[0].poll() is not None


def test_a_fitting_process_that_fails_says_so_in_a_sentence(monkeypatch):
    monkeypatch.setattr(fitting_process.sys, "executable", "false")
    with pytest.raises(IsoglossError, match="UMAP ended without a layout"):
        fit_apart(lambda share: None)


def test_pca_is_the_two_largest_singular_directions():
    X = np.random.default_rng(1).normal(size=(40, 9)) * np.linspace(3, 0.5, 9)
    found = project_layers([X], PCA).positions[0].astype(float)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
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
    positions = np.zeros((3, 5, 2))
    positions[1] = (3, 4)
    np.testing.assert_allclose(mean_movement(positions), [5, 5])


def test_the_picture_is_of_cosines_and_not_of_lengths():
    stack = turning_layers(points=40, layers=2)
    lengths = np.random.default_rng(5).uniform(0.5, 9, size=(40, 1))
    longer = [layer.astype(float) * lengths for layer in stack]
    plain, scaled = project_layers(stack, PCA), project_layers(longer, PCA)
    np.testing.assert_allclose(plain.positions, scaled.positions, atol=1e-5)
    np.testing.assert_array_equal(plain.preservation, scaled.preservation)


# -- many points ---------------------------------------------------------------------------------


@pytest.fixture
def one_thread(monkeypatch):
    """So that no thread waits for another one's turn on a busy machine."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def test_many_points_flow_too_and_keep_nearly_as_many_neighbours(monkeypatch, one_thread):
    monkeypatch.setattr(projection, "FittingProcess", FitHere)
    stack = turning_layers(layers=3)
    options, shown = ProjectionOptions("tsne", perplexity=30), []
    large = project_layers(stack, options, on_layers=shown.append, most_exact=80)
    separate, separate_preservation = alone(stack, options)
    assert large.preservation.mean() > separate_preservation - 0.03
    assert mean_movement(large.positions).mean() < 0.5 * mean_movement(separate).mean()
    # The middle layer first, then one more.
    assert [(part.first, len(part.positions)) for part in shown] == [(1, 1), (1, 2)]
    assert mean_movement(shown[1].positions) == pytest.approx(
        mean_movement(large.positions)[1:], rel=0.2
    )


def test_the_coarse_grid_of_a_large_fit_keeps_as_many_neighbours(monkeypatch, one_thread):
    monkeypatch.setattr(fits, "LARGE_FIRST_SCHEDULE", ((40, 12.0), (40, 1.0)))
    monkeypatch.setattr(near_points, "TREES", 5)
    # openTSNE takes its grid from 10,000 points on.
    (X,) = turning_layers(points=10_000, width=6, layers=1)
    X = X.astype(np.float32)
    kept, layouts = [], []
    for cell in (1, fits.GRID_CELL):
        monkeypatch.setattr(fits, "GRID_CELL", cell)
        layouts.append(fit_tsne(X, None, perplexity=5, seed=0, large=True))
        kept.append(neighbourhood_preservation(X, layouts[-1], most_anchors=500))
    assert not np.array_equal(*layouts)
    assert kept[1] > kept[0] - 0.01 > 50 * chance_preservation(len(X))


def test_what_is_shown_in_parts_is_turned_as_it_will_be_in_the_end():
    shown = []
    stack = turning_layers(points=60, layers=4)
    whole = project_layers(stack, PCA, on_layers=shown.append, most_exact=50)
    (part,) = shown
    np.testing.assert_allclose(part.positions, whole.positions, atol=1e-6)


def test_few_points_are_not_shown_in_parts():
    shown = []
    project_layers(turning_layers(points=20, layers=2), PCA, on_layers=shown.append)
    assert shown == []


def test_many_points_are_fitted_in_a_process_that_is_the_same_and_can_be_stopped(
    monkeypatch, one_thread
):
    stack = turning_layers(points=60, layers=2)
    options = ProjectionOptions("tsne")
    apart = project_layers(stack, options, most_exact=50)
    with monkeypatch.context() as patched:
        patched.setattr(projection, "FittingProcess", FitHere)
        here = project_layers(stack, options, most_exact=50)
    assert apart.positions.tobytes() == here.positions.tobytes()
    with pytest.raises(Stopped):
        project_layers(stack, options, should_stop=lambda: True, most_exact=50)


def test_a_constant_layer_among_many_points_is_a_dot(monkeypatch, one_thread):
    monkeypatch.setattr(projection, "FittingProcess", FitHere)
    first, last = turning_layers(points=60, layers=2)
    layout = project_layers(
        [first, np.full((60, 24), 0.5), last], ProjectionOptions("tsne"), most_exact=50
    )
    assert not layout.positions[1].any()
    assert layout.preservation[[0, 2]].min() > 2 * layout.chance


@pytest.mark.parametrize("copies", [1, 40])
def test_near_points_are_nearly_the_nearest_also_among_equals(copies):
    X = np.random.default_rng(11).normal(size=(600 // copies, 12)).astype(np.float32)
    X = np.repeat(X, copies, axis=0)
    found = find_near_points(X, 8, seed=0, threads=2)
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    assert not (found.indices == np.arange(600)[:, None]).any()
    np.testing.assert_allclose(
        found.distances, np.take_along_axis(distances, found.indices, 1), atol=1e-5
    )
    np.fill_diagonal(distances, np.inf)
    radius = np.sort(distances, axis=1)[:, 7:8]
    assert (found.distances <= radius + 1e-5).mean() > 0.95


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
    if points < PROJECTIONS[method].fewest_points:
        with pytest.raises(IsoglossError, match="at least 5 points, not"):
            project_layers(stack, ProjectionOptions(method))
        return
    layout = project_layers(stack, ProjectionOptions(method))
    assert np.isfinite(layout.positions).all()
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
    layout = project_layers(stack, ProjectionOptions(method, neighbours=5))
    assert np.isfinite(layout.positions).all()
    assert not layout.positions[1].any()
    assert np.ptp(layout.positions[0], axis=0).min() > 0
    assert np.ptp(layout.positions[2], axis=0).min() > 0
    assert np.isfinite(layout.preservation).all()


def test_points_on_a_line_are_drawn():
    angle = np.linspace(0, 1, 30)
    stack = [np.stack([np.cos(angle), np.sin(angle)], axis=1)]
    for method in ("pca", "tsne"):
        layout = project_layers(stack, ProjectionOptions(method))
        assert np.isfinite(layout.positions).all()
        assert layout.preservation[0] > 0.8


@pytest.mark.parametrize(
    ("stack", "message"),
    [
        ([], "without layers"),
        ([np.ones((2, 2)), np.ones((3, 2))], "Layer 1 has 3 points, but the first has 2"),
        ([np.ones((2, 2)), np.array([[np.nan, 1], [0, 1]])], "Layer 1 holds NaN"),
        ([np.ones((1, 2))], "at least 2 points"),
    ],
)
def test_bad_input_is_one_sentence(stack, message):
    with pytest.raises(IsoglossError, match=message):
        project_layers(stack, PCA)


@pytest.mark.parametrize(
    "settings", [{"method": "mds"}, {"perplexity": 0}, {"neighbours": 1}, {"seed": -1}]
)
def test_bad_options_are_refused(settings):
    with pytest.raises(IsoglossError):
        ProjectionOptions(**settings)


def test_progress_rises_to_one_and_a_stop_is_heard():
    stack = turning_layers(points=20, layers=3)
    heard = []
    project_layers(stack, PCA, progress=lambda share, message: heard.append(share))
    assert heard == sorted(heard)
    assert heard[-1] == 1
    with pytest.raises(Stopped):
        project_layers(stack, PCA, should_stop=lambda: len(heard) > 0)


def test_layers_are_read_one_at_a_time():
    stack = turning_layers(points=20, layers=3)
    opened = []
    layers = [lambda layer=layer: opened.append(layer) or stack[layer] for layer in range(3)]
    layout = project_layers(layers, PCA)
    assert opened == [0, 1, 2, 0, 1, 2]
    assert layout.positions.shape == (3, 20, 2)
