/* SPDX-License-Identifier: MIT */
/*
 * libpq.h — the functions of libpq, which is loaded when a shared log is first used, so that every other process
 * starts without it and its twenty libraries. Private to this folder.
 */
#ifndef LOG_POSTGRES_LIBPQ_H
#define LOG_POSTGRES_LIBPQ_H

#include <libpq-fe.h>
#include <stdbool.h>

#define LIBPQ "libpq.so.5"

/* The functions that are used, without their prefix. */
#define LIBPQ_FUNCTIONS(X)                                                                                             \
    X(clear)                                                                                                           \
    X(cmdTuples)                                                                                                       \
    X(connectdbParams)                                                                                                 \
    X(conninfo)                                                                                                        \
    X(conninfoFree)                                                                                                    \
    X(consumeInput)                                                                                                    \
    X(enterPipelineMode)                                                                                               \
    X(errorMessage)                                                                                                    \
    X(exec)                                                                                                            \
    X(finish)                                                                                                          \
    X(flush)                                                                                                           \
    X(freemem)                                                                                                         \
    X(getResult)                                                                                                       \
    X(getlength)                                                                                                       \
    X(getvalue)                                                                                                        \
    X(isBusy)                                                                                                          \
    X(notifies)                                                                                                        \
    X(ntuples)                                                                                                         \
    X(pipelineSync)                                                                                                    \
    X(resultErrorField)                                                                                                \
    X(resultStatus)                                                                                                    \
    X(sendQueryParams)                                                                                                 \
    X(sendQueryPrepared)                                                                                               \
    X(setNoticeReceiver)                                                                                               \
    X(setnonblocking)                                                                                                  \
    X(socket)                                                                                                          \
    X(status)

struct libpq {
    void *library; /* NULL: not loaded */
#define X(NAME) __typeof__(PQ##NAME) *NAME;
    LIBPQ_FUNCTIONS(X)
#undef X
};

/* Filled by libpq_load. */
extern struct libpq pq;

/* Once for the process, which keeps the library; from any thread. False: it is not there, or lacks a function. */
bool libpq_load(void) __attribute__((warn_unused_result));

#endif
