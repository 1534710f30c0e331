package display

import (
	"os"

	"golang.org/x/sys/windows"
)

// hideTyping stops the console that f is from showing what is typed, until
// show is called. The error says that f is no console.
func hideTyping(f *os.File) (show func(), err error) {
	h := windows.Handle(f.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(h, &mode); err != nil {
		return nil, err
	}
	if err := windows.SetConsoleMode(h, mode&^windows.ENABLE_ECHO_INPUT); err != nil {
		return nil, err
	}
	return func() { windows.SetConsoleMode(h, mode) }, nil
}
