#include "handshake.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <memory>
#ifndef MSG_NOSIGNAL  // not everywhere
#define MSG_NOSIGNAL 0
#endif

namespace fudaba {
namespace {

class Socket {
public:
    explicit Socket(const addrinfo& info) : number_(socket(info.ai_family, info.ai_socktype, info.ai_protocol)) {}
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() {
        if (number_ >= 0) close(number_);
    }
    int number() const { return number_; }

private:
    int number_;
};

// The first message of a handshake, which asks for one cipher suite; zeros are what should be random.
constexpr std::array<unsigned char, 50> client_hello = [] {
    std::array<unsigned char, 50> bytes{22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3};
    constexpr std::array<unsigned char, 7> end{0, 0, 2, 0x13, 0x01, 1, 0};
    for (std::size_t at = 0; at < end.size(); ++at) bytes[43 + at] = end[at];
    return bytes;
}();

bool answers_in_tls(const addrinfo& info) {
    const Socket socket(info);
    timeval patience{.tv_sec = 5, .tv_usec = 0};
    setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(socket.number(), info.ai_addr, info.ai_addrlen) != 0) return false;
    if (send(socket.number(), client_hello.data(), client_hello.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(client_hello.size()))
        return false;
    unsigned char kind = 0;
    return recv(socket.number(), &kind, 1, 0) == 1 && (kind == 21 || kind == 22);  // an alert, a handshake
}

}  // namespace

bool speaks_tls(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    std::string host = address.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), address.substr(colon + 1).c_str(), &wanted, &found) != 0) return false;
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, freeaddrinfo);
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        if (answers_in_tls(*one)) return true;
    }
    return false;
}

}  // namespace fudaba
