package display

import (
	"os"

	"golang.org/x/sys/windows"
)

// hideTyping turns off the echo of the console f until the returned function is called. It returns an error if f is not
// a console.
func hideTyping(f *os.File) (restore func(), err error) {
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
