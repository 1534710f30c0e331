// Gen writes steps_gen.go: the loop that runs register code, and the table of opcodes that execute several
// ops. The ops are in ops.go; sequences.go lists ops that often follow each other.
package main

import (
	"log"
	"os"
)

func main() {
	src, err := source()
	if err == nil {
		err = os.WriteFile("steps_gen.go", src, 0o666)
	}
	if err != nil {
		log.Fatal(err)
	}
}
