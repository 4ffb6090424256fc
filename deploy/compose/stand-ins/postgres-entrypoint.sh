#!/bin/sh
# What the image postgres does at its start: as user postgres; on an empty folder it makes the cluster, and the database
# by a server that listens on no network. Owns nothing afterwards: the server takes its place.
set -eu

if [ "$(id -u)" = 0 ]; then
  chown postgres:postgres "$PGDATA"
  exec setpriv --reuid postgres --regid postgres --init-groups sh "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  secret=$(mktemp)
  printf '%s\n' "$POSTGRES_PASSWORD" >"$secret"
  initdb --pgdata "$PGDATA" --username "$POSTGRES_USER" --pwfile "$secret" --auth-local trust --auth-host scram-sha-256
  rm "$secret"
  printf 'host all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
  pg_ctl --pgdata "$PGDATA" --wait --options "-c listen_addresses=''" start
  psql --username "$POSTGRES_USER" --dbname postgres --command "CREATE DATABASE \"$POSTGRES_DB\""
  pg_ctl --pgdata "$PGDATA" --wait --mode fast stop
fi

exec "$@" -c listen_addresses='*'
