package lab

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
)

// storeLearned stores a stage as a full run does, and returns its file.
func storeLearned(t *testing.T, folder string, k Key, x ...float64) string {
	t.Helper()
	(&Store{Folder: folder, Fresh: func() bool { return true }}).Numbers(k, func() []float64 { return x })
	return filepath.Join(folder, k.Name()+".mat")
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		if e.Name() != packingName {
			list = append(list, e.Name())
		}
	}
	return list
}

func compress(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w := brotli.NewWriter(&b)
	_, err := w.Write(data)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

func mustPack(t *testing.T, folder string, files ...string) {
	t.Helper()
	if err := Pack(folder, compress, files...); err != nil {
		t.Fatal(err)
	}
}

// A packed stage is read from the archive with the same bits. Packing again gives the same archive, whatever
// the order of the files.
func TestPack(t *testing.T) {
	cache, kept := t.TempDir(), t.TempDir()
	keys := []Key{NewKey("table2-kl", "digits", 1000), NewKey("table2-l1", "digits", 1000), NewKey("search", "data", "mnist")}
	var files []string
	for i, k := range keys {
		files = append(files, storeLearned(t, cache, k, 1./3, math.NaN(), math.Inf(-1), float64(i)))
	}
	mustPack(t, kept, files[0], files[2])
	mustPack(t, kept, files[1])
	if want := []string{"search.zip.br", "table2.zip.br"}; !slices.Equal(names(t, kept), want) {
		t.Errorf("%q, want %q", names(t, kept), want)
	}
	s := &Store{Kept: kept}
	for i, k := range keys {
		x := s.Numbers(k, func() []float64 { t.Errorf("%s is made again", k); return make([]float64, 4) })
		if x[0] != 1./3 || !math.IsNaN(x[1]) || !math.IsInf(x[2], -1) || x[3] != float64(i) || !s.Has(k) || !s.HasKept(k) {
			t.Errorf("%s: %v", k, x)
		}
		archive, err := readArchive(archiveOf(kept, k.Name()))
		if err != nil || !bytes.Equal(archive[k.Name()+".mat"].data, read(t, files[i])) {
			t.Errorf("%s: not the bytes of its file, %v", k, err)
		}
	}
	if s.Has("table2-kl digits=2000") || s.Has("figure1") || s.HasKept("figure1") {
		t.Error("it has what nobody made")
	}
	listed, err := Kept(kept)
	want := slices.Sorted(slices.Values(keys))
	if err != nil || !slices.Equal(listed, want) {
		t.Errorf("kept: %q, %v, want %q", listed, err, want)
	}

	other := t.TempDir() // through loose files in another folder, at another time
	slices.Reverse(files)
	for _, f := range files {
		for _, suffix := range []string{"", ".settings"} {
			to := filepath.Join(other, filepath.Base(f)+suffix)
			if err := os.WriteFile(to, read(t, f+suffix), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(to, time.Unix(0, 0), time.Unix(0, 0)); err != nil {
				t.Fatal(err)
			}
		}
	}
	loose := &Store{Kept: other} // files of an older version, and stages that are not yet packed
	if !loose.HasKept(keys[0]) || loose.Numbers(keys[0], nil)[0] != 1./3 {
		t.Error("a loose file is not read")
	}
	mustPack(t, other)
	if !slices.Equal(names(t, other), names(t, kept)) {
		t.Errorf("%q, want %q", names(t, other), names(t, kept))
	}
	for _, name := range names(t, kept) {
		if !bytes.Equal(read(t, filepath.Join(kept, name)), read(t, filepath.Join(other, name))) {
			t.Errorf("%s is another one", name)
		}
	}
}

// A recomputed stage replaces the old one. Until it is packed, the loose file takes precedence over the archive. The
// key of a loose file may be only in the archive.
func TestPackAgain(t *testing.T) {
	kept := t.TempDir()
	k := NewKey("search", "data", "mnist")
	storeLearned(t, kept, k, 1)
	mustPack(t, kept)
	file := filepath.Join(kept, k.Name()+".mat")
	if err := WriteMatrix(file, mat.NewDense(1, 1, []float64{2})); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"loose", "packed"} {
		if x := (&Store{Kept: kept}).Numbers(k, nil); x[0] != 2 {
			t.Errorf("%s: %v", when, x)
		}
		mustPack(t, kept)
	}
	if want := []string{"search.zip.br"}; !slices.Equal(names(t, kept), want) {
		t.Errorf("%q, want %q", names(t, kept), want)
	}
}

// If stages are unpacked, some are removed, and the others are packed again, the folder has only the others.
// Two versions of an archive are merged in the same way.
func TestUnpack(t *testing.T) {
	kept := t.TempDir()
	keys := []Key{NewKey("letters", "draw", 0), NewKey("letters", "draw", 1), NewKey("search", "data", "mnist")}
	for i, k := range keys {
		storeLearned(t, kept, k, float64(i))
	}
	mustPack(t, kept)
	archive := filepath.Join(kept, "letters.zip.br")
	before := read(t, archive)
	unpacked := func() {
		t.Helper()
		if err := Unpack(kept); err != nil {
			t.Fatal(err)
		}
	}
	unpacked()
	if n := names(t, kept); len(n) != 6 || slices.Contains(n, "letters.zip.br") {
		t.Errorf("unpacked: %q", n)
	}
	for _, suffix := range []string{"", ".settings"} {
		if err := os.Remove(filepath.Join(kept, "letters-0.mat"+suffix)); err != nil {
			t.Fatal(err)
		}
	}
	mustPack(t, kept)
	if have, err := Kept(kept); err != nil || !slices.Equal(have, keys[1:]) {
		t.Errorf("%q, %v", have, err)
	}
	unpacked()
	if err := os.WriteFile(archive, before, 0o666); err != nil { // the other branch's archive
		t.Fatal(err)
	}
	unpacked()
	mustPack(t, kept)
	if have, err := Kept(kept); err != nil || !slices.Equal(have, keys) || !bytes.Equal(read(t, archive), before) {
		t.Errorf("%q, %v", have, err)
	}
	if err := WriteMatrix(filepath.Join(kept, "letters-0.mat"), mat.NewDense(1, 1, []float64{8})); err != nil {
		t.Fatal(err)
	}
	if err := Unpack(kept); err == nil || !strings.Contains(err.Error(), "another letters-0.mat") {
		t.Errorf("two stages of one name: %v", err)
	}
}

// A file of an older version has no key. A run that reads the file in the cache writes the key.
func TestOlderStages(t *testing.T) {
	cache, kept := t.TempDir(), t.TempDir()
	k := NewKey("search", "data", "mnist")
	file := filepath.Join(cache, "search-mnist.mat")
	if err := WriteMatrix(file, mat.NewDense(1, 1, []float64{7})); err != nil {
		t.Fatal(err)
	}
	if err := Pack(kept, compress, file); err == nil || !strings.Contains(err.Error(), "search-mnist.mat.settings") {
		t.Errorf("a stage without a key: %v", err)
	}
	if x := (&Store{Folder: cache}).Numbers(k, nil); x[0] != 7 {
		t.Error(x)
	}
	mustPack(t, kept, file)
	if x := (&Store{Kept: kept}).Numbers(k, nil); x[0] != 7 {
		t.Error(x)
	}
	if err := os.WriteFile(file+".settings", []byte("search data=letters\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Pack(kept, compress, file); err == nil || !strings.Contains(err.Error(), "give it that name") {
		t.Errorf("a stage with another's key: %v", err)
	}
}

// If several processes pack at once, no stage is lost.
func TestPackAtOnce(t *testing.T) {
	cache, kept := t.TempDir(), t.TempDir()
	const writers = 8
	var wg sync.WaitGroup
	for i := range writers {
		file := storeLearned(t, cache, NewKey("letters", "draw", i), float64(i))
		wg.Go(func() {
			if err := Pack(kept, compress, file); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if keys, err := Kept(kept); len(keys) != writers || err != nil {
		t.Errorf("%q, %v", keys, err)
	}
	if n := names(t, kept); len(n) != 1 {
		t.Errorf("left: %q", n)
	}
}

// A killed Pack leaves either the old or the new archive, all loose files, and a lock that no process holds.
func TestPackKilled(t *testing.T) {
	kept := t.TempDir()
	old, fresh := NewKey("letters", "draw", 0), NewKey("letters", "draw", 1)
	storeLearned(t, kept, old, 0)
	mustPack(t, kept)
	before := read(t, filepath.Join(kept, "letters.zip.br"))
	storeLearned(t, kept, fresh, 1)
	lock := filepath.Join(kept, packingName)
	half := filepath.Join(kept, ".letters.zip.br.1.tmp")
	for _, f := range []string{lock, half} {
		if err := os.WriteFile(f, before[:len(before)/2], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s := &Store{Kept: kept}
	if s.Numbers(old, nil)[0] != 0 || s.Numbers(fresh, nil)[0] != 1 {
		t.Error("the stages cannot be read")
	}
	mustPack(t, kept)
	if keys, err := Kept(kept); err != nil || len(keys) != 2 {
		t.Errorf("%q, %v", keys, err)
	}
}

// A damaged archive differs from an absent one: the error names the file and says what to do.
func TestDamagedArchive(t *testing.T) {
	k := NewKey("search", "data", "mnist")
	for what, damage := range map[string]func(b []byte) []byte{
		"cut off":    func(b []byte) []byte { return b[:len(b)/2] },
		"empty":      func([]byte) []byte { return nil },
		"no archive": func([]byte) []byte { return []byte("version https://git-lfs.github.com/spec/v1\n") },
		"a bit":      func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
	} {
		kept := t.TempDir()
		storeLearned(t, kept, k, 1, 2, 3)
		mustPack(t, kept)
		archive := filepath.Join(kept, "search.zip.br")
		if err := os.WriteFile(archive, damage(read(t, archive)), 0o666); err != nil {
			t.Fatal(err)
		}
		for who, do := range map[string]func() error{
			"a run": func() error {
				return panics.Value(func() {
					(&Store{Kept: kept}).Numbers(k, func() []float64 { t.Errorf("%s: made again", what); return []float64{0} })
				}).(error)
			},
			"the list": func() error { _, err := Kept(kept); return err },
			"packing": func() error {
				return Pack(kept, compress, storeLearned(t, t.TempDir(), NewKey("search", "data", "letters"), 1))
			},
		} {
			err := do()
			if err == nil || !strings.Contains(err.Error(), archive+" is damaged") || !strings.Contains(err.Error(), "version control") {
				t.Errorf("%s: %s says %v", what, who, err)
			}
		}
	}
}

// A stage in an archive has a key, which agrees with the stage's name and with the archive's.
func TestKept(t *testing.T) {
	k := NewKey("search", "data", "mnist")
	for what, c := range map[string]struct{ key, says string }{
		"no key":        {"", "search-mnist.mat: \"\" does not begin"},
		"half a key":    {"search data", "search-mnist.mat: \"search data\""},
		"another's key": {"search data=letters", "is that of search-letters.mat"},
		"right":         {string(k), ""},
	} {
		kept := t.TempDir()
		file := storeLearned(t, t.TempDir(), k, 1)
		archive, err := encodeArchive(map[string]packedStage{k.Name() + ".mat": {read(t, file), Key(c.key)}}, compress)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(kept, "search.zip.br"), archive, 0o666); err != nil {
			t.Fatal(err)
		}
		keys, err := Kept(kept)
		if c.says == "" && (err != nil || !slices.Equal(keys, []Key{k})) || c.says != "" && !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: %q, %v", what, keys, err)
		}
	}
	misplaced := t.TempDir()
	storeLearned(t, misplaced, k, 1)
	mustPack(t, misplaced)
	if err := os.Rename(filepath.Join(misplaced, "search.zip.br"), filepath.Join(misplaced, "letters.zip.br")); err != nil {
		t.Fatal(err)
	}
	if _, err := Kept(misplaced); err == nil || !strings.Contains(err.Error(), "belongs into") {
		t.Errorf("an archive of another name: %v", err)
	}
}
