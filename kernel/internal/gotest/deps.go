package gotest

import (
	"io"
	"reflect"
	"regexp"
	"time"
)

// A corpusEntry is package testing's, which does not export it.
type corpusEntry = struct {
	Parent     string
	Path       string
	Data       []byte
	Values     []any
	Generation int
	IsSeed     bool
}

// deps is what package testing asks of the program that go test has built.
type deps struct {
	// coordinate fuzzes a target, whose seed corpus it is given; worker is given a function that runs
	// one input.
	coordinate func(seeds []corpusEntry, types []reflect.Type) error
	worker     func(run func(corpusEntry) error)
}

func (*deps) MatchString(pattern, s string) (bool, error) {
	re, err := regexp.Compile(pattern)
	return err == nil && re.MatchString(s), err
}

func (d *deps) CoordinateFuzzing(_ time.Duration, _ int64, _ time.Duration, _ int64, _ int, seeds []corpusEntry, types []reflect.Type, _, _ string) error {
	return d.coordinate(seeds, types)
}

func (d *deps) RunFuzzWorker(run func(corpusEntry) error) error {
	d.worker(run)
	return nil
}

func (*deps) CheckCorpus(values []any, types []reflect.Type) error {
	return checkSeed(values, types)
}

// There are no files of a corpus, no profiles, no log and no coverage.

func (*deps) ReadCorpus(string, []reflect.Type) ([]corpusEntry, error) { return nil, nil }
func (*deps) ImportPath() string                                       { return "" }
func (*deps) ModulePath() string                                       { return "" }
func (*deps) SetPanicOnExit0(bool)                                     {}
func (*deps) StartCPUProfile(io.Writer) error                          { return nil }
func (*deps) StopCPUProfile()                                          {}
func (*deps) StartTestLog(io.Writer)                                   {}
func (*deps) StopTestLog() error                                       { return nil }
func (*deps) WriteProfileTo(string, io.Writer, int) error              { return nil }
func (*deps) ResetCoverage()                                           {}
func (*deps) SnapshotCoverage()                                        {}
func (*deps) InitRuntimeCoverage() (mode string, tearDown func(string, string) (string, error), snapshot func() float64) {
	return "", nil, nil
}
