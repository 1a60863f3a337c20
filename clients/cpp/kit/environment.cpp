#include "environment.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include "proxy.h"

namespace fudaba {
namespace {

bool is_graphic(unsigned char one) {
    return one > 0x20 && one < 0x7f;
}

bool is_address(std::string_view address) {
    if (address.starts_with("unix:")) return address.size() > 5;
    const std::size_t colon = address.rfind(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view host = address.substr(0, colon), port = address.substr(colon + 1);
    const auto is_bad = [](unsigned char one) { return one == '/' || one <= ' '; };
    const auto is_digit = [](char one) { return one >= '0' && one <= '9'; };
    return !host.empty() && std::none_of(host.begin(), host.end(), is_bad) && !port.empty() && port.size() <= 5 &&
           std::all_of(port.begin(), port.end(), is_digit);
}

constexpr std::uint32_t most_matches = 1'000'000;

std::uint32_t capacity_of(const std::string& given) {
    const std::string_view digits = "0123456789";
    const bool is_number = given.find_first_not_of(digits) == std::string::npos && given.size() <= 7;
    const unsigned long number = is_number && !given.empty() ? std::stoul(given) : 0;
    if (!is_number || number > most_matches) {
        throw BadEnvironment("FUDABA_CAPACITY is '" + given + "'; write how many matches at once, up to " +
                             std::to_string(most_matches));
    }
    return static_cast<std::uint32_t>(number);
}

// The content of a PEM file.
std::string authority_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    if (!file || !(content << file.rdbuf())) {
        throw BadEnvironment("FUDABA_CA_CERT names " + path + ", which cannot be read (" + std::strerror(errno) + ")");
    }
    if (content.str().find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
        throw BadEnvironment("FUDABA_CA_CERT names " + path + ", which holds no certificate; it wants a PEM file");
    }
    return content.str();
}

}  // namespace

Endpoint endpoint_of(const std::function<std::string(const char* name)>& environment) {
    Endpoint endpoint;
    endpoint.token = environment("FUDABA_TOKEN");
    if (endpoint.token.empty()) throw BadEnvironment("set FUDABA_TOKEN to your bot's token");
    if (!std::all_of(endpoint.token.begin(), endpoint.token.end(), is_graphic)) {
        throw BadEnvironment("FUDABA_TOKEN has blanks or characters that no token has; copy it again");
    }
    endpoint.address = environment("FUDABA_SERVER");
    if (endpoint.address.empty()) endpoint.address = "127.0.0.1:7710";
    if (!is_address(endpoint.address)) {
        throw BadEnvironment("FUDABA_SERVER is '" + endpoint.address + "'; write HOST:PORT, or unix:/path/to/socket");
    }
    endpoint.through = through_proxy(endpoint.address, environment);
    endpoint.capacity = capacity_of(environment("FUDABA_CAPACITY"));
    const std::string authority = environment("FUDABA_CA_CERT");
    if (!authority.empty()) endpoint.authority = authority_of(authority);
    endpoint.secure = !authority.empty() || !environment("FUDABA_TLS").empty();
    return endpoint;
}

}  // namespace fudaba
