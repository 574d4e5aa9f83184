"""Texts in sections, as models read and write them: Markdown or XML, escaped so that nothing can forge a section.

Begin with ``text_format``: what a format is, and what both share. ``choose`` finds one by name.
"""
