package fudaba

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"unicode"
)

// Run plays on the service that the environment names: FUDABA_SERVER, FUDABA_TOKEN, and for TLS FUDABA_TLS or
// FUDABA_CA_CERT; FUDABA_CAPACITY matches at once, or any number. It makes a bot of each match with newBot, and does not
// return: the process ends with exit code 0 after SIGTERM or Ctrl-C, or when the match is over that the token was for;
// with 1 after what trying again cannot mend; and with 2 when the environment cannot be used.
func Run(newBot func(match *Match) Bot) {
	os.Exit(run(newBot))
}

func run(newBot func(match *Match) Bot) int {
	where, err := endpointOf(os.Getenv)
	if err != nil {
		logLine("%s", err)
		return 2
	}
	ctx, restore := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer restore()
	context.AfterFunc(ctx, restore) // a second signal ends the process at once
	err = where.play(ctx, newPlayer(newBot, where.capacity))
	if fatal := (*fatalError)(nil); errors.As(err, &fatal) {
		logLine("%s", fatal)
		return 1
	}
	return 0
}

// logLine prints one line that does not drive the terminal.
func logLine(format string, values ...any) {
	line := strings.Map(func(char rune) rune {
		if unicode.IsControl(char) || unicode.In(char, unicode.Bidi_Control) {
			return unicode.ReplacementChar
		}
		return char
	}, fmt.Sprintf(format, values...))
	fmt.Fprintln(os.Stderr, line)
}
