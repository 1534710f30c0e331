package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"overcomplete/data"
	"overcomplete/internal/ram"
	"overcomplete/internal/terminal"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/vmath"
	"overcomplete/kernel/history"
	"overcomplete/kernel/kernelspec"
	"overcomplete/kernel/modules"
	"overcomplete/kernel/signature"
	"overcomplete/kernel/toolchain"
)

const doctorUsage = `usage: overcomplete doctor [--json] [--no-start] [--timeout D]

Checks whether anything keeps the kernel from working on this machine, and says how to
fix it. It changes nothing. The exit status is 1 if a check fails; a warning is about
something that the kernel can do without.

`

// A finding is the result of one check.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // ok, warn or fail
	Found  string `json:"found"`
	Fix    string `json:"fix,omitempty"`
}

func ok(format string, a ...any) finding {
	return finding{Status: "ok", Found: fmt.Sprintf(format, a...)}
}

func warn(fix, format string, a ...any) finding {
	return finding{Status: "warn", Found: fmt.Sprintf(format, a...), Fix: fix}
}

func failed(fix, format string, a ...any) finding {
	return finding{Status: "fail", Found: fmt.Sprintf(format, a...), Fix: fix}
}

// A doctor checks one installation of the kernel. Its fields hold everything that the checks depend on, so that tests
// can simulate each fault.
type doctor struct {
	binary, version string // of this program
	goVersion       string // the Go version that built this program
	host            kernelspec.Host
	lookPath        func(string) (string, error)
	// run runs a command and returns its standard output.
	run     func(ctx context.Context, name string, args ...string) ([]byte, error)
	debian  bool // Debian or similar, where pip refuses to change the system's Python
	start   bool // whether to start the kernel
	timeout time.Duration
	driver  func() string // returns the path of overcomplete-gpu, or "" if it has not been built

	jupyter string // path of the jupyter program, "" if there is none; one check sets it for later checks
	specs   []foundKernel
}

// A foundKernel is an installed kernel of this program that Jupyter finds.
type foundKernel struct {
	dir, version string
	spec         kernelspec.Spec
	shadowed     bool // another kernel of the same name takes precedence
}

// runDoctor diagnoses the installation: the subcommand "doctor".
func runDoctor(args []string) int {
	fs := newFlags("doctor", doctorUsage)
	asJSON := fs.Bool("json", false, "print the findings as JSON")
	noStart := fs.Bool("no-start", false, "do not start the kernel")
	timeout := fs.Duration("timeout", 30*time.Second, "how long to wait for the kernel's answer")
	if code, ok := parse(fs, args); !ok {
		return code
	}
	binary, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	d := &doctor{
		binary: binary, version: buildVersion(), goVersion: runtime.Version(), host: kernelspec.ThisHost(), lookPath: exec.LookPath,
		run: commandOutput, debian: isDebianLike(), start: !*noStart, timeout: *timeout, driver: knownDriver,
	}
	var show func(finding)
	if !*asJSON {
		show = func(f finding) {
			writeFinding(os.Stdout, f, terminal.Is(os.Stdout) && os.Getenv("NO_COLOR") == "")
		}
	}
	findings := d.examine(context.Background(), show)
	if *asJSON {
		b, err := json.MarshalIndent(findings, "", "  ")
		if err != nil {
			return fail(err)
		}
		fmt.Println(string(b))
	}
	if slices.ContainsFunc(findings, func(f finding) bool { return f.Status == "fail" }) {
		return 1
	}
	return 0
}

// commandOutput returns the standard output of a command.
func commandOutput(ctx context.Context, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if said := strings.TrimSpace(string(exit.Stderr)); said != "" {
			err = fmt.Errorf("%w: %s", err, said[strings.LastIndex(said, "\n")+1:])
		}
	}
	return out, err
}

// writeFinding writes a finding on one line, and its fix on another.
func writeFinding(w io.Writer, f finding, coloured bool) {
	status := fmt.Sprintf("%-4s", f.Status)
	if coloured {
		status = map[string]string{"ok": "\x1b[32m", "warn": "\x1b[33m", "fail": "\x1b[31m"}[f.Status] + status + "\x1b[0m"
	}
	fmt.Fprintf(w, "%s  %-12s %s\n", status, f.Check, f.Found)
	if f.Fix != "" {
		fmt.Fprintf(w, "      %-12s to fix it: %s\n", "", f.Fix)
	}
}

// examine performs all checks in order and shows each finding immediately.
func (d *doctor) examine(ctx context.Context, show func(finding)) []finding {
	var all []finding
	for _, c := range []struct {
		name string
		do   func(context.Context) []finding
	}{
		{"program", d.program},
		{"go", d.builtWith},
		{"path", d.path},
		{"jupyter", d.findJupyter},
		{"kernelspec", d.kernelspecs},
		{"seen", d.checkSeen},
		{"ports", d.ports},
		{"runtime", d.runtimeFolder},
		{"kernel", d.kernel},
		{"history", d.historyFolder},
		{"signatures", d.signatures},
		{"data", d.dataFolder},
		{"data sets", d.dataSets},
		{"memory", d.memory},
		{"processor", d.processor},
		{"modules", d.modules},
		{"devices", d.devices},
	} {
		for _, f := range c.do(ctx) {
			f.Check = c.name
			if show != nil {
				show(f)
			}
			all = append(all, f)
		}
	}
	return all
}

func (d *doctor) program(context.Context) []finding {
	if strings.Contains(filepath.ToSlash(d.binary), "/go-build") {
		return []finding{warn("build the program first (make build), and use the built program", "%s was made by \"go run\" and will be deleted", d.binary)}
	}
	return []finding{ok("%s, version %s, %s/%s", d.binary, d.version, runtime.GOOS, runtime.GOARCH)}
}

// builtWith warns if this program was built with a Go version newer than toolchain.Newest, the newest version with
// which the project has been tried.
func (d *doctor) builtWith(context.Context) []finding {
	if toolchain.Minor(d.goVersion) > toolchain.Minor(toolchain.Newest()) {
		return []finding{warn("build with "+toolchain.Newest()+" if cells misbehave: GOTOOLCHAIN="+toolchain.Newest()+" make build",
			"built with %s, which has not been tried", d.goVersion)}
	}
	return []finding{ok("built with %s", d.goVersion)}
}

func (d *doctor) path(context.Context) []finding {
	p, err := d.lookPath("overcomplete")
	if err != nil {
		return []finding{warn(fmt.Sprintf("add %s to PATH if you want to call it by name; Jupyter does not need it", filepath.Dir(d.binary)), "overcomplete is not on PATH")}
	}
	if !sameFile(p, d.binary) {
		return []finding{warn(fmt.Sprintf("remove %s, or put %s before it in PATH", p, filepath.Dir(d.binary)), "PATH leads to a different program, %s", p)}
	}
	return []finding{ok("found on PATH")}
}

// command returns what the user must type to run this program: its name if PATH leads to it, else its path.
func (d *doctor) command() string {
	if p, err := d.lookPath("overcomplete"); err == nil && sameFile(p, d.binary) {
		return "overcomplete"
	}
	return d.binary
}

func (d *doctor) findJupyter(ctx context.Context) []finding {
	p, err := d.lookPath("jupyter")
	if err != nil {
		install := "pip install jupyterlab"
		if d.debian {
			install = "apt-get install jupyter-notebook jupyter-client, or pip install jupyterlab in a virtual environment"
		}
		return []finding{warn("install JupyterLab or Notebook ("+install+"), or open notebooks with VS Code", "there is no jupyter on PATH")}
	}
	out, err := d.run(ctx, p, "--version")
	if err != nil {
		return []finding{failed("repair that Python installation, or put your working jupyter first in PATH", "%s does not run: %v", p, err)}
	}
	d.jupyter = p
	var parts []string
	for line := range strings.Lines(string(out)) {
		name, version, ok := strings.Cut(line, ":")
		name, version = strings.TrimSpace(name), strings.TrimSpace(version)
		if ok && slices.Contains([]string{"jupyter_client", "jupyterlab", "notebook"}, name) && version != "not installed" {
			parts = append(parts, name+" "+version)
		}
	}
	if len(parts) == 0 {
		return []finding{ok("%s", p)}
	}
	return []finding{ok("%s: %s", p, strings.Join(parts, ", "))}
}

// search lists the folders where Jupyter looks for kernels: those that Jupyter itself names, if it is installed, and
// the usual ones.
func (d *doctor) search(ctx context.Context) []string {
	var dirs []string
	if d.jupyter != "" {
		var paths struct{ Data []string }
		if out, err := d.run(ctx, d.jupyter, "--paths", "--json"); err == nil && json.Unmarshal(out, &paths) == nil {
			for _, p := range paths.Data {
				dirs = append(dirs, filepath.Join(p, "kernels"))
			}
		}
	}
	for _, p := range d.host.Search() {
		if !slices.Contains(dirs, p) {
			dirs = append(dirs, p)
		}
	}
	return dirs
}

// looksIn reports whether dir is one of dirs, the folders where Jupyter looks for kernels.
func (d *doctor) looksIn(dirs []string, dir string) bool {
	return slices.ContainsFunc(dirs, func(known string) bool {
		return filepath.Clean(known) == filepath.Clean(dir) || sameFile(known, dir)
	})
}

// unseenFolder looks for a kernel of this program that is installed where Jupyter does not look. It returns the
// kernel's folder, or "" if it finds none. The argument dirs lists the folders where Jupyter looks. unseenFolder tries
// the folders that the install command has recorded, and the kernel's usual folder in the environment to which this
// program belongs.
func (d *doctor) unseenFolder(dirs []string) string {
	beside := d.host.PrefixDir(filepath.Dir(filepath.Dir(d.binary)), kernelspec.Name)
	for _, dir := range append(installedElsewhere(), beside) {
		spec, err := kernelspec.Read(dir)
		if err != nil || d.looksIn(dirs, filepath.Dir(dir)) {
			continue
		}
		if _, own := spec.Own(); own {
			return dir
		}
	}
	return ""
}

func (d *doctor) kernelspecs(ctx context.Context) []finding {
	taken := map[string]bool{}
	dirs := d.search(ctx)
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			at := filepath.Join(dir, e.Name())
			spec, err := kernelspec.Read(at)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			name := strings.ToLower(e.Name())
			if version, own := spec.Own(); err == nil && own {
				d.specs = append(d.specs, foundKernel{at, version, spec, taken[name]})
			} else if name == kernelspec.Name && err != nil {
				return []finding{failed(fmt.Sprintf("remove %s and run: %s install", at, d.command()), "%v", err)}
			}
			taken[name] = true
		}
	}
	if dir := d.unseenFolder(dirs); dir != "" && len(d.specs) == 0 {
		at := filepath.Dir(filepath.Dir(dir))
		return []finding{failed(fmt.Sprintf("start Jupyter with JUPYTER_PATH=%s in its environment, or run: %s install", at, d.command()),
			"the kernel is installed in %s, where Jupyter does not look", dir)}
	}
	if len(d.specs) == 0 {
		return []finding{failed("run: "+d.command()+" install", "no kernel of this program is installed in %s", strings.Join(dirs, ", "))}
	}
	var list []finding
	for _, s := range d.specs {
		list = append(list, d.spec(s))
	}
	return list
}

// spec checks one installed kernel: whether its kernel.json leads to this program and has the version of this program.
func (d *doctor) spec(s foundKernel) finding {
	again := "run: " + d.command() + " install"
	if name := filepath.Base(s.dir); name != kernelspec.Name {
		again += " --name " + name
	}
	if user, err := d.host.UserDir(filepath.Base(s.dir)); err != nil || filepath.Clean(user) != filepath.Clean(s.dir) {
		again += fmt.Sprintf(" with the flag for %s (--prefix, --sys-prefix or --system)", s.dir)
	}
	if s.shadowed {
		return warn("remove "+s.dir, "%s is hidden by another kernel with the same name", s.dir)
	}
	if len(s.spec.Argv) == 0 {
		return failed(again, "%s names no program", s.dir)
	}
	program := s.spec.Argv[0]
	switch info, err := os.Stat(program); {
	case err != nil:
		return failed(again, "%s leads to %s, which does not exist", s.dir, program)
	case info.IsDir() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return failed(again, "%s leads to %s, which is not executable", s.dir, program)
	case !sameFile(program, d.binary):
		return warn(again+", if you want to use this program", "%s (%q) leads to a different program, %s", s.dir, s.spec.DisplayName, program)
	case s.version != d.version:
		return warn(again, "%s was written by %s, but this is version %s", s.dir, versionName(s.version), d.version)
	}
	return ok("%q in %s", s.spec.DisplayName, s.dir)
}

func versionName(v string) string {
	if v == "" {
		return "an older version"
	}
	return "version " + v
}

func (d *doctor) checkSeen(ctx context.Context) []finding {
	if d.jupyter == "" {
		return []finding{ok("not checked: there is no jupyter; VS Code looks in the same places")}
	}
	if len(d.specs) == 0 {
		return nil // reported by another check
	}
	out, err := d.run(ctx, d.jupyter, "kernelspec", "list", "--json")
	if err != nil {
		return []finding{warn(d.lackingKernelspec(err), "cannot tell whether Jupyter lists the kernel, because '%s kernelspec list' fails: %v", d.jupyter, err)}
	}
	var list struct {
		Kernelspecs map[string]struct {
			Dir string `json:"resource_dir"`
		}
	}
	if err := json.Unmarshal(out, &list); err != nil {
		return []finding{warn("", "cannot parse the output of '%s kernelspec list': %v", d.jupyter, err)}
	}
	var missing, there []string
	for _, s := range d.specs {
		if k, ok := list.Kernelspecs[strings.ToLower(filepath.Base(s.dir))]; ok && sameFile(k.Dir, s.dir) {
			there = append(there, filepath.Base(s.dir))
		} else if !s.shadowed {
			missing = append(missing, s.dir)
		}
	}
	if len(there) == 0 {
		return []finding{failed(fmt.Sprintf("run: %s install --user; or, in Jupyter's Python environment: %[1]s install --sys-prefix", d.command()),
			"%s does not list %s", d.jupyter, strings.Join(missing, ", "))}
	}
	if len(missing) > 0 {
		return []finding{warn("run in Jupyter's Python environment: overcomplete install --sys-prefix", "%s lists %s, but not %s", d.jupyter, strings.Join(there, ", "), strings.Join(missing, ", "))}
	}
	return []finding{ok("%s lists %s", d.jupyter, strings.Join(there, ", "))}
}

// lackingKernelspec returns advice for a failure of 'jupyter kernelspec list'.
func (d *doctor) lackingKernelspec(err error) string {
	const without = "; front ends find kernels without it"
	said := err.Error()
	switch {
	case !strings.Contains(said, "jupyter-kernelspec") || !strings.Contains(said, "not found"):
		return "repair that Python installation, or put your working jupyter first in PATH" + without
	case d.debian && (strings.HasPrefix(d.jupyter, "/usr/bin/") || strings.HasPrefix(d.jupyter, "/bin/")):
		return "apt-get install jupyter-client, which contains the program jupyter-kernelspec" + without
	}
	return "pip install jupyter_client in Jupyter's Python environment" + without
}

// isDebianLike reports whether the system is Debian or derived from it.
func isDebianLike() bool {
	_, err := os.Stat("/etc/debian_version")
	return err == nil
}

func (d *doctor) ports(context.Context) []finding {
	for i := range 5 { // a kernel needs five ports
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return []finding{failed("allow programs to listen on 127.0.0.1: check the firewall, the sandbox and the limit on open files (ulimit -n)", "port %d of 5 on 127.0.0.1: %v", i+1, err)}
		}
		defer l.Close()
		c, err := net.DialTimeout("tcp", l.Addr().String(), 3*time.Second)
		if err != nil {
			return []finding{failed("allow connections to 127.0.0.1: check the firewall and proxies", "no connection to a port on 127.0.0.1: %v", err)}
		}
		c.Close()
	}
	return []finding{ok("five ports on 127.0.0.1 can be opened and reached")}
}

func (d *doctor) runtimeFolder(context.Context) []finding {
	dir, err := d.host.RuntimeDir()
	if err != nil {
		return []finding{failed("set JUPYTER_RUNTIME_DIR to a folder that you can write to", "%v", err)}
	}
	return []finding{folder(dir, "set JUPYTER_RUNTIME_DIR to a folder that you can write to", "fail")}
}

// folder returns the finding of a check that files can be created in dir, or that dir can be created. If the check
// fails, the finding has the given status and the given fix.
func folder(dir, fix, status string) finding {
	at := dir
	for {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return finding{Status: status, Found: at + " is not a folder", Fix: fix}
		}
		if err == nil || filepath.Dir(at) == at {
			break
		}
		at = filepath.Dir(at)
	}
	f, err := os.CreateTemp(at, ".overcomplete-doctor-")
	if err != nil {
		return finding{Status: status, Found: fmt.Sprintf("%s is not writable: %v", dir, err), Fix: fix}
	}
	f.Close()
	os.Remove(f.Name())
	if at != dir {
		return ok("%s will be created when needed", dir)
	}
	return ok("%s is writable", dir)
}

func (d *doctor) kernel(ctx context.Context) []finding {
	if !d.start {
		return []finding{ok("not started (--no-start)")}
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	report, err := kernelspec.CheckCell(ctx, kernelspec.New(d.binary, d.version), "import \"fmt\"\nfmt.Sprint(6 * 7)")
	if err != nil {
		return []finding{failed("read the kernel's output; if the kernel was only slow, try again with a larger --timeout", "%v", err)}
	}
	found := fmt.Sprintf("answers %.2f s after its start; a cell takes another %.0f ms", report.Ready.Seconds(), report.Answered.Seconds()*1000)
	if report.Ready > 5*time.Second {
		return []finding{warn("find out what makes this machine slow, for example a virus scanner, a network folder or other programs", "%s, which is slow", found)}
	}
	return []finding{ok("%s", found)}
}

func (d *doctor) historyFolder(context.Context) []finding {
	switch dir := history.Dir(); {
	case history.Off():
		return []finding{ok("not kept: %s is off", history.Switch)}
	case dir == "":
		return []finding{warn("set HOME (on Windows LOCALAPPDATA)", "not kept: the system does not say where users keep their data")}
	default:
		return []finding{folder(dir, fmt.Sprintf("make it a folder that you can write to, or set %s=off", history.Switch), "warn")}
	}
}

// signatures checks the key with which this computer signs the outputs of its notebooks. The signatures tell the
// export command which outputs it can trust.
func (d *doctor) signatures(context.Context) []finding {
	dir, err := signature.ForUser().Condition()
	switch {
	case dir == "" && os.Getenv(signature.Variable) == "off":
		return []finding{ok("outputs are not signed: %s is off", signature.Variable)}
	case dir == "":
		return []finding{warn("set HOME (on Windows APPDATA)", "outputs are not signed: the system does not say where users keep their settings")}
	}
	at := folder(dir, fmt.Sprintf("make it a folder that you can write to, or set %s=off", signature.Variable), "warn")
	if at.Status == "ok" && err != nil {
		at = warn(fmt.Sprintf("remove %s to get a new key; older outputs are trusted again after you run their notebook", dir),
			"exported pages leave out the scripts in cells' outputs: %v", err)
	}
	return []finding{at}
}

func (d *doctor) dataFolder(context.Context) []finding {
	dir, err := data.Folder()
	if err != nil {
		return []finding{warn("set "+data.Variable+" to a folder", "%s", strings.TrimPrefix(err.Error(), "data: "))}
	}
	return []finding{folder(dir, "set "+data.Variable+" to a folder that you can write to", "warn")}
}

func (d *doctor) dataSets(context.Context) []finding {
	var get, hand []string
	n := 0
	for _, s := range data.Sets() {
		n++
		missing := slices.ContainsFunc(s.Files, func(f data.File) bool {
			_, err := data.Path(s.Name, f.Name)
			return err != nil
		})
		switch {
		case missing && s.ByHand != "":
			hand = append(hand, s.Name)
		case missing:
			get = append(get, s.Name)
		}
	}
	if len(get)+len(hand) == 0 {
		return []finding{ok("all %d are on this machine", n)}
	}
	var fix []string
	if len(get) > 0 {
		fix = append(fix, "overcomplete data get "+strings.Join(get, " "))
	}
	if len(hand) > 0 {
		fix = append(fix, "'overcomplete data get --all' says how to download "+strings.Join(hand, ", ")+" by hand")
	}
	return []finding{warn(strings.Join(fix, "; "), "%d of %d are missing, so notebooks use built-in data instead: %s", len(get)+len(hand), n, strings.Join(append(get, hand...), ", "))}
}

const gib = 1 << 30

func (d *doctor) memory(context.Context) []finding {
	total, free := ram.Read()
	if total == 0 {
		return []finding{ok("cannot be determined on this system")}
	}
	found := fmt.Sprintf("%.1f GiB, %.1f GiB of them free", float64(total)/gib, float64(free)/gib)
	if limit := d.host.Getenv("GOMEMLIMIT"); limit != "" {
		found += ", GOMEMLIMIT " + limit
	}
	switch {
	case free < gib/4:
		return []finding{failed("close other programs, and shut down kernels that you do not need", "%s", found)}
	case free < 2*gib:
		return []finding{warn("notebooks at lecture size take up to 2 GiB: close other programs, or use --size smoke", "%s", found)}
	}
	return []finding{ok("%s", found)}
}

func (d *doctor) processor(context.Context) []finding {
	products, functions := gemm.InstructionSet(), vmath.Version()
	found := fmt.Sprintf("%d processors; matrix products use %s, elementary functions %s", runtime.NumCPU(), products, functions)
	if runtime.GOARCH == "amd64" && !strings.HasPrefix(products, "avx") {
		return []finding{warn("use a machine with AVX2, or enable AVX2 in the virtual machine", "%s: results are the same, but several times slower", found)}
	}
	return []finding{ok("%s", found)}
}

// modules checks whether cells can import packages of other modules. Such imports need the Go toolchain, whereas
// imports of packages that are built into the kernel do not.
func (d *doctor) modules(ctx context.Context) []finding {
	found, err := modules.Condition(ctx)
	if err != nil {
		return []finding{warn(modules.Advice(err), "cells can import only built-in packages: %v", firstSentence(err))}
	}
	return []finding{ok("%s", found)}
}

// firstSentence returns the text of an error from package modules, without the advice at its end, which is printed on
// a separate line.
func firstSentence(err error) string {
	return strings.TrimSuffix(err.Error(), "; "+modules.Advice(err))
}

// devices lists the graphics cards that cells can use. It asks overcomplete-gpu, the program that contains the driver.
// If that program has not been built, devices does not build it, because a check must not change anything.
func (d *doctor) devices(ctx context.Context) []finding {
	program := d.driver()
	if program == "" {
		return []finding{ok("cells have not asked for a graphics card yet; %%gpu in a cell lists what there is")}
	}
	out, err := d.run(ctx, program)
	list := strings.Join(strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }), "; ")
	switch {
	case list != "":
		return []finding{ok("%s", list)}
	case err != nil:
		return []finding{ok("cells have no graphics card: %v", err)}
	}
	return []finding{ok("cells have no graphics card")}
}
