package cputime

import (
	"os/exec"
	"runtime"
	"testing"
	"time"
)

func TestUsed(t *testing.T) {
	known := runtime.GOOS == "linux" || runtime.GOOS == "darwin" || runtime.GOOS == "windows"
	before, begin := Used(), time.Now()
	if before == 0 {
		if known {
			t.Fatal("the processor time of this process is not known")
		}
		t.Skip("this system does not tell the processor time of a process")
	}
	time.Sleep(100 * time.Millisecond)
	if slept := Used() - before; slept > 50*time.Millisecond {
		t.Errorf("a sleep of 100 ms used %v", slept)
	}
	x := 1.0
	for Used()-before < 200*time.Millisecond {
		for range 1000 {
			x = x*0.999 + 1
		}
		if time.Since(begin) > time.Minute {
			t.Fatalf("a minute of work counts for %v (%v)", Used()-before, x)
		}
	}
	if took, n := time.Since(begin), time.Duration(runtime.NumCPU()); (Used() - before) > took*n {
		t.Errorf("%v of processor time in %v on %d processors", Used()-before, took, n)
	}
}

// TestOwn checks that Own counts work of this process, and not that of others.
func TestOwn(t *testing.T) {
	if Own() == 0 {
		t.Skip("this system does not tell the processor time of a process")
	}
	all, before := Used(), Own()
	for x := 1.0; Own()-before < 20*time.Millisecond; {
		x = x*0.999 + 1
	}
	if own, used := Own()-before, Used()-all; used < 20*time.Millisecond || Own() > Used() {
		t.Errorf("%v, and %v with children", own, used)
	}
}

func TestUsedByChildren(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not add the time of children")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command to start")
	}
	const words = 20
	before := Used()
	for range words { // each takes some milliseconds
		if err := exec.Command(goTool, "version").Run(); err != nil {
			t.Fatal(err)
		}
	}
	if used := Used() - before; used < words*time.Millisecond/2 {
		t.Errorf("%d processes were started, and %v of processor time are counted", words, used)
	}
}
