/** The buttons of a replay; the arrow keys do the same wherever nothing else wants them. */
import { useEffect } from "preact/hooks";
import type { SeatLabel } from "~/boards";
import { number, t } from "~/i18n";
import type { PlayBack } from "~/parts/match/play_back";

const PACES = [0.5, 1, 2, 4, 8];

export function Controls({ replay }: { replay: PlayBack }) {
  const { stop, stops, playing, step, setPlaying } = replay;
  const last = stops.length - 1;
  useKeys(replay);
  const play = () => {
    if (!playing && stop === last) step(-last);
    setPlaying(!playing);
  };
  return (
    <div class="match-controls" role="group" aria-label={t("match.controls")}>
      <Step label={t("match.first")} icon="M6 5v14M19 5 9 12l10 7Z" off={stop === 0} by={-last} step={step} />
      <Step label={t("match.back")} icon="M17 5 7 12l10 7Z" off={stop === 0} by={-1} step={step} />
      <button type="button" class="match-play" onClick={play}>
        {playing ? t("match.pause") : t("match.play")}
      </button>
      <Step label={t("match.forward")} icon="M7 5l10 7-10 7Z" off={stop === last} by={1} step={step} />
      <Step label={t("match.last")} icon="M18 5v14M5 5l10 7-10 7Z" off={stop === last} by={last} step={step} />
      <input
        class="match-slider"
        type="range"
        min={0}
        max={last}
        value={stop}
        aria-label={t("match.position")}
        aria-valuetext={t("match.positionOf", { position: stop, last })}
        onInput={(event) => {
          setPlaying(false);
          replay.go(stops[Number(event.currentTarget.value)] ?? 0);
        }}
      />
      <output class="match-count">{t("match.positionOf", { position: stop, last })}</output>
      <label>
        <span class="unseen">{t("match.pace")}</span>
        <select
          value={String(replay.pace)}
          onChange={(event) => {
            replay.setPace(Number(event.currentTarget.value));
          }}
        >
          {PACES.map((pace) => (
            <option key={pace} value={String(pace)}>
              {t("match.times", { pace: number(pace, pace < 1 ? 1 : 0) })}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Step(props: { label: string; icon: string; off: boolean; by: number; step: (by: number) => void }) {
  return (
    <button
      type="button"
      aria-label={props.label}
      title={props.label}
      disabled={props.off}
      onClick={() => {
        props.step(props.by);
      }}
    >
      <svg class="match-icon" viewBox="0 0 24 24" aria-hidden="true">
        <path d={props.icon} />
      </svg>
    </button>
  );
}

/** Arrow keys step, as long as they are not typed into something that wants them. */
function useKeys({ step, setPlaying }: PlayBack): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const busy = event.target instanceof Element && event.target.closest("input, select, textarea, ol, pre");
      if (busy || event.altKey || event.ctrlKey || event.metaKey) return;
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by === undefined) return;
      setPlaying(false);
      step(by);
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => {
      removeEventListener("keydown", press);
    };
  }, [step, setPlaying]);
}

/** Through whose eyes the match is seen. */
export function EyesChoice(props: {
  seats: readonly SeatLabel[];
  seat: number | null;
  choose: (seat: number | null) => void;
}) {
  return (
    <label class="match-eyes">
      <span>{t("match.eyes")} </span>
      <select
        aria-label={t("match.eyes")}
        value={props.seat === null ? "" : String(props.seat)}
        onChange={(event) => {
          const { value } = event.currentTarget;
          props.choose(value === "" ? null : Number(value));
        }}
      >
        <option value="">{t("match.spectator")}</option>
        {props.seats.map(({ name }, seat) => (
          <option key={seat} value={String(seat)}>
            {t("match.seatNamed", { number: seat + 1, name })}
          </option>
        ))}
      </select>
    </label>
  );
}
