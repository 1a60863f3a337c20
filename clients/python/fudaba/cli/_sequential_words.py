"""The verdict of a sequential test, in words and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, final

from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.sequential import SequentialRun, Verdict

__all__ = ["Outcome", "outcome", "sequential_dict", "verdict_lines"]


@final
class Outcome(NamedTuple):
    """The outcome of a test, from wherever it was run."""

    verdict: Verdict
    low: float
    high: float
    alpha: float
    beta: float
    blocks: int
    matches: int
    elo: float | None
    """The advantage in normalised Elo; None if nothing is known about it."""
    elo_half: float | None
    """Half of its interval; None while it has no bound."""


def outcome(run: SequentialRun) -> Outcome:
    """Returns the outcome of a test that was run here."""
    test, matches = run.test, run.blocks * run.matches_per_block
    return Outcome(run.verdict, test.low, test.high, test.alpha, test.beta, run.blocks, matches, run.elo, run.elo_half)


def verdict_lines(found: Outcome, new: str, old: str, unit: str) -> list[str]:
    """Returns the verdict on two programs in words: what it is, the estimate, and what the verdict promises.

    `unit` is the name of a block.
    """
    from fudaba.sequential import Verdict

    cost = f"{counted(found.blocks, unit)}, {counted(found.matches, 'match', 'matches')}"
    low, high = f"{found.low:g}", f"{found.high:g}"
    verdict = {
        Verdict.BETTER: f"better: {new} is ahead of {old} by more than {low} normalised Elo",
        Verdict.NOT_BETTER: f"not better: {new} is ahead of {old} by less than {high} normalised Elo, or behind",
        Verdict.UNDECIDED: f"undecided: {new} may be ahead of {old} by more than {low} normalised Elo, or by less than "
        f"{high}",
    }[found.verdict]
    lines = [f"{verdict} ({cost})"]
    if found.elo is not None:
        half = "" if found.elo_half is None else f" ± {found.elo_half:.1f}"
        holds = f"; the interval of {1 - found.alpha:.0%} holds whenever you look" if half else ""
        lines.append(f"advantage of {new}: {round(found.elo, 1) + 0.0:+.1f}{half} normalised Elo{holds}")
    lines.append(
        f"such tests err seldom: about {found.alpha:.0%} at most find a program better that is ahead by {low} or less, "
        f"and {found.beta:.0%} find one not better that is ahead by {high} or more"
    )
    return lines


def sequential_dict(run: SequentialRun) -> dict[str, Any]:
    """Writes a test that was run here for programs."""
    test = run.test
    return {
        "low": test.low,
        "high": test.high,
        "alpha": test.alpha,
        "beta": test.beta,
        "verdict": str(run.verdict),
        "blocks": run.blocks,
        "matches": run.blocks * run.matches_per_block,
        "log_likelihood_ratio": run.ratio,
        "better_at": test.accept_at,
        "not_better_at": test.reject_at,
        "normalised_elo": _estimate(run.elo, run.elo_half),
        "points": _estimate(run.mean, run.half),
    }


def _estimate(value: float | None, half: float | None) -> dict[str, float | None] | None:
    """Writes a value without the dust of sums that should be zero."""
    return None if value is None else {"mean": round(value, 9) + 0.0, "always_valid_margin": half}
