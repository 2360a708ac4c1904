"""What the rest of the service does to submissions: one function per deed, each one transaction."""
