"""Runs programs from strangers: a `Sandbox` starts one, enforces its limits, and leaves nothing behind.

`sandbox.py` is the interface; `bubblewrap.py`, `pod.py` and `unsafe.py` implement it. On this host, `relay.py` is the
bot's one way out, `leftovers.py` removes what a dead worker left, and `probe.py` tries what the host can enforce. For
pods, `cluster.py` speaks to the cluster, `pod_manifest.py` describes a program and its end in the cluster's terms, and
`pod_probe.py` tries what the cluster can enforce.
"""
