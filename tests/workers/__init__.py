"""Work that is done elsewhere or was done before gives what is computed here."""
