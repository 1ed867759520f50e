"""Word embeddings cut to the rows that a text needs.

A multilingual vocabulary has some 250,000 rows and a training text touches a tenth of them. A row
that occurs in no text gets no gradient, yet the optimiser would go through it in every step. With
weight decay sparing the embeddings, leaving such rows out changes nothing but the time it takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


@contextmanager
def only_rows(network: Any, ids: np.ndarray) -> Iterator[None]:
    """Within, the network's word embeddings hold only the rows of `ids`; it is called as ever.

    Token ids are looked up on the way in, so texts keep theirs; an id that was not named raises
    an IndexError. What the rows have learned is put back at the end, and all others are as before.
    """
    import torch

    embeddings = network.get_input_embeddings()
    whole, padding = embeddings.weight, embeddings.padding_idx
    # The row of padding is named by its place, so it has to be there.
    rows = np.unique(ids if padding is None else np.append(ids, padding))
    kept = torch.from_numpy(rows).to(whole.device)
    places = torch.full((len(whole),), len(rows), device=whole.device)  # one beyond the last row
    places[kept] = torch.arange(len(rows), device=whole.device)
    embeddings.weight = torch.nn.Parameter(whole.detach()[kept], whole.requires_grad)
    if padding is not None:
        embeddings.padding_idx = int(places[padding])
    hook = embeddings.register_forward_pre_hook(lambda module, args: (places[args[0]], *args[1:]))
    try:
        yield
    finally:
        hook.remove()
        with torch.no_grad():
            whole[kept] = embeddings.weight
        embeddings.weight, embeddings.padding_idx = whole, padding
