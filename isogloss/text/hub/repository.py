"""A data set's repository: which files it has, how large they are, and what its card says."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.errors import TextError
from isogloss.hub import OutOfReach, asking_the_hub

CARD = "README.md"
CONVERTED = "refs/convert/parquet"
"""The branch with every data set as Parquet, which the hub makes, also of those with a script."""
PARQUET, JSON_LINES = (".parquet",), (".jsonl", ".jsonl.gz", ".ndjson", ".json", ".json.gz")
TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
PLAIN = (".txt", ".txt.gz")
_ABOUT = {"dataset_infos.json", "dataset_dict.json", "state.json", "requirements.txt"}
_SPLITS = ("train", "validation", "valid", "dev", "test", "devtest")
_SECONDS = 10
_LISTED = 12


@dataclass(frozen=True)
class Repository:
    """A data set at one commit; `sizes` are its files with their bytes, None where not known."""

    name: str
    commit: str
    sizes: Mapping[str, int | None]
    card: Mapping[str, Any]
    offline: bool

    def fetch(self, path: str) -> Path:
        """A file, out of the hub's cache if it is there."""
        from huggingface_hub import HfApi

        return _reached(
            self.name,
            lambda: HfApi().hf_hub_download(
                self.name,
                path,
                repo_type="dataset",
                revision=self.commit,
                local_files_only=self.offline,
            ),
            self.commit,
        )

    @property
    def data_files(self) -> list[str]:
        """The files that may hold text, by their endings."""
        kinds = (*PARQUET, *JSON_LINES, *TABLES, *PLAIN)
        return sorted(
            path
            for path in self.sizes
            if path.lower().endswith(kinds) and path.rpartition("/")[2] not in _ABOUT
        )

    @property
    def configurations(self) -> dict[str, dict[str, list[str]]]:
        """The patterns of each split's files by configuration, as the card gives them."""
        found = {}
        for each in self.card.get("configs") or ():
            files = each.get("data_files") if isinstance(each, dict) else None
            if files:
                found[str(each.get("config_name", "default"))] = _by_split(files)
        return found

    def table_files(self, config: str, split: str) -> list[str]:
        """The files of one configuration and split, by the card or else by their names."""
        configurations = self.configurations
        if not configurations:
            return self._named(config, split)
        if not split and config not in configurations:
            config, split = "", config  # a single word may be either
        if split and not config and len(configurations) == 1:
            config = next(iter(configurations))
        chosen = configurations[_one_of(configurations, config, "configuration", self.name)]
        patterns = chosen[_one_of(chosen, split, "split", self.name)]
        found = [
            path
            for path in sorted(self.sizes)
            if any(fnmatch.fnmatchcase(path, pattern.removeprefix("./")) for pattern in patterns)
        ]
        if self.offline and not _is_whole(found):
            raise _unreachable(self.name)
        if not found:
            raise TextError(
                f"{self.name} has no file that its card names ({', '.join(patterns)}): choose "
                "another."
            )
        return found

    def _named(self, config: str, split: str) -> list[str]:
        """The files whose paths have both words."""
        found = [
            path
            for path in self.data_files
            if all(has_word(path, word) for word in (config, split) if word)
        ]
        if not found:
            if self.offline:
                raise _unreachable(self.name)
            if not self.data_files:
                raise TextError(f"{self.name} has no file that can be read: choose another.")
            called = " and ".join(filter(None, (config, split)))
            raise TextError(
                f"{self.name} has no files called {called}; they are {some(self.data_files)}."
            )
        splits = [] if split else [s for s in _SPLITS if any(has_word(path, s) for path in found)]
        if len(splits) > 1:
            raise TextError(
                f"{self.name} has the splits {', '.join(splits)}: write one of them after its "
                f"name, as hub:{self.name}/{config or 'default'}/{splits[-1]}."
            )
        return found


def _is_whole(shards: Sequence[str]) -> bool:
    """Whether every part of a table in parts is there, which their names number: …-of-00003."""
    counts = [int(found[1]) for path in shards if (found := re.search(r"-of-(\d+)", path))]
    return bool(shards) and all(count == len(shards) for count in counts)


def has_word(path: str, word: str) -> bool:
    """Whether a word stands alone somewhere in a path: `test` in data/test-00000.parquet."""
    if word == "default":
        return True
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])", path) is not None


def open_repository(name: str, revision: str | None) -> Repository:
    """Ask the hub for a data set, or look for it in the hub's cache where it cannot be asked."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HFValidationError

    try:
        with asking_the_hub(name, "data set", revision, TextError):
            found = HfApi().dataset_info(
                name, revision=revision, files_metadata=True, timeout=_SECONDS
            )
    except HFValidationError as error:
        raise TextError(f"{name} is no name of a data set: write owner/name.") from error
    except OutOfReach:
        return _cached(name, revision)
    sizes = {each.rfilename: each.size for each in found.siblings or ()}
    card = {}
    if CARD in sizes:
        # By the revision's name, so that the cache can tell it without the hub.
        path = _reached(
            name,
            lambda: HfApi().hf_hub_download(name, CARD, repo_type="dataset", revision=revision),
            revision,
        )
        card = _read_card(path)
    repository = Repository(name, str(found.sha), sizes, card, offline=False)
    if repository.data_files or revision is not None:
        return repository
    try:
        converted = open_repository(name, CONVERTED)
    except TextError:
        return repository
    return Repository(name, converted.commit, converted.sizes, {}, offline=False)


def _cached(name: str, revision: str | None) -> Repository:
    """The same out of the hub's cache; its files are those that were fetched before."""
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(name, CARD, repo_type="dataset", revision=revision)
    if not isinstance(path, str):
        raise _unreachable(name)
    directory = Path(path).parent
    there = [each for each in directory.rglob("*") if each.is_file()]
    sizes = {each.relative_to(directory).as_posix(): each.stat().st_size for each in there}
    found = Repository(name, directory.name, sizes, _read_card(Path(path)), offline=True)
    if not found.data_files:
        raise _unreachable(name)
    return found


def _reached(name: str, ask: Any, revision: str | None) -> Path:
    try:
        with asking_the_hub(name, "data set", revision, TextError):
            return Path(ask())
    except OutOfReach as error:
        raise _unreachable(name) from error


def _unreachable(name: str) -> TextError:
    return TextError(
        f"{name} is not on this machine and the hub cannot be reached: fetch it once where there "
        "is a network, or give files of your own."
    )


def _read_card(path: Path) -> dict[str, Any]:
    """The card's front matter; nothing where it has none, or none that is understood."""
    from huggingface_hub.repocard import metadata_load
    from yaml import YAMLError  # type: ignore[import-untyped]

    try:
        return metadata_load(path) or {}
    except (ValueError, OSError, YAMLError):
        return {}


def _by_split(files: Any) -> dict[str, list[str]]:
    """The patterns of `data_files` by split; without a split they are those of `train`."""
    given = files if isinstance(files, list) else [files]
    found: dict[str, list[str]] = {}
    for each in given:
        split, path = (
            (each.get("split", "train"), each.get("path")) if isinstance(each, dict) else ("", each)
        )
        found.setdefault(str(split or "train"), []).extend(
            map(str, path if isinstance(path, list) else [path])
        )
    return found


def _one_of(names: Mapping[str, Any], asked: str, what: str, repository: str) -> str:
    """The name that was asked for, or the only one there is."""
    if asked in names:
        return asked
    if not asked and (len(names) == 1 or "default" in names):
        return "default" if "default" in names else next(iter(names))
    problem = f"has no {what} {asked}" if asked else f"has several {what}s"
    raise TextError(
        f"{repository} {problem}: name one of {some(list(names))}, as "
        "hub:owner/name/configuration/split."
    )


def some(names: Sequence[str]) -> str:
    """Names as a message lists them: the first ones, and how many more there are."""
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")
