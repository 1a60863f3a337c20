#pragma once

#include <string>

namespace fudaba {

// Whether the server at HOST:PORT answers the beginning of a TLS handshake with a message of TLS: its own part of it,
// or an alert. Takes at most some seconds.
bool speaks_tls(const std::string& address);

}  // namespace fudaba
