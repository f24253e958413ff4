"""Tasks distributed among processes of this machine or to a cluster; none is lost or counted twice."""
