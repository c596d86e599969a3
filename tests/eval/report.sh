# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2016 # sourced by eval.sh, which sets the variables
#
# The report of the evaluation: results.json, table.md, pictures, report.html. To be sourced.

# The panels of the picture over time: SCENARIO OPTION each.
panels="mixed none
mixed rxaqm
enforce rxaqm
udp-4-tcp rxaqm
tx-split rxaqm"

# The rows of the picture of delays: TCP that overloads the CPU, with and without ECN; a flood
# beside it; a host that sends; and what no law can shorten. The tables have all scenarios.
story="mixed cubic udp-4-tcp tx-shared icmp"

# A heading, and the function of report.jq that makes the table.
tables=(
	"Who wins each row, and by how much" versus
	"What rxaqm reaches with a target and an interval alone" criteria
	"Delay, loss and goodput of every run" delays
	"Requests, typing and connections beside the load" probes
	"The host sends: what its own packets wait for" sending
	"A storage server: what its clients see" storing
	"Bursts into an idle queue" burst_table
	"Where the receiving CPU spends its time" costs
)

# report_input: what report.jq reads.
report_input()
{
	local name

	jq -n --slurpfile runs "$out/runs.jsonl" \
		--argjson scenarios "$(scenario_names | while read -r name; do
			jq -nc --arg name "$name" --arg title "${scenario_ini[$name.title]}" '[$name, $title]'
		done | jq -sc .)" \
		--argjson options "$(for name in ${option_ini[sections]}; do
			jq -nc --arg name "$name" --arg title "${option_ini[$name.title]}" '{($name): $title}'
		done | jq -sc add)" \
		'{$runs, $scenarios, $options}'
}

report_jq()
{
	jq -r -L "$eval_dir" "include \"report\"; include \"versus\"; include \"criteria\"; $1" "$out/report-input.json"
}

# draw_delays: delay.svg, the median and the 99th percentile of the scenarios of the story, or, if
# none of them ran, of those that did. Its title is what is read aloud, and shown at the pointer.
draw_delays()
{
	local data=$out/plot/delay.tsv says

	report_jq ". as \$in | (\"$story\" | split(\" \")) as \$story | [.runs[] | select(.status == \"ok\") | .scenario] as \$ran
		| .scenarios[] as [\$name, \$title] | select((\$story - (\$story - \$ran)) as \$told
			| \$told == [] or any(\$told[]; . == \$name))
		| [\$in.runs[] | select(.scenario == \$name and .status == \"ok\")] | select(. != [])
		| by_option[] | [\$title, .option, (.runs | median(.delay.p50_ns | ms), median(.delay.p99_ns | ms),
			median(.target_ns | ms))] | @tsv" >"$data"
	[[ -s $data ]] || return 0
	gnuplot -c "$eval_dir/eval.gnuplot" delay "$out/delay.svg" "$out/plot"
	says=$(awk -F '\t' '
		{ p50[$1, $2] = $3 }
		$2 == "rxaqm" { title[++n] = $1 }
		END {
			for (i = 1; i <= n; i++) {
				printf "; %s: ", title[i]
				if ((title[i], "none") in p50)
					printf "%.3g ms, ", p50[title[i], "none"]
				printf "%.3g ms with rxaqm", p50[title[i], "rxaqm"]
			}
		}' "$data")
	sed -i "s|<title>Gnuplot</title>|<title>Median time in the ring${says}</title>|" "$out/delay.svg"
}

# draw: that, and time.svg, the first run of some over time.
draw()
{
	local scenario option nr=0 title

	mkdir -p "$out/plot"
	rm -f "$out/plot"/* "$out/delay.svg" "$out/time.svg"
	draw_delays
	while read -r scenario option; do
		report_jq "ran(\"$scenario\"; \"$option\") | if . == [] then empty else .[0] | (.events[] | select(.[0] == \"end\") | .[1]) as \$last | .series[]
			| select(.[1] > 0 and .[0] <= \$last) | [.[0], .[2] / 1e6, .[3] / 1e6] | @tsv end" >"$out/plot/panel"
		[[ -s $out/plot/panel ]] || continue
		nr=$((nr + 1))
		mv "$out/plot/panel" "$out/plot/time.$nr.tsv"
		title="${scenario_ini[$scenario.title]}: $(of_option "$option" title)"
		printf '%s\t%s\t%s\n' "$(report_jq "ran(\"$scenario\"; \"$option\")[0].target_ns / 1e6")" \
			"$(report_jq "ran(\"$scenario\"; \"$option\")[0].events | map(select(.[0] == \"enforce\") | .[1])[0] // -1")" \
			"$title" >>"$out/plot/time.panels"
	done <<<"$panels"
	[[ $nr -eq 0 ]] || gnuplot -c "$eval_dir/eval.gnuplot" time "$out/time.svg" "$out/plot"
}

html_page()
{
	local i

	cat <<-'END'
		<!DOCTYPE html>
		<html lang="en"><head><meta charset="utf-8"><title>rxaqm: evaluation</title><style>
		body { font: 15px/1.5 sans-serif; color: #33383d; max-width: 1250px; margin: 2em auto; padding: 0 1em }
		table { border-collapse: collapse; font-size: 12.5px } .wide { overflow-x: auto }
		th, td { border-bottom: 1px solid #d9dde0; padding: 3px 8px; text-align: right; vertical-align: bottom }
		th:first-child, td:first-child, .criteria th, .criteria td, .versus td:nth-child(-n+3) { text-align: left } svg { max-width: 100%; height: auto }
		.met { color: #2d7a3a } .missed { color: #c8502f }
		</style></head><body><h1>rxaqm beside what people use today</h1>
	END
	echo "<p>$(conditions)</p>"
	echo "<p>Figures are medians of the runs, with the least and the greatest in brackets. Time in the ring is
	what the simulated NIC measured; rxaqm has no part in it. In pictures over time: the first run.</p>"
	for ((i = 0; i < ${#tables[@]}; i += 2)); do
		echo "<h2>${tables[i]}</h2><div class=\"wide ${tables[i + 1]}\">"
		report_jq "${tables[i + 1]} | html_table"
		echo "</div>"
	done
	for i in delay time; do
		[[ -e $out/$i.svg ]] || continue
		if [[ $i == delay ]]; then
			echo "<h2>Time in the ring, with each option</h2>"
		else
			echo "<h2>How the queue settles</h2>"
		fi
		sed -n '/<svg/,$p' "$out/$i.svg"
	done
	echo "</body></html>"
}

# conditions: a sentence on what it ran.
conditions()
{
	printf 'Linux %s under QEMU, two emulated CPUs in virtual time: all figures\n' \
		"$(cat "$cache/$kernel/version")"
	printf 'are by the clock of the guest, which counts instructions, 2 ns each. '
	printf '%s mode, %d runs of %s, %d failed.\n' "$(<"$out/mode")" "$(wc -l <"$out/plan")" \
		"$(date -r "$out/plan" +%F)" "$(jq -s 'map(select(.status != "ok")) | length' "$out/runs.jsonl")"
}

# into_docs: the tables and pictures, between the marks of docs/measurements.md.
into_docs()
{
	local page=$root/docs/measurements.md picture

	for picture in delay time; do
		[[ ! -e $out/$picture.svg ]] || cp "$out/$picture.svg" "$root/docs/evaluation-$picture.svg"
	done
	{
		sed '/^## /s/^/##/' "$out/table.md"
		printf '\n#### %s\n\n![%s](%s)\n' \
			"Time in the ring, with each option" "Median and 99th percentile" evaluation-delay.svg \
			"How the queue settles" "Time in the ring over time" evaluation-time.svg
	} >"$out/results.md"
	sed -i -e '/^<!-- results/,/^<!-- end of the results/{/^<!--/!d}' -e "/^<!-- results/r $out/results.md" "$page"
}

report()
{
	local i

	report_input >"$out/report-input.json"
	jq '.runs' "$out/report-input.json" >"$out/results.json"
	{
		conditions
		for ((i = 0; i < ${#tables[@]}; i += 2)); do
			printf '\n## %s\n\n' "${tables[i]}"
			report_jq "${tables[i + 1]} | markdown_table"
		done
	} >"$out/table.md"
	draw
	html_page >"$out/report.html"
	rm -f "$out/report-input.json"
}
