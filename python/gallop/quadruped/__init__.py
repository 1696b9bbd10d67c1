"""Anyone's quadruped: motion of a four-legged animal in, a controller of the dog's kind out.

`roles` finds legs, trunk, head and tail; `body` makes a hinged body of the skeleton; `takes` cleans
and labels the motion on it; `page` shows what was found; `train` does all of it in this order.
`retarget` puts a run of one animal on the skeleton of another.
"""
