// Command overcomplete-gpu is the program that contains the driver for devices such as graphics cards. It is separate
// from the kernel because on Linux the driver needs glibc, and the kernel should not. The kernel starts this command
// when a cell first asks for a device. Started by hand, the command lists the devices.
package main

import (
	"fmt"
	"os"

	"overcomplete/kernel-helpers/gpu"
	_ "overcomplete/kernel-helpers/gpu/opencl"
	"overcomplete/kernel-helpers/gpu/separate"
)

func main() {
	if separate.Serving() {
		separate.Serve()
		return
	}
	list, err := gpu.Devices()
	for _, d := range list {
		fmt.Println(d.Info())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
