// One Play stream: what is received goes to the player, and what the player sends waits here for its turn.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include <grpcpp/alarm.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include "environment.h"
#include "failure.h"
#include "player.h"

namespace fudaba {

class Stream {
public:
    enum class News { none, welcome, woken, end };

    Stream(const Endpoint& endpoint, Player& player);
    // It must have ended.
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    // Waits for the next step, at most until a time, and takes it. All is done in here but what other threads send.
    News next(Clock::time_point until);
    // Has `next` return, also from another thread. Once.
    void wake();
    // Closes this side behind what waits to be sent; the service then ends the stream.
    void close();
    // Ends it at once; the news follows.
    void cancel() { context_.TryCancel(); }
    // Why it has ended.
    Failure failure() const { return failure_of(status_); }

private:
    // What gRPC says that it has done.
    enum class Done : std::intptr_t { start, read, write, half_close, finish, alarm };

    static void* tag(Done done) { return reinterpret_cast<void*>(done); }
    News done(Done what, bool ok);
    News read();
    void send(v1::PlayRequest request);
    void write();
    void finish();

    const Endpoint& endpoint_;
    Player& player_;
    grpc::CompletionQueue queue_;
    grpc::ClientContext context_;
    grpc::GenericStub stub_;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
    grpc::Alarm alarm_;
    grpc::ByteBuffer response_;
    grpc::Status status_;

    std::mutex mutex_;
    std::deque<v1::PlayRequest> waiting_;
    // Whether a message can be written now.
    bool writable_ = false;
    // Whether this side is to be closed.
    bool closing_ = false;
};

}  // namespace fudaba
