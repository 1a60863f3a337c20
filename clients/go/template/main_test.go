package main

import (
	"context"
	"testing"

	"example.com/fudaba"
	pb "example.com/fudaba/fudabav1"
)

func named(names ...string) []pb.NagaCard {
	cards := []pb.NagaCard{}
	for _, name := range names {
		cards = append(cards, pb.NagaCard(pb.NagaCard_value["NAGA_CARD_"+name]))
	}
	return cards
}

// atKuto is a decision at Kuto, where trump is dark and F3 lies, with one move for each choice of cards.
func atKuto(choices ...[]pb.NagaCard) *fudaba.Decision {
	table := append(named("F3"), make([]pb.NagaCard, 8)...)
	decision := &fudaba.Decision{LegalCount: len(choices)}
	decision.View = &pb.View{Game: &pb.View_Naga{Naga: &pb.NagaView{Place: pb.NagaPlace_NAGA_PLACE_KUTO, Table: table}}}
	for _, cards := range choices {
		move := &pb.NagaMove{Kind: &pb.NagaMove_Commit{Commit: &pb.NagaCommit{Cards: cards}}}
		decision.LegalMoves = append(decision.LegalMoves, &pb.Move{Game: &pb.Move_Naga{Naga: move}})
	}
	return decision
}

func TestItTakesTheBetterHand(t *testing.T) {
	for _, one := range []struct {
		why           string
		better, worse []pb.NagaCard
	}{
		{"a flush beats a pair", named("F1", "F5", "F7"), named("D1", "L3", "W5")},
		{"two moons make four of a kind", named("MI", "MC", "E3"), named("L3", "A3", "W5")},
		{"trump counts more", named("D7", "L1", "W5"), named("E7", "A1", "W5")},
	} {
		if index, err := (myBot{}).Choose(context.Background(), atKuto(one.worse, one.better)); index != 1 || err != nil {
			t.Errorf("%s: it chose %d, %v", one.why, index, err)
		}
	}
}

func TestItHasALegalMoveInEveryOtherGame(t *testing.T) {
	decision := &fudaba.Decision{View: &pb.View{}, LegalCount: 3}
	for range 100 {
		if index, err := (myBot{}).Choose(context.Background(), decision); index < 0 || index > 2 || err != nil {
			t.Fatalf("it chose %d, %v", index, err)
		}
	}
}
