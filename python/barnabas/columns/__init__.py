"""The lazy Records view and its Arrow face."""
