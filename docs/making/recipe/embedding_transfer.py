"""Chinese embeddings before any training: carried over from English through parallel text.

Two closed-form steps. IBM Model 1 gives t(english token | chinese character), and each character
starts as the t-weighted mean of English embeddings. A ridge regression then moves the characters so
that the mean embedding of a Chinese sentence matches that of its English translation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy import sparse


def translation_table(
    english: Sequence[Sequence[int]],
    chinese: Sequence[Sequence[int]],
    *,
    iterations: int = 5,
) -> sparse.csr_matrix:
    """t(e | c) by expectation maximisation of IBM Model 1 (Brown et al. 1993).

    `english[k]`, `chinese[k]` are the token ids of pair k. Returns a sparse matrix whose row c
    holds t(. | c); every row that was seen sums to one.
    """
    english_ids, chinese_ids, owners = [], [], []
    n_sentence_tokens = 0
    for es, cs in zip(english, chinese, strict=True):
        e, c = np.asarray(es, np.int32), np.unique(np.asarray(cs, np.int32))
        english_ids.append(np.repeat(e, len(c)))
        chinese_ids.append(np.tile(c, len(e)))
        owners.append(np.repeat(np.arange(len(e), dtype=np.int32) + n_sentence_tokens, len(c)))
        n_sentence_tokens += len(e)
    e, c, owner = map(np.concatenate, (english_ids, chinese_ids, owners))
    n_english, n_chinese = int(e.max()) + 1, int(c.max()) + 1
    cells, cell = np.unique(c.astype(np.int64) * n_english + e, return_inverse=True)
    cell_chinese = cells // n_english
    t = np.ones(len(cells))
    for _ in range(iterations):
        weight = t[cell]
        weight /= np.bincount(owner, weight, minlength=n_sentence_tokens)[owner]
        counts = np.bincount(cell, weight, minlength=len(cells))
        t = counts / np.bincount(cell_chinese, counts, minlength=n_chinese)[cell_chinese]
    from scipy import sparse

    return sparse.csr_matrix((t, (cell_chinese, cells % n_english)), shape=(n_chinese, n_english))


def weighted_mean_embeddings(
    table: sparse.csr_matrix, embeddings: np.ndarray, *, floor: float = 0.03
) -> np.ndarray:
    """Each row of `table` (c, e) as the weighted mean of `embeddings` (e, d); small t dropped."""
    kept = table.copy()
    kept.data[kept.data < floor] = 0.0
    total = np.asarray(kept.sum(axis=1)).ravel()
    from scipy import sparse

    scale = sparse.diags(1.0 / np.where(total > 0, total, 1.0))
    return np.asarray(scale @ kept @ embeddings[: table.shape[1]])


def fit_to_translations(
    prior: np.ndarray,
    chinese: sparse.csr_matrix,
    english_means: np.ndarray,
    *,
    strength: float,
) -> np.ndarray:
    """Move `prior` (c, d) so that Chinese sentence means meet their translations' means.

    Minimises |A (C - C0) - (B - A C0)|^2 + strength n |C - C0|^2 over C, where A (n, c) averages
    the characters of each sentence and B (n, d) holds the English means, both sides centred, so
    that only differences between sentences count and not the offset between the languages.
    """
    n = chinese.shape[0]
    column_mean = np.asarray(chinese.mean(axis=0)).ravel()
    residual = english_means - chinese @ prior
    residual -= residual.mean(axis=0)
    gram = np.asarray((chinese.T @ chinese).todense()) / n - np.outer(column_mean, column_mean)
    gram[np.diag_indices_from(gram)] += strength
    return prior + np.linalg.solve(gram, chinese.T @ residual / n)


def averaging_matrix(rows: Sequence[Sequence[int]], n_columns: int) -> sparse.csr_matrix:
    """(n, n_columns) matrix whose row k averages the tokens of sentence k."""
    lengths = np.array([len(row) for row in rows])
    indices = np.concatenate([np.asarray(row, np.int64) for row in rows])
    data = np.repeat(1.0 / np.maximum(lengths, 1), lengths)
    pointers = np.concatenate([[0], np.cumsum(lengths)])
    from scipy import sparse

    return sparse.csr_matrix((data, indices, pointers), shape=(len(rows), n_columns))
