"""From text to verdict, against answers that do not come from dipverify. Which oracle covers what:

test_cases          the reference programs: every probability, the worst gap, the flip of the verdict at it
test_field          mistakes made in the field and their mended forms: verdict and gap to ten digits
test_orders         constraints on variables of one law: (linear extensions)/n!, for chains and for every small partial order
test_closed_forms   Gaussian orthants, Laplace comparisons and stars, one noisy threshold: enclosed by the bounds
test_execution      final states of random programs against the syntax tree, point by point, without probabilities
test_simulation     random programs, versions 1 and 2, and the reference programs against Monte Carlo runs of the syntax tree
test_precision      random programs at 64 and 256 bits: nested bounds of the width asked for, totals that hold 1
test_metamorphic    transformed programs and queries whose answer is known from the original's
test_critical_delta delta cut to 30 digits beside the critical value, the ladder of precisions: right or Unknown, never wrong
test_strategies     nested integrals and exact numbers against the flat balls
test_extremes       probabilities far below anything that can be written out: an answer in seconds
test_families       every family of noise: distribution functions, comparisons, scales from 1e-3 to 1e6
test_discrete       flip and choice: enumerated probabilities
test_oracles        the oracles against each other
"""
