package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// machine describes the machine on which the measurements are made.
func machine() string {
	return fmt.Sprintf("%s, %d cores, %s/%s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
}

// processor returns the name of the processor, if the system provides it.
func processor() string {
	name := os.Getenv("PROCESSOR_IDENTIFIER") // Windows
	switch runtime.GOOS {
	case "linux":
		text, _ := os.ReadFile("/proc/cpuinfo")
		for line := range strings.Lines(string(text)) {
			if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
				name = strings.TrimSpace(value)
				break
			}
		}
	case "darwin":
		out, _ := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output()
		name = strings.TrimSpace(string(out))
	}
	return cmp.Or(name, "a processor that does not say its name")
}

// load returns the load average of the last minute, or "" if it is unknown.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
