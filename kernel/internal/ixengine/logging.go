package ixengine

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"path"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"overcomplete/kernel/internal/callers"

	"github.com/visualfc/gid"
)

// logs replaces the functions of package log that print their caller's position. The originals look for the
// position on Go's stack, where functions of cells do not appear.
func (s *Session) logs() {
	set := s.ctx.RegisterExternal
	for _, of := range []struct {
		name  string
		words func(a ...any) string
	}{{"", fmt.Sprint}, {"ln", fmt.Sprintln}} {
		words := of.words
		set("log.Print"+of.name, func(fr *frame, a ...any) { s.log(fr, 1, log.Default(), words(a...)) })
		set("log.Panic"+of.name, func(fr *frame, a ...any) { s.log(fr, 1, log.Default(), words(a...)); panic(words(a...)) })
		set("log.Fatal"+of.name, func(fr *frame, a ...any) { s.log(fr, 1, log.Default(), words(a...)); exit(1) })
		set("(*log.Logger).Print"+of.name, func(fr *frame, l *log.Logger, a ...any) { s.log(fr, 1, l, words(a...)) })
		set("(*log.Logger).Panic"+of.name, func(fr *frame, l *log.Logger, a ...any) { s.log(fr, 1, l, words(a...)); panic(words(a...)) })
		set("(*log.Logger).Fatal"+of.name, func(fr *frame, l *log.Logger, a ...any) { s.log(fr, 1, l, words(a...)); exit(1) })
	}
	set("log.Printf", func(fr *frame, f string, a ...any) { s.log(fr, 1, log.Default(), fmt.Sprintf(f, a...)) })
	set("log.Panicf", func(fr *frame, f string, a ...any) {
		s.log(fr, 1, log.Default(), fmt.Sprintf(f, a...))
		panic(fmt.Sprintf(f, a...))
	})
	set("log.Fatalf", func(fr *frame, f string, a ...any) { s.log(fr, 1, log.Default(), fmt.Sprintf(f, a...)); exit(1) })
	set("(*log.Logger).Printf", func(fr *frame, l *log.Logger, f string, a ...any) { s.log(fr, 1, l, fmt.Sprintf(f, a...)) })
	set("(*log.Logger).Panicf", func(fr *frame, l *log.Logger, f string, a ...any) {
		s.log(fr, 1, l, fmt.Sprintf(f, a...))
		panic(fmt.Sprintf(f, a...))
	})
	set("log.Output", func(fr *frame, depth int, text string) error { return s.log(fr, depth, log.Default(), text) })
	set("(*log.Logger).Output", func(fr *frame, l *log.Logger, depth int, text string) error { return s.log(fr, depth, l, text) })
	set("(*log.Logger).Fatalf", func(fr *frame, l *log.Logger, f string, a ...any) { s.log(fr, 1, l, fmt.Sprintf(f, a...)); exit(1) })
}

// slogging holds, for goroutines that are logging with package log/slog, the position in the cell.
type slogging struct {
	places atomic.Bool // a handler adds positions
	at     sync.Map    // *slog.Source by the goroutine's number
}

// slogs replaces functions of package log/slog, because the originals look for the caller's position on Go's stack,
// where functions of cells do not appear. A handler with the option AddSource asks for the position in ReplaceAttr, on
// the goroutine that logs.
func (s *Session) slogs() {
	set := s.ctx.RegisterExternal
	for name, level := range map[string]slog.Level{"Debug": slog.LevelDebug, "Info": slog.LevelInfo, "Warn": slog.LevelWarn, "Error": slog.LevelError} {
		set("log/slog."+name, func(fr *frame, text string, a ...any) {
			s.slog(fr, context.Background(), slog.Default(), level, text, a, nil)
		})
		set("log/slog."+name+"Context", func(fr *frame, c context.Context, text string, a ...any) {
			s.slog(fr, c, slog.Default(), level, text, a, nil)
		})
		set("(*log/slog.Logger)."+name, func(fr *frame, l *slog.Logger, text string, a ...any) {
			s.slog(fr, context.Background(), l, level, text, a, nil)
		})
		set("(*log/slog.Logger)."+name+"Context", func(fr *frame, l *slog.Logger, c context.Context, text string, a ...any) {
			s.slog(fr, c, l, level, text, a, nil)
		})
	}
	set("log/slog.Log", func(fr *frame, c context.Context, level slog.Level, text string, a ...any) {
		s.slog(fr, c, slog.Default(), level, text, a, nil)
	})
	set("log/slog.LogAttrs", func(fr *frame, c context.Context, level slog.Level, text string, a ...slog.Attr) {
		s.slog(fr, c, slog.Default(), level, text, nil, a)
	})
	set("(*log/slog.Logger).Log", func(fr *frame, l *slog.Logger, c context.Context, level slog.Level, text string, a ...any) {
		s.slog(fr, c, l, level, text, a, nil)
	})
	set("(*log/slog.Logger).LogAttrs", func(fr *frame, l *slog.Logger, c context.Context, level slog.Level, text string, a ...slog.Attr) {
		s.slog(fr, c, l, level, text, nil, a)
	})
	set("(log/slog.Record).Source", sourceOf)
	set("log/slog.NewTextHandler", func(w io.Writer, o *slog.HandlerOptions) *slog.TextHandler {
		return slog.NewTextHandler(w, s.withSources(o))
	})
	set("log/slog.NewJSONHandler", func(w io.Writer, o *slog.HandlerOptions) *slog.JSONHandler {
		return slog.NewJSONHandler(w, s.withSources(o))
	})
}

// slog logs to l on behalf of the cell's function with the frame fr. The record has the position in that function.
// Handlers of package slog, which do not know the program counters of cells, find the position in s.slogging; see
// withSources.
func (s *Session) slog(fr *frame, c context.Context, l *slog.Logger, level slog.Level, text string, args []any, attrs []slog.Attr) {
	if c == nil {
		c = context.Background()
	}
	if !l.Enabled(c, level) {
		return
	}
	r := slog.NewRecord(time.Now(), level, text, s.callerPC(fr))
	r.Add(args...)
	r.AddAttrs(attrs...)
	s.logging(fr, func() { _ = l.Handler().Handle(c, r) })
}

// sourceOf implements slog.Record.Source.
func sourceOf(r slog.Record) *slog.Source {
	if r.PC == 0 {
		return nil
	}
	f, _ := callers.CallersFrames([]uintptr{r.PC}).Next()
	return &slog.Source{Function: f.Function, File: f.File, Line: f.Line}
}

// logging calls write(), which logs on behalf of the cell's function with the frame fr. Meanwhile the position in that
// function is available to handlers; see withSources.
func (s *Session) logging(fr *frame, write func()) {
	if s.slogging.places.Load() {
		id := gid.Get()
		before, nested := s.slogging.at.Swap(id, sourceOf(slog.Record{PC: s.callerPC(fr)}))
		defer func() {
			if s.slogging.at.Delete(id); nested {
				s.slogging.at.Store(id, before)
			}
		}()
	}
	write()
}

// withSources returns a copy of the given options. With the copy, a handler that adds positions adds the position in
// the cell, which the method logging has stored. If the given options do not ask for positions, withSources
// returns them unchanged.
func (s *Session) withSources(given *slog.HandlerOptions) *slog.HandlerOptions {
	if given == nil || !given.AddSource {
		return given
	}
	s.slogging.places.Store(true)
	o := *given
	o.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.SourceKey {
			at, ok := s.slogging.at.Load(gid.Get())
			if _, added := a.Value.Any().(*slog.Source); ok && added {
				a.Value = slog.AnyValue(at)
			}
		}
		if given.ReplaceAttr != nil {
			return given.ReplaceAttr(groups, a)
		}
		return a
	}
	return &o
}

// log makes the logger l write the given text on behalf of the cell's function with the frame fr (depth 1), or of one
// of its callers (depth 2 and more). If l's flags ask for positions, the position in the cell precedes the text.
func (s *Session) log(fr *frame, depth int, l *log.Logger, text string) (err error) {
	const places = log.Lshortfile | log.Llongfile
	flags := l.Flags()
	if flags&places == 0 {
		s.logging(fr, func() { err = l.Output(2, text) }) // after slog.SetDefault, l writes to a handler
		return err
	}
	if f, ok := callerFrame(fr, max(depth-1, 0)); ok {
		file := f.File
		if flags&log.Lshortfile != 0 {
			file = path.Base(file)
		}
		place, prefix := file+":"+strconv.Itoa(f.Line)+": ", l.Prefix()
		if flags&log.Lmsgprefix != 0 {
			place, prefix = place+prefix, ""
		}
		return log.New(l.Writer(), prefix, flags&^(places|log.Lmsgprefix)).Output(2, place+text)
	}
	return l.Output(2, text)
}
