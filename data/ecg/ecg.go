package ecg

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/internal/archive"
	"overcomplete/internal/finite"
)

// Name is the set's name in the registry of package data.
const Name = "ecg"

const (
	// Abdominal is the number of abdominal channels, which come first.
	Abdominal = 5
	// Thoracic is the number of thoracic channels, which follow the abdominal channels.
	Thoracic = 3

	channels   = Abdominal + Thoracic
	maxBytes   = 64 << 20 // of the unpacked file
	maxSamples = 1 << 20
)

// A Recording holds what the electrodes measured.
type Recording struct {
	X    *mat.Dense // 8 × samples: one channel in each row, five abdominal, three thoracic; no unit is stated
	Time []float64  // time of each sample in seconds, unchanged from the file; see the package's trap
}

// Load reads the set from the folder of package data, after checking its content. Load never downloads: if
// the file is missing, the error wraps data.ErrAbsent and says how to get it.
func Load() (*Recording, error) {
	f, err := data.Open(Name, "")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

// Read reads foetal_ecg.dat, compressed or not: lines of nine finite numbers; the first number must increase from line
// to line. Errors name the line. Read accepts any number of lines, not only the set's 2,500. But each line must end in
// a newline, because a file that was cut off inside the last number would otherwise yield a wrong number.
func Read(r io.Reader) (*Recording, error) {
	u, err := archive.Unpack(r, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("ecg: %w", err)
	}
	in := bufio.NewScanner(u)
	in.Buffer(make([]byte, 4096), 4096)
	in.Split(wholeLines)
	e := &Recording{}
	var values [channels][]float64
	for n := 1; in.Scan(); n++ {
		if n > maxSamples {
			return nil, fmt.Errorf("ecg: %w of %d lines", archive.ErrLimit, maxSamples)
		}
		f := strings.Fields(in.Text())
		if len(f) != 1+channels {
			return nil, fmt.Errorf("ecg: line %d: %d numbers, not %d", n, len(f), 1+channels)
		}
		for i, s := range f {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil || !finite.Is(v) {
				return nil, fmt.Errorf("ecg: line %d, column %d: %q is not a finite number", n, i+1, s)
			}
			if i > 0 {
				values[i-1] = append(values[i-1], v)
				continue
			}
			if n > 1 && v <= e.Time[n-2] {
				return nil, fmt.Errorf("ecg: line %d: the time %v does not come after %v", n, v, e.Time[n-2])
			}
			e.Time = append(e.Time, v)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("ecg: line %d: %w", len(e.Time)+1, err)
	}
	if len(e.Time) == 0 {
		return nil, errors.New("ecg: the file is empty")
	}
	e.X = mat.NewDense(channels, len(e.Time), nil)
	for i, v := range values {
		e.X.SetRow(i, v)
	}
	return e, nil
}

// wholeLines is like bufio.ScanLines, but refuses a last line without a newline. If the line is incomplete
// because the reader failed, the scanner still reports the reader's error.
func wholeLines(b []byte, end bool) (int, []byte, error) {
	if end && len(b) > 0 && bytes.IndexByte(b, '\n') < 0 {
		return 0, nil, errors.New("the file ends in the middle of it: no newline")
	}
	return bufio.ScanLines(b, end)
}
