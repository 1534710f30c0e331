package separate

import (
	"unsafe"

	"overcomplete/kernel-helpers/gpu"
)

// version changes with what follows.
const version = 1

// A request asks a process to make a call. The first request to each process is for the list of its devices.
type request struct {
	Do     string
	Device int
	ID     uint64 // of a buffer or a program
	N      int    // numbers in a buffer, or to be copied
	// Shared is the size of the shared memory, in bytes. If it is 0, the numbers in a buffer go through the pipes: they
	// follow a write request, or the answer to a read request.
	Shared          int
	numbers         []float32 // to be sent or filled, if they are not in the shared memory
	Source, Options string
	Kernel          string
	Groups, Size    int
	Args            []argument
}

// These are the operations that a request can ask for. The ID in a release request is that of a program.
const (
	devices = "devices"
	alloc   = "alloc"
	build   = "build"
	write   = "write"
	read    = "read"
	free    = "free"
	release = "release"
	run     = "run"
)

// An argument is an argument of a kernel: a buffer's ID, or the bits of a number.
type argument struct {
	Kind kind
	Bits uint64
}

type kind uint8

const (
	bufferKind kind = iota
	int32Kind
	float32Kind
)

// An answer is the reply to a request: the result of the call, its error or its panic.
type answer struct {
	Version int
	Err     string // "" if there was no error
	Memory  bool   // the error is gpu.ErrMemory
	Panic   string
	Infos   []gpu.Info
	ID      uint64
	numbers []float32 // to be sent
}

// A driverError is an error that the driver returned in the separate program. It matches gpu.ErrMemory if memory is
// true.
type driverError struct {
	text   string
	memory bool
}

func (e *driverError) Error() string        { return e.text }
func (e *driverError) Is(target error) bool { return e.memory && target == gpu.ErrMemory }

// bytesOf returns the memory of x as bytes, without copying it.
func bytesOf(x []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}

// numbersIn returns the memory of b as numbers, without copying it. b must be aligned.
func numbersIn(b []byte) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}
