#!/bin/sh
# Runs a Go program for js/wasm in node: GOOS=js GOARCH=wasm go test -tags livesimd -exec "$PWD/kernel/live/node/exec.sh"
here=$(cd "$(dirname "$0")" && pwd)
exec node "$here/exec.cjs" "$(go env GOROOT)/lib/wasm" "$@"
