"""Guards on untrusted text: documents are data, never instructions."""
