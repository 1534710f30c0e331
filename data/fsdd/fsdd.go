package fsdd

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	// FileName is the name under which Open looks for the set.
	FileName = "fsdd-subset.tar.gz"
	// SHA256 is the checksum of the subset with which the committed results
	// were made: 6 speakers, 10 digits, 2 takes.
	SHA256 = "6466ec8c4523c9d93335c5521292c8df66d3f6960903693840661b57be6c5c53"
	// Variable is the environment variable that names the folder with the
	// data sets.
	Variable = "OVERCOMPLETE_DATA"

	maxFile    = 4 << 20   // bytes of one recording: four minutes
	maxMembers = 10_000    // of the archive
	maxTotal   = 256 << 20 // bytes of all recordings
	maxArchive = 512 << 20 // bytes of the unpacked archive, whatever is in it
	maxPacked  = 256 << 20 // bytes of the archive itself
)

// ErrAbsent says that the data set is not on this machine.
var ErrAbsent = errors.New("fsdd: the data set is not here: put " + FileName + " into a folder and name the folder in " + Variable)

// A Recording is one spoken digit.
type Recording struct {
	Digit   int    // 0 to 9
	Speaker string // lower-case letters
	Take    int
	Rate    int       // samples per second
	Samples []float64 // -1 to 1
}

// Open reads the set from the folder that OVERCOMPLETE_DATA names and checks
// its SHA-256. If the variable is not set or the file does not exist the error
// wraps ErrAbsent.
func Open() ([]Recording, error) {
	dir := os.Getenv(Variable)
	if dir == "" {
		return nil, ErrAbsent
	}
	name := filepath.Join(dir, FileName)
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w (there is none in the folder that %s names)", ErrAbsent, Variable)
	}
	if err != nil {
		return nil, fmt.Errorf("fsdd: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if n, err := io.Copy(h, io.LimitReader(f, maxPacked+1)); err != nil {
		return nil, fmt.Errorf("fsdd: %w", err)
	} else if n > maxPacked {
		return nil, fmt.Errorf("fsdd: %s is larger than %d bytes", FileName, maxPacked)
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != SHA256 {
		return nil, fmt.Errorf("fsdd: %s has the SHA-256 %s, not %s", FileName, sum, SHA256)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("fsdd: %w", err)
	}
	return Read(f)
}

// Read reads a gzip-compressed tar of recordings, sorted by speaker, take and
// digit. An archive without a recording, with two of one name, or beyond the
// limits of size is an error.
func Read(r io.Reader) ([]Recording, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("fsdd: %w", err)
	}
	unpacked := io.LimitReader(z, maxArchive)
	t := tar.NewReader(unpacked)
	var out []Recording
	seen := map[string]bool{}
	total := 0
	for members := 0; ; members++ {
		h, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("fsdd: member %d: %w", members, err)
		}
		if members >= maxMembers {
			return nil, fmt.Errorf("fsdd: more than %d members", maxMembers)
		}
		base := path.Base(h.Name)
		if h.Typeflag != tar.TypeReg || path.Ext(base) != ".wav" {
			continue
		}
		rec, err := parseName(base)
		if err != nil {
			return nil, err
		}
		if seen[base] {
			return nil, fmt.Errorf("fsdd: %q occurs twice", base)
		}
		seen[base] = true
		b, err := io.ReadAll(io.LimitReader(t, maxFile+1))
		if err != nil {
			return nil, fmt.Errorf("fsdd: %s: %w", base, err)
		}
		if total += len(b); len(b) > maxFile || total > maxTotal {
			return nil, fmt.Errorf("fsdd: %s: the limit of %d bytes a file or %d bytes in all is exceeded", base, maxFile, maxTotal)
		}
		if rec.Samples, rec.Rate, err = Decode(b); err != nil {
			return nil, fmt.Errorf("fsdd: %s: %w", base, err)
		}
		out = append(out, rec)
	}
	// What follows the last member must be read too: the checksum stands at
	// the end.
	if _, err := io.Copy(io.Discard, unpacked); err != nil {
		return nil, fmt.Errorf("fsdd: after the last member: %w", err)
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

// parseName reads DIGIT_SPEAKER_TAKE.wav.
func parseName(base string) (Recording, error) {
	bad := func() (Recording, error) {
		return Recording{}, fmt.Errorf("fsdd: %q is not DIGIT_SPEAKER_TAKE.wav", base)
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

// Decode reads a WAV file of one channel with 16 bits. Samples are from -1 to
// 1, rate is in samples per second.
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
			return nil, 0, fmt.Errorf("wav: %d bytes at %d are no chunk", len(rest), at)
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
				return nil, 0, fmt.Errorf("wav: a fmt chunk of %d bytes", len(c))
			}
			le := binary.LittleEndian
			format, channels, perSecond, bits := le.Uint16(c), le.Uint16(c[2:]), le.Uint32(c[4:]), le.Uint16(c[14:])
			if format != 1 || channels != 1 || bits != 16 {
				return nil, 0, fmt.Errorf("wav: format %d with %d channels of %d bits; 1, 1, 16 is what can be read", format, channels, bits)
			}
			if perSecond == 0 || perSecond > 1e6 {
				return nil, 0, fmt.Errorf("wav: %d samples per second", perSecond)
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
				return nil, 0, fmt.Errorf("wav: a data chunk of %d bytes", len(c))
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
