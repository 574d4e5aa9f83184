"""The embedded default model: decides by sentence embeddings and rules, narrates by the tools' templates."""
