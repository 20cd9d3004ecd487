"""Calls: recordings with labelled turns. Reads, labels, makes and shortens them."""
