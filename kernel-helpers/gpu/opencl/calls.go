//go:build (linux || darwin || windows) && (amd64 || arm64) && !android

package opencl

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"overcomplete/kernel-helpers/gpu"
)

// These are the functions of OpenCL 1.2 that this package calls. Handles are uintptr. A cl_int is an int32, a cl_uint a
// uint32, and a size_t or cl_ulong a uint64.
var (
	clGetPlatformIDs          func(entries uint32, platforms *uintptr, n *uint32) int32
	clGetPlatformInfo         func(platform uintptr, what uint32, size uint64, value unsafe.Pointer, n *uint64) int32
	clGetDeviceIDs            func(platform uintptr, kind uint64, entries uint32, devices *uintptr, n *uint32) int32
	clGetDeviceInfo           func(device uintptr, what uint32, size uint64, value unsafe.Pointer, n *uint64) int32
	clCreateContext           func(properties uintptr, n uint32, devices *uintptr, notify, user uintptr, code *int32) uintptr
	clCreateCommandQueue      func(context, device uintptr, properties uint64, code *int32) uintptr
	clCreateProgramWithSource func(context uintptr, n uint32, texts **byte, lengths *uint64, code *int32) uintptr
	clBuildProgram            func(program uintptr, n uint32, devices *uintptr, options string, notify, user uintptr) int32
	clGetProgramBuildInfo     func(program, device uintptr, what uint32, size uint64, value unsafe.Pointer, n *uint64) int32
	clReleaseProgram          func(program uintptr) int32
	clCreateKernel            func(program uintptr, name string, code *int32) uintptr
	clReleaseKernel           func(kernel uintptr) int32
	clSetKernelArg            func(kernel uintptr, at uint32, size uint64, value unsafe.Pointer) int32
	clCreateBuffer            func(context uintptr, flags, size uint64, host unsafe.Pointer, code *int32) uintptr
	clReleaseMemObject        func(buffer uintptr) int32
	clEnqueueNDRangeKernel    func(queue, kernel uintptr, dims uint32, offset, size, group *uint64, waits uint32, wait, event uintptr) int32
	clEnqueueReadBuffer       func(queue, buffer uintptr, blocking uint32, offset, size uint64, to unsafe.Pointer, waits uint32, wait, event uintptr) int32
	clEnqueueWriteBuffer      func(queue, buffer uintptr, blocking uint32, offset, size uint64, from unsafe.Pointer, waits uint32, wait, event uintptr) int32
	clFinish                  func(queue uintptr) int32
)

// load opens the library once.
var load = sync.OnceValue(func() error {
	find, err := open()
	if err != nil {
		return fmt.Errorf("no OpenCL here: %w", err)
	}
	for name, f := range map[string]any{
		"clGetPlatformIDs": &clGetPlatformIDs, "clGetPlatformInfo": &clGetPlatformInfo, "clGetDeviceIDs": &clGetDeviceIDs,
		"clGetDeviceInfo": &clGetDeviceInfo, "clCreateContext": &clCreateContext, "clCreateCommandQueue": &clCreateCommandQueue,
		"clCreateProgramWithSource": &clCreateProgramWithSource, "clBuildProgram": &clBuildProgram,
		"clGetProgramBuildInfo": &clGetProgramBuildInfo, "clReleaseProgram": &clReleaseProgram, "clCreateKernel": &clCreateKernel,
		"clReleaseKernel": &clReleaseKernel, "clSetKernelArg": &clSetKernelArg, "clCreateBuffer": &clCreateBuffer,
		"clReleaseMemObject": &clReleaseMemObject, "clEnqueueNDRangeKernel": &clEnqueueNDRangeKernel,
		"clEnqueueReadBuffer": &clEnqueueReadBuffer, "clEnqueueWriteBuffer": &clEnqueueWriteBuffer, "clFinish": &clFinish,
	} {
		address, err := find(name)
		if err != nil {
			return fmt.Errorf("the OpenCL library here is incomplete: %w", err)
		}
		purego.RegisterFunc(f, address)
	}
	return nil
})

// A callError says which OpenCL call has failed, and with which error code.
type callError struct {
	call string
	code int32
}

// codes names the errors that a user may meet.
var codes = map[int32]string{
	-1: "CL_DEVICE_NOT_FOUND", -2: "CL_DEVICE_NOT_AVAILABLE", -3: "CL_COMPILER_NOT_AVAILABLE",
	-4: "CL_MEM_OBJECT_ALLOCATION_FAILURE", -5: "CL_OUT_OF_RESOURCES", -6: "CL_OUT_OF_HOST_MEMORY",
	-11: "CL_BUILD_PROGRAM_FAILURE", -14: "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", -30: "CL_INVALID_VALUE",
	-36: "CL_INVALID_COMMAND_QUEUE", -38: "CL_INVALID_MEM_OBJECT", -43: "CL_INVALID_BUILD_OPTIONS",
	-46: "CL_INVALID_KERNEL_NAME", -49: "CL_INVALID_ARG_INDEX", -50: "CL_INVALID_ARG_VALUE", -51: "CL_INVALID_ARG_SIZE",
	-52: "CL_INVALID_KERNEL_ARGS", -54: "CL_INVALID_WORK_GROUP_SIZE", -55: "CL_INVALID_WORK_ITEM_SIZE",
	-61: "CL_INVALID_BUFFER_SIZE", -1001: "CL_PLATFORM_NOT_FOUND",
}

func (e *callError) Error() string {
	if name := codes[e.code]; name != "" {
		return fmt.Sprintf("opencl: %s: %s (%d)", e.call, name, e.code)
	}
	return fmt.Sprintf("opencl: %s: error %d", e.call, e.code)
}

// Is reports whether target is gpu.ErrMemory and e says that memory ran out. Any call may fail for this reason, because
// drivers may allocate a buffer only when it is first used. CL_OUT_OF_RESOURCES counts only if a buffer was to be
// created, because in other calls it may also mean that a kernel failed.
func (e *callError) Is(target error) bool {
	if target != gpu.ErrMemory {
		return false
	}
	create := e.call == "clCreateBuffer"
	return e.code == -4 || e.code == -6 || create && (e.code == -5 || e.code == -61)
}

// check returns nil if code is 0. Otherwise it returns an error that says that the OpenCL function named by
// call failed.
func check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	return &callError{call, code}
}
