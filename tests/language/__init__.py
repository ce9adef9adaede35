"""Tests of the language stage: text to checked syntax tree and back."""
