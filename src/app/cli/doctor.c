/* SPDX-License-Identifier: MIT */
/*
 * doctor.c — dojima doctor: checks the folder of an exchange and the machine under it, and reports conditions that
 * need attention before they become faults (ruling 74). A check is a row; it may report several findings. The pools of
 * a running exchange are read through its administration socket, those of a stopped one are counted in its log.
 */
#include "base/hex.h"
#include "io/files.h"
#include "io/machine.h"
#include "io/process.h"
#include "model/enums.h"
#include "model/operator.h"
#include "admin/admin.h"
#include "app/cli/arguments.h"
#include "app/config.h"
#include "pipeline/counters.h"
#include "pipeline/held.h"
#include "diagnostics/program_log.h"
#include "pipeline/replay.h"
#include "app/cli/commands.h"
#include "app/cli/doctor_judge.h"
#include "wire/json.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const level_names[] = { "fine", "warning", "error" };

struct pool_state {
    char     name[32];
    uint64_t used, places;
};

struct doctor {
    const char       *data, *config_path;
    bool              json;
    bool              runs;         /* pools are those of a running exchange */
    uint32_t          pid;          /* its process; 0: none is known, and limits are those of this one */
    bool              is_new;       /* nothing was ever started: there are no pools */
    char              unknown[256]; /* why nothing is known of them; empty = it is */
    struct pool_state pools[LIMITS + 4];
    uint32_t          pool_count;
    uint64_t          connections, handles; /* 0 = not known */
    struct genesis   *genesis;              /* NULL = not known; with the limits in force */
    struct config    *config;               /* NULL = none was named */
    enum level        worst;
    int               code; /* of the worst error */
    uint32_t          told;
};

struct doctor_row {
    const char *name;
    void (*check)(struct doctor *doctor, const struct doctor_row *row);
    const char *advice;
};

/* ---- telling ---- */

static void print_line(const struct doctor *doctor, enum level level, const char *name, const char *found,
                       const char *advice)
{
    char       text[1024];
    struct out out = out_make(text, sizeof(text));

    if (!doctor->json) {
        (void)printf("%-8s %-22s %s\n", level_names[level], name, found);
        if (level != LEVEL_FINE) (void)printf("%-8s %-22s   advice: %s\n", "", "", advice);
        return;
    }
    out_literal(&out, "{\"name\":");
    json_write_string(&out, slice_of(name));
    out_literal(&out, ",\"level\":");
    json_write_string(&out, slice_of(level_names[level]));
    out_literal(&out, ",\"found\":");
    json_write_string(&out, slice_of(found));
    out_literal(&out, ",\"advice\":");
    json_write_string(&out, slice_of(level == LEVEL_FINE ? "" : advice));
    (void)printf("%s%.*s}", doctor->told == 0 ? "" : ",", (int)out.len, out.at);
}

/* `code`: the exit code of an error. */
__attribute__((format(printf, 5, 6))) static void print_finding(struct doctor *doctor, const struct doctor_row *row,
                                                                enum level level, int code, const char *format, ...)
{
    char    found[400];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(found, sizeof(found), format, arguments);
    va_end(arguments);
    print_line(doctor, level, row->name, found, row->advice);
    doctor->told += 1;
    if (level > doctor->worst) doctor->worst = level;
    if (level == LEVEL_ERROR && doctor->code == 0) doctor->code = code;
}

/* ---- the checks ---- */

/* Whose limits a finding names. An exchange that is started elsewhere, as by systemd, has others than this process. */
static const char *whose(const struct doctor *doctor)
{
    return doctor->pid != 0 ? "the exchange" : "a process started from here";
}

static void check_folder(struct doctor *doctor, const struct doctor_row *row)
{
    struct machine_folder folder;
    int                   error = machine_look_at_folder(doctor->data, &folder);

    if (error != 0) print_finding(doctor, row, LEVEL_ERROR, EXIT_DISK, "%.200s: %s", doctor->data, strerror(error));
    else if (!folder.is_own)
        print_finding(doctor, row, LEVEL_WARNING, 0, "%.200s belongs to another user", doctor->data);
    else if ((folder.mode & 077) != 0)
        print_finding(doctor, row, LEVEL_WARNING, 0, "%.200s is open to other users (mode %04o)", doctor->data,
                      folder.mode);
    else print_finding(doctor, row, LEVEL_FINE, 0, "%.200s is its user's alone (mode %04o)", doctor->data, folder.mode);
}

static void check_room(struct doctor *doctor, const struct doctor_row *row)
{
    struct machine_folder folder;

    if (machine_look_at_folder(doctor->data, &folder) != 0) return; /* the previous row has reported why */
    print_finding(doctor, row, doctor_judge_room(folder.free_bytes), EXIT_DISK, "%lu MiB of %lu MiB are free",
                  (unsigned long)(folder.free_bytes >> 20), (unsigned long)(folder.all_bytes >> 20));
}

static void check_syncs(struct doctor *doctor, const struct doctor_row *row)
{
    int64_t median_ns, longest_ns;
    int     error = machine_measure_syncs(doctor->data, &median_ns, &longest_ns);

    if (error == ENOENT || error == ENOTDIR || error == EACCES) return; /* as above */
    if (error != 0)
        print_finding(doctor, row, LEVEL_ERROR, EXIT_DISK, "a file in the folder cannot be written: %s",
                      strerror(error));
    else
        print_finding(doctor, row, doctor_judge_syncs(median_ns), 0,
                      "4 KiB are durable after %ld us (median of %d), %ld us at most", (long)(median_ns / 1000),
                      MACHINE_SYNCS, (long)(longest_ns / 1000));
}

static void check_clock(struct doctor *doctor, const struct doctor_row *row)
{
    int64_t error_us;
    bool    kept = machine_clock_is_kept(&error_us);

    if (!kept) print_finding(doctor, row, LEVEL_WARNING, 0, "the kernel reports that the clock is not synchronized");
    else print_finding(doctor, row, doctor_judge_clock(error_us), 0, "synchronised, to %ld us", (long)error_us);
}

/* A running exchange tells how many it has, if it is another container's too. */
static const char *whose_handles(const struct doctor *doctor)
{
    return doctor->handles != 0 ? "the exchange" : "a process started from here";
}

static void check_handles(struct doctor *doctor, const struct doctor_row *row)
{
    const struct config *config = doctor->config;
    uint64_t             connections = doctor->connections, besides = file_numbers_besides(1, false), wanted, has;

    if (connections == 0 && config != NULL) connections = config->connections;
    if (config != NULL) besides = file_numbers_besides(config->io_threads, config->cluster.log_url[0] != 0);
    wanted = connections + besides;
    has = doctor->handles != 0 ? doctor->handles : files_want_handles(wanted);
    if (connections == 0)
        print_finding(doctor, row, LEVEL_FINE, 0,
                      "%s may have %lu; name the configuration with --config to compare it with its connections",
                      whose_handles(doctor), (unsigned long)has);
    else
        print_finding(doctor, row, has < wanted ? LEVEL_WARNING : LEVEL_FINE, 0,
                      "%s may have %lu, for %lu connections and %lu others", whose_handles(doctor), (unsigned long)has,
                      (unsigned long)connections, (unsigned long)besides);
}

static void check_memory(struct doctor *doctor, const struct doctor_row *row)
{
    uint64_t has = process_memory_max(doctor->pid),
             needed = doctor->genesis != NULL ? exchange_bytes(doctor->genesis) : 0;

    if (doctor->genesis == NULL || has == 0) return;
    print_finding(doctor, row, doctor_judge_memory(needed, has), EXIT_CONFIG,
                  "engine and views need %lu MiB when their pools are full, and %s may have %lu MiB",
                  (unsigned long)(needed >> 20), whose(doctor), (unsigned long)(has >> 20));
}

static void check_cores(struct doctor *doctor, const struct doctor_row *row)
{
    uint32_t cores = process_cores(doctor->pid);

    print_finding(doctor, row, doctor_judge_cores(cores), 0, "%s may run on %u", whose(doctor), cores);
}

static void check_huge_pages(struct doctor *doctor, const struct doctor_row *row)
{
    enum machine_huge huge = machine_huge_pages();

    if (huge == HUGE_UNKNOWN) print_finding(doctor, row, LEVEL_FINE, 0, "the kernel does not say");
    else
        print_finding(doctor, row, doctor_judge_huge_pages(huge), 0, "transparent huge pages: %s",
                      huge == HUGE_ALWAYS  ? "always"
                      : huge == HUGE_ASKED ? "madvise"
                                           : "never");
}

static void check_exchange(struct doctor *doctor, const struct doctor_row *row)
{
    if (doctor->unknown[0] != '\0') print_finding(doctor, row, LEVEL_WARNING, 0, "%s", doctor->unknown);
    else if (doctor->is_new) print_finding(doctor, row, LEVEL_FINE, 0, "was never started; its folder is empty");
    else
        print_finding(doctor, row, LEVEL_FINE, 0,
                      doctor->runs ? "runs" : "does not run; its pools were counted in the log");
}

static const char connections_advice[] = "the setting connections, at the next start; "
                                         "dojima_connections_dismissed_total says whether newcomers displace others";

static void check_pools(struct doctor *doctor, const struct doctor_row *row)
{
    for (uint32_t i = 0; i < doctor->pool_count; i++) {
        const struct pool_state *pool = &doctor->pools[i];
        uint32_t                 step = pool_step(pool->used, pool->places);
        char                     name[64];
        bool                     is_table = strcmp(pool->name, "connections") == 0;
        const struct doctor_row  own = { name, row->check, is_table ? connections_advice : row->advice };

        if (pool->places == 0) continue; /* this exchange does without */
        (void)snprintf(name, sizeof(name), "%s %s", row->name, pool->name);
        if (step == 0)
            print_finding(doctor, &own, LEVEL_FINE, 0, "%lu of %lu places", (unsigned long)pool->used,
                          (unsigned long)pool->places);
        else
            print_finding(doctor, &own, LEVEL_WARNING, 0, "at least %u %% full: %lu of %lu places", step,
                          (unsigned long)pool->used, (unsigned long)pool->places);
    }
}

/* clang-format off */
static const struct doctor_row rows[] = {
    { "folder",        check_folder,
      "the folder and its files must belong to the user of the exchange alone: chown, chmod 700; without write "
      "access nothing starts" },
    { "exchange",      check_exchange,   "start it, or look at why it does not answer; then ask again" },
    { "clock",         check_clock,
      "run chrony or systemd-timesyncd: nonces, feeders' prices and funding hours go by this clock" },
    { "disk sync",     check_syncs,
      "each reply waits for a sync: put the folder on a local disk whose cache survives a power cut" },
    { "disk room",     check_room,
      "give the folder a larger disk, or move other files away; with less than 256 MiB new orders are refused" },
    { "file numbers",  check_handles,
      "raise LimitNOFILE of the service, or ulimit -n, to the setting connections and the others, and start again" },
    { "memory",        check_memory,     "a machine or a control group with more memory; pools never shrink" },
    { "cores",         check_cores,      "two cores at least: one for the engine, one for everything else" },
    { "huge pages",    check_huge_pages,
      "echo always > /sys/kernel/mm/transparent_hugepage/enabled: with pages of 4 KiB alone the processor looks up "
      "more of them" },
    { "pool",          check_pools,
      "dojima limits --data DIR NAME VALUE gives it more places at once; docs/limits.md names what fills it" },
};
/* clang-format on */

/* ---- what is known of the pools ---- */

static void add_pool(struct doctor *doctor, const char *name, uint64_t used, uint64_t places)
{
    struct pool_state *pool = &doctor->pools[doctor->pool_count];

    if (doctor->pool_count == ARRAY_COUNT(doctor->pools)) return;
    doctor->pool_count += 1;
    (void)snprintf(pool->name, sizeof(pool->name), "%s", name);
    pool->used = used;
    pool->places = places;
}

static uint64_t number_at(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static void take_tables(struct doctor *doctor, const json_t *data)
{
    const json_t *entry;
    size_t        index;

    json_array_foreach(json_object_get(data, "limits"), index, entry) {
        const char *name = json_string_value(json_object_get(entry, "name"));

        for (const struct enum_name *pool = limit_pool_names; name != NULL && pool->name != NULL; pool++) {
            if (strcmp(pool->name, name) != 0 || doctor->genesis == NULL) continue;
            limits_set(&doctor->genesis->limits, pool->value, (uint32_t)number_at(entry, "value"));
        }
        if (name != NULL) add_pool(doctor, name, number_at(entry, "used"), number_at(entry, "value"));
    }
    json_array_foreach(json_object_get(data, "tables"), index, entry) {
        const char *name = json_string_value(json_object_get(entry, "name"));

        if (name != NULL && strcmp(name, "fileNumbers") == 0) {
            doctor->handles = number_at(entry, "value");
            continue;
        }
        if (name != NULL && strcmp(name, "connections") == 0) doctor->connections = number_at(entry, "value");
        if (name != NULL) add_pool(doctor, name, number_at(entry, "used"), number_at(entry, "value"));
    }
}

/* False: no process answers there. */
static bool ask_exchange(struct doctor *doctor)
{
    struct local_fault fault;
    char               path[1024], text[LOCAL_LINE_MAX + 1];
    size_t             len = 0;
    int                handle = admin_path(doctor->data, path, sizeof(path)) ? local_connect(path, &fault) : -1;
    json_t            *answer = NULL;

    if (handle < 0) return false;
    doctor->pid = local_listener(handle);
    if (local_ask(handle, SLICE("{\"type\":\"pools\"}"), text, &len) == 0) answer = json_loadb(text, len, 0, NULL);
    files_close(handle);
    doctor->runs = true;
    if (answer == NULL)
        (void)snprintf(doctor->unknown, sizeof(doctor->unknown),
                       "the exchange does not answer at its administration socket");
    else take_tables(doctor, json_object_get(answer, "data"));
    json_decref(answer);
    return true;
}

/* Applies the log. EXIT_FINE, or the code whose reason was printed. */
static int count_log(struct doctor *doctor, struct replay *replay)
{
    struct held *held = malloc(sizeof(*held));
    int          code = EXIT_FINE;
    bool         there = true, fits = true;
    uint64_t     used[LIMITS];

    assert(held != NULL);
    fits = held_open(held, doctor->genesis);
    while (fits && there && code == EXIT_FINE) {
        struct log_cursor cursor = { 0, 0 };
        struct log_record record;

        code = replay_follow(replay, &there);
        if (code != EXIT_FINE || !there) break;
        while (fits && log_batch_next(&replay->batch, &cursor, &record)) fits = held_apply(held, record.command);
    }
    if (!fits) code = complain(EXIT_GENERAL, "doctor: not enough memory for the limits of the log");
    if (code == EXIT_FINE) {
        doctor->genesis->limits = *engine_limits(held->engine);
        pools_count(held->engine, used);
        for (const struct enum_name *pool = limit_pool_names; pool->name != NULL; pool++)
            add_pool(doctor, pool->name, used[pool->value], limits_get(&doctor->genesis->limits, pool->value));
    }
    held_close(held);
    free(held);
    return code;
}

/* The genesis of the log, and with `counts` the pools at its end. */
static void read_log(struct doctor *doctor, enum disk_use use, bool counts)
{
    const struct log_settings options = { .file_bytes = 8 << 20, .read_only = true };
    struct replay             replay;
    int                       code = replay_open(&replay, doctor->data, use, &options, NULL);

    doctor->genesis = calloc(1, sizeof(*doctor->genesis));
    assert(doctor->genesis != NULL);
    if (code == EXIT_FINE) code = replay_genesis(&replay, doctor->genesis);
    if (code == EXIT_FINE && counts && doctor->genesis->development != 0) code = replay_find_branches(&replay);
    if (code == EXIT_FINE && counts) code = count_log(doctor, &replay);
    replay_close(&replay);
    if (code == EXIT_FINE) return;
    (void)snprintf(doctor->unknown, sizeof(doctor->unknown), "the pools are not known: %s", complained());
    free(doctor->genesis);
    doctor->genesis = NULL;
}

/* ---- a new venue ---- */

/* As dojima init leaves it. Without a configuration an empty folder may be the wrong one. */
static bool is_new(const struct doctor *doctor)
{
    static const char *const none[] = { NULL };
    char                     name[256];

    return doctor->config != NULL && doctor->config->cluster.log_url[0] == '\0'
        && files_check_folder(doctor->data, false) == 0 && files_find_other(doctor->data, none, name) == 0;
}

/* ---- the command ---- */

static void look_at_exchange(struct doctor *doctor)
{
    char path[1024];
    int  handle = admin_path(doctor->data, path, sizeof(path)) ? local_connect(path, &(struct local_fault){ 0 }) : -1;

    read_log(doctor, handle >= 0 ? DISK_BESIDE : DISK_READ, handle < 0);
    files_close(handle);
    (void)ask_exchange(doctor);
}

/* The genesis that the first start will write. */
static void expect_genesis(struct doctor *doctor)
{
    doctor->is_new = true;
    doctor->genesis = calloc(1, sizeof(*doctor->genesis));
    assert(doctor->genesis != NULL);
    *doctor->genesis = doctor->config->genesis;
}

static void look(struct doctor *doctor)
{
    if (is_new(doctor)) expect_genesis(doctor);
    else look_at_exchange(doctor);
    if (doctor->json) (void)printf("{\"checks\":[");
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) rows[i].check(doctor, &rows[i]);
    if (doctor->json) (void)printf("],\"level\":\"%s\"}\n", level_names[doctor->worst]);
}

static int read_config(struct doctor *doctor)
{
    char error[256];

    if (doctor->config_path == NULL) return EXIT_FINE;
    doctor->config = calloc(1, sizeof(*doctor->config));
    assert(doctor->config != NULL);
    if (!config_read_file(doctor->config_path, doctor->config, error, sizeof(error)))
        return complain(EXIT_CONFIG, "%s", error);
    if (doctor->data == NULL) doctor->data = doctor->config->data;
    return EXIT_FINE;
}

int command_doctor(int argc, char **argv)
{
    struct doctor         doctor = { .worst = LEVEL_FINE };
    const struct argument arguments_rows[] = {
        { "data", ARGUMENT_TEXT, 0, &doctor.data, "DIR", "Folder of an exchange, running or not." },
        { "config", ARGUMENT_TEXT, 0, &doctor.config_path, "FILE",
          "Its configuration: the folder, and how many connections it wants." },
        { "json", ARGUMENT_FLAG, 0, &doctor.json, "", "One line of JSON instead of text." },
    };
    const struct arguments arguments = { "doctor",
                                         NULL,
                                         "Looks at an exchange and the machine under it: pools, clock, disk, memory, "
                                         "limits of the process. Exit code 0: all is fine, 1: something needs "
                                         "attention, 74 or 78: the disk, or too little memory for "
                                         "the configuration, will stop it.",
                                         arguments_rows,
                                         ARRAY_COUNT(arguments_rows),
                                         NULL };
    int                    operand, code;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    code = read_config(&doctor);
    if (code == EXIT_FINE && doctor.data == NULL)
        code = complain(EXIT_USAGE, "doctor: --data DIR or --config FILE is needed");
    if (code == EXIT_FINE) {
        log_init(false);
        look(&doctor);
        code = doctor.worst == LEVEL_FINE ? EXIT_FINE : doctor.worst == LEVEL_WARNING ? EXIT_GENERAL : doctor.code;
    }
    free(doctor.genesis);
    free(doctor.config);
    return code;
}
