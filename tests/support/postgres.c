/* SPDX-License-Identifier: MIT */
#include "support/postgres.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCRIPT "tests/support/postgres.sh"

/* A port such that it and the next ones are free. */
static int free_ports(int count)
{
    for (int port = 20000 + getpid() % 10000;; port += count) {
        int free_ones = 0;

        for (int i = 0; i < count; i++) {
            int                socket_ = socket(AF_INET, SOCK_STREAM, 0);
            struct sockaddr_in address = { .sin_family = AF_INET,
                                           .sin_port = htons((uint16_t)(port + i)),
                                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

            free_ones += bind(socket_, (struct sockaddr *)(void *)&address, sizeof(address)) == 0;
            close(socket_);
        }
        if (free_ones == count) return port;
    }
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
