"""Tasks shared among processes of this machine, or handed to a cluster, none lost and none counted twice."""
