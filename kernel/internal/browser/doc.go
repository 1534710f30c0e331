// Package browser contains only a test, which drives the classic Notebook in a
// real Chromium as a user does, with this kernel: open, run all, complete,
// inspect, interrupt, answer, move controls, save, load again, restart.
//
// It is a module of its own, so that the program does not depend on chromedp,
// which drives the browser. Run it here:
//
//	cd kernel/internal/browser && go test .
//
// The test is skipped if chromium or jupyter-notebook is absent. With
// OVERCOMPLETE_SCREENSHOTS=dir it keeps a picture of each step; with
// OVERCOMPLETE_BIN it uses that program instead of building one. The
// observations, also in other clients, are in ../CLIENTS.md.
package browser
