// Package jupyterlite contains only tests, which use JupyterLite with the kernel for the browser in
// Chromium and in Firefox as a reader does: what "overcomplete lite" writes, from a server of
// static files, in a subfolder of its site.
//
//	cd kernel/internal/browser && go test -v ./jupyterlite
//
// It needs npm, by which the application is put together, and skips, with the reason, where that or a
// browser is not here.
//
//	OVERCOMPLETE_SCREENSHOTS=dir        keeps a picture of each step
//	OVERCOMPLETE_JUPYTERLITE_SITE=dir   uses the site in that folder instead of writing it
//	OVERCOMPLETE_LECTURES=all           runs both lectures in each browser, which takes minutes
//	OVERCOMPLETE_FRONT_ENDS=required    fails where it would skip
//
// # Files, in reading order
//
//	site_test.go      writes and serves the site
//	reader_test.go    what a reader does; ../drive/lab.js is run in the page
//	tour_test.go      a small notebook, step by step
//	lectures_test.go  lectures of this repository, at smoke size
package jupyterlite
