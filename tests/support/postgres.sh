#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/support/postgres.sh — PostgreSQL servers for one test, on 127.0.0.1.
#   start DIR PORT STANDBYS OWNER  a primary on PORT, standbys s1, s2 … on the ports behind it, ANY 1 of which makes a
#                                  quorum; they end with the process OWNER, or with `stop`. 77: no PostgreSQL here.
#   stop DIR                       ends them all and removes DIR
#   control DIR NUMBER ACTION…     pg_ctl of the primary (0) or of standby NUMBER
set -eu
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
[ -n "$bin" ] && [ -x "$bin/initdb" ] || {
    echo "skipped: no PostgreSQL server here (Debian: postgresql)" >&2
    exit 77
}
user=
if [ "$(id -u)" = 0 ]; then
    id postgres >/dev/null 2>&1 || { echo "skipped: no user postgres, and root may not run PostgreSQL" >&2; exit 77; }
    user="setpriv --reuid postgres --regid postgres --clear-groups"
fi
as() { (cd / && env LC_ALL=C $user "$@"); }
folder() { [ "$2" = 0 ] && echo "$1/p" || echo "$1/s$2"; }

settings() { # PORT
    cat <<END
listen_addresses = '127.0.0.1'
port = $1
unix_socket_directories = ''
shared_buffers = 16MB
max_connections = 60
max_wal_senders = 6
wal_level = replica
hot_standby = on
fsync = on
autovacuum = off
wal_sender_timeout = 60s
log_line_prefix = '%m %p '
END
}

start() {
    dir=$1 port=$2 standbys=$3 owner=$4
    mkdir -p "$dir" && { [ -z "$user" ] || chown postgres:postgres "$dir"; }
    as "$bin/initdb" -D "$dir/p" -A trust -U postgres -E UTF8 --locale C --no-sync >"$dir/out" 2>&1
    settings "$port" >>"$dir/p/postgresql.conf"
    as "$bin/pg_ctl" -D "$dir/p" -l "$dir/p/log" -w start >>"$dir/out" 2>&1
    names=
    for number in $(seq 1 "$standbys"); do
        as "$bin/pg_basebackup" -R -c fast -D "$dir/s$number" --no-sync \
            -d "host=127.0.0.1 port=$port user=postgres application_name=s$number" >>"$dir/out" 2>&1
        settings $((port + number)) >>"$dir/s$number/postgresql.conf"
        as "$bin/pg_ctl" -D "$dir/s$number" -l "$dir/s$number/log" -w start >>"$dir/out" 2>&1
        names="$names${names:+, }s$number"
    done
    if [ -n "$names" ]; then
        echo "synchronous_standby_names = 'ANY 1 ($names)'" >>"$dir/p/postgresql.conf"
        as "$bin/pg_ctl" -D "$dir/p" reload >>"$dir/out" 2>&1
    fi
    ( while kill -0 "$owner" 2>/dev/null && [ -d "$dir" ]; do sleep 1; done
      [ ! -d "$dir" ] || stop "$dir" ) >/dev/null 2>&1 </dev/null &
}

stop() {
    for one in "$1"/s* "$1/p"; do
        [ ! -f "$one/postmaster.pid" ] || as "$bin/pg_ctl" -D "$one" -m immediate -w stop >/dev/null 2>&1 || true
    done
    rm -rf "$1"
}

action=$1
shift
case $action in
start | stop) "$action" "$@" ;;
control) dir=$(folder "$1" "$2"); shift 2; as "$bin/pg_ctl" -D "$dir" -l "$dir/log" -w "$@" >/dev/null 2>&1 ;;
*) exit 2 ;;
esac
