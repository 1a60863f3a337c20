"""Writes the files that the methods' policies determine: docs/methods.md, and the page's list of methods. Run by
`generate`.

python scripts/_methods.py PAGE LIST
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from fudaba_serving.grpc.policy import ROLES, contract, policy_of

HEAD: Final = """\
# The methods: who may call them, and what they cost

This page is made from the contract, by `scripts/generate`: each method declares its policy in its `.proto` file.

The columns of roles say what a caller may do: `nobody` is whoever calls without a token, the others are the scopes of
[tokens](accounts.md).

- `all`: everything.
- `own`: what belongs to the caller. [On the service](accounts.md#the-table-of-permissions) and
  [in an arena](organisers.md#who-may-call-what) that is not the same.
- `public`: what everybody may see, so nothing of a hidden match.
- `-`: refused, with `TOKEN_MISSING`, `ORGANISER_ONLY`, `BOT_ONLY` or `WRONG_SCOPE`.

`cost` is the cost of a call, in calls of the [rate limit](limits.md#rate-limits); long requests cost more. A method
that does not change anything (`changes`) may be called by a [link](gateway.md). What organisers do with one that is
`audited` is kept in the log of actions.
"""
READING: Final = """\
/**
 * The methods of the contract that change nothing and answer once, by their own names. Made from their policies, by
 * `scripts/generate`.
 */
export const READING: ReadonlySet<string> = new Set([
{names}]);
"""
ANSWERS: Final = ("no", "yes")


def page() -> str:
    """Returns the text of docs/methods.md."""
    return "\n".join([HEAD, *tables()])


def tables() -> Iterator[str]:
    """Yields a table for each service, in the order of their names, with its methods in the contract's order."""
    for service in sorted(contract(), key=lambda service: service.name):
        yield from (f"## {service.name}", "")
        yield f"| method | {' | '.join(ROLES)} | cost | changes | audited |"
        yield f"| --- |{' --- |' * (len(ROLES) + 3)}"
        for method in service.methods:
            policy = policy_of(method)
            reaches = " | ".join(policy.reaches[role] for role in ROLES)
            changes, audited = ANSWERS[policy.changes], ANSWERS[policy.audited]
            yield f"| `{method.name}` | {reaches} | {policy.base_cost:g} | {changes} | {audited} |"
        yield ""


def reading() -> str:
    """Returns the text of the page's list of methods that change nothing."""
    unary = [method for service in contract() for method in service.methods if not method.server_streaming]
    names = sorted(method.name for method in unary if not policy_of(method).changes)
    changing = {method.name for method in unary if policy_of(method).changes}
    if both := changing.intersection(names):
        raise ValueError(f"{', '.join(both)}: a method that changes something has the name of one that does not")
    return READING.format(names="".join(f'  "{name}",\n' for name in names))


def main(methods: Path, list_of_page: Path) -> None:
    """Writes both files."""
    methods.write_text(page().rstrip() + "\n", encoding="utf-8")
    list_of_page.write_text(reading(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
