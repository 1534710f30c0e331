// Package services contains only a test. Its client runs under Node and talks to this kernel through a Jupyter server,
// with @jupyterlab/services, the library used by JupyterLab, Notebook 7 and VS Code's Jupyter extension. The test
// checks that this kernel answers the messages that these front ends are known to send.
//
//	client.mjs       runs the steps, and prints the outcome of each
//	package.json     the library's version, the one that VS Code's extension uses
//	testdata         the expected outcome of each step
//
//	cd kernel/internal/browser && go test ./services
//
// The server is jupyter_server 2 from package pyenv's environment; the server's events are checked too. The
// test is skipped if node or npm is missing, if npm cannot fetch the library, or if pip cannot fetch the
// server. With OVERCOMPLETE_FRONT_ENDS=required it fails instead. With
// OVERCOMPLETE_SERVER=http://127.0.0.1:8888/ (and OVERCOMPLETE_TOKEN) the test talks to the server at that
// address, which must have a kernel named overcomplete. OVERCOMPLETE_BIN names a program to use instead of
// building one.
package services
