package filelock

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"overcomplete/internal/patience"
)

// held names the file that a child process of this test locks until it is killed.
const held = "OVERCOMPLETE_TEST_LOCK"

func TestMain(m *testing.M) {
	if file := os.Getenv(held); file != "" {
		if _, err := Lock(context.Background(), file, nil); err != nil {
			panic(err)
		}
		os.Stdout.WriteString("held")
		select {}
	}
	os.Exit(m.Run())
}

// TestKilled checks that a lock keeps other processes out, and is released when the process that holds it is
// killed.
func TestKilled(t *testing.T) {
	if !Supported {
		t.Skip("no locks on files here")
	}
	file := filepath.Join(t.TempDir(), "lock")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), held+"="+file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if _, err := out.Read(make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	if unlock, err := TryLock(file); unlock != nil || err != nil {
		t.Fatalf("the lock of another process: %v", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	waits := 0
	if _, err := Lock(ended, file, func() { waits++; cancel() }); !errors.Is(err, context.Canceled) || waits != 1 {
		t.Errorf("a wait that is ended: %v after %d waits", err, waits)
	}
	cmd.Process.Kill()
	cmd.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), patience.Long)
	defer cancel()
	unlock, err := Lock(ctx, file, nil)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// TestShared checks that holders of a shared lock prevent an exclusive lock.
func TestShared(t *testing.T) {
	if !Supported {
		t.Skip("no locks on files here")
	}
	file := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	a, b, c := open(), open(), open()
	for _, f := range []*os.File{a, b} {
		if ok, err := Try(f, Shared); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	if ok, err := Try(c, Exclusive); ok || err != nil {
		t.Fatal(ok, err)
	}
	a.Close()
	b.Close()
	deadline := time.Now().Add(patience.Long)
	for {
		ok, err := Try(c, Exclusive)
		if err != nil || time.Now().After(deadline) {
			t.Fatal(err)
		}
		if ok { // a child process of another test may have inherited the files briefly
			break
		}
	}
}
