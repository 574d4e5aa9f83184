"""Files, as people hand them in, to text: Markdown, plain text, HTML and PDF."""
