"""The program that pytest's main process starts in each worker, instead of `xdist/remote.py`: the worker is there
already."""

if __name__ == "__channelexec__":
    from tests.support.workers.template import attach

    attach(channel)  # type: ignore[name-defined]  # noqa: F821  # execnet's
