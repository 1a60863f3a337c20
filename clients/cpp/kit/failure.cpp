#include "failure.h"

#include <array>
#include <string_view>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace fudaba {
namespace {

constexpr std::array names = {
    "Ok",       "Canceled",        "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",   "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",      "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated",
};

bool useless(grpc::StatusCode code) {
    switch (code) {
        case grpc::StatusCode::UNAUTHENTICATED:
        case grpc::StatusCode::PERMISSION_DENIED:
        case grpc::StatusCode::INVALID_ARGUMENT:
        case grpc::StatusCode::NOT_FOUND:
        case grpc::StatusCode::FAILED_PRECONDITION:
        case grpc::StatusCode::UNIMPLEMENTED:
            return true;
        default:
            return false;
    }
}

// Reads a message of the details, if that is what it is.
template <class Message>
bool read(Message& message, std::string_view name, const google::protobuf::Any& detail) {
    return std::string_view(detail.type_url()).ends_with(name) && message.ParseFromString(detail.value());
}

}  // namespace

bool Failure::fatal() const {
    // Without a reason it is gRPC's own: a message is too large, and will be the next time.
    const bool too_large = code == grpc::StatusCode::RESOURCE_EXHAUSTED && reason.empty();
    return (useless(code) && retry_after.count() == 0) || reason == "SUPERSEDED" || too_large;
}

std::string Failure::text() const {
    const auto number = static_cast<std::size_t>(code);
    return (!reason.empty()         ? reason
            : number < names.size() ? names[number]
                                    : "code " + std::to_string(number)) +
           ": " + message;
}

Failure failure_of(const grpc::Status& status) {
    if (status.ok()) return {.message = "the service ended it"};
    Failure found{.code = status.error_code(), .message = status.error_message()};
    google::rpc::Status told;
    if (!told.ParseFromString(status.error_details())) return found;
    for (const auto& detail : told.details()) {
        google::rpc::ErrorInfo info;
        google::rpc::RetryInfo retry;
        if (read(info, "/google.rpc.ErrorInfo", detail) && info.domain() == "fudaba") {
            found.reason = info.reason();
        } else if (read(retry, "/google.rpc.RetryInfo", detail)) {
            const auto& delay = retry.retry_delay();
            found.retry_after = std::chrono::milliseconds(delay.seconds() * 1000 + delay.nanos() / 1'000'000);
        }
    }
    return found;
}

}  // namespace fudaba
