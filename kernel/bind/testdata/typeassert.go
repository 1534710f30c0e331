package main

import (
	"fmt"
	"reflect"
)

func Result() string {
	n, ok := reflect.TypeAssert[int](reflect.ValueOf(3))
	_, not := reflect.TypeAssert[string](reflect.ValueOf(3))
	e, is := reflect.TypeAssert[error](reflect.ValueOf(fmt.Errorf("x")))
	return fmt.Sprint(n, ok, not, e, is)
}

// want: 3 true false x true
