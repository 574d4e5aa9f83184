#!/bin/sh
# Makes the assistant's account and database; the image of PostgreSQL runs this once, for an empty volume.
# The account is a plain one: row level security does not bind a superuser.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$DATABASE_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE meanwhile LOGIN PASSWORD :'password';
CREATE DATABASE meanwhile OWNER meanwhile;
SQL
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname meanwhile --command 'CREATE EXTENSION vector'
