// One Play stream after another, for as long as it makes sense.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "environment.h"
#include "player.h"
#include "stream.h"

namespace fudaba {

// How long the last answers may take to leave when the process stops.
constexpr std::chrono::seconds goodbye_time{3};

// How long to wait before an attempt, counted from 0: longer each time, and never in step. `chance` is from 0 to 1.
std::chrono::milliseconds delay_before(int attempt, std::chrono::milliseconds retry_after, double chance);

// Plays until the watch says stop, or until the match is over that the token was for. Returns what trying again cannot
// mend, if that is why it ended.
std::optional<std::string> play(const Endpoint& endpoint, Player& player, Watch& watch);

}  // namespace fudaba
