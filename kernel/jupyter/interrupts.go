package jupyter

import (
	"os"
	"os/signal"
)

// Interrupts are the interrupt signals of the process (Ctrl-C). Create them as early as possible: before that a
// signal ends the process.
//
// While one program replaces another, the process ignores interrupt signals, because a signal between the two
// would end it. An interrupt in these milliseconds must be repeated. Front ends send interrupt_request messages
// instead, none of which is lost.
type Interrupts struct{ c chan os.Signal }

// NewInterrupts starts collecting interrupts.
func NewInterrupts() *Interrupts {
	i := &Interrupts{make(chan os.Signal, 8)}
	i.heed()
	return i
}

// A barrier is a pseudo-signal that follows the signals that arrived before it.
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

// ignore makes the process ignore interrupts, also in a program that replaces it, until either calls heed. It
// returns when all earlier interrupts have been passed on.
func (i *Interrupts) ignore() {
	signal.Ignore(os.Interrupt)
	passed := make(barrier)
	i.c <- passed
	<-passed
}

func (i *Interrupts) heed() { signal.Notify(i.c, os.Interrupt) }
