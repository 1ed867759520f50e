"""What the Hugging Face hub may answer, told as a sentence: models and texts are fetched alike."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from isogloss.errors import IsoglossError

LOG_IN = "`hf auth login` (or set HF_TOKEN)"
_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS}


class OutOfReach(Exception):
    """The hub did not answer, or was not to be asked; what is wanted may lie in its cache."""


@contextmanager
def asking_the_hub(
    name: str, kind: str, revision: str | None, error: type[IsoglossError]
) -> Iterator[None]:
    """Raise `error` with a sentence for what the hub says of `name`, a model or a data set.

    Where it cannot be asked, that is `OutOfReach`, for the caller to say what else there is.
    """
    import httpx2
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    try:
        yield
    except GatedRepoError as problem:
        where = f"https://huggingface.co/{'datasets/' if kind != 'model' else ''}{name}"
        raise error(
            f"{name} is gated: accept its terms at {where} and log in with {LOG_IN}."
        ) from problem
    except RevisionNotFoundError as problem:
        raise error(f"{name} has no revision {revision}: check its name.") from problem
    except RepositoryNotFoundError as problem:
        raise error(
            f"The hub has no {kind} called {name}, or it is private: check its name, or log in "
            f"with {LOG_IN}."
        ) from problem
    except (OSError, httpx2.HTTPError) as problem:
        number = getattr(problem, "errno", None)
        if number in _UNWRITABLE and isinstance(problem, OSError):
            raise error(
                f"{name} cannot be saved ({problem.strerror}): free some space, or set HF_HOME to "
                "a directory that can be written."
            ) from problem
        answer = getattr(problem, "response", None) if isinstance(problem, HfHubHTTPError) else None
        if answer is not None:
            raise error(
                f"The hub does not hand out {name} (it answers {answer.status_code}): try again "
                "later."
            ) from problem
        raise OutOfReach from problem
