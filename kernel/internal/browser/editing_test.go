package browser

import (
	"overcomplete/kernel/internal/browser/pages"
)

func complete(p tab) {
	// A single completion.
	n := p.cell("")
	p.Key("m2 := mat.NewVecD")
	p.only(n, "mat.NewVecDense")

	// Several completions: a menu appears; the second entry is selected.
	n = p.cell("")
	p.Key("strings.Has")
	p.Key(pages.Tab)
	p.Until(`client.choices().length >= 2`)
	p.Shot("complete")
	p.Key(pages.ArrowDown)
	p.Key(pages.Enter)
	p.Until(`client.choices().length === 0`)
	p.Until(`client.source(%d) === "strings.HasSuffix"`, n)

	// Fields of a session variable, in the middle of a call.
	n = p.cell("")
	p.Key("fmt.Println(p.Ti")
	p.only(n, "p.Title")

	// An import path, and a line that is indented.
	n = p.cell("")
	p.Key(`import "encoding/js`)
	p.only(n, "encoding/json")
	p.Shot("completed")

	// The menu narrows while typing, and stays correct after a character beyond U+FFFF.
	n = p.cell("")
	p.Key(`fmt.Println("😀", strings.T`)
	p.Key(pages.Tab)
	p.Until(`client.choices().length > 3`)
	p.Key("o")
	p.Until(`client.choices().every(text => text.startsWith("To")) && client.choices().length > 2`)
	p.Shot("complete-narrowed")
	p.Key(pages.Enter)
	p.Until(`client.choices().length === 0`)
	// The classic Notebook closes brackets automatically.
	p.Until(`[%[2]s, %[2]s + ")"].includes(client.source(%[1]d))`, n, quote(`fmt.Println("😀", strings.ToLower`))
}

// only tests a completion with a single choice. The classic Notebook inserts it at once; Lab inserts it after
// Enter.
func (p tab) only(n int, want string) {
	p.Helper()
	p.Key(pages.Tab)
	p.Until(`client.source(%d).includes(%s) || client.choices().length === 1`, n, quote(want))
	if !pages.Eval[bool](p.page, `client.source(%d).includes(%s)`, n, quote(want)) {
		p.Key(pages.Enter)
		p.Until(`client.source(%d).includes(%s) && client.choices().length === 0`, n, quote(want))
	}
}

// order checks that the kernel's first choice is offered first (D9). Lab sorts choices with the same
// beginning by name, regardless of the kernel's order, so NewBandDense comes before NewDense.
func order(p tab) {
	first := map[string]string{"%ti": "%time"}
	if p.name == classic.name {
		first["mat.nd"] = "NewDense"
	}
	for typed, want := range first {
		p.cell("")
		p.Key(typed)
		p.Key(pages.Tab)
		p.Until(`client.choices().length > 1`)
		p.Eventually("the first choice after "+typed, `client.choices()[0].split(".").pop() === %s`, quote(want))
		p.Shot("order")
		p.Key(pages.Escape)
		p.Until(`client.choices().length === 0`)
	}
}

func inspect(p tab) {
	p.cell("")
	p.Key("mat.NewDense(2, ")
	p.Key(pages.Tab, pages.Shift)
	p.Until(`client.tooltip().includes("data []float64")`)
	p.Shot("inspect")
	if p.name == classic.name { // the other front ends show everything at once
		p.Key(pages.Tab, pages.Shift)
	}
	p.Until(`client.tooltip().includes("NewDense creates")`)
	p.Shot("inspect-more")
	p.Key(pages.Escape)
	p.Until(`client.tooltip() === ""`)

	// A variable shows its value.
	p.cell("")
	p.Key("cities")
	p.Key(pages.Tab, pages.Shift)
	p.Until(`client.tooltip().includes("Oslo")`)
	p.Shot("inspect-value")
	p.Key(pages.Escape)
	p.Until(`client.tooltip() === ""`)
}

// help checks Lab's panel Contextual Help, which follows the cursor.
func help(p tab) {
	pages.Eval[bool](p.page, `jupyterapp.commands.execute("inspector:open").then(() => true)`)
	p.Until(`document.querySelector(".jp-Inspector")`)
	p.cell("")
	p.Key("strings.Fields")
	p.Until(`document.querySelector(".jp-Inspector").innerText.includes("Fields splits")`)
	p.Shot("contextual-help")
	pages.Eval[bool](p.page, `jupyterapp.commands.execute("inspector:close").then(() => true)`)
	p.Until(`!document.querySelector(".jp-Inspector")`)
}
