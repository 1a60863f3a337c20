#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace fudaba {

// Where the service is, and as whom to speak to it.
struct Endpoint {
    // HOST:PORT or unix:/path/to/socket.
    std::string address;
    // Which proxy it is reached through, in words for a message; empty if none.
    std::string through;
    std::string token;
    bool secure = false;
    // The PEM file's content of the authority to trust instead of those that the system trusts; empty for these.
    std::string authority;
    // How many matches it plays at once; 0 for any number.
    std::uint32_t capacity = 0;
};

// The environment cannot be used; says in one line what to change.
struct BadEnvironment : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Reads the environment; a variable that is not set is an empty text. Throws BadEnvironment.
Endpoint endpoint_of(const std::function<std::string(const char* name)>& environment);

}  // namespace fudaba
