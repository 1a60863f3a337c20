"""`fudaba account create --from`: the accounts of a roster, and a token file for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, final

from fudaba.cli.connection import Connection
from fudaba.cli.failures import Failure
from fudaba.cli.output import print_json, say, say_error
from fudaba.cli.paging import every_page
from fudaba.cli.progress import progress
from fudaba.cli.secret_output import SecretOutput, secret_output
from fudaba.cli.sign_up_sheets import Sheet, new_sheet, sheets_written
from fudaba.errors import ServiceError
from fudaba.roster import Roster, RosterMistakes, RosterRow, parse_roster
from fudaba.safe_text import safe_line
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import accounts_pb2

__all__ = ["RosterWishes", "create_from_roster", "read_roster", "reissue_accounts"]

_TIMEOUT_SECONDS: Final = 30
_MAX_MISTAKES_SHOWN: Final = 20
_FOLDER_MODE: Final = 0o700
"""The mode of the folder: nobody else may see whose tokens it has."""
_FORMER: Final = ".former"
"""The suffix of a file whose token will be revoked."""
_CODES_OF_ONE_ACCOUNT: Final = frozenset({"INVALID_ARGUMENT", "ALREADY_EXISTS", "NOT_FOUND"})
"""The codes of errors after which the other accounts are still made."""


@dataclass
class _Outcome:
    """The results of a roster, by account name."""

    created: list[str] = field(default_factory=list)
    existing: list[str] = field(default_factory=list)
    differing: list[dict[str, str]] = field(default_factory=list)
    """The accounts whose display name differs from the roster's."""
    without_token: list[str] = field(default_factory=list)
    """The existing accounts without a token file."""
    reissued: list[str] = field(default_factory=list)
    sheets: list[str] = field(default_factory=list)
    """The accounts that have a sign-up sheet."""
    failed: list[dict[str, str]] = field(default_factory=list)


@final
class _Folder:
    """The folder with a token file for each account, `NAME.token`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def file(self, name: str) -> Path:
        return self._folder / f"{name}.token"

    def make(self) -> None:
        """Makes the folder. Raises `Failure`."""
        try:
            self._folder.mkdir(mode=_FOLDER_MODE, exist_ok=True)
        except OSError as error:
            raise Failure(f"the folder {self._folder} cannot be made: {error.strerror}") from error


class RosterWishes(NamedTuple):
    """The options of a run over a roster."""

    file: Path
    tokens: Path
    """The folder of the token files."""
    reissue: frozenset[str]
    """The accounts that get a new token."""
    reissue_all: bool
    dry_run: bool
    sheets: Path | None
    """The file of the sign-up sheets; None for none."""
    site: str
    """The address of the page, for the sheets."""


def create_from_roster(connection: Connection, wishes: RosterWishes, *, as_json: bool) -> None:
    """Makes the missing accounts of a roster, and reports differences in the others.

    All mistakes in the roster or the folder are found before anything is made. Raises `Failure`.
    """
    roster = read_roster(wishes.file)
    names = {row.name for row in roster.rows}
    if strangers := sorted(wishes.reissue - names):
        raise Failure(f"{strangers[0]} is not in {wishes.file}; --reissue takes names of the roster")
    reissued = names if wishes.reissue_all else wishes.reissue
    with connection.client() as client:
        run = _Run(connection, client, _Folder(wishes.tokens))
        new, again = run.compare(roster, reissued)
        if not wishes.dry_run:
            with sheets_written(wishes.sheets, wishes.site) as sheets:
                run.make(new, again, sheets if wishes.sheets is not None else None)
    planned = {"would_create": [row.name for row in new], "would_reissue": again} if wishes.dry_run else {}
    if as_json:
        print_json(asdict(run.outcome) | planned)
    else:
        _say(run.outcome, wishes.tokens, planned)
        _say_sheets(run.outcome, None if wishes.dry_run else wishes.sheets)
    if failed := run.outcome.failed:
        accounts = counted(len(roster.rows), "account is", "accounts are")
        raise Failure(f"{len(failed)} of {accounts} not as the roster says; see above")


def reissue_accounts(
    connection: Connection, names: Sequence[str], tokens: Path | None, sheets: Path | None, site: str, *, as_json: bool
) -> None:
    """Makes new tokens for existing accounts, in a folder, or new sign-up sheets, or both. The former ones are revoked.

    Raises `Failure`, before anything is made, for names that no account has.
    """
    with connection.client() as client:
        run = _Run(connection, client, _Folder(tokens) if tokens is not None else None)
        run.check_known(names)
        with sheets_written(sheets, site) as written:
            run.make((), list(dict.fromkeys(names)), written if sheets is not None else None)
    if as_json:
        print_json({name: asdict(run.outcome)[name] for name in ("reissued", "sheets", "failed")})
    else:
        if tokens is not None:
            reissued = counted(len(run.outcome.reissued), "account has", "accounts have")
            say(f"{reissued} another token in {tokens}; the one in their former file is revoked")
        _say_sheets(run.outcome, sheets)
        for failure in run.outcome.failed:
            say_error(f"{failure['name']}: {failure['error']}")
    if failed := run.outcome.failed:
        raise Failure(f"{counted(len(failed), 'account has', 'accounts have')} nothing new; see above")


def read_roster(file: Path) -> Roster:
    """Reads and checks a roster. Raises `Failure` with all its mistakes."""
    try:
        return parse_roster(file.read_bytes())
    except OSError as error:
        raise Failure(f"{file} cannot be read: {error.strerror}") from error
    except RosterMistakes as error:
        shown = [f"line {line}: {text}" for line, text in error.mistakes[:_MAX_MISTAKES_SHOWN]]
        more = len(error.mistakes) - len(shown)
        shown += [f"and {more} more"] if more else []
        raise Failure("\n".join((f"{file} has mistakes, and nothing was done", *shown))) from error


def _accounts(client: Client) -> dict[str, accounts_pb2.Account]:
    from fudaba.v1 import accounts_pb2

    request = accounts_pb2.ListAccountsRequest(page_size=1000)
    pages = every_page(client.accounts.ListAccounts, request)
    return {account.name: account for page in pages for account in page.accounts}


@final
class _Run:
    """A run over a roster."""

    def __init__(self, connection: Connection, client: Client, folder: _Folder | None) -> None:
        """`folder` is None for a run that makes sheets only."""
        self._connection = connection
        self._client = client
        self._tokens = folder
        self._known: Mapping[str, accounts_pb2.Account] = {}
        self.outcome = _Outcome()

    @property
    def _folder(self) -> _Folder:
        if self._tokens is None:
            raise ValueError("this run makes no tokens")
        return self._tokens

    def check_known(self, names: Sequence[str]) -> None:
        """Raises `Failure` for a name that no account has."""
        self._known = _accounts(self._client)
        if strangers := [name for name in names if name not in self._known]:
            raise Failure(
                f"there is no account {strangers[0]!r}, and nothing was made; `fudaba account list` lists them"
            )

    def compare(self, roster: Roster, reissued: Set[str]) -> tuple[list[RosterRow], list[str]]:
        """Returns the accounts to make, and those that get a new token. Notes the state of the others.

        Raises `Failure` for a token file of a missing account.
        """
        self._known = known = _accounts(self._client)
        new = [row for row in roster.rows if row.name not in known]
        strange = [self._folder.file(row.name) for row in new if self._folder.file(row.name).exists()]
        if strange:
            raise Failure(
                f"{strange[0]} is there already, but the service has no such account, and nothing was made; is this "
                "another service's folder? Name another folder, or move the file away"
            )
        for row in roster.rows:
            if row.name not in known:
                continue
            self.outcome.existing.append(row.name)
            shown = known[row.name].display_name
            if row.display_name not in {"", shown}:
                difference = {"name": row.name, "display_name": shown, "in_roster": row.display_name}
                self.outcome.differing.append(difference)
            if row.name not in reissued and not self._folder.file(row.name).exists():
                self.outcome.without_token.append(row.name)
        return new, [row.name for row in roster.rows if row.name in known and row.name in reissued]

    def make(self, new: Sequence[RosterRow], again: Sequence[str], sheets: list[Sheet] | None) -> None:
        """Makes accounts and tokens, and for each of them a sheet, unless `sheets` is None.

        Raises `Failure` if the service cannot be reached, or refuses for a reason that is not one account's. Accounts
        made before that stay, and another run continues.
        """
        if self._tokens is not None:
            self._tokens.make()
        works: list[RosterRow | str] = [*new, *again]
        with progress(total := len(works), "accounts") as step:
            for work in works:
                try:
                    self._make(work)
                    if sheets is not None:
                        sheets.append(self._sheet(work))
                        self.outcome.sheets.append(sheets[-1].name)
                except ServiceError as error:
                    name = work.name if isinstance(work, RosterRow) else work
                    if error.code not in _CODES_OF_ONE_ACCOUNT:
                        raise Failure(f"{safe_line(str(error))}\n{self._left(total, sheets)}") from error
                    self.outcome.failed.append({"name": name, "error": str(error)})
                step()

    def _left(self, total: int, sheets: list[Sheet] | None) -> str:
        """Says what an interrupted run has made, and how to go on."""
        if sheets is None:
            done = len(self.outcome.created) + len(self.outcome.reissued)
            return f"{done} of {counted(total, 'account is', 'accounts are')} done; run it again for the others"
        return (
            f"{len(sheets)} of {counted(total, 'sign-up sheet is', 'sign-up sheets are')} made; run it again with"
            " another file for the others. `fudaba account reissue` makes the sheet of an account that was created"
            " without one"
        )

    def _make(self, work: RosterRow | str) -> None:
        if isinstance(work, RosterRow):
            self._create(work)
            self.outcome.created.append(work.name)
        elif self._tokens is not None:
            self._reissue(work)
            self.outcome.reissued.append(work)

    def _sheet(self, work: RosterRow | str) -> Sheet:
        if isinstance(work, RosterRow):
            return new_sheet(self._client, work.name, work.display_name)
        return new_sheet(self._client, work, self._known[work].display_name)

    def _create(self, row: RosterRow) -> None:
        from fudaba.v1 import accounts_pb2

        request = accounts_pb2.CreateAccountRequest(name=row.name, display_name=row.display_name)
        with self._written(row.name) as secret:
            secret.write(self._client.accounts.CreateAccount(request, timeout=_TIMEOUT_SECONDS).token)

    def _reissue(self, name: str) -> None:
        """Makes a new token, and revokes the token in the file that it replaces.

        The old token stays in a file beside the new one until it is revoked, so that another run can revoke it after an
        interruption.
        """
        from fudaba.v1 import accounts_pb2

        file = self._folder.file(name)
        former = file.with_suffix(_FORMER)
        self._revoke_former(former)
        if file.exists():
            file.rename(former)
        request = accounts_pb2.CreateAccountTokenRequest(
            scope=accounts_pb2.TOKEN_SCOPE_AUTHOR, account=name, label="reissued"
        )
        try:
            with self._written(name) as secret:
                secret.write(self._client.accounts.CreateAccountToken(request, timeout=_TIMEOUT_SECONDS).token)
        except BaseException:
            if former.exists():
                former.rename(file)
            raise
        self._revoke_former(former)

    @contextmanager
    def _written(self, name: str) -> Iterator[SecretOutput]:
        """Opens the file for an account's token. The file exists once it contains the token, however a run ends."""
        file = self._folder.file(name)
        fresh = file.with_suffix(".new")
        fresh.unlink(missing_ok=True)  # left by a run that was killed; nobody was given what is in it
        with secret_output(fresh) as secret:
            yield secret
        fresh.replace(file)

    def _revoke_former(self, former: Path) -> None:
        if former.exists():
            self._revoke(former.read_text(encoding="utf-8").strip())
            former.unlink()

    def _revoke(self, token: str) -> None:
        """Revokes a token, unless it is no longer valid."""
        from fudaba.v1 import accounts_pb2

        try:
            with replace(self._connection, token=token).client() as former:
                info = former.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), timeout=_TIMEOUT_SECONDS)
        except ServiceError as error:
            if error.code == "UNAUTHENTICATED":
                return
            raise
        request = accounts_pb2.RevokeTokenRequest(token_id=info.token.token_id)
        self._client.accounts.RevokeToken(request, timeout=_TIMEOUT_SECONDS)


def _say(outcome: _Outcome, tokens: Path, planned: Mapping[str, Sequence[str]]) -> None:
    if planned:
        create, reissue = len(planned["would_create"]), len(planned["would_reissue"])
        created, reissued = counted(create, "account"), counted(reissue, "gets", "get")
        say(f"{created} would be created, and {reissued} another token; nothing was made")
    else:
        say(f"{counted(len(outcome.created), 'account is', 'accounts are')} created; tokens are in {tokens}")
    if outcome.reissued:
        accounts = counted(len(outcome.reissued), "account has", "accounts have")
        say(f"{accounts} another token; the one in their former file is revoked")
    if outcome.existing:
        say(f"{counted(len(outcome.existing), 'account was', 'accounts were')} there already")
    for difference in outcome.differing:
        name, shown, wanted = difference["name"], difference["display_name"], difference["in_roster"]
        say(f"  {name} is shown as {shown}, in the roster as {wanted}: fudaba account update {name} changes that")
    if names := outcome.without_token:
        lacking = counted(len(names), "of them has", "of them have")
        say(f"{lacking} no token file: {', '.join(names)}; --reissue NAME makes one")
    for failure in outcome.failed:
        say_error(f"{failure['name']}: {failure['error']}")


def _say_sheets(outcome: _Outcome, sheets: Path | None) -> None:
    if sheets is not None and outcome.sheets:
        made = counted(len(outcome.sheets), "sign-up sheet is", "sign-up sheets are")
        say(f"{made} in {sheets}; those that these accounts had before are not valid")
    elif sheets is not None:
        say("no account is new or gets another token, so there are no sign-up sheets")
