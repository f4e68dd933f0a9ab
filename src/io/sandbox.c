/* SPDX-License-Identifier: MIT */
/*
 * sandbox.c — a seccomp filter as a table of system calls. It is installed after all files have been opened and all
 * threads and child processes started: the process that starts shadows and the one that checks the history's file are
 * older and not bound by it. Threads may still be started (libuv does so to resolve a name).
 *
 * A thread that reads bytes from clients gets a second, narrower filter: no new socket, no file opened for writing, no
 * rename, no thread. Of two filters the kernel applies the stricter verdict.
 *
 * An unlisted call fails with EPERM instead of ending the process: a later C library may try a newer call first and
 * fall back when it is refused. A call that only an attacker makes ends the process.
 */
#include "io/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#if defined(ARCH) && !defined(SANDBOX_LEFT_OUT)

/* The ones a busy exchange makes all the time come first. */
/* clang-format off */
static const int allowed[] = {
    SYS_futex, SYS_pwrite64, SYS_fdatasync, SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_clock_gettime, SYS_pread64,
    SYS_epoll_pwait, SYS_epoll_ctl, SYS_accept4, SYS_close, SYS_clock_nanosleep, SYS_nanosleep, SYS_sched_yield,
    SYS_recvfrom, SYS_sendto,
#ifdef SYS_epoll_wait                               /* older calls, of x86 alone */
    SYS_epoll_wait, SYS_poll, SYS_select, SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_rename,
    SYS_unlink, SYS_mkdir, SYS_rmdir, SYS_chmod,
    SYS_dup2, SYS_pipe, SYS_epoll_create, SYS_eventfd, SYS_getrlimit, SYS_time, SYS_getdents,
#endif
    /* files */
    SYS_openat, SYS_lseek, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_faccessat, SYS_faccessat2,
    SYS_readlinkat,
    SYS_getdents64, SYS_fsync, SYS_syncfs, SYS_sync_file_range, SYS_msync, SYS_ftruncate, SYS_fallocate, SYS_fadvise64,
    SYS_flock, SYS_fcntl,
    SYS_renameat, SYS_renameat2, SYS_unlinkat, SYS_mkdirat, SYS_fchmod, SYS_fchmodat, SYS_umask, SYS_getcwd, SYS_ioctl,
    SYS_dup, SYS_dup3,
    SYS_pipe2, SYS_preadv, SYS_pwritev, SYS_close_range, SYS_linkat, SYS_symlinkat, SYS_copy_file_range, SYS_sendfile,
    /* waiting */
    SYS_epoll_create1, SYS_eventfd2, SYS_timerfd_create, SYS_timerfd_settime, SYS_timerfd_gettime, SYS_ppoll,
    SYS_pselect6,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigtimedwait, SYS_rt_sigpending, SYS_rt_sigsuspend,
    SYS_sigaltstack,
    SYS_restart_syscall, SYS_wait4, SYS_waitid, SYS_kill, SYS_tgkill,
    /* sockets */
    SYS_socket, SYS_socketpair, SYS_bind, SYS_listen, SYS_accept, SYS_connect, SYS_getsockname, SYS_getpeername,
    SYS_getsockopt,
    SYS_setsockopt, SYS_sendmsg, SYS_sendmmsg, SYS_recvmsg, SYS_recvmmsg, SYS_shutdown,
    /* memory and threads */
    SYS_munmap, SYS_mremap, SYS_madvise, SYS_mlock, SYS_mlock2, SYS_munlock, SYS_mincore, SYS_brk, SYS_membarrier,
    SYS_set_robust_list,
    SYS_get_robust_list, SYS_rseq, SYS_set_tid_address, SYS_exit, SYS_exit_group, SYS_gettid, SYS_getpid, SYS_getppid,
    SYS_prctl,
    SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_sched_getparam, SYS_sched_getscheduler, SYS_getpriority,
    SYS_setpriority, SYS_sched_setattr, SYS_getcpu,
    SYS_seccomp,                                    /* a thread that takes even less: it can only narrow */
    /* facts */
    SYS_clock_getres, SYS_gettimeofday, SYS_times, SYS_getrusage, SYS_sysinfo, SYS_uname, SYS_getuid, SYS_geteuid,
    SYS_getgid, SYS_getegid,
    SYS_getrandom, SYS_prlimit64,
};
/* clang-format on */

/* clang-format off */
static const int deadly[] = {
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
    SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_mount, SYS_umount2,
    SYS_pivot_root, SYS_chroot,
    SYS_setns, SYS_unshare, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid,
    SYS_setresuid,
    SYS_setresgid, SYS_setgroups, SYS_capset, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct, SYS_settimeofday,
    SYS_clock_settime, SYS_adjtimex,
};
/* clang-format on */

/*
 * Of a thread that reads strangers' bytes: connections that it is handed, memory, time, waking others. Files it may
 * only open for reading (segments of the log; /dev/null, libuv's way to keep a handle in reserve).
 */
/* clang-format off */
static const int allowed_to_readers[] = {
    SYS_epoll_pwait, SYS_read, SYS_write, SYS_sendto, SYS_sendmsg, SYS_writev, SYS_readv, SYS_recvfrom, SYS_recvmsg,
    SYS_epoll_ctl, SYS_futex, SYS_accept4,
    SYS_clock_gettime, SYS_close, SYS_setsockopt, SYS_getsockopt, SYS_getsockname, SYS_getpeername, SYS_ioctl,
    SYS_fcntl, SYS_shutdown,
    SYS_pread64, SYS_lseek, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_faccessat2, SYS_readlinkat,
    SYS_fadvise64,
#ifdef SYS_epoll_wait
    SYS_epoll_wait, SYS_poll, SYS_select, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_time,
#endif
    SYS_ppoll, SYS_pselect6, SYS_clock_nanosleep, SYS_nanosleep, SYS_sched_yield, SYS_clock_getres, SYS_gettimeofday,
    SYS_getrandom, SYS_getcpu, SYS_getrusage,
    SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_membarrier, SYS_rseq, SYS_sched_setattr, SYS_setpriority,
    SYS_sched_getaffinity, SYS_set_robust_list,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_gettid,
    SYS_getpid, SYS_tgkill, SYS_exit, SYS_exit_group,
};
/* clang-format on */

#define LINES_MAX (18 + 3 * 2 + 2 * (sizeof(allowed) + sizeof(deadly)) / sizeof(int) + 16)
struct filter {
    struct sock_filter lines[LINES_MAX];
    unsigned short     count;
};

static void add(struct filter *filter, struct sock_filter line)
{
    assert(filter->count < LINES_MAX);
    filter->lines[filter->count++] = line;
}

static void load(struct filter *filter, size_t offset)
{
    add(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}
static void answer(struct filter *filter, uint32_t verdict)
{
    add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict));
}

/* The next `skip` lines are for this call alone. */
static void only_for(struct filter *filter, long call, uint8_t skip)
{
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, skip));
}

static void list(struct filter *filter, const int *calls, size_t count, uint32_t verdict)
{
    for (size_t i = 0; i < count; i++) {
        only_for(filter, calls[i], 1);
        answer(filter, verdict);
    }
}

/* Low half of an argument; the high one of flags and protections is not looked at by the kernel either. */
#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + (n) * sizeof(uint64_t))
#define REFUSE      (SECCOMP_RET_ERRNO | EPERM)

/* Memory is written or run, never both. */
static void forbid_write_and_run(struct filter *filter, long call)
{
    only_for(filter, call, 5);
    load(filter, ARGUMENT(2));
    add(filter, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, PROT_WRITE | PROT_EXEC));
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROT_WRITE | PROT_EXEC, 0, 1));
    answer(filter, REFUSE);
    answer(filter, SECCOMP_RET_ALLOW);
}

/* A thread, not a process. clone3 keeps its flags where a filter
   cannot look; the C library takes clone when there is none. */
static void allow_threads(struct filter *filter)
{
    only_for(filter, SYS_clone3, 1);
    answer(filter, SECCOMP_RET_ERRNO | ENOSYS);
    only_for(filter, SYS_clone, 4);
    load(filter, ARGUMENT(0));
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1));
    answer(filter, SECCOMP_RET_ALLOW);
    answer(filter, SECCOMP_RET_KILL_PROCESS);
}

/* A file may be opened, but not to be written or made; its flags are argument `n`. */
static void allow_to_open_for_reading(struct filter *filter, long call, size_t n)
{
    only_for(filter, call, 4);
    load(filter, ARGUMENT(n));
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K,
                                             O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0, 1));
    answer(filter, REFUSE);
    answer(filter, SECCOMP_RET_ALLOW);
}

/* A limit may be read, not set: argument `n`, the new limit, must be NULL. */
static void allow_to_ask(struct filter *filter, long call, size_t n)
{
    only_for(filter, call, 6);
    for (size_t half = 0; half < 2; half++) {
        load(filter, ARGUMENT(n) + half * sizeof(uint32_t));
        add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, half == 0 ? 3 : 1));
    }
    answer(filter, SECCOMP_RET_ALLOW);
    answer(filter, REFUSE);
}

/* No calls of the other architecture's interface or of x32. After this check the number of the call is examined. */
static void begin_filter(struct filter *filter)
{
    load(filter, offsetof(struct seccomp_data, arch));
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0));
    answer(filter, SECCOMP_RET_KILL_PROCESS);
    load(filter, offsetof(struct seccomp_data, nr));
    list(filter, (const int[]){ -1 }, 1, SECCOMP_RET_ALLOW); /* a debugger's way to leave a call out; it is none */
#ifdef __x86_64__
    add(filter,
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1)); /* the calls of the x32 interface */
    answer(filter, SECCOMP_RET_KILL_PROCESS);
#endif
}

static void end_filter(struct filter *filter)
{
    list(filter, deadly, ARRAY_COUNT(deadly), SECCOMP_RET_KILL_PROCESS);
    answer(filter, REFUSE);
}

static void write_filter(struct filter *filter)
{
    begin_filter(filter);
    list(filter, allowed, ARRAY_COUNT(allowed), SECCOMP_RET_ALLOW);
    forbid_write_and_run(filter, SYS_mmap);
    forbid_write_and_run(filter, SYS_mprotect);
    allow_threads(filter);
    end_filter(filter);
}

static void write_filter_of_readers(struct filter *filter)
{
    begin_filter(filter);
    list(filter, allowed_to_readers, ARRAY_COUNT(allowed_to_readers), SECCOMP_RET_ALLOW);
    allow_to_open_for_reading(filter, SYS_openat, 2);
    allow_to_ask(filter, SYS_prlimit64, 2);
#ifdef SYS_open
    allow_to_open_for_reading(filter, SYS_open, 1);
#endif
    forbid_write_and_run(filter, SYS_mmap);
    forbid_write_and_run(filter, SYS_mprotect);
    end_filter(filter);
}

static int close_behind(const struct filter *filter, unsigned flags)
{
    struct sock_fprog program = { filter->count, (struct sock_filter *)(uintptr_t)filter->lines };

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0 ? 0 : errno;
}

int sandbox_close(void)
{
    struct filter filter = { .count = 0 };

    write_filter(&filter);
    return close_behind(&filter, SECCOMP_FILTER_FLAG_TSYNC);
}

int sandbox_close_reader(void)
{
    struct filter filter = { .count = 0 };

    write_filter_of_readers(&filter);
    return close_behind(&filter, 0);
}

#else

int sandbox_close(void) { return ENOTSUP; }
int sandbox_close_reader(void) { return ENOTSUP; }

#endif

/* In builds with sanitizers too. */
int sandbox_refuse_rings(void)
{
    struct sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1), /* its number is the same for each processor */
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { ARRAY_COUNT(lines), lines };

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
}
