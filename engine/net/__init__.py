"""Shared worlds: a server closes ticks, clients predict them, and all copies go through the same states.

messages           messages between server and clients, with validation of every field
scene              checks whether a demo can be shared, and builds a client's copy
shared_simulation  a demo's ticks, actions and rollback; used by server and client
limits             limits on each client's requests, and rate limiters
server             authoritative server without sockets: orders and relays actions, closes ticks
clock              a client's estimate of the server's clock
corrections        size and visual smoothing of corrections
client             client without sockets: prediction, rollback, synchronization
link               simulated network link: latency, jitter, loss, reordering
script             actions by tick, read from a file
server_thread      runs the server and its sockets on a thread
connection         the client's socket
client_session     runs a client over its connection, and reconnects
simulated_network  server and clients in one process and in simulated time
netlab             experiments on the simulated network
"""

from engine.common.installation import require

require("msgspec", "websockets")
