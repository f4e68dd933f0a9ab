/* SPDX-License-Identifier: MIT */
/*
 * outside.c — io/clock.h, io/thread.h, io/files.h and io/signals.h in the simulated world, and the memory of a life:
 * memory that the server takes from malloc or by the page is freed when the life is over, however it ended.
 */
#include "io/child.h"
#include "io/clock.h"
#include "io/fetch.h"
#include "io/files.h"
#include "io/notify.h"
#include "io/process.h"
#include "io/sandbox.h"
#include "io/signals.h"
#include "io/thread.h"
#include "diagnostics/program_log.h"
#include "wire/shape.h"
#include "world.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- clocks: a thread may be interrupted where it looks at one ---- */

int64_t clock_wall_ms(void)
{
    fiber_maybe_yield(24);
    return world_wall_ms();
}

int64_t clock_mono_ns(void)
{
    fiber_maybe_yield(24);
    return world.mono_ns;
}

int64_t clock_boot_ns(void) { return world.mono_ns; }
int64_t clock_thread_ns(void) { return world.mono_ns; }
int64_t clock_since_start_ns(void) { return 0; }

/* ---- threads ---- */

struct start {
    void *(*run)(void *);
    void *argument;
};

static struct start starts[16];

static void run_started(void *self) { (void)((struct start *)self)->run(((struct start *)self)->argument); }

int thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *argument)
{
    static uint32_t next;
    struct start   *start = &starts[next++ % 16];

    (void)name;
    *start = (struct start){ run, argument };
    *thread = (pthread_t)fiber_start(run_started, start);
    return 0;
}

void thread_join(pthread_t thread)
{
    while (!fiber_is_done((int)thread)) fiber_wait(NULL, world.mono_ns + 100000);
}

void thread_stand_back(void) {}
void thread_stand_far_back(bool far) { (void)far; }
bool thread_may_rise(void) { return false; }
void thread_stand_last(void) {}
void thread_ceiling_begin(void) {}
void thread_ceiling_end(void) {}
void thread_stand_forward(bool preempts) { (void)preempts; }

void thread_relax(void) { fiber_wait(NULL, world.mono_ns + 1000); }

void thread_sleep_ms(int64_t ms) { fiber_wait(NULL, world.mono_ns + ms * 1000000); }

void park_init(struct park *park) { atomic_store(&park->sleeping, PARK_AWAKE); }

void park_prepare(struct park *park)
{
    atomic_store(&park->sleeping, PARK_ASLEEP);
    fiber_maybe_yield(4);
}

void park_doze(struct park *park)
{
    atomic_store(&park->sleeping, PARK_DOZING);
    fiber_maybe_yield(4);
}

void park_cancel(struct park *park) { atomic_store(&park->sleeping, PARK_AWAKE); }

void park_wait(struct park *park, int64_t timeout_ns)
{
    if (atomic_load(&park->sleeping) != PARK_AWAKE && timeout_ns > 0)
        fiber_wait(&park->sleeping, timeout_ns == INT64_MAX || timeout_ns > INT64_MAX - world.mono_ns
                                        ? INT64_MAX
                                        : world.mono_ns + timeout_ns);
    park_cancel(park);
}

void park_wake(struct park *park) { atomic_store(&park->sleeping, PARK_AWAKE); }

void park_nudge(struct park *park)
{
    if (atomic_load(&park->sleeping) == PARK_ASLEEP) atomic_store(&park->sleeping, PARK_AWAKE);
}

/* Locks of the program: a fiber that finds one taken lets the others run. */
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (!fiber_here()) return __real_pthread_mutex_lock(mutex);
    while (pthread_mutex_trylock(mutex) != 0) fiber_yield();
    return 0;
}

/* The fibers are one thread to the system: it would let one of them pass a lock that another one holds. */
int __real_pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    if (!fiber_here()) return __real_pthread_rwlock_rdlock(lock);
    while (pthread_rwlock_tryrdlock(lock) != 0) fiber_yield();
    return 0;
}

int __real_pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    if (!fiber_here()) return __real_pthread_rwlock_wrlock(lock);
    while (pthread_rwlock_trywrlock(lock) != 0) fiber_yield();
    return 0;
}

/* ---- signals ---- */

void signals_block(void) {}

int signals_wait(int64_t timeout_ms)
{
    int64_t until_ns = timeout_ms == INT64_MAX ? INT64_MAX : world.mono_ns + timeout_ms * 1000000;

    if (timeout_ms == 0) fiber_maybe_yield(16);
    else
        while (!world.stop_asked && world.mono_ns < until_ns)
            fiber_wait(NULL, min_i64(until_ns, world.mono_ns + 5000000));
    return world.stop_asked ? 15 : 0;
}

void signals_stop_self(void) { world.stop_asked = true; }

/* ---- memory ---- */

#define PAGES_MAX   256
#define PAGES_AT    (UINT64_C(1) << 45)
#define ARENA_BYTES (UINT64_C(1) << 30)
#define ARENA_AT                                                                                                       \
    ((void *)(UINT64_C(1) << 44)) /* the same in each run: the server derives numbers from addresses (connID) */

static struct {
    void  *at;
    size_t bytes;
} pages[PAGES_MAX];
static uint64_t pages_next = PAGES_AT; /* one behind the other in each life, for the same reason */
static uint8_t *arena;
static size_t   arena_used;

void *files_take_memory(size_t bytes)
{
    void *at =
        mmap((void *)pages_next, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED) return NULL;
    pages_next += align_up(bytes, 1u << 21);
    for (int i = 0; i < PAGES_MAX; i++) {
        if (pages[i].at != NULL) continue;
        pages[i].at = at;
        pages[i].bytes = bytes;
        return at;
    }
    assert(false); /* PAGES_MAX is too small */
    return NULL;
}

void files_touch_memory(void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
}

void files_forget_memory(void *at, size_t bytes)
{
    uintptr_t from = align_up((uintptr_t)at, 4096), to = ((uintptr_t)at + bytes) & ~(uintptr_t)4095;

    if (to > from) (void)madvise((void *)from, to - from, MADV_DONTNEED);
}

void files_give_memory(void *at, size_t bytes)
{
    for (int i = 0; i < PAGES_MAX && at != NULL; i++) {
        if (pages[i].at != at) continue;
        (void)munmap(at, bytes);
        pages[i].at = NULL;
        return;
    }
}

void outside_clear(void)
{
    for (int i = 0; i < PAGES_MAX; i++) {
        if (pages[i].at != NULL) (void)munmap(pages[i].at, pages[i].bytes);
        pages[i].at = NULL;
    }
    pages_next = PAGES_AT;
    if (arena_used != 0) (void)madvise(arena, align_up(arena_used, 4096), MADV_DONTNEED);
    arena_used = 0;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void  __real_free(void *at);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void  __wrap_free(void *at);

/* Zeroed, because the pages are the system's; nothing is used twice in a life. */
static void *arena_take(size_t alignment, size_t bytes)
{
    if (arena == NULL)
        arena = mmap(ARENA_AT, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    arena_used = align_up(arena_used, alignment);
    assert(arena != MAP_FAILED && arena_used + bytes <= ARENA_BYTES);
    arena_used += bytes;
    return arena + arena_used - bytes;
}

void *__wrap_malloc(size_t bytes) { return fiber_here() ? arena_take(16, bytes) : __real_malloc(bytes); }
void *__wrap_calloc(size_t count, size_t bytes)
{
    return fiber_here() ? arena_take(16, count * bytes) : __real_calloc(count, bytes);
}
void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return fiber_here() ? arena_take(alignment, bytes) : __real_aligned_alloc(alignment, bytes);
}
void __wrap_free(void *at)
{
    if (arena == NULL || (uint8_t *)at < arena || (uint8_t *)at >= arena + ARENA_BYTES) __real_free(at);
}

void *world_keep(size_t bytes)
{
    void *at = __real_malloc(bytes);

    assert(at != NULL);
    return at;
}

/* ---- the rest of files.h ---- */

int files_make_folder(const char *path)
{
    (void)path;
    return 0;
}
int files_make_temporary(char *path, size_t cap)
{
    (void)path, (void)cap;
    return ENOSYS;
}
void files_remove_tree(const char *path) { (void)path; }
int  files_check_folder(const char *path, bool write)
{
    (void)path, (void)write;
    return 0;
}
uint64_t files_want_handles(uint64_t wanted) { return wanted; }
bool     files_is_terminal(int number)
{
    (void)number;
    return false;
}
void files_close(int handle)
{
    if (handle >= 0) (void)close(handle);
}
/* Makes nothing durable: only a sync does, and this disk keeps no order between writes before it. */
int files_write_back(int handle, uint64_t offset, uint64_t len)
{
    (void)handle, (void)offset, (void)len;
    return 0;
}
void files_exit_now(int code) { fiber_end_life(END_EXIT, code); }

int files_read(const char *path, void *bytes, size_t cap, size_t *len)
{
    (void)path, (void)bytes, (void)cap;
    *len = 0;
    return ENOENT;
}

/* The audit log: nothing is read back from it, so checking the writes is enough. */
int files_append(const char *folder, const char *name, struct slice line)
{
    const struct slice asked = SLICE("\"event\":\"asked\"");

    (void)folder;
    if (memmem(line.at, line.len, asked.at, asked.len) == NULL) world.audited += 1;
    if (strcmp(name, "audit.log") != 0 || line.len < 2 || line.at[line.len - 1] != '\n'
        || !json_is_valid(slice_make(line.at, line.len - 1)))
        world_wrong("the audit log was given what is no line of JSON");
    return 0;
}

/* Another one after every power cut; storage.c forgets the history then. */
struct slice files_boot_id(void) { return SLICE("simulated"); }

bool files_random(void *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) ((uint8_t *)bytes)[i] = (uint8_t)world_random(256);
    return true;
}

bool fetch_url(const struct fetch *fetch, struct fetched *fetched)
{
    (void)fetch, (void)fetched;
    return false;
}

bool fetch_command(const char *line, int64_t timeout_ms, struct fetched *fetched)
{
    (void)line, (void)timeout_ms, (void)fetched;
    return false;
}

/* There is only one process; venue.c runs a shadow between two lives of the server. */
int child_pipe(int ends[2])
{
    ends[0] = ends[1] = -1;
    return ENOSYS;
}
int child_start(char *const argv[], int out, int *pid)
{
    (void)argv, (void)out, (void)pid;
    return ENOSYS;
}
int child_ended(int pid, int *code)
{
    (void)pid;
    *code = 0;
    return 1;
}
void child_finish(int pid) { (void)pid; }
void child_kill(int pid) { (void)pid; }
int  child_copy(int (*run)(int handle), int *handle, int *pid)
{
    (void)run, (void)handle, (void)pid;
    return ENOSYS;
}
void child_hang_up(int handle) { (void)handle; }
long child_take(int handle, void *bytes, size_t cap, int timeout_ms)
{
    (void)handle, (void)bytes, (void)cap, (void)timeout_ms;
    return -1;
}
bool child_of(uint64_t parent)
{
    (void)parent;
    return true;
}
void child_stand_back(void) {}
int  child_read(int handle, void *bytes, size_t len, int timeout_ms)
{
    (void)handle, (void)bytes, (void)len, (void)timeout_ms;
    return -1;
}
bool child_write(int handle, const void *bytes, size_t len)
{
    (void)handle, (void)bytes, (void)len;
    return false;
}
uint64_t child_self(void) { return 1; }
bool     child_try(bool (*run)(const void *context), const void *context)
{
    (void)run, (void)context;
    return false;
}

int sandbox_close(void) { return 0; } /* the simulator answers its system calls */
int sandbox_close_reader(void) { return ENOTSUP; }

void    notify_open(void) {}
void    notify_say(const char *state) { (void)state; }
int64_t notify_watchdog_ms(void) { return 0; }

struct process_figures process_look(void) { return (struct process_figures){ 0 }; }
bool                   process_program(char *path, size_t cap)
{
    (void)path, (void)cap;
    return false;
}
uint64_t process_handles_max(void) { return 1024; }
uint32_t process_cores(uint32_t pid)
{
    (void)pid;
    return 2;
}
uint64_t process_memory_max(uint32_t pid)
{
    (void)pid;
    return 0;
}
uint64_t process_space_max(void) { return UINT64_MAX; }

/* ---- notifications of the server ---- */

__attribute__((format(printf, 2, 3))) void __wrap_log_line(enum log_level level, const char *format, ...);
void                                       __wrap_log_line(enum log_level level, const char *format, ...)
{
    va_list arguments;

    if (level == LOG_INFO) return;
    va_start(arguments, format);
    (void)vsnprintf(world.said, sizeof(world.said), format, arguments);
    va_end(arguments);
    if (world.verbose) (void)printf("%15ld  says: %s\n", (long)world.mono_ns, world.said);
}

__attribute__((format(printf, 2, 3))) int __wrap_complain(enum exit_code code, const char *format, ...);
int                                       __wrap_complain(enum exit_code code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(world.said, sizeof(world.said), format, arguments);
    va_end(arguments);
    if (world.verbose) (void)printf("%15ld  ends with %d: %s\n", (long)world.mono_ns, code, world.said);
    return (int)code;
}

/* ---- the world ---- */

struct world world;

#define MONO_BEGIN_NS INT64_C(1000000000000)

static char wrong_text[320];

uint32_t world_random(uint32_t n)
{
    world.random_state ^= world.random_state << 13;
    world.random_state ^= world.random_state >> 7;
    world.random_state ^= world.random_state << 17;
    return (uint32_t)((world.random_state >> 32) % n);
}

void world_note(uint64_t what)
{
    world.trace = (world.trace ^ what) * UINT64_C(0x9fb21c651e98df25) + (world.trace >> 29);
}

void world_note_bytes(const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    uint64_t       word;

    world_note(len);
    for (; len >= 8; at += 8, len -= 8) {
        memcpy(&word, at, 8);
        world_note(word);
    }
    for (; len != 0; at++, len--) world_note(*at);
}

void world_wrong(const char *format, ...)
{
    va_list arguments;

    if (wrong_text[0] != '\0') return;
    va_start(arguments, format);
    (void)vsnprintf(wrong_text, sizeof(wrong_text), format, arguments);
    va_end(arguments);
}

const char *world_what_is_wrong(void) { return wrong_text[0] == '\0' ? NULL : wrong_text; }

void world_begin(uint64_t seed)
{
    wrong_text[0] = '\0';
    world = (struct world){ .seed = seed,
                            .random_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1,
                            .trace = seed,
                            .mono_ns = MONO_BEGIN_NS,
                            .epoch_ms = INT64_C(1776000000000) };
    for (int i = 0; i < 8; i++) (void)world_random(2);
}

int64_t world_wall_ms(void)
{
    return world.epoch_ms + (world.mono_ns - MONO_BEGIN_NS) / 1000000 + world.wall_offset_ms;
}
