#include "proxy.h"

#include <regex>
#include <sstream>
#include <string_view>

namespace fudaba {
namespace {

// Whether the environment lists a host as one that no proxy leads to: an entry is the end of its name.
bool is_excepted(std::string_view host, const std::function<std::string(const char* name)>& environment) {
    std::string listed = environment("no_grpc_proxy");
    if (listed.empty()) listed = environment("no_proxy");
    std::istringstream entries(listed);
    for (std::string entry; std::getline(entries, entry, ',');) {
        const std::size_t begin = entry.find_first_not_of(" *"), end = entry.find_last_not_of(' ');
        if (begin != std::string::npos && host.ends_with(entry.substr(begin, end - begin + 1))) return true;
    }
    return false;
}

}  // namespace

bool is_loopback(const std::string& address) {
    static const std::regex loopback(R"(unix:.+|(localhost|127(\.\d+){3}|\[::1\]):\d+)");
    return std::regex_match(address, loopback);
}

std::string through_proxy(const std::string& address, const std::function<std::string(const char* name)>& environment) {
    if (is_loopback(address) || is_excepted(address.substr(0, address.rfind(':')), environment)) return "";
    for (const char* name : {"grpc_proxy", "https_proxy", "http_proxy"}) {  // gRPC looks for it in this order
        std::string proxy = environment(name);
        if (proxy.empty()) continue;
        if (const std::size_t scheme = proxy.find("://"); scheme != std::string::npos) proxy.erase(0, scheme + 3);
        proxy.erase(0, proxy.rfind('@') + 1);
        return ", through the proxy " + proxy.substr(0, proxy.find('/')) + " (from " + name + ")";
    }
    return "";
}

}  // namespace fudaba
