//! What a hand of Naga is worth, roughly: the categories are exact, ties are broken by all of its cards together.

use fudaba::v1::{self, naga_move, r#move, NagaView};

/// The place of each of the table's nine entries.
const PLACES: [i32; 9] = [1, 2, 3, 4, 4, 4, 5, 6, 7];
/// The trump attribute of each place.
const TRUMPS: [i32; 8] = [-1, 0, 2, 5, 4, 6, 1, 3];
/// The first of the two moons, in the contract's numbers.
const MOON: i32 = 50;

/// An attribute, 0 to 6 (dark, light, fire, wind, water, wood, earth), and a number, 1 to 7.
type Card = (i32, i32);

/// The index of those cards that make the best hand with the cards on the table that are fought for.
pub fn best_hand(view: &NagaView, moves: &[v1::Move]) -> usize {
    let value = |index: &usize| match &moves[*index].game {
        Some(r#move::Game::Naga(one)) => match &one.kind {
            Some(naga_move::Kind::Commit(commit)) => hand_value(&commit.cards, view),
            _ => 0,
        },
        _ => 0,
    };
    (0..moves.len()).max_by_key(value).unwrap_or(0)
}

fn hand_value(cards: &[i32], view: &NagaView) -> i32 {
    let prize = view
        .table
        .iter()
        .zip(PLACES)
        .filter(|(card, place)| **card != 0 && *place == view.place);
    let all: Vec<i32> = cards
        .iter()
        .copied()
        .chain(prize.map(|(card, _)| *card))
        .collect();
    let hand: Vec<Card> = all
        .iter()
        .filter(|card| **card < MOON)
        .map(|card| ((card - 1) / 7, (card - 1) % 7 + 1))
        .collect();
    with_moons(&hand, all.len() - hand.len(), TRUMPS[view.place as usize])
}

/// Each moon stands for whatever card makes the best hand.
fn with_moons(hand: &[Card], moons: usize, trump: i32) -> i32 {
    if moons == 0 {
        return value_of(hand, trump);
    }
    let every = (0..7).flat_map(|attribute| (1..=7).map(move |number| (attribute, number)));
    every
        .map(|card| with_moons(&[hand, &[card]].concat(), moons - 1, trump))
        .max()
        .unwrap_or(0)
}

fn value_of(hand: &[Card], trump: i32) -> i32 {
    let mut counts = [0; 8];
    for (_, number) in hand {
        counts[*number as usize] += 1;
    }
    let numbers = || hand.iter().map(|(_, number)| *number);
    let spread = numbers().max().unwrap_or(0) - numbers().min().unwrap_or(0);
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let flush = hand.iter().all(|(attribute, _)| *attribute == hand[0].0);
    let straight = counts[0] == 1 && spread == hand.len() as i32 - 1;
    let tier = |attribute: i32| {
        if attribute == trump {
            14
        } else if attribute < 2 {
            7
        } else {
            0
        }
    };
    let strength: i32 = hand
        .iter()
        .map(|(attribute, number)| tier(*attribute) + number)
        .sum();
    category(counts[0], counts[1], flush, straight, hand.len()) * 1000 + strength
}

/// From nothing (0) to five of a kind (9), as the rule page orders them.
fn category(most: i32, second: i32, flush: bool, straight: bool, length: usize) -> i32 {
    match (most, second) {
        (5, _) => 9,
        _ if flush && straight && length == 5 => 8,
        (4, _) => 7,
        (3, 2) => 6,
        _ if flush => 5,
        _ if straight => 4,
        (3, _) => 3,
        (2, 2) => 2,
        (2, _) => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str]) -> Vec<i32> {
        let card = |name: &&str| {
            v1::NagaCard::from_str_name(&format!("NAGA_CARD_{name}")).expect("a card") as i32
        };
        names.iter().map(card).collect()
    }

    /// Whether the first choice is better at Kuto, where trump is dark and F3 lies.
    fn better(first: &[&str], second: &[&str]) -> bool {
        let mut table = named(&["F3"]);
        table.resize(9, 0);
        let view = NagaView {
            place: v1::NagaPlace::Kuto.into(),
            table,
            ..Default::default()
        };
        let moves: Vec<v1::Move> = [second, first]
            .map(|cards| {
                naga_move::Kind::Commit(v1::NagaCommit {
                    cards: named(cards),
                })
            })
            .map(|kind| v1::Move {
                game: Some(r#move::Game::Naga(v1::NagaMove { kind: Some(kind) })),
            })
            .into();
        best_hand(&view, &moves) == 1
    }

    #[test]
    fn it_takes_the_better_hand() {
        assert!(
            better(&["F1", "F5", "F7"], &["D1", "L3", "W5"]),
            "a flush beats a pair"
        );
        assert!(
            better(&["MI", "MC", "E3"], &["L3", "A3", "W5"]),
            "two moons make four of a kind"
        );
        assert!(
            better(&["D7", "L1", "W5"], &["E7", "A1", "W5"]),
            "trump counts more"
        );
    }
}
