package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"overcomplete/internal/atomicfile"
	"overcomplete/kernel/history"
	"overcomplete/kernel/kernelspec"
)

// specFlags holds the flags for the kernel's folder and name.
type specFlags struct {
	user, sysPrefix, system bool
	prefix, name            string
}

func (s *specFlags) register(fs *flag.FlagSet) {
	fs.BoolVar(&s.user, "user", false, "for this user only (the default)")
	fs.StringVar(&s.prefix, "prefix", "", "in `DIR`/share/jupyter/kernels; DIR is /usr/local, for example")
	fs.BoolVar(&s.sysPrefix, "sys-prefix", false, "in the active Python environment (venv or conda)")
	fs.BoolVar(&s.system, "system", false, "for all users; you need permission to write there")
	fs.StringVar(&s.name, "name", kernelspec.Name, "the kernel's `name`; different names allow several versions side by side")
}

// dir returns the folder that the flags select.
func (s *specFlags) dir(host kernelspec.Host) (string, error) {
	if err := kernelspec.CheckName(s.name); err != nil {
		return "", err
	}
	n := 0
	for _, set := range []bool{s.user, s.prefix != "", s.sysPrefix, s.system} {
		if set {
			n++
		}
	}
	switch {
	case n > 1:
		return "", errors.New("give only one of --user, --prefix, --sys-prefix and --system")
	case s.prefix != "":
		abs, err := filepath.Abs(s.prefix)
		if err != nil {
			return "", err
		}
		return host.PrefixDir(abs, s.name), nil
	case s.sysPrefix:
		return host.SysPrefixDir(s.name)
	case s.system:
		return host.SystemDir(s.name)
	}
	return host.UserDir(s.name)
}

// displayName returns the default for the kernel's name in menus: "Go (overcomplete)", or "Go (NAME)" if the user has
// chosen another kernel name.
func (s *specFlags) displayName() string {
	if s.name == kernelspec.Name {
		return "Go (overcomplete)"
	}
	return "Go (" + s.name + ")"
}

// parse parses the flags of a command that takes no other arguments. If ok is false, the command must end with code as
// its exit status.
func parse(fs *flag.FlagSet, args []string) (code int, ok bool) {
	if code, ok := parseFlags(fs, args); !ok {
		return code, false
	}
	if fs.NArg() > 0 {
		complain(fs, fmt.Errorf("unexpected argument %q", fs.Arg(0)))
		return 2, false
	}
	return 0, true
}

const installUsage = `usage: overcomplete install [--user | --prefix DIR | --sys-prefix | --system]
                            [--name NAME] [--display-name TEXT] [--env NAME=VALUE]...

Registers this program with Jupyter as the kernel "Go (overcomplete)", and starts it
once to check that it answers. Install again after you have moved the program. With
--name, you can install several versions side by side.

`

// runInstall registers the kernel with Jupyter and checks that the kernel starts.
func runInstall(args []string) int {
	fs := newFlags("install", installUsage)
	var where specFlags
	where.register(fs)
	noCheck := fs.Bool("no-check", false, "do not start the kernel to check that it works")
	display := fs.String("display-name", "", "the kernel's name in menus, instead of \"Go (`NAME`)\"")
	env := map[string]string{}
	fs.Func("env", "set an environment variable for the kernel, `NAME=VALUE`, such as OVERCOMPLETE_DATA=/data; may be repeated", func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" || strings.ContainsAny(name, " \x00") {
			return errors.New("it must have the form NAME=VALUE")
		}
		env[name] = value
		return nil
	})
	timeout := fs.Duration("timeout", 30*time.Second, "how long the check waits for the kernel's first answer")
	if code, ok := parse(fs, args); !ok {
		return code
	}
	if *display == "" {
		*display = where.displayName()
	}
	if err := install(where, *display, env, !*noCheck, *timeout); err != nil {
		fmt.Fprintln(os.Stderr, "overcomplete install:", err)
		return 1
	}
	return 0
}

func install(where specFlags, display string, env map[string]string, check bool, timeout time.Duration) error {
	dir, err := where.dir(kernelspec.ThisHost())
	if err != nil {
		return err
	}
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	if binary, err = filepath.Abs(binary); err != nil {
		return err
	}
	if strings.Contains(filepath.ToSlash(binary), "/go-build") {
		return fmt.Errorf("%s was made by \"go run\" and will be deleted: build the program first (make build), then run the built program's install command", binary)
	}
	spec := kernelspec.New(binary, buildVersion())
	spec.DisplayName, spec.Env = display, env
	files, err := kernelspec.Install(dir, spec)
	if err != nil {
		return err
	}
	fmt.Printf("installed the kernel %q in %s:\n", spec.DisplayName, dir)
	for _, f := range files {
		fmt.Println("  " + filepath.Base(f))
	}
	if check {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		report, err := kernelspec.Check(ctx, spec)
		if err != nil {
			return fmt.Errorf("the kernel is installed, but the check failed: %w", err)
		}
		fmt.Printf("it starts: %s %s (%s) answered after %.2f s\n",
			report.Implementation, report.Version, report.Language, report.Ready.Seconds())
	}
	jupyter, err := exec.LookPath("jupyter")
	d := &doctor{host: kernelspec.ThisHost(), run: commandOutput}
	if err == nil {
		d.jupyter = jupyter
	}
	if kernels := filepath.Dir(dir); !d.looksIn(d.search(context.Background()), kernels) {
		remember(dir)
		fmt.Printf("note: Jupyter does not look in %[1]s: start it with JUPYTER_PATH=%[1]s in its environment, or install without --prefix\n", filepath.Dir(kernels))
	}
	if err != nil {
		fmt.Println("note: jupyter is not on your PATH; install JupyterLab or Notebook, or open notebooks with VS Code")
	}
	return nil
}

// rememberedFile returns the path of the file in which the install command records, one per line, the folders of
// kernels that Jupyter does not find by itself. The doctor command reads this file. rememberedFile returns "" if the
// system has no folder for the user's data.
func rememberedFile() string {
	dir := history.Dir()
	if dir == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(dir), "kernels")
}

// remember adds a kernel's folder to the list in rememberedFile. It ignores errors, because only the doctor command
// needs the list.
func remember(dir string) {
	file := rememberedFile()
	if file == "" || slices.Contains(installedElsewhere(), dir) || os.MkdirAll(filepath.Dir(file), 0o755) != nil {
		return
	}
	all := append(installedElsewhere(), dir)
	atomicfile.Write(file, []byte(strings.Join(all, "\n")+"\n"), 0o644)
}

// installedElsewhere returns the folders that were recorded by calls to remember.
func installedElsewhere() []string {
	b, err := os.ReadFile(rememberedFile())
	if err != nil {
		return nil
	}
	return strings.FieldsFunc(string(b), func(r rune) bool { return r == '\n' || r == '\r' })
}

const uninstallUsage = `usage: overcomplete uninstall [--user | --prefix DIR | --sys-prefix | --system]
                              [--name NAME]

Removes only the files that "overcomplete install" has written in the same place. The
program itself stays.

`

// runUninstall removes the files that runInstall has written.
func runUninstall(args []string) int {
	fs := newFlags("uninstall", uninstallUsage)
	var where specFlags
	where.register(fs)
	if code, ok := parse(fs, args); !ok {
		return code
	}
	dir, err := where.dir(kernelspec.ThisHost())
	if err == nil {
		var removed []string
		var kept bool
		removed, kept, err = kernelspec.Uninstall(dir)
		for _, f := range removed {
			fmt.Println("removed", f)
		}
		switch {
		case err != nil:
		case len(removed) == 0:
			fmt.Println("nothing to remove: the kernel is not installed in", dir)
		case kept:
			fmt.Println("kept", dir, "because other files are in it")
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "overcomplete uninstall:", err)
		return 1
	}
	return 0
}
