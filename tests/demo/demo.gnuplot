# SPDX-License-Identifier: GPL-2.0-only
# gnuplot -c demo.gnuplot svg|png OUTPUT DIRECTORY...
# DIRECTORY has samples.tsv: seconds since rxaqm began to enforce, median and p99 of the sojourn in
# ms; and words.txt, lines: target in ms, title, and what the sojourn was without and with rxaqm.

queues = ARGC - 2
of_queue(q) = value(sprintf("ARG%d", 2 + q))
words_of(q, i) = system(sprintf("sed -n %dp '%s/words.txt'", i, of_queue(q)))
height = 60 + 330 * queues

if (ARG1 eq "svg") {
	set terminal svg size 960,height font "DejaVu Sans,13" background rgb "#ffffff"
} else {
	set terminal pngcairo size 960,height font "DejaVu Sans,10.5" background rgb "#ffffff"
}
set output ARG2

ink = "#33383d"
before = "#fbeeee"
after = "#edf6ee"

set style line 1 linecolor rgb "#c8502f" linewidth 1.3
set style line 2 linecolor rgb "#1d5c96" linewidth 2.2
set style line 3 linecolor rgb "#2d7a3a" linewidth 1.5 dashtype (8, 5)

set border 3 linecolor rgb "#9aa1a7"
set tics nomirror textcolor rgb ink
set grid ytics linecolor rgb "#d9dde0" linewidth 0.6
set ytics ("20 µs" 0.02, "100 µs" 0.1, "1 ms" 1, "10 ms" 10, "100 ms" 100)
set ylabel "Time in the queue" textcolor rgb ink
set key at graph 1, graph 1.12 right top horizontal samplen 2.5 width -2 textcolor rgb ink
set multiplot layout queues,1 margins 0.10,0.965,0.16 / queues,1 - 0.11 / queues spacing 0,0.26 / queues

do for [q = 1:queues] {
	samples = of_queue(q) . "/samples.tsv"
	target = words_of(q, 1) + 0
	unset logscale y
	set xrange [*:*]
	set yrange [*:*]
	stats samples using 1 nooutput
	set logscale y
	set yrange [0.02:2000]
	start = STATS_min
	end = STATS_max
	set label 3 words_of(q, 2) at graph 0, graph 1.08 left textcolor rgb ink font ",14"
	set xrange [start:end]
	set object 1 rectangle from start, graph 0 to 0, graph 1 behind fillcolor rgb before \
		fillstyle solid noborder
	set object 2 rectangle from 0, graph 0 to end, graph 1 behind fillcolor rgb after \
		fillstyle solid noborder
	set arrow 1 from 0, graph 0 to 0, graph 1 nohead linecolor rgb ink linewidth 1
	set label 1 "rxaqm observes" at start / 2.0, graph 0.93 center textcolor rgb "#9b4a3c"
	set label 2 "rxaqm enforces" at end / 2.0, graph 0.93 center textcolor rgb "#2d7a3a"
	set label 4 words_of(q, 3) at start / 2.0, graph 0.85 center textcolor rgb "#9b4a3c" font ":Bold,15"
	set label 5 words_of(q, 4) at end / 2.0, graph 0.85 center textcolor rgb "#2d7a3a" font ":Bold,15"
	if (q == queues) { set xlabel "Seconds since rxaqm began to enforce" textcolor rgb ink }
	plot samples using 1:3 with lines linestyle 1 title "99th percentile", \
		samples using 1:2 with lines linestyle 2 title "median", \
		target with lines linestyle 3 title sprintf("target %.2g ms", target)
}
unset multiplot
