/** The whole catalogue of this language, one file for each part of the page. */
import { boards } from "~/i18n/ja/boards";
import { boardsFrench } from "~/i18n/ja/boards_french";
import { boardsKamikisen } from "~/i18n/ja/boards_kamikisen";
import { enter } from "~/i18n/ja/enter";
import { ladder } from "~/i18n/ja/ladder";
import { match } from "~/i18n/ja/match";
import { organiser } from "~/i18n/ja/organiser";
import { play } from "~/i18n/ja/play";
import { shell } from "~/i18n/ja/shell";
import { site } from "~/i18n/ja/site";
import type { Messages } from "~/i18n/en";

export const messages: Messages = {
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
