"""Final states to plans: the third stage. `events` fixes eps and the input, `order` turns an event into a plan, `plan` is the
vocabulary: a DAG of univariate functions that the enclosures stage evaluates."""
