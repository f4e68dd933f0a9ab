# awk -f tools/layers.awk docs/layers.txt $(find src -name '*.[ch]')
# Fails when a file includes a room that docs/layers.txt does not allow its own room.
# src/main.c is not in a room: it may see everything. Tests beside the code obey their room too.
FILENAME ~ /layers.txt$/ {
    if ($0 ~ /^[a-z]/) { room = $1; may[room, room] = 1; rooms[room] = 1; for (i = 3; i <= NF; i++) may[room, $i] = 1 }
    next
}
FNR == 1 && FILENAME ~ /^src\/[a-z]+\// {
    split(FILENAME, path, "/")
    if (!(path[2] in rooms)) { print FILENAME ": docs/layers.txt does not know this room"; bad = 1 }
}
match($0, /^#include "[a-z]+\//) {
    split(FILENAME, path, "/"); from = path[2]
    if (!(from in rooms)) next
    to = substr($0, RSTART + 10, RLENGTH - 11)
    if ((to == "rigs" || to == "support") && FILENAME ~ /_test\.c$/) next
    if (!((from, to) in may)) { printf "%s:%d: %s may not include %s\n", FILENAME, FNR, from, to; bad = 1 }
}
END { exit bad }
