package course

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overcomplete/kernel/notebook"
)

var (
	headings   = regexp.MustCompile(`(?m)^#{2,3} (.*)$`)
	exercised  = regexp.MustCompile(`check\.Exercise\("([^"]+)", (\w+)\)`)
	openItem   = regexp.MustCompile(`(?m)^(\d+)\. `)
	registered = regexp.MustCompile(`Name: "([^"]+)", Function: "(\w+)"|Points: (\d)`)
	inMap      = regexp.MustCompile("(?m)^\\| (`[a-z0-9]+-\\d+`|open \\d+) \\| ([^|]+) \\| ?(\\d?) \\| (\\d+) \\| ([^|]+) \\| (.*)\\|$")
	inPlan     = regexp.MustCompile(`(?m)^\| ([^|]+) \| (\d+) \| (\d+) \| [^|]+ \|$`)
	lasts      = regexp.MustCompile(`about (\d+) minutes to read.* take about (\w+) hours, and all exercises together about (\w+)`)
	codes      = regexp.MustCompile("`([a-z0-9]+-\\d+)`")
)

// A lesson is what a notebook has for its page in docs/teach.
type lesson struct {
	sections  []string          // those of its talk, in order, of level 2
	minutes   map[string][2]int // of the whole talk and of the short one, for each section
	titles    []string          // of all sections
	exercises map[string]string // names, and the functions that they ask for
	lasts     []string          // what its head says: minutes to read, hours for the exercises that answer and for all
	read      int               // minutes
	open      int               // open exercises
}

func readLesson(t *testing.T, name string) lesson {
	t.Helper()
	nb, err := notebook.Read(filepath.Join(root, "notebooks", name+".ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	l := lesson{minutes: map[string][2]int{}, exercises: map[string]string{}, read: factsOf(nb).Minutes}
	if m := lasts.FindStringSubmatch(nb.Cells[0].Source); m != nil {
		l.lasts = m[1:]
	}
	section := "Title"
	for _, c := range nb.Cells {
		if c.Type == notebook.Markdown {
			for _, m := range headings.FindAllStringSubmatch(c.Source, -1) {
				l.titles = append(l.titles, m[1])
				if strings.HasPrefix(m[0], "## ") {
					section = m[1]
				}
			}
			// The open exercises are the first list below the heading.
			if strings.HasPrefix(section, "Exercises") && l.open == 0 {
				list, _, _ := strings.Cut(c.Source, "\n**1.")
				l.open = len(openItem.FindAllString(list, -1))
			}
		}
		for _, m := range exercised.FindAllStringSubmatch(c.Source, -1) {
			if !c.Tagged("solution") {
				l.exercises[m[1]] = m[2]
			}
		}
		var show struct {
			Minutes  int  `json:"minutes"`
			Optional bool `json:"optional"`
		}
		b, err := json.Marshal(c.Metadata["slideshow"])
		if err != nil || json.Unmarshal(b, &show) != nil {
			t.Fatalf("%s, cell %s: slideshow metadata %s", name, c.ID, b)
		}
		if show.Minutes == 0 {
			continue
		}
		if !slices.Contains(l.sections, section) {
			l.sections = append(l.sections, section)
		}
		sum := l.minutes[section]
		sum[0] += show.Minutes
		if !show.Optional {
			sum[1] += show.Minutes
		}
		l.minutes[section] = sum
	}
	return l
}

// points returns the points of all exercises, as the packages of the papers register them.
func points(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "paper", "*", "exercises.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := ""
		for _, m := range registered.FindAllStringSubmatch(string(b), -1) {
			if m[1] != "" {
				name = m[1]
			} else {
				all[name] = m[3]
			}
		}
	}
	return all
}

// needed reports what is wrong with a list of the sections that an exercise needs.
func (l lesson) needed(list string) error {
	has := func(begin string) bool {
		return slices.ContainsFunc(l.titles, func(s string) bool { return strings.HasPrefix(s, begin) })
	}
	for _, s := range strings.Split(list, ", ") {
		s = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(s), "sections "), "section ")
		if _, err := strconv.Atoi(s); err == nil {
			s += "."
		}
		if s == "" || !has(s) {
			return fmt.Errorf("there is no section %q", s)
		}
	}
	return nil
}

// TestKit checks what docs/teach says of the notebooks: the plans are those of the slides, each exercise is in its
// map, with the points that the grader gives, and what it needs exists. The head of the notebook says how long it
// takes. The course gives work for the time that there is.
func TestKit(t *testing.T) {
	pointsOf, minutesOf := points(t), map[string]int{}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(root, "docs", "teach", name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	lessons := map[string]lesson{}
	for _, lecture := range Lectures {
		name := lecture.Name
		l, page := readLesson(t, name), read(name)
		lessons[name] = l

		var sections []string
		var whole, short int
		for _, m := range inPlan.FindAllStringSubmatch(page, -1) {
			sections = append(sections, m[1])
			if got, want := m[2]+" "+m[3], fmt.Sprintf("%d %d", l.minutes[m[1]][0], l.minutes[m[1]][1]); got != want {
				t.Errorf("%s, %s: %s minutes, and the slides take %s", name, m[1], got, want)
			}
			whole, short = whole+number(m[2]), short+number(m[3])
		}
		if !slices.Equal(sections, l.sections) {
			t.Errorf("%s: the plan has the sections\n%q, the talk\n%q", name, sections, l.sections)
		}
		if whole != 90 || short != 45 {
			t.Errorf("%s: the minutes add up to %d and %d", name, whole, short)
		}

		open, all, answering := 0, 0, 0
		mapped := map[string]bool{}
		for _, m := range inMap.FindAllStringSubmatch(page, -1) {
			if err := l.needed(m[5]); err != nil {
				t.Errorf("%s, %s: %v", name, m[1], err)
			}
			all += number(m[4])
			if m[1] == fmt.Sprintf("open %d", open+1) {
				open++
				continue
			}
			id := strings.Trim(m[1], "`")
			function, ok := l.exercises[id]
			switch {
			case !ok:
				t.Errorf("%s: there is no exercise %s", name, id)
			case !strings.HasPrefix(m[6], "`"+function+"`"):
				t.Errorf("%s, %s: the function is %s", name, id, function)
			case m[3] != pointsOf[id] || m[3] == "":
				t.Errorf("%s, %s: %s points, the grader gives %s", name, id, m[3], pointsOf[id])
			}
			mapped[id], minutesOf[id] = true, number(m[4])
			answering += number(m[4])
		}
		for id := range l.exercises {
			if !mapped[id] {
				t.Errorf("%s: the map does not have %s", name, id)
			}
		}
		if open != l.open || open < 3 {
			t.Errorf("%s: the map has %d open exercises, the notebook %d", name, open, l.open)
		}
		if want := []string{fmt.Sprint(l.read), hours(answering), hours(all)}; !slices.Equal(l.lasts, want) {
			t.Errorf("%s: its head says that it takes %q, and it takes %q", name, l.lasts, want)
		}
		// The longest page of 904 words just fills two sheets, as export prints it.
		if n := len(strings.Fields(page)); n > 930 {
			t.Errorf("%s: %d words are more than two pages", name, n)
		}
	}

	weeks := regexp.MustCompile(`(?m)^\| (\d) \| (.*) \|$`).FindAllStringSubmatch(read("course"), -1)
	if len(weeks) != 6 {
		t.Fatalf("the course has %d weeks", len(weeks))
	}
	taught, given := map[string]bool{}, map[string]bool{}
	for i, m := range weeks {
		cells := strings.Split(m[2], " | ")
		if number(m[1]) != i+1 || len(cells) != 5 {
			t.Fatalf("week %d is %q", i+1, m[0])
		}
		free := 180 // two meetings
		names := regexp.MustCompile(`\[([a-z0-9-]+)\]\([a-z0-9-]+\.md\), (\d+) minutes`).FindAllStringSubmatch(cells[0], -1)
		for k, n := range names {
			taught[n[1]] = true
			free -= number(n[2])
			if which := strings.Split(cells[1], "; ")[k]; which != "all" {
				for _, s := range regexp.MustCompile(`\d+`).FindAllString(which, -1) {
					if err := lessons[n[1]].needed("section " + s); err != nil {
						t.Errorf("week %d, %s: %v", i+1, n[1], err)
					}
				}
			}
		}
		for k, room := range []int{free, 130} { // in class, and at home
			sum := 0
			for _, c := range codes.FindAllStringSubmatch(cells[2+k], -1) {
				if given[c[1]] || minutesOf[c[1]] == 0 {
					t.Errorf("week %d: %s is given twice, or does not exist", i+1, c[1])
				}
				given[c[1]] = true
				sum += minutesOf[c[1]]
			}
			if sum > room || sum < room/3 {
				t.Errorf("week %d: exercises of %d minutes for %d", i+1, sum, room)
			}
		}
	}
	if len(taught) != len(Lectures) {
		t.Errorf("the course has %d of %d notebooks", len(taught), len(Lectures))
	}
}

// hours returns minutes as hours, in words.
func hours(minutes int) string {
	return []string{"no", "one", "two", "three", "four", "five", "six", "seven"}[(minutes+30)/60]
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
