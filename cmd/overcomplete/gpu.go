package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"

	"overcomplete/kernel-helpers/gpu"
	"overcomplete/kernel-helpers/gpu/separate"
	"overcomplete/kernel/modules"
)

// driverProgram is the name of the second program, which contains the driver for devices; the main program does not
// link the driver. The function driverFile returns the name of the second program's file.
const driverProgram = "overcomplete-gpu"

func driverFile() string {
	if runtime.GOOS == "windows" {
		return driverProgram + ".exe"
	}
	return driverProgram
}

// giveDevices lets cells use devices. It does not start or build anything.
var giveDevices = sync.OnceFunc(func() { separate.Register(findDriver) })

// findDriver returns the path of overcomplete-gpu, the program that contains the driver for devices such as graphics
// cards. If there is no such program yet, findDriver builds it.
func findDriver(ctx context.Context) (string, error) {
	if file := knownDriver(); file != "" {
		return file, nil
	}
	file, err := modules.Tool(ctx, driverProgram)
	if err != nil {
		return "", fmt.Errorf("the driver of devices is a program of its own, %s, which is neither beside this program nor on the PATH: %w", driverProgram, err)
	}
	return file, nil
}

// knownDriver returns the path of overcomplete-gpu, the program that contains the driver for devices, or "" if that
// program would have to be built.
func knownDriver() string {
	if exe, err := os.Executable(); err == nil {
		name := filepath.Join(filepath.Dir(exe), driverFile())
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	if file, err := exec.LookPath(driverProgram); err == nil {
		return file
	}
	return modules.KnownTool(driverProgram)
}

// listDevices returns what %gpu shows about each device: its name, its memory in GiB and its driver.
func listDevices() (rows [][3]string, err error) {
	list, err := gpu.Devices()
	for _, d := range list {
		i := d.Info()
		name := i.Name
		if i.Processor {
			name += " (the processor)"
		}
		rows = append(rows, [3]string{name, fmt.Sprintf("%.1f GiB", float64(i.Memory)/gib), i.Driver})
	}
	return rows, err
}
