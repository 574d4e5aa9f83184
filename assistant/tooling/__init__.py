"""Tools: how a CRM team's function becomes something that a model can ask for."""
