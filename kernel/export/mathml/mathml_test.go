package mathml

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
)

// plain removes attributes and spaces from MathML, so that the expected results are readable.
func plain(s string) string {
	s = regexp.MustCompile(`<mspace[^>]*/>`).ReplaceAllString(s, "")
	s = regexp.MustCompile(`<(\w+)[^>]*>`).ReplaceAllString(s, "<$1>")
	return strings.NewReplacer("<mrow>", "{", "</mrow>", "}", "<mi>", "", "</mi>", "", "<mn>", "", "</mn>", "", "<mo>", "", "</mo>", "", "<math>", "", "</math>", "").Replace(s)
}

func wellFormed(s string) error {
	d := xml.NewDecoder(strings.NewReader("<x>" + s + "</x>"))
	for {
		_, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func TestConvert(t *testing.T) {
	for _, c := range []struct{ tex, want string }{
		{`a+b`, "a+b"},
		{`-1{,}000.5`, "−1{,}000.5"},
		{`x^12`, "<msup>{x}{1}</msup>2"},
		{`x_i^\top`, "<msubsup>{x}{i}{⊤}</msubsup>"},
		{`x^\top_i`, "<msubsup>{x}{i}{⊤}</msubsup>"},
		{`f'(x)`, "{f′}(x)"},
		{`f''^2`, "<msup>{{f′′}}{2}</msup>"},
		{`f^\prime_i`, "<msub>{{f′}}{i}</msub>"},
		{`f^{\prime}`, "{f′}"},
		{`\frac12`, "<mfrac>{1}{2}</mfrac>"},
		{`\frac\lambda{2n}`, "<mfrac>{λ}{{2n}}</mfrac>"},
		{`\tfrac12x`, "<mstyle><mfrac>{1}{2}</mfrac></mstyle>x"},
		{`\dfrac ab`, "<mstyle><mfrac>{a}{b}</mfrac></mstyle>"},
		{`\binom nk`, "(<mfrac>{n}{k}</mfrac>)"},
		{`\sqrt{x}`, "<msqrt>{{x}}</msqrt>"},
		{`\sqrt[3]{x}`, "<mroot>{{x}}{3}</mroot>"},
		{`\sqrt{\textstyle\sum_i s_i^2}`, "<msqrt>{{<mstyle><munder>∑{i}</munder><msubsup>{s}{i}{2}</msubsup></mstyle>}}</msqrt>"},
		{`\hat s`, "<mover>{s}ˆ</mover>"},
		{`\bar X_k`, "<msub>{<mover>{X}¯</mover>}{k}</msub>"},
		{`\tilde{\mathcal L}`, "<mover>{{{ℒ}}}˜</mover>"},
		{`\vec e_i`, "<msub>{<mover>{e}&#x20D7;</mover>}{i}</msub>"},
		{`\widehat{xy}`, "<mover>{{xy}}&#x302;</mover>"},
		{`\widetilde{xy}\overline{z}`, "<mover>{{xy}}~</mover><mover>{{z}}‾</mover>"},
		{`\underline{x}`, "<munder>{{x}}&#x332;</munder>"},
		{`\underbrace{a}_{\text{loss}}`, "<munder><munder>{{a}}⏟</munder>{{{<mtext>loss</mtext>}}}</munder>"},
		{`\overbrace{a}^n`, "<mover><mover>{{a}}⏞</mover>{n}</mover>"},
		{`\sum_{i=1}^n`, "<munderover>∑{{i=1}}{n}</munderover>"},
		{`\int_0^1`, "<msubsup>{∫}{0}{1}</msubsup>"},
		{`\int\limits_0^1`, "<munderover>∫{0}{1}</munderover>"},
		{`\sum\nolimits_i`, "<msub>{∑}{i}</msub>"},
		{`\arg\min_w D`, "arg<munder>min{w}</munder>D"},
		{`\operatorname{tr}M`, "trM"},
		{`\operatorname*{arg\,max}_x`, "<munder>arg\u2009max{x}</munder>"},
		{`\operatorname{recon-}k`, "recon-k"},
		{`\mathbb R^{n\times k}_{\ge0}`, "<msubsup>{{ℝ}}{{≥0}}{{n×k}}</msubsup>"},
		{`\mathbf{x}\boldsymbol\alpha\mathfrak g\mathsf A\mathtt{b}\mathbb 1`, "{{𝐱}}{𝜶}{𝔤}{𝖠}{{𝚋}}{𝟙}"},
		{`\mathrm{const}`, "const"},
		{`\mathrm{d}x`, "{{d}}x"},
		{`\lVert x\rVert^2`, "‖x<msup>{‖}{2}</msup>"},
		{`p(x\mid A)`, "p(x|A)"},
		{`x\,\|\,f`, "x‖f"},
		{`\Bigl(\frac1n\Bigr)^{-1}`, "(<mfrac>{1}{n}</mfrac><msup>{)}{{−1}}</msup>"},
		{`\big[a\big|b\Bigg\}`, "[a|b}"},
		{`\left(a\middle|b\right]`, "{(a|b]}"},
		{`\left\{a\right.`, "{{a}"},
		{`\begin{pmatrix}2&0\\0&1\end{pmatrix}`, "{(<mtable><mtr><mtd>2</mtd><mtd>0</mtd></mtr><mtr><mtd>0</mtd><mtd>1</mtd></mtr></mtable>)}"},
		{`\begin{bmatrix}a\\[2pt]b\\\end{bmatrix}`, "{[<mtable><mtr><mtd>a</mtd></mtr><mtr><mtd>b</mtd></mtr></mtable>]}"},
		{`\begin{cases}1&x>0\\0\end{cases}`, "{{<mtable><mtr><mtd>1</mtd><mtd>x&gt;0</mtd></mtr><mtr><mtd>0</mtd></mtr></mtable>}"},
		{`\begin{array}{l|r}a&b\end{array}`, "{<mtable><mtr><mtd>a</mtd><mtd>b</mtd></mtr></mtable>}"},
		{`\begin{aligned}a&=b\\&=c\end{aligned}`, "{<mtable><mtr><mtd>a</mtd><mtd>=b</mtd></mtr><mtr><mtd></mtd><mtd>=c</mtd></mtr></mtable>}"},
		{`a\\b`, "<mtable><mtr><mtd>a</mtd></mtr><mtr><mtd>b</mtd></mtr></mtable>"},
		{`\boxed{\;x\;}`, "{{{x}}}"},
		{`\color{red}{x}+\textcolor{#00f}y`, "{{{x}}}+{{y}}"},
		{`\cancel{x}y\xcancel{ab}`, "{{{x}}}y{{{ab}}}"},
		{"a \\\nb", "ab"},
		{`\text{if $x_i$ is \$5 \& so}`, "{<mtext>if\u00a0</mtext><msub>{x}{i}</msub><mtext>\u00a0is\u00a0$5\u00a0&amp;\u00a0so</mtext>}"},
		{`a<b>c`, "a&lt;b&gt;c"},
		{`\not= \not\in \not\sim \not\propto`, "≠∉≁∝\u0338"},
		{`\overset{!}{=}\stackrel{d}\to\underset{x}{y}`, "<mover>{{=}}{{!}}</mover><mover>{→}{{d}}</mover><munder>{{y}}{{x}}</munder>"},
		{`\xrightarrow[n]{a.s.}`, "<munderover>→{n}{{a.s.}}</munderover>"},
		{`a\bmod b \pmod n`, "amodb(mod{n})"},
		{`\sum_{\substack{i\\j}}`, "<munder>∑{{<mtable><mtr><mtd>i</mtd></mtr><mtr><mtd>j</mtd></mtr></mtable>}}</munder>"},
		{`x\hspace{1em}y\phantom z % comment`, "xy<mphantom>{z}</mphantom>"},
		{`λ≤½⋯`, "λ≤½⋯"},
		{`\alpha\beta\gamma\delta\epsilon\varepsilon\eta\theta\lambda\mu\rho\sigma\tau\phi\ell\partial\infty\nabla\Delta\Lambda\Sigma`, "αβγδϵεηθλμρστϕℓ∂∞∇ΔΛΣ"},
		{`\times\cdot\pm\odot\ge\ll\gg\ne\neq\approx\sim\propto\in\to\mapsto\leftarrow\longrightarrow\mid\dots`, "×⋅±⊙≥≪≫≠≠≈∼∝∈→↦←⟶|…"},
		{`\langle a,b\rangle\lvert c\rvert\Vert`, "⟨a,b⟩|c|‖"},
		{`\log\det\exp\cos\sin\tanh\max\prod`, "logdetexpcossintanhmax∏"},
		{`a\quad b\qquad c\;d\,e\!f\ g~h`, "abcdefgh"},
		{``, ""},
		{`{}_i`, "<msub>{{}}{i}</msub>"},
		{`^2`, "<msup>{{}}{2}</msup>"},
	} {
		f, err := Convert(c.tex, true)
		if err != nil {
			t.Errorf("%s: %v", c.tex, err)
			continue
		}
		if got := plain(f.MathML); got != c.want {
			t.Errorf("%s\n     %s\nwant %s", c.tex, got, c.want)
		}
		if err := wellFormed(f.MathML); err != nil {
			t.Errorf("%s: %v in %s", c.tex, err, f.MathML)
		}
	}
}

func TestTags(t *testing.T) {
	for tex, want := range map[string]string{`x \tag{2, 3}`: "2, 3", `x \tag*{$*$}`: "*", `x`: "", `\begin{aligned}a\\b\end{aligned}\tag7`: "error", `x\tag{1}\tag{2}`: "error"} {
		f, err := Convert(tex, true)
		if (err != nil) != (want == "error") || err == nil && f.Tag != want {
			t.Errorf("%s: %q, %v", tex, f.Tag, err)
		}
	}
	f, err := Convert(`\begin{align}a&=b\tag{1}\\c&=d\tag{2}\end{align}`, true)
	if err != nil || f.Tag != "" || !strings.Contains(f.MathML, "(1)") || !strings.Contains(f.MathML, "(2)") {
		t.Error(f, err)
	}
}

// TestSpaces checks the spaces given by TeX's rules: 1 is thin, 2 medium, 3 thick.
func TestSpaces(t *testing.T) {
	for _, c := range []struct{ tex, want string }{
		{`a+b`, "a2+2b"},
		{`a=-b`, "a3=3−b"},
		{`(-x,-y)`, "(−x,1−y)"},
		{`a\log b(c)`, "a1log1b(c)"},
		{`\log(x)`, "log(x)"},
		{`\log x=2\pm1`, "log1x3=32±1"}, // the medium spaces of 2±1 are checked below
		{`x^{a+b}`, "<msup>{x}{{a+b}}</msup>"},
		{`x^{\log n}`, "<msup>{x}{{log1n}}</msup>"},
		{`\frac{a+b}{c}`, "<mfrac>{{a2+2b}}{{c}}</mfrac>"},
	} {
		f, err := Convert(c.tex, true)
		if err != nil {
			t.Fatal(err)
		}
		s := strings.NewReplacer(blank(thin), "1", blank(medium), "2", blank(thick), "3").Replace(f.MathML)
		want := strings.Replace(c.want, "32±1", "322±21", 1)
		if got := plain(s); got != want {
			t.Errorf("%s: %s, want %s", c.tex, got, want)
		}
	}
	// In an inline formula, fractions are as small as scripts.
	f, _ := Convert(`\frac{a+b}{c}`, false)
	if strings.Contains(f.MathML, "mspace") {
		t.Errorf("spaces in a small fraction: %s", f.MathML)
	}
}

func TestLineBreaks(t *testing.T) {
	f, err := Convert(`\lVert A-UU^\top A\rVert_F^2=\sum_i\lVert a_i-\mu_{c(i)}\rVert^2`, false)
	if err != nil || strings.Count(f.MathML, "<math>") < 3 {
		t.Errorf("%v: %s", err, f.MathML)
	}
	if f, _ := Convert(`a+b=c`, false); strings.Count(f.MathML, "<math>") != 1 {
		t.Errorf("a short formula is in pieces: %s", f.MathML)
	}
}

func TestErrors(t *testing.T) {
	for tex, command := range map[string]string{
		`\foo x`: `\foo`, `\begin{tikz}\end{tikz}`: `\begin{tikz}`, `\text{\bar}`: `\bar in \text`, `\hspace{3cm}`: `\hspace{3cm}`, `\`: `\`, `\bigx`: `\bigx`,
	} {
		var u *UnknownError
		if _, err := Convert(tex, true); !errors.As(err, &u) || u.Command != command {
			t.Errorf("%s: %v, want %s", tex, err, command)
		}
	}
	for _, tex := range []string{`{a`, `a}`, `a&b`, `\frac1`, `x^`, `x^a^b`, `x_a_b`, `\left(a`, `a\right)`, `\left x y\right)`, `\begin{matrix}a`, `\begin{matrix}a\end{pmatrix}`, `\not x`, "\x01", "\xff", `\text x`, `x_}`, strings.Repeat("{", 500), strings.Repeat(`\frac`, 500), strings.Repeat(`\overset a`, 500)} {
		var s *SyntaxError
		if _, err := Convert(tex, true); !errors.As(err, &s) {
			t.Errorf("%.20s: %v, not a SyntaxError", tex, err)
		}
	}
}

func FuzzConvert(f *testing.F) {
	for _, s := range []string{`\frac12`, `\begin{aligned}a&=b\\&=c\end{aligned}`, `\left(\text{a $b$}\middle|c\right.`, `\sqrt[3]{x}_i^{2'}`, `\Bigl[\operatorname{tr}\tag{1}`, `\overset{a}\mathbb{R}`, "\\not\\in % x\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, tex string) {
		for _, block := range []bool{false, true} {
			formula, err := Convert(tex, block)
			if err != nil {
				continue
			}
			if err := wellFormed(formula.MathML); err != nil {
				t.Fatalf("%q: %v\n%s", tex, err, formula.MathML)
			}
		}
	})
}
