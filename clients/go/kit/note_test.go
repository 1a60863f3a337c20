package fudaba

import (
	"strings"
	"testing"
)

func TestANoteIsPutRightAndCutAtTheEndOfACharacter(t *testing.T) {
	for _, given := range []struct {
		note, text string
		faults     int
	}{
		{"", "", 0},
		{"two aces\x00\n", "two aces\x00\n", 0},
		{strings.Repeat("x", 1024), strings.Repeat("x", 1024), 0},
		{strings.Repeat("x", 1025), strings.Repeat("x", 1024), 1},
		{"a" + strings.Repeat("札", 341), "a" + strings.Repeat("札", 341), 0},
		{"ab" + strings.Repeat("札", 341), "ab" + strings.Repeat("札", 340), 1},
		{"why \xff", "why \ufffd", 1},
		{"\xff" + strings.Repeat("札", 500), "\ufffd" + strings.Repeat("札", 340), 2},
	} {
		if text, faults := sendableNote(given.note); text != given.text || len(faults) != given.faults {
			t.Errorf("of %q %q is sent, with the faults %q", given.note, text, faults)
		}
	}
}
