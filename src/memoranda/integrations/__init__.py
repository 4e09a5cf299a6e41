"""What lets agents and frameworks that people already use keep their memory here.

Each module is one interface of somebody else's, over the facade alone: it works in the process and
with a memory on a server. The package it speaks to comes with the extra of its name.
"""
