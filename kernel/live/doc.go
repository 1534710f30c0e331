// Package live builds the kernel for the browser, and writes the files with which a page runs it.
//
// The kernel for the browser is the program cmd/overcomplete-live, compiled for js/wasm by the Go command from
// this program's own source (package selfsource). A [Set] lists what its cells can import; a smaller set makes
// the download smaller. The result is kept compressed in the user's cache, under a hash of its sources. A
// release ships it next to the program, so that its users need no Go (see [Builder]).
//
// A site is a folder of files that any static server can publish: [Write] puts the kernel, the worker and the
// page's script into it, named after their contents, and [Page] adds the tags to an exported page with which
// the script finds them.
//
// # Reading order
//
// sets.go defines what each set leaves out; build.go builds and keeps a kernel; tailor.go first changes the
// source (removes tables, documentation and font hints: docs.go, font.go); compress.go; prebuilt.go looks next
// to the program; site.go writes the files of a site, page.go the tags, and notebook.go the notebook in a page.
//
// Package node runs a kernel without a page. The folder page has the sources of the page's script, and assets
// has the bundles made from them.
package live
