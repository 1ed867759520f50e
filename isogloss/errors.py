"""What can go wrong, each told to the user in one sentence: what, where, and what to do."""

from isogloss.settings import SettingError
from isogloss.store import StoreError


class IsoglossError(Exception):
    """Something the user can mend; its message is one clear sentence."""


class TextError(IsoglossError):
    """A text, a file or an alignment that cannot be read as parallel text."""


class ModelError(IsoglossError):
    """A model that cannot be found, trusted or loaded."""


class NliError(IsoglossError):
    """Labelled sentence pairs that cannot be found or read."""


class StsError(IsoglossError):
    """Sentence pairs with a similarity that cannot be found or read."""


class TreebankError(IsoglossError):
    """Tagged sentences that cannot be found or read."""


class ExtractionError(IsoglossError):
    """Activations that could not be computed as promised."""


class EngineError(IsoglossError):
    """A cluster that is not there, or that work cannot be done on."""


class RunError(IsoglossError):
    """A run that cannot be started, found or continued."""


class Stopped(IsoglossError):
    """The user stopped the work; what was finished is kept and continued next time."""


USER_ERRORS = (IsoglossError, StoreError, SettingError)
"""What a page or the command line shows as a sentence instead of a traceback."""
