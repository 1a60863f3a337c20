#include "player.h"

#include <exception>
#include <random>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "log.h"
#include "note.h"

namespace fudaba {
namespace {

using namespace std::chrono_literals;

// How long to wait before an answer is sent again that could not be taken just now.
constexpr auto again_after = 300ms;
// So often is an answer to one decision sent at most.
constexpr int attempts = 8;

// Refusals that are about the moment, not about the answer: the same answer can be sent again.
const std::set<std::string_view> about_the_moment = {"TOO_FAST", "STORE_UNAVAILABLE", "SHUTTING_DOWN", "INTERNAL"};
// Refusals that are about the answer: the bot is asked for another one.
const std::set<std::string_view> about_the_answer = {"ILLEGAL_MOVE", "MALFORMED_MOVE", "MALFORMED", "NOTE_TOO_LONG"};

std::string drawn_name() {
    std::random_device chance;
    std::string name;
    for (int digit = 0; digit < 16; ++digit) name += "0123456789abcdef"[chance() % 16];
    return name;
}

void report(const Match& match, const std::string& problem, std::string_view what) {
    std::istringstream lines(problem);
    for (std::string line; std::getline(lines, line);) log(match.id + ": " + line);
    log(match.id + ": " + std::string(what));
}

// Calls a bot's method; what it threw, if it did.
std::optional<std::string> thrown_by(const std::function<void()>& method) {
    try {
        method();
        return {};
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "it threw something that is no std::exception";
    }
}

// The bot's choice; the default move if it fails, so that a mistake in it costs a move and not the match.
int choice_of(Bot& bot, Decision& decision) {
    const std::string id = decision.id;
    int index = 0;
    auto problem = thrown_by([&] { index = bot.choose(decision); });
    if (!problem && (index < 0 || index >= decision.legal_count)) {
        problem = "choose returned " + std::to_string(index) + "; there are " + std::to_string(decision.legal_count) +
                  " legal moves, from index 0";
    }
    if (!problem) return index;
    // Whoever runs the bot counts these lines, see the contract.
    report(*decision.match, *problem, "own error at decision " + id + "; the default move is played");
    return 0;
}

}  // namespace

// A decision that is open.
struct Player::Open {
    Decision decision;
    // What was sent; it is sent again, word for word, after a lost connection.
    std::optional<v1::Answer> answer;
    int attempts = 0;
};

// This bot's seat in a match that is not over.
struct Player::Seat {
    std::shared_ptr<const Match> match;
    Caller& caller;
    // None before it is made. Only the caller's thread touches it.
    std::unique_ptr<Bot> bot;
    // What the last update said of them; both go into the next hello.
    std::uint32_t seen = 0;
    std::uint32_t history = 0;
    Repeated<v1::Event> events;
    std::shared_ptr<Open> open;
    // Whether the stream of now has brought it.
    bool here = true;

    Seat(std::shared_ptr<const Match> its_match, Caller& its_caller)
        : match(std::move(its_match)), caller(its_caller) {}

    // Leaves nothing more to be done about the decision that was open.
    void close() {
        if (open) *open->decision.closed = true;
        open.reset();
    }
};

Player::Player(NewBot new_bot, std::uint32_t capacity)
    : new_bot_(std::move(new_bot)), capacity_(capacity), process_(drawn_name()) {}

Player::~Player() {
    const Guard guard(mutex_);
    while (!seats_.empty()) forget(seats_.begin()->second);
    // callers_ is destroyed first of what their calls use, and waits for them.
}

bool Player::idle_within(std::chrono::milliseconds most) {
    std::unique_lock lock(mutex_);
    return idle_.wait_for(lock, most, [this] { return busy_ == 0; });
}

void Player::take_no_more() {
    const Guard guard(mutex_);
    leaving_ = true;
}

void Player::begin(Send send) {
    const Guard guard(mutex_);
    v1::PlayRequest request;
    v1::Hello& hello = *request.mutable_hello();
    hello.set_client("fudaba-cpp");
    hello.set_capacity(capacity_);
    hello.set_process(process_);
    hello.set_attempt(++attempt_);
    hello.set_batches(true);
    hello.mutable_delivery()->set_legal_moves(v1::LEGAL_MOVE_FORMAT_TYPED);
    hello.mutable_delivery()->set_events(v1::EVENT_DELIVERY_WITH_DECISION);
    for (const auto& [id, seat] : seats_) {
        seat->here = false;
        v1::Seen& seen = *hello.add_seen();
        seen.set_match_id(id);
        seen.set_seen(seat->seen);
        seen.set_history(seat->history);
    }
    send_ = std::move(send);
    send_(std::move(request));
}

void Player::disconnected() {
    const Guard guard(mutex_);
    send_ = nullptr;
}

void Player::forget_missing() {
    const Guard guard(mutex_);
    for (auto place = seats_.begin(); place != seats_.end();) {
        const SeatPtr seat = (place++)->second;
        if (seat->here) continue;
        log(seat->match->id + ": the service does not bring it any more");
        forget(seat);
    }
}

void Player::received(v1::PlayResponse& message) {
    const Guard guard(mutex_);
    if (message.has_ping() && send_) {
        v1::PlayRequest request;
        request.mutable_pong()->set_id(message.ping().id());
        send_(std::move(request));
    } else if (message.has_update()) {
        update(*message.mutable_update());
    } else if (message.has_updates()) {
        for (v1::SeatUpdate& one : *message.mutable_updates()->mutable_updates()) update(one);
    } else if (message.has_refusal()) {
        refused(*message.mutable_refusal());
    }
}

void Player::update(v1::SeatUpdate& update) {
    const auto place = seats_.find(update.match_id());
    const SeatPtr seat = place != seats_.end() ? place->second : new_seat(update);
    if (!seat) return;
    seat->here = true;
    seat->seen = update.seen();
    seat->history = update.history();
    if (update.rewound()) {
        // What was asked and answered since then has not happened, even where an id comes again.
        seat->close();
        seat->events.Clear();
        call(seat, [seat] { seat->bot->rewound(); });
    }
    for (v1::Event& event : *update.mutable_events()) *seat->events.Add() = std::move(event);
    const auto closed = [&](const std::string& id) {
        if (seat->open && seat->open->decision.id == id) seat->close();
    };
    for (const std::string& id : update.accepted()) closed(id);
    for (const std::string& id : update.timed_out()) {
        closed(id);
        log(update.match_id() + ": time ran out for decision " + id);
    }
    if (update.has_over()) {
        over(seat, *update.mutable_over());
    } else if (update.has_decision() && !leaving_) {
        asked(seat, *update.mutable_decision());
    }
}

// The seat of a match that is new here, whose bot is going to be made; none for one that was over for us already.
Player::SeatPtr Player::new_seat(v1::SeatUpdate& update) {
    if (!update.has_started()) return nullptr;
    callers_.remove_if([](const Caller& caller) { return caller.ended(); });
    auto match = std::make_shared<Match>();
    match->id = update.match_id();
    match->game = update.started().game();
    match->seat = static_cast<int>(update.seat());
    match->header = std::move(*update.mutable_started());
    const auto seat = std::make_shared<Seat>(std::move(match), callers_.emplace_back());
    seats_[update.match_id()] = seat;
    ++busy_;
    seat->caller.call([this, seat] { make_bot(seat); });
    return seat;
}

void Player::make_bot(const SeatPtr& seat) {
    auto problem = thrown_by([&] { seat->bot = new_bot_(*seat->match); });
    if (!problem && !seat->bot) problem = "there is no bot for this match";
    if (problem) report(*seat->match, *problem, "it cannot be played and is left to its clock");
    const Guard guard(mutex_);
    const auto place = seats_.find(seat->match->id);
    if (problem && place != seats_.end() && place->second == seat) forget(seat);
    if (--busy_ == 0) idle_.notify_all();
}

void Player::over(const SeatPtr& seat, v1::MatchEnd& end) {
    const std::string& id = seat->match->id;
    if (end.has_outcome() && seat->match->seat < end.outcome().scores_size()) {
        log(id + ": over, score " + std::to_string(end.outcome().scores(seat->match->seat)));
    } else {
        log(id + ": over, without a result (" + std::string(v1::AbortCause_Name(end.abort_cause())) + ")");
    }
    seat->close();
    call(seat, [seat, end = std::move(end)] { seat->bot->over(end); });
    forget(seat);
}

void Player::asked(const SeatPtr& seat, v1::Decision& message) {
    if (seat->open && seat->open->decision.id == message.decision_id()) {
        // Asked again after a lost connection: the answer may have been lost with it. An answer counts once.
        send_answer(*seat->open);
        return;
    }
    seat->close();
    seat->open = std::make_shared<Open>();
    Decision& decision = seat->open->decision;
    decision.match = seat->match;
    decision.id = message.decision_id();
    decision.required = message.required();
    decision.view = std::move(*message.mutable_view());
    decision.legal_moves = std::move(*message.mutable_legal_moves());
    decision.legal_count = static_cast<int>(message.legal_count());
    decision.events = std::move(seat->events);
    decision.deadline = Clock::now() + std::chrono::milliseconds(message.time_ms());
    seat->events.Clear();
    think(seat);
}

// Has the bot asked about the decision that is open.
void Player::think(const SeatPtr& seat) {
    call(seat, [this, seat, open = seat->open] { choose(seat, open); });
}

void Player::choose(const SeatPtr& seat, const std::shared_ptr<Open>& open) {
    if (*open->decision.closed) return;  // while it waited
    const int index = choice_of(*seat->bot, open->decision);
    const Guard guard(mutex_);
    if (seat->open != open) return;
    v1::Answer& answer = open->answer.emplace();
    answer.set_match_id(seat->match->id);
    answer.set_decision_id(open->decision.id);
    answer.set_note(note_of(open->decision));
    answer.set_index(static_cast<std::uint32_t>(index));
    ++open->attempts;
    send_answer(*open);
}

// What is sent of a bot's note. What is wrong with it is told once.
std::string Player::note_of(const Decision& decision) {
    SendableNote note = sendable_note(decision.note);
    for (const std::string& fault : note.faults) {
        if (!note_faults_.insert(fault).second) continue;
        log(decision.match->id + ": " + decision.id + ": " + fault + "; the move stands, and this is told once");
    }
    return std::move(note.text);
}

void Player::send_answer(const Open& open) {
    if (!send_ || !open.answer) return;
    v1::PlayRequest request;
    *request.mutable_answer() = *open.answer;
    send_(std::move(request));
}

void Player::refused(v1::Refusal& refusal) {
    const std::string& id = refusal.match_id();
    log(id + ": refused: " + refusal.reason() + ": " + refusal.message());
    const auto place = seats_.find(id);
    if (place == seats_.end()) return;
    const SeatPtr seat = place->second;
    const auto open = seat->open;
    if (!open || !open->answer || open->decision.id != refusal.decision_id()) return;
    if (!refusal.still_open()) {
        seat->close();
    } else if (open->attempts >= attempts) {
        log(id + ": " + refusal.decision_id() + " is left to the clock");
    } else if (about_the_answer.contains(refusal.reason())) {
        open->answer.reset();
        open->decision.note.clear();
        open->decision.events.Clear();
        open->decision.refusal = std::move(refusal);
        think(seat);
    } else if (about_the_moment.contains(refusal.reason())) {
        ++open->attempts;
        const auto again = [this, seat, open] {
            const Guard guard(mutex_);
            if (seat->open == open) send_answer(*open);
        };
        call(seat, again, Clock::now() + again_after);
    }
}

// Calls something that is the bot's, behind what it was called for before.
void Player::call(const SeatPtr& seat, std::function<void()> function, Clock::time_point earliest) {
    ++busy_;
    const auto called = [this, seat, function = std::move(function)] {
        if (seat->bot) {
            if (const auto problem = thrown_by(function)) report(*seat->match, *problem, "the match goes on");
        }
        const Guard guard(mutex_);
        if (--busy_ == 0) idle_.notify_all();
    };
    seat->caller.call(called, earliest);
}

// Nothing more is done for it, but what the bot is called for already.
void Player::forget(SeatPtr seat) {
    seat->close();
    seats_.erase(seat->match->id);
    seat->caller.call([seat] { seat->bot.reset(); });
    seat->caller.close();
}

}  // namespace fudaba
