"""Files over HTTP: the ones that customers upload, and the attachments that tools return."""
