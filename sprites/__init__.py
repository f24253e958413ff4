"""Pictures of figures. They show a pose and decide nothing: what a figure collides with is in `figure_outline`, as plain data."""
