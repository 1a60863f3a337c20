"""Sets the memory that a bot's runtime assumes, where it would ask the machine."""

from __future__ import annotations

__all__ = ["memory_options"]


def memory_options(language: str, memory: int) -> dict[str, str]:
    """Returns the environment variables for a bot of a language with this memory limit in bytes; none if its runtime
    does not ask.

    Java asks the kernel with `sysinfo`, which is refused since it would tell about other programs, and the C library
    turns that into an arbitrary number. Half of the limit is for the heap, as in the kit; the bot's own options take
    precedence. Java also gets no file that shows its workings to other programs, since it would lock the file.
    """
    if language != "java":
        return {}
    return {"JDK_JAVA_OPTIONS": f"-XX:MaxRAM={memory} -XX:MaxRAMPercentage=50 -XX:-UsePerfData"}
