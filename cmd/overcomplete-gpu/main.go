// Command overcomplete-gpu has the driver of devices for the kernel, which does not link it: with it, the kernel would
// need glibc on Linux. The kernel starts it when a cell first asks for a device. Started by hand, it lists the devices.
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
