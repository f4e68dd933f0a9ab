/* SPDX-License-Identifier: MIT */
/*
 * config.h — the configuration file: INI, a section for the server, one per coin, per market, per fee table and per
 * first account. The keys of a market are the field names of wire 1.1. A key is one row in config_rows.c; the reader,
 * the defaults and the text of --help read the rows. An unknown key is an error that names line, section and key.
 */
#ifndef APP_CONFIG_H
#define APP_CONFIG_H

#include "gateway/leader_url.h"
#include "limits/limiter.h"
#include "model/genesis.h"
#include "model/operator.h"

/*
 * File numbers that an exchange has besides one for each connection: 48 of the log, the history, snapshots and the
 * shadow, 16 of operators, 4 of each I/O thread; of a node 96 more, of its database, of what it passes on, and of
 * copies for other nodes.
 */
static inline uint64_t file_numbers_besides(uint32_t io_threads, bool is_node)
{
    return 64 + 4 * (uint64_t)io_threads + (is_node ? 96 : 0);
}

/* Where the log is, and what this node is to the others that share it. */
struct cluster_settings {
    char     log_url[1024]; /* "": the log is files in the folder, and there is one node */
    uint8_t  quorum;        /* the database must confirm commits by a quorum */
    char     node[64], url[LEADER_URL_BYTES];
    uint32_t lease_ms;
    uint8_t  candidate;      /* it may lead */
    uint32_t compare_blocks; /* between two comparisons of state hashes; 0 = none */
    char     secret[512];    /* a file */
    uint32_t wait_ms;        /* of reads with X-Dojima-Min-Seq */
};

enum config_signatures { SIGNATURES_LANES = 0, SIGNATURES_LIBRARY };

struct config {
    char                    host[128], data[512];
    char                    admin_socket[512]; /* where the administration socket lies; relative: in `data` */
    uint16_t                port;
    uint32_t                io_threads;   /* I/O threads */
    uint32_t                busy_poll_us; /* how long they do not sleep while a reply is awaited */
    uint32_t                connections;  /* at once */
    uint32_t                connections_per_address;
    uint32_t                send_kib, receive_kib;               /* kernel buffers of a connection */
    uint8_t                 allow_public_chain_ids;              /* 286623 and 138565 outside development (ruling 8) */
    uint8_t                 strict_tail;                         /* refuse a log whose tail looks torn */
    uint8_t                 sandbox;                             /* fewer system calls once it has started */
    uint8_t                 rpc_tx_compat;                       /* 1: transactions are shown as type 0x0 */
    uint8_t                 strict_key_header;                   /* a signed action without X-API-Key is refused */
    uint8_t                 strict_decimals;                     /* a signed body's decimals end in no zeros */
    uint8_t                 terminal;                            /* the terminal is served */
    char                    terminal_folder[512];                /* where its files are; empty: the usual places */
    uint8_t                 shadow;                              /* a second process follows and writes snapshots */
    uint32_t                segment_mib;                         /* of the log */
    uint32_t                snapshot_seconds, snapshot_commands; /* between two, whichever is over first */
    uint8_t                 archive_segments;                    /* behind both snapshots */
    uint8_t                 signatures;                          /* enum config_signatures */
    uint8_t                 shadow_stops;                        /* a difference stops the exchange */
    uint8_t                 touch_memory;                        /* all of it at the start */
    uint8_t                 bootstrap;                           /* perps without feeders are meant (ruling 68) */
    struct limiter_settings limits;                              /* of requests; not part of the genesis */
    struct proxies          metrics;                             /* address ranges that may read /metrics; likewise */
    int64_t                 faucet[COINS_MAX]; /* amount of a coin from dojima faucet, its units; 0 = none */
    struct operator_keys    operators; /* addresses that must confirm an operator's requests; not part of the genesis */
    uint32_t                audit_seconds; /* between two heads in the audit log; 0 = none */
    struct cluster_settings cluster;
    struct hash256          hash; /* of the text that was read */
    struct genesis          genesis;
};

/*
 * Reads a whole text; `name` is how errors call it. `development` marks the genesis and allows the public
 * chain ids. False: `error` (of `cap` bytes) is one clear line.
 */
bool config_read(const char *text, const char *name, bool development, struct config *config, char *error,
                 size_t cap) MUST_USE;

/* The same from a file. */
bool config_read_file(const char *path, struct config *config, char *error, size_t cap) MUST_USE;

/* Prints all sections and keys with their defaults to stdout. */
void config_print_help(void);

/* The first difference between two genesis, as "spot[0].tickSize";
   false when there is none. The time of creation is none. */
bool genesis_difference(const struct genesis *a, const struct genesis *b, char *path, size_t cap);

#endif
