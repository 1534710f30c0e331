// Package live builds the kernel for the browser, and writes what a page needs to run it.
//
// The kernel for the browser is the program cmd/overcomplete-live, compiled for js/wasm by the
// Go command from this program's own source (package selfsource). A [Set] says what its cells
// can import; what a set leaves out makes the download smaller. The result is kept in the user's
// cache under what it was made of, compressed; a release carries it beside the program, so that
// its users need no Go (see [Builder]).
//
// A site is a folder of files that any static server can publish: [Write] puts the kernel, the
// worker and the page's script into it, named after their contents, and [Page] adds to an
// exported page the tags by which the script finds them.
//
// # Reading order
//
// sets.go says what each set leaves out; build.go builds and keeps a kernel; tailor.go
// changes the source before (tables that are left out, documentation, fonts without hints: docs.go,
// font.go); compress.go; prebuilt.go looks beside the program; site.go
// writes the files of a site; page.go the tags, and notebook.go the notebook that is in a page.
//
// Package node runs a kernel without a page. The folder page has the sources of the page's script,
// assets what is bundled from them.
package live
