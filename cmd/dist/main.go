// Command dist makes a release. For each system it makes an archive and one or more wheels for pip. The archive
// contains the program, the licenses of the modules that are linked into the program, and all files of the repository
// whose paths do not begin with a dot, including the notebooks. The wheels contain the program and the files that
// register the kernel with Jupyter. One further wheel, for all systems, contains the JupyterLite extension. Command
// dist also writes a file of checksums. It needs only Go and git:
//
//	go run ./cmd/dist                          # all archives and wheels, in dist/
//	go run ./cmd/dist -targets linux/amd64     # those of one system
//	go run ./cmd/dist -wheels                  # only the wheels
//	go run ./cmd/dist -notices FILE -targets linux/amd64  # only the licenses, for the VS Code extension
//
// The bytes depend only on the commit and the version of Go, so any machine makes the same archives. To this end,
// files carry the time of the commit (or SOURCE_DATE_EPOCH), their names are sorted, and programs do not contain the
// paths of the machine that built them.
//
// # Files in reading order
//
// main.go iterates over the systems; build.go builds the program and reads its version; notices.go collects the
// licenses; archive.go lists the contents of an archive, and writes the tar.gz and the zip; wheel.go makes the wheels
// for pip (wheel.md describes them to users), and the one with the JupyterLite extension; live.go builds the kernel for
// browsers; recipes.go fills in recipe.yaml (conda) and formula.rb (Homebrew).
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"overcomplete/internal/atomicfile"
)

func main() {
	out := flag.String("o", "dist", "write to this `folder`")
	targets := flag.String("targets", strings.Join(append(allTargets(), liteTarget), ","), "the `systems`, separated by commas; "+liteTarget+" is the wheel with the extension of JupyterLite")
	fast := flag.Bool("fast", false, "compress the kernel for browsers in seconds instead of minutes, for trying things out; it is a fifth larger")
	wheels := flag.Bool("wheels", false, "make only the wheels for pip")
	address := flag.String("address", "", "also write the recipes for conda and Homebrew, for archives that are published below this `address`")
	licenses := flag.String("notices", "", "only write the licenses of the modules that are linked into the programs of the one system to this `file`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *licenses != "" {
		err = writeNotices(ctx, ".", *licenses, *targets)
	} else {
		err = run(ctx, ".", *out, strings.Split(*targets, ","), *fast, *wheels, *address)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// run makes a release of the project at root for the systems in names, and writes it into the output folder. If names
// contains "jupyterlite", run also makes the wheel with the JupyterLite extension. If wheels is set, it makes only
// wheels. Otherwise it also makes the archives, and a file with the checksums of all archives and wheels.
//
// address is the web address of the folder in which the archives will be published. If it is not empty and wheels is
// not set, run also writes the recipes for conda and Homebrew.
func run(ctx context.Context, root, out string, names []string, fast, wheels bool, address string) error {
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	var targets []target
	withLite := false
	for _, name := range names {
		if name == liteTarget {
			withLite = true
			continue
		}
		t, err := parseTarget(name)
		if err != nil {
			return err
		}
		targets = append(targets, t)
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	if err := pack(ctx, root); err != nil {
		return err
	}
	var tree []entry
	if !wheels && len(targets) > 0 {
		tracked, err := trackedFiles(ctx, root)
		if err != nil {
			return err
		}
		live, err := liveKernel(ctx, root, fast)
		if err != nil {
			return err
		}
		tree = slices.Concat(tracked, live)
	}
	sums := map[string]string{}
	made := func(names ...string) error {
		for _, name := range names {
			b, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				return err
			}
			sum := sha256.Sum256(b)
			sums[name] = hex.EncodeToString(sum[:])
			fmt.Printf("%s  %.1f MB\n", filepath.Join(out, name), float64(len(b))/1e6)
		}
		return nil
	}
	for _, t := range targets {
		files, err := release(ctx, root, out, t, tree)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		if err := made(files...); err != nil {
			return err
		}
	}
	if withLite {
		name, err := lite(ctx, root, out, fast)
		if err != nil {
			return fmt.Errorf("%s: %w", liteTarget, err)
		}
		if err := made(name); err != nil {
			return err
		}
	}
	if wheels {
		return nil
	}
	if address != "" {
		if err := writeRecipes(out, address, sums); err != nil {
			return err
		}
	}
	return atomicfile.Write(filepath.Join(out, "SHA256SUMS"), []byte(checksums(sums)), 0o644)
}

// checksums returns the text of a checksum file for sha256sum -c.
func checksums(sums map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&b, "%s  %s\n", sums[name], name)
	}
	return b.String()
}

// release makes the wheels and the archive for the system t, and returns their names. The files of the archive, apart
// from the programs and NOTICES.txt, are in tree; if tree is empty, release makes only the wheels.
func release(ctx context.Context, root, out string, t target, tree []entry) ([]string, error) {
	tmp, err := os.MkdirTemp("", "overcomplete-dist-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	program, err := build(ctx, root, tmp, t)
	if err != nil {
		return nil, err
	}
	notices, err := notices(ctx, root, t)
	if err != nil {
		return nil, err
	}
	license, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return nil, err
	}
	var made []string
	for _, e := range t.editions() {
		wheel, files, err := wheelFiles(t, e, program, license, notices)
		if err != nil {
			return nil, err
		}
		if err := writeArchive(filepath.Join(out, wheel), "", files, program.time); err != nil {
			return nil, err
		}
		made = append(made, wheel)
	}
	if len(tree) == 0 {
		return made, nil
	}
	files := append(slices.Clone(tree), entry{name: "NOTICES.txt", data: notices})
	slices.SortFunc(files, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	// The program comes last: if an archive is unpacked without its file times, the program is then the
	// newest file, so results can be kept (see package suite).
	files = append(files, entry{name: t.driver(), path: program.driver, executable: true}, entry{name: t.program(), path: program.path, executable: true})
	top := fmt.Sprintf("overcomplete-%s-%s-%s", program.version, t.os, t.arch)
	name := top + t.suffix()
	return append(made, name), writeArchive(filepath.Join(out, name), top, files, program.time)
}
