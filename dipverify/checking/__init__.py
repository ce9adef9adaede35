"""Claims to a build's red or green: `collection` gathers claims, `examine` finds out about one, `runner` about all,
`reports` tells it; `claims` and `outcomes` are the vocabulary.
"""
