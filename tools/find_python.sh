#!/bin/sh
# Print the first Python that can run Budgie (3.11 or later), or say what is missing.
# Each is run, not only looked for: version managers install names that start nothing.
for name in python3.13 python3.12 python3.11 python3.14 python3; do
    if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        echo "$name"
        exit 0
    fi
done
echo "error: no Python 3.11 or later with the venv module was found." >&2
echo "hint: install one, e.g. 'apt-get install python3 python3-venv' or 'brew install python@3.13'." >&2
exit 3
