package dap

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// hashSeed is arbitrary. hashMethod is the only hash method that JupyterLab supports.
const (
	hashMethod = "Murmur2"
	hashSeed   = 0x6F766572
	pathSuffix = ".go"
)

// pathPrefix returns the beginning of the paths of cells. JupyterLab shows In[3] in place of a path only if the path
// contains ipykernel_ (debugger-extension/src/index.ts). Because of the process id, the paths change when the kernel
// restarts. This makes JupyterLab send the cells' texts again.
func pathPrefix() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("overcomplete_ipykernel_%d", os.Getpid())) + string(filepath.Separator)
}

// murmur2 returns the MurmurHash2 of data (Austin Appleby, 32 bit).
func murmur2(data []byte, seed uint32) uint32 {
	const m = 0x5bd1e995
	h := seed ^ uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		k := binary.LittleEndian.Uint32(data) * m
		k ^= k >> 24
		h = h*m ^ k*m
	}
	for i, b := range slices.Backward(data) {
		h ^= uint32(b) << (8 * i)
	}
	if len(data) > 0 {
		h *= m
	}
	h ^= h >> 13
	h *= m
	return h ^ h>>15
}

// A library maps paths to the texts of cells. Use newLibrary; the zero value is not valid.
type library struct {
	prefix string
	texts  map[string]string
	order  []string // paths in order of their last recording
	size   int      // total bytes of the texts
}

// libraryBytes is the maximum total size of the texts that a library keeps.
const libraryBytes = 32 << 20

func newLibrary(prefix string) *library { return &library{prefix: prefix, texts: map[string]string{}} }

// path returns the path of all cells with the given text.
func (l *library) path(text string) string {
	return l.prefix + strconv.FormatUint(uint64(murmur2([]byte(text), hashSeed)), 10) + pathSuffix
}

// note records a text and returns its path. If the texts become too large in total, note drops the texts that were
// recorded longest ago, except the new text and each text with a path for which keep(path) is true.
func (l *library) note(text string, keep func(path string) bool) string {
	path := l.path(text)
	if i := slices.Index(l.order, path); i >= 0 {
		l.order = append(slices.Delete(l.order, i, i+1), path)
		l.size += len(text) - len(l.texts[path])
		l.texts[path] = text
		return path
	}
	l.texts[path] = text
	l.order = append(l.order, path)
	l.size += len(text)
	l.order = slices.DeleteFunc(l.order, func(p string) bool {
		if l.size <= libraryBytes || p == path || keep(p) {
			return false
		}
		l.size -= len(l.texts[p])
		delete(l.texts, p)
		return true
	})
	return path
}
