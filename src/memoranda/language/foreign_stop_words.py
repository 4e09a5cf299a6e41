"""Words without content in languages other than English, for search queries.

Questions of a language share these with almost every text of it. They are removed from a query only
if it is in such a language, since several are also English words, as German "die" and "was".
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import cache

from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.words import GRAMMAR, STOP_WORDS, words

_LISTS = {
    "German": "der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine"
    " ist sind war waren wird werden wurde wurden bin hat habe haben hatte hatten kann können darf dürfen"
    " muss müssen soll sollen sollte will wollen möchte mag für mit von vom zum zur zu im in am an auf aus"
    " bei nach nur über unter vor durch um ohne seit bis gegen ich du er sie es wir ihr uns mich mir dich"
    " dir ihm ihn ihnen mein meine meinen meiner unser unsere unserem unseren unserer dein deine sein"
    " seine man wer wen wem was wann wo woher wohin wie warum weshalb wieso welche welcher welches welchen"
    " welchem wenn weil dass ob als auch noch schon mal denn doch da dort hier dieser diese dieses diesen"
    " diesem sich so sehr mehr viel viele wieviel jede jeder jedes bitte gibt gab worauf wofür womit woran"
    " worin wozu wovon",
    "Spanish": "el la los las lo un una unos unas de del al a en por para con sin sobre entre hasta desde"
    " y e o u ni que qué quién quien quiénes cuál cuáles cual cuándo cuando dónde donde cómo como cuánto"
    " cuánta cuántos cuántas se su sus mi mis tu tus nos nuestro nuestra nuestros nuestras me te le les"
    " yo él ella ellos ellas nosotros esto esta este estos estas eso esa ese es son era eran fue fueron"
    " ser está están estaba estar ha han he hemos había hay haber hace hacer tiene tienen tengo tenemos"
    " tener puede pueden puedo podemos debe deben debo debemos no sí ya más muy también pero porque si"
    " cada todo toda todos todas algo",
    "Portuguese": "o a os as um uma uns umas de do da dos das no na nos nas em por pelo pela pelos pelas"
    " para pra com sem sobre entre até desde e ou nem que quem qual quais quando onde como quanto quanta"
    " quantos quantas porque porquê se seu sua seus suas meu minha meus minhas nosso nossa nossos nossas"
    " me te lhe nós eu ele ela eles elas você vocês gente isso isto esse essa este esta é são era eram foi"
    " foram ser está estão estava estar ao aos à às há tem têm tenho temos ter pode podem posso podemos"
    " deve devem devo devemos fazer faz não sim já mais muito também mas cada todo toda todos todas algo",
    "French": "le la les l un une des de du d au aux à en y par pour avec sans sur sous dans entre chez"
    " vers depuis et ou où ni que qu qui quoi quel quelle quels quelles quand comment combien pourquoi"
    " dont se sa son ses mon ma mes ton ta tes notre nos votre vos leur leurs je j tu il elle on nous vous"
    " ils elles me m te t lui ce c cet cette ces cela ça est sont était étaient être été a ai as ont avons"
    " avez avait avoir fait faire faut doit dois doivent peut peux peuvent puis ne n pas plus très aussi"
    " mais si s comme tout toute tous toutes chaque lequel laquelle",
    "Italian": "il lo la i gli le l un uno una di del dello della dei degli delle d da dal dalla a al allo"
    " alla ai alle in nel nella nei con per su sul sulla tra fra e ed o che chi cosa quale quali quando"
    " dove dov come quanto quanta quanti quante perché si se suo sua mio mia nostro nostra ci mi ti vi"
    " io lui lei noi voi loro questo questa questi queste quello quella è sono era erano essere stato ha"
    " hanno ho abbiamo aveva avere fa fare può possono posso possiamo deve devono devo dobbiamo non più"
    " anche ma ogni tutto tutti",
    "Dutch": "de het een en of maar niet geen is zijn was waren wordt worden werd heeft heb hebben had kan"
    " kunnen mag moet moeten zal zullen wil voor met van op aan in uit bij naar over onder door om zonder"
    " tot te ik je jij hij zij ze wij we ons onze mijn jouw haar hun u men wie wat wanneer waar hoe waarom"
    " welke welk als omdat dat dit deze die ook nog al er hier daar zo meer veel elke",
}  # fmt: skip
"""Function words of each language, and verbs that any question may have."""
_ENGLISH_TOO = frozenset(
    "a all also an as at die do dos had has he i in is it me my no of on or so son tan te to us was"
    " we while will would as son sum d l m s t are but by for from more of over under am bin mag men"
    " de la el en que man war hat des los".split()
)
"""Words that do not show which language a text is in.

They are English, or in names such as "Los Angeles" and "en route".
"""
_KANA = "\u3041-\u3096"
_PARTICLE = "をはがのにへとでも"
_CJK_PAIR = lazy_pattern(
    f"[{_PARTICLE}][^{_KANA}]|[^{_KANA}][{_PARTICLE}]|[什么吗呢怎哪谁的了们吧].|.[什么吗呢怎哪谁的了们吧]"
)
"""Pair of characters across the end of a Japanese word, or with a Chinese function word."""
_CJK_PAIRS = frozenset(
    "です ます まし した して てい いる ある あり ので から まで どう どこ いつ なぜ だれ だけ こと もの これ"
    " それ ため ない には では とは って たら れば なの のは のか すか うし うや やっ され れる られ させ せる"
    " よう うに たい った ませ せん でし しょ ょう いの はど はな はい にし てど する いう うい"
    " 可以 我们 是不 不是 这个 那个 有些 应该 如何 为何 是否".split()
)
"""Pairs of characters in Japanese and Chinese that any question may have."""


@cache
def _stop_words() -> dict[str, frozenset[str]]:
    """Return the terms of each language's list."""
    return {language: frozenset(words(listed)) for language, listed in _LISTS.items()}


@cache
def _signs() -> dict[str, frozenset[str]]:
    """Return the words of each list that are not English."""
    return {
        language: listed - GRAMMAR - _ENGLISH_TOO for language, listed in _stop_words().items()
    }


def stop_words(found: AbstractSet[str]) -> AbstractSet[str]:
    """Return the words without content among those of a query.

    English ones always, those of another language if the query has more words of it than English
    ones.

    >>> sorted(stop_words({"wie", "wird", "die", "rechnung", "erstellt"}))
    ['die', 'wie', 'wird']
    """
    english = len(found & (GRAMMAR - _ENGLISH_TOO))
    others = {language: len(found & signs) for language, signs in _signs().items()}
    most = max(others.values())
    result = {
        word
        for word in found
        if word in STOP_WORDS
        or word in _CJK_PAIRS
        or (len(word) == 2 and _CJK_PAIR.fullmatch(word) and not word.isascii())
    }
    if most > english:
        for language, number in others.items():
            if number == most:
                result |= found & _stop_words()[language]
    return result
