// Plays a bot on a Fudaba service: write a Bot, and give what makes one to run().
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "fudaba/v1/play.pb.h"

namespace fudaba {

using Clock = std::chrono::steady_clock;

// Several messages: they have size(), operator[], begin() and end().
template <class Message>
using Repeated = google::protobuf::RepeatedPtrField<Message>;

// What a bot plays.
struct Match {
    std::string id;
    // The game's id, such as naga.
    std::string game;
    // This bot's seat, from 0.
    int seat = 0;
    // What the service tells of the match when it starts.
    v1::MatchHeader header;
};

// What a bot has to decide, or may decide.
struct Decision {
    std::shared_ptr<const Match> match;
    std::string id;
    // Whether it must be made.
    bool required = false;
    // What this seat knows.
    v1::View view;
    // The legal moves, in the rulebook's order. The first one is the default move.
    Repeated<v1::Move> legal_moves;
    // How many moves are legal: more than legal_moves.size() when they are more than 2000.
    int legal_count = 0;
    // What happened since the decision before.
    Repeated<v1::Event> events;
    // Why the answer before was refused, when the bot is asked again.
    std::optional<v1::Refusal> refusal;
    // When the answer must have arrived.
    Clock::time_point deadline;
    // For the bot to set: only its author is shown it, beside the record. Of a longer one, the first 1024 bytes are kept.
    std::string note;

    // Whether there is still time for an answer, and use for it. A bot that thinks long asks now and then.
    bool wanted() const { return !*closed && Clock::now() < deadline; }

    // Set when an answer is of no use any more.
    std::shared_ptr<std::atomic<bool>> closed = std::make_shared<std::atomic<bool>>(false);
};

// Plays one seat of one match; each has a bot of its own, which a thread of its own makes and calls.
class Bot {
public:
    virtual ~Bot() = default;

    // Returns the index of a move in decision.legal_moves.
    //
    // After an exception the default move is played, which is the first one, and the exception is printed.
    virtual int choose(Decision& decision) = 0;

    // Told when the match is over; one without a result has no outcome.
    virtual void over(const v1::MatchEnd&) {}

    // Told when the service had to put the match back: forget what happened since the position asked about next.
    virtual void rewound() {}
};

// Makes the bot of a match.
using NewBot = std::function<std::unique_ptr<Bot>(const Match&)>;

// Plays on the service that the environment names: FUDABA_SERVER, FUDABA_TOKEN, and for TLS FUDABA_TLS or
// FUDABA_CA_CERT; FUDABA_CAPACITY matches at once, or any number. Returns the exit code for the process: 0 after SIGTERM
// or Ctrl-C, or when the match is over that the token was for; 1 after what trying again cannot mend; 2 when the
// environment cannot be used. The process ends here with that code if a bot is still thinking then.
int run(const NewBot& new_bot);

}  // namespace fudaba
