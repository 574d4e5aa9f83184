"""The operators' door: the company's people see who wants a person, take over, speak, and give back."""
