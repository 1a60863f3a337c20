"""What pytest's main process has each worker run, instead of `xdist/remote.py`: the worker is there already."""

if __name__ == "__channelexec__":
    from tests.support.workers.template import attach

    attach(channel)  # type: ignore[name-defined]  # noqa: F821  # execnet's
