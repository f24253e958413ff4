"""The questions that both sides answer, one module each; `registry.QUESTIONS` lists them."""
