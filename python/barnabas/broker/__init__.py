"""The broker: server, control loop and API handlers."""
