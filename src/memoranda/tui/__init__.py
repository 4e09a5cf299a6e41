"""The terminal dashboard: what an open memory holds, and what waits for a person's word.

It is a door like the others: it asks the facade, here or on a server, and shows what it answers.
All text that comes from there is data. `aside` keeps calls off the thread that draws, `plain`
makes text harmless, `rows` and `pane` are what every tab is made of.
"""
