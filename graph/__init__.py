"""The code graph."""

import sys

if "typing_extensions" not in sys.modules:
    # msgspec takes it where it finds it, and needs it for nothing. To import it takes as long as to search a thousand
    # files, so modules that start a briefing import this package before msgspec.
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules["typing_extensions"]
