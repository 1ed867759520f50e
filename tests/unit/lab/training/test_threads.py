"""The number of threads: whatever was fastest when tried."""

import torch

from isogloss.lab.training import steps


def test_the_fastest_number_of_threads_is_kept(monkeypatch):
    before = torch.get_num_threads()
    tried = []

    def seconds(step):
        tried.append(torch.get_num_threads())
        return {1: 3.0, 2: 1.0, 4: 2.0, 6: 5.0}[torch.get_num_threads()]

    monkeypatch.setattr(steps, "_seconds", seconds)
    try:
        torch.set_num_threads(6)
        assert steps.use_fastest_threads(lambda: None) == 2
        assert torch.get_num_threads() == 2
        assert sorted(set(tried)) == [1, 2, 4, 6]
    finally:
        torch.set_num_threads(before)
