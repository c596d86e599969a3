# SPDX-License-Identifier: GPL-2.0-only
# gnuplot -c eval.gnuplot delay|time OUTPUT DIR
# DIR/delay.tsv has lines "SCENARIO OPTION P50 P99 TARGET", in ms. DIR/time.N.tsv has lines "SECONDS
# P50 P99", and line N of DIR/time.panels "TARGET SECONDS TITLE": when enforcing began, -1 for from
# the beginning. All separated by tabs.

set datafile separator tab
ink = "#33383d"
set border 3 linecolor rgb "#9aa1a7"
set tics nomirror textcolor rgb ink
set key textcolor rgb ink

if (ARG1 eq "delay") {
	data = ARG3 . "/delay.tsv"
	options = "none queues ring256 equal fq_codel cake codel rxaqm auto"
	# Only those that were run are drawn.
	there = system("for o in " . options . "; do cut -f 2 " . data . " | grep -qx $o && echo $o; done")
	nr(o) = system(sprintf("echo %s | tr ' ' '\n' | grep -nx %s | cut -d : -f 1", options, o)) + 0
	titles = "nothing|two queues, each with a CPU|ring of 256|ring of equal delay|fq_codel on ifb|cake on ifb|rxaqm law=codel|rxaqm|rxaqm target=auto"
	title_of(o) = system(sprintf("echo '%s' | cut -d '|' -f %d", titles, nr(o)))
	colour(o) = word("#5b6770 #4f7a28 #8a6a0e #8a6a0e #8a5a9e #1f7f86 #c8502f #1d5c96 #1d5c96", nr(o))
	# A line for each run: which row of the picture it is, and what it has. One is left free behind each
	# scenario, whose name stands at its first.
	placed = ARG3 . "/delay.placed"
	system(sprintf("awk -F '\\t' -v OFS='\\t' -v options='%s' 'BEGIN { n = split(options, option, \" \") } $1 != last { title[++nr] = last = $1 } { line[nr, $2] = $0 } END { for (s = 1; s <= nr; s++) { y++; for (o = 1; o <= n; o++) if ((s, option[o]) in line) print ++y, line[s, option[o]] } }' %s >%s", options, data, placed))
	rows(o) = sprintf("< awk -F '\\t' '$3 == \"%s\"' %s", o, placed)
	firsts = sprintf("awk -F '\\t' '$2 != last { last = $2; print }' %s", placed)
	height = system("tail -n 1 " . placed . " | cut -f 1") + 0
	scenarios = system(firsts . " | wc -l") + 0
	set terminal svg noenhanced size 1000,(80 + 18 * height) font "DejaVu Sans,12" background rgb "#ffffff"
	set output ARG2
	set lmargin 45
	set rmargin 3
	set tmargin 2
	set logscale x
	set xrange [0.5:9000]
	set yrange [height + 1:0]
	set xtics ("1 ms" 1, "10 ms" 10, "100 ms" 100)
	set ytics () scale 0
	do for [i = 1:scenarios] {
		set ytics add (system(sprintf("%s | sed -n %dp | cut -f 2", firsts, i)) \
			system(sprintf("%s | sed -n %dp | cut -f 1", firsts, i)) + 0)
	}
	set grid xtics linecolor rgb "#d9dde0" linewidth 0.6
	unset key
	set xlabel "Time in the ring: the dot is the median, the line goes to the 99th percentile; dashed: the target" textcolor rgb ink
	plot sprintf("< awk -F '\\t' '$2 != last { last = $2; from = $1 } { to[from] = $1; target[from] = $6 } END { for (from in to) print from \"\\t\" to[from] \"\\t\" target[from] }' %s", placed) \
			using 3:($1 - 0.5):(0):($2 - $1 + 1) with vectors nohead linewidth 1.5 dashtype (6, 4) linecolor rgb "#2d7a3a", \
		for [o in there] rows(o) using 4:1:($5 - $4):(0) with vectors nohead linewidth 2.5 linecolor rgb colour(o), \
		for [o in there] rows(o) using 4:1 with points pointtype 7 pointsize 0.7 linecolor rgb colour(o), \
		for [o in there] rows(o) using 5:1:(sprintf("  %s: %.3g / %.3g ms", title_of(o), $4, $5)) with labels left \
			textcolor rgb colour(o)
}

if (ARG1 eq "time") {
	panels = ARG3 . "/time.panels"
	n = int(system("wc -l <" . panels))
	field(i, f) = system(sprintf("sed -n %dp %s | cut -f %d", i, panels, f))
	set terminal svg noenhanced size 960,(60 + 200 * n) font "DejaVu Sans,13" background rgb "#ffffff"
	set output ARG2
	set grid ytics linecolor rgb "#d9dde0" linewidth 0.6
	set multiplot layout n,1 margins char 12,char 4,char 4,char 4 spacing 0,char 5
	set logscale y
	set yrange [0.05:5000]
	set ytics ("100 µs" 0.1, "1 ms" 1, "10 ms" 10, "100 ms" 100, "1 s" 1000)
	do for [i = 1:n] {
		unset arrow
		unset label
		from = field(i, 2) + 0
		set label 1 field(i, 3) at graph 0, graph 1.1 left textcolor rgb ink
		if (i == 1) { set key at screen 0.96, screen 1 right top horizontal samplen 2.5 } else { unset key }
		if (from >= 0) {
			set arrow from from, graph 0 to from, graph 1 nohead linecolor rgb ink
			set label 2 "enforces" at from, graph 0.07 offset 0.5,0 textcolor rgb ink
		}
		if (i == n) { set xlabel "Seconds since the load began" textcolor rgb ink }
		file = sprintf("%s/time.%d.tsv", ARG3, i)
		plot file using 1:3 with lines linecolor rgb "#c8502f" linewidth 1.3 title "99th percentile", \
			file using 1:2 with lines linecolor rgb "#1d5c96" linewidth 2.2 title "median", \
			field(i, 1) + 0 with lines linecolor rgb "#2d7a3a" linewidth 1.5 dashtype (8, 5) title "target"
	}
	unset multiplot
}
