package insight

// keywords are the words of the language: where they can stand, what they look
// like in use, and what they do.
var keywords = map[string]keyword{
	"break":       {statement: true, form: "break [label]", doc: "Ends the innermost for, switch or select, or the one that has the label."},
	"case":        {statement: true, form: "case x, y:\ncase T:\ncase v := <-ch:", doc: "A branch of a switch or select."},
	"chan":        {expression: true, typ: true, form: "chan T\n<-chan T\nchan<- T", doc: "The type of channels of T; with an arrow, of those that can only be received from or sent to."},
	"const":       {statement: true, form: "const name = value\nconst (\n\ta = iota\n\tb\n)", doc: "Declares constants. In a group iota counts the lines, and a line without a value repeats the one above."},
	"continue":    {statement: true, form: "continue [label]", doc: "Begins the next round of the innermost for, or of the one that has the label."},
	"default":     {statement: true, form: "default:", doc: "The branch of a switch that no case takes, or of a select when no channel is ready."},
	"defer":       {statement: true, form: "defer f(x)", doc: "Calls f when the function around it returns or panics, last deferred first. The arguments are evaluated now. At the top level of a cell: when the cell ends."},
	"else":        {statement: true, form: "if condition {\n} else {\n}", doc: "What an if does when its condition does not hold."},
	"fallthrough": {statement: true, form: "fallthrough", doc: "Goes on with the next branch of a switch."},
	"for":         {statement: true, form: "for {}\nfor condition {}\nfor i := 0; i < n; i++ {}\nfor i, x := range xs {}\nfor i := range n {}", doc: "Loops. Each round has variables of its own."},
	"func":        {statement: true, expression: true, typ: true, form: "func name(x, y T) (R, error) {}\nfunc (r *T) name() {}\nfunc(x T) R { return … }", doc: "Declares a function or method, or makes one without a name."},
	"go":          {statement: true, form: "go f(x)", doc: "Calls f in a goroutine of its own."},
	"goto":        {statement: true, form: "goto label", doc: "Goes on at the label."},
	"if":          {statement: true, form: "if condition {}\nif x, err := f(); err != nil {} else {}", doc: "Does something if the condition holds. Variables that are declared before the condition hold in all branches."},
	"import":      {statement: true, form: "import \"path\"\nimport name \"path\"", doc: "Makes a package's names usable, in this cell and all that follow."},
	"interface":   {expression: true, typ: true, form: "interface {\n\tMethod(x T) R\n}", doc: "The type of all values that have these methods, or as a constraint, of the types listed."},
	"map":         {expression: true, typ: true, form: "map[K]V\nmap[K]V{k: v}", doc: "The type of maps from K to V."},
	"package":     {form: "package main", doc: "A cell may begin with it, and it means nothing there."},
	"range":       {statement: true, expression: true, form: "for i, x := range slice {}\nfor k, v := range m {}\nfor x := range ch {}\nfor i := range n {}\nfor x := range seq {}", doc: "Loops over the elements of a slice, array, string, map or channel, over 0 to n-1, or over what an iterator function yields."},
	"return":      {statement: true, form: "return x, err", doc: "Ends the function with these results."},
	"select":      {statement: true, form: "select {\ncase x := <-a:\ncase b <- y:\ndefault:\n}", doc: "Waits until one of the channel operations can go on."},
	"struct":      {expression: true, typ: true, form: "struct {\n\tName T\n\tEmbedded\n}", doc: "The type of values with these fields."},
	"switch":      {statement: true, form: "switch x {\ncase a, b:\ndefault:\n}\nswitch v := x.(type) {\ncase T:\n}", doc: "Takes the first branch that is equal, or whose condition holds, or whose type x has."},
	"type":        {statement: true, form: "type Name T\ntype Name = T\ntype Name[P any] struct{}", doc: "Declares a type, or another name for one."},
	"var":         {statement: true, form: "var x T\nvar x = value\nvar x, y T", doc: "Declares variables. Without a value they are zero."},
}
