package wasm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// A Module is a module being built. Imported functions must be added before the module's own functions.
type Module struct {
	types     [][]byte // signatures, encoded
	imports   [][]byte
	funcs     []*Func // imported functions first
	tables    []byte  // encoded; "" if there is no table
	hasTable  bool
	memories  []byte
	hasMemory bool
	exports   [][]byte
	exported  map[string]bool
	errs      []error
}

// New returns an empty module.
func New() *Module { return &Module{exported: map[string]bool{}} }

// mistakes limits the number of mistakes that are kept.
const mistakes = 10

func (m *Module) fail(err error) {
	if len(m.errs) < mistakes {
		m.errs = append(m.errs, err)
	}
}

// signature returns the index of the function type with the given parameters and results, and adds the type to the
// module if necessary.
func (m *Module) signature(params, results []Type) int {
	code := []byte{0x60}
	for _, list := range [][]Type{params, results} {
		code = binary.AppendUvarint(code, uint64(len(list)))
		for _, t := range list {
			if t == None {
				m.fail(mistake("a parameter or result without a type"))
			}
			code = append(code, shapes[t].code)
		}
	}
	for i, s := range m.types {
		if slices.Equal(s, code) {
			return i
		}
	}
	m.types = append(m.types, code)
	return len(m.types) - 1
}

func storages(list []Type) []Type {
	s := make([]Type, len(list))
	for i, t := range list {
		s[i] = t.Storage()
	}
	return s
}

// Func adds a function to the module. Its name appears in error messages and profiles.
func (m *Module) Func(name string, params, results []Type) *Func {
	m.signature(params, results)
	f := &Func{m: m, name: name, index: len(m.funcs), params: storages(params), results: storages(results)}
	m.funcs = append(m.funcs, f)
	return f
}

// ImportFunc imports a function.
func (m *Module) ImportFunc(module, name string, params, results []Type) *Func {
	if n := len(m.funcs); n > 0 && !m.funcs[n-1].imported {
		m.fail(mistake("import of %s.%s after a function: imports come first", module, name))
	}
	f := m.Func(module+"."+name, params, results)
	f.imported = true
	m.addImport(module, name, 0, binary.AppendUvarint(nil, uint64(m.signature(params, results))))
	return f
}

// ImportMemory imports a memory of at least the given number of 64 kB pages.
func (m *Module) ImportMemory(module, name string, pages int) {
	m.oneMemory()
	m.addImport(module, name, 2, binary.AppendUvarint([]byte{0}, uint64(pages)))
}

// Memory adds a memory with the given initial number of pages to the module. The memory may grow up to the given
// maximum, in pages; 0 means no limit.
func (m *Module) Memory(pages, most int) {
	m.oneMemory()
	m.memories = limits(pages, most)
}

func (m *Module) oneMemory() {
	if m.hasMemory {
		m.fail(mistake("memory: the module has one already"))
	}
	m.hasMemory = true
}

// Table adds a table for size functions.
func (m *Module) Table(size int) {
	if m.hasTable {
		m.fail(mistake("table: the module has one already"))
	}
	m.hasTable = true
	m.tables = append([]byte{0x70}, limits(size, 0)...)
}

func limits(least, most int) []byte {
	if most == 0 {
		return binary.AppendUvarint([]byte{0}, uint64(least))
	}
	return binary.AppendUvarint(binary.AppendUvarint([]byte{1}, uint64(least)), uint64(most))
}

// ExportMemory exports the memory.
func (m *Module) ExportMemory(name string) {
	if !m.hasMemory {
		m.fail(mistake("export %s: the module has no memory", name))
	}
	m.export(name, 2, 0)
}

// ExportTable exports the table.
func (m *Module) ExportTable(name string) {
	if !m.hasTable {
		m.fail(mistake("export %s: the module has no table", name))
	}
	m.export(name, 1, 0)
}

func (m *Module) export(name string, kind byte, index int) {
	if m.exported[name] {
		m.fail(mistake("export %s: the name is taken", name))
	}
	m.exported[name] = true
	m.exports = append(m.exports, binary.AppendUvarint(append(text(nil, name), kind), uint64(index)))
}

func (m *Module) addImport(module, name string, kind byte, description []byte) {
	m.imports = append(m.imports, append(append(text(text(nil, module), name), kind), description...))
}

// text appends a name, preceded by its length.
func text(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Encode returns the module in the binary format, or an error that lists the mistakes.
func (m *Module) Encode() ([]byte, error) {
	if len(m.errs) > 0 {
		return nil, fmt.Errorf("wasm: %w", errors.Join(m.errs...))
	}
	var own, bodies, names [][]byte
	for _, f := range m.funcs {
		names = append(names, text(binary.AppendUvarint(nil, uint64(f.index)), f.name))
		if !f.imported {
			own = append(own, binary.AppendUvarint(nil, uint64(m.signature(f.params, f.results))))
			body := f.body()
			bodies = append(bodies, append(binary.AppendUvarint(nil, uint64(len(body))), body...))
		}
	}
	one := func(b []byte) [][]byte {
		if b == nil {
			return nil
		}
		return [][]byte{b}
	}
	out := []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	for _, s := range []struct {
		id   byte
		list [][]byte
	}{
		{1, m.types}, {2, m.imports}, {3, own}, {4, one(m.tables)}, {5, one(m.memories)},
		{7, m.exports}, {10, bodies},
	} {
		if len(s.list) > 0 {
			out = section(out, s.id, vectorOf(s.list))
		}
	}
	// The custom section with the functions' names, for profiles and stack traces.
	sub := vectorOf(names)
	custom := binary.AppendUvarint(append(text(nil, "name"), 1), uint64(len(sub)))
	return section(out, 0, append(custom, sub...)), nil
}

func section(out []byte, id byte, content []byte) []byte {
	return append(binary.AppendUvarint(append(out, id), uint64(len(content))), content...)
}

// vectorOf encodes a list: the number of items, followed by the items.
func vectorOf(list [][]byte) []byte {
	b := binary.AppendUvarint(nil, uint64(len(list)))
	for _, item := range list {
		b = append(b, item...)
	}
	return b
}

// body returns the function's locals, grouped by type, and its code.
func (f *Func) body() []byte {
	var runs [][]byte
	for i := 0; i < len(f.locals); {
		j := i
		for j < len(f.locals) && f.locals[j] == f.locals[i] {
			j++
		}
		runs = append(runs, append(binary.AppendUvarint(nil, uint64(j-i)), shapes[f.locals[i]].code))
		i = j
	}
	b := append(vectorOf(runs), f.code...)
	if len(f.results) > 0 {
		b = append(b, 0x00) // not reached without a return
	}
	return append(b, 0x0b)
}
