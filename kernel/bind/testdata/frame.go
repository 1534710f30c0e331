package main

import (
	"fmt"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

func Result() string {
	df := dataframe.ReadCSV(strings.NewReader("name,age\nann,30\nbob,20\ncy,25\n"))
	if df.Err != nil {
		return df.Err.Error()
	}
	old := df.Filter(dataframe.F{Colname: "age", Comparator: series.Greater, Comparando: 21}).Arrange(dataframe.Sort("age"))
	s := series.New([]float64{1, 2, 3}, series.Float, "x")
	return fmt.Sprint(old.Records(), s.Mean(), df.Names(), df.Nrow(), df.Col("age").Type())
}

// want: [[name age] [cy 25] [ann 30]] 2 [name age] 3int
