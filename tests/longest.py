"""Which tests begin first, so that none that takes long is left for the end, when other cores have nothing to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final, TypeVar

Item = TypeVar("Item")

COMPILING: Final = (
    "tests/arena/programs/test_languages.py",
    "tests/clients/test_kits.py",
    "tests/clients/test_kit_matches.py",
    "tests/clients/test_kit_connections.py",
    "tests/clients/test_kit_streams.py",
    "tests/kit/test_preparing.py",
)
"""Files whose tests keep all cores busy with compilers: one worker begins with them, one after another.

Side by side they would take longer than an arena gives a build.
"""
LONGEST: Final = (
    "tests/upgrade/test_data_folder.py",
    "tests/repository/test_readme_commands.py",
    "tests/serving/commands/test_up.py",
    "tests/page/test_playing.py",
    "tests/repository/test_demo.py",
    "tests/clients/test_python_versions.py",
    "tests/arena/programs/test_host_fails.py",
    "tests/page/test_many_tabs.py",
    "tests/repository/test_picture.py",
    "tests/arena/api/test_restored.py",
    "tests/deploy/test_monitoring.py",
    "tests/arena/sandbox/test_hunting.py",
    "tests/page/test_silent_connections.py",
    "tests/repository/test_starter.py",
    "tests/arena/sandbox/test_seat_connections.py",
    "tests/arena/api/test_ladders.py",
    "tests/arena/api/test_ratings.py",
    "tests/arena/commands/test_running_bots.py",
    "tests/service/test_sweep.py",
    "tests/kit/test_match_local.py",
    "tests/service/test_archive_url.py",
    "tests/page/test_reading.py",
    "tests/arena/programs/test_bad_bots.py",
    "tests/arena/api/test_restarts.py",
    "tests/arena/programs/test_keeping.py",
    "tests/arena/sandbox/test_frozen_kits.py",
    "tests/arena/programs/test_loss.py",
    "tests/page/test_pace.py",
    "tests/service/test_watchers.py",
    "tests/web/test_heartbeats.py",
    "tests/arena/schedule/test_groups.py",
    "tests/upgrade/test_replicas.py",
    "tests/deploy/test_alerts.py",
    "tests/service/test_outages.py",
    "tests/arena/sandbox/test_attacks.py",
    "tests/arena/audit/test_export_of_a_run.py",
    "tests/page/test_on_a_phone.py",
    "tests/arena/programs/test_remembering.py",
    "tests/service/test_charges.py",
    "tests/test_rule_numbers.py",
    "tests/arena/programs/test_pace.py",
    "tests/repository/test_scripts.py",
    "tests/faults/test_killed_bot.py",
    "tests/service/test_timers_on_replicas.py",
    "tests/arena/submissions/test_contents.py",
    "tests/repository/test_locks.py",
    "tests/arena/programs/test_playing.py",
    "tests/kit/test_bundle.py",
    "tests/deploy/test_containerfile.py",
    "tests/arena/api/test_organisers_page.py",
    "tests/arena/api/test_presence.py",
    "tests/arena/commands/test_running_on.py",
    "tests/faults/test_killed_store.py",
)
"""Files with a test that takes twenty seconds or more (`scripts/test --durations=20` tells), longest first."""


def longest_first(items: Sequence[Item], file_of: Callable[[Item], str], workers: int) -> list[Item]:
    """Returns the tests in the order in which each worker, given its share of them in a row, begins with some of the
    longest.

    What is in a file stays together, as it shares fixtures.
    """
    beginnings: list[list[Item]] = [[] for _ in range(workers)]
    places = [*((0, file) for file in COMPILING), *((place % workers, file) for place, file in enumerate(LONGEST, 1))]
    for place, file in places:
        beginnings[place] += [item for item in items if file_of(item) == file]
    others = iter([item for item in items if file_of(item) not in {*COMPILING, *LONGEST}])
    ordered: list[Item] = []
    for place, beginning in enumerate(beginnings):
        share = (len(items) - len(ordered)) // (workers - place)
        ordered += [*beginning, *islice(others, max(0, share - len(beginning)))]
    return [*ordered, *others]
