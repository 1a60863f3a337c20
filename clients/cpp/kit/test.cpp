// The kit's own tests; `make test` runs them too.

#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "connection.h"
#include "environment.h"
#include "failure.h"
#include "note.h"
#include "player.h"
#include "proxy.h"
#include "utf8.h"

namespace {

using namespace std::chrono_literals;

void check(bool fact, const char* what) {
    if (fact) return;
    std::fprintf(stderr, "FAILED: %s\n", what);
    std::exit(1);
}

void delays_grow_to_the_longest_and_are_never_in_step() {
    check(fudaba::delay_before(0, 0ms, 0) == 100ms, "the shortest first delay");
    check(fudaba::delay_before(0, 0ms, 1) == 200ms, "the longest first delay");
    check(fudaba::delay_before(100, 0ms, 1) == 15s, "the longest delay");
    check(fudaba::delay_before(0, 60s, 1) == 60s, "the service asked for a minute");
}

void what_trying_again_cannot_mend() {
    using enum grpc::StatusCode;
    using fudaba::Failure;
    check((Failure{UNAUTHENTICATED, "", "", 0ms}).fatal(), "a token that is unknown");
    check((Failure{ABORTED, "SUPERSEDED", "", 0ms}).fatal(), "another process");
    check((Failure{RESOURCE_EXHAUSTED, "", "", 0ms}).fatal(), "a message that is too large");
    check(!(Failure{RESOURCE_EXHAUSTED, "TOO_FAST", "", 0ms}).fatal(), "too many messages");
    check(!(Failure{FAILED_PRECONDITION, "", "", 1s}).fatal(), "what time mends");
    check(!(Failure{UNAVAILABLE, "", "", 0ms}).fatal(), "no connection");
    check(!(Failure{OK, "", "", 0ms}).fatal(), "an end by the service");
}

void an_address_has_a_port_or_is_a_socket() {
    const auto taken = [](const std::string& address) {
        const auto environment = [&](const std::string& name) {
            return name == "FUDABA_TOKEN" ? "t" : name == "FUDABA_SERVER" ? address : "";
        };
        try {
            return fudaba::endpoint_of(environment).address == address;
        } catch (const fudaba::BadEnvironment&) {
            return false;
        }
    };
    for (const char* good : {"play.example.org:7710", "[::1]:7710", "unix:/run/s"}) check(taken(good), good);
    for (const char* bad : {"play.example.org", "http://play.example.org:1", "a b:1", ":1", "a:", "a:x", "unix:"}) {
        check(!taken(bad), bad);
    }
}

void loopback_is_on_this_machine() {
    for (const char* near : {"unix:/run/s", "localhost:1", "127.0.0.1:1", "127.8.9.10:1", "[::1]:1"}) {
        check(fudaba::is_loopback(near), near);
    }
    for (const char* far : {"play.example.org:1", "127.example.org:1", "localhost.example.org:1", "[::2]:1"}) {
        check(!fudaba::is_loopback(far), far);
    }
}

void the_proxy_on_the_way_is_named_without_its_password() {
    using Variables = std::map<std::string, std::string>;
    const auto named = [](const std::string& address, const Variables& set) {
        return fudaba::through_proxy(address, [&set](const char* name) {
            const auto found = set.find(name);
            return found == set.end() ? std::string() : found->second;
        });
    };
    const std::string far = "play.example.org:1", proxy = "http://me:secret@proxy:3128/";
    const std::string words = ", through the proxy proxy:3128 (from https_proxy)";
    check(named(far, {{"http_proxy", "http://other:1"}, {"https_proxy", proxy}}) == words, "the one that gRPC takes");
    check(named(far, {{"https_proxy", "proxy:3128"}}) == words, "without a scheme");
    check(named(far, {}).empty(), "no proxy");
    check(named("127.0.0.1:1", {{"https_proxy", proxy}}).empty(), "this machine");
    check(named(far, {{"https_proxy", proxy}, {"no_proxy", "a.test, *.example.org"}}).empty(), "an exception");
    check(named(far, {{"https_proxy", proxy}, {"no_proxy", "example.com, "}}) == words, "no exception");
}

void what_is_no_utf8_is_replaced() {
    const auto text = [](std::string_view one) { return fudaba::cleaned(one, [](char32_t) { return false; }); };
    for (const char* good : {"", "a\n", "札場", "\xf0\x9f\x82\xa1"}) check(text(good) == good, good);
    const std::string instead = "\xef\xbf\xbd";
    check(text("a\xff"
               "b") == "a" + instead + "b",
          "a byte that begins nothing");
    check(text("\xe6\x9c") == instead, "a character that is cut off");
    check(text("\xe6\x9c"
               "b") == instead + "b",
          "a character that is cut short");
    check(text("\xc0\x80") == instead, "a character in more bytes than it needs");
    check(text("\xed\xa0\x80") == instead, "half of a pair of UTF-16");
    check(text("\xf4\x90\x80\x80") == instead, "a number beyond the last character");
}

void a_note_is_put_right_and_cut_at_the_end_of_a_character() {
    const auto repeated = [](std::string_view text, int times) {
        std::string all;
        for (int time = 0; time < times; ++time) all += text;
        return all;
    };
    const auto sent = [](const std::string& note, const std::string& text, std::size_t faults) {
        const fudaba::SendableNote sendable = fudaba::sendable_note(note);
        check(sendable.text == text && sendable.faults.size() == faults, text.c_str());
    };
    sent("", "", 0);
    sent("two aces\n", "two aces\n", 0);
    sent(std::string("a\0b", 3), std::string("a\0b", 3), 0);
    sent(repeated("x", 1024), repeated("x", 1024), 0);
    sent(repeated("x", 1025), repeated("x", 1024), 1);
    sent("ab" + repeated("札", 341), "ab" + repeated("札", 340), 1);
    sent("\xff" + repeated("札", 500), "\xef\xbf\xbd" + repeated("札", 340), 2);
}

// Fails in the way that the decision's id says.
class Failing : public fudaba::Bot {
public:
    int choose(fudaba::Decision& decision) override {
        decision.note = "why \xff";
        if (decision.id == "an exception") throw std::runtime_error("no idea");
        if (decision.id == "a number as an exception") throw 7;
        return decision.id == "too large" ? decision.legal_count : -1;
    }
    void over(const fudaba::v1::MatchEnd&) override { throw std::runtime_error("in over"); }
};

fudaba::v1::PlayResponse asked(const char* match, const char* decision) {
    fudaba::v1::PlayResponse message;
    message.mutable_update()->set_match_id(match);
    message.mutable_update()->mutable_started()->set_game("naga");
    message.mutable_update()->mutable_decision()->set_decision_id(decision);
    message.mutable_update()->mutable_decision()->set_legal_count(3);
    message.mutable_update()->mutable_decision()->set_time_ms(60'000);
    return message;
}

void a_bot_that_fails_plays_the_default_move() {
    std::vector<fudaba::v1::PlayRequest> sent;
    fudaba::Player player([](const fudaba::Match&) { return std::make_unique<Failing>(); });
    player.begin([&](fudaba::v1::PlayRequest request) { sent.push_back(std::move(request)); });
    for (const char* how : {"an exception", "a number as an exception", "too large", "below zero"}) {
        auto message = asked("m", how);
        player.received(message);
        check(player.idle_within(60s), how);
        const auto& answer = sent.back().answer();
        check(answer.decision_id() == how && answer.has_index() && answer.index() == 0, how);
        check(answer.note() == "why \xef\xbf\xbd", "a note that can be sent");
    }
    fudaba::v1::PlayResponse end;
    end.mutable_update()->set_match_id("m");
    end.mutable_update()->mutable_over();
    player.received(end);
    check(player.idle_within(60s), "an exception at the end");
}

void a_match_whose_bot_cannot_be_made_is_left_alone() {
    std::vector<fudaba::v1::PlayRequest> sent;
    fudaba::Player player([](const fudaba::Match& match) {
        if (match.id == "bad") throw std::runtime_error("not this one");
        return std::make_unique<Failing>();
    });
    player.begin([&](fudaba::v1::PlayRequest request) { sent.push_back(std::move(request)); });
    for (const char* match : {"bad", "good"}) {
        auto message = asked(match, "too large");
        player.received(message);
    }
    check(player.idle_within(60s), "all bots are done");
    check(sent.size() == 2 && sent.back().answer().match_id() == "good", "only the good one answers, behind the hello");
}

}  // namespace

int main() {
    delays_grow_to_the_longest_and_are_never_in_step();
    what_trying_again_cannot_mend();
    an_address_has_a_port_or_is_a_socket();
    loopback_is_on_this_machine();
    the_proxy_on_the_way_is_named_without_its_password();
    what_is_no_utf8_is_replaced();
    a_note_is_put_right_and_cut_at_the_end_of_a_character();
    a_bot_that_fails_plays_the_default_move();
    a_match_whose_bot_cannot_be_made_is_left_alone();
}
