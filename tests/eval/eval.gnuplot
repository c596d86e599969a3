# SPDX-License-Identifier: GPL-2.0-only
# gnuplot -c eval.gnuplot PICTURE OUTPUT DIR
# DIR/PICTURE.options has lines "OPTION<tab>TITLE", DIR/PICTURE.OPTION.tsv the columns that report.sh
# names, DIR/PICTURE.OPTION.events lines "SECONDS EVENT".

picture = ARG1
options = ARG3 . "/" . picture . ".options"
n = int(system("wc -l <" . options))
panels = picture eq "delay" || picture eq "settling" || picture eq "steps"
height = panels ? 40 + 210 * n : 440
set terminal svg noenhanced size 960,height font "DejaVu Sans,13" background rgb "#ffffff"
set output ARG2

ink = "#33383d"
option(i) = system(sprintf("sed -n %dp %s | cut -f 1", i, options))
title_of(i) = system(sprintf("sed -n %dp %s | cut -f 2", i, options))
data(i) = ARG3 . "/" . picture . "." . option(i) . ".tsv"
colours = "#c8502f #8a5a9e #b08a1e #5b6770 #7a4a2a #2d7a3a #1d5c96 #35a0a8 #d0679d #98b13c"
set border 3 linecolor rgb "#9aa1a7"
set tics nomirror textcolor rgb ink
set grid ytics linecolor rgb "#d9dde0" linewidth 0.6
set key textcolor rgb ink

if (panels) {
	set multiplot layout n,1 margins 0.10,0.965,0.22 / n,1 - 0.2 / n spacing 0,0.4 / n
	do for [i = 1:n] {
		unset arrow
		unset label
		unset logscale y
		set yrange [*:*]
		set xrange [*:*]
		stats data(i) using 1 nooutput
		set xrange [0:STATS_max]
		set logscale y
		set yrange [0.05:5000]
		set ytics ("100 µs" 0.1, "1 ms" 1, "10 ms" 10, "100 ms" 100, "1 s" 1000)
		set ylabel "Time in the ring" textcolor rgb ink
		set key at graph 1, graph 1.2 right top horizontal samplen 2.5 width -2
		set label 1 title_of(i) at graph 0, graph 1.11 left textcolor rgb ink font ",14"
		marks = system("awk '{ print $1 }' " . ARG3 . "/" . picture . "." . option(i) . ".events")
		names = system("awk '{ print $2 }' " . ARG3 . "/" . picture . "." . option(i) . ".events")
		do for [m = 1:words(marks)] {
			set arrow from word(marks, m) + 0, graph 0 to word(marks, m) + 0, graph 1 nohead linecolor rgb ink
			set label word(names, m) at word(marks, m) + 0, graph 0.07 offset 0.5,0 textcolor rgb ink
		}
		if (i == n) { set xlabel "Seconds since the load began" textcolor rgb ink }
		plot data(i) using 1:3 with lines linecolor rgb "#c8502f" linewidth 1.3 title "99th percentile", \
			data(i) using 1:2 with lines linecolor rgb "#1d5c96" linewidth 2.2 title "median", \
			10 with lines linecolor rgb "#2d7a3a" linewidth 1.5 dashtype (8, 5) title "target 10 ms"
	}
	unset multiplot
}
if (picture eq "cdf") {
	set logscale x
	set xrange [0.1:5000]
	set yrange [0:100]
	set xtics ("100 µs" 0.1, "1 ms" 1, "10 ms" 10, "100 ms" 100, "1 s" 1000)
	set xlabel "Time in the ring" textcolor rgb ink
	set ylabel "Packets that waited no longer, %" textcolor rgb ink
	set key outside right
	plot for [i = 1:n] data(i) using 1:2 with steps linewidth 2 linecolor rgb word(colours, i) title title_of(i)
}
if (picture eq "bursts") {
	set style data linespoints
	set logscale x 2
	set xtics (64, 256, 1024, 4096)
	set xrange [48:5600]
	set yrange [-3:100]
	set xlabel "Packets in the burst" textcolor rgb ink
	set ylabel "Lost, %" textcolor rgb ink
	set key top left
	plot for [i = 1:n] data(i) using 1:2 linewidth 2 pointtype 7 linecolor rgb word(colours, i) title title_of(i)
}
if (picture eq "fairness" || picture eq "requests") {
	set style data histograms
	set style histogram clustered gap 1
	set style fill solid 0.9 noborder
	set boxwidth 0.9
	set key top right horizontal
	set xtics rotate by -20
	set xtics (0)
	do for [i = 1:n] { set xtics add (title_of(i) i - 1) }
	set xrange [-0.6:n - 0.4]
	all = "< cat"
	do for [i = 1:n] { all = all . " '" . data(i) . "'" }
}
if (picture eq "fairness") {
	set yrange [0:*]
	set ylabel "Goodput, Mbit/s; over it Jain's index" textcolor rgb ink
	set offsets 0, 0, 20, 0
	plot all using 1 linecolor rgb "#1d5c96" title "DCTCP", '' using 2 linecolor rgb "#c8502f" title "CUBIC", \
		'' using ($0 - 0.17):1:(sprintf("%.2f", $3)) with labels offset 0,0.6 font ",10" notitle, \
		'' using ($0 + 0.17):2:(sprintf("%.2f", $4)) with labels offset 0,0.6 font ",10" notitle
}
if (picture eq "requests") {
	set logscale y
	set yrange [0.5:*]
	set ylabel "Round trip of a request, ms" textcolor rgb ink
	plot all using 1 linecolor rgb "#1d5c96" title "median", '' using 2 linecolor rgb "#c8502f" title "p99", \
		'' using 3 linecolor rgb "#5b6770" title "p99.9"
}
