/* SPDX-License-Identifier: MIT */
/*
 * network.h — the client's end of the simulated network: connections as two buffers, with random numbers that decide
 * how much passes at once. The server's end is
 * io/net.h, in network.c; that of the administration socket is io/local.h, in local.c.
 */
#ifndef SIM_NETWORK_H
#define SIM_NETWORK_H

#include "world.h"

#define WIRES 16

/* A connection to the server; -1: it does not listen, or it is full. `window`: bytes that fit between it and us. */
int wire_connect(uint32_t window);
/* Sends as many bytes as fit; how many. */
size_t wire_send(int wire, const void *bytes, size_t len);
/* The bytes that have arrived, at most `cap`. *ended: there will be no more. */
size_t wire_receive(int wire, void *bytes, size_t cap, bool *ended);
/* Disconnects: with a FIN, or with a reset that drops the bytes under way. The number is free again. */
void wire_cut(int wire, bool reset);
/* The one peer of the administration socket: sends a line, receives its reply. False: not now; not yet. */
bool operator_say(const void *line, size_t len);
bool operator_hears(char *answer, size_t cap);
void local_clear(void); /* the server has ended, and its socket with it */
bool wire_listening(void);
void network_clear(void); /* the server has ended: so have all connections */

#endif
