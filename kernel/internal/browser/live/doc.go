// Package live contains only tests, which use a live page in Chromium and in Firefox as a reader does. They serve the
// output of "overcomplete export --live" from a static file server without special headers, in a subfolder of its
// site.
//
//	cd kernel/internal/browser && go test -v ./live
//
// Tests skip, and say why, if the browser (chromium, firefox-esr) is missing. Safari has not been tried.
//
//	OVERCOMPLETE_SCREENSHOTS=dir       keeps a screenshot of each step
//	OVERCOMPLETE_BIN=file              uses that program instead of building one
//	OVERCOMPLETE_LIVE_SITE=dir         uses the pages in that folder instead of writing them
//	OVERCOMPLETE_FRONT_ENDS=required   fails instead of skipping
//	OVERCOMPLETE_DARK=1                the telephone in telephone_test.go prefers dark pages
//
// # Files, in reading order
//
//	notebooks_test.go  the notebooks of the test, and their pages
//	site_test.go       the server, which can be slow, stop, and fail
//	reader_test.go     what a reader sees and does in a page; client.js runs in the page
//	tour_test.go       what a page can do, in the order in which a reader may try it
//	edits_test.go      edits are kept in storage, files and links
//	stranger_test.go   a stranger's notebook runs no script, and requests no picture
//	trouble_test.go    browsers and networks that lack something; kernels that end or hang
//	telephone_test.go  a phone's width, light and dark; a class on a telephone: a whole lecture, its sliders and its
//	                   exercises
//	figures_test.go    how long the first plot takes over a slow network, and how much memory a lecture uses
package live
