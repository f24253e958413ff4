"""One world, many hands: a server closes ticks, clients predict them, and every copy goes through the same states.

messages    what is said over the connection, every field checked
simulation      the ticks of a demo with their inputs, and the way back to a keyframe: the one thing that server and client share
limits      what one client may ask for, and how it is counted
server      has authority: it puts inputs in order, closes ticks, relays; knows no socket
clock       the server's time as a client sees it
corrections by how much the picture was wrong, and how it gets right
client      predicts, is corrected, keeps time; knows no socket
script      acts at ticks from a file
link        a connection that is late, loses, reorders and duplicates, made of random numbers
server_thread     a server's sockets, in a thread; connection: a client's; client_session: a client and its connection
"""

from engine.common.installation import require

require("msgspec", "websockets")
