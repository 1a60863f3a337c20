/**
 * A board that plays any game, made of its messages alone: a view field by field, and a button for each legal move by its
 * text. A new game begins with it (`scripts/new-game`), and its author replaces one part after the other.
 */
import type { DescMessage, Message } from "@bufbuild/protobuf";
import { useContext } from "preact/hooks";
import { ask } from "~/boards/asks";
import type { BoardProps, GameBoard, GameKey, PieceId, SeatLabel } from "~/boards";
import { type Entry, entriesOf, inWords, messageText, valueText, valuesOf } from "~/boards/fields/messages";
import { Piece, PointingContext } from "~/boards/piece";
import { Says } from "~/boards/says";
import { seatName } from "~/boards/seats";
import { Count, Plate, plates } from "~/boards/table/seats";
import { Table } from "~/boards/table/table";
import { EventSchema, MoveSchema, ViewSchema } from "~/gen/fudaba/v1/game_pb";
import { t } from "~/i18n";
import "~/boards/fields/fields.css";

/** Where fields stand, and what they are called. Fields have their names of the `.proto` file, such as `hand_sizes`. */
export interface Arrangement {
  /** What the nearest seat has before it. */
  readonly near?: readonly string[];
  /** What has an entry a seat, and stands on the seats' plates. The first one says who leads. */
  readonly bySeat?: readonly string[];
  /** A field, or a kind of event, in the reader's words. */
  readonly word?: (name: string) => string;
  /** A value of a field in the reader's words; undefined where it stands as it is. */
  readonly show?: (name: string, value: unknown, seats: readonly SeatLabel[]) => string | undefined;
}

const MOVE = "move:";

/** The board of a game by its id; undefined of one that the page's contract does not know. */
export function fallbackBoard(game: string): GameBoard<GameKey> | undefined {
  return ViewSchema.fields.some(({ name }) => name === game) ? fieldsBoard(game) : undefined;
}

/** The same of a game that the contract has, with its fields arranged. Throws an error of any other. */
export function fieldsBoard<G extends GameKey>(game: string, arrangement: Arrangement = {}): GameBoard<G> {
  const [view, move, event] = [messageOf(ViewSchema, game), messageOf(MoveSchema, game), messageOf(EventSchema, game)];
  const { near = [], bySeat = [], word = inWords, show } = arrangement;
  const said = (seats: readonly SeatLabel[]) => (entry: Entry) =>
    valuesOf(entry).map((value) => show?.(entry.field.name, value, seats) ?? valueText(entry.field, value));
  const parts = { desc: view, near, bySeat, word, said };
  return {
    Board: (props) => <Fields {...props} {...parts} />,
    lead: (seen, seats) => leadWords(parts, seen, seats),
    touches: (made) => [`${MOVE}${messageText(move, made)}`],
    ask: (moves) => ask("play.point", moves.map((made) => messageText(move, made)).at(-1) ?? ""),
    describe: (made) => messageText(move, made),
    narrate: (happened, seats) =>
      entriesOf(event, happened)
        .map(eventWords(word, said(seats)))
        .join(" "),
  };
}

/** A game's message in a `oneof` of all games. `reached.ts` finds this call: the names of enums' values are needed. */
function messageOf(desc: DescMessage, game: string): DescMessage {
  const found = desc.fields.find(({ name }) => name === game)?.message;
  if (found === undefined) throw new Error(`the contract has no ${desc.name} of ${game}`);
  return found;
}

interface Parts {
  readonly desc: DescMessage;
  readonly near: readonly string[];
  readonly bySeat: readonly string[];
  readonly word: (name: string) => string;
  readonly said: (seats: readonly SeatLabel[]) => (entry: Entry) => string[];
}

/** The first field of each seat, by the seats' names; empty where there is none. */
function leadWords({ desc, bySeat, word, said }: Parts, view: Message, seats: readonly SeatLabel[]): string {
  const entry = entriesOf(desc, view).find(({ field }) => field.name === bySeat[0]);
  if (entry === undefined) return "";
  const values = said(seats)(entry).map((text, seat) => `${seatName(seats, seat)} ${text}`);
  return `${word(entry.field.name)}: ${values.join(" · ")}`;
}

/** What happened: its kind, and its fields by name. */
function eventWords(word: Parts["word"], said: (entry: Entry) => string[]) {
  return ({ field, value }: Entry): string => {
    if (field.fieldKind !== "message") return `${word(field.name)} ${valueText(field, value)}`;
    const inner = entriesOf(field.message, value as Message);
    const words = inner.map((entry) => `${word(entry.field.name)} ${said(entry).join(" ")}`);
    return words.length === 0 ? word(field.name) : `${word(field.name)}: ${words.join(" · ")}`;
  };
}

function Fields<G extends GameKey>(props: BoardProps<G> & Parts) {
  const { desc, view, near, bySeat, word, seats } = props;
  const said = props.said(seats);
  const entries = entriesOf(desc, view);
  const named = (names: readonly string[]) => entries.filter(({ field }) => names.includes(field.name));
  const rest = entries.filter(({ field }) => !near.includes(field.name) && !bySeat.includes(field.name));
  const plate = (seat: number) => (
    <Plate key={seat} seats={seats} seat={seat}>
      <div class="plate-counts">
        {named(bySeat).map((entry) => (
          <Count key={entry.field.name} name={word(entry.field.name)} value={said(entry)[seat]} />
        ))}
      </div>
    </Plate>
  );
  const { own, others } = plates(seats.length, props.seat, plate);
  const row = (entry: Entry) => (
    <Row key={entry.field.name} field={entry.field.name} label={word(entry.field.name)} texts={said(entry)} />
  );
  return (
    <Table
      class="fields"
      facts={rest.filter(isFact).map((entry) => (
        <Count key={entry.field.name} name={word(entry.field.name)} value={said(entry)} />
      ))}
      others={others}
      own={own}
      near={
        <>
          {named(near).map(row)}
          <Moves />
        </>
      }
    >
      {rest.filter((entry) => !isFact(entry)).map(row)}
    </Table>
  );
}

/** Whether a field is a single number or word, which stands in the line above the table. */
function isFact({ field }: Entry): boolean {
  return field.fieldKind === "scalar" || field.fieldKind === "enum";
}

/** The values of a field as cards, which a move may touch: the piece of a 7 in the hand is `hand:7`, of a second `hand:7.2`. */
function Row({ field, label, texts }: { field: string; label: string; texts: readonly string[] }) {
  const id = (text: string, at: number): PieceId => {
    const copy = texts.slice(0, at).filter((earlier) => earlier === text).length;
    return `${field}:${text}${copy === 0 ? "" : `.${copy + 1}`}`;
  };
  return (
    <div class="fields-row" role="group" aria-label={label}>
      <span class="what" aria-hidden="true">
        {label}
      </span>
      {texts.length === 0 && "–"}
      {texts.map((text, at) => (
        <Piece key={at} id={id(text, at)} label={text === "" ? "–" : text} class="fields-card">
          {text === "" ? "–" : text}
        </Piece>
      ))}
    </div>
  );
}

/** The legal moves that can be chosen now, by their texts. */
function Moves() {
  const pointing = useContext(PointingContext);
  const ids = [...(pointing?.open ?? []), ...(pointing?.chosen ?? [])].filter((id) => id.startsWith(MOVE));
  const sayings = ids.map((id) => ({ id, label: id.slice(MOVE.length) }));
  if (sayings.length === 0) return null;
  return <Says class="fields-moves" label={t("play.moves")} sayings={sayings} />;
}
