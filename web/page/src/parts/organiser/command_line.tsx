/** What a form does, as commands to copy. */
import { t } from "~/i18n";
import { Copyable } from "~/parts/copy";

/** Words that a shell takes as they are. */
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** A command as it is typed into a shell: what means something to the shell stands in quotes. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

/** Commands, a line for each, behind a heading that unfolds. */
export function CommandLine({ lines }: { lines: readonly (readonly string[])[] }) {
  return (
    <details>
      <summary>{t("begin.commandLine")}</summary>
      <Copyable text={lines.map(commandLine).join("\n")} label={t("begin.commandLine")} />
    </details>
  );
}
