#include "caller.h"

#include <utility>

namespace fudaba {

Caller::~Caller() {
    close();
    thread_.join();
}

void Caller::call(std::function<void()> function, Time earliest) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(function), earliest});
    changed_.notify_one();
}

void Caller::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_one();
}

bool Caller::ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
}

void Caller::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
        if (waiting_.empty()) break;
        changed_.wait_until(lock, waiting_.front().earliest, [this] { return closed_ || waiting_.size() > 1; });
        const Call next = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        next.function();
        lock.lock();
    }
    ended_ = true;
}

}  // namespace fudaba
