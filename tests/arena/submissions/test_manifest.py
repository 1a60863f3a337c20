"""`bot.toml`: what it may say, and how its mistakes are told, all at once and by line."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_arena.submissions.faults import BadSubmission, Fault
from fudaba_arena.submissions.limits import SUBMISSION_LIMITS, SubmissionLimits
from fudaba_arena.submissions.manifest import LANGUAGES, SUFFIXES, Manifest, read_manifest
from fudaba_games.registry import GAMES

PAGE = (Path(__file__).parents[3] / "docs" / "authors.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
RIGHT = 'name = "my-bot"\ngames = ["naga"]\nlanguage = "python"\nstart = ["python3", "bot.py"]\n'
FILES = {PurePosixPath("bot.py"), PurePosixPath("bin/bot")}


def read(text: str) -> Manifest:
    return read_manifest(text.encode(), FILES)


def mistakes(text: str) -> list[str]:
    with pytest.raises(BadSubmission) as info:
        read(text)
    assert info.value.fault is Fault.MANIFEST
    return str(info.value).split("\n")


def test_four_keys_are_enough() -> None:
    assert read(RIGHT) == Manifest("my-bot", ("naga",), "python", ("python3", "bot.py"))


def test_all_games_are_said_with_a_word_and_some_are_in_the_order_of_the_catalogue() -> None:
    assert read(RIGHT.replace('["naga"]', '"all"')).games == tuple(GAMES)
    assert read(RIGHT.replace('["naga"]', '["tashot", "naga"]')).games == ("naga", "tashot")


def test_every_key_is_read() -> None:
    more = 'build = ["make"]\nruntime = "python-1"\nram_mb = 700\nmemory = "kept"\n'
    assert read(RIGHT + more) == Manifest(
        "my-bot", ("naga",), "python", ("python3", "bot.py"), ("make",), "python-1", 700, keeps=True
    )
    assert not read(RIGHT + 'memory = "nothing"\n').keeps


def test_the_examples_of_the_documentation_are_right() -> None:
    assert len(EXAMPLES) >= 2
    for example in EXAMPLES:
        read(example)


def test_the_page_has_every_key_language_suffix_and_limit_with_its_default() -> None:
    known = mistakes(f"{RIGHT}xyzzy = 1\n")[0].partition("write one of: ")[2].split(", ")
    assert len(known) == 8
    for word in (*known, *LANGUAGES, *SUFFIXES):
        assert f"`{word}`" in PAGE, word
    for name in SUBMISSION_LIMITS:
        default = getattr(SubmissionLimits(), name)
        shown = f"{default // 1_000_000} MB" if default >= 1_000_000 else f"{default:,}"
        assert re.search(rf"^\| `{name}`.*\| {shown}", PAGE, re.MULTILINE), name


@pytest.mark.parametrize(
    ("change", "line", "message_part"),
    [
        (("name = ", "nmae = "), 1, "bot.toml has no 'nmae'; did you mean 'name'?"),
        (('"my-bot"', '"My Bot"'), 1, "name is 'My Bot'; write 1 to 40 of a-z, 0-9 and '-', beginning with a letter"),
        (('"my-bot"', '"a\\u001b"'), 1, "name is 'a\\x1b'; write 1 to 40"),
        (('["naga"]', '["nagga"]'), 2, "there is no game 'nagga'; did you mean 'naga'?"),
        (('["naga"]', '[\n"naga",\n"naga"]'), 4, "naga is named twice; name it once"),
        (('["naga"]', "[]"), 2, 'games is empty; write it as a list, for example games = ["naga"]'),
        (('["naga"]', '"some"'), 2, """games is 'some'; write games = ["naga"], or games = "all\""""),
        (('["naga"]', "[1]"), 2, "games has the number 1; write texts in quotes only"),
        (('games = ["naga"]', ""), 1, 'bot.toml needs games: write games = ["naga"], or games = "all"'),
        (('"python"', '"pyhton"'), 3, "there is no language 'pyhton'; did you mean 'python'?"),
        (('start = ["python3", "bot.py"]', ""), 1, 'bot.toml needs start: write start = ["python3", "bot.py"]'),
        (('["python3", "bot.py"]', '"python3 bot.py"'), 4, "start is the text 'python3 bot.py'; write a list in brack"),
        (('["python3", "bot.py"]', "[]"), 4, "start is empty"),
        (('["python3", "bot.py"]', '["./bot"]'), 4, "start names './bot', and there is no such file; pack it"),
        (('["python3", "bot.py"]', '["bot.py"]'), 4, "which is looked for in the runtime; write ./bot.py"),
        (('["python3", "bot.py"]', '["../bot"]'), 4, "start leads out of the folder: '../bot'"),
        (('"bot.py"]', '""]'), 4, "start has a word of 0 characters"),
        (('"bot.py"]', '"\\u0000"]'), 4, "start has '\\x00': character 1 is U+0000"),
        (('"bot.py"]', '"x", ' * 64 + "]"), 4, "start has 65 words; write at most 64"),
        (("\nstart", '\nbuild = ["./make"]\nstart'), 4, "build names './make', and there is no such file"),
        (("\nstart", "\nram_mb = 1\nstart"), 4, "ram_mb is 1; write a whole number from 16 to 1,000,000"),
        (("\nstart", '\nram_mb = "1 GB"\nstart'), 4, "ram_mb is the text '1 GB'; write a whole number"),
        (("\nstart", f"\nram_mb = 0x{'f' * 5_000}\nstart"), 4, "ram_mb is of very many digits; write a whole"),
        (
            ("\nstart", '\nmemory = "lots"\nstart'),
            4,
            "there is no choice of memory 'lots'; write one of: kept,",
        ),
        (("\nstart", '\nruntime = "../x"\nstart'), 4, "runtime is '../x'; write the name of one"),
        (('"my-bot"', ""), 1, "this is not TOML: "),
        (('"bot.py"]', '"bot.py"'), 4, "the list that begins here does not end; write ] behind its last value"),
        (('"bot.py"]', '"bot.py"\n\n# ]\nram_mb = 20'), 4, "the list that begins here does not end"),
        (('"bot.py"]', '"]",\nram_mb = 20'), 4, "the list that begins here does not end"),
        (('"bot.py"]', "\n  bot.py\n]"), 5, "this is not TOML: Invalid value, in column 3"),
        (("\nstart", f"\nx = {'[' * 9_000}\nstart"), 1, "this has too many brackets within brackets"),
        (("\nstart", f"\nram_mb = {'9' * 9_000}\nstart"), 1, "this has a number that is too long to be read"),
    ],
)
def test_a_mistake_is_told_by_its_line(change: tuple[str, str], line: int, message_part: str) -> None:
    text = RIGHT.replace(*change, 1)
    assert text != RIGHT
    assert any(mistake.startswith(f"bot.toml:{line}: ") and message_part in mistake for mistake in mistakes(text)), (
        mistakes(text)
    )


def test_all_mistakes_are_told_at_once() -> None:
    text = 'name = "B"\ngames = ["x", "naga"]\nlanguage = 3\nstart = []\ncolour = "red"\n'
    assert [mistake.split(":")[1] for mistake in mistakes(text)] == ["1", "2", "3", "4", "5"]


def test_lines_count_the_same_in_files_of_windows() -> None:
    assert mistakes(RIGHT.replace("\n", "\r\n") + 'memory = "lots"\r\n')[0].startswith("bot.toml:5: ")


def test_a_program_that_the_build_may_make_need_not_be_there() -> None:
    built = RIGHT.replace('["python3", "bot.py"]', '["./new"]\nbuild = ["go", "build"]')
    assert read(built).start == ("./new",)
    assert read(RIGHT.replace('["python3", "bot.py"]', '["bin/bot", "--fast"]')).start == ("bin/bot", "--fast")


WORDS = st.sampled_from(
    [
        "name",
        "games",
        "language",
        "start",
        "build",
        "ram_mb",
        "memory",
        "runtime",
        " = ",
        '"',
        "'",
        "[",
        "]",
        "{",
        "}",
        ",",
        "\n",
        ".",
        "#",
        '"my-bot"',
        '["naga"]',
        '"all"',
        '"python"',
        '["./x"]',
        "9",
        "-1",
        "0x1",
        "1e400",
        "nan",
        "true",
        "1979-05-27",
        '"\\u0000"',
        '"\\ud800"',
        "[[",
        "]]",
        '"""',
        "\\",
        "\r",
        "\t",
        "札",
        "\x7f",
    ]
)


@given(st.lists(WORDS, max_size=40).map("".join))
def test_whatever_a_file_says_is_read_or_refused(text: str) -> None:
    try:
        manifest = read(text)
    except BadSubmission as error:
        assert all(line.startswith("bot.toml:") and line.isprintable() for line in str(error).split("\n"))  # noqa: PT017
    else:
        assert manifest.games
        assert manifest.start


@given(st.binary(max_size=100))
def test_whatever_bytes_are_in_a_file_they_are_read_or_refused(raw: bytes) -> None:
    with pytest.raises(BadSubmission, match=r"^bot\.toml:\d+: "):
        read_manifest(raw)
