"""Sets the memory that a bot's runtime counts on, where it would ask the machine."""

from __future__ import annotations

__all__ = ["memory_options"]


def memory_options(language: str, memory: int) -> dict[str, str]:
    """Returns the environment variables for a bot of a language with this memory limit in bytes; none where its runtime
    does not ask.

    Java asks the kernel with `sysinfo`, which is refused where it would tell of other programs; the C library makes
    any number of that. Half of the limit is for the heap, as the kit has it; options of the bot's own go before. Nor
    has Java a file in which other programs could see how it works, which it would lock.
    """
    if language != "java":
        return {}
    return {"JDK_JAVA_OPTIONS": f"-XX:MaxRAM={memory} -XX:MaxRAMPercentage=50 -XX:-UsePerfData"}
