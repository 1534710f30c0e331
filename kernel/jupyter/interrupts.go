package jupyter

import (
	"os"
	"os/signal"
)

// Interrupts are the interrupt signals of the process (Ctrl-C). Create them as early as
// possible, because until then a signal ends the process.
//
// While a program is replaced by another, the process ignores them: a signal that came between
// the two programs would end it otherwise. For these milliseconds only, an interrupt has to be
// repeated. Front ends send interrupt_request messages instead, none of which is lost.
type Interrupts struct{ c chan os.Signal }

// NewInterrupts begins to collect interrupts.
func NewInterrupts() *Interrupts {
	i := &Interrupts{make(chan os.Signal, 8)}
	i.heed()
	return i
}

// A barrier is not a signal of the system: it follows the signals that have arrived before.
type barrier chan struct{}

func (barrier) Signal()        {}
func (barrier) String() string { return "barrier" }

// pass calls do for each interrupt.
func (i *Interrupts) pass(do func()) {
	for sig := range i.c {
		if b, ok := sig.(barrier); ok {
			close(b)
			continue
		}
		do()
	}
}

// ignore makes the process ignore interrupts, and a program that replaces it too, until that program or
// this one calls heed. It returns when the interrupts that have arrived before have been passed on.
func (i *Interrupts) ignore() {
	signal.Ignore(os.Interrupt)
	passed := make(barrier)
	i.c <- passed
	<-passed
}

func (i *Interrupts) heed() { signal.Notify(i.c, os.Interrupt) }
