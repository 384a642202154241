"""Group coordinator state machines, without effects."""
