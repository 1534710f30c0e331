package browser

import (
	"encoding/json"
	"os"
	"testing"

	"overcomplete/kernel/internal/browser/pages"
)

// A page is a page in the browser.
type page = pages.Page

// harmless is what pages' scripts fail with, whatever the kernel does.
var harmless = []string{
	"draggable is not a function",         // the classic Notebook, of its dialogs
	"No active debugger session",          // Lab, with each kernel that has no debugger
	"reading 'schema'",                    // Notebook 7, when settings come before those of its shortcuts
	"Canceled future for execute_request", // Lab, of a cell that ran when its kernel was started again
	"Canceled future for debug_request",   // Lab, of what its debugger's panel has asked then
	"Kernel Connection disposed",          // Lab, of a question that was asked then
	"ResizeObserver loop",                 // Chromium, whose advice is not to mind
}

// openPage opens a browser of the test.
func openPage(t *testing.T, url string) page { return openWith(t, url, "") }

// openWith opens a browser in which a script is run before those of each page.
func openWith(t *testing.T, url, script string) page {
	t.Helper()
	return pages.Chromium.Open(t, url, pages.Options{Script: script, Harmless: harmless, Shots: os.Getenv("OVERCOMPLETE_SCREENSHOTS")})
}

func quote(s string) string {
	b, _ := json.Marshal(s) // a string does not fail
	return string(b)
}
