// Package browser contains only tests. They use notebooks with this kernel in a real Chromium as a user does, with the
// mouse and the keyboard: they open a notebook, run all its cells, complete names, show help, interrupt a cell, answer
// a request for input, move controls, save and reload the notebook, open it in two windows, and restart and kill the
// kernel. The steps are the same in three front ends: the classic Notebook, JupyterLab 4 and Notebook 7 (see
// frontend_test.go). The front ends and jupyter_server 2 come from PyPI, in the versions that package pyenv specifies.
// Package services talks to the kernel without a page, package live uses live pages, and package axe checks the
// accessibility of the notebooks' pages.
//
// This folder is a module of its own, so that the program does not depend on package pages, which drives the
// browsers. To run the tests:
//
//	cd kernel/internal/browser && go test -v ./...
//
// Tests skip, and say why, if chromium, or Python 3.11 or later with venv, is missing. A missing Python environment is
// created (internal/pyenv/make); for this, pip needs PyPI.
//
//	OVERCOMPLETE_SCREENSHOTS=dir       keeps a screenshot of each step
//	OVERCOMPLETE_BIN=file              uses that program instead of building one
//	OVERCOMPLETE_FRONT_ENDS=required   fails instead of skipping
//
// Observations, including some in other clients, are in docs/clients.md.
//
// # Files, in reading order
//
//	notebook_test.go   the list of steps, the steps that run cells, and the contents of the saved file
//	editing_test.go    completion and help
//	kernel_test.go     errors, interrupt, input, restart, kill
//	controls_test.go   controls and Interact, and how sliders move
//	positions_test.go  controls of an exported page
//	project_test.go    the tour of README.md, and the notebooks of this repository
//	lab_test.go        JupyterLab without ipywidgets, and with 100,000 lines
//	debugger_test.go   JupyterLab's debugger panel
//	frontend_test.go   the type of a front end, and a page in the browser, using package pages; drive/*.js reads
//	                   and operates the page
//	server_test.go     the servers, using package serve
//	frames_test.go     tables and charts in pages that insert HTML as front ends do
package browser
