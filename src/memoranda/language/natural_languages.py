"""Names of languages that people ask an agent to write in."""

from __future__ import annotations

import re

from memoranda.language.words import by_word, words

LANGUAGE_NAMES = frozenset(
    words(
        "english inglés ingles englisch anglais inglese inglês spanish español castellano spanisch"
        " espagnol german deutsch alemán allemand tedesco french francés français französisch"
        " italian italiano italienisch italien portuguese portugués português dutch holandés"
        " japanese chinese korean"
    )
)
"""Names without accents, like the words of a text."""
_IN_ENGLISH = by_word(
    {
        "english": "英语 英文 英語",
        "chinese": "中文 汉语 中国语 中国語",
        "japanese": "日语 日文 日本語",
        "french": "法语 法文 フランス語",
        "german": "德语 德文 ドイツ語",
        "spanish": "西班牙语 スペイン語",
        "korean": "韩语 韩文 韓国語",
    }
)
_NAME = re.compile("|".join(_IN_ENGLISH))


def named_in_english(text: str) -> str:
    """Return a text with Chinese and Japanese language names in English."""
    return _NAME.sub(lambda match: f" {_IN_ENGLISH[match[0]]} ", text)
