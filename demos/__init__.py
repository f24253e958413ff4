"""One idea per module; each registers its demo. Importing one opens no window and reads no arguments."""
