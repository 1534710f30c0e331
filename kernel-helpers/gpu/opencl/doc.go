// Package opencl is the driver of package gpu for OpenCL: it opens the computer's OpenCL library, without cgo, on
// 64-bit Linux, macOS and Windows. Import it for its effect:
//
//	import _ "overcomplete/kernel-helpers/gpu/opencl"
//
// The library is opened when the devices are first asked for; a program on a computer without it runs. On Linux it is
// libOpenCL.so.1 (Debian: ocl-icd-libopencl1; the drivers of cards bring it too), and finds the drivers of cards by the
// files in /etc/OpenCL/vendors. On other systems this package is empty, and gpu says that there is no driver.
//
// Cells have it in another program, see gpu/separate.
//
// # Traps
//
// On Linux a program that imports this package is linked to glibc, even with CGO_ENABLED=0: it starts neither on Alpine
// nor in an empty container.
//
// PoCL (Debian: pocl-opencl-icd) makes a device of the processor. The tests run on it, and are skipped without it. It
// keeps what it has compiled in ~/.cache/pocl.
//
// A device has one context and one queue until the program ends. A kernel that reads beyond a buffer may end the
// program, and on a card that draws the screen, one that takes seconds may be stopped by the system.
package opencl
