package separate

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strings"

	"overcomplete/kernel-helpers/gpu"
)

// Serving reports whether another program has started this one as its separate program. If so, main must call Serve.
func Serving() bool { return len(os.Args) == 2 && os.Args[1] == serveWord }

// Serve receives requests from the program that started this one, makes the requested calls with this program's own
// drivers, and answers. It does not return: it ends this program when the other program ends, even during a call.
func Serve() {
	signal.Ignore(os.Interrupt) // from a terminal it reaches both programs
	out := os.Stdout
	if extraFiles {
		out = os.NewFile(answersFile, "answers")
	}
	s := &server{buffers: map[uint64]gpu.Buffer{}, programs: map[uint64]gpu.Program{}}
	in := bufio.NewReader(os.Stdin)
	dec, enc := gob.NewDecoder(in), gob.NewEncoder(out)
	requests := make(chan *request)
	go func() {
		for {
			r := &request{}
			err := dec.Decode(r)
			if err == nil && r.Do == write && r.Shared == 0 {
				r.numbers = make([]float32, r.N)
				_, err = io.ReadFull(in, bytesOf(r.numbers))
			}
			if err != nil {
				os.Exit(0)
			}
			requests <- r
		}
	}()
	for r := range requests {
		a := s.answer(r)
		err := enc.Encode(a)
		if err == nil && a.Err == "" {
			_, err = out.Write(bytesOf(a.numbers))
		}
		if err != nil {
			os.Exit(0)
		}
	}
}

type server struct {
	devices  []gpu.Device
	buffers  map[uint64]gpu.Buffer
	programs map[uint64]gpu.Program
	last     uint64 // ID
	memory   *memory
}

// answer makes the call that r asks for, and returns its outcome: the result, the error or the panic.
func (s *server) answer(r *request) (a *answer) {
	a = &answer{Version: version}
	defer func() {
		if p := recover(); p != nil {
			a = &answer{Version: version, Panic: fmt.Sprint(p)}
		}
	}()
	if err := s.do(r, a); err != nil {
		a.Err, a.Memory = err.Error(), errors.Is(err, gpu.ErrMemory)
	}
	return a
}

func (s *server) do(r *request, a *answer) (err error) {
	if (r.Do == write || r.Do == read) && s.buffers[r.ID] == nil {
		panic("gpu: " + r.Do + ": the buffer was freed")
	}
	switch r.Do {
	case devices:
		s.devices, err = gpu.Devices()
		for _, d := range s.devices {
			a.Infos = append(a.Infos, d.Info())
		}
		if err != nil { // the caller's package gpu writes its name before it, too
			err = errors.New(strings.TrimPrefix(err.Error(), "gpu: "))
		}
	case alloc:
		b, err := s.devices[r.Device].Alloc(r.N)
		if err != nil {
			return err
		}
		a.ID = s.next()
		s.buffers[a.ID] = b
	case build:
		p, err := s.devices[r.Device].Build(r.Source, r.Options)
		if err != nil {
			return err
		}
		a.ID = s.next()
		s.programs[a.ID] = p
	case write:
		x, err := s.numbers(r)
		if err != nil {
			return err
		}
		return s.buffers[r.ID].Write(x)
	case read:
		x, err := s.numbers(r)
		if err != nil {
			return err
		}
		if r.Shared == 0 {
			a.numbers = x
		}
		return s.buffers[r.ID].Read(x)
	case free:
		if b := s.buffers[r.ID]; b != nil {
			b.Free()
			delete(s.buffers, r.ID)
		}
	case release:
		delete(s.programs, r.ID)
	case run:
		args := make([]any, len(r.Args))
		for i, x := range r.Args {
			switch x.Kind {
			case bufferKind:
				b := s.buffers[x.Bits]
				if b == nil {
					panic(fmt.Sprintf("gpu: Run: %s: argument %d is a buffer that was freed", r.Kernel, i))
				}
				args[i] = b
			case int32Kind:
				args[i] = int32(uint32(x.Bits))
			case float32Kind:
				args[i] = math.Float32frombits(uint32(x.Bits))
			}
		}
		return s.programs[r.ID].Run(r.Kernel, r.Groups, r.Size, args...)
	default:
		err = errors.New("gpu: no call " + r.Do)
	}
	return err
}

func (s *server) next() uint64 { s.last++; return s.last }

// numbers returns the numbers that a write request writes. For a read request, it returns memory to read into.
func (s *server) numbers(r *request) ([]float32, error) {
	if r.Shared > 0 {
		if s.memory == nil {
			s.memory = &memory{file: os.NewFile(memoryFile, "memory")}
		}
		if err := s.memory.see(r.Shared); err != nil {
			return nil, err
		}
		return numbersIn(s.memory.bytes[:4*r.N]), nil
	}
	if r.Do == write {
		return r.numbers, nil
	}
	return make([]float32, r.N), nil
}
