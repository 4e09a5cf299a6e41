"""The tables, one module per aggregate: portable SQL written once for every engine.

Each function takes the transaction it runs in and a team; each statement names the team.
"""
