/* SPDX-License-Identifier: MIT */
/*
 * stage.h — the process that plays scenarios for the methods of /rpc (decision 629). The exchange has no right to start
 * programs once it serves; so a small copy of it, made at the very start, waits for orders and starts
 * `dojima scenario run`. It takes only the number of a scenario of the program and a port.
 *
 *     exchange ── number, port ──▶ stage ── starts, ends ──▶ dojima scenario run NAME --url http://127.0.0.1:PORT
 *        ▲                           │                          │
 *        └──────── lines of JSON, at the end {"exit":CODE} ─────┘
 *
 * It ends with the exchange, also when that is killed, and with it the scenario.
 */
#ifndef APP_STAGE_H
#define APP_STAGE_H

#include "api/scenarios.h"

struct stage {
    struct scenarios      scenarios;
    struct scenario_means means;
    int                   pid, handle;
    uint32_t              port; /* where this exchange listens */
    pthread_t             thread;
    bool                  is_open, listens;
};

/* Before there is a second thread, and while little memory is in use. When it cannot be
 * started, the log says so and no scenario starts. */
void stage_open(struct stage *stage);
/* The exchange listens; the thread that reads what the stage says is started. 0 or errno. */
int stage_start(struct stage *stage, uint16_t port) MUST_USE;
/* Ends the scenario, the process and the thread. */
void stage_close(struct stage *stage);

#endif
