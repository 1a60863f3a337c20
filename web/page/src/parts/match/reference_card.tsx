/** The reference card of a game beside its board: what beats what, and a plain word for each odd one. */
import { useCallback, useState } from "preact/hooks";
import { t } from "~/i18n";
import { Shown, useLoad } from "~/parts/load";

/** It is loaded when it is opened for the first time. */
export function ReferenceCard({ game }: { game: string }) {
  const [wanted, setWanted] = useState(false);
  return (
    <details
      class="reference-card"
      onToggle={(event) => {
        if (event.currentTarget.open) setWanted(true);
      }}
    >
      <summary>{t("match.reference")}</summary>
      {wanted && <Card game={game} />}
    </details>
  );
}

function Card({ game }: { game: string }) {
  const lesson = useLoad(useCallback(() => import("~/learn/lesson"), []));
  return <Shown loaded={lesson}>{({ Reference }) => <Reference game={game} />}</Shown>;
}
