# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""One module per API or record; none is loaded before it is asked for."""
