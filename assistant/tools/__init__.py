"""Tools: a company's function, HTTP request or script becomes a tool that a model can call.

Begin with ``decorator`` (the ``@tool`` decorator) and ``execute`` (running a call). ``http`` has tools that
are requests in a TOML file, ``openapi`` drafts such files, ``discovery`` and ``registry`` collect all tools.
"""
