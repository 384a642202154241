"""Producer, consumer and admin clients."""
