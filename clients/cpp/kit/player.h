// The matches of one process: takes the service's messages, gives the bots' answers. What it does at each message
// follows the comments of contract/fudaba/v1/play.proto.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "bot.h"
#include "caller.h"

namespace fudaba {

class Player {
public:
    using Send = std::function<void(v1::PlayRequest)>;

    // `capacity` is how many matches it plays at once; 0 for any number.
    explicit Player(NewBot new_bot, std::uint32_t capacity = 0);
    // Waits for the bots that are called.
    ~Player();
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    // Begins a new stream, to which requests go from now on, with the hello.
    void begin(Send send);
    // Sends nothing more on this stream.
    void disconnected();
    // Takes any message but the welcome. A kind that a later release may add is passed over.
    void received(v1::PlayResponse& message);
    // Forgets the matches that the stream has not brought: the service does not know them any more.
    void forget_missing();
    // Leaves further decisions to the next process, or to the clock; those that wait are still answered.
    void take_no_more();
    // Waits until no bot is called, but not longer than said; whether it is so.
    bool idle_within(std::chrono::milliseconds most);

private:
    struct Open;
    struct Seat;
    using SeatPtr = std::shared_ptr<Seat>;
    using Guard = std::lock_guard<std::mutex>;

    // With the mutex:
    void update(v1::SeatUpdate& update);
    SeatPtr new_seat(v1::SeatUpdate& update);
    void asked(const SeatPtr& seat, v1::Decision& message);
    void over(const SeatPtr& seat, v1::MatchEnd& end);
    void refused(v1::Refusal& refusal);
    void think(const SeatPtr& seat);
    void call(const SeatPtr& seat, std::function<void()> function, Clock::time_point earliest = {});
    void forget(SeatPtr seat);
    void send_answer(const Open& open);
    std::string note_of(const Decision& decision);
    // Without it, on the seat's own thread:
    void make_bot(const SeatPtr& seat);
    void choose(const SeatPtr& seat, const std::shared_ptr<Open>& open);

    const NewBot new_bot_;
    const std::uint32_t capacity_;
    // With the attempt it tells the service which of two streams is the newer one.
    const std::string process_;

    std::mutex mutex_;
    std::condition_variable idle_;
    std::uint32_t attempt_ = 0;
    std::map<std::string, SeatPtr> seats_;
    // None without a stream: what is lost then is asked for again on the next one.
    Send send_;
    bool leaving_ = false;
    // What was wrong with notes, and has been told.
    std::set<std::string> note_faults_;
    // How many calls of bots wait or run.
    int busy_ = 0;
    // The threads of the bots, also of those whose matches are over.
    std::list<Caller> callers_;
};

}  // namespace fudaba
