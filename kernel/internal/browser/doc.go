// Package browser has no code: its test drives the classic Notebook in a real
// Chromium, as a user does, with this kernel: open, run all, complete, inspect,
// interrupt, answer, move controls, save, load again, restart.
//
// It is a module of its own, so that the program itself does not depend on
// chromedp, which drives the browser. Run it here:
//
//	cd kernel/internal/browser && go test .
//
// It skips where chromium or jupyter-notebook is absent. With
// OVERCOMPLETE_SCREENSHOTS=dir it keeps a picture of each step; with
// OVERCOMPLETE_BIN it takes that program and builds none. What was seen, also in
// other clients, is in ../CLIENTS.md.
package browser
