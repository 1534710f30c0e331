(() => {
	/* play.js */
	for (const box of document.querySelectorAll("[data-positions]:not([data-moves])")) {
		const json = box.querySelector("script[type='application/x-overcomplete-positions+json']");
		const result = box.querySelector("[data-part='result']"), hint = box.querySelector("[data-part='hint']");
		const inputs = [...box.querySelectorAll("[data-position]")].sort((a, b) => a.dataset.position - b.dataset.position);
		if (!json || !result || typeof DecompressionStream === "undefined") continue;
		const d = JSON.parse(json.textContent);
		if (inputs.length !== d.controls.length) continue;
		box.dataset.moves = "true";
		const now = d.controls.map(c => c.start);
		let frames;

		// A picture that is there already stays until the next one is decoded, so that nothing flickers.
		const shown = (part, old) => {
			const tag = part.svg || part.image ? "img" : part.html ? "div" : "pre";
			const e = old && old.localName === tag && old.dataset.kind === "frame" ? old : document.createElement(tag);
			e.dataset.kind = "frame";
			if (tag === "img") {
				// A page that is dark says in these variables what it does with plots.
				e.style.cssText = "max-width: 100%; height: auto" + (part.plot ? "; filter: var(--plot-filter, none); mix-blend-mode: var(--plot-blend, normal)" : "");
				e.alt = part.alt || "";
				for (const side of ["width", "height"]) part[side] ? e.setAttribute(side, part[side]) : e.removeAttribute(side);
				e.src = part.svg ? "data:image/svg+xml," + encodeURIComponent(part.svg) : part.image;
			} else if (part.html) {
				e.innerHTML = part.html;
			} else {
				e.textContent = part.text || "";
			}
			return e;
		};
		const show = () => {
			const n = now.reduce((n, at, c) => n * d.controls[c].values.length + at, 0);
			const old = [...result.children], list = (frames[d.at[n]] || []).map((part, i) => shown(part, old[i]));
			if (list.length !== old.length || list.some((e, i) => e !== old[i])) result.replaceChildren(...list);
		};
		const enable = (input, c) => {
			const { values } = d.controls[c], out = input.parentNode.querySelector("output");
			const say = () => {
				if (out) out.textContent = values[now[c]];
				if (input.type === "range") input.setAttribute("aria-valuetext", values[now[c]]);
			};
			if (values.length < 2) return;
			input.autocomplete = "off"; // a page that is loaded again begins anew
			if (input.type === "range") {
				[input.min, input.max, input.step] = [0, values.length - 1, 1];
				input.value = now[c];
			} else if (input.type === "checkbox") {
				input.checked = values[now[c]] === "true";
			} else {
				input.replaceChildren(...values.map((v, i) => new Option(v, i)));
				input.value = now[c];
			}
			input.disabled = false;
			say();
			const moved = () => {
				const at = input.type === "checkbox" ? values.indexOf(String(input.checked)) : Number(input.value);
				if (at === now[c] || !(at >= 0 && at < values.length)) return;
				now[c] = at;
				say();
				show();
			};
			input.addEventListener("input", moved);
			input.addEventListener("change", moved);
			if (input.type === "range") play(input);
		};
		const packed = Uint8Array.from(atob(d.frames), c => c.charCodeAt(0));
		new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json().then(list => {
			frames = list;
			inputs.forEach(enable);
			if (hint) {
				hint.textContent = d.note || "";
				hint.style.display = d.note ? "" : "none";
			}
			show();
			box.dataset.moves = "ready";
		});
	}
})();
