// The bot's tests: `make test` runs them.

#include <cstdio>
#include <initializer_list>
#include <string>

#include "naga.h"

namespace {

namespace v1 = fudaba::v1;
using Cards = std::initializer_list<const char*>;

v1::NagaCard named(const char* name) {
    v1::NagaCard card = v1::NAGA_CARD_UNSPECIFIED;
    if (!v1::NagaCard_Parse(std::string("NAGA_CARD_") + name, &card)) std::printf("there is no card %s\n", name);
    return card;
}

// Whether it takes the first cards rather than the second at Kuto, where trump is dark and F3 lies; says so if not.
bool better(const char* why, Cards first, Cards second) {
    v1::NagaView view;
    view.set_place(v1::NAGA_PLACE_KUTO);
    view.add_table(named("F3"));
    while (view.table_size() < 9) view.add_table(v1::NAGA_CARD_UNSPECIFIED);
    fudaba::Repeated<v1::Move> moves;
    for (const Cards& cards : {second, first}) {
        v1::NagaCommit& commit = *moves.Add()->mutable_naga()->mutable_commit();
        for (const char* card : cards) commit.add_cards(named(card));
    }
    if (best_hand(view, moves) == 1) return true;
    std::printf("FAILED: %s\n", why);
    return false;
}

}  // namespace

int main() {
    bool good = better("a flush beats a pair", {"F1", "F5", "F7"}, {"D1", "L3", "W5"});
    good &= better("two moons make four of a kind", {"MI", "MC", "E3"}, {"L3", "A3", "W5"});
    good &= better("trump counts more", {"D7", "L1", "W5"}, {"E7", "A1", "W5"});
    return good ? 0 : 1;
}
