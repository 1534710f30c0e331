package randprog

import "strings"

// Again returns a program that calls src's function Run n times. It also returns the program's cells: a cell with the
// declarations, and a cell for each call. They test code that is slow at first and fast after several calls: it must
// print the same output each time. If a call panics, the panic is printed and the next call begins. The program
// imports fmt.
func Again(src string, n int) (program string, cells []string) {
	decls := strings.Replace(src, "func Run()", "func once()", 1) + `
func again() {
	defer func() {
		if e := recover(); e != nil {
			fmt.Println("panics:", e)
		}
	}()
	once()
}
`
	program = decls + "\nfunc Run() {\n" + strings.Repeat("\tagain()\n", n) + "}\n"
	cells = []string{Cells(decls, TwoCells)[0]}
	for range n {
		cells = append(cells, "again()")
	}
	return program, cells
}
