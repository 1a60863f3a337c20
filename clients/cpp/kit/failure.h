#pragma once

#include <chrono>
#include <string>

#include <grpcpp/support/status.h>

namespace fudaba {

// Why a stream ended.
struct Failure {
    grpc::StatusCode code = grpc::StatusCode::OK;
    // One of contract/fudaba/v1/errors.proto; empty when it was not the service that spoke.
    std::string reason{};
    std::string message{};
    // How long the service asks to wait before the next attempt.
    std::chrono::milliseconds retry_after{0};

    // Whether it is of no use to connect again.
    bool fatal() const;
    std::string text() const;
};

Failure failure_of(const grpc::Status& status);

}  // namespace fudaba
