// play makes the button beside a slider play it, if there is one. Only a press starts it; at the end it begins anew.
function play(input) {
	const button = input.parentNode.nextElementSibling, still = matchMedia("(prefers-reduced-motion: reduce)");
	if (!button || !button.dataset.plays || button.ready) return;
	button.ready = true; // not by disabled, which Firefox restores when a page is loaded again
	let timer = 0;
	const say = () => button.textContent = still.matches ? "▶ Step" : timer ? "❚❚ Pause" : "▶ Play";
	const stop = () => { clearInterval(timer); timer = 0; say(); };
	const step = by => {
		const old = input.value;
		by < 0 ? input.stepDown() : input.stepUp();
		const moved = input.value !== old && !input.disabled;
		if (moved) input.dispatchEvent(new Event("input"));
		return moved;
	};
	button.disabled = false;
	button.addEventListener("click", () => {
		if (timer) return stop();
		if (!step(1)) {
			input.value = input.min;
			input.dispatchEvent(new Event("input"));
		}
		if (!still.matches) timer = setInterval(() => button.isConnected && !still.matches && step(1) || stop(), button.dataset.plays);
		say();
	});
	button.addEventListener("keydown", e => {
		const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
		if (!by || e.altKey || e.ctrlKey || e.metaKey) return;
		e.preventDefault();
		e.stopPropagation(); // slides and notebooks have arrow keys of their own
		stop();
		step(by);
	});
	for (const kind of ["pointerdown", "keydown"]) input.addEventListener(kind, stop);
	still.addEventListener("change", stop);
	say();
}
