package main

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A target is a system for which a release has an archive.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// program returns the file name of the main program, overcomplete, on the target.
func (t target) program() string { return t.file("overcomplete") }

// driver returns the file name of overcomplete-gpu on the target. This second program contains the driver for devices
// such as graphics cards; the main program starts it.
func (t target) driver() string { return t.file("overcomplete-gpu") }

func (t target) file(program string) string {
	if t.os == "windows" {
		return program + ".exe"
	}
	return program
}

// suffix returns the suffix of the target's archive. It stands for a format that the system can unpack without
// additional programs.
func (t target) suffix() string {
	if t.os == "windows" {
		return ".zip"
	}
	return ".tar.gz"
}

func allTargets() []string {
	var all []string
	for _, os := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			all = append(all, target{os, arch}.String())
		}
	}
	return all
}

func parseTarget(s string) (target, error) {
	s = strings.TrimSpace(s)
	if !slices.Contains(allTargets(), s) {
		return target{}, fmt.Errorf("cannot make an archive for %q, only for %s", s, strings.Join(allTargets(), ", "))
	}
	os, arch, _ := strings.Cut(s, "/")
	return target{os, arch}, nil
}

// environ returns the environment of the go command for the target. User settings that would change the
// program are reset to their defaults.
func (t target) environ() []string {
	return append(os.Environ(), "GOOS="+t.os, "GOARCH="+t.arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFLAGS=")
}

// A builtProgram describes the programs that have been built for one target (see build): the path of the main program,
// the path of the one with the driver, the version of both, and the time that files in the archives get.
type builtProgram struct {
	path, driver, version string
	time                  time.Time
}

// pack writes the archive of this project's source that the programs embed.
func pack(ctx context.Context, root string) error {
	_, err := command(ctx, root, os.Environ(), "go", "run", "./kernel/internal/selfsource/pack", "-smallest")
	return err
}

// build builds both programs for the target t, in the given folder: the main program, and the one with the driver for
// devices such as graphics cards.
func build(ctx context.Context, root, folder string, t target) (builtProgram, error) {
	b := builtProgram{path: filepath.Join(folder, t.program()), driver: filepath.Join(folder, t.driver())}
	for file, program := range map[string]string{b.path: "./cmd/overcomplete", b.driver: "./cmd/overcomplete-gpu"} {
		// Omit the symbol table and the debugging information: stack traces do not need them.
		_, err := command(ctx, root, t.environ(), "go", "build", "-trimpath", "-tags=packed", "-buildvcs=auto", "-ldflags=-s -w", "-o", file, program)
		if err != nil {
			return b, err
		}
	}
	info, err := buildinfo.ReadFile(b.path)
	if err != nil {
		return b, err
	}
	committed := ""
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			committed = s.Value
		}
	}
	b.version = versionName(info.Main.Version)
	b.time, err = stamp(os.Getenv("SOURCE_DATE_EPOCH"), committed)
	return b, err
}

// versionName returns v, the module's version as the go command derives it from the commit's tag, or "dev" if there is
// no version.
func versionName(v string) string {
	if v == "" || v == "(devel)" {
		return "dev"
	}
	return v
}

// stamp returns the time that all files in the archives get: epoch, in seconds since 1970 (from SOURCE_DATE_EPOCH), or
// the commit's time if epoch is empty.
func stamp(epoch, committed string) (time.Time, error) {
	if epoch != "" {
		s, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q; it must be a number of seconds since 1970", epoch)
		}
		return time.Unix(s, 0).UTC(), nil
	}
	// A zip cannot represent an earlier time.
	t, err := time.Parse(time.RFC3339, cmp.Or(committed, "1980-01-01T00:00:00Z"))
	return t.UTC(), err
}

// command runs a command in a folder and returns its output.
func command(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, args[0], err, strings.TrimSpace(complaint.String()))
	}
	return out, nil
}
