/* Shifts the wall clock of one process, for LD_PRELOAD: the file that FUDABA_CLOCK_OFFSET names holds nanoseconds, as a
 * 64-bit integer of this machine, which may be changed while the process runs. The monotonic clock is left alone, and
 * waits until a time of the wall clock are shifted back, so that they last as long as the process meant. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define REAL(name) ((typeof(&name))next(#name, &real_##name))

static volatile const int64_t *shared;
static void *real_clock_gettime, *real_syscall, *real_pthread_cond_timedwait, *real_sem_timedwait;

static void *next(const char *name, void **known) {
    if (!*known) *known = dlsym(RTLD_NEXT, name);
    return *known;
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FUDABA_CLOCK_OFFSET");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *at = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (at != MAP_FAILED) shared = at;
    close(file);
}

static int64_t offset(void) { return shared ? *shared : 0; }

static struct timespec shifted(struct timespec time, int64_t by) {
    int64_t sum = time.tv_sec * SECOND + time.tv_nsec + by;
    if (sum < 0) sum = 0;
    return (struct timespec){.tv_sec = sum / SECOND, .tv_nsec = sum % SECOND};
}

/* A wait until this time: of the monotonic clock, which counts from the machine's start, it stays as it is. */
static struct timespec real_time(const struct timespec *until) {
    return until->tv_sec > 1000000000 ? shifted(*until, -offset()) : *until;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = REAL(clock_gettime)(clock, time);
    if (!result && time && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI))
        *time = shifted(*time, offset());
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    if (time) *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *into) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (into) *into = now.tv_sec;
    return now.tv_sec;
}

int timespec_get(struct timespec *time, int base) {
    return base == TIME_UTC && !clock_gettime(CLOCK_REALTIME, time) ? base : 0;
}

int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
    struct timespec then = real_time(until);
    return REAL(pthread_cond_timedwait)(cond, mutex, &then);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
    struct timespec then = real_time(until);
    return REAL(sem_timedwait)(semaphore, &then);
}

/* Libraries with locks of their own, such as gRPC's, wait by this call. */
long syscall(long number, ...) {
    long a[6];
    va_list given;
    va_start(given, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(given, long);
    va_end(given);
    struct timespec then;
    if (number == SYS_futex && (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET && a[3]) {
        then = real_time((const struct timespec *)a[3]);
        a[3] = (long)&then;
    }
    if (number == SYS_clock_gettime) return clock_gettime((clockid_t)a[0], (struct timespec *)a[1]);
    return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
