"""The terminal dashboard: what a memory contains, and what is pending.

The dashboard is an interface like the others: it calls the memory object, local or on a server, and
shows the results. All text from the memory object is treated as data. `background_calls` runs calls
in other threads, `terminal_text` makes text harmless, `list_widgets` and `pane` are the base of
every tab.
"""
