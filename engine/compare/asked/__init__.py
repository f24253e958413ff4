"""Questions put to both sides, and their answers in one form, whoever gave them."""
