"""Projects whose dependency, sent along with them, runs a program of its own while they are built."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final
from zipfile import ZipFile

POISON: Final = "vendor/poison.py"
"""The path of the program in each project. It is written in Python: `python3` has to be there."""
_RUN: Final = '"python3", "vendor/poison.py"'


@final
@dataclass(frozen=True)
class Poisoned:
    """A tool, and a project for it."""

    language: str
    tools: Sequence[str]
    build: Sequence[str]
    files: Mapping[str, str]
    prepared: Callable[[Path], None] = lambda _: None
    """Adds what is no text."""

    def write(self, folder: Path, poison: str) -> None:
        """Writes the project."""
        for name, text in {**self.files, POISON: poison}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.prepared(folder)


_EVIL_REPOSITORY: Final = "vendor/maven/evil/evil-maven-plugin/1"
_WANTED_BY_MAVEN: Final = "vendor/maven/org/codehaus/plexus/plexus-utils/1.1/plexus-utils-1.1"
"""The dependencies that Maven adds to every plugin, which this one does without."""
_POM: Final = """<project><modelVersion>4.0.0</modelVersion>
<groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version><packaging>{kind}</packaging>{more}</project>
"""
_USES_PLUGIN: Final = """<build><plugins><plugin><groupId>evil</groupId><artifactId>evil-maven-plugin</artifactId>
<version>1</version><executions><execution><phase>validate</phase><goals><goal>spoil</goal></goals></execution></executions>
</plugin></plugins></build>"""
_PLUGIN: Final = """<plugin><name>evil</name><groupId>evil</groupId><artifactId>evil-maven-plugin</artifactId>
<version>1</version><goalPrefix>evil</goalPrefix><mojos><mojo><goal>spoil</goal><implementation>evil.Spoil</implementation>
<language>java</language><instantiationStrategy>per-lookup</instantiationStrategy>
<executionStrategy>once-per-session</executionStrategy></mojo></mojos></plugin>
"""
_MOJO: Final = """package evil;
public class Spoil extends org.apache.maven.plugin.AbstractMojo {
    public void execute() throws org.apache.maven.plugin.MojoExecutionException {
        try {
            if (new ProcessBuilder(RUN).inheritIO().start().waitFor() != 0) throw new java.io.IOException("poison");
        } catch (java.io.IOException | InterruptedException error) {
            throw new org.apache.maven.plugin.MojoExecutionException("poison", error);
        }
    }
}
""".replace("RUN", _RUN)


def _with_plugin(folder: Path) -> None:
    """Compiles the plugin, and puts it where Maven finds it without a network."""
    source, classes, place = folder / "Spoil.java", folder / "classes", folder / _EVIL_REPOSITORY
    source.write_text(_MOJO, encoding="utf-8")
    [api] = Path("/usr/share/maven/lib").glob("maven-plugin-api-*.jar")
    subprocess.run(["javac", "-cp", api, "-d", classes, source], check=True, capture_output=True)
    with ZipFile(place / "evil-maven-plugin-1.jar", "w") as jar:
        jar.write(classes / "evil" / "Spoil.class", "evil/Spoil.class")
        jar.writestr("META-INF/maven/plugin.xml", _PLUGIN)
    source.unlink()
    with ZipFile(folder / f"{_WANTED_BY_MAVEN}.jar", "w") as jar:
        jar.writestr("META-INF/nothing", "")


_WRAPPER: Final = """public class Wrapper {
    public static void main(String[] arguments) throws Exception {
        if (new ProcessBuilder(RUN).inheritIO().start().waitFor() != 0) throw new java.io.IOException("poison");
    }
}
""".replace("RUN", _RUN)


def _with_wrapper(folder: Path) -> None:
    """Compiles a program to where Gradle's wrapper is sent along, which builds of strangers' projects run unread."""
    source, place = folder / "Wrapper.java", folder / "gradle" / "wrapper"
    source.write_text(_WRAPPER, encoding="utf-8")
    subprocess.run(["javac", "-d", folder / "classes", source], check=True, capture_output=True)
    with ZipFile(place / "gradle-wrapper.jar", "w") as jar:
        jar.write(folder / "classes" / "Wrapper.class", "Wrapper.class")
        jar.writestr("META-INF/MANIFEST.MF", "Main-Class: Wrapper\n")
    source.unlink()


POISONED: Final = {
    "make": Poisoned(
        "cpp",
        ["make"],
        ["make", "-s"],
        {
            "Makefile": "bot: poison\n\tcp bot.sh bot\npoison:\n\t$(MAKE) -f vendor/Makefile\n",
            "vendor/Makefile": "all:\n\tpython3 vendor/poison.py\n",
            "bot.sh": "#!/bin/sh\n",
        },
    ),
    "npm": Poisoned(
        "node",
        ["npm"],
        ["npm", "install", "--offline", "--no-audit", "--no-fund", "--foreground-scripts", "--install-links"],
        {
            "package.json": json.dumps({"name": "bot", "version": "1.0.0", "dependencies": {"evil": "file:vendor"}}),
            "vendor/package.json": json.dumps(
                {
                    "name": "evil",
                    "version": "1.0.0",
                    "scripts": {"postinstall": "cd $INIT_CWD && python3 vendor/poison.py"},
                }
            ),
            "bot": "#!/usr/bin/env node\n",
        },
    ),
    "cargo": Poisoned(
        "rust",
        ["cargo"],
        ["sh", "-c", "cargo build --offline -vv && cp target/debug/bot bot && rm -r target"],
        {
            "Cargo.toml": '[package]\nname = "bot"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\nevil = "1"\n',
            "src/main.rs": "fn main() {}\n",
            ".cargo/config.toml": '[source.crates-io]\nreplace-with = "sent"\n[source.sent]\ndirectory = "vendor"\n',
            "vendor/evil/Cargo.toml": '[package]\nname = "evil"\nversion = "1.0.0"\nedition = "2021"\n',
            "vendor/evil/.cargo-checksum.json": '{"files": {}, "package": null}',
            "vendor/evil/src/lib.rs": "",
            "vendor/evil/build.rs": (
                'fn main() {\n    let done = std::process::Command::new("python3")'
                '.arg("vendor/poison.py").current_dir("../..").status().unwrap();\n    assert!(done.success());\n}\n'
            ),
        },
    ),
    "maven": Poisoned(
        "java",
        ["mvn", "javac"],
        ["mvn", "-B", "-o", "-Dmaven.repo.local=vendor/maven", "validate"],
        {
            "pom.xml": _POM.format(group="bots", name="bot", version=1, kind="pom", more=_USES_PLUGIN),
            f"{_EVIL_REPOSITORY}/evil-maven-plugin-1.pom": _POM.format(
                group="evil", name="evil-maven-plugin", version=1, kind="maven-plugin", more=""
            ),
            f"{_WANTED_BY_MAVEN}.pom": _POM.format(
                group="org.codehaus.plexus", name="plexus-utils", version="1.1", kind="jar", more=""
            ),
            "bot": "#!/bin/sh\n",
        },
        _with_plugin,
    ),
    "gradle-wrapper": Poisoned(
        "java",
        ["java", "javac"],
        ["sh", "gradlew", "build"],
        {
            "gradlew": '#!/bin/sh\nexec java -jar gradle/wrapper/gradle-wrapper.jar "$@"\n',
            "gradle/wrapper/gradle-wrapper.properties": "distributionUrl=https\\://services.gradle.org/gradle.zip\n",
            "bot": "#!/bin/sh\n",
        },
        _with_wrapper,
    ),
}
"""The poisoned tools, by name."""
