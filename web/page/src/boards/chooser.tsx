/** Choosing a move: by pointing at a board's pieces, from a list in words, or by its text. */
import type { ComponentChildren } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import type { GameBoard, GameKey, PieceId } from "~/boards";
import { type Choice, choicesFrom, kept, toggled } from "~/boards/choices";
import { PointingContext } from "~/boards/piece";
import type { Move, View } from "~/gen/fudaba/v1/game_pb";
import { t } from "~/i18n";
import "~/boards/chooser.css";

/** More buttons than this help nobody: pointing and text find the others. */
const LISTED = 40;

export interface ChooserProps {
    readonly board: GameBoard<GameKey> | undefined;
    readonly view: View;
    /** The legal moves that were sent: all of them, or the first of very many. */
    readonly moves: readonly Move[];
    /** How many there are. */
    readonly count: number;
    /** Whether a move is on its way, so that no other can be chosen. */
    readonly busy: boolean;
    /** Whether a move is played as soon as what is pointed at can mean nothing else. */
    readonly atOnce: boolean;
    /** Plays the legal move of this place in the list. */
    readonly play: (index: number) => void;
    /** Plays the move of this text. */
    readonly say: (text: string) => void;
    /** The board, whose pieces can be pointed at. */
    readonly children: ComponentChildren;
}

export function Chooser(props: ChooserProps) {
    const { board, view, moves, busy } = props;
    const choices = useMemo(() => choicesOf(board, moves, view), [board, moves, view]);
    const [pointed, setPointed] = useState<ReadonlySet<PieceId>>(new Set());
    const chosen = kept(choices, pointed);
    const from = choicesFrom(choices, chosen);
    const toggle = (piece: PieceId) => {
        const next = toggled(choices, chosen, piece);
        const [only, ...others] = choicesFrom(choices, next).left;
        if (props.atOnce && only?.pieces.size === next.size && others.length === 0) {
            setPointed(new Set());
            props.play(only.index);
        } else {
            setPointed(next);
        }
    };
    const play = (index: number) => {
        setPointed(new Set());
        props.play(index);
    };
    return (
        <>
            <PointingContext.Provider value={busy ? undefined : { open: from.open, chosen, toggle }}>
                {props.children}
            </PointingContext.Provider>
            <section class="chooser" aria-label={t("play.moves")}>
                <Ready {...props} complete={from.complete} chosen={chosen} play={play} />
                {chosen.size > 0 && (
                    <button
                        type="button"
                        onClick={() => {
                            setPointed(new Set());
                        }}
                    >
                        {t("play.clear")}
                    </button>
                )}
                <MoveList {...props} left={from.left} play={play} />
                <Say say={props.say} busy={busy} />
            </section>
        </>
    );
}

function choicesOf(board: GameBoard<GameKey> | undefined, moves: readonly Move[], view: View): Choice[] {
    return moves.map((move, index) => {
        const [made, seen] = [move.game.value, view.game.value];
        const known = board !== undefined && made !== undefined && seen !== undefined;
        return { index, pieces: new Set(known ? board.touches(made, seen) : []) };
    });
}

/** A move in words, or its place where no board knows it. */
function inWords({ board, view, moves }: ChooserProps, index: number): string {
    const value = moves[index]?.game.value;
    if (board === undefined || value === undefined || view.game.value === undefined) {
        return t("play.moveNumber", { number: index + 1 });
    }
    return board.describe(value, view.game.value);
}

/** The moves that are chosen whole: a button each, the first thing after the board. */
function Ready(
    props: ChooserProps & {
        complete: readonly Choice[];
        chosen: ReadonlySet<PieceId>;
        play: (index: number) => void;
    },
) {
    if (props.chosen.size === 0 || props.complete.length === 0) {
        return (
            <p class="chooser-hint" role="status">
                {props.busy ? t("play.sending") : props.chosen.size === 0 ? t("play.point") : t("play.pointOn")}
            </p>
        );
    }
    return (
        <div class="chooser-ready" role="status">
            {props.complete.slice(0, LISTED).map(({ index }) => (
                <button
                    type="button"
                    key={index}
                    class="chooser-play"
                    disabled={props.busy}
                    onClick={() => {
                        props.play(index);
                    }}
                >
                    {t("play.playIt", { move: inWords(props, index) })}
                </button>
            ))}
        </div>
    );
}

function MoveList(props: ChooserProps & { left: readonly Choice[] }) {
    const { left, count, moves } = props;
    const more = left.length - LISTED + (left.length === moves.length ? count - moves.length : 0);
    return (
        <details class="chooser-list" open={left.length <= 12}>
            <summary>{t("play.movesCount", { count: left.length })}</summary>
            <ul>
                {left.slice(0, LISTED).map(({ index }) => (
                    <li key={index}>
                        <button
                            type="button"
                            disabled={props.busy}
                            onClick={() => {
                                props.play(index);
                            }}
                        >
                            {inWords(props, index)}
                        </button>
                    </li>
                ))}
            </ul>
            {more > 0 && <p class="chooser-hint">{t("play.movesMore", { count: more })}</p>}
        </details>
    );
}

/** A move by its text, as the rule page writes it. */
function Say({ say, busy }: { say: (text: string) => void; busy: boolean }) {
    const id = useId();
    const [text, setText] = useState("");
    return (
        <form
            class="chooser-say"
            onSubmit={(event) => {
                event.preventDefault();
                if (text.trim() === "" || busy) return;
                say(text.trim());
                setText("");
            }}
        >
            <label for={id}>{t("play.byText")}</label>
            <input
                id={id}
                value={text}
                autoComplete="off"
                autocapitalize="off"
                spellcheck={false}
                onInput={(event) => {
                    setText(event.currentTarget.value);
                }}
            />
            <button type="submit" disabled={busy}>
                {t("play.send")}
            </button>
        </form>
    );
}
