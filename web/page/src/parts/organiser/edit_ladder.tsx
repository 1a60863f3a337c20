/** A ladder's file, edited while its season goes on: what changes is shown first, and asked about. */
import { useCallback } from "preact/hooks";
import { arena } from "~/api/arena";
import { type EditLadderResponse, LadderChangeEffect } from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";
import type { MessageKey } from "~/i18n/keys";
import { Shown, useLoad } from "~/parts/load";
import { CommandLine } from "~/parts/organiser/command_line";
import { DefinitionForm } from "~/parts/organiser/definition_form";

const EFFECTS: ReadonlyMap<LadderChangeEffect, MessageKey> = new Map([
  [LadderChangeEffect.AT_ONCE, "organiser.editAtOnce"],
  [LadderChangeEffect.NEXT_BLOCK, "organiser.editNextBlock"],
  [LadderChangeEffect.NEW_ENTRIES, "organiser.editNewEntries"],
  [LadderChangeEffect.NEW_CHALLENGES, "organiser.editNewChallenges"],
  [LadderChangeEffect.FINAL, "organiser.editFinal"],
  [LadderChangeEffect.NEXT_SEASON, "organiser.editNextSeason"],
]);

/** What an edit changes, a line for each key. */
export function editInWords(planned: EditLadderResponse): string {
  const lines = planned.changes.map(({ key, before, after, effect }) => {
    const counts = EFFECTS.get(effect);
    return `${key}: ${before || "–"} → ${after || "–"}${counts === undefined ? "" : ` (${t(counts)})`}`;
  });
  if (planned.outside.length > 0) lines.push(t("organiser.editOutside", { bots: planned.outside.join(", ") }));
  return lines.length === 0 ? t("organiser.editNothing") : lines.join("\n");
}

export default function EditLadder({ ladder, done }: { ladder: string; done: () => void }) {
  const file = useLoad(useCallback(() => arena.getLadderFile({ ladder }), [ladder]));
  return (
    <Shown loaded={file}>
      {({ definition: now, etag }) => {
        const plan = async (definition: string) =>
          editInWords(await arena.editLadder({ ladder, definition, etag, validateOnly: true }));
        return (
          <>
            <DefinitionForm
              key={etag}
              label={t("organiser.editFile", { ladder })}
              example={now}
              check={plan}
              action={t("organiser.editApply")}
              confirm={async (definition) => t("organiser.editSure", { ladder, changes: await plan(definition) })}
              create={(definition) => arena.editLadder({ ladder, definition, etag })}
              made={done}
            />
            <CommandLine lines={[["fudaba", "ladder", "edit", ladder]]} />
          </>
        );
      }}
    </Shown>
  );
}
