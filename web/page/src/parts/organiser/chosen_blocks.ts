/** Which blocks a form names: all of its fields together. What is not understood names nothing, and never everything. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AnnulBlocksRequestSchema } from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";
import { blockNumbers, MAX_BLOCKS } from "~/parts/organiser/block_numbers";
import { moment, momentText } from "~/parts/organiser/moments";

/** What is typed into the form. */
export interface ChosenFields {
  readonly tournament: string;
  readonly blocks: string;
  readonly bot: string;
  /** A second bot: only where both met. */
  readonly pair: string;
  readonly game: string;
  readonly worker: string;
  readonly since: string;
  readonly until: string;
}

export interface Chosen {
  readonly request: MessageInitShape<typeof AnnulBlocksRequestSchema>;
  /** The same as options of the command line. */
  readonly options: readonly string[];
}

/** What is asked for; or what is not understood; undefined where no field names anything. */
export function chosenBlocks(typed: ChosenFields): Chosen | { readonly wrong: string } | undefined {
  const blocks = blockNumbers(typed.blocks);
  if ("wrong" in blocks) {
    const key = blocks.tooMany ? "organiser.annulTooMany" : "organiser.annulWrong";
    return { wrong: t(key, { text: blocks.wrong, place: blocks.at, most: MAX_BLOCKS }) };
  }
  const [since, until] = [moment(typed.since), moment(typed.until)];
  if ("wrong" in since) return { wrong: t("organiser.momentWrong", { text: since.wrong }) };
  if ("wrong" in until) return { wrong: t("organiser.momentWrong", { text: until.wrong }) };
  const [bot, pair, game] = [typed.bot.trim(), typed.pair.trim(), typed.game.trim()];
  const worker = typed.worker.trim();
  const timed = since.date !== undefined || until.date !== undefined;
  if (pair !== "" && (bot === "" || worker !== "" || timed)) return { wrong: t("organiser.annulPairAlone") };
  if (blocks.numbers.length === 0 && bot === "" && game === "" && worker === "" && !timed) return undefined;
  const options = [
    ...(blocks.numbers.length === 0 ? [] : ["--blocks", blocks.numbers.join(",")]),
    ...(bot !== "" && pair === "" ? ["--bot", bot] : []),
    ...(pair === "" ? [] : ["--pair", bot, pair]),
    ...(game === "" ? [] : ["--game", game]),
    ...(worker === "" ? [] : ["--worker", worker]),
    ...(since.date === undefined ? [] : ["--since", momentText(since.date)]),
    ...(until.date === undefined ? [] : ["--until", momentText(until.date)]),
  ];
  const request = {
    tournament: typed.tournament.trim(),
    blocks: [...blocks.numbers],
    bot: pair === "" ? bot : "",
    pair: pair === "" ? [] : [bot, pair],
    game,
    worker,
    ...(since.date !== undefined && { since: timestampFromDate(since.date) }),
    ...(until.date !== undefined && { until: timestampFromDate(until.date) }),
  };
  return { request, options };
}

export function annulCommand({ request, options }: Chosen, reason: string): string[] {
  return ["fudaba", "arena", "annul", "--tournament", request.tournament ?? "", ...options, "--reason", reason];
}
