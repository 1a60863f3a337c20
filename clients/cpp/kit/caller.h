#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace fudaba {

// Calls functions one after the other, on a thread of its own.
class Caller {
public:
    using Time = std::chrono::steady_clock::time_point;

    Caller() : thread_([this] { work(); }) {}
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    // Waits until all that was asked for has been called.
    ~Caller();

    // Calls a function behind those that wait. It must not throw. Before `earliest` it is called only if others come.
    void call(std::function<void()> function, Time earliest = {});
    // Nothing more will be asked for: the thread ends behind what waits.
    void close();
    // Whether the thread has nothing more to do, ever.
    bool ended() const;

private:
    struct Call {
        std::function<void()> function;
        Time earliest;
    };

    void work();

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Call> waiting_;
    bool closed_ = false;
    bool ended_ = false;
    std::thread thread_;
};

}  // namespace fudaba
