"""The web interface, which shows people a memory's contents and activity."""
