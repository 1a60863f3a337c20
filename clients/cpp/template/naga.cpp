#include "naga.h"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

namespace {

namespace v1 = fudaba::v1;

// An attribute, 0 to 6 (dark, light, fire, wind, water, wood, earth), and a number, 1 to 7.
struct Card {
    int attribute;
    int number;
};

// The place of each of the table's nine entries, and the trump attribute of each place.
constexpr std::array places = {1, 2, 3, 4, 4, 4, 5, 6, 7};
constexpr std::array trumps = {-1, 0, 2, 5, 4, 6, 1, 3};

// From nothing (0) to five of a kind (9), as the rule page orders them.
int category(int most, int second, bool flush, bool straight, std::size_t length) {
    if (most == 5) return 9;
    if (flush && straight && length == 5) return 8;
    if (most == 4) return 7;
    if (most == 3 && second == 2) return 6;
    if (flush) return 5;
    if (straight) return 4;
    if (most == 3) return 3;
    if (most == 2) return second == 2 ? 2 : 1;
    return 0;
}

int value_of(const std::vector<Card>& hand, int trump) {
    std::array<int, 8> counts{};
    int low = 7, high = 1, strength = 0;
    bool flush = true;
    for (const auto [attribute, number] : hand) {
        ++counts[static_cast<std::size_t>(number)];
        low = std::min(low, number);
        high = std::max(high, number);
        flush = flush && attribute == hand[0].attribute;
        strength += number + (attribute == trump ? 14 : attribute < 2 ? 7 : 0);
    }
    std::sort(counts.begin(), counts.end(), std::greater<>());
    const bool straight = counts[0] == 1 && high - low == static_cast<int>(hand.size()) - 1;
    return category(counts[0], counts[1], flush, straight, hand.size()) * 1000 + strength;
}

// Each moon stands for whatever card makes the best hand.
int with_moons(std::vector<Card> hand, int moons, int trump) {
    if (moons == 0) return value_of(hand, trump);
    int most = -1;
    hand.emplace_back();
    for (int attribute = 0; attribute < 7; ++attribute) {
        for (int number = 1; number <= 7; ++number) {
            hand.back() = {attribute, number};
            most = std::max(most, with_moons(hand, moons - 1, trump));
        }
    }
    return most;
}

// What a hand is worth that some cards make with those that lie at the designated place: the more, the better.
int hand_value(const v1::NagaCommit& commit, const v1::NagaView& view) {
    std::vector<Card> hand;
    int moons = 0;
    const auto add = [&](int card) {
        if (card >= v1::NAGA_CARD_MI) {
            ++moons;
        } else if (card != v1::NAGA_CARD_UNSPECIFIED) {
            hand.push_back({(card - 1) / 7, (card - 1) % 7 + 1});
        }
    };
    for (const int card : commit.cards()) add(card);
    for (int entry = 0; entry < view.table_size(); ++entry) {
        if (places.at(static_cast<std::size_t>(entry)) == view.place()) add(view.table(entry));
    }
    return with_moons(hand, moons, trumps.at(static_cast<std::size_t>(view.place())));
}

}  // namespace

int best_hand(const v1::NagaView& view, const fudaba::Repeated<v1::Move>& moves) {
    int best = 0, most = -1;
    for (int index = 0; index < moves.size(); ++index) {
        const int value = hand_value(moves[index].naga().commit(), view);
        if (value > most) {
            best = index;
            most = value;
        }
    }
    return best;
}
