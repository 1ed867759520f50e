"""The hand-made links of the bundled `news` keep the guidelines, and what is said of them holds."""

import re
from pathlib import Path

import numpy as np
import pytest

import isogloss.errors
from isogloss.links.aligners import score_alignments
from isogloss.links.lexicons import load_lexicon
from isogloss.links.statistical_aligner import align_text
from isogloss.text.reading import load_bundled
from isogloss.text.words import segment

GUIDELINES = Path(isogloss.errors.__file__).parent / "bundled/texts/ALIGNMENT.md"
MARKS = set(".,;:?!，。；：？！、“”·")
NEWS = load_bundled("news.en-zh")
ALIGNED = [row for row, gold in enumerate(NEWS.gold or ()) if gold is not None]
each_aligned = pytest.mark.parametrize("row", ALIGNED)


def test_forty_pairs_are_aligned_evenly_over_the_topics():
    assert len(ALIGNED) == 40
    counts = [[NEWS.topics[row] for row in ALIGNED].count(topic) for topic in set(NEWS.topics)]
    assert sorted(counts) == [6, 6, 7, 7, 7, 7]


@each_aligned
def test_words_are_those_that_any_study_of_the_text_has(row):
    for side, language in enumerate(NEWS.languages):
        own = [word.text for word in segment(NEWS.side(side)[row], language)]
        assert list(NEWS.words[row][side]) == own


@each_aligned
def test_marks_link_to_marks_and_most_words_are_linked(row):
    words, gold = NEWS.words[row], NEWS.gold[row]
    for i, j in gold.possible:
        assert (words[0][i] in MARKS) == (words[1][j] in MARKS)
    for side in (0, 1):
        spoken = {place for place, word in enumerate(words[side]) if word not in MARKS}
        assert len(spoken & {link[side] for link in gold.possible}) >= 0.75 * len(spoken)
        assert len(spoken & {link[side] for link in gold.sure}) >= 0.4 * len(spoken)


@each_aligned
def test_links_follow_the_order_of_their_line(row):
    """A slip of one place in a row of links would put them out of all likeness to a translation."""
    sure = np.array(sorted(NEWS.gold[row].sure))
    assert len(sure) >= 10
    assert {NEWS.words[row][1][j] for i, j in sure if NEWS.words[row][0][i] == "."} <= {"。"}


@pytest.mark.parametrize("name", ["everyday.en-zh", "news.en-zh"])
def test_the_published_errors_of_the_aligner_are_its_errors(name):
    text = load_bundled(name)
    bitext = text.select([row for row, gold in enumerate(text.gold) if gold is not None])
    sides = [[list(words[side]) for words in bitext.words] for side in (0, 1)]
    found = align_text(*sides, load_lexicon(bitext.languages))
    scores = score_alignments(found, bitext.gold)
    linked = [
        sum(len({link[side] for link in links}) for links in found) / sum(map(len, sides[side]))
        for side in (0, 1)
    ]
    title = name.partition(".")[0]
    said = re.search(rf"^\| `{title}` \|(.*)\|", GUIDELINES.read_text(encoding="utf-8"), re.M)
    assert said is not None
    assert [cell.strip() for cell in said[1].split("|")][:7] == [
        str(len(bitext)),
        f"{scores.error_rate:.3f}",
        f"{scores.error_rate_low:.3f}–{scores.error_rate_high:.3f}",
        f"{scores.precision:.2f}",
        f"{scores.recall:.2f}",
        *(f"{share:.0%}".replace("%", " %") for share in linked),
    ]
