"""Where programs from strangers run: a `Sandbox` starts one, holds it to its limits, and leaves nothing of it.

`sandbox.py` is the interface, `bubblewrap.py` and `unsafe.py` are its implementations; `relay.py` is the bot's one way
out, `leftovers.py` removes what a worker that died has left, and `probe.py` tries what this host can enforce.
"""
