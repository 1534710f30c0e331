package browser

import (
	"encoding/json"
	"os"
	"testing"

	"overcomplete/kernel/internal/browser/pages"
)

// A page is a page in the browser.
type page = pages.Page

// harmless lists errors of pages' scripts that the kernel does not cause.
var harmless = []string{
	"draggable is not a function",         // the classic Notebook, about its dialogs
	"No active debugger session",          // Lab, with any kernel without a debugger
	"reading 'schema'",                    // Notebook 7, if settings arrive before its shortcuts' schema
	"Canceled future for execute_request", // Lab, about a cell that was running when its kernel restarted
	"Canceled future for debug_request",   // Lab, about a request of its debugger panel during a restart
	"Kernel Connection disposed",          // Lab, about another request during a restart
	"ResizeObserver loop",                 // Chromium; it is advised to ignore this error
}

// openPage opens a browser for the test.
func openPage(t *testing.T, url string) page { return openWith(t, url, "") }

// openWith opens a browser in which a script runs before the scripts of each page.
func openWith(t *testing.T, url, script string) page {
	t.Helper()
	return pages.Chromium.Open(t, url, pages.Options{Script: script, Harmless: harmless, Shots: os.Getenv("OVERCOMPLETE_SCREENSHOTS")})
}

func quote(s string) string {
	b, _ := json.Marshal(s) // marshaling a string cannot fail
	return string(b)
}
