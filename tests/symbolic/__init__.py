"""The checker: formulas, proofs, verdicts, and what it must never do."""
