package fsdd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"overcomplete/data"
	"overcomplete/data/internal/archive"
)

const (
	// Name is the set's name in the registry of package data.
	Name = "fsdd"
	// FileName is the name under which Open looks for the set.
	FileName = "fsdd-subset.tar.gz"
	// SHA256 is the checksum of the archive that produced the committed results: 6 speakers, 10 digits, 2
	// takes. Open also accepts other archives of the same recordings.
	SHA256 = "6466ec8c4523c9d93335c5521292c8df66d3f6960903693840661b57be6c5c53"
	// Variable is the environment variable that names the folder with the
	// data sets.
	Variable = data.Variable

	maxFile = 4 << 20 // bytes of one recording: four minutes
)

// limits bounds the size of an archive.
var limits = archive.Limits{Members: 10_000, Member: maxFile, Total: 256 << 20}

// ErrAbsent is the error for a data set that is not on this machine.
var ErrAbsent = data.ErrAbsent

// A Recording is one spoken digit.
type Recording struct {
	Digit   int    // 0 to 9
	Speaker string // lower-case letters
	Take    int
	Rate    int       // samples per second
	Samples []float64 // -1 to 1
}

// Open reads the set from the folder of package data. It accepts the archive with the known SHA-256, and any other
// archive whose recordings all have the known SHA-256s. If the set is missing, the error wraps ErrAbsent and says how
// to get it.
func Open() ([]Recording, error) {
	f, err := data.Open(Name, FileName)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

// Read reads a tar of recordings, compressed by gzip or not, and returns them sorted by speaker, take and
// digit. It returns an error if the archive has no recordings, has two recordings of the same name, or
// exceeds the size limits.
func Read(r io.Reader) ([]Recording, error) {
	var out []Recording
	seen := map[string]bool{}
	err := archive.Walk(r, limits, func(name string, r io.Reader) error {
		base := path.Base(name)
		if path.Ext(base) != ".wav" {
			return nil
		}
		rec, err := parseName(base)
		if err != nil {
			return err
		}
		if seen[base] {
			return fmt.Errorf("%q occurs twice", base)
		}
		seen[base] = true
		b, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("%s: %w", base, err)
		}
		if rec.Samples, rec.Rate, err = Decode(b); err != nil {
			return fmt.Errorf("%s: %w", base, err)
		}
		out = append(out, rec)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("fsdd: %w", err)
	}
	if len(out) == 0 {
		return nil, errors.New("fsdd: no recording in the archive")
	}
	slices.SortFunc(out, func(a, b Recording) int {
		if c := strings.Compare(a.Speaker, b.Speaker); c != 0 {
			return c
		}
		if a.Take != b.Take {
			return a.Take - b.Take
		}
		return a.Digit - b.Digit
	})
	return out, nil
}

// parseName parses the file name DIGIT_SPEAKER_TAKE.wav.
func parseName(base string) (Recording, error) {
	bad := func() (Recording, error) {
		return Recording{}, fmt.Errorf("%q is not DIGIT_SPEAKER_TAKE.wav", base)
	}
	parts := strings.Split(strings.TrimSuffix(base, ".wav"), "_")
	if len(parts) != 3 || len(parts[0]) != 1 || parts[1] == "" {
		return bad()
	}
	digit, err := strconv.ParseUint(parts[0], 10, 8)
	if err != nil {
		return bad()
	}
	take, err := strconv.ParseUint(parts[2], 10, 16)
	if err != nil {
		return bad()
	}
	for _, c := range parts[1] {
		if c < 'a' || c > 'z' {
			return bad()
		}
	}
	return Recording{Digit: int(digit), Speaker: parts[1], Take: int(take)}, nil
}

// Decode reads a 16-bit mono WAV file. The samples are between -1 and 1. rate is the number of samples per second.
func Decode(b []byte) (samples []float64, rate int, err error) {
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WAVE" {
		return nil, 0, errors.New("wav: no RIFF/WAVE header")
	}
	if size := binary.LittleEndian.Uint32(b[4:]); uint64(size)+8 != uint64(len(b)) {
		return nil, 0, fmt.Errorf("wav: the header says %d bytes, the file has %d", uint64(size)+8, len(b))
	}
	rest := b[12:]
	for len(rest) > 0 {
		at := len(b) - len(rest)
		if len(rest) < 8 {
			return nil, 0, fmt.Errorf("wav: %d bytes at byte %d are not a chunk", len(rest), at)
		}
		name, size := string(rest[:4]), uint64(binary.LittleEndian.Uint32(rest[4:]))
		rest = rest[8:]
		if size > uint64(len(rest)) {
			return nil, 0, fmt.Errorf("wav: chunk %q at byte %d says %d bytes, %d are left", name, at, size, len(rest))
		}
		c := rest[:size]
		rest = rest[size:]
		if size%2 == 1 && len(rest) > 0 {
			rest = rest[1:] // chunks begin at even bytes
		}
		switch name {
		case "fmt ":
			if rate != 0 {
				return nil, 0, errors.New("wav: two fmt chunks")
			}
			if len(c) < 16 {
				return nil, 0, fmt.Errorf("wav: a fmt chunk has %d bytes", len(c))
			}
			le := binary.LittleEndian
			format, channels, perSecond, bits := le.Uint16(c), le.Uint16(c[2:]), le.Uint32(c[4:]), le.Uint16(c[14:])
			if format != 1 || channels != 1 || bits != 16 {
				return nil, 0, fmt.Errorf("wav: format %d with %d channels of %d bits: only format 1 with 1 channel of 16 bits can be read", format, channels, bits)
			}
			if perSecond == 0 || perSecond > 1e6 {
				return nil, 0, fmt.Errorf("wav: the rate is %d samples per second", perSecond)
			}
			if byteRate, align := le.Uint32(c[8:]), le.Uint16(c[12:]); uint64(byteRate) != 2*uint64(perSecond) || align != 2 {
				return nil, 0, fmt.Errorf("wav: %d bytes per second, %d per sample, do not fit %d samples per second", byteRate, align, perSecond)
			}
			rate = int(perSecond)
		case "data":
			if rate == 0 {
				return nil, 0, errors.New("wav: data before fmt")
			}
			if samples != nil {
				return nil, 0, errors.New("wav: two data chunks")
			}
			if len(c) == 0 || len(c)%2 == 1 {
				return nil, 0, fmt.Errorf("wav: a data chunk has %d bytes", len(c))
			}
			samples = make([]float64, len(c)/2)
			for i := range samples {
				samples[i] = float64(int16(binary.LittleEndian.Uint16(c[2*i:]))) / (math.MaxInt16 + 1)
			}
		}
	}
	if samples == nil {
		return nil, 0, errors.New("wav: no data")
	}
	return samples, rate, nil
}
