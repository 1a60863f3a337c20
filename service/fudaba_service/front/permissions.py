"""Who may call what: one table, which every call passes before its method is run.

What is a caller's own is a seat, a bot, an account; an arena's own are the bots of no account.
"""

from __future__ import annotations

from typing import Final

from fudaba.v1 import errors_pb2
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.refusals import Refused
from fudaba_serving.grpc.reach import Reach

__all__ = ["NOBODY", "NOTED", "PERMISSIONS", "ROLES", "admit", "open_to_all"]

NOBODY: Final = "nobody"
"""Whoever calls without a token."""
ROLES: Final = (
    NOBODY, Scope.GUEST, Scope.MATCH, Scope.BOT, Scope.AUTHOR, Scope.ARENA, Scope.GATEWAY, Scope.ORGANISER
)  # fmt: skip
"""The columns of the table: nobody, and the scopes of tokens."""
_TABLE: Final = {
    #                                     nobody guest  match  bot    author arena  gateway organiser
    "CatalogService/ListGames":           "public public public public public public public  public",
    "CatalogService/GetGame":             "public public public public public public public  public",
    "BotService/CreateBot":               "-      -      -      -      own    own    -       all",
    "BotService/CreateVersion":           "-      -      -      -      own    all    -       all",
    "BotService/GetBot":                  "-      -      own    own    own    all    -       all",
    "BotService/ListBots":                "-      -      -      -      own    all    -       all",
    "BotService/CreateToken":             "-      -      -      -      own    own    -       all",
    "BotService/RevokeTokens":            "-      -      -      -      own    own    -       all",
    "BotService/ListPresence":             "-      -      -      own    own    all    -       all",
    "BotService/PauseBot":                 "-      -      -      own    own    -      -       all",
    "BotService/ResumeBot":                "-      -      -      own    own    -      -       all",
    "MatchService/CreateMatch":           "-      own    -      own    -      all    -       all",
    "MatchService/CreateMatches":         "-      own    -      own    -      all    -       all",
    "MatchService/JoinMatch":             "-      own    -      own    -      -      -       -",
    "MatchService/ResignMatch":           "-      own    own    own    -      -      -       -",
    "MatchService/GetMatch":              "public public public public public all    public  all",
    "MatchService/AwaitMatch":            "public public public public public all    public  all",
    "MatchService/ListMatches":           "public public public public public all    public  all",
    "MatchService/AbortMatch":            "-      own    -      own    own    all    -       all",
    "MatchService/ReleaseMatches":        "-      -      -      -      -      all    -       all",
    "MatchService/WatchMatch":            "public public public public public all    public  all",
    "MatchService/GetRecord":             "public public public public public all    public  all",
    "MatchService/StreamRecords":          "public public public public public all    public  all",
    "MatchService/StreamPositions":        "public public public public public all    public  all",
    "MatchService/GetNotes":               "-      own    own    own    own    -      -       -",
    "MatchService/SetMatchTags":           "-      -      -      own    own    -      -       -",
    "MatchService/VerifyRecord":          "public public public public public public public  public",
    "PlayService/Play":                   "-      own    own    own    -      -      -       -",
    "PlayService/WatchSeat":              "-      own    own    own    -      -      -       -",
    "PlayService/SubmitMove":             "-      own    own    own    -      -      -       -",
    "AccountService/WhoAmI":              "-      own    own    own    own    own    own     own",
    "AccountService/CreateAccount":       "own    -      -      -      -      -      all     all",
    "AccountService/CreateInvitation":    "-      -      -      -      -      -      -       all",
    "AccountService/GetAccount":          "-      -      -      -      own    all    -       all",
    "AccountService/ListAccounts":        "-      -      -      -      -      -      -       all",
    "AccountService/UpdateAccount":       "-      -      -      -      own    -      -       all",
    "AccountService/SuspendAccount":      "-      -      -      -      -      -      -       all",
    "AccountService/ResumeAccount":       "-      -      -      -      -      -      -       all",
    "AccountService/DeleteAccount":       "-      -      -      -      own    -      -       all",
    "AccountService/AddMember":           "-      -      -      -      own    -      -       all",
    "AccountService/RemoveMember":        "-      -      -      -      own    -      -       all",
    "AccountService/AddLink":             "-      -      -      -      -      -      all     all",
    "AccountService/RemoveLink":          "-      -      -      -      own    -      -       all",
    "AccountService/AssignBot":           "-      -      -      -      -      -      -       all",
    "AccountService/GetQuotas":           "-      -      -      -      own    -      -       all",
    "AccountService/UpdateQuotas":        "-      -      -      -      -      -      -       all",
    "AccountService/ListActions":         "-      -      -      -      -      -      -       all",
    "AccountService/CreateGuest":         "own    -      -      -      -      -      all     all",
    "AccountService/ExchangeLogin":       "-      -      -      -      -      -      all     -",
    "AccountService/CreateAccountToken":  "-      -      -      -      own    -      -       all",
    "AccountService/CreateMatchToken":    "-      -      -      -      -      all    -       all",
    "AccountService/ListTokens":          "-      -      -      -      own    -      -       all",
    "AccountService/RevokeToken":         "-      own    -      own    own    own    own     all",
    "AccountService/RotateToken":         "-      -      -      own    own    own    own     all",
}  # fmt: skip

PERMISSIONS: Final[dict[str, dict[str, Reach]]] = {
    f"/fudaba.v1.{method}": dict(zip(ROLES, map(Reach, row.split()), strict=True)) for method, row in _TABLE.items()
}
"""What each role may do with each method, by gRPC's names of methods."""

_NOT_NOTED: Final = ("Get", "List", "Stream", "Await", "Watch", "Verify", "WhoAmI", "CreateMatch", "UpdateAccount")
"""How the names of methods begin, or are, that change nothing; and CreateMatch: matches list themselves; and
UpdateAccount, which notes what authors change, too."""
NOTED: Final = frozenset(
    method
    for method, row in PERMISSIONS.items()
    if row[Scope.ORGANISER] is Reach.ALL
    and (not method.rpartition("/")[2].startswith(_NOT_NOTED) or method.endswith("/CreateMatchToken"))
)
"""What organisers do with these methods is kept in the log of actions."""

_PLAYERS: Final = {Scope.GUEST, Scope.MATCH, Scope.BOT}
_ORGANISING: Final = {Scope.ARENA, Scope.ORGANISER}


def open_to_all(method: str) -> bool:
    """Whether anybody may call a method, with any token or none."""
    return Reach.NONE not in PERMISSIONS[method].values()


def admit(method: str, owner: Owner | None) -> Reach:
    """What the caller may do with a method. Refuses whoever may do nothing, and says whose token it takes."""
    row = PERMISSIONS[method]
    reach = row[NOBODY if owner is None else owner.scope]
    if reach is not Reach.NONE:
        return reach
    if owner is None:
        raise Refused(errors_pb2.REASON_TOKEN_MISSING, "send a token as metadata `authorization: Bearer TOKEN`")
    scopes = {role for role, may in row.items() if may is not Reach.NONE and role != NOBODY}
    if scopes <= _ORGANISING:
        raise Refused(
            errors_pb2.REASON_ORGANISER_ONLY, f"this call needs the organiser's token, not {_a(owner.scope)}'s"
        )
    if scopes <= _PLAYERS:
        raise Refused(errors_pb2.REASON_BOT_ONLY, f"this call needs a bot's token, not {_a(owner.scope)}'s")
    wanted = ", ".join(role for role in reversed(ROLES) if role in scopes)
    if not scopes:
        wanted = "none: call without one"
    raise Refused(errors_pb2.REASON_WRONG_SCOPE, f"the scope of your token is {owner.scope}; this call takes: {wanted}")


def _a(scope: Scope) -> str:
    """A scope with its article, before an apostrophe."""
    if scope == Scope.ORGANISER:
        return "the organiser"
    return f"an {scope}" if scope in {Scope.AUTHOR, Scope.ARENA} else f"a {scope}"
