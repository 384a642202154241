"""Group coordinator: groups and offsets as replicated state machines over `__consumer_offsets`.

PURE: no time, no sockets, no threads, no random numbers; ids and the time come in as arguments.
"""
