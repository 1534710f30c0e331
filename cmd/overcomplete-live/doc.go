// Command overcomplete-live is the kernel for a browser: GOOS=js GOARCH=wasm. A worker of the page starts the command,
// which creates the object overcomplete, calls overcompleteReady, and serves one front end with Jupyter's messages.
// "overcomplete kernel" does the same over sockets.
//
//	overcomplete.send(text)        a message to the kernel, as JSON with the field channel
//	                               (shell, control or stdin); returns what is wrong with it, or null
//	overcomplete.onMessage(text)   is called with each message of the kernel
//	overcomplete.html              true: messages that show something have a field html, the
//	                               output in the form that it has in an exported page
//	overcomplete.memory()          JSON: sys, heap (bytes), goroutines
//	overcomplete.version           the version of this program
//
// In addition to Jupyter's requests there are two. overcomplete_page_request {notebook: text} has the reply {html}:
// the exported page of a notebook. overcomplete_needs_request {cells: texts, cell: index} has the reply {needs:
// indices}: the cells above that must run before the cell (lineage.Needs).
//
// The page's file system passes writes to descriptors 1 and 2 to overcompleteWrite, and reads from 0 to
// overcompleteRead (package capture).
package main
