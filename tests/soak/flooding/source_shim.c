/* Has a process connect from another address of this machine, for LD_PRELOAD: FUDABA_SOURCE says which, in IPv4. Sockets
 * that are bound already stay as they are. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

int connect(int socket, const struct sockaddr *address, socklen_t length) {
    static int (*real)(int, const struct sockaddr *, socklen_t);
    if (!real) real = (int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "connect");
    const char *source = getenv("FUDABA_SOURCE");
    struct sockaddr_in from = {.sin_family = AF_INET};
    if (source && address->sa_family == AF_INET && inet_pton(AF_INET, source, &from.sin_addr) == 1) {
        int before = errno;
        bind(socket, (const struct sockaddr *)&from, sizeof from);
        errno = before;
    }
    return real(socket, address, length);
}
