"""Pure: marks, ledger, statistics. Time comes in as data; nothing here reads a clock or waits."""
