"""A shared world: a server closes ticks, clients predict them, and every copy goes through the same states.

messages           between server and clients, every field checked
scene              what can be shared, and how a client builds it
shared_simulation  the ticks of a demo with their actions, and rollback; of server and client
limits             what one client may request, and how it is counted
server             has authority: orders actions, closes ticks, relays; knows no socket
clock              the server's time as a client sees it
corrections        by how much the picture was wrong, and how it gets right
client             predicts, is corrected, keeps time; knows no socket
link               a simulated connection: late, lossy, out of order
script             actions at ticks, from a file
server_thread      a server's sockets; connection: a client's; client_session: a client and its connection
simulated_network  server and clients in one process and in simulated time; netlab: experiments on it
"""

from engine.common.installation import require

require("msgspec", "websockets")
