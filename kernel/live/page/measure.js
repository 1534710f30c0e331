// Measures claims of the report in the reader's browser: a press runs the claim's experiment at its
// smallest size in the kernel, which judges each of its claims by its rule. The page shows what it says.

import { Kernel } from "./kernel.js";

const own = document.getElementById("overcomplete-measure");
const plan = JSON.parse(own.textContent);
const address = (name) => plan[name] && new URL(plan[name], document.baseURI).href;
const expected = "/home/notebooks/expected.json"; // in the kernel's file system

let kernel, offered, running;

// The kernel is that of all experiments of the page.
function theKernel() {
  if (kernel) return kernel;
  const check = {};
  for (const kind of ["br", "gz"]) {
    const [size, sha256] = (plan[kind] ?? "").split(" ");
    if (size) check[kind] = { size: Number(size), sha256 };
  }
  kernel = new Kernel(() => new Worker(address("worker")), { kernel: address("kernel"), brotli: address("brotli"), check, html: false });
  kernel.addEventListener("progress", ({ detail: { bytes, total } }) => say(`Fetching Go: ${mega(bytes)} of ${mega(total)} MB`, total ? bytes / total : undefined));
  kernel.addEventListener("fault", ({ detail }) => say("It has ended: " + detail.text + ". Press the button to try again."));
  return kernel;
}

const mega = (bytes) => (bytes / 1e6).toFixed(1);

// The line below a heading that says what goes on, with a bar and a button that ends it.
let line;
function say(text, part) {
  if (!line) return;
  line.querySelector("span").textContent = text;
  const bar = line.querySelector("progress");
  bar.hidden = part === undefined;
  if (part !== undefined) bar.value = part;
}

function newLine(section) {
  line?.remove();
  line = document.createElement("p");
  line.className = "measuring";
  line.setAttribute("role", "status");
  const stop = Object.assign(document.createElement("button"), { type: "button", textContent: "Stop" });
  stop.addEventListener("click", () => {
    kernel?.stop();
    say("Stopped.");
  });
  line.append(document.createElement("span"), Object.assign(document.createElement("progress"), { max: 1, hidden: true }), stop);
  section.querySelector("h3").after(line);
}

// The cell measures in a function, so that it can run twice.
const cell = (experiment) => `import (
	"${plan.module}/paper/lab"
	"${plan.module}/paper/record"
	"${plan.package}"
)

display.JSON(func() []lab.Judged {
	before, err := record.Read(${JSON.stringify(expected)})
	if err != nil {
		panic(err)
	}
	judged, err := lab.Measure(${plan.package.split("/").pop()}.Experiments(), ${JSON.stringify(experiment)}, ${JSON.stringify(plan.size)}, ${plan.seed}, before)
	if err != nil {
		panic(err)
	}
	return judged
}())`;

async function measure(section) {
  const experiment = section.dataset.experiment;
  if (running) return;
  running = true;
  newLine(section);
  const begin = Date.now();
  const clock = setInterval(() => kernel?.state === "busy" && say(`Measuring (${Math.round((Date.now() - begin) / 1000)} s)`), 1000);
  try {
    say("Starting Go");
    const k = theKernel();
    await k.start(k.state === "dead");
    if (offered !== k.worker) {
      const answer = await fetch(address("expected"));
      if (!answer.ok) throw new Error("what it is compared with could not be fetched");
      await k.file("put", expected, new Uint8Array(await answer.arrayBuffer()));
      offered = k.worker;
    }
    say("Measuring");
    let judged, fault;
    const output = ({ header: { msg_type: type }, content }) => {
      if (type === "error") fault = content.evalue;
      judged = content?.data?.["application/json"] ?? judged;
    };
    await k.request("shell", "execute_request", { code: cell(experiment), silent: false, store_history: false, user_expressions: {}, allow_stdin: false, stop_on_error: true }, { output });
    if (fault || !judged) throw new Error(fault ?? "the experiment has shown nothing");
    judged.forEach(show);
    say(`Measured here in ${((Date.now() - begin) / 1000).toFixed(1)} s at size ${plan.size}, seed ${plan.seed}: ${judged.length} claim${judged.length === 1 ? "" : "s"}, judged below by their rules. ` +
      "Another arithmetic rounds otherwise: a number is the same as in the earlier run if it differs by no more than the claim allows (its Repeat).");
  } catch (err) {
    if (kernel?.state !== "off") say("It could not be measured: " + err.message);
  } finally {
    clearInterval(clock);
    running = false;
    line?.querySelector("button").remove();
    if (line) line.querySelector("progress").hidden = true;
  }
}

// show writes below a claim what was found here.
function show(j) {
  const row = document.getElementById("claim-" + j.id);
  if (!row) return;
  row.querySelector(".here")?.remove();
  const here = document.createElement("div");
  here.className = "here";
  const badge = Object.assign(document.createElement("span"), { className: "badge " + j.class, textContent: j.verdict });
  here.append("here: ", Object.assign(document.createElement("b"), { textContent: j.value || "–" }), " ", badge);
  let note = "";
  if (!j.value) note = j.reason ?? "";
  else if (j.again) note = `${j.before} in the earlier run at this size: the same${j.repeat ? ", for it may differ by " + j.repeat : ""}`;
  else if (j.expected) note = `in the earlier run at this size ${j.before}; a time is another one here`;
  else if (j.differs) note = "not as in the earlier run at this size: " + j.differs;
  if (note) here.append(Object.assign(document.createElement("small"), { textContent: note, className: !j.value || j.again || j.expected ? "" : "differs" }));
  row.querySelector("td[data-label=Measured]").append(here);
}

if (typeof WebAssembly === "object" && typeof Worker === "function") {
  for (const section of document.querySelectorAll("section.group[data-experiment]")) {
    for (const button of section.querySelectorAll("button.measure")) {
      button.hidden = false;
      button.addEventListener("click", () => measure(section));
    }
  }
}
window.overcompleteMeasure = { measure, get kernel() { return kernel; } }; // for tests
