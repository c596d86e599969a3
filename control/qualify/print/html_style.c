/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/print/html.h"

/* Verdicts have a sign and a word beside the colour, lines have dashes and bars have outlines: the
 * page is read in black and white, too. Paper is always light, whatever the screen is.
 */
static const char style[] =
	":root{--ink:#1a1a1a;--paper:#fff;--soft:#666;--rule:#ccc;--pass:#17692f;--warn:#8a5a00;"
	"--fail:#b00020;--unknown:#555;--c0:#1b5eab;--c1:#b3400a;--c2:#1a7a4c;--c3:#7a3aa0;"
	"--c4:#8a6d00;--c5:#444}\n"
	"@media screen and (prefers-color-scheme:dark){:root{--ink:#e6e6e6;--paper:#16181b;"
	"--soft:#a5a5a5;--rule:#3d4147;--pass:#6fcf87;--warn:#e8b64c;--fail:#ff7a85;"
	"--unknown:#b5b5b5;--c0:#6fb1ff;--c1:#ff9a63;--c2:#6bd6a0;--c3:#cf9bf0;--c4:#e2c65a;"
	"--c5:#ddd}}\n"
	"body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);"
	"max-width:62em;margin:0 auto;padding:1.5em;overflow-wrap:break-word}\n"
	"h1{font-size:1.6em;margin:0 0 .6em}h2{font-size:1.2em;margin:1.8em 0 .3em}\n"
	"dl{display:grid;grid-template-columns:max-content 1fr max-content 1fr;"
	"gap:.15em 1em;margin:0 0 1.2em}dt{color:var(--soft)}dd{margin:0}\n"
	"table{border-collapse:collapse;width:100%;margin:.6em 0}\n"
	"th,td{text-align:left;vertical-align:top;padding:.25em .6em .25em 0;"
	"border-bottom:1px solid var(--rule)}th{font-weight:600;color:var(--soft);white-space:nowrap}\n"
	"td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
	"tr>:last-child{padding-right:0}\n"
	".f{table-layout:fixed}.f th.n{width:6.3em}.f .t td{border-bottom:0}.f .m td{padding-top:0}#verdicts th:nth-child(4){width:46%}td.k{white-space:nowrap}a{color:inherit}\n"
	".m{color:var(--soft);font-size:.85em}.why{margin:.2em 0 .6em}\n"
	".v{font-weight:600;white-space:nowrap}.v0{color:var(--unknown)}.v1{color:var(--pass)}"
	".v2{color:var(--warn)}.v3{color:var(--fail)}\n"
	"h2 .v{font-size:.85em;margin-left:.5em}.note{color:var(--soft);font-size:.9em}\n"
	".result{padding:.6em .8em;border-left:.5em solid;margin:.6em 0}.b0{border-color:var(--unknown)}"
	".b1{border-color:var(--pass)}.b2{border-color:var(--warn)}.b3{border-color:var(--fail)}"
	".result strong{font-size:1.5em}.b0 strong{color:var(--unknown)}.b1 strong{color:var(--pass)}"
	".b2 strong{color:var(--warn)}.b3 strong{color:var(--fail)}\n"
	".bad{margin:.4em 0;padding-left:1.2em}.soft{color:var(--soft)}"
	".keys{display:flex;flex-wrap:wrap;gap:.8em;margin:1em 0}.key{flex:1 1 11em;border:1px solid "
	"var(--rule);border-top-width:.3em;padding:.5em .7em}.key b{font-size:1.35em;margin-right:.2em}"
	".k0{border-top-color:var(--unknown)}.k1{border-top-color:var(--pass)}"
	".k2{border-top-color:var(--warn)}.k3{border-top-color:var(--fail)}\n"
	"summary{cursor:pointer}\n"
	"figure{margin:1em 0;max-width:46em}figcaption{color:var(--soft);font-size:.85em}\n"
	"svg{display:block;width:100%;height:auto;font-family:system-ui,sans-serif;font-size:12px;"
	"fill:var(--ink)}\n"
	".grid{stroke:var(--rule);stroke-width:.7}.axis{stroke:var(--ink);fill:none}\n"
	".limit{stroke:var(--warn);stroke-width:1.5;stroke-dasharray:4 2;fill:none}"
	".fails{stroke:var(--fail)}\n"
	".line{fill:none;stroke-width:2}.bar{fill-opacity:.55;stroke-width:1}\n"
	".c0{stroke:var(--c0)}.c1{stroke:var(--c1);stroke-dasharray:7 3}"
	".c2{stroke:var(--c2);stroke-dasharray:2 2}.c3{stroke:var(--c3);stroke-dasharray:10 3 2 3}"
	".c4{stroke:var(--c4);stroke-dasharray:14 4}"
	".c5{stroke:var(--c5);stroke-dasharray:4 2 1 2 1 2}\n"
	".bar{stroke-dasharray:none}.bar.c0{fill:var(--c0)}.bar.c1{fill:var(--c1);fill-opacity:.2}"
	".bar.c2{fill:var(--c2);fill-opacity:.8}.bar.c3{fill:var(--c3);fill-opacity:.35}"
	".bar.c4{fill:none}.bar.c5{fill:var(--c5)}\n"
	"@media(max-width:40em){dl{grid-template-columns:max-content 1fr}body{padding:.8em}"
	".f{display:block;overflow-x:auto;white-space:nowrap}.f .m td{white-space:normal}#verdicts :is(td,th):nth-child(2){display:none}#verdicts td{overflow-wrap:anywhere}}\n"
	"@page{size:A4;margin:10mm 13mm 13mm;@bottom-right{content:counter(page) \" / \" counter(pages);"
	"font:8pt sans-serif}@bottom-left{content:\"rxaqm qualify\";font:8pt sans-serif}}\n"
	"@media print{body{font-size:8pt;line-height:1.22;max-width:none;padding:0}h2{margin:1em 0 .2em}"
	"th,td{padding:.08em .5em .08em 0}tr,.f tbody,figure,.why{break-inside:avoid}"
	"h2,.why{break-after:avoid}thead{display:table-header-group}figure{max-width:none;margin:.5em 0;"
	"display:flex;flex-direction:row-reverse;gap:4mm}figcaption{flex:1}svg{width:90mm}"
	".f{display:table}.f th.n{width:6em}a{text-decoration:none}}\n";

void qualify_html_begin(FILE *file, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      /* No icon is asked for: the page is all there is. */
	      "<link rel=\"icon\" href=\"data:,\">\n",
	      file);
	qualify_markup(file, "<title>%s</title>\n", title);
	fprintf(file, "<style>\n%s</style>\n</head>\n<body>\n<main>\n", style);
	qualify_markup(file, "<h1>%s</h1>\n", title);
}

void qualify_html_end(FILE *file)
{
	fputs("</main>\n</body>\n</html>\n", file);
}
