/* SPDX-License-Identifier: MIT */
/*
 * dry_run.h — what a command would do, in development: a copy of the engine applies it, with a TICK before it when one
 * is due, by the code and the rules of the engine itself. Nothing is logged, and engine, views and history keep their
 * bytes.
 */
#ifndef PIPELINE_DRY_RUN_H
#define PIPELINE_DRY_RUN_H

#include "pipeline/server.h"

/*
 * Answers a message with the outcome that its command would have at engine time now_ms, which is not before the last
 * command. Everything before it has been applied, and nothing is on its way. Refused without memory for the copy.
 */
void dry_run(struct server *server, struct write_message *message, int64_t now_ms);

#endif
