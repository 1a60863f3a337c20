/* Has a process connect from another address of this machine, for LD_PRELOAD: FUDABA_SOURCE says which, in IPv4. Sockets
 * that are bound already stay as they are. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int connect(int socket, const struct sockaddr *address, socklen_t length) {
    static int (*real)(int, const struct sockaddr *, socklen_t);
    if (!real) real = (int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "connect");
    const char *source = getenv("FUDABA_SOURCE");
    struct in_addr from;
    int before = errno;
    if (source && inet_pton(AF_INET, source, &from) == 1) {
        struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr = from};
        /* gRPC's sockets are of IPv6, with addresses of IPv4 in them. */
        struct sockaddr_in6 six = {.sin6_family = AF_INET6};
        six.sin6_addr.s6_addr[10] = six.sin6_addr.s6_addr[11] = 0xff;
        memcpy(&six.sin6_addr.s6_addr[12], &from, sizeof from);
        if (address->sa_family == AF_INET) bind(socket, (const struct sockaddr *)&four, sizeof four);
        if (address->sa_family == AF_INET6 &&
            IN6_IS_ADDR_V4MAPPED(&((const struct sockaddr_in6 *)address)->sin6_addr))
            bind(socket, (const struct sockaddr *)&six, sizeof six);
    }
    errno = before;
    return real(socket, address, length);
}
