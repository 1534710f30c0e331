(() => {
	for (const box of document.querySelectorAll(".overcomplete-paged:not([data-live])")) {
		const table = box.querySelector("table"), json = box.querySelector("script[type='application/json']");
		if (!table || !json) continue;
		box.dataset.live = box.dataset.lmSuppressShortcuts = "true"; // keys pressed in here are not JupyterLab's
		const d = JSON.parse(json.textContent), body = table.tBodies[0], heads = [...table.tHead.rows[0].cells].slice(1);
		const page = body.rows.length, bare = "background: none; color: inherit; font: inherit; cursor: pointer; ";
		const count = n => n.toLocaleString("en-GB");
		const make = (tag, text, style, attributes) => {
			const e = document.createElement(tag);
			e.textContent = text;
			e.style.cssText = style;
			for (const a in attributes) e.setAttribute(a, attributes[a]);
			return e;
		};
		let column, sense = 0, word = "", first = 0, rows;

		const select = () => {
			rows = [...Array(d.rows).keys()];
			if (word) rows = rows.filter(r => d.cols.some(c => c.v && c.v[c.i[r]].toLowerCase().includes(word)));
			if (sense) {
				const { i, k } = d.cols[column];
				rows.sort((a, b) => (i[a] >= k) - (i[b] >= k) || sense * (i[a] - i[b]));
			}
			turn(0);
		};
		const turn = to => {
			first = to;
			body.replaceChildren(...rows.slice(first, first + page).map(r => {
				const tr = make("tr", "", "");
				tr.append(make("th", r, ""), ...d.cols.map((c, j) => make("td", c.v ? c.v[c.i[r]] : "…",
					"text-align: " + heads[j].style.textAlign + (c.v && c.i[r] >= c.k ? "; opacity: .7" : ""))));
				return tr;
			}));
			status.textContent = (rows.length ? count(first + 1) + " to " + count(Math.min(first + page, rows.length)) + " of " : "none of ") +
				(word ? count(rows.length) + " found in " : "") + (d.rows < d.all ? "the first " + count(d.rows) + " of " : "") + count(d.all) + d.unit;
			for (const m of moves) {
				const idle = m.to() === first;
				m.button.setAttribute("aria-disabled", idle); // not disabled, which would lose the focus
				m.button.style.opacity = idle ? .4 : 1;
			}
		};

		heads.forEach((th, j) => {
			if (!d.cols[j].v) return;
			const button = make("button", th.textContent, bare + "border: 0; padding: 0; font-weight: inherit", { type: "button", title: "sort" });
			th.arrow = make("span", "▲", "opacity: 0; font-size: 70%; padding: 0 .3em", { "aria-hidden": "true" });
			button[th.style.textAlign === "left" ? "append" : "prepend"](th.arrow);
			button.onclick = () => {
				sense = column !== j || !sense ? 1 : sense > 0 ? -1 : 0;
				column = j;
				heads.forEach((h, at) => {
					if (!h.arrow) return;
					const by = at === j ? sense : 0;
					h.arrow.style.opacity = by ? 1 : 0;
					h.arrow.textContent = by < 0 ? "▼" : "▲";
					if (by) h.setAttribute("aria-sort", by < 0 ? "descending" : "ascending");
					else h.removeAttribute("aria-sort");
				});
				select();
			};
			th.replaceChildren(button);
		});

		const status = make("span", "", "padding: 0 .5em", { role: "status" }), bar = make("div", "", "margin: .4em 0");
		const last = () => Math.max(0, Math.ceil(rows.length / page) - 1) * page;
		const moves = [
			["«", "first page", () => 0],
			["‹", "page before", () => Math.max(0, first - page)],
			["›", "next page", () => Math.min(last(), first + page)],
			["»", "last page", last],
		].map(([text, label, to]) => {
			const button = make("button", text, bare + "border: 1px solid; padding: 0 .5em; margin-right: .2em", { type: "button", "aria-label": label, title: label });
			button.onclick = () => turn(to());
			return { button, to };
		});
		const find = make("input", "", "background: none; color: inherit; font: inherit; border: 1px solid; padding: 0 .3em; width: 10em",
			{ type: "search", placeholder: "find", "aria-label": "show only rows that contain" });
		find.oninput = () => {
			word = find.value.trim().toLowerCase();
			select();
		};
		if (d.rows > page) {
			bar.append(...moves.map(m => m.button), status, find);
			table.nextElementSibling.replaceWith(bar);
		}
		select();
	}
})();
