"""Which engine, what it takes of a cluster, and how sentences are cut into shards; no Ray runs."""

import importlib.util

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.command_line import main
from isogloss.engines.choice import LOCAL, Engine, configured_cluster
from isogloss.engines.ray_cluster import Share, find_share
from isogloss.errors import EngineError
from isogloss.models.forward import next_batch, sort_by_length
from isogloss.studies import cluster_extraction
from isogloss.studies.cluster_extraction import make_shards


def test_without_ray_one_sentence_says_how_to_get_it(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path))
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "isogloss.engines.choice.find_spec", lambda name: None if name == "ray" else find(name)
    )
    assert main(["transfer", "mini-en-zh", "--engine", "ray"]) == 1
    assert "pip install -r requirements-cluster.txt" in capsys.readouterr().err
    assert main(["extract", "mini-en-zh", "everyday.en-zh", "--engine", "ray"]) == 1
    assert "Ray is not installed" in capsys.readouterr().err
    LOCAL.check()


def test_an_address_is_for_ray_alone(capsys):
    assert main(["extract", "mini-en-zh", "everyday.en-zh", "--address", "head:6379"]) == 1
    assert "--engine ray" in capsys.readouterr().err
    with pytest.raises(EngineError, match="no engine 'spark'"):
        Engine("spark")


@pytest.mark.parametrize(
    ("value", "engine"),
    [
        ("", None),
        ("here", Engine("ray")),
        ("auto", Engine("ray", "auto")),
        ("head:6379", Engine("ray", "head:6379")),
    ],
)
def test_the_environment_names_the_cluster(monkeypatch, value, engine):
    monkeypatch.setenv("ISOGLOSS_RAY", value)
    assert configured_cluster() == engine


@pytest.mark.parametrize(
    ("nodes", "device", "share"),
    [
        ([{"CPU": 1}, {"CPU": 1}], "auto", Share("cpu", 1, 0, 2)),
        ([{"CPU": 64}, {"CPU": 8}, {}], "cpu", Share("cpu", 4, 0, 18)),
        ([{"CPU": 64}, {"CPU": 2}], "auto", Share("cpu", 2, 0, 33)),
        (
            [{"CPU": 16, "GPU": 4}, {"CPU": 16, "GPU": 4}, {"CPU": 8}],
            "auto",
            Share("cuda", 1, 1, 8),
        ),
        ([{"CPU": 16, "GPU": 4}], "cpu", Share("cpu", 4, 0, 4)),
    ],
)
def test_what_a_worker_takes(monkeypatch, nodes, device, share):
    set_nodes(monkeypatch, nodes)
    assert find_share(device) == share


@pytest.mark.parametrize(
    ("nodes", "device", "problem"),
    [
        ([{"CPU": 4}], "cuda", "no GPU"),
        ([{"CPU": 4}], "mps", "no mps"),
        ([{}], "auto", "no CPUs"),
    ],
)
def test_what_a_cluster_cannot_give_is_said(monkeypatch, nodes, device, problem):
    set_nodes(monkeypatch, nodes)
    with pytest.raises(EngineError, match=problem):
        find_share(device)


def set_nodes(monkeypatch, nodes) -> None:
    ray = pytest.importorskip("ray")
    dead = {"Alive": False, "Resources": {"CPU": 1_000, "GPU": 1_000}}
    alive = [{"Alive": True, "Resources": each} for each in nodes]
    monkeypatch.setattr(ray, "nodes", lambda: [*alive, dead])


@given(
    lengths=st.lists(st.integers(1, 40), min_size=1, max_size=60),
    budget=st.integers(1, 120),
    at_least=st.integers(1, 200),
    chance=st.randoms(use_true_random=False),
)
def test_shards_are_made_of_the_batches_of_one_machine(lengths, budget, at_least, chance):
    """Also of what is left when any of them are done, so a resumed extraction has the same bits."""
    ids = [np.zeros(length, np.int32) for length in lengths]
    order = sort_by_length(np.array(lengths), range(len(lengths)))
    expected = batches(order, lengths, budget)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster_extraction, "SHARD_BYTES", at_least)
        shards = make_shards(order, ids, budget, bytes_a_token=1)
        left = [shard for shard in shards if chance.random() < 0.5]
        again = make_shards([i for shard in left for i in shard], ids, budget, bytes_a_token=1)
    assert [i for shard in shards for i in shard] == order
    assert [each for shard in shards for each in batches(shard, lengths, budget)] == expected
    assert all(sum(lengths[i] for i in shard) >= at_least for shard in shards[:-1])
    wanted = [each for shard in left for each in batches(shard, lengths, budget)]
    assert [each for shard in again for each in batches(shard, lengths, budget)] == wanted


def batches(order, lengths, budget) -> list[list[int]]:
    found, first = [], 0
    while first < len(order):
        found.append(next_batch(order, np.array(lengths), first, budget))
        first += len(found[-1])
    return found
