// One Play stream after another, for as long as it makes sense.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "environment.h"
#include "player.h"

namespace fudaba {

// How long the last answers may take to leave when the process stops.
constexpr std::chrono::seconds goodbye_time{3};

// Whether to stop, from another thread.
class Stop {
public:
    void tell();
    bool told();
    // Waits; whether it was told meanwhile.
    bool told_within(std::chrono::milliseconds most);
    // Has it told by a call, too, at once if it was; none by an empty one.
    void call(std::function<void()> call);

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> call_;
    bool told_ = false;
};

// How long to wait before an attempt, counted from 0: longer each time, and never in step. `chance` is from 0 to 1.
std::chrono::milliseconds delay_before(int attempt, std::chrono::milliseconds retry_after, double chance);

// Plays until it is told to stop, or until the match is over that the token was for. Returns what trying again cannot
// mend, if that is why it ended.
std::optional<std::string> play(const Endpoint& endpoint, Player& player, Stop& stop);

}  // namespace fudaba
