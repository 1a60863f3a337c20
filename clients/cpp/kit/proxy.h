// HTTP proxies on the way to a service. None leads to this machine, whatever the environment says.
#pragma once

#include <functional>
#include <string>

namespace fudaba {

// Whether an address is on this machine: a Unix socket, or loopback.
bool is_loopback(const std::string& address);

// Which proxy gRPC reaches an address through, without its password, and the variable that names it, in words for a
// message; empty if none. A variable that is not set is an empty text.
std::string through_proxy(const std::string& address, const std::function<std::string(const char* name)>& environment);

}  // namespace fudaba
