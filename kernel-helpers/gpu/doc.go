// Package gpu lets algorithms run on a graphics card, or another device that takes kernels in OpenCL C. It is divided
// like database/sql: this package lists and chooses devices, but links no library for them. A driver, which the
// program imports, opens the devices.
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
// Nothing runs on a device unless an option says so: a device adds numbers in another order than the processor, so the
// last bits of results differ from device to device. The zero value of each such option selects the processor.
//
// # Traps
//
// A program that links the driver gpu/opencl is not static any more on Linux: it needs glibc, even if built with
// CGO_ENABLED=0. So this project's Jupyter kernel does not link it. For the cells of a notebook, the driver runs in a
// separate program (gpu/separate), which is started when a device is first asked for: import no driver in cells. If
// that program crashes or does not answer, the call returns an error, and the next call starts the program again; the
// content of buffers is lost.
//
// The driver gpu/opencl runs in the process of the program. If it crashes, so does the program; if it hangs, so does
// the call.
//
// A processor can be a device too (PoCL). It is for tests, slower than this library's own code, and Choose takes it
// only by its name.
//
// On a card that also draws the screen, other programs share the memory: see Limit.
package gpu
