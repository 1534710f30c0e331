package dictionary

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestSaveLoad(t *testing.T) {
	B := gaussian(7, 9, 1)
	path := filepath.Join(t.TempDir(), "b")
	for _, single := range []bool{false, true} {
		if err := Save(path, B.T().T(), single); err != nil {
			t.Fatal(err)
		}
		got, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 7 {
			for j := range 9 {
				want := B.At(i, j)
				if single {
					want = float64(float32(want))
				}
				if got.At(i, j) != want {
					t.Fatalf("single %t: %g in row %d, column %d, want %g", single, got.At(i, j), i, j, want)
				}
			}
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		most := int64(7*9*8 + 80) // random numbers can hardly be compressed
		if single {
			most -= 7 * 9 * 4
		}
		if info.Size() > most {
			t.Errorf("single %t: %d bytes, more than %d", single, info.Size(), most)
		}
	}
	r := &Result{B: B}
	if err := r.Save(path, false); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(path); err != nil || !mat.Equal(got, B) {
		t.Errorf("Result.Save: %v", err)
	}
	if err := Save(filepath.Join(t.TempDir(), "no", "folder"), B, false); err == nil {
		t.Error("no error for a folder that is not there")
	}
}

// aState returns a small state with all its fields set.
func aState(t testing.TB) *State {
	X, _, _ := planted(4, 5, 30, 2, 0.1, 1)
	return learn(t, X, Options{Coder: l1(0.1), Atoms: 5, Passes: 2, Batch: 8, Warm: true}).State
}

// TestContradiction checks that a contradictory state with a valid checksum is not resumed.
func TestContradiction(t *testing.T) {
	X, _, _ := planted(4, 5, 30, 2, 0.1, 1)
	for name, spoil := range map[string]func(*State){
		"A":     func(s *State) { s.a = nil },
		"C":     func(s *State) { s.ct = s.ct[:3] },
		"use":   func(s *State) { s.use = nil },
		"place": func(s *State) { s.at = 3 },
		"end":   func(s *State) { s.at = 32 },
		"warm":  func(s *State) { s.warm = nil },
	} {
		s := aState(t)
		opt := Options{Coder: l1(0.1), Atoms: 5, Passes: 3, Batch: 8, Warm: true, Resume: s}
		if _, err := newLearner(X, &opt); err != nil {
			t.Fatal(err)
		}
		spoil(s)
		if _, err := newLearner(X, &opt); err == nil || !strings.Contains(err.Error(), "contradicts") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBrokenFile checks that every change to a single bit and every truncation is detected.
func TestBrokenFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	st := aState(t)
	if err := st.Save(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), "LoadState") {
		t.Errorf("a state for a basis: %v", err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for k := range good {
		b := bytes.Clone(good)
		b[k] ^= 1 << (k % 8)
		if _, err := format.Unpack(stateFile, b); !errors.Is(err, ErrFile) {
			t.Fatalf("byte %d changed: %v", k, err)
		}
		if _, err := format.Unpack(stateFile, good[:k]); !errors.Is(err, ErrFile) {
			t.Fatalf("%d bytes left: %v", k, err)
		}
	}
	newer := bytes.Clone(good)
	newer[7]++
	for want, b := range map[string][]byte{"another file": []byte("hello, this is text"), "version": newer, "damaged": good[:100]} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadState(path); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	if err := Save(path, st.B, false); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadState(path); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), "Options.Init") {
		t.Errorf("a basis for a state: %v", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

// FuzzState checks that every state that can be decoded encodes to the same bytes and can be cloned, and that
// Fit resumes or rejects the state.
func FuzzState(f *testing.F) {
	X, _, _ := planted(4, 5, 30, 2, 0.1, 1)
	good := aState(f)
	f.Add(good.encode())
	for _, m := range []Method{SGD, LagrangeDual} {
		f.Add(learn(f, X, Options{Coder: l1(0.1), Atoms: 5, Passes: 1, Method: m}).State.encode())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := decodeState(b)
		if err != nil {
			if !errors.Is(err, ErrFile) {
				t.Errorf("%v", err)
			}
			return
		}
		if !bytes.Equal(s.encode(), b) {
			t.Error("encoded again it is not the same")
		}
		s.Clone()
		for _, m := range []Method{Online, SGD, LagrangeDual} {
			if _, err := newLearner(X, &Options{Coder: l1(0.1), Method: m, Batch: 8, Warm: m == Online, Resume: s}); err != nil && !strings.HasPrefix(err.Error(), "dictionary: Fit: ") {
				t.Error(err)
			}
		}
	})
}

func FuzzBasis(f *testing.F) {
	path := filepath.Join(f.TempDir(), "b")
	for _, single := range []bool{false, true} {
		if err := Save(path, gaussian(2, 3, 1), single); err != nil {
			f.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := format.Unpack(basisFile, b)
		if err != nil {
			c = b // skip the checksum, which a fuzzer cannot guess
		}
		B, err := decodeBasis(c)
		if err != nil {
			return
		}
		d, n := B.Dims()
		if d < 1 || n < 1 || d*n > len(b) {
			t.Errorf("B %d×%d of %d bytes", d, n, len(b))
		}
		if s := mat.Sum(B); math.IsNaN(s-s) && !math.IsInf(s, 0) {
			t.Error("NaN was let through")
		}
	})
}
