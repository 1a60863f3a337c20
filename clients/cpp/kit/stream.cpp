#include "stream.h"

#include <utility>

#include "log.h"

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

Stream::Stream(const Endpoint& endpoint, Player& player, Watch& watch)
    : endpoint_(endpoint), player_(player), watch_(watch), stub_(channel_to(endpoint)) {
    context_.AddMetadata("authorization", "Bearer " + endpoint.token);
    // By its name, so that nobody needs a generator of code for gRPC.
    stub_.PrepareBidiStreamingCall(&context_, "/fudaba.v1.PlayService/Play", {}, this);
    AddHold();  // for what is written from the threads of bots; until nothing more can be read
    player_.begin([this](v1::PlayRequest request) { add(std::move(request)); });
    StartRead(&response_);
    StartCall();
}

void Stream::add(v1::PlayRequest request) {
    const std::lock_guard lock(mutex_);
    if (request.has_pong()) {
        waiting_.push_front(std::move(request));  // it measures the network, not this process
    } else {
        waiting_.push_back(std::move(request));
    }
    write();
}

void Stream::close() {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    write();
}

// Begins to write what is next, if that can be done. With the mutex.
void Stream::write() {
    if (writing_ || closed_ || broken_) return;
    if (!waiting_.empty()) {
        writing_ = true;
        request_ = bytes_of(waiting_.front());
        waiting_.pop_front();
        StartWrite(&request_);
    } else if (closing_) {
        closed_ = true;
        StartWritesDone();
    }
}

void Stream::OnWriteDone(bool ok) {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    broken_ = broken_ || !ok;  // what reads is told why
    write();
}

void Stream::OnReadDone(bool ok) {
    if (!ok) {
        player_.disconnected();
        {
            const std::lock_guard lock(mutex_);
            broken_ = true;
        }
        RemoveHold();
        return;
    }
    v1::PlayResponse message;
    if (parse(response_, message)) {
        received(message);
    } else {
        log("the service sent what is no message of the contract");
        cancel();
    }
    StartRead(&response_);
}

void Stream::received(v1::PlayResponse& message) {
    if (!message.has_welcome()) {
        player_.received(message);
        return;
    }
    const v1::Welcome& welcome = message.welcome();
    log("connected to " + endpoint_.address + " as " + welcome.bot() + " " + welcome.version());
    const std::lock_guard lock(watch_.mutex);
    welcomed_ = true;
    watch_.changed.notify_all();
}

void Stream::OnDone(const grpc::Status& status) {
    const std::lock_guard lock(watch_.mutex);
    status_ = status;
    ended_ = true;
    watch_.changed.notify_all();
}

}  // namespace fudaba
