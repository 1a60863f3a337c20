"""Plays at half of peak for hours, on one store, and shows whether memory, descriptors and p99 stay flat.

A folder has the service's data, the rate and the samples, so that hours can be measured in pieces: each run continues
with the store that the previous one left. Bots play matches of Naga; a match that ends is archived, and another begins.
See scripts/bench steady.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Final

import click
from grpc import aio

from bench.generator import Generator, generator
from bench.play import UNTIMED
from bench.processes import children, cpu_seconds, free_port, own_bytes
from bench.rows import Skipped
from bench.service_process import lines_until, serve
from fudaba.codec import option_to_proto
from fudaba.v1 import bots_pb2, bots_pb2_grpc, matches_pb2, matches_pb2_grpc

__all__ = ["Sample", "flatness", "main", "plot"]

_CONCURRENT_MATCHES: Final = 100
_BOT_COUNT: Final = 2
_DEALS_PER_MATCH: Final = 20
"""The deals of a match. A match takes about ten seconds, so matches begin and end all the time."""
_PEAK_SECONDS: Final = 20.0
_WARM_UP_SECONDS: Final = 10.0
_SAMPLE_SECONDS: Final = 10.0
_REFILL_SECONDS: Final = 0.5
_TIMEOUT_SECONDS: Final = 30.0
_PLOT_POINTS: Final = 48
_SETTLING_SHARE: Final = 0.1
"""The share of each piece that does not count, because a new process still has to fill its caches."""
_MAX_GROWTH: Final = 1.1
"""The largest ratio of the samples' last third to the first, if nothing grows except by noise."""
_BYTES_PER_MB: Final = 1e6


@dataclass(frozen=True)
class Sample:
    """The measurements of ten seconds."""

    piece: int
    seconds: float
    """Seconds since the piece began."""
    rate: float
    """The answers per second."""
    p50_ms: float
    p99_ms: float
    service_mb: float
    store_mb: float
    """The memory of the process alone, as for the service."""
    descriptors: int
    """The number of the service's open files."""
    cores: float
    """The processor time of the service per second."""
    ended: int
    """The number of matches that have ended since the piece began."""


_MEASURES: Final[dict[str, Callable[[Sample], float]]] = {
    "p99, ms": lambda sample: sample.p99_ms,
    "memory of the service, MB": lambda sample: sample.service_mb,
    "memory of the store, MB": lambda sample: sample.store_mb,
    "descriptors": lambda sample: float(sample.descriptors),
}


class _Matches:
    """The matches in play. A new match replaces each that ends."""

    def __init__(self, channel: aio.Channel, token: str, bots: Sequence[str]) -> None:
        self._stub = matches_pb2_grpc.MatchServiceStub(channel)
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._bots = bots
        self._ids: set[str] = set()
        self.ended = 0

    async def refill(self) -> None:
        """Creates as many matches as have ended."""
        playing = set[str]()
        for state in (matches_pb2.MATCH_STATE_WAITING, matches_pb2.MATCH_STATE_PLAYING):
            request = matches_pb2.ListMatchesRequest(state=state, page_size=2 * _CONCURRENT_MATCHES)
            page = await self._stub.ListMatches(request, metadata=self._metadata, timeout=_TIMEOUT_SECONDS)
            playing |= self._ids & {match.header.match_id for match in page.matches}
        self.ended += len(self._ids) - len(playing)
        wanted = matches_pb2.CreateMatchesRequest()
        for _ in range(_CONCURRENT_MATCHES - len(playing)):
            match = wanted.requests.add(game="naga", clock=UNTIMED)
            match.options["deals"].CopyFrom(option_to_proto(_DEALS_PER_MATCH))
            for bot in self._bots:
                match.players.add(bot=bot)
        self._ids = playing
        if wanted.requests:
            made = await self._stub.CreateMatches(wanted, metadata=self._metadata, timeout=_TIMEOUT_SECONDS)
            self._ids |= {result.created.match.header.match_id for result in made.results}

    async def run(self) -> None:
        """Refills them until it is cancelled."""
        while True:
            await self.refill()
            await asyncio.sleep(_REFILL_SECONDS)

    async def abort(self) -> None:
        """Aborts the matches in play."""
        for match_id in self._ids:
            await self._stub.AbortMatch(
                matches_pb2.AbortMatchRequest(match_id=match_id), metadata=self._metadata, timeout=_TIMEOUT_SECONDS
            )


async def _registered(channel: aio.Channel, token: str, piece: int) -> dict[str, str]:
    """Registers bots for a piece. Returns their tokens by name."""
    stub, metadata = bots_pb2_grpc.BotServiceStub(channel), (("authorization", f"Bearer {token}"),)
    tokens = {}
    for number in range(_BOT_COUNT):
        name = f"steady-{piece}-{number}"
        await stub.CreateBot(bots_pb2.CreateBotRequest(name=name), metadata=metadata)
        tokens[name] = (await stub.CreateToken(bots_pb2.CreateTokenRequest(bot=name), metadata=metadata)).token
    return tokens


async def _peak(port: str, tokens: Iterable[str]) -> float:
    with generator(None, kind="play", port=port, tokens=list(tokens), batches=True) as playing:
        await asyncio.sleep(_WARM_UP_SECONDS)
        playing.taken()
        await asyncio.sleep(_PEAK_SECONDS)
        return playing.taken().rate


async def _sampled(playing: Generator, service: int, matches: _Matches, piece: int, seconds: float) -> Iterator[Sample]:
    """Returns a sample for each ten seconds of a piece, and prints the state every minute."""
    began, said, found = time.monotonic(), time.monotonic(), list[Sample]()
    playing.taken()
    cpu = cpu_seconds(service)
    refilling = asyncio.create_task(matches.run())
    try:
        while time.monotonic() < began + seconds:
            await asyncio.wait({refilling}, timeout=min(_SAMPLE_SECONDS, seconds))
            if refilling.done():
                refilling.result()
            taken, spent = playing.taken(), cpu_seconds(service)
            if taken.refused or taken.ended:
                raise RuntimeError(f"{taken.refused} answers were refused; {taken.ended} streams have ended")
            [store] = children(service)
            found.append(
                Sample(
                    piece,
                    round(time.monotonic() - began, 1),
                    round(taken.rate, 1),
                    taken.wait.p50,
                    taken.wait.p99,
                    own_bytes(service) / _BYTES_PER_MB,
                    own_bytes(store) / _BYTES_PER_MB,
                    _descriptors(service),
                    round((spent - cpu) / taken.seconds, 3),
                    matches.ended,
                )
            )
            cpu = spent
            if time.monotonic() > said + 60:
                said = time.monotonic()
                click.echo(f"{(said - began) / 60:.0f} min: {_line(found[-1])}", err=True)
    finally:
        refilling.cancel()
        await asyncio.gather(refilling, return_exceptions=True)
    return iter(found)


def _descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def _line(sample: Sample) -> str:
    return (
        f"{sample.rate:,.0f} answers a second, p99 {sample.p99_ms:.1f} ms, service {sample.service_mb:.0f} MB, store "
        f"{sample.store_mb:.0f} MB, {sample.descriptors} descriptors, {sample.ended:,} matches over"
    )


async def _piece(folder: Path, seconds: float, before: Sequence[Sample]) -> Iterator[Sample]:
    """Plays a piece on the folder's store. Returns its samples."""
    port, piece = str(free_port()), max((sample.piece for sample in before), default=0) + 1
    notes = folder / "steady.json"
    noted = json.loads(notes.read_text(encoding="utf-8")) if notes.exists() else {}
    service = serve(folder / "data", f"127.0.0.1:{port}")
    try:
        said = await asyncio.to_thread(lines_until, service.stdout, "fudaba serves")
        token = noted.setdefault("token", said.split("\n")[0].split()[-1])
        async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            tokens = await _registered(channel, token, piece)
            matches = _Matches(channel, token, list(tokens))
            await matches.refill()
            if "rate" not in noted:
                filling = asyncio.create_task(matches.run())
                noted["rate"] = await _peak(port, tokens.values()) / 2
                filling.cancel()
                await asyncio.gather(filling, return_exceptions=True)
                notes.write_text(json.dumps(noted), encoding="utf-8")
                notes.chmod(0o600)  # it has the organiser's token
            click.echo(f"piece {piece}: {noted['rate']:,.0f} answers a second are half of peak", err=True)
            with generator(
                None, kind="play", port=port, tokens=list(tokens.values()), batches=True, rate=noted["rate"]
            ) as playing:
                await asyncio.sleep(_WARM_UP_SECONDS)
                found = await _sampled(playing, service.pid, matches, piece, seconds)
            await matches.abort()
        return found
    finally:
        service.terminate()
        service.wait()


def flatness(samples: Sequence[Sample], value: Callable[[Sample], float]) -> tuple[float, float]:
    """Returns the medians of a measure in the first and the last third, without the beginning of each piece."""
    lengths = {sample.piece: sample.seconds for sample in samples}
    settled = [s for s in samples if s.seconds > _SETTLING_SHARE * lengths[s.piece]] or samples
    values = [value(s) for s in settled]
    third = max(1, len(values) // 3)
    return median(values[:third]), median(values[-third:])


def _hours(samples: Sequence[Sample]) -> list[float]:
    """Returns the time of each sample, in hours of all pieces together."""
    lengths: dict[int, float] = {sample.piece: sample.seconds for sample in samples}
    return [
        (sum(length for piece, length in lengths.items() if piece < sample.piece) + sample.seconds) / 3600
        for sample in samples
    ]


def plot(samples: Sequence[Sample], name: str) -> str:
    """Returns a measure as a chart that Mermaid draws."""
    measure, size = _MEASURES[name], max(1, -(-len(samples) // _PLOT_POINTS))
    values = [median(map(measure, samples[first : first + size])) for first in range(0, len(samples), size)]
    top = max(values) * 1.25 or 1
    return "\n".join(
        [
            "```mermaid",
            "xychart-beta",
            f'    title "{name}"',
            f'    x-axis "hours" 0 --> {_hours(samples)[-1]:.2f}',
            f"    y-axis 0 --> {top:.4g}",
            f"    line [{', '.join(f'{value:.4g}' for value in values)}]",
            "```",
        ]
    )


def _report(samples: Sequence[Sample]) -> Iterator[str]:
    lengths = {sample.piece: sample.seconds for sample in samples}
    ended = {sample.piece: sample.ended for sample in samples}
    yield (
        f"{sum(lengths.values()) / 3600:.2f} hours in {len(lengths)} pieces at {median(s.rate for s in samples):,.0f}"
        f" answers a second; {sum(ended.values()):,} matches over"
    )
    for name, measure in _MEASURES.items():
        first, last = flatness(samples, measure)
        verdict = "flat" if last <= _MAX_GROWTH * first else f"grows by {last / first - 1:.0%} **missed**"
        yield f"{name}: {first:.4g} in the first third, {last:.4g} in the last; {verdict}"
    for name in _MEASURES:
        yield f"\n{plot(samples, name)}"


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--seconds", type=click.FloatRange(min=1), default=3600.0, show_default=True, help="Length of the piece.")
@click.option("--report", "only_report", is_flag=True, help="Only show what the folder has.")
def main(folder: Path, seconds: float, only_report: bool) -> None:
    """Play at half of peak on the store in FOLDER, and show whether memory, descriptors and p99 stay flat.

    Each run continues with the store of the previous one. The first run measures the peak.

    Example: scripts/bench steady /var/tmp/steady --seconds 600
    """
    kept = folder / "samples.jsonl"
    samples = [Sample(**json.loads(line)) for line in kept.read_text().splitlines()] if kept.exists() else []
    if only_report and not samples:
        raise click.UsageError(f"{kept} has no samples; run it without --report first")
    if not only_report:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            found = list(asyncio.run(_piece(folder, seconds, samples)))
        except Skipped as reason:
            raise click.ClickException(str(reason)) from reason
        with kept.open("a", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(asdict(sample))}\n" for sample in found)
        samples += found
    for line in _report(samples):
        click.echo(line)


if __name__ == "__main__":
    main(prog_name="scripts/bench steady")
