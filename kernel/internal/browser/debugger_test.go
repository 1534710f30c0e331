package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/internal/browser/pages"
)

// debugScript defines the object window.panel in JupyterLab's page. The object reads the debugger panel.
const debugScript = `window.panel = (() => {
	const all = selector => [...document.querySelectorAll(selector)];
	const items = () => all('.jp-DebuggerVariables-body jp-tree-item');
	const of = (e, part) => e.querySelector(':scope > .jp-DebuggerVariables-' + part)?.innerText || '';
	return {
		on: () => jupyterapp.shell.currentWidget.node.dataset.jpDebugger === 'true',
		stopped: () => document.body.dataset.jpDebuggerStoppedThreads === 'true' && panel.frames().length > 0,
		frames: () => all('.jp-DebuggerCallstackFrame').map(e => e.innerText.replace(/\s+/g, ' ').trim()),
		variables: () => items().map(e => of(e, 'name') + ': ' + of(e, 'detail')),
		triangle: name => items().find(e => of(e, 'name') === name)?.shadowRoot.querySelector('.expand-collapse-button'),
		breakpoints: () => all('.jp-DebuggerBreakpoint').length,
		scope(name) {
			const s = all('select').find(s => [...s.options].some(o => o.text === name));
			s.value = name;
			s.dispatchEvent(new Event('change', { bubbles: true }));
			return true;
		},
		gutter(n, line) { // where a click makes or removes a breakpoint
			const c = client.cell(n);
			c.querySelectorAll('.cm-line')[line - 1].scrollIntoView({ block: 'center' });
			const g = c.querySelector('.cm-gutter.cm-breakpoint-gutter').getBoundingClientRect();
			const l = c.querySelectorAll('.cm-line')[line - 1].getBoundingClientRect();
			return { X: g.x + g.width / 2, Y: l.y + l.height / 2 };
		},
		async kept() { // how many cells have breakpoints, as the kernel says
			const f = jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestDebug({ type: 'request', seq: 0, command: 'debugInfo' });
			return (await f.done).content.body.breakpoints.length;
		},
		button: command => document.querySelector('[data-command="debugger:' + command + '"]'),
		console: () => document.querySelector('.jp-DebugConsole')?.innerText || '',
	};
})();`

// A debuggerTab is a tab of JupyterLab in which a test uses the debugger panel with the mouse.
type debuggerTab struct{ tab }

// toggle clicks the gutter of a line, counted from 1.
func (p debuggerTab) toggle(cell, line int) {
	p.Helper()
	before := pages.Eval[int](p.page, `panel.breakpoints()`)
	at := pages.Eval[pages.Point](p.page, `panel.gutter(%d, %d)`, cell, line)
	p.ClickAt(at)
	p.Until(`panel.breakpoints() !== %d`, before)
}

func (p debuggerTab) button(command string) {
	p.Helper()
	p.ClickElement(fmt.Sprintf(`panel.button(%s)`, quote(command)))
}

// stopped waits until execution stops in a frame with a name that begins with text, and Lab shows that frame.
func (p debuggerTab) stopped(text string) {
	p.Helper()
	p.Until(`panel.stopped() && panel.frames()[0].startsWith(%s)`, quote(text))
}

// shows waits until the list of variables has a line that begins with text.
func (p debuggerTab) shows(text string) {
	p.Helper()
	p.Until(`panel.variables().some(s => s.startsWith(%s))`, quote(text))
}

// open expands a variable.
func (p debuggerTab) open(name string) {
	p.Helper()
	p.ClickElement(fmt.Sprintf(`panel.triangle(%s)`, quote(name)))
}

// say types a line into the debugger's console and waits for the answer.
func (p debuggerTab) say(line, answer string) {
	p.Helper()
	p.ClickElement(`document.querySelector(".jp-DebugConsole .jp-CodeConsole-promptCell .cm-content")`)
	p.Key(line)
	p.Key(pages.Enter, pages.Shift)
	p.Until(`panel.console().includes(%s)`, quote(answer))
}

// TestDebugger debugs cells with JupyterLab's debugger panel. The learning rule of Lewicki and Sejnowski for
// a complete basis stops at the step at which a norm halves; its matrix is read, a value is changed, and the
// rule continues.
func TestDebugger(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a Jupyter and a browser")
	}
	s := lab.server(t)
	rule := `func learn(A, X *mat.Dense, eta float64) {
	first := mat.Norm(A.ColView(0), 2)
	for t := range 300 {
		var s mat.VecDense
		s.SolveVec(A, X.ColView(t))
		G := mat.NewDense(2, 2, nil)
		for i := range 2 {
			for j := range 2 {
				G.Set(i, j, math.Copysign(1, s.AtVec(i))*s.AtVec(j))
			}
			G.Set(i, i, G.At(i, i)-1)
		}
		var D mat.Dense
		D.Mul(A, G)
		D.Scale(eta, &D)
		A.Add(A, &D)
		if mat.Norm(A.ColView(0), 2) <= first/2 {
			first /= 2
		}
	}
}`
	s.write(t, name, `import (
	"math"
	"math/rand"
	"gonum.org/v1/gonum/mat"
)`, rule, `rng := rand.New(rand.NewSource(1))
X := mat.NewDense(2, 300, nil)
for t := range 300 {
	a, b := rng.ExpFloat64()-rng.ExpFloat64(), rng.ExpFloat64()-rng.ExpFloat64()
	X.Set(0, t, 2*a+b)
	X.Set(1, t, a-b)
}
A := mat.NewDense(2, 2, []float64{20, 0, 0, 20})
learn(A, X, 0.01)
A.At(0, 1)`, `var none []int
none[len("abc")]`)
	p := debuggerTab{lab.open(t, s, name, debugScript)}
	p.Prefix += "debugger-"
	run := func(n int) {
		t.Helper()
		pages.Eval[bool](p.page, `(jupyterapp.shell.currentWidget.content.activeCellIndex = %d, true)`, n)
		pages.Eval[bool](p.page, `(jupyterapp.commands.execute("notebook:run-cell"), true)`)
	}
	p.ClickElement(`client.cell(0).querySelector(".cm-content")`) // Lab offers the debugger for the notebook that was clicked
	// Lab queries the kernel when a notebook comes to the front, and may lose a click while it waits for the
	// answer.
	p.Until(`document.querySelector(".jp-DebuggerBugButton")`)
	for range 5 {
		time.Sleep(time.Second)
		p.ClickElement(`document.querySelector(".jp-DebuggerBugButton")`)
		if p.Holds(5*time.Second, `panel.on()`) {
			break
		}
	}
	p.Until(`panel.on()`)
	run(0)
	p.done(0)
	run(1)
	p.done(1)
	halved := 1 + strings.Count(rule[:strings.Index(rule, "first /=")], "\n")
	p.toggle(1, halved)
	p.Shot("breakpoint")

	run(2)
	p.stopped("learn Cell [2]:" + fmt.Sprint(halved))
	p.shows("A: *mat.Dense = 2×2 [9.9")
	p.shows("eta: float64 = 0.01")
	p.open("A")
	p.shows("[0]: row of 2 = 9.9")
	p.Shot("halved")
	p.button("evaluate")
	p.say("mat.Norm(A.ColView(0), 2) / first", "0.49")
	p.say("nosuch", "undefined: nosuch")
	p.say("eta = 0", "eta = 0")
	p.shows("eta: float64 = 0")
	p.say("A.Set(0, 1, 5)", "A.Set")
	p.shows("A: *mat.Dense = 2×2 [9.9") // the frames are requested again
	p.Shot("changed")

	p.button("next")
	p.Until(`!panel.stopped() || !panel.frames()[0].endsWith(":%d")`, halved)
	p.Until(`panel.stopped()`)
	p.button("stepOut")
	p.stopped("In[3]")
	p.toggle(1, halved)
	p.button("continue")
	p.done(2)
	p.has(2, "5")
	p.Until(`panel.frames().length === 0`)
	p.shows("A: *mat.Dense = 2×2 [9.9") // the session's variables, while execution is not stopped
	p.Shot("ended")

	p.ClickElement(`document.querySelector(".jp-debugger-pauseOnExceptions")`)
	p.ClickElement(`[...document.querySelectorAll(".lm-Menu-item")].find(e => e.innerText.includes("uncaught panics"))`)
	run(3)
	p.stopped("In[4]")
	p.Shot("panic")
	p.press("interrupt")
	p.done(3)
	p.has(3, "Interrupted")

	p.toggle(1, 2)
	p.press("restart")
	p.Until(`client.dialog() === "" && client.ready()`)
	p.Until(`(await panel.kept()) === 1`) // Lab has informed the new kernel
	run(0)
	p.done(0)
	run(1)
	p.done(1)
	run(2)
	p.stopped("learn Cell [") // the breakpoint survives a restart
	p.Shot("restarted")
	p.ClickElement(`document.querySelector(".jp-DebuggerBugButton")`) // lets the cell go on
	p.done(2)
	p.Shot("off")
}
