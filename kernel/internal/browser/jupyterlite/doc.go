// Package jupyterlite contains only tests. They use JupyterLite as a reader does, in Chromium and in Firefox, with the
// build of this kernel that runs inside the browser. They serve the output of "overcomplete lite" from a static file
// server, in a subfolder of its site.
//
//	cd kernel/internal/browser && go test -v ./jupyterlite
//
// The tests need npm, which assembles the application. If npm or a browser is missing, they skip and say why.
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
