#include "stream.h"

#include <utility>

#include "log.h"
#include "proxy.h"

namespace fudaba {
namespace {

std::shared_ptr<grpc::Channel> channel_to(const Endpoint& endpoint) {
    auto credentials = grpc::InsecureChannelCredentials();
    if (endpoint.secure) {
        grpc::SslCredentialsOptions options;
        options.pem_root_certs = endpoint.authority;
        credentials = grpc::SslCredentials(options);
    }
    grpc::ChannelArguments arguments;
    // A dead connection is noticed within seconds, and never shared with another channel.
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
    arguments.SetInt("grpc.http2.ping_timeout_ms", 5'000);  // the same, by the name that newer releases listen to
    arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
    // No proxy leads to this machine, whatever http_proxy says; gRPC itself makes no such exception.
    if (is_loopback(endpoint.address)) arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    return grpc::CreateCustomChannel(endpoint.address, credentials, arguments);
}

grpc::ByteBuffer bytes_of(const v1::PlayRequest& request) {
    const grpc::Slice bytes(request.SerializeAsString());
    return grpc::ByteBuffer(&bytes, 1);
}

bool parse(const grpc::ByteBuffer& buffer, v1::PlayResponse& response) {
    grpc::Slice bytes;
    return buffer.DumpToSingleSlice(&bytes).ok() &&
           response.ParseFromArray(bytes.begin(), static_cast<int>(bytes.size()));
}

}  // namespace

Stream::Stream(const Endpoint& endpoint, Player& player)
    : endpoint_(endpoint), player_(player), stub_(channel_to(endpoint)) {
    context_.AddMetadata("authorization", "Bearer " + endpoint.token);
    // By its name, so that nobody needs a generator of code for gRPC.
    call_ = stub_.PrepareCall(&context_, "/fudaba.v1.PlayService/Play", &queue_);
    player_.begin([this](v1::PlayRequest request) { send(std::move(request)); });
    call_->StartCall(tag(Done::start));
}

Stream::~Stream() {
    alarm_.Cancel();
    queue_.Shutdown();
    void* what = nullptr;
    bool ok = false;
    while (queue_.Next(&what, &ok)) {
    }
}

Stream::News Stream::next(Clock::time_point until) {
    using std::chrono::system_clock;
    const auto left = std::chrono::duration_cast<system_clock::duration>(until - Clock::now());
    const auto deadline = system_clock::now() + left;
    void* what = nullptr;
    bool ok = false;
    if (queue_.AsyncNext(&what, &ok, deadline) != grpc::CompletionQueue::GOT_EVENT) return News::none;
    return done(static_cast<Done>(reinterpret_cast<std::intptr_t>(what)), ok);
}

void Stream::wake() {
    alarm_.Set(&queue_, std::chrono::system_clock::now(), tag(Done::alarm));
}

void Stream::close() {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    write();
}

Stream::News Stream::done(Done what, bool ok) {
    switch (what) {
        case Done::start:
        case Done::write:
            if (ok) {
                const std::lock_guard lock(mutex_);
                writable_ = true;
                write();
            }
            if (what == Done::start && ok) call_->Read(&response_, tag(Done::read));
            if (what == Done::start && !ok) finish();
            return News::none;  // after a failed write, what reads is told why
        case Done::read:
            if (ok) return read();
            finish();
            return News::none;
        case Done::finish:
            return News::end;
        case Done::alarm:
            return News::woken;
        case Done::half_close:
            break;
    }
    return News::none;
}

Stream::News Stream::read() {
    v1::PlayResponse message;
    const bool read = parse(response_, message);
    if (!read) {
        log("the service sent what is no message of the contract");
        cancel();
    }
    call_->Read(&response_, tag(Done::read));
    if (!read || !message.has_welcome()) {
        player_.received(message);
        return News::none;
    }
    const v1::Welcome& welcome = message.welcome();
    log("connected to " + endpoint_.address + " as " + welcome.bot() + " " + welcome.version());
    if (!welcome.notice().empty()) log(welcome.notice());
    return News::welcome;
}

void Stream::finish() {
    player_.disconnected();
    const std::lock_guard lock(mutex_);
    writable_ = false;
    call_->Finish(&status_, tag(Done::finish));
}

void Stream::send(v1::PlayRequest request) {
    const std::lock_guard lock(mutex_);
    if (request.has_pong()) {
        waiting_.push_front(std::move(request));  // it measures the network, not this process
    } else {
        waiting_.push_back(std::move(request));
    }
    write();
}

// Begins to write what is next, if that can be done. With the mutex.
void Stream::write() {
    if (!writable_) return;
    if (!waiting_.empty()) {
        writable_ = false;
        call_->Write(bytes_of(waiting_.front()), tag(Done::write));
        waiting_.pop_front();
    } else if (closing_) {
        writable_ = false;
        call_->WritesDone(tag(Done::half_close));
    }
}

}  // namespace fudaba
