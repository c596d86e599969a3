#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""validate.py SCHEMA FILE: are the JSON documents of FILE, one behind the other, of SCHEMA?

Prints the format of each, and what is wrong with it.
"""

import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
with open(sys.argv[2], encoding="utf-8") as file:
    text, failed = file.read().strip(), False
while text:
    document, end = json.JSONDecoder().raw_decode(text)
    text = text[end:].lstrip()
    print(document.get("format"))
    for error in validator.iter_errors(document):
        failed = True
        print("  /" + "/".join(map(str, error.absolute_path)) + ": " + error.message[:300])
sys.exit(failed)
