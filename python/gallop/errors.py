"""An error of files or data in one line, as commands print it."""

from __future__ import annotations


def said_of(error: Exception) -> str:
    """An error in words: of the system's the file first, without its number."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)
