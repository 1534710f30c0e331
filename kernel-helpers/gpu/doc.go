// Package gpu lets algorithms run on a graphics card, or another device that takes kernels in OpenCL C. It works as
// database/sql does: this package names and chooses devices and links nothing, and a driver that a program imports
// opens them.
//
//	import (
//		"overcomplete/kernel-helpers/gpu"
//		_ "overcomplete/kernel-helpers/gpu/opencl" // the driver
//	)
//
//	list, err := gpu.Devices()      // all devices
//	card, err := gpu.Choose("H100") // the first with this word in its name
//	card = gpu.Limit(card, 4<<30)   // take at most 4 GiB of it
//	H, err := m.Transform(ctx, X, &s3c.EncodeOptions{EncoderOptions: s3c.EncoderOptions{Device: card}})
//
// Nothing runs on a device unless an option says so: a device adds in another order than the processor, so the last
// bits of results differ from device to device. The zero value of each option is the processor.
//
// # Traps
//
// A program that links the driver gpu/opencl is not static any more on Linux: it needs glibc, even if built with
// CGO_ENABLED=0. So the kernel does not link it. In cells the driver is in a program of its own (gpu/separate), which
// starts when a device is first asked for: import no driver there. If that program crashes or does not answer, the call
// returns an error, and the next call starts it again; buffers are lost.
//
// The driver gpu/opencl runs in the process of the program. If it crashes, so does the program; if it hangs, so does the
// call.
//
// A processor can be a device too (PoCL). It is for tests, slower than this library's own code, and Choose takes it
// only by its name.
//
// On a card that also draws the screen, other programs share the memory: see Limit.
package gpu
