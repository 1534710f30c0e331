// Command overcomplete-gpu contains the driver of devices such as graphics cards. The kernel does not link the driver,
// because a kernel with the driver would need glibc on Linux. The kernel starts this command when a cell first asks
// for a device. Started by hand, the command lists the devices.
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
