package attentionplot

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/ui/display"
)

// Steps returns a function that shows how attention is computed for one word, in numbers. Step 1 shows the word's
// query q (a row of Q, n×dk), step 2 the products e_t = q·k_t with the keys (rows of K), step 3 their softmax α_t,
// step 4 the weighted values α_t v_t (v_t are the rows of V, n×dv), and step 5 the sum of these values. Use the
// function with widget.Interact:
//
//	widget.Interact(attentionplot.Steps(&Q, &K, &V, words),
//		widget.Dropdown("word", words, "pie"), widget.Play("step", 1, 5, 1))
//
// If a word occurs twice, the first occurrence is shown. The numbers fit on a phone if dk and dv are 3 or less. Steps
// panics if the shapes do not fit, or if an element is NaN or Inf. The returned function panics if the word is not in
// words or the step does not exist.
func Steps(Q, K, V mat.Matrix, words []string) func(word string, step int) display.Data {
	given.Args("attentionplot: Steps", "Q", Q, "K", K, "V", V)
	if n, _ := Q.Dims(); n != len(words) {
		panic(fmt.Sprintf("attentionplot: Steps: %d words, Q has %d rows", len(words), n))
	}
	out, err := attention.Attend(Q, K, V, nil)
	if err != nil {
		panic("attentionplot: Steps: " + err.Error())
	}
	if m, _ := K.Dims(); m != len(words) {
		panic(fmt.Sprintf("attentionplot: Steps: %d words, K has %d rows", len(words), m))
	}
	return func(word string, step int) display.Data {
		l := slices.Index(words, word)
		if l < 0 {
			panic(fmt.Sprintf("attentionplot: Steps: %q is not one of %q", word, words))
		}
		e, exp := make([]float64, len(words)), make([]float64, len(words))
		for t := range words {
			e[t] = floats.Dot(mat.Row(nil, l, Q), mat.Row(nil, t, K)) // q·k_t
		}
		for t := range words {
			exp[t] = math.Exp(e[t] - floats.Max(e))
		}
		alpha := out.Alpha.RawRowView(l)
		s := &sheet{scale: max(largest(Q), largest(K), largest(V), 1e-300)}
		weighted := func(t int) []float64 {
			v := mat.Row(nil, t, V)
			floats.Scale(alpha[t], v)
			return v
		}
		switch step {
		case 1:
			s.head("The query says what “"+word+"” looks for.", "", "q")
			s.row(word, mat.Row(nil, l, Q))
		case 2:
			s.head("The query is multiplied with the key of each word.", "", "k<sub>t</sub>", "e<sub>t</sub> = q · k<sub>t</sub>")
			s.row("q of "+word, mat.Row(nil, l, Q), "")
			for t, w := range words {
				s.row(w, mat.Row(nil, t, K), e[t])
			}
		case 3:
			s.head("The softmax makes the products positive, with the sum 1. The largest product is subtracted first.", "", "e<sub>t</sub>", "exp(e<sub>t</sub> − max)", "α<sub>t</sub>")
			for t, w := range words {
				s.row(w, e[t], exp[t], share(alpha[t]))
			}
			s.row("sum", "", floats.Sum(exp), floats.Sum(alpha))
		case 4:
			s.head("Each word's value is multiplied by its weight.", "", "α<sub>t</sub>", "v<sub>t</sub>", "α<sub>t</sub> v<sub>t</sub>")
			for t, w := range words {
				s.row(w, alpha[t], mat.Row(nil, t, V), weighted(t))
			}
		case 5:
			s.head("The sum is what “"+word+"” receives.", "", "α<sub>t</sub> v<sub>t</sub>")
			for t, w := range words {
				s.row(w, weighted(t))
			}
			s.row("sum a", out.A.RawRowView(l))
		default:
			panic(fmt.Sprintf("attentionplot: Steps: there is no step %d, there are 5", step))
		}
		return s.data(fmt.Sprintf("%d. ", step))
	}
}

// largest returns the largest absolute value of X.
func largest(X mat.Matrix) float64 { return max(mat.Max(X), -mat.Min(X)) }

// A share is a number between 0 and 1, shown with a bar.
type share float64

// A sheet is a table that is written as HTML and as text. Its cells are names, numbers, shares and vectors.
type sheet struct {
	title      string
	html, text strings.Builder
	scale      float64 // the absolute value that has the deepest color
}

func (s *sheet) head(title string, names ...string) {
	s.title = title
	s.html.WriteString("<tr>")
	for _, n := range names {
		s.html.WriteString(`<th scope="col">` + n + "</th>")
	}
	s.html.WriteString("</tr>\n")
}

func (s *sheet) row(name string, cells ...any) {
	s.html.WriteString(`<tr><th scope="row">` + html.EscapeString(name) + "</th>")
	s.text.WriteString(name)
	for _, c := range cells {
		s.html.WriteString(`<td style="white-space:nowrap;padding:2px 6px">`)
		s.text.WriteString("\t")
		switch c := c.(type) {
		case string:
			s.html.WriteString(c)
		case float64:
			s.number(c)
		case share:
			s.number(float64(c))
			fmt.Fprintf(&s.html, ` <span style="display:inline-block;width:%.0fpx;height:0.8em;background-color:#0072b2"></span>`, 60*float64(c))
		case []float64:
			for i, v := range c {
				if i > 0 {
					s.text.WriteString(" ")
				}
				color := "0,114,178" // blue for positive numbers, vermilion for negative ones
				if v < 0 {
					color = "213,94,0"
				}
				fmt.Fprintf(&s.html, `<span style="display:inline-block;min-width:3em;font-size:85%%;padding:1px 2px;text-align:right;background-color:rgba(%s,%.2f)">`, color, 0.45*min(1, math.Abs(v)/s.scale))
				s.number(v)
				s.html.WriteString("</span>")
			}
		}
		s.html.WriteString("</td>")
	}
	s.html.WriteString("</tr>\n")
	s.text.WriteString("\n")
}

// number writes v with two decimals. The HTML form has a minus sign (−) in place of the hyphen.
func (s *sheet) number(v float64) {
	text := fmt.Sprintf("%.2f", v)
	if text == "-0.00" {
		text = "0.00"
	}
	s.text.WriteString(text)
	s.html.WriteString(strings.Replace(text, "-", "−", 1))
}

func (s *sheet) data(number string) display.Data {
	d := display.HTML("<p><b>" + number + html.EscapeString(s.title) + "</b></p>\n<table style=\"font-variant-numeric:tabular-nums\">\n" + s.html.String() + "</table>\n")
	d.Data[display.MIMETypeText] = number + s.title + "\n" + s.text.String()
	return d
}
