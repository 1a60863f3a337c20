package fudaba

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// How long a note may be, in UTF-8.
const maxNoteBytes = 1024

// sendableNote is the text that is sent of a note, and what is wrong with the note: the same words for each note that
// has that fault. What is no UTF-8 would end the stream, and again when it is sent again on the next.
func sendableNote(note string) (text string, faults []string) {
	text = note
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, string(utf8.RuneError))
		faults = append(faults, "the note has bytes that are no UTF-8; U+FFFD is sent in their place")
	}
	if len(text) > maxNoteBytes {
		end := maxNoteBytes
		for !utf8.RuneStart(text[end]) {
			end-- // inside a character
		}
		text = text[:end]
		faults = append(faults, fmt.Sprintf("the note is longer than %d bytes in UTF-8; the rest is cut off", maxNoteBytes))
	}
	return text, faults
}
