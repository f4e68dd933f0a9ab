/* SPDX-License-Identifier: MIT */
/*
 * network.h — the client's end of the simulated network: connections as two buffers, of which the dice decide how much
 * passes at once. The server's end is io/net.h, in network.c.
 */
#ifndef SIM_NETWORK_H
#define SIM_NETWORK_H

#include "world.h"

#define WIRES 16

/* A connection to the server; -1: it does not listen, or it is full. `window`: bytes that fit between it and us. */
int wire_connect(uint32_t window);
/* Sends as much as fits; how much. */
size_t wire_send(int wire, const void *bytes, size_t len);
/* What has come, at most `cap`. *ended: no more will. */
size_t wire_receive(int wire, void *bytes, size_t cap, bool *ended);
/* Hangs up: with a FIN, or with a reset that throws away what is under way. The number is free again. */
void wire_cut(int wire, bool reset);
/* The one peer of the administration socket: says a line, hears the answer to it. False: not now; not yet. */
bool operator_say(const void *line, size_t len);
bool operator_hears(char *answer, size_t cap);
bool wire_listening(void);
void network_clear(void); /* the server has gone: so have all connections */

#endif
