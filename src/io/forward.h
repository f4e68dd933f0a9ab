/* SPDX-License-Identifier: MIT */
/*
 * forward.h — HTTP requests to another node, by a thread of its own: libcurl, HTTP/1.1, connections that stay open. Any
 * thread gives it requests; it reports for each whether it was answered, was never sent, or was sent and has no answer.
 * A request is sent at most once: when a connection ends before the answer, it is not tried again on another one.
 */
#ifndef IO_FORWARD_H
#define IO_FORWARD_H

#include "base/slice.h"

#define FORWARD_PLACES      4096               /* requests that wait or are on their way */
#define FORWARD_BYTES       (64 * 1024 * 1024) /* of them together */
#define FORWARD_CONNECTIONS 64                 /* to the other node; more requests wait for one of them */
#define FORWARD_CONNECT_MS  1000
#define FORWARD_WAIT_MS     5000  /* a request that has no connection until then was never sent */
#define FORWARD_ANSWER_MS   15000 /* from the moment at which it is sent */
#define FORWARD_ALIVE_MS    2000  /* in which the other machine confirms bytes; else it cannot be reached */
#define FORWARD_MOVED_MS    250   /* to answer, when another node has become the one to ask */
#define FORWARD_URL_BYTES   256   /* with the zero behind it */

struct forward;

enum forward_outcome {
    FORWARD_ANSWERED, /* `head` and `body` are the answer */
    FORWARD_NOT_SENT, /* no byte of the request has left */
    FORWARD_UNKNOWN,  /* it may have been received, and what became of it is not known */
};

/* A request that has ended; forward_free gives its memory back. */
struct forward_answer {
    struct forward_answer *next; /* the taker's */
    void                  *taker;
    uint64_t               token; /* as given */
    enum forward_outcome   outcome;
    int                    status; /* of HTTP */
    struct slice           head;   /* status line and header lines as received, each with its CR LF; no empty line */
    struct slice           body;   /* without the framing of chunks */
};

struct forward_request {
    void        *taker; /* of the answer, with `token` */
    uint64_t     token;
    struct slice method, target, body;
    struct slice lines; /* header lines, each with its CR LF; Host and Content-Length are added */
};

struct forward_settings {
    void *self;
    /* The URL of the node to ask now, http:// or https://, without a path; false: there is none. From the thread. */
    bool (*find)(void *self, char url[FORWARD_URL_BYTES]);
    /* A request has ended; the taker owns the answer. From the thread. */
    void (*done)(struct forward_answer *answer);
    size_t answer_bytes_max; /* head and body; of a longer answer the outcome is not known */
};

/*
 * Loads libcurl and takes what the thread needs, before the process has its sandbox. NULL, and *why says why.
 */
struct forward *forward_open(const struct forward_settings *settings, const char **why);
/* The thread's life, until forward_stop. What has not ended then is reported to no taker. */
void forward_run(struct forward *forward);
void forward_stop(struct forward *forward);
void forward_close(struct forward *forward);

/* From any thread. Copies the request; false: there is no room for it. */
bool forward_send(struct forward *forward, const struct forward_request *request) MUST_USE;
void forward_free(struct forward_answer *answer);

#endif
