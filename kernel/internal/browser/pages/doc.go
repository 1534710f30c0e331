// Package pages drives pages in real browsers, Chromium and Firefox, in the same way: with the mouse and the
// keyboard, as a user does. A test written for one browser also runs in the other.
//
// The package uses the chromedp module to drive Chromium, and the WebDriver BiDi protocol to drive Firefox. Tests
// skip a browser that is not installed, and say so.
//
// # Files, in reading order
//
//	page.go       a page, and the queries that a test makes
//	hands.go      the mouse and the keyboard, with the keys' names
//	files.go      file dialogs and downloads
//	browsers.go   the browsers, and what each driver can do
//	chromium.go   Chromium
//	firefox.go    Firefox; bidi.go implements the protocol
//	memory.go     the memory of a page's process; throttle_linux.go slows the process down
package pages
