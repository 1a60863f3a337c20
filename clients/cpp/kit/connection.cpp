#include "connection.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <utility>

#include "handshake.h"
#include "log.h"

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
std::pair<Failure, bool> play_once(const Endpoint& endpoint, Player& player, Watch& watch) {
    Stream stream(endpoint, player, watch);
    const auto began = Clock::now();
    auto silence = began + welcome_time, missing = began + never;
    bool welcomed = false, leaving = false, silent = false;
    std::unique_lock lock(watch.mutex);
    const auto news = [&] {
        return stream.ended() || (stream.welcomed() && !welcomed) || (watch.stop && !leaving);
    };
    for (;;) {
        watch.changed.wait_until(lock, std::min(silence, missing), news);
        if (stream.ended()) break;
        const auto now = Clock::now();
        if (stream.welcomed() && !welcomed) {
            welcomed = true;
            missing = now + missing_time;
            if (!leaving) silence = now + never;
        }
        if (watch.stop && !leaving) {
            leaving = true;
            lock.unlock();
            player.take_no_more();
            player.idle_within(goodbye_time);
            stream.close();
            lock.lock();
            silence = Clock::now() + goodbye_time;
        }
        if (now >= silence) {
            silent = true;
            silence = now + never;
            stream.cancel();
        }
        if (now >= missing) {
            missing = now + never;
            lock.unlock();
            player.forget_missing();
            lock.lock();
        }
    }
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
        std::ranges::transform(told, told.begin(), [](char one) { return one == '_' ? ' ' : std::tolower(one); });
        if (told.find("wrong version number") == std::string::npos) return {};
        return "the service at " + endpoint.address +
               " does not use TLS: leave out FUDABA_TLS and FUDABA_CA_CERT";
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

std::optional<std::string> play(const Endpoint& endpoint, Player& player, Watch& watch) {
    std::mt19937 chance{std::random_device{}()};
    bool ever = false;  // once connected, it is not for TLS that there is no connection
    for (int attempt = 0;; ++attempt) {
        const auto [end, welcomed] = play_once(endpoint, player, watch);
        std::unique_lock lock(watch.mutex);
        if (watch.stop) return {};
        lock.unlock();
        if (end.reason == "MATCH_OVER") return {};
        if (welcomed) {
            attempt = 0;
            ever = true;
        }
        if (end.fatal()) return end.text();
        if (!ever) {
            if (auto why = disagreement(endpoint, end)) return why;
        }
        const milliseconds delay =
            delay_before(attempt, end.retry_after, std::uniform_real_distribution<>()(chance));
        char seconds[16];
        std::snprintf(seconds, sizeof seconds, "%.1f", std::chrono::duration<double>(delay).count());
        log("no connection (" + end.text() + "); trying again in " + seconds + " s");
        lock.lock();
        if (watch.changed.wait_for(lock, delay, [&] { return watch.stop; })) return {};
    }
}

}  // namespace fudaba
