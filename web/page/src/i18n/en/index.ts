/** What the first view says in this language: one file of the catalogue's for all of that. */
import { texts as common } from "~/i18n/en/common";
import { texts as shell } from "~/i18n/en/shell";
import { texts as site } from "~/i18n/en/site";

export const texts = { ...common, ...shell, ...site };
