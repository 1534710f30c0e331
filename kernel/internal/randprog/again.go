package randprog

import "strings"

// Again returns a program that runs the Run of src n times, and its cells: one with the declarations, and one
// for each run. Code that is slow at first, and fast after several calls, must print the same each time. A
// panic is printed, and the next run begins. The program imports fmt.
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
