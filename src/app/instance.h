/* SPDX-License-Identifier: MIT */
/* instance.h — one exchange in this process: its options and all that it is made of. */
#ifndef APP_INSTANCE_H
#define APP_INSTANCE_H

#include "admin/admin.h"
#include "api/impersonation.h"
#include "chaos/chaos.h"
#include "app/cluster.h"
#include "app/giver.h"
#include "pipeline/nonce_query.h"
#include "pipeline/console_log.h"
#include "app/dev_accounts.h"
#include "app/market_source.h"
#include "app/second_check.h"
#include "app/stage.h"
#include "app/terminal_source.h"
#include "market/backfill.h"
#include "pipeline/logbook.h"
#include "pipeline/replay.h"
#include "pipeline/revert.h"
#include "pipeline/turn.h"
#include "app/watch.h"

struct options {
    const char           *folder, *host;
    const char           *admin_socket; /* a path, relative to the folder; NULL = the standard one */
    uint16_t              port;
    uint32_t              io_threads, connections, connections_per_address, busy_poll_us;
    uint32_t              send_kib, receive_kib; /* kernel buffers of a connection */
    uint64_t              file_bytes;
    bool                  production;   /* spare segment, pools touched now, genesis must be the log's */
    bool                  from_genesis; /* no snapshot is used: the whole log is read */
    bool                  passing;      /* the folder goes away with the process, also when the disk is full */
    bool                  touch_memory; /* memory that is allocated at the start is faulted in at the start */
    bool                  strict_tail, allow_public_chain_ids, rpc_legacy, strict_key_header, strict_decimals, sandbox;
    bool                  library_signatures; /* recovered by libsecp256k1 alone: there is no second check */
    bool                  open_to_all;        /* development: api_settings */
    bool                  terminal;           /* /, /trade/… and /assets/… are served */
    const char           *terminal_folder;    /* NULL or empty = the usual places (app/terminal_source.h) */
    bool                  has_dev_prices;     /* the built-in feeder speaks, along the path of `seed` */
    uint8_t               market;             /* enum market_preset: traders and the path of prices; 0 = neither */
    uint64_t              seed;
    int64_t               clock_rate;             /* development: of engine time, in millionths of the wall clock's */
    bool                  clock_goes_on;          /* and it begins where the log ends, not at the wall clock's time */
    bool                  console_log;            /* a line per command on stdout */
    struct watch_settings watch;                  /* of the shadow; seconds 0 = none */
    const struct genesis *genesis;                /* of a new log */
    const struct limiter_settings *limits;        /* NULL = none */
    const int64_t                 *faucet;        /* by coin id, COINS_MAX */
    const struct proxies          *metrics;       /* address ranges that may read /metrics */
    const struct operator_keys    *operators;     /* addresses that confirm an operator's requests; NULL = none */
    struct stage                  *stage;         /* dev: plays scenarios; NULL = nothing does */
    const struct cluster_settings *cluster;       /* NULL = the log is files, and this node is the only one */
    const struct hash256          *config;        /* of the configuration file; NULL = there is none */
    uint32_t                       audit_seconds; /* between two heads in the audit log; 0 = none */
};

/* What it needs to go back to a snapshot (app/going_back.h). */
struct going_back {
    struct revert_means  means;
    struct hold          hold;
    pthread_mutex_t      keeper; /* held by the keeper while it does anything */
    struct api_snapshots snapshots;
    int64_t              behind_ms; /* at the start: since the last REVERT the engine's clock is so much behind */
};

/* The known answers of the cryptography, computed beside the rest of the start. */
struct crypto_trial {
    pthread_t thread;
    bool      is_running, holds;
};

struct instance {
    bool                   was_refused; /* its start */
    struct options         options;
    struct genesis         genesis; /* the log's */
    struct server          server;
    struct cluster         cluster; /* with options.cluster */
    struct api_node        node;
    struct admin_cluster   operators;
    struct replay          replay;
    struct history        *history;
    struct net_listener   *listener;
    struct gateway_cluster forwarding;  /* with options.cluster; else `forward` is NULL */
    char                   secret[320]; /* where forwarding.secret lies */
    struct giver           giver;       /* with options.cluster */
    struct api_log         log;
    char                   public_accounts[DEV_ACCOUNTS * 192]; /* development: as JSON, for the page */
    struct api_metrics     metrics;
    struct nonce_query     nonce_query;
    struct api_nonces      nonces;
    struct api_tables      tables;
    int64_t                started_ms; /* wall clock */
    struct api_shared      api;
    struct impersonation   impersonation;
    struct terminal_source terminal; /* with options.terminal */
    struct limiter         limiter;
    void                  *limiter_memory; /* NULL = no limits */
    void                  *streams;        /* likewise, of streams */
    struct event_queue    *queue_list[ORIGIN_THREADS_MAX];
    struct event_queues    event_queues;
    struct dev_prices      dev_prices;
    struct market_source   traders;
    struct engine_clock    clock; /* of a development exchange */
    struct chaos           chaos; /* development */
    struct console_log     console_log;
    bool                   has_console;
    struct watch           watch;
    struct second_check    second_check; /* without options.library_signatures */
    struct crypto_trial    crypto;
    struct audit           audit;
    struct audit_start     standing; /* where it was found at the start */
    struct going_back      going_back;

    /* Development: bars of the time before the beginning; memory NULL = none. */
    struct history_backfill backfill;
    void                   *backfill_memory;
};

#endif
