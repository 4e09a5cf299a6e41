"""Cues for requirements and decisions, by language.

Each language has a few regular expressions; in other languages, only values and names are
recognised.
"""

from __future__ import annotations

from memoranda.language.words import FUNCTION_WORDS
from memoranda.statements.case_insensitive_patterns import CaselessPattern

REQUIREMENT = CaselessPattern(
    # German
    r"\b(?:(?:darf|dürfen|dürft) (?:auf keinen fall |nur |nie\w* |nicht )|(?:darf|dürfen)\b.{1,60}?"
    r"\b(?:nicht|nie\w*|nur|kein\w*)\b|(?:niemals|auf keinen fall|unbedingt|verboten|untersagt"
    r"|zwingend|muss|müssen|ab sofort|von jetzt an|künftig|höchstens|mindestens|maximal|bitte"
    r"|immer|nie|ausschließlich|keinesfalls)\b|nicht (?:mehr|anfassen)\b"
    r"|(?:kein|keine|keinen)\b.{1,60}?\bohne\b"
    # Spanish, Portuguese
    r"|(?:nunca|jamás|jamais|siempre|sempre|prohibid\w+|proibid\w+|obligatori\w+|obrigat\w+"
    r"|hay que|tienes? que|tienen que|tem que|debe[ns]?|deben|deve[m]?|a partir de (?:ahora|hoy"
    r"|agora|hoje|maintenant)|de ahora en adelante|como (?:máximo|mínimo)|no máximo|no se"
    r"|solo se|solo admite|sólo|nada de|ni se te ocurra|não (?:pode|use|mexa|toque)|apenas"
    r"|no (?:toques|uses|pongas|hagas|subas|cambies|borres|quiero))\b"
    # French, Italian
    r"|(?:toujours|interdit\w*|il faut|obligatoire\w*|doi(?:t|vent)|ne .{1,40}? (?:pas|jamais"
    r"|plus)|au (?:plus|maximum|minimum)|dorénavant|désormais|uniquement|mai più|vietat\w+"
    r"|bisogna|deve|devono|d'ora in poi)\b)"
    # Chinese, Japanese, Korean
    r"|(?:\u5fc5\u987b|\u5fc5\u9808|\u4e0d\u8981|\u4e0d\u80fd|\u4e0d\u8bb8|\u4e0d\u51c6"
    r"|\u7981\u6b62|\u52a1\u5fc5|\u6c38\u8fdc|\u4ee5\u540e|\u4e00\u5f8b|\u53ea\u80fd"
    r"|\u5fc5\u305a|\u7d76\u5bfe|\u3057\u306a\u3044\u3067|\u3066\u306f\u3044\u3051\u306a\u3044"
    r"|\u3053\u3068\u306b\u3059\u308b|\u4eca\u5f8c"
    r"|\ubc18\ub4dc\uc2dc|\uc808\ub300|\ud558\uc9c0 \ub9c8)"
)
DECISION = CaselessPattern(
    # German
    r"\b(?:entschieden|entscheidung|beschlossen|einigen?t?|geeinigt|umgestellt|ersetzt|abgelöst"
    r"|verworfen|weil|damit|deshalb|deswegen|ursache|lag an|wir nehmen|wir bleiben"
    # Spanish, Portuguese
    r"|decidi\w+|decisi\w+|decid\w+|acordamos|quedamos|elegi\w+|escolh\w+|porque|ya que"
    r"|para que|por eso|causa|descart\w+|reemplaz\w+|substitu\w+|sustitu\w+|nos quedamos|ficamos"
    # French, Italian
    r"|décid\w+|décision|choisi\w*|retenu\w*|parce que|puisque|afin de|abandonn\w+"
    r"|remplac\w+|deciso|scelto|perché|poiché|sostituit\w+)\b"
    # Chinese, Japanese
    r"|(?:\u51b3\u5b9a|\u6c7a\u5b9a|\u6c7a\u3081|\u9078\u3093|\u9009\u62e9|\u56e0\u4e3a"
    r"|\u539f\u56e0|\u6539\u7528|\u6539\u6210|\u306a\u306e\u3067|\u305f\u3081)"
)


def is_natural_language(words: list[str]) -> bool:
    """Return whether words contain function words of any language.

    Output of programs contains few of them together.
    """
    plain = {word.strip(".,;:!?'\"()`").casefold() for word in words}
    whole = words[0][:1].isupper() and words[-1].endswith(".")
    return len(plain & FUNCTION_WORDS) >= (1 if whole else 2)
