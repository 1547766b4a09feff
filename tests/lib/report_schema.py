# SPDX-License-Identifier: BSD-3-Clause
"""
report_schema.py SCHEMA <JSON: the objects that spur report --json (or spur check) has printed, one behind
another, are as the JSON Schema says, and no number is none. Prints what is wrong; status 1 if anything is.
"""

import functools
import json
import os
import sys

import jsonschema


def no_number(word):
    raise ValueError(f"{word} is no JSON")


def objects(text):
    decoder = json.JSONDecoder(parse_constant=no_number)
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        yield value
        text = text[end:]


@functools.cache
def schema_of_reports():
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/report.schema.json")
    with open(place, encoding="utf-8") as schema:
        return json.load(schema)


def report_faults(report):
    """Those of an object of spur report --json."""
    return faults(schema_of_reports(), report)


def faults(schema, value):
    """Texts, one for each fault."""
    name = value.get("archive", "--diff")
    return [f"{name}: {'/'.join(map(str, fault.absolute_path))}: {fault.message[:300]}"
            for fault in jsonschema.Draft7Validator(schema).iter_errors(value)]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    values = list(objects(sys.stdin.read()))
    found = [fault for value in values for fault in faults(schema, value)]
    print("\n".join(found))
    return 1 if found or not values else 0


if __name__ == "__main__":
    sys.exit(main())
