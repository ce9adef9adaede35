"""Claims to a build's red or green: `configuration` and `comments` read claims, `collection` gathers them, `examine` finds out about
one, `runner` about all, `reports` tells it; `claims` and `outcomes` are the vocabulary.
"""
