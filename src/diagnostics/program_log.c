/* SPDX-License-Identifier: MIT */
#include "diagnostics/program_log.h"

#include "base/out.h"
#include "io/clock.h"
#include "io/files.h"
#include "io/notify.h"
#include "wire/shape.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#define LINE_MAX_BYTES 1024

static struct {
    bool            text, quiet;
    pthread_mutex_t lock;
} log_state = { true, false, PTHREAD_MUTEX_INITIALIZER };

static const char *const level_names[] = { "info", "warn", "error" };

void log_init(bool quiet)
{
    log_state.text = files_is_terminal(2);
    log_state.quiet = quiet;
}

static void write_text(enum log_level level, int64_t now_ms, const char *message)
{
    time_t    seconds = (time_t)(now_ms / 1000);
    struct tm at;

    (void)localtime_r(&seconds, &at);
    (void)fprintf(stderr, "  %02d:%02d:%02d  %s%s\n", at.tm_hour, at.tm_min, at.tm_sec,
                  level == LOG_INFO   ? ""
                  : level == LOG_WARN ? "warning: "
                                      : "error: ",
                  message);
}

static void write_json(enum log_level level, int64_t now_ms, const char *message)
{
    char       line[2 * LINE_MAX_BYTES];
    struct out out = out_make(line, sizeof(line));

    out_literal(&out, "{\"time\":");
    out_i64(&out, now_ms);
    out_literal(&out, ",\"level\":");
    json_write_string(&out, slice_of(level_names[level]));
    out_literal(&out, ",\"message\":");
    json_write_string(&out, slice_of(message));
    out_literal(&out, "}\n");
    (void)fwrite(out.at, 1, out.len, stderr);
}

void log_line(enum log_level level, const char *format, ...)
{
    char    message[LINE_MAX_BYTES];
    va_list arguments;

    if (log_state.quiet && level == LOG_INFO) return;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    (void)pthread_mutex_lock(&log_state.lock);
    (log_state.text ? write_text : write_json)(level, clock_wall_ms(), message);
    (void)fflush(stderr);
    (void)pthread_mutex_unlock(&log_state.lock);
}

static char complaint[LINE_MAX_BYTES];

int complain(enum exit_code code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(complaint, sizeof(complaint), format, arguments);
    va_end(arguments);
    progress_done();
    (void)fprintf(stderr, "dojima: %s\n", complaint);
    return (int)code;
}

const char *complained(void) { return complaint; }

/* The service manager waits as long as ops/dojima.service gives a start, from each step on: a long log is no hang. */
#define MORE_TIME     "EXTEND_TIMEOUT_USEC=600000000\nSTATUS="
#define SHOW_EVERY_NS INT64_C(200000000)
#define TELL_EVERY_NS INT64_C(1000000000)

static int64_t progress_shown_ns, progress_told_ns;
static bool    progress_visible, progress_told;

/* Whether it is time for another step; the first is one behind the beginning, because short work shows nothing. */
static bool is_due(int64_t *last_ns, int64_t every_ns, int64_t now_ns)
{
    if (*last_ns == 0) *last_ns = now_ns;
    if (now_ns - *last_ns < every_ns) return false;
    *last_ns = now_ns;
    return true;
}

void progress(const char *what, uint64_t part, uint64_t whole)
{
    unsigned percent = (unsigned)(whole == 0 ? 100 : min_u64(100, part * 100 / whole));
    int64_t  now_ns = clock_mono_ns();
    char     text[128];

    if (is_due(&progress_told_ns, TELL_EVERY_NS, now_ns)) {
        (void)snprintf(text, sizeof(text), MORE_TIME "%s: %u %%", what, percent);
        notify_say(text);
        progress_told = true;
    }
    if (!files_is_terminal(2) || !is_due(&progress_shown_ns, SHOW_EVERY_NS, now_ns)) return;
    progress_visible = true;
    (void)fprintf(stderr, "\r  %s %3u %%\033[K", what, percent);
    (void)fflush(stderr);
}

void progress_done(void)
{
    if (progress_visible) (void)fprintf(stderr, "\r\033[K");
    if (progress_told) notify_say("STATUS=");
    progress_visible = progress_told = false;
    progress_shown_ns = progress_told_ns = 0;
}
