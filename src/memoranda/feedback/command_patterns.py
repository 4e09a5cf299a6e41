"""Regular expressions of commands to the memory.

There are two sets: commands within a chat with an agent, and commands to the memory itself.
"""

from __future__ import annotations

import re

from memoranda.feedback.model import CommandKind

_MEMORY = r"(?:your|the) memor(?:y|ies)"


def _form(*pieces: str) -> re.Pattern[str]:
    return re.compile("".join(pieces), re.IGNORECASE)


_END = r"(?:,? (?:so far|by now|now|please|again|then))?[ ?.!]{0,6}$"
_REST = r"(?P<argument>\S.*)$"
_COLON = r" ?(?::|-|\u2013|\u2014) ?"
_LATER = (
    r"(?: (?:for|in) (?:later|(?:the |my |our )?future(?: \w{1,12})?|next time|now on"
    r"|later (?:work|sessions?|tasks?)(?: here)?|(?:the )?(?:next|other|later) \w{1,12}))?"
)
_WISH = (
    r"(?:i(?:'d| would)? (?:want|like|need) you to |(?:make|be) sure (?:you |to |that you ){0,2}"
    r"|you (?:should|must|need to|can) |from now on,? |(?:always|also) ){0,2}"
)
_DONT = r"(?:don['\u2019]?t|do not|never)"
_MAY = r"(?:you (?:can|may) (?:now )?)?"
_HERE = r"(?:me|us|(?:this|the|our|my) (?:project|repo|repository|code ?base|workspace|team))"
_KINDS = (
    r"(?:rule|preference|memory|memories|note|fact|convention|instruction|setting|decision|habit)s?"
)
_NO_STATEMENT = (
    r"(?!(?:when|how|why|what|who|where|which|whether|if|me|him|her|them|it|us|last|back|those"
    r"|that (?:time|day|night|one)|the (?:time|day|night|last|first))\b)"
)
_SAYING = r"(?=(?:we|i|you|our|my|all|every|each|no|never|always|the|this|only|there|use|in|it)\b)"

FORMS: tuple[tuple[CommandKind, re.Pattern[str]], ...] = (
    (
        CommandKind.KNOW,
        _form(
            r"(?:what (?:do you|have you|did you|can you) (?:know|remember|learn|learned|learnt"
            r"|store|stored)|(?:show|tell|list) (?:me )?(?:everything |all )?(?:what |that )?you"
            rf" (?:know|remember))(?: about {_HERE})?",
            _END,
        ),
    ),
    (
        CommandKind.KNOW,
        _form(
            rf"(?:(?:show|list)(?: me)?(?: all)? (?:{_MEMORY}|my memories|memories|memory)"
            rf"|what(?:'s| is) in {_MEMORY})",
            _END,
        ),
    ),
    (
        CommandKind.OPTIMIZE,
        _form(
            r"(?:optimi[sz]e|clean up|compact|consolidate|tidy(?: up)?|compress) ",
            rf"(?:{_MEMORY}|memory|memories|my (?:memory|memories|profile))",
            _END,
        ),
    ),
    (
        CommandKind.RULE,
        _form(
            r"(?:(?:(?:add|save|set|make|create|store) (?:this|a|the following|as a)"
            r"|(?:add|save|create)|here'?s a|new|a|another)(?: new)? )?"
            rf"rules?(?: for {_HERE})?{_COLON}{_REST}"
        ),
    ),
    (
        CommandKind.RULE,
        _form(
            r"(?:(?:a )?new rule, |make (?:it|that|this) a rule(?: that| to|:) "
            rf"|add (?:this|it|that) as a rule: ?){_REST}"
        ),
    ),
    (
        CommandKind.FORGET,
        _form(
            rf"{_MAY}(?:(?:forget (?:(?:everything |all )?(?:you know )?about"
            r"|what (?:i (?:said|told you)|you know) about)"
            r"|(?:forget|remove|delete|erase|drop) (?:the |your |my )?"
            r"(?:memor(?:y|ies)|preferences?)"
            rf" (?:about|of|on|for)|forget (?:the |your |my )?{_KINDS} (?:about|of|on|for)"
            r"|(?:remove|delete|erase|drop) (?:everything |all |what )you know about"
            rf"|stop remembering(?: that)?)) {_REST}"
        ),
    ),
    (
        # A short phrase after "forget that" is an object ("forget that idea"), not a memory to
        # remove.
        CommandKind.FORGET,
        _form(rf"{_MAY}forget that (?P<argument>(?:(?!what\b)[\w'-]{{1,30}} ){{2}}\S.*)$"),
    ),
    (
        CommandKind.FORGET,
        _form(
            rf"{_MAY}forget (?P<argument>(?:my|our|the|your|that|any|all)"
            rf" (?:[\w'/.-]{{1,40}} ){{1,8}}{_KINDS}"
            r"(?: (?:about|on|for|of) [^,;]{1,100})?)[ .!]*$"
        ),
    ),
    (
        CommandKind.FORGET,
        _form(
            r"(?:forget|remove|delete|erase|drop) (?P<argument>\S.{0,200}) from"
            rf" (?:{_MEMORY}|memory)[ .!]*$"
        ),
    ),
    (
        CommandKind.REMEMBER,
        _form(
            rf"{_WISH}(?:(?:remember|memori[sz]e){_LATER}"
            rf"(?:,? that|,? to| this ?:| ?:)|{_DONT} forget that"
            rf"|(?:keep|bear)(?: it| this)? in mind{_LATER}(?:,? that| ?:)|note(?: down)? that"
            r"|(?:make|take) (?:a (?:mental )?)?note(?: that| ?:)) (?P<argument>(?!time\b|day\b"
            r"|night\b)\S.*)$"
        ),
    ),
    (
        CommandKind.REMEMBER,
        _form(
            r"(?:note(?: to self| for later)?"
            r"|(?:(?:save|store|add|put|write|keep)(?: this| that| it)?(?: down)?(?: (?:to|in|into)"
            rf" (?:{_MEMORY}|memory))|(?:note|remember) this){_LATER})"
            rf"(?: ?: ?| that )(?P<argument>(?:[^\s:]+ )+\S.*)$"
        ),
    ),
    (
        CommandKind.REMEMBER,
        _form(
            rf"{_WISH}(?:(?:remember|memori[sz]e){_LATER},? {_NO_STATEMENT}"
            rf"|(?:(?:keep|bear) in mind,? {_NO_STATEMENT}|{_DONT} forget,? {_SAYING}))"
            r"(?P<argument>(?:\S+ ){2,}\S.*)$"
        ),
    ),
    (CommandKind.REMEMBER, _form(rf"make a (?:mental )?note (?:of|about) {_REST}")),
)
SHORT_FORGET = re.compile(
    r"forget (?P<argument>(?:the|my|our|your) (?:[^\W_][\w'\u2019-]{0,40},? ?){1,4})[ .!]*$",
    re.IGNORECASE,
)
"""A message that only names what to forget, which is a command if a memory states it."""
OF_THE_WORK = re.compile(
    r"\b(?:api|approach|argument|branch|bug|build|cache|change|check|class|code|column|commit"
    r"|config|container|database|db|dependenc(?:y|ie)|dir|director(?:y|ie)|diff|doc|docstring"
    r"|endpoint|env|error|exception|feature|field|file|fix|fixture|flag|folder|format|function"
    r"|header|hook|idea|import|index|issue|job|key|lint|linter|log|logging|loop|merge|method"
    r"|migration|mock|module|option|output|package|parameter|parser|patch|path|plan|pipeline"
    r"|pr|prefix|query|question|readme|refactor|refactoring|release|repo|request|rest|schema"
    r"|script|server|service|setting|step|suite|table|task|test|ticket|todo|type|typing|ui"
    r"|update|variable|version|warning|wrapper)(?:e?s)?\b",
    re.IGNORECASE,
)
"""Words for an agent's work items, which a person may ask it to omit."""
_OTHER_REMEMBER = (
    r"(?:merke? dir|denke? (?:bitte )?daran|vergiss nicht|notiere?|behalte im kopf"
    r"|recuerda|ten en cuenta|no (?:te )?olvides|anota|apunta"
    r"|lembre-se(?: de)?|lembra(?:-te)?(?: de)?|n\u00e3o (?:se )?esque\u00e7as?(?: de)?|anote"
    r"|souviens-toi(?: de)?|rappelle-toi(?: de)?|retiens|n['\u2019]oublie pas|garde en t\u00eate)"
    r"(?: ?[:,])?(?: bitte,?| por favor,?)?(?: dass?| que| qu['\u2019])? "
)
_OTHER_FORGET = (
    r"(?:vergiss(?! (?:nicht|nie)\b)(?: bitte)?(?: (?:das|alles|was ich) (?:mit|\u00fcber|zu))?"
    r"|olvida(?:te de)?(?: (?:lo|todo lo) (?:de(?:l)?|que dije (?:de|sobre)))?"
    r"|esque\u00e7a(?: (?:o|tudo) (?:que eu disse )?(?:sobre|de))?"
    r"|oublie(?: (?:ce que j['\u2019]ai dit|tout) (?:sur|de|\u00e0 propos de))?) "
)
_OTHER_KNOW = (
    r"(?:was wei(?:\u00df|ss)t du(?: alles| noch)?(?: (?:\u00fcber|von) mi(?:ch|r))?"
    r"|was hast du(?: dir)?(?: alles)?(?: (?:\u00fcber|von) mi(?:ch|r))?"
    r" (?:gemerkt|gelernt|gespeichert)"
    r"|erz(?:\u00e4|ae)hl(?:e)? mir(?: alles,?)?(?: was du)? (?:\u00fcber|von) mi(?:ch|r)"
    r"(?: wei(?:\u00df|ss)t)?"
    r"|\u00bf?(?:qu\u00e9|que)(?: m(?:\u00e1|a)s)? (?:sabes|sabe usted|recuerdas|has aprendido)"
    r"(?: (?:de|sobre|acerca de) (?:m(?:\u00ed|i)|el usuario))?"
    r"|(?:o )?que (?:voc(?:\u00ea|e) )?(?:sabes?|(?:se )?lembras?)"
    r"(?: (?:de|sobre) (?:mim|o usu\u00e1rio))?"
    r"|(?:que (?:sais-tu|savez-vous|retiens-tu)"
    r"|qu['\u2019]est-ce que (?:tu sais|vous savez|tu retiens))"
    r"(?: (?:de|sur) (?:moi|l['\u2019]utilisateur))?"
    r"|dis-moi(?: tout)? ce que tu sais (?:de|sur) moi"
    r"|(?:che )?cosa (?:sai|ricordi)(?: (?:di|su) (?:me|l['\u2019]utente))?"
    r"|wat (?:weet|onthoud) je(?: nog)?(?: (?:over|van) mij)?"
    r"|[\u4f60\u60a8](?:\u90fd|\u5bf9\u6211|\u8fd8)?(?:\u77e5\u9053|\u8bb0\u5f97|\u4e86\u89e3)(?:\u6211|\u5173\u4e8e\u6211)?(?:\u7684)?(?:\u4ec0\u4e48|\u591a\u5c11|\u54ea\u4e9b)(?:\u4e8b)?"
    r"|(?:\u79c1\u306b\u3064\u3044\u3066)?(?:\u4f55|\u306a\u306b)\u3092(?:\u77e5\u3063\u3066|\u899a\u3048\u3066)(?:\u3044\u307e\u3059|\u3044\u308b|\u308b)\u304b?)"
    r"[ ?.!\uff1f]{0,4}$"
)
_EASTERN_REMEMBER = (
    r"(?:\u8bf7?(?:\u8bb0\u4f4f|\u8bb0\u5f97|\u8bb0\u4e0b)|\u8bb0(?:\u4f4f|\u5f97|\u4e0b|\u4e00\u4e0b)|\u522b\u5fd8\u4e86"
    r"|\u899a\u3048\u3066(?:\u304a\u3044\u3066)?(?:\u304f\u3060\u3055\u3044|\u306d)?"
    r"|\u5fd8\u308c\u306a\u3044\u3067(?:\u304f\u3060\u3055\u3044)?|\uae30\uc5b5\ud574(?: ?\uc918)?)"
    r"[\s:\uff1a,\uff0c\u3001\u3002]{0,4}"
)
_JAPANESE_REMEMBER_LAST = (
    r"(?P<argument>\S.*?)(?:(?:\u3068\u3044\u3046|\u3063\u3066)?(?:\u3053\u3068|\u306e)\u3092?|\u304b\u3089|\u306e\u3067|\u3068|\u3063\u3066)[\s\u3001]?"
    r"(?:\u3061\u3083\u3093\u3068|\u5fc5\u305a|\u305a\u3063\u3068)?(?:\u899a\u3048\u3066|\u899a\u3048\u3068(?:\u3044\u3066)|\u8a18\u61b6\u3057\u3066|\u30e1\u30e2\u3057\u3066)(?:\u304a\u3044\u3066|\u3044\u3066|\u304a\u3051)?"
    r"(?:\u304f\u3060\u3055\u3044|\u4e0b\u3055\u3044|\u304f\u308c(?:\u308b|\u307e\u3059\u304b|\u307e\u305b\u3093\u304b)?|\u306d|\u3088|\u307b\u3057\u3044(?:\u3067\u3059)?|\u6b32\u3057\u3044(?:\u3067\u3059)?|\u3082\u3089\u3048\u307e\u3059\u304b|\u3044\u305f\u3060\u3051\u307e\u3059\u304b)?[\s.!\u3002\uff01]{0,4}$"
)
"""Japanese form with the verb at the end, after the statement."""
DIRECT: tuple[tuple[CommandKind, re.Pattern[str]], ...] = (
    (
        CommandKind.KNOW,
        _form(
            r"what (?:do|have|did|can) you (?:know|remember|learn|learned|learnt|store|stored)"
            rf" (?:about|of|on) {_REST}"
        ),
    ),
    (CommandKind.KNOW, _form(_OTHER_KNOW)),
    (
        CommandKind.FORGET,
        _form(
            rf"(?:remove|delete|erase|drop) (?:the |your |my )?{_KINDS} (?:about|of|on|for) {_REST}"
        ),
    ),
    (CommandKind.FORGET, _form(rf"(?:forget|unlearn|remove|delete|erase|drop) {_REST}")),
    (
        CommandKind.REMEMBER,
        _form(
            r"(?:(?:commit|save|store|add|put|write|keep)(?: this| that| it)?(?: to| in| into)"
            rf" (?:{_MEMORY}|memory)|for (?:(?:future|later) reference|the record)|fyi"
            rf"|just so you know|{_DONT} forget(?: that| to)?|(?:keep|bear) in mind(?: that)?)"
            rf"(?: ?[,:\u2013\u2014-])? {_REST}"
        ),
    ),
    (
        CommandKind.REMEMBER,
        _form(
            r"(?:(?:save|store) this ?:|remember|memori[sz]e|note|save|learn) "
            rf"{_NO_STATEMENT}{_REST}"
        ),
    ),
    (CommandKind.REMEMBER, _form(rf"{_OTHER_REMEMBER}{_REST}")),
    (CommandKind.REMEMBER, _form(rf"{_EASTERN_REMEMBER}{_REST}")),
    (CommandKind.REMEMBER, _form(_JAPANESE_REMEMBER_LAST)),
    (CommandKind.FORGET, _form(rf"{_OTHER_FORGET}{_REST}")),
)
"""Command forms that apply only to text for the memory, not in a chat."""
