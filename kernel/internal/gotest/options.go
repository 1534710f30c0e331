package gotest

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Options holds the flags of go test that %%test supports.
type Options struct {
	Timeout time.Duration     // 0 for no timeout
	flags   map[string]string // flags of package testing, without the prefix "test."
}

// passed lists the flags that are passed to package testing unchanged. Parse rejects values for which package testing
// would end the process.
var passed = []string{"run", "skip", "bench", "benchtime", "count", "parallel", "shuffle", "list"}

// Parse parses flags as go test does. If args cannot be parsed, the error also lists the flags that are allowed.
func Parse(args []string) (Options, error) {
	o := Options{flags: map[string]string{}}
	set := flag.NewFlagSet("%%test", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	values := map[string]*string{}
	for _, name := range passed {
		values[name] = set.String(name, "", "")
	}
	v, short, mem := set.Bool("v", false, ""), set.Bool("short", false, ""), set.Bool("benchmem", false, "")
	set.DurationVar(&o.Timeout, "timeout", 10*time.Minute, "")
	err := set.Parse(args)
	if err == nil && set.NArg() > 0 {
		err = fmt.Errorf("%q is not a flag", set.Arg(0))
	}
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			err = errors.New("the flags are go test's")
		}
		return o, fmt.Errorf("%w: the flags are -run, -skip, -bench and -list with a regular expression, -v, -short, -count N, -parallel N, -shuffle on, -timeout D, "+
			"-benchtime D or Nx, and -benchmem; a fuzz target runs only with its seeds (go test -fuzz fuzzes it in a program)", err)
	}
	set.Visit(func(f *flag.Flag) {
		if p := values[f.Name]; p != nil {
			o.flags[f.Name] = *p
		}
	})
	for name, on := range map[string]bool{"v": *v, "short": *short, "benchmem": *mem} {
		if on {
			o.flags[name] = "true"
		}
	}
	return o, o.check()
}

// elements splits a pattern into regular expressions, as package testing does: at each / and | outside of brackets.
func elements(pattern string) (list []string) {
	start, parens, class := 0, 0, false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			parens++
		case c == ')':
			parens--
		case parens == 0 && (c == '/' || c == '|'):
			list = append(list, pattern[start:i])
			start = i + 1
		}
	}
	return append(list, pattern[start:])
}

// check returns an error if a flag has a value that would make the testing package end the process.
func (o *Options) check() error {
	for _, name := range []string{"run", "skip", "bench", "list"} {
		for _, part := range elements(o.flags[name]) {
			if _, err := regexp.Compile(part); err != nil {
				return fmt.Errorf("-%s: %w", name, err)
			}
		}
	}
	for _, name := range []string{"count", "parallel"} {
		if n, err := strconv.Atoi(o.flags[name]); o.flags[name] != "" && (err != nil || n < 1) {
			return fmt.Errorf("-%s %s: must be an integer, 1 or larger", name, o.flags[name])
		}
	}
	if s := o.flags["shuffle"]; s != "" && s != "on" && s != "off" {
		if _, err := strconv.ParseInt(s, 10, 64); err != nil {
			return fmt.Errorf("-shuffle %s: must be on, off or a number", s)
		}
	}
	if s := o.flags["benchtime"]; s != "" {
		if d, n, err := amount(s); err != nil || d == 0 && n == 0 {
			return fmt.Errorf("-benchtime %s: must be a duration such as 2s, or a number of runs such as 100x", s)
		}
	}
	return nil
}

// amount parses the value of -benchtime: a duration, or a number of runs followed by x.
func amount(s string) (time.Duration, int, error) {
	if n, ok := strings.CutSuffix(s, "x"); ok {
		k, err := strconv.Atoi(n)
		if err == nil && k < 0 {
			err = strconv.ErrRange
		}
		return 0, k, err
	}
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = strconv.ErrRange
	}
	return d, 0, err
}

// apply sets the flags of package testing to the values in o, and sets flags that o does not mention to their
// defaults. The returned function sets them back to the previous values.
func (o Options) apply() (restore func()) {
	before := map[string]string{}
	testingFlags().VisitAll(func(f *flag.Flag) {
		name, ok := strings.CutPrefix(f.Name, "test.")
		if !ok {
			return
		}
		before[f.Name] = f.Value.String()
		value := f.DefValue
		if v, ok := o.flags[name]; ok {
			value = v
		}
		setFlag(f, value)
	})
	return func() {
		for name, value := range before {
			setFlag(testingFlags().Lookup(name), value)
		}
	}
}

func setFlag(f *flag.Flag, value string) {
	if f.Name == "test.benchtime" || f.Name == "test.fuzztime" || f.Name == "test.fuzzminimizetime" {
		if value == "" || value == "0s" || value == "0" { // text of a default value that Set refuses
			return
		}
	}
	if err := f.Value.Set(value); err != nil {
		panic(fmt.Sprintf("gotest: -%s %q: %v", f.Name, value, err))
	}
}

// testingFlags returns package testing's flags. In a test program they are the process's own flags. In other
// programs they are not registered with the process, so that cells do not see them.
var testingFlags = sync.OnceValue(func() *flag.FlagSet {
	if flag.Lookup("test.run") != nil || testing.Testing() {
		testing.Init()
		return flag.CommandLine
	}
	own := flag.NewFlagSet("testing", flag.ContinueOnError)
	process := flag.CommandLine
	flag.CommandLine = own
	testing.Init()
	flag.CommandLine = process
	return own
})
