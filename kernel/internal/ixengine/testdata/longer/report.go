package main

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"
	"text/tabwriter"
	"text/template"
	"time"
)

// A sales report: text/template with functions and nested templates, tabwriter, durations and dates.

type Money int64

func (m Money) String() string { return fmt.Sprintf("%d.%02d", int64(m)/100, int64(m)%100) }

type Sale struct {
	Region, Product string
	Amount          Money
	At              time.Time
}

type Region struct {
	Name  string
	Sales []Sale
}

func (r Region) Total() (m Money) {
	for _, s := range r.Sales {
		m += s.Amount
	}
	return m
}

func (r *Region) Best() (Sale, error) {
	if len(r.Sales) == 0 {
		return Sale{}, errors.New("no sales in " + r.Name)
	}
	best := r.Sales[0]
	for _, s := range r.Sales[1:] {
		if s.Amount > best.Amount {
			best = s
		}
	}
	return best, nil
}

const text = `{{define "sale"}}{{.Product | printf "%-8s"}} {{.Amount}} on {{.At.Format "Mon 2 Jan"}}{{end -}}
{{range $i, $r := .Regions}}{{inc $i}}. {{$r.Name | upper}}: {{$r.Total}}{{with $r.Best}}
   best: {{template "sale" .}}{{end}}
{{range .Sales}}{{if gt .Amount 5000}}   * {{template "sale" .}}
{{else if eq .Product "cup"}}   - {{.Amount | share $r.Total}}
{{else}}{{continue}}{{end}}{{end}}{{else}}nothing{{end}}
{{- with .Notes}}{{range $k, $v := .}}{{$k}}={{$v}};{{end}}{{else}}no notes{{end}}
{{index .Matrix 1 0}} {{len .Regions}} {{and .Yes (not .No)}} {{slice "abcdef" 1 3}} {{call .Call 3 4}} {{html "<b>"}} {{js "it's"}}
`

func main() {
	day := time.Date(2024, time.February, 27, 12, 0, 0, 0, time.UTC)
	byName := map[string]*Region{}
	for i, f := range strings.Fields("north:pen:1250 south:cup:990 north:cup:10050 west:mug:7777 south:pen:5001 north:ink:33") {
		part := strings.Split(f, ":")
		r := byName[part[0]]
		if r == nil {
			r = &Region{Name: part[0]}
			byName[part[0]] = r
		}
		var m Money
		fmt.Sscan(part[2], (*int64)(&m))
		r.Sales = append(r.Sales, Sale{part[0], part[1], m, day.AddDate(0, 0, i)})
	}
	var regions []*Region
	for _, r := range byName {
		regions = append(regions, r)
	}
	sort.Slice(regions, func(i, j int) bool { return regions[i].Total() > regions[j].Total() })
	t := template.Must(template.New("report").Funcs(template.FuncMap{
		"inc":   func(i int) int { return i + 1 },
		"upper": strings.ToUpper,
		"share": func(total, part Money) string {
			return fmt.Sprintf("%.1f%%", math.Round(1000*float64(part)/float64(total))/10)
		},
	}).Parse(text))
	data := map[string]any{
		"Regions": regions, "Notes": map[string]int{"b": 2, "a": 1}, "Matrix": [][]float64{{1, 2}, {3.5, 4}},
		"Yes": true, "No": false, "Call": func(a, b int) (int, error) { return a * b, nil },
	}
	var out strings.Builder
	err := t.Execute(&out, data)
	fmt.Println(out.String(), err)
	data["Regions"] = []*Region{{Name: "empty"}}
	err = t.Execute(&strings.Builder{}, data)
	fmt.Println(err)
	var ee template.ExecError
	fmt.Println(errors.As(err, &ee), ee.Name)
	_, err = template.New("bad").Parse("{{if}}")
	fmt.Println(err)

	out.Reset()
	w := tabwriter.NewWriter(&out, 4, 0, 2, '.', tabwriter.AlignRight|tabwriter.Debug)
	for _, r := range regions {
		fmt.Fprintf(w, "%s\t%v\t%d\t\n", r.Name, r.Total(), len(r.Sales))
	}
	w.Flush()
	fmt.Print(out.String())
	for _, d := range []time.Duration{0, 1500 * time.Microsecond, 90 * time.Minute, -time.Second} {
		fmt.Print(d, " ", d.Round(time.Second), " ", d.Hours(), "; ")
	}
	fmt.Println(day.AddDate(0, 0, 3).Weekday(), day.YearDay(), day.Add(36*time.Hour).Truncate(24*time.Hour).Format(time.RFC3339))
}
