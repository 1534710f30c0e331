package mathml

// class is TeX's class of an atom, which determines the space around it.
type class int

const (
	ord class = iota
	op
	bin
	rel
	open
	shut
	punct
	space // not an atom, but the result of \quad and the like
)

// A symbol is a command that stands for one character.
type symbol struct {
	text  string
	class class
}

func classed(c class, pairs ...string) map[string]symbol {
	m := map[string]symbol{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = symbol{pairs[i+1], c}
	}
	return m
}

// letters are drawn as variables: slanted, except capital Greek.
var letters = map[string]string{
	`\alpha`: "α", `\beta`: "β", `\gamma`: "γ", `\delta`: "δ", `\epsilon`: "ϵ", `\varepsilon`: "ε",
	`\zeta`: "ζ", `\eta`: "η", `\theta`: "θ", `\vartheta`: "ϑ", `\iota`: "ι", `\kappa`: "κ", `\varkappa`: "ϰ",
	`\lambda`: "λ", `\mu`: "μ", `\nu`: "ν", `\xi`: "ξ", `\omicron`: "ο", `\pi`: "π", `\varpi`: "ϖ",
	`\rho`: "ρ", `\varrho`: "ϱ", `\sigma`: "σ", `\varsigma`: "ς", `\tau`: "τ", `\upsilon`: "υ",
	`\phi`: "ϕ", `\varphi`: "φ", `\chi`: "χ", `\psi`: "ψ", `\omega`: "ω",
	`\ell`: "ℓ", `\imath`: "ı", `\jmath`: "ȷ", `\partial`: "∂",
}

// upright maps commands to variables that are not slanted.
var upright = map[string]string{
	`\Gamma`: "Γ", `\Delta`: "Δ", `\Theta`: "Θ", `\Lambda`: "Λ", `\Xi`: "Ξ", `\Pi`: "Π", `\Sigma`: "Σ",
	`\Upsilon`: "Υ", `\Phi`: "Φ", `\Psi`: "Ψ", `\Omega`: "Ω",
	`\infty`: "∞", `\nabla`: "∇", `\hbar`: "ℏ", `\Re`: "ℜ", `\Im`: "ℑ", `\wp`: "℘", `\aleph`: "ℵ",
	`\emptyset`: "∅", `\varnothing`: "∅", `\forall`: "∀", `\exists`: "∃", `\nexists`: "∄", `\neg`: "¬", `\lnot`: "¬",
	`\top`: "⊤", `\bot`: "⊥", `\angle`: "∠", `\triangle`: "△", `\square`: "□", `\Box`: "□", `\blacksquare`: "■", `\diamond`: "⋄",
	`\clubsuit`: "♣", `\diamondsuit`: "♢", `\heartsuit`: "♡", `\spadesuit`: "♠", `\degree`: "°",
	`\prime`: "′", `\dagger`: "†", `\ddagger`: "‡", `\checkmark`: "✓",
	`\dots`: "…", `\ldots`: "…", `\cdots`: "⋯", `\vdots`: "⋮", `\ddots`: "⋱", `\dotsc`: "…", `\dotsb`: "⋯",
	`\%`: "%", `\&`: "&", `\#`: "#", `\$`: "$", `\_`: "_", `\backslash`: `\`,
	`\Vert`: "‖", `\|`: "‖", `\vert`: "|", `\S`: "§", `\P`: "¶", `\pounds`: "£",
}

// symbols are one-character operators.
var symbols = merged(
	classed(bin,
		`+`, "+", `-`, "−", `*`, "∗", `\pm`, "±", `\mp`, "∓", `\times`, "×", `\div`, "÷", `\cdot`, "⋅", `\ast`, "∗", `\star`, "⋆",
		`\circ`, "∘", `\bullet`, "∙", `\oplus`, "⊕", `\ominus`, "⊖", `\otimes`, "⊗", `\oslash`, "⊘", `\odot`, "⊙",
		`\cap`, "∩", `\cup`, "∪", `\uplus`, "⊎", `\sqcap`, "⊓", `\sqcup`, "⊔", `\wedge`, "∧", `\land`, "∧", `\vee`, "∨", `\lor`, "∨",
		`\setminus`, "∖", `\smallsetminus`, "∖", `\wr`, "≀", `\amalg`, "⨿", `\ltimes`, "⋉", `\rtimes`, "⋊", `\boxplus`, "⊞", `\boxtimes`, "⊠"),
	classed(rel,
		`=`, "=", `<`, "&lt;", `>`, "&gt;", `:`, ":",
		`\le`, "≤", `\leq`, "≤", `\leqslant`, "⩽", `\ge`, "≥", `\geq`, "≥", `\geqslant`, "⩾", `\lt`, "&lt;", `\gt`, "&gt;",
		`\ne`, "≠", `\neq`, "≠", `\equiv`, "≡", `\approx`, "≈", `\sim`, "∼", `\simeq`, "≃", `\cong`, "≅", `\propto`, "∝", `\asymp`, "≍", `\doteq`, "≐",
		`\ll`, "≪", `\gg`, "≫", `\lesssim`, "≲", `\gtrsim`, "≳", `\prec`, "≺", `\succ`, "≻", `\preceq`, "⪯", `\succeq`, "⪰",
		`\in`, "∈", `\notin`, "∉", `\ni`, "∋", `\subset`, "⊂", `\supset`, "⊃", `\subseteq`, "⊆", `\supseteq`, "⊇", `\subsetneq`, "⊊",
		`\mid`, "|", `\nmid`, "∤", `\parallel`, "∥", `\perp`, "⊥", `\vdash`, "⊢", `\dashv`, "⊣", `\models`, "⊨", `\coloneqq`, "≔", `\triangleq`, "≜",
		`\to`, "→", `\rightarrow`, "→", `\gets`, "←", `\leftarrow`, "←", `\leftrightarrow`, "↔", `\mapsto`, "↦",
		`\longrightarrow`, "⟶", `\longleftarrow`, "⟵", `\longleftrightarrow`, "⟷", `\longmapsto`, "⟼",
		`\Rightarrow`, "⇒", `\Leftarrow`, "⇐", `\Leftrightarrow`, "⇔", `\implies`, "⟹", `\impliedby`, "⟸", `\iff`, "⟺",
		`\hookrightarrow`, "↪", `\hookleftarrow`, "↩", `\uparrow`, "↑", `\downarrow`, "↓", `\updownarrow`, "↕", `\nearrow`, "↗", `\searrow`, "↘",
		`\rightharpoonup`, "⇀", `\leftharpoonup`, "↼", `\rightleftharpoons`, "⇌", `\leadsto`, "⇝"),
	classed(open, `(`, "(", `[`, "[", `\{`, "{", `\lbrace`, "{", `\lbrack`, "[", `\langle`, "⟨", `\lceil`, "⌈", `\lfloor`, "⌊", `\lvert`, "|", `\lVert`, "‖"),
	classed(shut, `)`, ")", `]`, "]", `\}`, "}", `\rbrace`, "}", `\rbrack`, "]", `\rangle`, "⟩", `\rceil`, "⌉", `\rfloor`, "⌋", `\rvert`, "|", `\rVert`, "‖", `!`, "!", `?`, "?"),
	classed(punct, `,`, ",", `;`, ";", `\colon`, ":"),
)

func merged(tables ...map[string]symbol) map[string]symbol {
	all := map[string]symbol{}
	for _, t := range tables {
		for k, v := range t {
			all[k] = v
		}
	}
	return all
}

// delimiters are the arguments of \left, \right, \big and the like.
var delimiters = map[string]string{
	`(`: "(", `)`: ")", `[`: "[", `]`: "]", `\{`: "{", `\}`: "}", `\lbrace`: "{", `\rbrace`: "}", `\lbrack`: "[", `\rbrack`: "]",
	`|`: "|", `\vert`: "|", `\lvert`: "|", `\rvert`: "|", `\|`: "‖", `\Vert`: "‖", `\lVert`: "‖", `\rVert`: "‖",
	`<`: "⟨", `>`: "⟩", `\langle`: "⟨", `\rangle`: "⟩", `\lceil`: "⌈", `\rceil`: "⌉", `\lfloor`: "⌊", `\rfloor`: "⌋",
	`/`: "/", `\backslash`: `\`, `\uparrow`: "↑", `\downarrow`: "↓", `\updownarrow`: "↕", `.`: "",
}

// large maps commands to operators that are larger in a displayed formula. In a displayed formula sums and
// the like have their limits above and below.
var large = map[string]string{
	`\sum`: "∑", `\prod`: "∏", `\coprod`: "∐", `\bigcup`: "⋃", `\bigcap`: "⋂", `\bigvee`: "⋁", `\bigwedge`: "⋀",
	`\bigoplus`: "⨁", `\bigotimes`: "⨂", `\bigodot`: "⨀", `\biguplus`: "⨄", `\bigsqcup`: "⨆",
}

var integrals = map[string]string{`\int`: "∫", `\iint`: "∬", `\iiint`: "∭", `\oint`: "∮"}

// functions maps commands to the names of functions, which are written upright. The functions that have limits below
// them are in another map, called limits.
var functions = map[string]string{
	`\arccos`: "arccos", `\arcsin`: "arcsin", `\arctan`: "arctan", `\arg`: "arg", `\cos`: "cos", `\cosh`: "cosh", `\cot`: "cot", `\coth`: "coth",
	`\csc`: "csc", `\deg`: "deg", `\dim`: "dim", `\exp`: "exp", `\hom`: "hom", `\ker`: "ker", `\lg`: "lg", `\ln`: "ln", `\log`: "log",
	`\sec`: "sec", `\sin`: "sin", `\sinh`: "sinh", `\tan`: "tan", `\tanh`: "tanh",
}

var limits = map[string]string{
	`\det`: "det", `\gcd`: "gcd", `\inf`: "inf", `\lim`: "lim", `\liminf`: "lim inf", `\limsup`: "lim sup", `\max`: "max", `\min`: "min", `\Pr`: "Pr", `\sup`: "sup",
	`\argmax`: "arg max", `\argmin`: "arg min",
}

// accents are placed above a letter. The spacing modifier letters for hat and tilde are as wide as TeX's
// accents; the characters on a keyboard are not.
var accents = map[string]string{
	`\hat`: "ˆ", `\check`: "ˇ", `\tilde`: "˜", `\acute`: "´", `\grave`: "`", `\dot`: "˙", `\ddot`: "¨", `\breve`: "˘", `\bar`: "¯", `\mathring`: "˚",
}

// wideAccents maps the accents that stretch. Browsers stretch a character horizontally only if MathML's
// operator dictionary lists it as stretchy and the font has wider forms of it. For \widehat and \vec such a character
// is a combining character. It is written as a character reference, because otherwise it would combine with the
// preceding tag.
var wideAccents = map[string]string{
	`\widehat`: "&#x302;", `\widetilde`: "~", `\overline`: "‾", `\vec`: "&#x20D7;", `\overrightarrow`: "→", `\overleftarrow`: "←",
}

const overbrace, underbrace, underline = "⏞", "⏟", "&#x332;"

// spaces maps commands to widths in em.
var spaces = map[string]string{
	`\,`: "0.1667", `\thinspace`: "0.1667", `\:`: "0.2222", `\>`: "0.2222", `\medspace`: "0.2222", `\;`: "0.2778", `\thickspace`: "0.2778",
	`\!`: "-0.1667", `\negthinspace`: "-0.1667", `\ `: "0.25", `~`: "0.25", `\quad`: "1", `\qquad`: "2", `\enspace`: "0.5",
}

// sizes maps \big and the like to sizes in em.
var sizes = map[string]string{"big": "1.2", "Big": "1.623", "bigg": "2.047", "Bigg": "2.47"}

// styles maps commands to the values of displaystyle and scriptlevel that they set. These commands are in effect until
// the end of the group.
var styles = map[string][2]string{
	`\displaystyle`: {"true", "0"}, `\textstyle`: {"false", "0"}, `\scriptstyle`: {"false", "1"}, `\scriptscriptstyle`: {"false", "2"},
}

// negated maps a relation to the character that stands for \not and the relation.
var negated = map[string]string{
	"=": "≠", "∈": "∉", "∋": "∌", "≡": "≢", "∼": "≁", "≃": "≄", "≈": "≉", "≅": "≇", "≤": "≰", "≥": "≱", "&lt;": "≮", "&gt;": "≯", "⊂": "⊄", "⊃": "⊅", "⊆": "⊈", "⊇": "⊉", "∥": "∦", "|": "∤", "→": "↛", "⇒": "⇏",
}

// An alphabet says which Unicode characters stand for letters and digits in a font such as that of \mathbb. The map in
// the field "except" has the characters that are elsewhere in Unicode. Each other field is the character for the first
// letter of a range, or for the digit 0.
type alphabet struct {
	upper, lower, digit rune
	greekUpper          rune // Α
	greekLower          rune // α
	except              map[rune]rune
}

var alphabets = map[string]alphabet{
	`\mathbb`:   {0x1D538, 0x1D552, 0x1D7D8, 0, 0, map[rune]rune{'C': 'ℂ', 'H': 'ℍ', 'N': 'ℕ', 'P': 'ℙ', 'Q': 'ℚ', 'R': 'ℝ', 'Z': 'ℤ'}},
	`\mathcal`:  script,
	`\mathscr`:  script,
	`\mathfrak`: {0x1D504, 0x1D51E, 0, 0, 0, map[rune]rune{'C': 'ℭ', 'H': 'ℌ', 'I': 'ℑ', 'R': 'ℜ', 'Z': 'ℨ'}},
	`\mathbf`:   {0x1D400, 0x1D41A, 0x1D7CE, 0x1D6A8, 0x1D6C2, nil},
	`\mathsf`:   {0x1D5A0, 0x1D5BA, 0x1D7E2, 0, 0, nil},
	`\mathtt`:   {0x1D670, 0x1D68A, 0x1D7F6, 0, 0, nil},
	// Bold, slanted letters, which \boldsymbol uses for variables.
	`\boldsymbol`: {0x1D468, 0x1D482, 0x1D7CE, 0x1D6A8, 0x1D736, nil},
	`\bm`:         {0x1D468, 0x1D482, 0x1D7CE, 0x1D6A8, 0x1D736, nil},
	`\pmb`:        {0x1D468, 0x1D482, 0x1D7CE, 0x1D6A8, 0x1D736, nil},
}

var script = alphabet{0x1D49C, 0x1D4B6, 0, 0, 0, map[rune]rune{
	'B': 'ℬ', 'E': 'ℰ', 'F': 'ℱ', 'H': 'ℋ', 'I': 'ℐ', 'L': 'ℒ', 'M': 'ℳ', 'R': 'ℛ', 'e': 'ℯ', 'g': 'ℊ', 'o': 'ℴ'}}

// char returns the alphabet's character for r, or r itself if the alphabet has
// none.
func (a alphabet) char(r rune) rune {
	switch x := a.except[r]; {
	case x != 0:
		return x
	case 'A' <= r && r <= 'Z':
		return a.upper + r - 'A'
	case 'a' <= r && r <= 'z':
		return a.lower + r - 'a'
	case '0' <= r && r <= '9' && a.digit != 0:
		return a.digit + r - '0'
	case 'Α' <= r && r <= 'Ω' && a.greekUpper != 0:
		return a.greekUpper + r - 'Α'
	case 'α' <= r && r <= 'ω' && a.greekLower != 0:
		return a.greekLower + r - 'α'
	}
	return r
}
