"""What the store tells its user when something goes wrong, each in one sentence."""


class StoreError(Exception):
    """Something about the store the user can mend; its message is one clear sentence."""


class CorruptEntryError(StoreError):
    """An entry whose files are not what its manifest promises."""


class CorruptEntryWarning(UserWarning):
    """An entry was found corrupt or unusable; it was set aside or left out."""
