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
	options = "none ring256 equal fq_codel cake codel rxaqm"
	# Only those that were run are drawn.
	there = system("for o in " . options . "; do cut -f 2 " . data . " | grep -qx $o && echo $o; done")
	nr(o) = system(sprintf("echo %s | tr ' ' '\n' | grep -nx %s | cut -d : -f 1", options, o)) + 0
	array number[words(there)]
	do for [i = 1:words(there)] { number[i] = nr(word(there, i)) }
	titles = "nothing|ring of 256|ring of equal delay|fq_codel on ifb|cake on ifb|rxaqm law=codel|rxaqm"
	colours = "#5b6770 #b08a1e #d9b84a #8a5a9e #35a0a8 #c8502f #1d5c96"
	n = int(system("cut -f 1 " . data . " | uniq | wc -l"))
	scenario(i) = system(sprintf("cut -f 1 %s | uniq | sed -n %dp", data, i))
	title_of(i) = system(sprintf("echo '%s' | cut -d '|' -f %d", titles, i))
	rows(o) = sprintf("< awk -F '\\t' '$1 != last { last = $1; row++ } $2 == \"%s\" { print row \"\\t\" $3 \"\\t\" $4 \"\\t\" $5 }' %s", word(options, o), data)
	targets = sprintf("< awk -F '\\t' '$1 != last { last = $1; row++; print row \"\\t\" $5 }' %s", data)
	set terminal svg noenhanced size 1100,(90 + 46 * n) font "DejaVu Sans,12" background rgb "#ffffff"
	set output ARG2
	set lmargin 52
	set rmargin 4
	set tmargin 4
	set logscale x
	set xrange [0.05:3000]
	set yrange [n + 0.6:0.4]
	set xtics ("100 µs" 0.1, "1 ms" 1, "10 ms" 10, "100 ms" 100, "1 s" 1000)
	set ytics ()
	do for [i = 1:n] { set ytics add (scenario(i) i) }
	set grid xtics linecolor rgb "#d9dde0" linewidth 0.6
	set key at screen 0.99, screen 1 right top horizontal maxrows 1 samplen 1.5 width -1
	set xlabel "Time in the ring: the dot is the median, the line goes to the 99th percentile" textcolor rgb ink
	row(y, i) = y + (i - (words(there) + 1) / 2.0) * 0.13
	plot for [i = 1:words(there)] rows(number[i]) using 2:(row($1, i)):($3 - $2):(0) with vectors nohead \
			linewidth 2 linecolor rgb word(colours, number[i]) notitle, \
		for [i = 1:words(there)] rows(number[i]) using 2:(row($1, i)) with points pointtype 7 pointsize 0.6 \
			linecolor rgb word(colours, number[i]) title title_of(number[i]), \
		targets using 2:($1 - 0.45):(0):(0.9) with vectors nohead linewidth 1.5 dashtype (6, 4) linecolor rgb "#2d7a3a" title "target"
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
