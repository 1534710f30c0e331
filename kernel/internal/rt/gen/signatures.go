package main

import "strings"

// signatures returns the list of signatures that a text describes. The text must have the form of the constant
// "results".
func signatures(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		parameters, all, _ := strings.Cut(strings.TrimSpace(line), " ")
		for r := range strings.FieldsSeq(all) {
			list = append(list, strings.ReplaceAll(parameters+":"+r, "-", ""))
		}
	}
	return list
}

// results lists the signatures that get a wrapper: the signatures of typical callbacks of libraries, and of
// the bodies of loops over iterators (with result bool). Each line has a list of parameters, followed by all
// results that functions with these parameters may have; "-" means none. The letters stand for types; see
// wrapper.go.
const results = `- - b i r f s l p e m ib sb pm
i - b i f s p e m ib fb sb im ii
r - b r i s
y - b y
f - b f i s l ff
g - b g
c - b c f
b -
s - b s i f e l p m sb im fm sm pm
l - b i f s l p m lm im fm fl
p - b i f s l p m
e - b i f s e
m - b i f s m
ii - b i f fb ib
if - b f
ir - b
is - b
il - b
ip - b
ie - b
fi f
ff - b i f ff
fl - b f l
gg b i g
cc c
rr b i
yy b i
ri - b
si - b i
sf - b
ss - b i s
sl - b
sp - b
se - b
li - b f
lii - f
lf - f
ll - b i f l m
pi - b i f
pii - b
pl - f
pp - b i f
es - b
ei - b
ee - b i e
im - b
mi - b i f
sm - b
mm - b i f
mp -
pm - b
smm m
iii - b i f
iif - f
fff - b f
fll - f
llf - f
lll - f
iiii -
ffff f`

// methods lists the signatures of methods that libraries call: methods of packages sort, heap, fmt, errors, io, hash,
// encoding, flag, context, net/http, image, math/rand, and of gonum's matrices, vectors, optimizers, graphs and plots.
// In each signature, the receiver is the first parameter.
const methods = `p - b i r y f s l p e m lm em im sm pm ym rim ii ib sb ff ffff
pb - m
pi - b i f s l p e m ff im fff
pf - b f i s m ff
ps - b i s l p m im sm lm em pm
pl - b i f s l m im
pe - b i f s e m
pp - b i f p m pm
pm - b i m im fm pm
pmr - m
pmp -
pmm - b m
pmi - m
pii - b i f p m im
pif -
pis -
pie -
pim -
pll - i f
plf -
pli im
pff - b f
pss - m sm
psm - m
psi - m
psp m
pse m
pee - b
pei -
piif - m
piim -
piii -
pmmf -`

// called lists further signatures of functions that cells call often, from packages strings, bytes, strconv,
// unicode, fmt, errors, math, math/rand, math/big, sort, bufio, and gonum's matrices and vectors.
const called = `- c y
i l r p
r y ri lr
y s i r
b s
f fi r
c ff c
s l ri sm bm
l s r ri sb
p m im sm lm f b ff
m s b e f ii
e m
ii s ii i p
ff c
fi f b s
if f
ir r
ls s b
ll b i
lr l i b
ly i b l
ls s l
li i s
lb l
lf i
sr b i s
sy i
si s im fm
ss ssb l sb
sl s im m lm
sss s b
ssi s l
sssi s
sii im
rr r
pl im m
ps im i s b m
py m sm lm
pr im b
pf f
pp p b
pi f l p m s
pii f p i
pif -
pff f
pb -
pm - b
ps -
pe - b i
piif -
piii -
ppp p -
pppp p
pmm -
pfm -
pll - i
pli i
me - m
mi - b e
ml im
msl im
ms im b
mii - b f
ee b
iii i ii
ifi s
fyii s
lii l i
lfyii l
fff f
lll -
lfl -
fl -
llf -`
