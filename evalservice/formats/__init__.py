"""How the admin writes times, by language."""
