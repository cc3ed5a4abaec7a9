#!/bin/sh
# Creates the secrets of compose.yaml: keys, passwords, the settings with passwords, and a first certificate. Existing
# files are not changed. Back up the directory: without encryption.key the database cannot be read.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
cd secrets

# Containers read these files with their own users. On this machine the permissions of the directory protect them.
once() { [ -e "$1" ] || { cat > "$1.new" && chmod 644 "$1.new" && mv "$1.new" "$1"; }; }
random() { openssl rand -hex 32; }

for name in encryption.key token.key postgres.password redis.password mqtt.password; do random | once "$name"; done

once hilltop.json <<SETTINGS
{
  "databaseURL": "postgres://hilltop:$(cat postgres.password)@postgres/hilltop",
  "redisURL": "redis://:$(cat redis.password)@redis:6379",
  "mqttURL": "mqtt://hilltop:$(cat mqtt.password)@mosquitto:1883",
  "adminEmail": "admin@hilltop.local",
  "adminPassword": "$(openssl rand -hex 12)"
}
SETTINGS

if [ ! -e tls.key ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 825 -subj "/CN=${1:-localhost}" \
    -addext "subjectAltName=DNS:${1:-localhost}" -keyout tls.key.new -out tls.crt 2> /dev/null
  chmod 644 tls.key.new tls.crt
  mv tls.key.new tls.key
fi

echo "deploy/secrets is ready. The first administrator and its password stand in deploy/secrets/hilltop.json;"
echo "put a certificate that browsers know into tls.crt and tls.key."
