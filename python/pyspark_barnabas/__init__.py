"""Lets Spark find format("barnabas") without registration."""
