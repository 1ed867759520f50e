#!/bin/sh
# Browser tests drive the system's Chromium; Chinese needs a font that has it. What is there is kept.
set -eu
missing=""
command -v chromium >/dev/null 2>&1 || missing="chromium"
fc-list :lang=zh 2>/dev/null | grep -q . || missing="$missing fonts-noto-cjk fontconfig"
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    echo "Please install Chromium and a font with Chinese glyphs, then run make test again." >&2
    exit 1
fi
as_root=""
[ "$(id -u)" -eq 0 ] || as_root="sudo"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086 # the names are words
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
