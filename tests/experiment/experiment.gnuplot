# SPDX-License-Identifier: GPL-2.0-only
# gnuplot -c experiment.gnuplot OUTPUT DIR RUN...
# DIR/RUN/PHASE.tsv: seconds, median and p99 of the wait in ms.

set terminal svg size 960,(40 + 230 * (ARGC - 2)) font "DejaVu Sans,13" background rgb "#ffffff"
set output ARG1

ink = "#33383d"
set style line 1 linecolor rgb "#c8502f" linewidth 1.3
set style line 2 linecolor rgb "#1d5c96" linewidth 2.2
set style line 3 linecolor rgb "#2d7a3a" linewidth 1.5 dashtype (8, 5)
set border 3 linecolor rgb "#9aa1a7"
set tics nomirror textcolor rgb ink
set grid ytics linecolor rgb "#d9dde0" linewidth 0.6
set logscale y
set yrange [0.1:2000]
set ytics ("100 µs" 0.1, "1 ms" 1, "10 ms" 10, "100 ms" 100, "1 s" 1000)
set ylabel "Time in the ring" textcolor rgb ink
set key at graph 1, graph 1.16 right top horizontal samplen 2.5 width -2 textcolor rgb ink
set multiplot layout (ARGC - 2),1 margins 0.10,0.965,0.2 / (ARGC - 2),1 - 0.16 / (ARGC - 2) spacing 0,0.36 / (ARGC - 2)

phases = "observe enforce law"
labels = "observed enforced default"
do for [r = 3:ARGC] {
	run = value(sprintf("ARG%d", r))
	set label 1 (run eq "split-rx" ? "Split completions, data dominates" : \
		run eq "shared-rx" ? "Shared completions, data dominates" : \
		run eq "split-tx" ? "Split completions, ACKs dominate" : "Shared completions, ACKs dominate") \
		at graph 0, graph 1.1 left textcolor rgb ink font ",14"
	do for [p = 1:3] {
		file = ARG2 . "/" . run . "/" . word(phases, p) . ".tsv"
		unset logscale y
		set yrange [*:*]
		stats file using 1 nooutput
		set logscale y
		set yrange [0.1:2000]
		set label (1 + p) word(labels, p) at (STATS_min + STATS_max) / 2.0, graph 0.1 center textcolor rgb ink
	}
	if (r == ARGC) { set xlabel "Seconds" textcolor rgb ink }
	plot for [p = 1:3] ARG2 . "/" . run . "/" . word(phases, p) . ".tsv" using 1:3 with lines linestyle 1 \
			title (p == 1 ? "99th percentile" : ""), \
		for [p = 1:3] ARG2 . "/" . run . "/" . word(phases, p) . ".tsv" using 1:2 with lines linestyle 2 \
			title (p == 1 ? "median" : ""), \
		10 with lines linestyle 3 title "target 10 ms"
}
unset multiplot
