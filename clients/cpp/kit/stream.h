// One Play stream: what is received goes to the player, and what the player sends waits here for its turn.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include "environment.h"
#include "failure.h"
#include "player.h"

namespace fudaba {

// What the main thread waits for: that it is told to stop, or that a stream has changed.
struct Watch {
    std::mutex mutex;
    std::condition_variable changed;
    bool stop = false;
};

class Stream final : private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
public:
    // Begins it. It has to be awaited to its end before it is destroyed.
    Stream(const Endpoint& endpoint, Player& player, Watch& watch);

    // Closes this side behind what waits to be sent; the service then ends the stream.
    void close();
    // Ends it at once.
    void cancel() { context_.TryCancel(); }

    // With the watch's mutex, and told by it:
    bool welcomed() const { return welcomed_; }
    bool ended() const { return ended_; }
    // Why, once it has ended.
    Failure failure() const { return failure_of(status_); }

private:
    void add(v1::PlayRequest request);
    void write();
    void received(v1::PlayResponse& message);
    void OnReadDone(bool ok) override;
    void OnWriteDone(bool ok) override;
    void OnDone(const grpc::Status& status) override;

    const Endpoint& endpoint_;
    Player& player_;
    Watch& watch_;
    bool welcomed_ = false;
    bool ended_ = false;
    grpc::Status status_;

    grpc::ClientContext context_;
    grpc::GenericStub stub_;
    grpc::ByteBuffer response_;

    std::mutex mutex_;
    std::deque<v1::PlayRequest> waiting_;
    grpc::ByteBuffer request_;
    // Whether request_ is being written.
    bool writing_ = false;
    // Whether this side is to be closed, and has been.
    bool closing_ = false;
    bool closed_ = false;
    // Whether nothing can be written any more.
    bool broken_ = false;
};

}  // namespace fudaba
