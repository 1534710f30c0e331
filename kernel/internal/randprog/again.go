package randprog

import "strings"

// Again returns a program that runs the Run of src n times, and the cells of it: one with the declarations, and one for each
// time. What is slow at first, and fast when it has been called several times, must print the same each time. A panic is
// printed, and the next time begins. The program imports fmt.
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
