package builtin

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"overcomplete/data"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/procgroup"
	"overcomplete/kernel/internal/render"
)

func (c *call) cd() error {
	to := unquoted(c.Args)
	old, err := os.Getwd()
	if err != nil {
		return err
	}
	switch {
	case to == "-" && c.runner.previous == "":
		return fmt.Errorf("there is no previous working directory")
	case to == "-":
		to = c.runner.previous
	case to == "", to == "~", strings.HasPrefix(to, "~/"):
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		to = filepath.Join(home, strings.TrimPrefix(to, "~"))
	}
	if err := os.Chdir(to); err != nil {
		return err
	}
	c.runner.previous = old
	now, err := os.Getwd()
	if err != nil {
		return err
	}
	fmt.Fprintln(c.runner.Stdout, now)
	return nil
}

// secret matches the names of variables whose values must not be saved in a notebook.
var secret = regexp.MustCompile(`(?i)key|token|secret|passw|_pwd|pwd_|credential|auth|cookie`)

// userInfo matches the user and password in an address such as
// https://name:password@host.
var userInfo = regexp.MustCompile(`://[^/@\s]*@`)

func (c *call) env() error {
	if c.Args == "" {
		var rows [][]string
		for _, e := range slices.Sorted(slices.Values(os.Environ())) {
			name, value, _ := strings.Cut(e, "=")
			if secret.MatchString(name) && value != "" {
				value = "(hidden)"
			}
			value = userInfo.ReplaceAllString(value, "://(hidden)@")
			rows = append(rows, []string{name, clip(value)})
		}
		c.runner.Show(render.Table([]string{"name", "value"}, []bool{true, true}, rows, ""))
		return nil
	}
	name, value, set := strings.Cut(c.Args, "=")
	if !set {
		name, value, set = strings.Cut(c.Args, " ")
	}
	name, value = strings.TrimSpace(name), unquoted(strings.TrimSpace(value))
	if set {
		return os.Setenv(name, value)
	}
	value, ok := os.LookupEnv(name)
	if !ok {
		return fmt.Errorf("%s is not set", name)
	}
	fmt.Fprintln(c.runner.Stdout, value)
	return nil
}

// args implements %args.
func (c *call) args() error {
	os.Args = append(os.Args[:1:1], fields(c.Args)...)
	return nil
}

// main implements the line %% of GoNB. GoNB parses the flags at the beginning of main. Here the flags are parsed
// only if the line has arguments. Otherwise nothing needs the parsing, and it would reject the arguments of programs
// without flags.
func (c *call) main() error {
	if c.Args == "" {
		return nil
	}
	if err := c.args(); err != nil {
		return err
	}
	set := flag.CommandLine
	handling := set.ErrorHandling()
	set.Init(set.Name(), flag.ContinueOnError)
	defer set.Init(set.Name(), handling)
	return set.Parse(os.Args[1:])
}

// unquoted returns s without the quotes around it, if there are any.
func unquoted(s string) string {
	if n := len(s); n >= 2 && s[0] == s[n-1] && (s[0] == '"' || s[0] == '\'') {
		return s[1 : n-1]
	}
	return s
}

func clip(s string) string {
	if r := []rune(s); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return s
}

// data implements %data, which lists the data sets, like "overcomplete data list".
func (c *call) data() error {
	looked := "no folder: "
	folders, err := data.Folders()
	if err != nil {
		looked += err.Error()
	} else {
		looked = strings.Join(folders, " and ")
	}
	var rows [][]string
	for _, s := range data.Sets() {
		bytes := "?"
		if n := s.Size(); n > 0 {
			bytes = size(uint64(n))
		}
		here := 0
		for _, f := range s.Files {
			_, err := data.Path(s.Name, f.Name)
			if err == nil {
				here++
			} else if !errors.Is(err, data.ErrAbsent) {
				return err
			}
		}
		where := "here"
		switch {
		case here == 0 && s.ByHand != "":
			where = "absent (by hand)"
		case here == 0:
			where = "absent"
		case here < len(s.Files):
			where = fmt.Sprintf("%d of %d files", here, len(s.Files))
		}
		rows = append(rows, []string{s.Name, bytes, where, s.What, s.Loader, s.License})
	}
	c.runner.Show(render.Table([]string{"name", "size", "where", "what", "import", "terms"}, []bool{true, false, true, true, true, true}, rows,
		"Searched in "+looked+". To download a set, run 'overcomplete data get NAME' in a terminal."))
	return nil
}

// devices implements %gpu, which lists the devices that cells can use.
func (c *call) devices() error {
	if c.runner.Devices == nil {
		return errors.New("this kernel has no driver of devices")
	}
	list, err := c.runner.Devices()
	if len(list) == 0 && err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(c.runner.Stdout, "no devices")
		return nil
	}
	caption := `gpu.Choose("WORD") takes the first with the word in its name or driver`
	if err != nil {
		caption += ". Not all answered: " + err.Error()
	}
	var rows [][]string
	for _, d := range list {
		rows = append(rows, d[:])
	}
	c.runner.Show(render.Table([]string{"device", "memory", "driver"}, []bool{true, false, true}, rows, caption))
	return nil
}

// writeFile implements %%writefile, which writes the body of the cell to a file.
func (c *call) writeFile() error {
	name, mode := c.Args, os.O_TRUNC
	if rest, ok := strings.CutPrefix(name, "-a "); ok {
		name, mode = strings.TrimSpace(rest), os.O_APPEND
	}
	if name = unquoted(name); name == "" || name == "-a" {
		return c.usage()
	}
	text := c.Body
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|mode, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return err
	}
	fmt.Fprintf(c.runner.Stdout, "%s: %d bytes\n", name, len(text))
	return nil
}

// shell runs a line in the system's shell and shows its output as it arrives. An interrupt ends all processes
// that the line started.
func (c *call) shell(ctx context.Context) ([]engine.Value, error) {
	if c.Args == "" {
		return nil, c.usage()
	}
	cmd := shellCommand(c.Args)
	// Do not pass the kernel's files themselves: processes that the line leaves in the background must not
	// keep the kernel's own pipes open.
	cmd.Stdout, cmd.Stderr = c.runner.Stdout, c.runner.Stderr
	cmd.WaitDelay = 200 * time.Millisecond
	if err := runGroup(ctx, cmd); err != nil {
		if ctx.Err() != nil {
			return nil, interrupted()
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return nil, c.fail("%v: %s", exit, c.Args)
		}
		return nil, c.fail("%v", err)
	}
	return nil, nil
}

func shellCommand(line string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.Command("cmd", "/c", line)
	}
	return exec.Command("/bin/sh", "-c", line)
}

// runGroup runs cmd until it ends or ctx is canceled. If ctx is canceled first, runGroup interrupts cmd and the
// processes that cmd has started, gives them a moment to end by themselves, and then kills them.
func runGroup(ctx context.Context, cmd *exec.Cmd) error {
	group, err := procgroup.Start(cmd)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if errors.Is(err, exec.ErrWaitDelay) {
			return nil // a process continues in the background
		}
		return err
	case <-ctx.Done():
	}
	group.Interrupt()
	select {
	case <-done:
		group.Kill()
	case <-time.After(300 * time.Millisecond):
		group.Kill()
		<-done
	}
	return ctx.Err()
}
