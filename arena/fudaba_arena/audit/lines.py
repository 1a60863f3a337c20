"""Reads an export's lines. Checks that each required field is there and has its documented type."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, final

from fudaba_arena.audit.export import FORMAT_NUMBER

__all__ = ["BadExport", "read_lines"]


class BadExport(Exception):
    """A file is not an export that this release can read. `str()` says why and names the line."""


@final
@dataclass(frozen=True, slots=True)
class _Value:
    """A requirement on a value."""

    words: str
    fits: Callable[[Any], bool]


@final
@dataclass(frozen=True, slots=True)
class _OrNull:
    """A value that may be null."""

    wanted: Any


@final
@dataclass(frozen=True, slots=True)
class _IfThere:
    """A field that earlier releases did not write."""

    wanted: Any


_TEXT: Final = _Value("a text", lambda value: isinstance(value, str))
_FLAG: Final = _Value("true or false", lambda value: isinstance(value, bool))
_WHOLE: Final = _Value("a whole number of at most 63 bits", lambda value: type(value) is int and abs(value) < 2**63)
_MARGIN: Final = _Value(
    "a number above 0", lambda value: type(value) in {int, float} and isfinite(value) and 0 < value < 2**63
)
_NUMBER: Final = _Value(
    "a number from 0", lambda value: type(value) in {int, float} and isfinite(value) and 0 <= value < 2**63
)
_REAL: Final = _Value("a number", lambda value: type(value) in {int, float} and isfinite(value))
_COUNT: Final = _Value("a whole number from 0", lambda value: type(value) is int and 0 <= value < 2**63)
_BYTES: Final = _Value(
    "pairs of hexadecimal digits", lambda value: isinstance(value, str) and bool(re.fullmatch("([0-9a-f]{2})*", value))
)
_CLOCK: Final = {
    **dict.fromkeys(("move_ms", "increment_ms", "bank_ms", "max_timeouts", "max_illegal"), _WHOLE),
    "network_credit": _IfThere(_FLAG),
}
_DEFINITION: Final = {
    "format": _TEXT,
    "challengers": _IfThere([_TEXT]),
    "rounds": _IfThere(_WHOLE),
    "seeds": _IfThere([_TEXT]),
    "third_place": _IfThere(_FLAG),
    "tiebreak_blocks": _IfThere(_COUNT),
    "seeded_from": _IfThere({"ladder": _TEXT, "season": _COUNT, "id": _TEXT, "game": _TEXT, "point": _COUNT}),
    "same_author": _FLAG,
    "sittings": _IfThere(_TEXT),
    "connect_seconds": _WHOLE,
    "clock": _CLOCK,
    "edits": _IfThere([{"at_ms": _COUNT, "connect_seconds": _WHOLE, "clock": _CLOCK}]),
    "games": [
        {"game": _TEXT, "seats": _WHOLE, "options": {}, "blocks": _WHOLE, "deals": _WHOLE, "win_margin": _MARGIN}
    ],
    "bots": [
        {
            "bot": _TEXT,
            "version": _TEXT,
            "author": _TEXT,
            "owner": _IfThere(_COUNT),
            "stateless": _FLAG,
            "games": [_TEXT],
        }
    ],
    "season": _IfThere(
        _OrNull(
            {
                "ladder": _TEXT,
                "number": _COUNT,
                "provisional_blocks": _COUNT,
                "narrow": _NUMBER,
                "final_blocks": _COUNT,
                "begins_ms": _COUNT,
                "ends_ms": _COUNT,
                "rank_half": _IfThere(_NUMBER),
                "idle_days": _IfThere(_COUNT),
                "final_apart_blocks": _IfThere(_COUNT),
                "overall_shares": _IfThere(_FLAG),
                "panels": _IfThere(
                    [
                        {
                            "game": _TEXT,
                            "spread": _MARGIN,
                            "bots": [{"builtin": _TEXT, "rating": _NUMBER, "half": _NUMBER}],
                        }
                    ]
                ),
                "absence": _IfThere(_OrNull({"grace_seconds": _COUNT, "graces": _COUNT, "network": _IfThere([_TEXT])})),
            }
        )
    ),
}
_RESULT: Final = {"scores": [_WHOLE], "forfeited_by": _TEXT, "forfeit_cause": _TEXT, "ended_ms": _WHOLE}
_LINES: Final[Mapping[str, Mapping[str, Any]]] = {
    "tournament": {
        "name": _TEXT,
        "id": _TEXT,
        "commitment": _BYTES,
        "master": _OrNull(_BYTES),
        "complete": _FLAG,
        "planned_blocks": _WHOLE,
        "planned_matches": _WHOLE,
        "parked": [_WHOLE],
        "left_out": _IfThere([_WHOLE]),
        "withdrawn": [_TEXT],
        "definition": _DEFINITION,
    },
    "round": {
        "round": _COUNT,
        "blocks": [{"game": _TEXT, "groups": [[_TEXT]], "shared": _FLAG}],
        "byes": {},
        "out": [_TEXT],
        "unplayed": [_COUNT],
        "bracket_round": _IfThere(_COUNT),
        "annulled": _IfThere([_COUNT]),
    },
    "entry": {
        "number": _COUNT,
        "change": _TEXT,
        "at_ms": _WHOLE,
        "bot": _TEXT,
        "version": _TEXT,
        "author": _TEXT,
        "games": [_TEXT],
        "submission": _IfThere(_TEXT),
        "stateless": _IfThere(_FLAG),
        "late": _IfThere(_FLAG),
        "in_time": _IfThere(_FLAG),
    },
    "chosen": {
        "slot": _COUNT,
        "game": _TEXT,
        "groups": [[_TEXT]],
        "shared": _FLAG,
        "chosen_for": _TEXT,
        "final": _FLAG,
        "at_ms": _WHOLE,
        "generation": _IfThere(_TEXT),
        "edits": _IfThere(_COUNT),
    },
    "annulment": {
        "number": _COUNT,
        "after": _COUNT,
        "blocks": [_COUNT],
        "bots": [_TEXT],
        "reason": _TEXT,
        "at_ms": _WHOLE,
        "undoes": _COUNT,
        "disqualifies": _IfThere(_TEXT),
    },
    "standings": {
        "ladder": _TEXT,
        "rated_on": _IfThere(_TEXT),
        "point": _IfThere(_COUNT),
        "standings": [{"bot": _TEXT}],
    },
    "published": {
        "point": _COUNT,
        "blocks": _COUNT,
        "tables": [{"ladder": _TEXT, "ratings": [{"bot": _TEXT, "rating": _REAL, "low": _REAL, "high": _REAL}]}],
    },
    "block": {
        "block": _COUNT,
        "game": _TEXT,
        "slot": _WHOLE,
        "attempt": _WHOLE,
        "sequence": _IfThere(_COUNT),
        "closed_ms": _IfThere(_WHOLE),
        "cycle": _WHOLE,
        "round": _WHOLE,
        "state": _TEXT,
        "annulled": _IfThere(
            _OrNull({"reason": _TEXT, "at_ms": _WHOLE, "bots": _IfThere([_TEXT]), "struck": _IfThere([_TEXT])})
        ),
        "void_cause": _TEXT,
        "void_bots": [_TEXT],
        "deals": _WHOLE,
        "seed": _OrNull(_BYTES),
    },
    "deal": {"block": _COUNT, "deal": _WHOLE, "seed": _OrNull(_BYTES)},
    "match": {
        "block": _COUNT,
        "deal": _WHOLE,
        "match_id": _TEXT,
        "bots": [_TEXT],
        "counts": _FLAG,
        "counted": _IfThere(_FLAG),
        "result": _OrNull(_RESULT),
        "digest": _BYTES,
    },
    "end": {
        "blocks": _WHOLE,
        "deals": _WHOLE,
        "matches": _WHOLE,
        "annulments": _IfThere(_COUNT),
        "results_digest": _BYTES,
    },
}
"""The required fields of each kind of line: a dict of fields, a list of equal values, or one value."""


def read_lines(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Returns the lines of an export, beginning with the tournament's. Raises `BadExport`."""
    found: list[dict[str, Any]] = []
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadExport(f"line {number} is not JSON: {error}") from error
        if not isinstance(line, dict) or not isinstance(line.get("kind"), str):
            raise BadExport(f"line {number} is not a line of an export: it has no kind")
        if not found and (line["kind"] != "tournament" or line.get("format") != FORMAT_NUMBER):
            raise BadExport(
                f"line {number} begins no export of format {FORMAT_NUMBER}, as `fudaba arena export` writes it"
            )
        wrong = _wrong(line, _LINES.get(line["kind"], {}), "")
        if wrong:
            raise BadExport(f"line {number}, of kind {line['kind']}: {wrong}")
        found.append(line)
    if not found:
        raise BadExport("there are no lines; make an export with fudaba arena export")
    return found


def _wrong(value: Any, wanted: Any, name: str) -> str:
    """Checks a value. Returns what is wrong, or an empty text."""
    if isinstance(wanted, _OrNull):
        return "" if value is None else _wrong(value, wanted.wanted, name)
    if isinstance(wanted, _Value):
        return "" if wanted.fits(value) else f"{name} is {_shown(value)}, not {wanted.words}"
    kind, words = (list, "a list") if isinstance(wanted, list) else (dict, "an object")
    if not isinstance(value, kind):
        return f"{name} is {_shown(value)}, not {words}"
    return next(filter(None, _wrong_inside(value, wanted, name)), "")


def _wrong_inside(value: Any, wanted: Any, name: str) -> Iterator[str]:
    """Checks each field of an object, or each value of a list."""
    if isinstance(wanted, list):
        yield from (_wrong(element, wanted[0], f"{name}[{at}]") for at, element in enumerate(value))
        return
    for field, expected in wanted.items():
        path = f"{name}.{field}" if name else field
        if isinstance(expected, _IfThere):
            yield _wrong(value[field], expected.wanted, path) if field in value else ""
            continue
        yield _wrong(value[field], expected, path) if field in value else f"{path} is missing"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}…"
