"""Terms that indicate the type of a name, inside or next to the name.

The terms are in `lexicon.tsv`; each line has the name of a table, a tab, and the table's terms.
"""

from __future__ import annotations

from memoranda.language.words import EMPTY, table_rows, word_set


def _tables() -> dict[str, frozenset[str]]:
    rows = table_rows("memoranda.memories.extraction", "lexicon.tsv")
    return {name: word_set(words) for name, words in rows}


_TABLES = _tables()

NO_NAMES = EMPTY | _TABLES["no_names"]
"""Words capitalised only at the start of a sentence, and calendar words."""
THINGS = _TABLES["things"]
"""Nouns that start sentences as often as names do."""
ORGANIZATIONS = _TABLES["organizations"]
"""Last words in the names of organizations."""
GROUPS = _TABLES["groups"]
"""Last words in the names of organizations and of other things."""
FIELDS = _TABLES["fields"]
"""Fields of work; a name that ends with one is an organization."""
PROJECTS = _TABLES["projects"]
"""Last words in the names of projects."""
PROJECT_NOUNS = _TABLES["project_nouns"]
"""Lower-case nouns that can follow a project's name."""
ORGANIZATION_NOUNS = _TABLES["organization_nouns"]
"""Lower-case nouns that can follow an organization's name."""
PLACES = _TABLES["places"]
"""Last words in the names of places."""
PLACE_NOUNS = _TABLES["place_nouns"]
"""Lower-case nouns that can follow a place's name."""
PEOPLES = _TABLES["peoples"]
"""Nouns that follow an adjective that looks like a name."""
ROLES = _TABLES["roles"]
"""Roles of a person, before or after the name."""
TITLES = _TABLES["titles"]
"""Capitalised words before a name that are not part of it."""
DEPARTMENTS = _TABLES["departments"]
"""Abbreviations after a name that are not part of it."""
DEEDS = _TABLES["deeds"]
"""Stems of verbs whose subject is a person."""
PASTS = _TABLES["pasts"]
"""Irregular past forms of verbs whose subject is a person, and auxiliaries."""
ADVERBS = _TABLES["adverbs"]
"""Words that may occur between a person and the verb."""
RECEIVED = _TABLES["received"]
"""Verbs at the start of a sentence that precede the person they refer to."""
COMPANY_OF = _TABLES["company_of"]
"""Words that are followed by a person's name."""
FIRST_NAMES = _TABLES["first_names"]
"""Given names."""
TECHNOLOGIES = _TABLES["technologies"]
"""Names of technologies in lower case, recognised in any letter case."""
CAPITAL_TECHNOLOGIES = _TABLES["capital_technologies"]
"""Names of technologies recognised only with an initial capital.

In lower case these words are ordinary words.
"""
SURNAMES = _TABLES["surnames"]
"""Family names that look like other words."""
NO_KEYWORDS = _TABLES["no_keywords"]
"""Words that are never keywords."""
