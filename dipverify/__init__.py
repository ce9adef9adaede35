"""dipverify: proves or refutes that a noisy mechanism is differentially private."""
