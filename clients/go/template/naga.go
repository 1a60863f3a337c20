package main

import (
	"slices"

	pb "example.com/fudaba/fudabav1"
)

// A card's attribute is 0 to 6 (dark, light, fire, wind, water, wood, earth), its number 1 to 7.
type card struct{ attribute, number int }

// The place of each of the table's nine entries, and the trump attribute of each place.
var (
	places = [9]pb.NagaPlace{1, 2, 3, 4, 4, 4, 5, 6, 7}
	trumps = [8]int{-1, 0, 2, 5, 4, 6, 1, 3}
)

// handValue is what a hand is worth that some cards make with those that lie at the designated place: the more, the
// better. The categories are exact; ties are broken by all of its cards together.
func handValue(cards []pb.NagaCard, view *pb.NagaView) int {
	hand, moons := []card{}, 0
	add := func(one pb.NagaCard) {
		switch {
		case one >= pb.NagaCard_NAGA_CARD_MI:
			moons++
		case one != pb.NagaCard_NAGA_CARD_UNSPECIFIED:
			hand = append(hand, card{int(one-1) / 7, int(one-1)%7 + 1})
		}
	}
	for _, one := range cards {
		add(one)
	}
	for entry, one := range view.Table {
		if places[entry] == view.Place {
			add(one)
		}
	}
	return withMoons(hand, moons, trumps[view.Place])
}

// withMoons has each moon stand for whatever card makes the best hand.
func withMoons(hand []card, moons, trump int) int {
	if moons == 0 {
		return valueOf(hand, trump)
	}
	most := -1
	for attribute := range 7 {
		for number := 1; number <= 7; number++ {
			with := append(slices.Clone(hand), card{attribute, number})
			most = max(most, withMoons(with, moons-1, trump))
		}
	}
	return most
}

func valueOf(hand []card, trump int) int {
	counts := make([]int, 8)
	low, high, flush, strength := 7, 1, true, 0
	for _, one := range hand {
		counts[one.number]++
		low, high = min(low, one.number), max(high, one.number)
		flush = flush && one.attribute == hand[0].attribute
		switch {
		case one.attribute == trump:
			strength += 14
		case one.attribute < 2:
			strength += 7
		}
		strength += one.number
	}
	slices.Sort(counts)
	most, second := counts[7], counts[6]
	straight := most == 1 && high-low == len(hand)-1
	return category(most, second, flush, straight, len(hand))*1000 + strength
}

// category is from nothing (0) to five of a kind (9), as the rule page orders them.
func category(most, second int, flush, straight bool, length int) int {
	switch {
	case most == 5:
		return 9
	case flush && straight && length == 5:
		return 8
	case most == 4:
		return 7
	case most == 3 && second == 2:
		return 6
	case flush:
		return 5
	case straight:
		return 4
	case most == 3:
		return 3
	case most == 2 && second == 2:
		return 2
	case most == 2:
		return 1
	}
	return 0
}
