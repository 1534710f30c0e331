package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"sync"
)

// A bank with errors of all kinds: sentinels, types, joined, wrapped twice, with Is and As methods of their own.

type Cents int64

type AccountError struct {
	ID  string
	Op  string
	Err error
}

func (e *AccountError) Error() string { return e.Op + " " + e.ID + ": " + e.Err.Error() }
func (e *AccountError) Unwrap() error { return e.Err }

type InsufficientError struct{ Need, Have Cents }

func (e InsufficientError) Error() string        { return fmt.Sprintf("need %d, have %d", e.Need, e.Have) }
func (e InsufficientError) Is(target error) bool { return target == ErrFunds }

type text string

func (t text) String() string { return string(t) }

type codeError int

func (c codeError) Error() string { return "code " + strconv.Itoa(int(c)) }
func (c codeError) As(target any) bool {
	if p, ok := target.(*fmt.Stringer); ok {
		*p = text("as text " + c.Error())
		return true
	}
	return false
}

var (
	ErrFunds  = errors.New("insufficient funds")
	ErrNoAcct = fmt.Errorf("no such account")
	ErrFrozen = errors.New("frozen")
)

type Account struct {
	sync.Mutex
	id      string
	balance Cents
	frozen  bool
	history []func() string
}

type Bank struct {
	accounts map[string]*Account
	fees     Cents
}

func (b *Bank) account(op, id string) (*Account, error) {
	a, ok := b.accounts[id]
	switch {
	case !ok:
		return nil, &AccountError{id, op, ErrNoAcct}
	case a.frozen:
		return a, &AccountError{id, op, ErrFrozen}
	}
	return a, nil
}

func (b *Bank) Transfer(from, to string, amount Cents) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("transfer %d: %w", amount, err)
		}
	}()
	src, err1 := b.account("debit", from)
	dst, err2 := b.account("credit", to)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	src.Lock()
	defer src.Unlock()
	if src != dst {
		dst.Lock()
		defer dst.Unlock()
	}
	fee := max(1, amount/100)
	if need := amount + fee; src.balance < need {
		return &AccountError{from, "debit", InsufficientError{need, src.balance}}
	}
	src.balance -= amount + fee
	dst.balance += amount
	b.fees += fee
	src.history = append(src.history, func() string { return fmt.Sprint("-", amount, " to ", to, " left ", src.balance) })
	return nil
}

type closer struct {
	name string
	err  error
}

func (c *closer) Close() error {
	fmt.Println("close", c.name)
	return c.err
}

func use(names ...string) (err error) {
	for i, n := range names {
		c := &closer{name: n}
		if i%2 == 1 {
			c.err = codeError(i)
		}
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	if len(names) > 2 {
		return io.ErrUnexpectedEOF
	}
	return
}

func classify(err error) string {
	var ae *AccountError
	var ie InsufficientError
	var text fmt.Stringer
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &ie):
		return fmt.Sprintf("short by %d (%t)", ie.Need-ie.Have, errors.Is(err, ErrFunds))
	case errors.As(err, &ae) && errors.Is(ae, ErrFrozen):
		return "frozen " + ae.ID
	case errors.Is(err, ErrNoAcct):
		return "unknown " + ae.ID
	case errors.As(err, &text):
		return text.String()
	}
	return "other"
}

func main() {
	b := &Bank{accounts: map[string]*Account{}}
	for i, id := range []string{"ann", "bob", "eve"} {
		b.accounts[id] = &Account{id: id, balance: Cents(1000 * (i + 1)), frozen: id == "eve"}
	}
	for _, t := range []struct {
		from, to string
		amount   Cents
	}{{"ann", "bob", 500}, {"ann", "bob", 500}, {"bob", "eve", 1}, {"zoe", "eve", 1}, {"bob", "bob", 100}} {
		err := b.Transfer(t.from, t.to, t.amount)
		fmt.Printf("%v => %s\n", err, classify(err))
	}
	for _, id := range []string{"ann", "bob"} {
		for _, h := range b.accounts[id].history {
			fmt.Println(id, h(), b.fees)
		}
	}
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if i%2 == 0 {
				b.accounts["bob"].Lock()
				b.accounts["bob"].balance++
				b.accounts["bob"].Unlock()
				return
			}
			b.accounts["ann"].Lock()
			defer b.accounts["ann"].Unlock()
			b.accounts["ann"].balance--
		})
	}
	wg.Wait()
	fmt.Println(b.accounts["ann"].balance, b.accounts["bob"].balance)
	err := use("a", "b", "c")
	fmt.Printf("%q %s %t\n", err, classify(err), errors.Is(err, io.ErrUnexpectedEOF))
	fmt.Println(use("x"), use())
	_, err = os.Open("/does/not/exist")
	var pe *fs.PathError
	fmt.Println(errors.Is(err, fs.ErrNotExist), errors.As(err, &pe), pe.Op, pe.Path)
	_, err = strconv.Atoi("12a")
	var ne *strconv.NumError
	fmt.Println(errors.As(err, &ne), ne.Func, ne.Num, errors.Is(err, strconv.ErrSyntax))
	e1 := fmt.Errorf("a %w b %w", ErrFunds, &AccountError{"q", "op", codeError(3)})
	var ce codeError
	fmt.Println(e1, errors.Is(e1, ErrFunds), errors.As(e1, &ce), int(ce), errors.Unwrap(e1) == nil)
	var nilErr *AccountError
	var asErr error = nilErr
	fmt.Println(asErr == nil, nilErr == nil, codeError(3) == error(codeError(3)), InsufficientError{1, 2} == error(InsufficientError{1, 2}))
}
