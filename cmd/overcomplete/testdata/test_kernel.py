"""The conformance tests of jupyter_kernel_test, for this kernel."""
import inspect
import unittest
import jupyter_kernel_test as jkt

PATIENCE = 120  # seconds, no claim about speed
jkt.TIMEOUT = PATIENCE


class OvercompleteTests(jkt.KernelTests):
    kernel_name = "overcomplete"
    language_name = "go"
    file_extension = ".go"
    code_hello_world = 'import "fmt"\nfmt.Println("hello, world")'
    code_stderr = 'import ("fmt"; "os")\nfmt.Fprintln(os.Stderr, "error")'
    complete_code_samples = ["x := 1", "func f() {}", "for i := range 3 { _ = i }"]
    incomplete_code_samples = ["func f() {", "x := (1 +", "s := `raw"]
    invalid_code_samples = ["x := )", 's := "open', "1 2"]
    code_execute_result = [
        {"code": "6 * 7", "result": "42"},
        {"code": 'x := 3\n"x" + string(rune(48 + x))', "result": "x3"},
    ]
    code_display_data = [
        {"code": 'display.Display(display.HTML("<b>x</b>"))', "mime": "text/html"},
        {"code": 'display.Display(display.PNG([]byte{1, 2}))', "mime": "image/png"},
    ]
    code_generate_error = 'panic("an error")'
    code_clear_output = "display.Clear(false)"
    supported_history_operations = ("tail", "range", "search")
    code_history_pattern = "6*7"
    completion_samples = [
        {"text": "fmt.Printl", "matches": {"Println"}},
        # Of a module the packages that are downloaded are completed too, and these differ from machine to machine.
        {"text": 'import "text/templ', "matches": {"text/template", "text/template/parse"}},
        {"text": "for i := range 3 { strings.HasP", "matches": {"HasPrefix"}},
    ]
    code_inspect_sample = "fmt.Println"

    def execute_helper(self, *args, **options):
        """Theirs gives each message a tenth of a second, and takes a late one of an earlier request for its own:
        on a busy machine it fails with any kernel."""
        channel, execute = self.kc.iopub_channel, self.kc.execute
        get, sent = channel.get_msg, []

        async def get_msg(timeout=None):
            while True:
                m = get(timeout=PATIENCE)
                if inspect.isawaitable(m):
                    m = await m
                if m["parent_header"].get("msg_id") in sent:
                    return m

        def noted(*args, **options):
            sent.append(execute(*args, **options))
            return sent[-1]

        options.setdefault("timeout", PATIENCE)
        channel.get_msg, self.kc.execute = get_msg, noted
        try:
            return super().execute_helper(*args, **options)
        finally:
            del channel.get_msg, self.kc.execute


if __name__ == "__main__":
    unittest.main()
