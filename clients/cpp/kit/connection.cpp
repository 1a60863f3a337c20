#include "connection.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <utility>

#include "handshake.h"
#include "log.h"
#include "stream.h"

namespace fudaba {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr milliseconds first_delay = 200ms;
constexpr milliseconds longest_delay = 15s;
constexpr double growth = 1.7;
// How long the service may take to answer the first message of a stream.
constexpr auto welcome_time = 20s;
// How long after a welcome every match that the service still knows must have come.
constexpr auto missing_time = 30s;
constexpr auto never = std::chrono::hours(24 * 365);

// Plays over one stream until it ends; why it did, and whether it was welcomed.
std::pair<Failure, bool> play_once(const Endpoint& endpoint, Player& player, Stop& stop) {
    Stream stream(endpoint, player);
    stop.call([&stream] { stream.wake(); });
    bool welcomed = false, silent = false;
    const auto began = Clock::now();
    auto silence = began + welcome_time, missing = began + never;
    auto idle = began + never, patience = idle;  // when to ask whether the last answers are given, and until when
    for (;;) {
        const auto news = stream.next(std::min({silence, missing, idle}));
        const auto now = Clock::now();
        if (news == Stream::News::end) break;
        if (news == Stream::News::welcome) {
            welcomed = true;
            silence = now + never;
            missing = now + missing_time;
        }
        if (news == Stream::News::woken) {
            player.take_no_more();
            idle = now;
            patience = now + goodbye_time;
        }
        if (now >= idle) {
            idle = now + 10ms;
            if (player.idle_within(0ms) || now >= patience) {
                stream.close();
                idle = now + never;
                silence = now + goodbye_time;
            }
        }
        if (now >= missing) {
            missing = now + never;
            player.forget_missing();
        }
        if (now >= silence) {
            silence = now + never;
            silent = true;
            stream.cancel();
        }
    }
    stop.call({});
    if (!silent) return {stream.failure(), welcomed};
    return {{.code = grpc::StatusCode::DEADLINE_EXCEEDED, .message = "it takes connections but does not answer"},
            welcomed};
}

// Why a connection that never was can never be, as far as TLS is the reason.
//
// gRPC only says that no connection could be made, again and again.
std::optional<std::string> disagreement(const Endpoint& endpoint, const Failure& end) {
    if (end.code != grpc::StatusCode::UNAVAILABLE || endpoint.address.starts_with("unix:")) return {};
    if (endpoint.secure) {
        std::string told = end.message;
        std::replace(told.begin(), told.end(), '_', ' ');  // some libraries for TLS write it so
        if (told.find("wrong version number") == std::string::npos &&
            told.find("WRONG VERSION NUMBER") == std::string::npos) {
            return {};
        }
        return "the service at " + endpoint.address + " does not use TLS: leave out FUDABA_TLS and FUDABA_CA_CERT";
    }
    if (!speaks_tls(endpoint.address)) return {};
    return "the service at " + endpoint.address +
           " wants TLS: set FUDABA_TLS=1, or FUDABA_CA_CERT to its authority's file";
}

}  // namespace

milliseconds delay_before(int attempt, milliseconds retry_after, double chance) {
    const double growing = static_cast<double>(first_delay.count()) * std::pow(growth, attempt);
    const double most = std::min(growing, static_cast<double>(longest_delay.count()));
    return std::max(retry_after, milliseconds(std::llround(most * (0.5 + chance / 2))));
}

void Stop::tell() {
    const std::lock_guard lock(mutex_);
    told_ = true;
    changed_.notify_all();
    if (call_) call_();
}

bool Stop::told() {
    const std::lock_guard lock(mutex_);
    return told_;
}

bool Stop::told_within(milliseconds most) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, most, [this] { return told_; });
}

void Stop::call(std::function<void()> call) {
    const std::lock_guard lock(mutex_);
    call_ = std::move(call);
    if (told_ && call_) call_();
}

std::optional<std::string> play(const Endpoint& endpoint, Player& player, Stop& stop) {
    std::mt19937 chance{std::random_device{}()};
    bool ever = false;  // once connected, it is not for TLS that there is no connection
    for (int attempt = 0;; ++attempt) {
        const auto [end, welcomed] = play_once(endpoint, player, stop);
        if (stop.told() || end.reason == "MATCH_OVER") return {};
        if (welcomed) {
            attempt = 0;
            ever = true;
        }
        if (end.fatal()) return end.text();
        if (!ever) {
            if (auto why = disagreement(endpoint, end)) return why;
        }
        const milliseconds delay = delay_before(attempt, end.retry_after, std::uniform_real_distribution<>()(chance));
        char seconds[16];
        std::snprintf(seconds, sizeof seconds, "%.1f", std::chrono::duration<double>(delay).count());
        log("no connection (" + end.text() + endpoint.through + "); trying again in " + seconds + " s");
        if (stop.told_within(delay)) return {};
    }
}

}  // namespace fudaba
