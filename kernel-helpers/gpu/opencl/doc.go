// Package opencl is the driver of package gpu for OpenCL: it opens the computer's OpenCL library, without cgo, on
// 64-bit Linux, macOS and Windows. Import it for its side effect, which makes the driver known to package gpu:
//
//	import _ "overcomplete/kernel-helpers/gpu/opencl"
//
// The library is opened when the devices are first asked for, so the program also runs on a computer without the
// library. On Linux the library is libOpenCL.so.1 (Debian: ocl-icd-libopencl1; the drivers of graphics cards include
// it, too). The library finds the drivers of the cards through the files in /etc/OpenCL/vendors. On all systems other
// than 64-bit Linux, macOS and Windows this package is empty, and package gpu reports that there is no driver.
//
// For the cells of a notebook, this driver runs in a separate program: see gpu/separate.
//
// # Traps
//
// On Linux a program that imports this package is linked against glibc, even with CGO_ENABLED=0: it starts neither on
// Alpine nor in an empty container.
//
// PoCL (Debian: pocl-opencl-icd) is an OpenCL driver whose device is the processor. The tests run on this device, and
// are skipped without it. PoCL keeps its compiled kernels in ~/.cache/pocl.
//
// A device has one context and one queue until the program ends. A kernel that reads beyond a buffer may end the
// program, and on a card that drives the display, the system may kill a kernel that takes seconds.
package opencl
