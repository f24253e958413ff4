"""Contact of two shapes at rest: the separating axis test and manifolds. Importing the package loads no kernel; its modules do."""
