// Package pages drives pages in real browsers, Chromium and Firefox, in the same way: with the mouse and the
// keyboard, as a user does. A test written for one browser also runs in the other.
//
// chromedp drives Chromium; Firefox is driven over its own protocol, WebDriver BiDi, over a websocket. Tests
// skip a browser that is not installed, and say so.
//
// # Files, in reading order
//
//	page.go       a page, and the queries that a test makes
//	hands.go      the mouse and the keyboard; keys.go has the keys' names
//	files.go      file dialogs and downloads
//	browsers.go   the browsers, and what each driver can do
//	chromium.go   Chromium
//	firefox.go    Firefox; bidi.go implements the protocol
//	memory.go     the memory of a page's process; throttle_linux.go slows it down
package pages
