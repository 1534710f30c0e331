// Package services contains only a test. It speaks to this kernel with @jupyterlab/services, the
// library by which JupyterLab, Notebook 7 and VS Code's Jupyter extension do, under Node and over
// a Jupyter server: the messages that these are known to send are answered.
//
//	client.mjs       takes the steps, and prints what came of each
//	package.json     the library's version, that of VS Code's extension
//	testdata         what each step has to bring
//
//	cd kernel/internal/browser && go test ./services
//
// The server is jupyter_server 2 of package pyenv's environment; its events are heard too. The test is skipped
// where there is no node or npm, where npm cannot fetch the library or pip the server; with
// OVERCOMPLETE_FRONT_ENDS=required it then fails. With
// OVERCOMPLETE_SERVER=http://127.0.0.1:8888/ (and OVERCOMPLETE_TOKEN) it speaks to that server, which
// must know a kernel named overcomplete. OVERCOMPLETE_BIN names a program to use
// instead of building one.
package services
