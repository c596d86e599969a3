#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The pages of rxaqm qualify in a real browser: nothing on its console, each picture drawn, no label
# cut off or over another one, nothing wider than the page; on screens light and dark and of a
# phone, on less than eight pages of paper.
set -euo pipefail
cd "$(dirname "$0")/../.."
skip() { echo "$1" && exit 77; }
rxaqm=${RXAQM_BIN:-build/rxaqm}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	skip "no Chromium: packaging/install-deps.sh browser installs it"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

wrong()
{
	echo "$*"
	failed=1
}

# A process of Chromium's ends itself where it has no CPU for 15 seconds: then it is started again.
browse()
{
	local try

	for try in 1 2 3 4; do
		start "$@" && return
		sleep $((try * 2))
	done
	return 1
}

start()
{
	timeout -k 5 200 "$browser" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage \
		--no-first-run --user-data-dir="$scratch/profile" --enable-logging=stderr "$@" 2>"$scratch/err"
}

# Runs in a copy of the page: what is wrong becomes the text of an element of its own.
cat >"$scratch/look.js" <<'END'
const bad = [], report = (what) => bad.push(what);
const inside = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
const channels = (color) => color.match(/[\d.]+/g).slice(0, 3).map((c) => c / 255)
	.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
const light = (color) => { const [r, g, b] = channels(color); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
const style = (e) => getComputedStyle(e), paper = style(document.body).backgroundColor;
const wide = document.documentElement;
if (wide.scrollWidth > wide.clientWidth) report(`page: ${wide.scrollWidth} px wide in ${wide.clientWidth}`);
for (const cell of document.querySelectorAll("td, th, dd, h1, h2, p"))
	if (cell.clientWidth && cell.scrollWidth > cell.clientWidth + 1) report(`cut: ${cell.textContent}`);
for (const e of document.querySelectorAll(".v, .why, h1, td, figcaption, .note"))
	if (contrast(style(e).color, paper) < 4.5) report(`hard to read: ${e.textContent}`);
const pictures = document.querySelectorAll("svg");
pictures.forEach((svg, at) => {
	const box = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll("text")];
	if (box.width < 250 || box.height < 100) report(`picture ${at}: ${box.width} x ${box.height}`);
	for (const line of svg.querySelectorAll(".line"))
		if (line.getTotalLength() < 20) report(`picture ${at}: an empty line`);
	for (const e of svg.querySelectorAll(".line, .bar"))
		if (contrast(style(e).stroke, paper) < 3) report(`picture ${at}: ${style(e).stroke} on ${paper}`);
	if (!svg.querySelector(".line, .bar")) report(`picture ${at}: nothing in it`);
	if (new Set([...svg.querySelectorAll(".line")].map((e) => style(e).strokeDasharray)).size !==
		new Set([...svg.querySelectorAll(".line")].map((e) => e.getAttribute("class"))).size)
		report(`picture ${at}: lines that only colour tells apart`);
	texts.forEach((text, i) => {
		const place = text.getBoundingClientRect();
		if (!inside(place, box)) report(`picture ${at}: cut label ${text.textContent}`);
		for (const other of texts.slice(i + 1))
			if (meet(place, other.getBoundingClientRect()))
				report(`picture ${at}: ${text.textContent} over ${other.textContent}`);
	});
});
const result = document.createElement("pre");
result.id = "result";
result.textContent = `looked at ${pictures.length} pictures\n${bad.join("\n")}`;
document.body.append(result);
END

# look PAGE PICTURES WIDTH WHAT SED: at a copy of the page, changed by SED.
look()
{
	local got

	sed -E "$5" "$scratch/$1.html" | sed '/<\/body>/d; /<\/html>/d' >"$scratch/copy.html"
	{ echo '<script>' && cat "$scratch/look.js" && echo '</script></body></html>'; } >>"$scratch/copy.html"
	browse --window-size="$3,1000" --dump-dom "file://$scratch/copy.html" >"$scratch/dom" ||
		wrong "$1, $4: the browser fails: $(tail -n 1 "$scratch/err")"
	got=$(sed -n '/<pre id="result">/,/<\/pre>/p' "$scratch/dom" | sed -E 's/<[^>]*>//g')
	[[ $got == "looked at $2 pictures"* ]] || wrong "$1, $4: $2 pictures wanted: ${got:-nothing was looked at}"
	got=$(tail -n +2 <<<"$got")
	[ -z "$got" ] || wrong "$1, $4: $got"
	console "$1, $4"
}

# A window cannot be as narrow as a phone, a frame in it can.
phone()
{
	sed 's/<\/body>.*//' "$scratch/$1.html" >"$scratch/narrow.html"
	cat >>"$scratch/narrow.html" <<-'END'
		<script>
		const wide = document.documentElement.scrollWidth, empty = [...document.querySelectorAll("h1, h2, th")]
			.filter((e) => !e.textContent.trim()).length;
		const stuck = [...document.querySelectorAll("*")].filter((e) => e.scrollWidth > e.clientWidth + 1 &&
			getComputedStyle(e).overflowX === "auto" && e.tabIndex < 0).length;
		parent.postMessage(`looked: ${stuck ? "keys do not scroll a table " : ""}${wide > 390 ? `${wide} px wide in 390 px ` : ""}${empty ? "an empty heading " : ""}` +
			(document.querySelectorAll("main").length === 1 ? "" : "no main part"), "*");
		</script></body></html>
	END
	cat >"$scratch/phone.html" <<-'END'
		<!DOCTYPE html><body><pre id="result"></pre><script>
		addEventListener("message", (e) => { document.getElementById("result").textContent = e.data; });
		</script><iframe src="narrow.html" style="width:390px;height:800px;border:0"></iframe>
	END
	browse --allow-file-access-from-files --virtual-time-budget=5000 --dump-dom "file://$scratch/phone.html" >"$scratch/dom" ||
		wrong "$1, phone: the browser fails: $(tail -n 1 "$scratch/err")"
	got=$(sed -n 's/.*<pre id="result">\(.*\)<\/pre>.*/\1/p' "$scratch/dom")
	[[ $got == "looked: " ]] || wrong "$1, on a phone: ${got:-nothing was looked at}"
}

# axe-core's rules, where RXAQM_AXE names its axe.min.js (npm's package axe-core): the page as it
# is, dark, and narrow.
axe()
{
	local width=1100

	[[ $3 != narrow ]] || width=500
	sed -E "$2" "$scratch/$1.html" | sed '/<\/body>/d; /<\/html>/d' >"$scratch/axe.html"
	{
		echo '<script>' && cat "$RXAQM_AXE" && echo '</script><script>'
		cat <<-'END'
			axe.run().then((found) => {
				const result = document.createElement("pre");
				result.id = "axe";
				result.textContent = `${found.passes.length} rules hold` + found.violations
					.map((rule) => `; ${rule.id}: ${rule.nodes[0].html}`).join("");
				document.body.append(result);
			});
		END
		echo '</script></body></html>'
	} >>"$scratch/axe.html"
	browse --window-size="$width,1000" --virtual-time-budget=60000 --dump-dom "file://$scratch/axe.html" >"$scratch/dom" ||
		wrong "$1, $3: the browser fails: $(tail -n 1 "$scratch/err")"
	got=$(sed -n 's/.*<pre id="axe">//; s/<\/pre>.*//; /rules hold/p' "$scratch/dom" | tail -n 1)
	[[ $got =~ ^[0-9]+\ rules\ hold$ ]] || wrong "$1, $3, axe-core: ${got:-nothing was looked at}"
}

console()
{
	! grep -F CONSOLE "$scratch/err" || wrong "$1: it says something on the console"
}

records=tests/unit/qualify
"$rxaqm" qualify --from=$records/good.json --html="$scratch/good.html" >"$scratch/out"
"$rxaqm" qualify --from=docs/qualify/igb.json --html="$scratch/igb.html" >"$scratch/out" || [ $? -eq 5 ]
"$rxaqm" qualify --from=$records/bad.json --html="$scratch/bad.html" >"$scratch/out" || [ $? -eq 5 ]

dark='s/@media screen and \(prefers-color-scheme:dark\)/@media screen/'
# What paper is given, at the width that A4 leaves between the margins: 182 mm.
paper='s/@media print/@media all/'
for page in good:8 bad:8; do
	pictures=${page#*:} page=${page%:*}
	look "$page" "$pictures" 1100 "light screen" ''
	look "$page" "$pictures" 1100 "dark screen" "$dark"
	look "$page" "$pictures" 688 "paper" "$paper"
done
for page in good bad igb; do
	# The page itself, as it is: no console, and paper of the right size.
	browse --no-pdf-header-footer --print-to-pdf="$scratch/$page.pdf" "file://$scratch/$page.html" >"$scratch/out" ||
		wrong "$page: it cannot be printed: $(tail -n 1 "$scratch/err")"
	console "$page, printed"
	nr=$(grep -acE '/Type /Page$' "$scratch/$page.pdf" || true)
	((nr > 0 && nr < 8)) || wrong "$page: $nr pages on paper"
	phone "$page"
	sizes=$(grep -aoE '/MediaBox \[[0-9. ]*\]' "$scratch/$page.pdf" | sort -u)
	[[ $sizes =~ ^/MediaBox\ \[0\ 0\ 59[45][0-9.]*\ 84[12][0-9.]*\]$ ]] || wrong "$page: not A4: '$sizes'"
done

if [ -n "${RXAQM_AXE:-}" ]; then
	for page in good bad igb; do
		axe "$page" '' "light screen"
		axe "$page" "$dark" "dark screen"
		axe "$page" '' narrow
	done
else
	echo "axe-core was not run: RXAQM_AXE names no axe.min.js"
fi

# What the test itself must see.
sed 's/<main>/<main style="min-width:500px">/' "$scratch/good.html" >"$scratch/wide.html"
found=$(phone wide)
[[ $found == *'390 px'* ]] || wrong "what is too wide for a phone is not found: $found"
sed 's/<svg viewBox="0 0 640/<svg viewBox="0 0 340/' "$scratch/good.html" >"$scratch/broken.html"
found=$(look broken 8 1100 broken '')
[[ $found == *'cut label'* ]] || wrong "labels that are cut off are not found: $found"
exit $failed
