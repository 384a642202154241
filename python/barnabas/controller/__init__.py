"""The controller's state machine, without effects: (image, request, now) to records and response."""
