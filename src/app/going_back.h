/* SPDX-License-Identifier: MIT */
/*
 * going_back.h — what a development exchange needs to go back to a snapshot: which branch of its log is alive, its
 * snapshots, and a way to stop the other threads (pipeline/revert.h).
 */
#ifndef APP_GOING_BACK_H
#define APP_GOING_BACK_H

struct instance;

/* Before the log is read: finds its branches, and a history of another branch is emptied. EXIT_FINE or a code. */
int going_back_look(struct instance *instance);

/* Behind the log: from here on the exchange can go back, if it is one of development. EXIT_FINE or a code. */
int  going_back_open(struct instance *instance);
void going_back_close(struct instance *instance);

#endif
