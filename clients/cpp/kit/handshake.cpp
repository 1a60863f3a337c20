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

// The first message of a handshake of TLS 1.2, which offers enough that no server simply hangs up. The numbers are
// those of RFC 5246, and of RFC 7301 for the last part.
constexpr std::array<unsigned char, 97> client_hello{
    22, 3,  1,    0,    92,                           // a record of a handshake, and its length
    1,  0,  0,    88,   3,    3,                      // a hello, its length, TLS 1.2
    0,  0,  0,    0,    0,    0,    0, 0,             // what should be random
    0,  0,  0,    0,    0,    0,    0, 0,             //
    0,  0,  0,    0,    0,    0,    0, 0,             //
    0,  0,  0,    0,    0,    0,    0, 0,             //
    0,                                                // no session
    0,  4,  0xc0, 0x2b, 0xc0, 0x2f,                   // ECDHE with AES 128 GCM, for ECDSA and RSA
    1,  0,                                            // no compression
    0,  43,                                           // the length of what follows
    0,  10, 0,    6,    0,    4,    0, 29,  0,   23,  // groups: X25519, P-256
    0,  11, 0,    2,    1,    0,                      // points: uncompressed
    0,  13, 0,    14,   0,    12,   4, 3,   8,   4,   // signatures: ECDSA and RSA
    4,  1,  5,    3,    8,    5,    5, 1,             //
    0,  16, 0,    5,    0,    3,    2, 'h', '2',      // the protocol: HTTP/2
};

bool answers_in_tls(const addrinfo& info) {
    const Socket socket(info);
    timeval patience{.tv_sec = 5, .tv_usec = 0};
    setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(socket.number(), info.ai_addr, info.ai_addrlen) != 0) return false;
    const ssize_t sent = send(socket.number(), client_hello.data(), client_hello.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(client_hello.size())) return false;
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
