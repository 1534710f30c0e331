// Command overcomplete-live is the kernel for browsers, compiled with GOOS=js GOARCH=wasm. A web worker of the page
// starts it. The command creates the JavaScript object overcomplete, calls the function overcompleteReady, and then
// exchanges Jupyter's messages with one front end, the page. "overcomplete kernel" does the same over sockets.
//
//	overcomplete.send(text)        a message to the kernel, as JSON with the field channel
//	                               (shell, control or stdin); returns what is wrong with it, or null
//	overcomplete.onMessage(text)   is called with each message from the kernel
//	overcomplete.html              true: messages that show something have a field html, the
//	                               output in the form that it has in an exported page
//	overcomplete.memory()          JSON: sys, heap (bytes), goroutines
//	overcomplete.version           the version of this program
//
// The kernel answers two requests in addition to Jupyter's. The request overcomplete_page_request {notebook: text} has
// the reply {html}, the exported page of the notebook. The request overcomplete_needs_request {cells: texts, cell:
// index} has the reply {needs: indices}, the earlier cells that must run before the cell with that index
// (lineage.Needs).
//
// The page emulates a file system. What the kernel writes to file descriptors 1 and 2 goes to the page's function
// overcompleteWrite. What the kernel reads from descriptor 0 comes from the page's function overcompleteRead (package
// capture).
package main
