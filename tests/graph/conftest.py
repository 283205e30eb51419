"""What many tests of the code graph begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.repositories import MadeRepository
from tests.graph.stories import Repo


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    """An empty bare repository."""
    return MadeRepository(tmp_path / "made.git")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository for a story: files with marks in them."""
    return Repo(tmp_path)
