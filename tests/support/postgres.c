/* SPDX-License-Identifier: MIT */
#include "support/postgres.h"

#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCRIPT "tests/support/postgres.sh"

/* Ports below those that the system gives to others, in blocks; tests/e2e/roles.py has the same. */
#define PORT_FIRST  20000
#define PORT_BLOCK  40
#define PORT_BLOCKS 300

static bool is_free(int port)
{
    int                one = 1, handle = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    bool               found;

    (void)setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    found = bind(handle, (struct sockaddr *)(void *)&address, sizeof(address)) == 0;
    close(handle);
    return found;
}

/* The first port of a block that no other test has, for as long as this process lives. */
static int own_ports(void)
{
    for (int turn = 0; turn < PORT_BLOCKS; turn++) {
        int  block = (getpid() + turn) % PORT_BLOCKS, handle;
        char path[64];

        (void)snprintf(path, sizeof(path), "/tmp/dojima-ports-%d", block);
        handle = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (handle >= 0 && flock(handle, LOCK_EX | LOCK_NB) == 0) return PORT_FIRST + block * PORT_BLOCK;
        if (handle >= 0) close(handle);
    }
    assert(false);
    return 0;
}

/* A port such that it and the next ones are free; none is given out twice. */
static int free_ports(int count)
{
    static int first, used;
    int        port, free_ones = 0;

    if (first == 0) first = own_ports();
    for (port = first + used; free_ones < count; used++) {
        assert(used < PORT_BLOCK);
        free_ones = is_free(first + used) ? free_ones + 1 : 0;
        if (free_ones == 0) port = first + used + 1;
    }
    return port;
}

static int run_shell(const char *command)
{
    int status = system(command);

    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool test_postgres_start(struct test_postgres *postgres, int standbys)
{
    char command[256];
    int  code;

    memset(postgres, 0, sizeof(*postgres));
    postgres->port = free_ports(standbys + 1);
    postgres->standbys = standbys;
    (void)snprintf(postgres->folder, sizeof(postgres->folder), "/tmp/dojima-postgres-%d-%d", (int)getpid(),
                   postgres->port);
    (void)snprintf(postgres->admin, sizeof(postgres->admin), "postgres://postgres@127.0.0.1:%d/postgres",
                   postgres->port);
    (void)snprintf(command, sizeof(command), SCRIPT " start %s %d %d %d", postgres->folder, postgres->port, standbys,
                   (int)getpid());
    code = run_shell(command);
    assert(code == 0 || code == 77);
    return code == 0;
}

void test_postgres_stop(struct test_postgres *postgres)
{
    char command[256];
    int  code;

    (void)snprintf(command, sizeof(command), SCRIPT " stop %s", postgres->folder);
    code = run_shell(command);
    assert(code == 0);
}

int test_postgres_control(const struct test_postgres *postgres, int number, const char *action)
{
    char command[256];

    (void)snprintf(command, sizeof(command), SCRIPT " control %s %d %s", postgres->folder, number, action);
    return run_shell(command);
}

const char *test_postgres_value(const struct test_postgres *postgres, const char *text)
{
    static char value[512];
    PGconn     *connection = PQconnectdb(postgres->admin);
    PGresult   *result = PQexec(connection, text);

    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK)
        fprintf(stderr, "%s: %s", text, PQerrorMessage(connection));
    assert(PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK);
    value[0] = '\0';
    if (PQntuples(result) != 0) (void)snprintf(value, sizeof(value), "%s", PQgetvalue(result, 0, 0));
    PQclear(result);
    PQfinish(connection);
    return value;
}

void test_postgres_run(const struct test_postgres *postgres, const char *text)
{
    (void)test_postgres_value(postgres, text);
}
