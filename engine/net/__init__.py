"""Shared worlds: a server closes ticks, clients predict them, and all copies go through the same states.

messages           messages between server and clients; validates every field
scene              checks whether a demo can be shared, and builds a client's copy
shared_simulation  runs a demo by ticks, with actions and rollback; used by server and client
limits             limits on each client's requests, and rate limiters
server             authoritative server without sockets: orders and relays actions, closes ticks
clock              a client's estimate of the server's clock
corrections        measures corrections and smooths them visually
client             client without sockets: predicts ticks, rolls back, synchronizes
link               simulated network link with latency, jitter, loss and reordering
script             actions by tick, read from a file
server_thread      runs the server and its sockets on a thread
connection         the client's socket
client_session     runs a client over its connection, and reconnects
simulated_network  server and clients in one process and in simulated time
netlab             experiments on the simulated network
"""

from engine.common.installation import require

require("msgspec", "websockets")
