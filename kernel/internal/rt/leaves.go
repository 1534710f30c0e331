package rt

import "unsafe"

// The wrappers use these functions to decompose and compose values.

func ofBool(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func ofSlice(data unsafe.Pointer, n, capacity uint64) []byte {
	return *(*[]byte)(unsafe.Pointer(&slice{data, int(n), int(capacity)}))
}

func typeWord(x any) Type { return (*eface)(unsafe.Pointer(&x)).t }

func dataWord(x any) unsafe.Pointer { return (*eface)(unsafe.Pointer(&x)).data }

// withItab returns the interface value that consists of the itab for iface and t, and of the given data word. The
// value's static type is error, but any interface type with methods would do. withItab panics if t does not implement
// iface.
func withItab(iface Type, t Type, data unsafe.Pointer) error {
	itab, ok := Itab(iface, t)
	if !ok {
		panic("rt: a function's result of type " + TypeOf(t).String() + " has not the methods of its interface")
	}
	return *(*error)(unsafe.Pointer(&eface{itab, data}))
}

func itabType(x error) Type { return ItabType((*eface)(unsafe.Pointer(&x)).t) }

// The same functions for variables.

func typeWordAt(x *any) Type { return (*eface)(unsafe.Pointer(x)).t }

func dataWordAt(x *any) unsafe.Pointer { return (*eface)(unsafe.Pointer(x)).data }

func itabTypeAt(x *error) Type { return ItabType((*eface)(unsafe.Pointer(x)).t) }

func itabDataAt(x *error) unsafe.Pointer { return (*eface)(unsafe.Pointer(x)).data }

func itabData(x error) unsafe.Pointer { return (*eface)(unsafe.Pointer(&x)).data }
