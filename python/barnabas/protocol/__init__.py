"""Kafka's messages: classes generated from the message table, and their codec."""
