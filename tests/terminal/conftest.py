"""What tests of `fudaba play` share."""

from __future__ import annotations

import pytest

pytest.importorskip("textual", reason="the extra `play` is not installed")
