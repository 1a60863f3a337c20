/** The keys of all texts, `part.name`: the catalogue's files, of which a page loads those that it needs. */
import type { texts as houniek } from "~/i18n/en/boards/houniek";
import type { texts as makhop } from "~/i18n/en/boards/makhop";
import type { texts as makkaik } from "~/i18n/en/boards/makkaik";
import type { texts as mokkaik } from "~/i18n/en/boards/mokkaik";
import type { texts as naga } from "~/i18n/en/boards/naga";
import type { texts as namto } from "~/i18n/en/boards/namto";
import type { texts as napoleon } from "~/i18n/en/boards/napoleon";
import type { texts as nerts } from "~/i18n/en/boards/nerts";
import type { texts as niekhi } from "~/i18n/en/boards/niekhi";
import type { texts as numbers_crush } from "~/i18n/en/boards/numbers_crush";
import type { texts as tashot } from "~/i18n/en/boards/tashot";
import type { texts as begin } from "~/i18n/en/begin";
import type { texts as bracket } from "~/i18n/en/bracket";
import type { texts as casual } from "~/i18n/en/casual";
import type { texts as common } from "~/i18n/en/common";
import type { texts as enter } from "~/i18n/en/enter";
import type { texts as ladder } from "~/i18n/en/ladder";
import type { texts as late } from "~/i18n/en/late";
import type { texts as learn } from "~/i18n/en/learn";
import type { texts as maintenance } from "~/i18n/en/maintenance";
import type { texts as match } from "~/i18n/en/match";
import type { texts as organiser } from "~/i18n/en/organiser";
import type { texts as parts } from "~/i18n/en/parts";
import type { texts as play } from "~/i18n/en/play";
import type { texts as shell } from "~/i18n/en/shell";
import type { texts as shown } from "~/i18n/en/shown";
import type { texts as site } from "~/i18n/en/site";
import type { texts as status } from "~/i18n/en/status";

export type MessageKey =
  | keyof typeof houniek
  | keyof typeof makhop
  | keyof typeof makkaik
  | keyof typeof mokkaik
  | keyof typeof naga
  | keyof typeof namto
  | keyof typeof napoleon
  | keyof typeof nerts
  | keyof typeof niekhi
  | keyof typeof numbers_crush
  | keyof typeof tashot
  | keyof typeof begin
  | keyof typeof bracket
  | keyof typeof casual
  | keyof typeof common
  | keyof typeof enter
  | keyof typeof ladder
  | keyof typeof late
  | keyof typeof learn
  | keyof typeof maintenance
  | keyof typeof match
  | keyof typeof organiser
  | keyof typeof parts
  | keyof typeof play
  | keyof typeof shell
  | keyof typeof shown
  | keyof typeof site
  | keyof typeof status;
