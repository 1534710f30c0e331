// Package browser contains only tests, which use notebooks with this kernel in a real Chromium as
// a user does, with the mouse and the keyboard: open, run all, complete, inspect, interrupt,
// answer, move controls, save, load again, in two windows, restart, kill. The steps are the same
// in the classic Notebook, JupyterLab 4 and Notebook 7 (frontend_test.go), which come from PyPI at the
// versions of package pyenv, with jupyter_server 2. Package services speaks to the kernel without a page.
//
// It is a module of its own, so that the program does not depend on what drives the browsers:
// package pages. Run it here:
//
//	cd kernel/internal/browser && go test -v ./...
//
// What is not on the machine is skipped, with the reason: chromium, and Python 3.11 or later with venv. The
// environment is made where it is not there (internal/pyenv/make), for which pip needs PyPI.
//
//	OVERCOMPLETE_SCREENSHOTS=dir       keeps a picture of each step
//	OVERCOMPLETE_BIN=file              uses that program instead of building one
//	OVERCOMPLETE_FRONT_ENDS=required   fails where it would skip
//
// The observations, also in other clients, are in docs/clients.md.
//
// # Files, in reading order
//
//	notebook_test.go   the steps, and those that run cells
//	editing_test.go    completion and help
//	kernel_test.go     errors, interrupt, input, restart, kill
//	controls_test.go   controls and Interact; sliders_test.go moves them
//	saved_test.go      what is in the file
//	positions_test.go  controls of an exported page
//	tour_test.go       the tour of README.md
//	project_test.go    the notebooks of this repository
//	lab_test.go        JupyterLab without ipywidgets, and with 100,000 lines
//	debugger_test.go   JupyterLab's panel of the debugger
//	frontend_test.go   what a front end is; drive/*.js reads and uses the page of each
//	page_test.go       a page in the browser, by package pages
//	server_test.go     the servers, by package serve
//	frames_test.go     tables in pages that take up HTML as front ends do; charts_test.go has charts
package browser
