/* SPDX-License-Identifier: MIT */
#include "io/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 100

/* ---- a hidden line ---- */

static sigset_t ending_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGTSTP);
    return set;
}

/* Reads up to a line feed. 0: the line is whole; a signal's number; or -1: the input has ended, or it is too long. */
static int read_line(int handle, const sigset_t *signals, char *line, size_t cap)
{
    const struct timespec none = { 0 };
    struct pollfd         waiting = { handle, POLLIN, 0 };

    for (size_t len = 0; len < cap;) {
        int number = sigtimedwait(signals, NULL, &none);

        if (number > 0) return number;
        if (poll(&waiting, 1, LOOK_MS) <= 0) continue;
        if (read(handle, line + len, 1) != 1) return -1;
        if (line[len] == '\n') {
            line[len] = '\0';
            return 0;
        }
        len++;
    }
    return -1;
}

bool terminal_ask_secret(const char *prompt, char *line, size_t cap)
{
    int            handle = open("/dev/tty", O_RDWR | O_CLOEXEC), ended = -1;
    struct termios before, hidden;
    sigset_t       signals = ending_signals(), mask;

    if (handle < 0) return false;
    if (tcgetattr(handle, &before) == 0) {
        hidden = before;
        hidden.c_lflag &= ~(tcflag_t)ECHO;
        (void)pthread_sigmask(SIG_BLOCK, &signals, &mask);
        (void)tcsetattr(handle, TCSAFLUSH, &hidden);
        (void)!write(handle, prompt, strlen(prompt));
        ended = read_line(handle, &signals, line, cap);
        (void)tcsetattr(handle, TCSAFLUSH, &before);
        (void)!write(handle, "\n", 1);
        if (ended > 0) (void)raise(ended);
        (void)pthread_sigmask(SIG_SETMASK, &mask, NULL);
    }
    (void)close(handle);
    return ended == 0;
}

/* ---- a screen ---- */

static struct termios before_screen;
static bool           has_screen;

bool terminal_begin_screen(void)
{
    struct termios raw;

    if (isatty(STDOUT_FILENO) != 1 || tcgetattr(STDIN_FILENO, &before_screen) != 0) return false;
    raw = before_screen;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    raw.c_cc[VSUSP] = _POSIX_VDISABLE; /* a stopped program would leave its screen behind */
    has_screen = tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) == 0
              && terminal_draw(SLICE("\033[?1049h\033[?25l\033[2J")); /* the other screen, no cursor, empty */
    return has_screen;
}

void terminal_end_screen(void)
{
    if (!has_screen) return;
    has_screen = false;
    (void)!write(STDOUT_FILENO, "\033[?25h\033[?1049l", 14);
    (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_screen);
}

void terminal_size(uint32_t *columns, uint32_t *rows)
{
    struct winsize size = { 0 };

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size = (struct winsize){ 0 };
    *columns = size.ws_col != 0 ? size.ws_col : 80;
    *rows = size.ws_row != 0 ? size.ws_row : 24;
}

int terminal_key(void)
{
    struct pollfd waiting = { STDIN_FILENO, POLLIN, 0 };
    unsigned char key;

    if (poll(&waiting, 1, 0) <= 0) return 0;
    return read(STDIN_FILENO, &key, 1) == 1 ? key : -1;
}

bool terminal_draw(struct slice text)
{
    while (text.len != 0) {
        ssize_t put = write(STDOUT_FILENO, text.at, text.len);

        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        text = slice_make(text.at + put, text.len - (size_t)put);
    }
    return true;
}
