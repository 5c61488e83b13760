#!/bin/sh
# Inserts traces into ClickHouse, each event once: may be ended at any time, and run again with the same traces.
#
#   ship.sh TRACE...
#
# What was inserted is marked by an empty file TRACE.shipped. Exit code 1 when a trace could not be read at all; the others are
# inserted. Files that are still written (`.active`) are left out.
#
# Environment: SHARDS   the servers' addresses, as "http://a:8123 http://b:8123"; the first takes what is inserted
#              CLUSTER  what their configuration calls them together
#              HOST     the column `host`; default: the name of this one
set -eu
HOST=${HOST:-$(hostname)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# URL SETTINGS FILE: the statement in FILE, or SETTINGS with `query=` and the rows in FILE.
post() {
    curl -sS --fail-with-body -o "$work/answer" --data-binary "@$3" "$1/?$2" || { cat "$work/answer" >&2; exit 1; }
}

# FILE: the statement in it, with a column that says when rows were inserted.
make_statement() {
    sed -e 's/;$//' -e 's/^)$/    , `arrived` DateTime DEFAULT now())/' "$1"
}

# NAME: makes the table on each shard, and the one over all of them. Percent signs are bytes of names in addresses too.
make_table() {
    printf 'CREATE TABLE IF NOT EXISTS `fleet.%s` AS `%s` ENGINE = Distributed(%s, currentDatabase(), `%s`, sipHash64(segment))' \
        "$1" "$1" "$CLUSTER" "$1" >"$work/distributed"
    for shard in $SHARDS; do
        post "$shard" '' "$work/$1.sql"
        post "$shard" '' "$work/distributed"
    done
}

failed=0
for trace in "$@"; do
    [ ! -e "$trace.shipped" ] || continue
    case $trace in *.active) continue ;; esac
    code=0
    tracedeck convert -q --to clickhouse --layout schema --clock wall --tag "host=$HOST" -o "$work/one" "$trace" || code=$?
    # What has its name is complete: 4 is damage then, which the tables tell, and a full disk otherwise.
    if [ ! -d "$work/one/_manifest" ]; then
        echo "$trace: not converted: exit code $code" >&2
        rm -rf "$work/one.part"
        failed=1
        continue
    fi
    for rows in "$work/one"/*.native; do
        name=${rows##*/}
        cat "$rows" >>"$work/$name"
        name=${name%.native}
        [ -e "$work/$name.sql" ] || make_statement "$work/one/$name.sql" >"$work/$name.sql"
    done
    rm -r "$work/one"
    printf '%s\n' "$trace" >>"$work/shipped"
done
for rows in "$work"/*.native; do
    [ -e "$rows" ] || continue
    name=${rows##*/}
    name=${name%.native}
    make_table "$name"
    in_address=$(printf '%s' "$name" | sed 's/%/%25/g')
    post "${SHARDS%% *}" "insert_distributed_sync=1&query=INSERT+INTO+%60fleet.$in_address%60+FORMAT+Native" "$rows"
done
[ ! -e "$work/shipped" ] || while read -r trace; do : >"$trace.shipped"; done <"$work/shipped"
exit $failed
