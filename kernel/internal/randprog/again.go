package randprog

import "strings"

// Again returns a program that makes n calls of the function Run in src. It also returns the same program as cells: a
// cell with the declarations, and a cell for each call. Tests use it for code that runs slowly at first and is compiled
// after several calls: the cells must print what the compiled program prints. If a call panics, the panic is printed
// and the next call begins. src must import fmt.
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
