"""Runs programs from strangers: a `Sandbox` starts one, holds it to its limits, and leaves nothing of it.

`sandbox.py` is the interface, `bubblewrap.py`, `pod.py` and `unsafe.py` are its implementations. On this host
`relay.py` is the bot's one way out, `leftovers.py` removes what a worker that died has left, and `probe.py` tries what
the host can enforce. For pods `cluster.py` speaks to the cluster, `pod_manifest.py` has its words for a program and its
end, and `pod_probe.py` tries what the cluster can enforce.
"""
