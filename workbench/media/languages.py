"""The languages of Whisper: code and English name, as `--language` takes either."""

from __future__ import annotations

_LANGUAGES = """
en english zh chinese de german es spanish ru russian ko korean fr french ja japanese pt portuguese
tr turkish pl polish ca catalan nl dutch ar arabic sv swedish it italian id indonesian hi hindi
fi finnish vi vietnamese he hebrew uk ukrainian el greek ms malay cs czech ro romanian da danish
hu hungarian ta tamil no norwegian th thai ur urdu hr croatian bg bulgarian lt lithuanian la latin
mi maori ml malayalam cy welsh sk slovak te telugu fa persian lv latvian bn bengali sr serbian
az azerbaijani sl slovenian kn kannada et estonian mk macedonian br breton eu basque is icelandic
hy armenian ne nepali mn mongolian bs bosnian kk kazakh sq albanian sw swahili gl galician
mr marathi pa punjabi si sinhala km khmer sn shona yo yoruba so somali af afrikaans oc occitan
ka georgian be belarusian tg tajik sd sindhi gu gujarati am amharic yi yiddish lo lao uz uzbek
fo faroese ht haitian_creole ps pashto tk turkmen nn nynorsk mt maltese sa sanskrit
lb luxembourgish my myanmar bo tibetan tl tagalog mg malagasy as assamese tt tatar haw hawaiian
ln lingala ha hausa ba bashkir jw javanese su sundanese yue cantonese
"""

_ALSO = """
my burmese ca valencian nl flemish ht haitian lb letzeburgesch ps pushto pa panjabi ro moldavian
ro moldovan si sinhalese es castilian zh mandarin
"""


def _pairs(text: str) -> list[tuple[str, str]]:
    words = text.split()
    names = [word.replace("_", " ") for word in words[1::2]]
    return list(zip(words[::2], names, strict=True))


_NAMES = dict(_pairs(_LANGUAGES))
_CODES = {name: code for code, name in _pairs(_LANGUAGES) + _pairs(_ALSO)}


def language_code(language: str) -> str | None:
    """The code of a language given by code or English name, or None for an unknown one."""
    wanted = language.strip().lower()
    return wanted if wanted in _NAMES else _CODES.get(wanted)


def language_name(code: str) -> str:
    """The English name of a code, with a capital letter; an unknown code as it is."""
    return _NAMES.get(code, code).title()
