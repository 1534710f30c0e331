package rt

import "unsafe"

// TrySend sends the value at elem to a channel if that does not block. It panics if the channel is closed.
func TrySend(ch, elem unsafe.Pointer) (sent bool) { return chansend(ch, elem, true) }

// TryReceive receives a value from a channel and stores it at elem, if that does not block. The result done reports
// whether a value was stored. If done is true and received is false, the channel is closed and the value is zero.
func TryReceive(ch, elem unsafe.Pointer) (done, received bool) { return chanreceive(ch, true, elem) }

// A SelectCase is one case of a select statement; see Select. It has the memory layout of the runtime's type
// runtimeSelect.
type SelectCase struct {
	Dir  int  // Send, Receive or Default
	_    Type // the runtime does not use it
	Chan unsafe.Pointer
	Elem unsafe.Pointer // the value to send, or where the received value goes
}

// The directions of a SelectCase.
const (
	Send = iota + 1
	Receive
	Default
)

// Select executes a select statement, and returns the index of the chosen case. The second result reports whether that
// case received a value from an open channel.
//
//go:linkname Select reflect.rselect
//go:noescape
func Select(cases []SelectCase) (chosen int, received bool)

//go:linkname chansend reflect.chansend0
//go:noescape
func chansend(ch, elem unsafe.Pointer, isTry bool) bool

//go:linkname chanreceive reflect.chanrecv
//go:noescape
func chanreceive(ch unsafe.Pointer, isTry bool, elem unsafe.Pointer) (done, received bool)

// MakeChan returns a new channel of the channel type t, with a buffer for size elements.
//
//go:linkname MakeChan reflect.makechan
func MakeChan(t Type, size int) (ch unsafe.Pointer)

// CloseChan closes a channel.
//
//go:linkname CloseChan reflect.chanclose
//go:noescape
func CloseChan(ch unsafe.Pointer)

// LenChan returns the number of values in the buffer of the channel ch. CapChan returns the capacity of the buffer.
//
//go:linkname LenChan reflect.chanlen
//go:noescape
func LenChan(ch unsafe.Pointer) int

//go:linkname CapChan reflect.chancap
//go:noescape
func CapChan(ch unsafe.Pointer) int
