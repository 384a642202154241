"""Partition assignors, pure functions shared by clients and coordinators."""
