// mybot plays Naga by a small strategy, and a random legal move in every other game.

#include <random>

#include "fudaba/bot.h"
#include "naga.h"

namespace {

// Plays one seat of one match. What it knows is in decision.view.
class MyBot : public fudaba::Bot {
public:
    int choose(fudaba::Decision& decision) override {
        const auto& naga = decision.view.naga();
        if (decision.view.has_naga() && naga.place() != fudaba::v1::NAGA_PLACE_UNSPECIFIED) {
            return best_hand(naga, decision.legal_moves);
        }
        return std::uniform_int_distribution(0, decision.legal_count - 1)(chance_);
    }

private:
    std::mt19937 chance_{std::random_device{}()};
};

}  // namespace

int main() {
    return fudaba::run([](const fudaba::Match&) { return std::make_unique<MyBot>(); });
}
