"""Customers who speak: sound over the websocket, in and out."""
