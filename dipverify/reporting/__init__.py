"""Results to words: the last stage. `text` writes for people, `json` for programs, `paths` describes final states."""
