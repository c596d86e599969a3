# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2016 # sourced by eval.sh, which sets the variables
#
# The report of the evaluation: results.json, table.md, pictures, report.html. To be sourced.

# What is drawn: PICTURE SCENARIO OPTION...
pictures="
delay mixed none ring256 fq_codel hint-step
cdf mixed none ring256 fq_codel cake hint hint-step hint-couple2 stamp busy
fairness mixed none ring256 fq_codel cake budget rps hint hint-step hint-couple hint-couple2 stamp busy
settling enforce hint-step hint-couple busy-step
steps step none hint-step busy-step
bursts bursts none ring256 hint busy
requests requests none ring256 fq_codel cake hint busy
"

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
		done | jq -sc add)" '{$runs, $scenarios, $options}'
}

report_jq()
{
	jq -r -L "$eval_dir" "include \"report\"; $1" "$out/report-input.json"
}

# plot_data PICTURE SCENARIO OPTION: the first run that is there, as columns; nothing if none is.
plot_data()
{
	local what

	case $1 in
	delay | settling | steps) what='.series[] | select(.[1] > 0) | [.[0], .[2] / 1e6, .[3] / 1e6]' ;;
	cdf) what='.cdf[] | [.[0] / 1e6, 100 * .[1]]' ;;
	fairness) what='[.goodput.dctcp / 1e6, .goodput.cubic / 1e6, .jain.dctcp, .jain.cubic]' ;;
	bursts) what='.bursts | group_by(.size)[] | [.[0].size,
		(100 * (map(.lost + .dropped) | sort | .[length / 2 | floor]) / .[0].size)]' ;;
	requests) what='[.requests.p50_ns / 1e6, .requests.p99_ns / 1e6, .requests.p999_ns / 1e6]' ;;
	esac
	jq -r --arg scenario "$2" --arg option "$3" "
		[.runs[] | select(.scenario == \$scenario and .option == \$option and .status == \"ok\")]
		| if . == [] then empty else .[0] | $what | @tsv end" "$out/report-input.json"
}

# plot_events SCENARIO OPTION: lines "SECONDS EVENT" of what happened in that run.
plot_events()
{
	jq -r --arg scenario "$1" --arg option "$2" '
		[.runs[] | select(.scenario == $scenario and .option == $option and .status == "ok")]
		| if . == [] then empty else .[0].events[]
			| select(.[0] | test("^(enforce|up|down)$")) | [.[1], .[0]] | @tsv end' "$out/report-input.json"
}

# draw: all pictures there are data for.
draw()
{
	local picture scenario option options

	mkdir -p "$out/plot"
	while read -r picture scenario options; do
		[[ $picture ]] || continue
		for option in $options; do
			plot_data "$picture" "$scenario" "$option" >"$out/plot/$picture.$option.tsv"
			plot_events "$scenario" "$option" >"$out/plot/$picture.$option.events"
			[[ ! -s $out/plot/$picture.$option.tsv ]] ||
				printf '%s\t%s\n' "$option" "$(of_option "$option" title)"
		done >"$out/plot/$picture.options"
		[[ ! -s $out/plot/$picture.options ]] ||
			gnuplot -c "$eval_dir/eval.gnuplot" "$picture" "$out/$picture.svg" "$out/plot"
	done <<<"$pictures"
}

html_page()
{
	local picture

	cat <<-'END'
		<!DOCTYPE html>
		<html lang="en"><head><meta charset="utf-8"><title>rxaqm: evaluation</title><style>
		body { font: 15px/1.5 sans-serif; color: #33383d; max-width: 1250px; margin: 2em auto; padding: 0 1em }
		table { border-collapse: collapse; font-size: 12.5px } .wide { overflow-x: auto }
		th, td { border-bottom: 1px solid #d9dde0; padding: 3px 8px; text-align: right; vertical-align: bottom }
		th:first-child, td:first-child { text-align: left } svg { max-width: 100%; height: auto }
		</style></head><body><h1>rxaqm beside what people use today</h1>
	END
	echo "<p>$(conditions)</p>"
	echo "<p>Median of the runs, least and greatest in brackets. Between these the true median lies with a
	probability of 1 - 2<sup>1-n</sup> for n runs: 50 % for two, 75 % for three. Time in the ring is
	what the simulated NIC measured; rxaqm has no part in it. In pictures: the first run.</p>"
	while read -r picture _; do
		[[ ! -s $out/$picture.svg ]] || { echo "<h2>$picture</h2>" && sed -n '/<svg/,$p' "$out/$picture.svg"; }
	done <<<"$pictures"
	echo "<h2>All figures</h2>"
	report_jq html | sed -e 's|^<table>|<div class="wide"><table>|' -e 's|</table>$|</table></div>|'
	echo "</body></html>"
}

# conditions: a sentence on what it ran.
conditions()
{
	local disturbed

	disturbed=$(jq -s '[.[] | select(.others_cpus != null and .others_cpus > 0.25)] | length' "$out/runs.jsonl")
	printf 'Linux %s under QEMU, two emulated CPUs; %s mode, %d runs, %d failed; in %d runs other programs took more than a quarter of a CPU.\n' \
		"$(cat "$cache/$kernel/version")" "$(<"$out/mode")" "$(wc -l <"$out/plan")" \
		"$(jq -s 'map(select(.status != "ok")) | length' "$out/runs.jsonl")" "$disturbed"
}

report()
{
	report_input >"$out/report-input.json"
	jq '.runs' "$out/report-input.json" >"$out/results.json"
	{
		conditions
		echo
		report_jq 'main | markdown_table'
		report_jq '.runs as $runs | .scenarios[] as [$name, $title] | select(any($runs[]; .scenario == $name))
			| "\n## \($title)\n\n\(markdown($name))"'
	} >"$out/table.md"
	draw
	html_page >"$out/report.html"
	rm -f "$out/report-input.json"
}
