"""What all services share and no model knows."""
