"""Who may call what: one table, which every call passes before its method is run.

What is a caller's own are the entries and submissions of its bots, and the challenges in which they play.
"""

from __future__ import annotations

from typing import Final

from fudaba.refusals import Refused
from fudaba.v1 import errors_pb2
from fudaba_arena.front.callers import NOBODY, Caller
from fudaba_serving.grpc.reach import Reach

__all__ = ["PERMISSIONS", "ROLES", "admit", "open_to_all"]

ROLES: Final = (NOBODY.role, "guest", "match", "bot", "author", "arena", "gateway", "organiser")
"""The columns of the table: nobody, and the scopes of tokens."""
_PUBLIC: Final = "public public public public public public public  all"
_TABLE: Final = {
    #                        nobody guest  match  bot    author arena  gateway organiser
    "CreateTournament":      "-      -      -      -      -      -      -       all",
    "GetTournament":         _PUBLIC,
    "ListTournaments":       _PUBLIC,
    "PauseTournament":       "-      -      -      -      -      -      -       all",
    "ResumeTournament":      "-      -      -      -      -      -      -       all",
    "CloseTournament":       "-      -      -      -      -      -      -       all",
    "AnnulBlocks":           "-      -      -      -      -      -      -       all",
    "UndoAnnulment":         "-      -      -      -      -      -      -       all",
    "ListAnnulments":        _PUBLIC,
    "ListArenaActions":      "-      -      -      -      -      -      -       all",
    "WatchTournament":       _PUBLIC,
    "GetStandings":          _PUBLIC,
    "GetRatingHistory":      _PUBLIC,
    "ListBlocks":            _PUBLIC,
    "ListTournamentMatches": _PUBLIC,
    "GetQueue":              _PUBLIC,
    "ExportTournament":      _PUBLIC,
    "CreateLadder":          "-      -      -      -      -      -      -       all",
    "GetLadder":             _PUBLIC,
    "ListLadders":           _PUBLIC,
    "PauseLadder":           "-      -      -      -      -      -      -       all",
    "ResumeLadder":          "-      -      -      -      -      -      -       all",
    "CloseSeason":           "-      -      -      -      -      -      -       all",
    "BeginSeason":           "-      -      -      -      -      -      -       all",
    "DeleteLadder":          "-      -      -      -      -      -      -       all",
    "EnterLadder":           "-      -      -      -      own    -      -       all",
    "PauseEntry":            "-      -      -      -      own    -      -       all",
    "ResumeEntry":           "-      -      -      -      own    -      -       all",
    "LeaveLadder":           "-      -      -      -      own    -      -       all",
    "ListEntries":           _PUBLIC,
    "WatchLadder":           _PUBLIC,
    "SetEntryChallenges":    "-      -      -      -      own    -      -       all",
    "CreateChallenge":       "-      -      -      -      own    -      -       all",
    "GetChallenge":          "-      -      -      -      own    -      -       all",
    "ListChallenges":        "-      -      -      -      own    -      -       all",
    "CancelChallenge":       "-      -      -      -      own    -      -       all",
    "CreateSubmission":      "-      -      -      -      own    -      -       all",
    "WriteSubmission":       "-      -      -      -      own    -      -       all",
    "FinishSubmission":      "-      -      -      -      own    -      -       all",
    "GetSubmission":         "-      -      -      -      own    -      -       all",
    "ListSubmissions":       "-      -      -      -      own    -      -       all",
    "ListBotLogs":           "-      -      -      -      own    -      -       all",
    "GetBotLog":             "-      -      -      -      own    -      -       all",
    "ListRuntimes":          _PUBLIC,
    "ListKeptFolders":       "-      -      -      -      own    -      -       all",
    "EmptyKeptFolder":       "-      -      -      -      own    -      -       all",
}  # fmt: skip

PERMISSIONS: Final[dict[str, dict[str, Reach]]] = {
    method: dict(zip(ROLES, map(Reach, row.split()), strict=True)) for method, row in _TABLE.items()
}
"""What each role may do with each method of ArenaService."""


def open_to_all(method: str) -> bool:
    """Whether anybody may call a method, with any token or none."""
    return Reach.NONE not in PERMISSIONS[method].values()


def admit(method: str, caller: Caller) -> None:
    """Refuses whoever may do nothing with a method, and says whose token it takes."""
    row = PERMISSIONS[method]
    if row[caller.role] is not Reach.NONE:
        if caller.barred:
            raise Refused(errors_pb2.REASON_ACCOUNT_SUSPENDED, caller.barred)
        return
    if caller == NOBODY:
        raise Refused(errors_pb2.REASON_TOKEN_MISSING, "send a token as metadata `authorization: Bearer TOKEN`")
    wanted = [role for role in reversed(ROLES) if row[role] is not Reach.NONE]
    if wanted == ["organiser"]:
        raise Refused(errors_pb2.REASON_ORGANISER_ONLY, "this call needs the organiser's token")
    raise Refused(
        errors_pb2.REASON_WRONG_SCOPE,
        f"the scope of your token is {caller.role}; this call takes: {', '.join(wanted)}",
    )
