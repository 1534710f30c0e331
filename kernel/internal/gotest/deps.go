package gotest

import (
	"fmt"
	"io"
	"reflect"
	"regexp"
	"time"
)

// corpusEntry is identical to package testing's unexported type of the same name. That type occurs in the signatures
// that the methods of deps must have.
type corpusEntry = struct {
	Parent     string
	Path       string
	Data       []byte
	Values     []any
	Generation int
	IsSeed     bool
}

// deps implements the interface through which package testing uses a test program that go test has built.
type deps struct{}

func (deps) MatchString(pattern, s string) (bool, error) {
	re, err := regexp.Compile(pattern)
	return err == nil && re.MatchString(s), err
}

// CheckCorpus returns an error if the values of a seed do not have the types of the fuzz target's parameters.
func (deps) CheckCorpus(values []any, types []reflect.Type) error {
	if len(values) != len(types) {
		return fmt.Errorf("wrong number of values in corpus entry: %d, want %d", len(values), len(types))
	}
	for i, v := range values {
		if reflect.TypeOf(v) != types[i] {
			return fmt.Errorf("mismatched types in corpus entry: %T, want %v", v, types[i])
		}
	}
	return nil
}

// The remaining methods do nothing: there are no corpus files, no fuzzing, no profiles, no log and no
// coverage.

func (deps) CoordinateFuzzing(time.Duration, int64, time.Duration, int64, int, []corpusEntry, []reflect.Type, string, string) error {
	return nil
}
func (deps) RunFuzzWorker(func(corpusEntry) error) error { return nil }

func (deps) ReadCorpus(string, []reflect.Type) ([]corpusEntry, error) { return nil, nil }
func (deps) ImportPath() string                                       { return "" }
func (deps) ModulePath() string                                       { return "" }
func (deps) SetPanicOnExit0(bool)                                     {}
func (deps) StartCPUProfile(io.Writer) error                          { return nil }
func (deps) StopCPUProfile()                                          {}
func (deps) StartTestLog(io.Writer)                                   {}
func (deps) StopTestLog() error                                       { return nil }
func (deps) WriteProfileTo(string, io.Writer, int) error              { return nil }
func (deps) ResetCoverage()                                           {}
func (deps) SnapshotCoverage()                                        {}
func (deps) InitRuntimeCoverage() (mode string, tearDown func(string, string) (string, error), snapshot func() float64) {
	return "", nil, nil
}
