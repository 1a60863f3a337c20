/** A view of a game that this page has no board for: its fields, as text. */
import { toJsonString } from "@bufbuild/protobuf";
import { type View, ViewSchema } from "~/gen/fudaba/v1/game_pb";
import { t } from "~/i18n";

export default function PlainView({ view }: { view: View }) {
  return (
    <>
      <p class="quiet">{t("match.noBoard")}</p>
      <pre class="match-plain">{toJsonString(ViewSchema, view, { prettySpaces: 2 })}</pre>
    </>
  );
}
