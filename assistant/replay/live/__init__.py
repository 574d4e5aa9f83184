"""Recorded conversations against a real model: the customer and the tools are the file's, the words are not."""
