package trial

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// A cache is a file of finished trials. A nil cache keeps nothing.
type cache struct {
	file  *os.File
	known map[string]map[string]float64
}

// A line is one line of the cache's file, with the result of one trial. Measured numbers are stored as text, because
// JSON has no NaN.
type line struct {
	Key      string            `json:"key"`
	Setting  any               `json:"setting"` // for human readers; only Key identifies the trial
	Seed     uint64            `json:"seed"`
	Measured map[string]string `json:"measured"`
}

// openCache reads the trials in the file at path, and opens the file for appending more. It ignores a last line that
// is incomplete, for instance because the process ended while writing it. An empty path gives a nil cache.
func openCache(path string) (*cache, error) {
	if path == "" {
		return nil, nil
	}
	c := &cache{known: map[string]map[string]float64{}}
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("trial: the cache: %w", err)
	}
	s := bufio.NewScanner(bytes.NewReader(b))
	s.Buffer(nil, 16<<20)
	for number := 1; s.Scan(); number++ {
		var l line
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			if !s.Scan() && !bytes.HasSuffix(b, []byte("\n")) {
				break
			}
			return nil, fmt.Errorf("trial: line %d of %s is not a trial (%v); is this another file?", number, path, err)
		}
		m := map[string]float64{}
		for name, text := range l.Measured {
			if m[name], err = strconv.ParseFloat(text, 64); err != nil {
				return nil, fmt.Errorf("trial: line %d of %s: %w", number, path, err)
			}
		}
		c.known[l.Key] = m
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("trial: %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("trial: the cache: %w", err)
	}
	if c.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644); err != nil {
		return nil, fmt.Errorf("trial: the cache: %w", err)
	}
	if len(b) > 0 && !bytes.HasSuffix(b, []byte("\n")) {
		fmt.Fprintln(c.file)
	}
	return c, nil
}

// key returns the text that identifies a trial in the cache's file: a hash of code, setting and seed.
func key(code string, setting any, seed uint64) (string, error) {
	b, err := json.Marshal(struct {
		Code    string
		Type    string
		Setting any
		Seed    uint64
	}{code, fmt.Sprintf("%T", setting), setting, seed})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16]), nil
}

func (c *cache) add(key string, setting any, seed uint64, measured map[string]float64) error {
	if c == nil {
		return nil
	}
	l := line{Key: key, Setting: setting, Seed: seed, Measured: map[string]string{}}
	for name, v := range measured {
		l.Measured[name] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	b, err := json.Marshal(l)
	if err == nil {
		_, err = c.file.Write(append(b, '\n'))
	}
	if err != nil {
		return fmt.Errorf("the cache: %w", err)
	}
	return nil
}

func (c *cache) close() {
	if c != nil {
		c.file.Close()
	}
}
