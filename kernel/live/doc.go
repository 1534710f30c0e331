// Package live builds the kernel for the browser, and writes the files with which a page runs it.
//
// The kernel for the browser is the program cmd/overcomplete-live, compiled for js/wasm by the Go command from
// this program's own source (package selfsource). A [Set] lists the packages that its cells can import; a
// smaller set makes the download smaller. The built kernel is kept compressed in the user's cache, under a hash
// of its sources. A release ships kernels next to the program, so that its users do not need Go (see
// [Builder]).
//
// A site is a folder of files that any static server can publish: [Write] puts the kernel, the worker and the
// page's script into the site, named after their contents. [Page] adds tags to an exported page; with these
// tags the script finds the files.
//
// # Reading order
//
// sets.go defines what each set leaves out; build.go builds a kernel and keeps it in the cache; tailor.go
// changes the source before a build (docs.go and font.go remove documentation and font hints); compress.go
// compresses kernels; prebuilt.go looks for a kernel next to the program; site.go writes the files of a site;
// page.go writes the tags of a page, and the notebook in a page.
//
// Package node runs a kernel without a page. The folder page has the sources of the page's script, and assets
// has the bundles made from them.
package live
