/** Quiet sounds of a match in play, made here: a card is laid, and it is the reader's turn. They are off until chosen. */

/** Frequencies in hertz, one after the other. */
const SOUNDS = { card: [440], turn: [587, 784] } as const;
const TONE_SECONDS = 0.09;
const LOUDNESS_RATIO = 0.05;
/** What would sound later than this is left out. */
const LATE_MS = 300;

let context: AudioContext | undefined;

/** A browser that has not been touched yet, or that has no sound, stays silent. */
export function sound(name: keyof typeof SOUNDS): void {
  if (typeof AudioContext === "undefined") return;
  context ??= new AudioContext();
  if (context.state === "running") {
    ring(context, name);
    return;
  }
  // Its time stands still until the reader has touched the page: all that happened by then would sound together.
  const [resumed, asked] = [context, performance.now()];
  resumed.resume().then(
    () => {
      if (performance.now() - asked < LATE_MS) ring(resumed, name);
    },
    () => undefined, // there is no sound here
  );
}

function ring(context: AudioContext, name: keyof typeof SOUNDS): void {
  const { currentTime, destination } = context;
  for (const [place, frequency] of SOUNDS[name].entries()) {
    const [tone, gain] = [context.createOscillator(), context.createGain()];
    const begin = currentTime + place * TONE_SECONDS;
    tone.frequency.value = frequency;
    gain.gain.setValueAtTime(LOUDNESS_RATIO, begin);
    gain.gain.exponentialRampToValueAtTime(LOUDNESS_RATIO / 100, begin + TONE_SECONDS);
    tone.connect(gain).connect(destination);
    tone.start(begin);
    tone.stop(begin + TONE_SECONDS);
  }
}
