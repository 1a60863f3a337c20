/** The whole catalogue of this language, one file for each part of the page. */
import { boards } from "~/i18n/en/boards";
import { boardsFrench } from "~/i18n/en/boards_french";
import { boardsKamikisen } from "~/i18n/en/boards_kamikisen";
import { enter } from "~/i18n/en/enter";
import { ladder } from "~/i18n/en/ladder";
import { match } from "~/i18n/en/match";
import { organiser } from "~/i18n/en/organiser";
import { play } from "~/i18n/en/play";
import { shell } from "~/i18n/en/shell";
import { site } from "~/i18n/en/site";

const all = {
  ...boards,
  ...boardsFrench,
  ...boardsKamikisen,
  ...enter,
  ...ladder,
  ...match,
  ...organiser,
  ...play,
  ...shell,
  ...site,
};
/** A text for each key. */
export type Messages = Record<keyof typeof all, string>;
export const messages: Messages = all;
