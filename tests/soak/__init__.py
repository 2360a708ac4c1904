"""Long runs: kills, storms, load, crawls. ``make soak`` runs them; SOAK_SCALE makes them shorter or longer."""
