"""Texts in sections, as models read and write them: Markdown or XML, escaped so that nothing can forge one."""
