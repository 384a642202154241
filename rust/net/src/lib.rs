//! Framing, inbound and outbound connections, reactor threads and timers.
