/** Hidden matches that are shown later than they are played: when that begins, and how long it is until then. */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { useEffect, useState } from "preact/hooks";
import type { Match } from "~/gen/fudaba/v1/matches_pb";
import { type MessageKey, t } from "~/i18n";
import { Tag } from "~/parts/tag";

const TICK_MS = 1_000;

/** When a hidden match begins to be shown, in milliseconds since 1970; undefined where that is not known. */
export function shownFromMs({ hidden, startTime, showDelayMs }: Match): number | undefined {
  return hidden && showDelayMs > 0 && startTime !== undefined ? timestampMs(startTime) + showDelayMs : undefined;
}

/** A span of time as minutes and seconds, and hours where there are any; a second that has begun counts. */
export function spanText(ms: number): string {
  const seconds = Math.ceil(Math.max(0, ms) / 1_000);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  if (seconds >= 3_600) parts.unshift(Math.floor(seconds / 3_600));
  return parts.map((part, place) => (place === 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}

/** How long it is until a time, in milliseconds; drawn anew every second, until it has come. */
function useMsUntil(atMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  const waits = now < atMs;
  useEffect(() => {
    if (!waits) return undefined;
    const timer = setInterval(() => {
      setNow(Date.now());
    }, TICK_MS);
    return () => {
      clearInterval(timer);
    };
  }, [waits]);
  return Math.max(0, atMs - now);
}

/** A text with the time that is left. Screen readers read it when they come to it, not every second. */
export function Countdown({ atMs, text }: { atMs: number; text: MessageKey }) {
  return <Left ms={useMsUntil(atMs)} text={text} />;
}

function Left({ ms, text }: { ms: number; text: MessageKey }) {
  return <span role="timer">{t(text, { time: spanText(ms) })}</span>;
}

/** What is to be known of a hidden match before anybody opens it: how long it is until it is shown, or that it is. */
export function HiddenTag({ match }: { match: Match }) {
  const fromMs = shownFromMs(match);
  const leftMs = useMsUntil(fromMs ?? 0);
  if (leftMs > 0) {
    return (
      <Tag>
        <Left ms={leftMs} text="shown.startsIn" />
      </Tag>
    );
  }
  if (fromMs !== undefined) return <Tag tone="live">{t("shown.now")}</Tag>;
  if (match.showDelayMs > 0) return <Tag>{t("shown.delayed", { time: spanText(match.showDelayMs) })}</Tag>;
  return <Tag>{t("shell.heldBack")}</Tag>;
}
