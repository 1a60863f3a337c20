// The kit's own tests; `make test` runs them too.

#include <cstdio>
#include <cstdlib>

#include "connection.h"
#include "environment.h"
#include "failure.h"
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

}  // namespace

int main() {
    delays_grow_to_the_longest_and_are_never_in_step();
    what_trying_again_cannot_mend();
    an_address_has_a_port_or_is_a_socket();
    what_is_no_utf8_is_replaced();
}
