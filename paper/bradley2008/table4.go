package bradley2008

import "overcomplete/paper/record"

// Table4 compares with other classifiers that know nothing of images. The paper
// quotes the last three from other papers; ours are measured on the same
// digits.
func (l *Lab) Table4() record.Table {
	d := l.Digits()
	sizes := l.sizes()
	n := sizes[len(sizes)-1]
	var network, svm classifier
	var columns, ids []string
	for _, c := range l.classifiers() {
		switch c.id {
		case "network":
			network = c
		case "rbf-svm":
			svm = c
		}
	}
	for _, c := range []struct {
		id, what, column string
		published        float64
		measure          func() float64
	}{
		{"l1", "maxent on L1 codes", "L1", table2.L1[4], func() float64 { return l.MaxentErrors("table2-l1", n, l.L1Features).Test }},
		{"kl", "maxent on KL codes", "KL", table2.KL[4], func() float64 { return l.MaxentErrors("table2-kl", n, l.KLFeatures).Test }},
		{"backprop", "maxent on KL codes after back-propagation", "KL+backprop", table2.Backprop[4], func() float64 { return l.BackpropErrors(n).Test }},
		{"svm", "RBF support vector machine on the principal components", "SVM", 1.4, func() float64 { return l.classifierError(svm, "pca", n, l.PCAFeatures)[0] }},
		{"network", "network with one hidden layer on the principal components", "2-layer NN", 1.6, func() float64 { return l.classifierError(network, "pca", n, l.PCAFeatures)[0] }},
		{"deep", "network with two hidden layers", "3-layer NN", 1.53, nil},
	} {
		r := record.Row{ID: "table4-" + c.id, What: "test error, " + c.what, Published: table(c.published, "%", "table 4, "+c.column), Data: d.Data,
			Rule: record.NoData("this size does not train on 50,000 digits of MNIST")}
		switch {
		case c.measure == nil:
			r.Rule = record.NoData("quoted in the paper from another one, and not run here")
		case l.Full():
			r.Measured, r.Rule, r.Repeat = record.Number(c.measure(), "%"), errorRule(c.published), 0.3
		}
		l.Row(r)
		columns, ids = append(columns, c.column), append(ids, r.ID)
	}
	l.Sheet("table4", record.Lay("Table 4: misclassified digits, in per cent", "", columns, []string{"50,000 training digits"}, [][]string{ids}, l.Rows()))
	return l.tabulate("Table 4: other classifiers", "table4-")
}
