/** What is sent of the note that a bot gives with its choice. Nothing that is wrong with a note costs the move. */

/** How long a note may be, in UTF-8. */
export const MAX_NOTE_BYTES = 1024;

/**
 * The text that is sent of a note, and what is wrong with the note, if anything is.
 *
 * @param {unknown} note
 * @returns {{ text: string, faults: string[] }} faults are the same words for each note that has them
 */
export function sendableNote(note) {
  const faults = [];
  const given = textOf(note, faults);
  const bytes = Buffer.from(given); // with U+FFFD for each half of a surrogate pair
  if (bytes.toString() !== given) {
    faults.push('the note has halves of surrogate pairs, which are no characters; U+FFFD is sent in their place');
  }
  if (bytes.length <= MAX_NOTE_BYTES) return { text: bytes.toString(), faults };
  faults.push(`the note is longer than ${MAX_NOTE_BYTES} bytes in UTF-8; the rest is cut off`);
  let end = MAX_NOTE_BYTES;
  while ((bytes[end] & 0xc0) === 0x80) end -= 1; // inside a character
  return { text: bytes.subarray(0, end).toString(), faults };
}

function textOf(note, faults) {
  if (typeof note === 'string') return note;
  if (note === undefined || note === null) {
    faults.push(`the note is ${note}, not text; none is sent`);
    return '';
  }
  try {
    const text = String(note);
    faults.push(`the note is of type ${typeof note}, not text; its text form is sent`);
    return text;
  } catch {
    faults.push(`the note is of type ${typeof note}, and has no text form; none is sent`);
    return '';
  }
}
