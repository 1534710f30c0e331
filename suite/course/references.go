package course

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// References lists the works that the lectures follow, and further reading, as CSL-JSON, the exchange format of
// reference managers.
//
//go:embed references.json
var References []byte

// A Reference is a publication in the list References.
type Reference struct {
	ID      string `json:"id"`
	Authors []struct {
		Family  string `json:"family"`
		Given   string `json:"given"`
		Literal string `json:"literal"`
	} `json:"author"`
	Title     string `json:"title"`
	Container string `json:"container-title"`
	Volume    string `json:"volume"`
	Issue     string `json:"issue"`
	Page      string `json:"page"`
	Issued    struct {
		Parts [][]int `json:"date-parts"`
	} `json:"issued"`
	DOI     string `json:"DOI"`
	Archive string `json:"archive"` // arXiv
	Number  string `json:"number"`  // number in the archive
	Note    string `json:"note"`
}

// references returns the entries of References by id.
var references = sync.OnceValues(func() (map[string]Reference, error) {
	var list []Reference
	if err := json.Unmarshal(References, &list); err != nil {
		return nil, fmt.Errorf("course: references.json: %w", err)
	}
	byID := map[string]Reference{}
	for _, r := range list {
		byID[r.ID] = r
	}
	return byID, nil
})

// lookUp returns the references with the given ids.
func lookUp(ids []string) ([]Reference, error) {
	all, err := references()
	if err != nil {
		return nil, err
	}
	var list []Reference
	for _, id := range ids {
		r, ok := all[id]
		if !ok {
			return nil, fmt.Errorf("course: references.json has no %q", id)
		}
		list = append(list, r)
	}
	return list, nil
}

// Markdown returns a reference as text: authors, title, publication, year and link.
func (r Reference) Markdown() string {
	var parts []string
	if names := r.names(); names != "" {
		parts = append(parts, names)
	}
	parts = append(parts, r.Title)
	if where := r.publication(); where != "" {
		parts = append(parts, where)
	}
	if r.Note != "" {
		parts = append(parts, strings.ToUpper(r.Note[:1])+r.Note[1:])
	}
	s := strings.Join(parts, ". ") + "."
	s = strings.ReplaceAll(s, "..", ".")
	if r.DOI != "" {
		s += " [doi:" + r.DOI + "](https://doi.org/" + r.DOI + ")"
	}
	if r.Archive == "arXiv" {
		s += " [arXiv:" + r.Number + "](https://arxiv.org/abs/" + r.Number + ")"
	}
	return s
}

func (r Reference) names() string {
	var names []string
	for _, a := range r.Authors {
		name := a.Literal
		if name == "" {
			name = a.Given + " " + a.Family
		}
		names = append(names, name)
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

func (r Reference) publication() string {
	if r.Container == "" {
		return ""
	}
	s := "*" + r.Container + "*"
	if r.Volume != "" {
		s += " " + r.Volume
	}
	if r.Issue != "" {
		s += "(" + r.Issue + ")"
	}
	if r.Page != "" {
		s += ", " + r.Page
	}
	if len(r.Issued.Parts) > 0 && len(r.Issued.Parts[0]) > 0 {
		s += fmt.Sprintf(", %d", r.Issued.Parts[0][0])
	}
	return s
}
