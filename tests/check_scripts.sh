#!/bin/sh
# Lint, type checks and unit tests of the map's scripts; with `fix` the linter repairs what it can.
# Node and npm come from Debian. Who has neither is told so and goes on; in CI that is a failure.
set -eu
as_root=""
[ "$(id -u)" -eq 0 ] || as_root="sudo"
export DEBIAN_FRONTEND=noninteractive

node_is_here() {
    command -v npm && node -e 'process.exitCode = Number(parseInt(process.versions.node) < 18)'
} >/dev/null 2>&1

install_node() {
    command -v apt-get >/dev/null 2>&1 &&
        $as_root apt-get update -qq &&
        $as_root apt-get install -y -qq --no-install-recommends nodejs npm >/dev/null
}

give_up() {
    echo "The map's scripts were not $1: $2" >&2
    if [ -n "${CI:-}" ]; then exit 1; fi
}

node_is_here || install_node || true
if ! node_is_here; then
    give_up "checked" "please install Node 18 or later with npm."
    exit 0
fi
if [ node_modules/.package-lock.json -nt package-lock.json ] ||
    npm ci --no-audit --no-fund --loglevel=error >/dev/null; then
    if [ "${1:-}" = fix ]; then npm run --silent fix; else npm run --silent lint; fi
    npm run --silent types
else
    give_up "linted and typed" "npm cannot fetch the tools that package-lock.json names."
fi
[ "${1:-}" = fix ] || npm test --silent
