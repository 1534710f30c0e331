// Package gpu lets algorithms run on a graphics card, or another device that takes kernels in OpenCL C. Like
// database/sql, this package itself supports no devices: it lists and chooses devices, and a driver, which the
// program imports, finds and opens them.
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
// Nothing runs on a device unless an option says so: a device adds numbers in a different order than the processor
// does, so the last bits of results differ from device to device. The zero value of each such option selects the
// processor.
//
// # Traps
//
// On Linux, a program that links the driver gpu/opencl is not static: it needs glibc, even if built with CGO_ENABLED=0.
// So this project's Jupyter kernel does not link the driver. For the cells of a notebook, the driver runs in a separate
// program (gpu/separate), which is started when a device is first asked for. Cells must therefore not import a driver.
// If the separate program crashes or does not answer, the call returns an error, and the next call starts the program
// again; the content of buffers is lost.
//
// In a program that imports gpu/opencl itself, the driver runs in the program's own process. If the driver crashes, so
// does the program; if the driver hangs, so does the call.
//
// With PoCL, the processor is a device too. This device is meant for tests, and is slower than this library's own code.
// Choose returns it only if the caller asks for it by name.
//
// On a card that also draws the screen, other programs share the memory: see Limit.
package gpu
