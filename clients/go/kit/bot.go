// Package fudaba plays a bot on a Fudaba service: write a [Bot], and give what makes one to [Run].
package fudaba

import (
	"context"
	"time"

	pb "example.com/fudaba/fudabav1"
)

// A Bot plays one seat of one match; each has a bot of its own. Its methods are called one at a time.
type Bot interface {
	// Choose returns the index of a move in decision.LegalMoves. The context ends when an answer is no longer wanted.
	//
	// After an error or a panic the default move is played, which is the first one, and the error is printed.
	Choose(ctx context.Context, decision *Decision) (int, error)
}

// An Ender is a [Bot] that is told when its match is over.
type Ender interface {
	// Over is told how it ended. A match without a result has no Outcome.
	Over(end *pb.MatchEnd)
}

// A Rewinder is a [Bot] that is told when the service had to put its match back.
type Rewinder interface {
	// Rewound asks the bot to forget what happened since the position that it is asked about next.
	Rewound()
}

// A Match is what a bot plays.
type Match struct {
	ID string
	// Game is the game's id, such as naga.
	Game string
	// Seat is this bot's seat, from 0.
	Seat int
	// Header is what the service tells of the match when it starts.
	Header *pb.MatchHeader
}

// A Decision is what a bot has to decide, or may decide.
type Decision struct {
	Match *Match
	ID    string
	// Required says whether it must be made.
	Required bool
	// View is what this seat knows.
	View *pb.View
	// LegalMoves are in the rulebook's order. The first one is the default move.
	LegalMoves []*pb.Move
	// LegalCount says how many moves are legal: more than len(LegalMoves) when they are more than 2000.
	LegalCount int
	// Events are what happened since the decision before.
	Events []*pb.Event
	// Refusal says why the answer before was refused, when the bot is asked again; else it is nil.
	Refusal *pb.Refusal
	// Deadline is when the answer must have arrived.
	Deadline time.Time
	// Note is for the bot to set: only its author is shown it, beside the record. Of a longer one, the first 1024 bytes
	// are kept.
	Note string
}
