"""What is said and asked: typed inputs, the templates they fill, and the words the company chose."""
