// mybot plays Naga by a small strategy, and a random legal move in every other game.
package main

import (
	"context"
	"math/rand/v2"

	"example.com/fudaba"
	pb "example.com/fudaba/fudabav1"
)

// myBot plays one seat of one match. What it knows is in decision.View.
type myBot struct{}

func (myBot) Choose(_ context.Context, decision *fudaba.Decision) (int, error) {
	if naga := decision.View.GetNaga(); naga != nil && naga.Place != pb.NagaPlace_NAGA_PLACE_UNSPECIFIED {
		return bestHand(naga, decision.LegalMoves), nil
	}
	return rand.IntN(decision.LegalCount), nil
}

// bestHand is the index of those cards that make the best hand with the cards on the table that are fought for.
func bestHand(view *pb.NagaView, moves []*pb.Move) int {
	best, most := 0, -1
	for index, move := range moves {
		if value := handValue(move.GetNaga().GetCommit().GetCards(), view); value > most {
			best, most = index, value
		}
	}
	return best
}

func main() {
	fudaba.Run(func(*fudaba.Match) fudaba.Bot { return myBot{} })
}
