// Package jupyterlite contains only tests, which use JupyterLite with the kernel for the browser in Chromium and in
// Firefox as a reader does. They serve the output of "overcomplete lite" from a static file server, in a subfolder of
// its site.
//
//	cd kernel/internal/browser && go test -v ./jupyterlite
//
// They need npm, which assembles the application, and skip, and say why, if npm or a browser is missing.
//
//	OVERCOMPLETE_SCREENSHOTS=dir        keeps a screenshot of each step
//	OVERCOMPLETE_JUPYTERLITE_SITE=dir   uses the site in that folder instead of writing it; a site made by the
//	                                    command jupyter lite build must have exposeAppInBrowser in its
//	                                    jupyter-lite.json, and contain small.ipynb
//	OVERCOMPLETE_LECTURES=all           runs both lectures in each browser, which takes minutes
//	OVERCOMPLETE_FRONT_ENDS=required    fails instead of skipping
//
// # Files, in reading order
//
//	site_test.go      writes and serves the site
//	reader_test.go    what a reader does; ../drive/lab.js is run in the page
//	tour_test.go      a small notebook, step by step
//	lectures_test.go  lectures of this repository, at smoke size
package jupyterlite
