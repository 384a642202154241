"""The controller: cluster metadata as a replicated state machine over `__cluster_metadata`.

PURE: no time, no sockets, no threads, no random numbers; ids and the time come in as arguments.
"""
