// Runs a bot: signals, exit codes.

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "bot.h"
#include "connection.h"
#include "environment.h"
#include "log.h"

namespace fudaba {
namespace {

int told[2];  // a pipe: a signal's handler may do little more than write to it

void handle(int) {
    const int before = errno;
    const char byte = 0;
    [[maybe_unused]] const auto written = ::write(told[1], &byte, 1);
    errno = before;
}

// Has SIGTERM and Ctrl-C tell to stop; a second one of them ends the process at once.
class Signals {
public:
    explicit Signals(Stop& stop) {
        if (pipe(told) != 0) std::abort();
        struct sigaction action {};
        action.sa_handler = handle;
        action.sa_flags = SA_RESTART;
        sigaction(SIGTERM, &action, nullptr);
        sigaction(SIGINT, &action, nullptr);
        thread_ = std::thread([&stop] { wait(stop); });
    }
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;
    ~Signals() {
        handle(0);
        thread_.join();
    }

private:
    static void wait(Stop& stop) {
        char byte = 0;
        [[maybe_unused]] const auto got = ::read(told[0], &byte, 1);
        std::signal(SIGTERM, SIG_DFL);
        std::signal(SIGINT, SIG_DFL);
        stop.tell();
    }

    std::thread thread_;
};

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

}  // namespace

int run(const NewBot& new_bot) {
    setenv("GRPC_VERBOSITY", "NONE", 0);  // what it has to say comes with the failures
    Endpoint endpoint;
    try {
        endpoint = endpoint_of(variable);
    } catch (const BadEnvironment& problem) {
        log(problem.what());
        return 2;
    }
    Stop stop;
    const Signals signals(stop);
    Player player(new_bot, endpoint.capacity);
    const auto problem = play(endpoint, player, stop);
    if (problem) log(*problem);
    const int code = problem ? 1 : 0;
    if (!player.idle_within(problem ? std::chrono::seconds(0) : goodbye_time)) {
        std::fflush(nullptr);
        std::_Exit(code);  // a bot that thinks on cannot be stopped otherwise
    }
    return code;
}

}  // namespace fudaba
