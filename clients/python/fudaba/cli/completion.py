"""`fudaba completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from fudaba.cli.output import say_text


@click.command(
    epilog="Add this to your shell's start-up file, for example: echo 'eval \"$(fudaba completion bash)\"' >> ~/.bashrc"
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes fudaba's commands and options in SHELL.

    \b
    Examples:
      eval "$(fudaba completion bash)"
      fudaba completion fish > ~/.config/fish/completions/fudaba.fish
    """
    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"there is no completion for {shell}")
    root = click.get_current_context().find_root().command
    say_text(found(root, {}, "fudaba", "_FUDABA_COMPLETE").source())
