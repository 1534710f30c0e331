package ixengine

import (
	"fmt"
	"log"
	"path"
	"strconv"
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

// log makes the logger l write text on behalf of the cell's function with the frame fr (depth 1), or of one of
// its callers (depth 2 and more). If l's flags ask for positions, the position in the cell precedes the text.
func (s *Session) log(fr *frame, depth int, l *log.Logger, text string) error {
	const places = log.Lshortfile | log.Llongfile
	flags := l.Flags()
	if flags&places == 0 {
		return l.Output(2, text)
	}
	for _, f := range fr.CallerFrames() {
		if f.Line == 0 {
			continue
		}
		if depth--; depth > 0 {
			continue
		}
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
