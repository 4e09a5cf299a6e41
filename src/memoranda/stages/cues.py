"""Cues of each stage in an agent's text. English only.

For other languages, only actions are used. The table is written manually, because models that were
fitted to one agent's text performed worse on another agent's text. Patterns match lower-case text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoranda.stages.model import StageName


@dataclass(frozen=True, slots=True)
class StageCue:
    """A pattern and its weight."""

    weight: float
    pattern: re.Pattern[str]


def _cue(weight: float, *pieces: str) -> StageCue:
    return StageCue(weight, re.compile("".join(pieces)))


_FAILURE = (
    r"\b(?:errors?|fail(?:s|ed|ures?|ing)?|exceptions?|traceback|syntax|indentation|wrong"
    r"|incorrect(?:ly)?|mistakes?|misunder\w+|oversight"
    r"|did ?n[o']t (?:work|match|find|yield|help|apply|fix)|does ?n[o']t (?:work|match|exist|fix)"
    r"|still (?:fail\w*|broken|not|there)|persist\w*|unexpected(?:ly)?|broken?|regress\w*|not found"
    r"|no (?:match|result)\w*|couldn'?t|unable|rejected|denied|worse|limitation\w*|challenges?"
    r"|difficult\w*|stuck|setback|misplac\w+|unsuccessful)\b"
)
_CHANGE = (
    r"implement|add|write|create|insert|modify|update|replace|remove|delete|refactor|rename|change"
    r"|apply|install|deploy|commit|push|configure|fix|edit|book|cancel|send|patch|document"
)

CUES: dict[StageName, tuple[StageCue, ...]] = {
    StageName.REFLECTION: (
        _cue(
            2.5,
            r"\b(?:it (?:seems|appears|looks like)|apparently|given|because|since|due to"
            r"|indicates? that|suggests? that|means that)\b[^.]{0,120}?",
            _FAILURE,
        ),
        _cue(
            2.5,
            _FAILURE,
            r"[^.]{0,100}?\b(?:because|due to|since|was caused|occurred|likely|indicates?"
            r"|suggests?|means)\b",
        ),
        _cue(
            2.2,
            r"\b(?:my|the|our) (?:previous|earlier|last|initial|first|proposed|attempted)"
            r" (?:attempts?|edits?|approach|try|command|change|fix|assumption)\b",
        ),
        _cue(
            2.2,
            r"\b(?:root cause|lesson|in hindsight|i (?:forgot|missed|overlooked|misread|assumed)"
            r"|i should have|reassess|reconsider|rethink|step back|start over|retry"
            r"|different (?:approach|strategy|way)|try (?:a different|another|again)"
            r"|change (?:of )?course|revert|roll(?:ing)? back|undo)\b",
        ),
        _cue(
            1.3,
            r"\b(?:instead|let'?s correct|correct (?:the|this|that)|let me fix|to fix this"
            r"|fix (?:the|this) (?:error|issue|indentation|syntax)|work ?around|adjust)\b",
        ),
        _cue(
            1.0,
            r"^\W*(?:hmm|oh|oops|ah|wait|unfortunately|the (?:error|failure|issue)"
            r"|that (?:did ?n't|failed))\b",
        ),
        _cue(0.8, _FAILURE),
    ),
    StageName.VERIFICATION: (
        _cue(
            2.4,
            r"\b(?:run|re-?run|running|execute|launch)\b[^.]{0,50}?\b(?:tests?|suite|script|checks?"
            r"|linter?|build|benchmark|it again|spec|unit|regression|integration)\b",
        ),
        _cue(
            2.4,
            r"\b(?:verify|verif(?:ies|ied|ying|ication)|validat\w+|double[- ]check"
            r"|confirm(?:s|ed|ing)?|make sure|ensure (?:that )?(?:everything|it|the (?:fix|change"
            r"|tests?))|sanity|smoke|spot-check|reproduc(?:e|es|ing) the"
            r"|replicate the (?:bug|issue))\b",
        ),
        _cue(
            1.6,
            r"\b(?:let me|let's|i'?ll|now|i (?:need|want|should) to?|should)\b[^.]{0,25}?"
            r"\b(?:test|check)\b(?! (?:the )?(?:file|logs?|docs?|contents?|implementation|current"
            r"|existing|available|what|where|how|which|constraints?))",
        ),
        _cue(
            1.4,
            r"\b(?:all (?:the )?tests? (?:pass\w*|are)|tests? pass|passing"
            r"|works? (?:as expected|correctly|now)"
            r"|successfully (?:applied|updated|implemented|fixed|resolved|completed)"
            r"|has been (?:successfully )?(?:applied|addressed|resolved|fixed|updated|completed)"
            r"|task (?:is )?complete\w*|(?:issue|problem) (?:has been|is) (?:resolved|fixed))\b",
        ),
        _cue(
            1.0,
            r"\b(?:diff|git status|coverage|health|lint|type-?check"
            r"|expected (?:output|result|behaviou?r)|as expected|final (?:check|review|summary))\b",
        ),
        _cue(1.2, r"\b(?:submit\w*|done|completed?)\b"),
    ),
    StageName.EXECUTION: (
        _cue(
            2.2,
            r"\b(?:implement\w*|add(?:ing)?|writ(?:e|ing)|creat(?:e|ing)|insert|modify(?:ing)?"
            r"|updat(?:e|ing)|replac(?:e|ing)|remov(?:e|ing)|delet(?:e|ing)|refactor\w*"
            r"|renam(?:e|ing)|chang(?:e|ing)|apply(?:ing)?|install(?:ing)?|deploy(?:ing)?"
            r"|commit(?:ting)?|push(?:ing)?|configur(?:e|ing)|set(?:ting)? up|fix(?:ing)?"
            r"|edit(?:ing)?|book(?:ing)?|cancel(?:l?ing)?|send(?:ing)?|disable|enable|move|migrat\w+"
            r"|generate|build(?:ing)?|patch(?:ing)?|document\w*|bump|extract|wire)\b",
        ),
        _cue(
            1.2,
            r"\b(?:now|let'?s|i'?ll|let me(?! know)|next,? (?:we|i)|proceed(?:ing)?|go ahead)\b"
            rf"[^.]{{0,30}}?\b(?:{_CHANGE}|make (?:the|these|this))\b",
        ),
    ),
    StageName.PLANNING: (
        _cue(
            2.2,
            r"\b(?:locat\w*|find(?:ing)?|search(?:ing)?|look(?:ing)? (?:at|for|into|up|through)"
            r"|explor\w+|inspect\w*|examin\w+|review (?:the|current|existing|our)|read(?:ing)?"
            r"|open(?:ing)?|list(?:ing)?|navigate|understand(?:ing)?|investigat\w+|identify|gather"
            r"|browse|scroll|view|see (?:what|how|where|which|the|if)|familiari\w+|determine"
            r"|figure out|narrow)\b",
        ),
        _cue(
            1.8,
            r"\b(?:plan(?:ning)?|first|approach|strategy|steps?|outline|design"
            r"|break (?:it|this|the)|todo|requirements?|before (?:making|chang|edit|i|we)"
            r"|start(?:ing)? (?:by|with)|begin|consider|options?"
            r"|need to (?:know|understand|decide|figure))\b",
        ),
        _cue(
            1.2,
            r"\bcheck(?:ing)? (?:the )?(?:file|logs?|docs?|contents?|implementation|current"
            r"|existing|available|what|where|how|which|constraints?|status|config\w*|structure"
            r"|directory)\b",
        ),
        _cue(
            1.0,
            r"\b(?:could you|can you|would you|please provide|which (?:one|of)"
            r"|do you (?:want|prefer|have))\b",
        ),
    ),
}

INTENT = re.compile(
    r"\b(?:let'?s|let me(?! know)|i'?ll|i will|i need to|i should|we need to|we should|next step"
    r"|now,? (?:i|we)|next,?|to (?:do|address|fix|confirm|verify|test) (?:this|that|it))\b"
)
"""Beginning of an agent's statement about its next step."""

ASKING = re.compile(
    r"[?\uff1f]$"
    r"|\bplease (?:let me know|confirm|provide|specify|choose|tell me)\b[^.?!]{0,160}[.!]?$"
)
"""End of a message that waits for a person's answer."""
