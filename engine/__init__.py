"""The collision laboratory's library: shapes, queries, worlds on our own solvers or a guarded Box2D, and the referee between them.

World frame, meters, kilograms, seconds, radians; y up; counter-clockwise positive. Importing this package,
`engine.query` or `engine.world` loads neither pygame nor Box2D.
"""

__version__ = "0.1.0"
