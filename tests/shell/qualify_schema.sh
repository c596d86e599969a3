#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What rxaqm qualify writes as JSON is what docs/qualify.schema.json says, and what is not is found.
set -euo pipefail
cd "$(dirname "$0")/../.."
rxaqm=${RXAQM_BIN:-build/rxaqm}
python3 -c 'import jsonschema' 2>/dev/null ||
	{ echo "no python3-jsonschema: packaging/install-deps.sh test installs it" && exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
records=tests/unit/qualify

document()
{
	"$rxaqm" qualify -j "${@:2}" >"$scratch/$1.json" 2>"$scratch/err" || [ $? -ge 5 ] ||
		{ cat "$scratch/err" && exit 1; }
}

document good --from=$records/good.json
document bad --from=$records/bad.json
document compared --compare $records/good.json $records/bad.json
document rows --list
document measured lo --rows=Q5

# The command of docs/qualify.md makes a profile of a record.
sed -n '/^## A profile/,/^## The record/s/^    //p' docs/qualify.md >"$scratch/profile.sh"
for record in $records/good.json $records/bad.json docs/qualify/igb.json; do
	cp "$record" "$scratch/nic.json"
	(cd "$scratch" && bash profile.sh)
	grep -q '^CompletionDesign=s' "$scratch/nic.conf"
	"$rxaqm" profile check "$scratch/nic.conf"
done
rm "$scratch/nic.json"

# The picture that stands alone is that of its record, in plain attributes: viewers that know no
# variables of CSS would show nothing.
"$rxaqm" qualify --from=docs/qualify/igb.json --html="$scratch/igb.html" >/dev/null || [ $? -ge 5 ]
packaging/picture.sh "$scratch/igb.html" Q11 >"$scratch/igb.svg"
cmp "$scratch/igb.svg" docs/qualify/igb-Q11.svg || exit 1
for picture in docs/*.svg docs/qualify/*.svg; do
	if grep -nE 'var\(|<style' "$picture" || ! grep -qE '^ ?(<svg .* )?width="[0-9]+"' "$picture"; then
		echo "$picture: not plain"
		exit 1
	fi
done
[ "$(grep -c '<path fill="none" stroke="#' docs/qualify/igb-Q11.svg)" -ge 12 ]

python3 - docs/qualify.schema.json docs/qualify/*.json "$scratch"/*.json <<'END'
import copy
import json
import re
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
bad = 0
for path in sys.argv[2:]:
    document = json.load(open(path))
    for error in validator.iter_errors(document):
        bad += 1
        cause = min(error.context, key=lambda e: -len(e.absolute_path), default=error)
        print(f"{path}: {list(cause.absolute_path)}: {cause.message[:200]}")
# Records of the documents are of this version, and docs/qualify.md says what they do.
documented = [path for path in sys.argv[2:] if path.startswith("docs/")]
lines = [line for line in open("docs/qualify.md") if line.startswith("|")]
columns = [re.search(r"\((.*)\)", cell) for cell in lines[0].split("|")[2:-1]]
records = [json.load(open(f"docs/{cell[1]}")) for cell in columns]
version = open("VERSION").read().strip()
if sorted(f"docs/{cell[1]}" for cell in columns) != sorted(documented):
    bad += 1
    print(f"docs/qualify.md has other records than docs/qualify: {lines[0]}")
for record in records:
    if record["rxaqm"] != version:
        bad += 1
        print(f"the record of {record['driver']} is of {record['rxaqm']}, not {version}")
for line in lines[2:]:
    cells = [cell.strip(" *") for cell in line.split("|")[1:-1]]
    row = cells[0].split(" ")[0]
    if not row.startswith("Q"):
        break
    verdicts = [next(r for r in record["rows"] if r["id"] == row)["verdict"] for record in records]
    if cells[1:] != verdicts:
        bad += 1
        print(f"docs/qualify.md, {row}: {verdicts} in the records")
# What is wrong is found.
good = json.load(open(next(p for p in sys.argv[2:] if p.endswith("/measured.json"))))
for path, value in [
    (["format"], "rxaqm-qualify-other"),
    (["time"], "yesterday"),
    (["host"], None),
    (["rows", 0, "verdict"], 2),
    (["verdict"], "good"),
    (["count", "fail"], -1),
    (["version"], 1),
    (["rows", 0, "figures", 0, "name"], ""),
    (["setup", 0, "value"], 1),
]:
    wrong = copy.deepcopy(good)
    at = wrong
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    if validator.is_valid(wrong):
        bad += 1
        print(f"{path} = {value!r} is not found")
sys.exit(bad != 0)
END
