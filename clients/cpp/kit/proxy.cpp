#include "proxy.h"

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

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether a host is one of 127.0.0.0/8, written with all four numbers.
bool is_loopback_number(std::string_view host) {
    std::istringstream numbers{std::string(host)};
    std::string number, first;
    int count = 0;
    for (; std::getline(numbers, number, '.'); ++count) {
        if (!is_number(number)) return false;
        if (count == 0) first = number;
    }
    return count == 4 && first == "127" && host.back() != '.';
}

}  // namespace

bool is_loopback(const std::string& address) {
    const std::string_view whole = address;
    if (whole.starts_with("unix:")) return whole.size() > 5;
    const std::size_t colon = whole.rfind(':');
    if (colon == std::string_view::npos || !is_number(whole.substr(colon + 1))) return false;
    const std::string_view host = whole.substr(0, colon);
    return host == "localhost" || host == "[::1]" || is_loopback_number(host);
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
