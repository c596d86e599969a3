#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What rxaqm trial writes as JSON is what docs/trial.schema.json says, and what is not is found.
set -euo pipefail
cd "$(dirname "$0")/../.."
rxaqm=${RXAQM_BIN:-build/rxaqm}
python3 -c 'import jsonschema' 2>/dev/null ||
	{ echo "no python3-jsonschema: packaging/install-deps.sh test installs it" && exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
record=tests/unit/trial/helps.json
"$rxaqm" trial -j --from $record >"$scratch/one.json"
"$rxaqm" trial --from $record $record -o "$scratch/many.json" >/dev/null

python3 - docs/trial.schema.json "$scratch"/*.json <<'END'
import copy
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
documents = [json.load(open(path)) for path in sys.argv[2:]]
bad = 0
for document in documents:
    for error in validator.iter_errors(document):
        bad += 1
        print(f"{list(error.absolute_path)}: {error.message[:200]}")
# All keys of a record have their place, and what is wrong is found.
for at, spec in [
    (documents[-1], schema),
    (documents[-1]["blocks"][0], schema["properties"]["blocks"]["items"]),
    (documents[-1]["results"][0], schema["properties"]["results"]["items"]),
]:
    if set(at) - set(spec["properties"]):
        bad += 1
        print("not in the schema:", set(at) - set(spec["properties"]))
for path, value in [
    (["format"], "rxaqm-qualify"),
    (["time"], "yesterday"),
    (["host"], None),
    (["arms"], []),
    (["blocks", 0, "sojourn_p50_ns"], "long"),
    (["results", 0, "outcome"], "p50"),
    (["verdicts", 0, "verdict"], "good"),
]:
    wrong = copy.deepcopy(documents[-1])
    at = wrong
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    if validator.is_valid(wrong):
        bad += 1
        print(f"{path} = {value!r} is not found")
sys.exit(bad != 0)
END
