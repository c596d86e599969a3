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
document compared --compare $records/good.json $records/bad.json $records/good.json
document rows --list
document limits --limits
document measured lo --rows=Q5
for record in docs/qualify/*.json; do
	document "$(basename "$record" .json)" --from="$record"
done

python3 - docs/qualify.schema.json "$scratch"/*.json <<'END'
import copy
import json
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
