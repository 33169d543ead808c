"""What orders to a model sound like, in several languages.

Every pattern is matched against normalised text (`normalise`): lower case, no accents. Gaps are bounded, so that the
time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from strata_rag.generation.guards.finding import Severity
from strata_rag.generation.guards.normalise import normalise


@dataclass(frozen=True, slots=True)
class Phrase:
    """A stretch of text that sounds like an order to a model.

    Attributes:
        start: First code point of the normalised text.
        end: One past the last.
        sort: What it asks for.
        severity: How rarely an honest text says it.
        is_latin: Whether it is looked for in Latin letters; look-alikes disguise no other phrase.
    """

    start: int
    end: int
    sort: str
    severity: Severity
    is_latin: bool = True


@dataclass(frozen=True, slots=True)
class _Rule:
    sort: str
    severity: Severity
    triggers: tuple[str, ...]
    pattern: re.Pattern[str]
    is_latin: bool


# Between two words: at most a few signs or line ends. A gap: up to some words; the wide one ends with its sentence.
_JOIN = r"[\W_]{1,6}"
_GAPS = {
    "{0-3}": r"(?:[\W_]{1,6}\w{1,24}){0,3}?[\W_]{1,6}",
    "{0-6}": r"(?:[^\w.!?;]{1,6}\w{1,24}){0,6}?[^\w.!?;]{1,6}",
}
_NOT = r"(?<!not )(?<!never )(?<!n't )"  # what is forbidden is not asked for

# sort | severity | texts of which one must occur | pattern, where a space joins two words
_RULES = r"""
override | medium | ignor,disregard,forget | {not}\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget)(?:{0-3})(?:previous|prior|above|earlier|preceding|former|foregoing|existing|original|initial|your|system|safety)(?:{0-3})(?:instructions?|prompts?|rules?|directions?|directives?|guidelines?|context|commands?|orders?|programming|constraints?)\b
override | medium | ignor,disregard,forget | {not}\b(?:ignore|disregard|forget) (?:about )?(?:all|any|every)(?:{0-3})(?:instructions?|prompts?|rules|directives?|guidelines|programming)\b
override | medium | overrid,bypass | {not}\b(?:override|bypass)(?:{0-3})(?:previous|prior|above|earlier|original|initial|your|system|safety|all)(?:{0-3})(?:instructions|prompts?|guidelines|programming)\b
override | medium | ignor,disregard,forget | \b(?:ignore|disregard|forget) (?:(?:everything|anything|all|what)(?:{0-3})(?:above|before|previously|earlier|prior|said|told)|the above (?:and|then|text|instead))\b
override | medium | instructions | \b(?:new|updated|revised|real|actual) (?:system )?instructions?\s{0,3}(?::|are\b|follow\b)
override | medium | not follow | \bdo not follow(?:{0-3})(?:previous|prior|above|earlier|system|original|your)(?:{0-3})(?:instructions?|rules?|prompts?)\b
override | medium | ignorier,vergiss,vergessen sie,missacht,uberschreib | \b(?:ignorier(?:e|en|t)?|vergiss|vergessen sie|missacht(?:e|en|et)?|uberschreib(?:e|en|t)?)(?:{0-3})(?:vorherig\w{0,3}|bisherig\w{0,3}|obig\w{0,3}|vorangegangen\w{0,3}|fruher\w{0,3}|alle\w{0,2}|deine|ihre|system\w{0,8})(?:{0-3})(?:anweisung\w{0,3}|instruktion\w{0,3}|regel\w{0,2}|befehl\w{0,2}|vorgabe\w{0,2}|prompts?|systemprompts?)\b
override | medium | ignor,oubli,neglige | \b(?:ignor(?:e|ez|er)|oubli(?:e|ez|er)|neglige[rz]?)(?:{0-3})(?:instructions?|consignes?|directives?|regles?|ordres?|prompts?)(?:{0-3})(?:precedentes?|anterieure?s?|ci[\W_]{1,3}dessus|initiales?|systeme|donnees?|recues?)\b
override | medium | ignor,oubli | \b(?:ignor(?:e|ez|er)|oubli(?:e|ez|er)) (?:toutes|tous|tout)(?:{0-3})(?:instructions?|consignes?|directives?|regles?|ordres?|precede|dessus)\b
override | medium | ignor,olvid,descart,desatiend | \b(?:ignor(?:a|e|en|ar)|olvid(?:a|e|en|ar)|descart(?:a|e|en|ar)|desatiend(?:a|e|en))(?:{0-3})(?:instruccion(?:es)?|indicacion(?:es)?|ordenes|reglas|directrices|prompts?)(?:{0-3})(?:anterior(?:es)?|previas?|precedentes?|arriba|iniciales?|sistema|recibidas?|dadas?)\b
override | medium | ignor,olvid | \b(?:ignor(?:a|e|en|ar)|olvid(?:a|e|en|ar)) (?:todo|todas?|todos)(?:{0-3})(?:instruccion(?:es)?|indicacion(?:es)?|ordenes|reglas|directrices|anterior)\b
override | medium | ignor,dimentic | \b(?:ignor(?:a|i|ate|are)|dimentic(?:a|hi|ate|are))(?:{0-3})(?:istruzion[ei]|regole|ordini|direttive|prompts?)(?:{0-3})(?:precedenti|sopra|iniziali|sistema|ricevut\w)\b
override | medium | ignor,esque,desconsider | \b(?:ignor(?:e|a|em|ar)|esque(?:ca|cam|cer)|desconsider(?:e|a|em|ar))(?:{0-3})(?:instruc(?:ao|oes)|regras|ordens|diretrizes|prompts?)(?:{0-3})(?:anterior(?:es)?|previas?|acima|iniciais|sistema)\b
override | medium | negeer,vergeet | \b(?:negeer|vergeet)(?:{0-3})(?:vorige|eerdere|bovenstaande|voorgaande|alle)(?:{0-3})(?:instructies?|regels|opdrachten|prompts?)\b
override | medium | ignoruj | \b(?:z?ignoruj(?:cie)?)(?:{0-3})(?:poprzednie|wczesniejsze|powyzsze|wszystkie)(?:{0-3})(?:instrukcje|polecenia|zasady)\b
override | medium | игнорируй,забудь | (?:игнорируй(?:те)?|забудь(?:те)?)(?:{0-3})(?:предыдущ\w{1,3}|прежн\w{1,3}|вс[её]х?)(?:{0-3})(?:инструкци\w{1,3}|указани\w{1,3}|правил\w{0,3}|команд\w{0,3})
override | medium | 忽略,無視,忽视,无视,忘记 | (?:忽略|無視|忽视|无视|忘记)[^。\n]{0,12}?(?:之前|以前|先前|前面|上面|以上|上述|所有|一切|前の|すべて)?[^。\n]{0,8}?(?:指令|指示|提示|命令|规则|規則|說明|说明)
override | medium | 無視,忘れ | (?:指示|命令|プロンプト|ルール|規則)[^。\n]{0,10}?(?:無視|忘れ)
persona | low | you are now,from now on,act as,pretend | \b(?:you are now|from now on,? you|pretend (?:to be|that you are|you are)|act as (?:if you|an? (?:unrestricted|unfiltered|evil)))\b
persona | medium | do anything now,developer mode,debug mode,god mode,admin mode,dan mode,unrestricted,jailbreak,you are dan,you are now dan | \b(?:do anything now|(?:enter|enable|activate|switch to) (?:developer|debug|god|admin|dan|unrestricted|jailbreak) mode|you are (?:now )?(?:in )?(?:dan|developer mode|unrestricted)\b)
persona | low | du bist,ab jetzt,ab sofort,tu es maintenant,vous etes maintenant,a partir de,eres ahora,ahora eres | \b(?:du bist (?:jetzt|ab sofort|nun)|sie sind (?:jetzt|ab sofort) ein|ab jetzt bist du|tu es maintenant|vous etes maintenant|a partir de maintenant(?:,)? (?:tu|vous)|eres ahora|ahora eres|a partir de ahora(?:,)? (?:eres|actua))\b
leak | medium | prompt,system message,instructions | \b(?:reveal|print|output|repeat|show|display|leak|disclose|share|tell me|write out|return)(?:{0-3})(?:your|the|this|hidden|full|entire) (?:{0-3})?(?:system prompt|initial prompt|hidden prompt|system message|system instructions|secret instructions|initial instructions)\b
leak | medium | prompt,systemanweisung,instructions systeme,instrucciones del sistema | \b(?:zeige|verrate|wiederhole|gib|nenne|affiche[rz]?|revele[rz]?|repete[rz]?|muestra|revela|repite|imprime)(?:{0-3})(?:system[\W_]{0,2}prompt|systemanweisung(?:en)?|prompt systeme|instructions systeme|prompt del sistema|instrucciones del sistema)\b
leak | low | system prompt | \bsystem prompt\b
conceal | medium | the user,this user,any user,users,the human,the reader,this person,the person | \b(?:do not|don.?t|never|without) (?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|reveal(?:ing)?|alert(?:ing)?|notify(?:ing)?|warn(?:ing)?|show(?:ing)?)(?:{0-6})(?:the|this|any) (?:user|human|reader|person)s?\b
conceal | medium | nutzer,benutzer,anwender,utilisateur,usuario | \b(?:(?:sag|erzahl|verrat|teil)\w{0,3}(?:{0-3})(?:nutzer|benutzer|anwender)\w{0,2}(?:{0-3})(?:nichts?|nicht|davon)|ne (?:dis|dites|mentionne[rz]?|informe[rz]?)(?:{0-6})utilisateur|no (?:le )?(?:digas|informes|menciones|reveles)(?:{0-6})usuario)\b
order | medium | pwned,hacked,i have been,approved,yes to | \b(?:you must|always|only|just|instead,?|simply) (?:respond|reply|answer|say|output)(?:ing)? (?:only )?(?:with|by saying|that)\b(?:{0-3})["'“‘`]?(?:pwned|hacked|i have been|approved|yes to)
order | medium | assistant,language model,llm,to ai,to the ai,to all ai,to any ai,for ai,for the ai,ai model,ai agent,chatbot,sprachmodell,die ki,an ki | \b(?:attention|important|note|message|instructions?|reminder|hinweis|warning)(?:{0-3})(?:to|for|an|fur) (?:the |all |any |alle |die |das |den )?(?:ai|llms?|language models?|ai assistants?|ai models?|ai agents?|chatbots?|ki|sprachmodelle?)\b
order | medium | if you are an ai,if you are a,if you are the | \bif you are (?:an? )?(?:ai|llm|language model|assistant|chatbot|model)(?:{0-6})(?:then|must|should|please|say|reply|respond|output|include|ignore|recommend)\b
exfiltrate | medium | conversation,chat history,chat log,user,secret,api key,password,credentials | \b(?:send|forward|e?[\W_]?mail|post|exfiltrate|upload|transmit|leak)(?:{0-6})(?:conversation|chat history|chat log|user.?s? (?:data|input|message|question|query)|secrets?|api keys?|passwords?|credentials)(?:{0-3})(?:to|at|via)(?:{0-3})(?:https?|www|[\w.-]{1,40}@)
marker | medium | <|,inst],<< | <\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|endofprompt)\|>|\[/?inst\]|<</?sys>>
marker | medium | ###,## | (?:^|\n)[^\S\n]{0,3}\#{2,4} ?(?:system|system prompt|system message|new instructions?) ?:
marker | low | system,assistant,human,user | (?:^|\n)[^\S\n]{0,3}(?:system|assistant|human|user)[^\S\n]{0,2}:
marker | low | </,<system,<instruction,<context,<passage,<document | </?(?:system|instructions?|system_prompt|context|passages?|documents?)>
"""  # noqa: E501


def _compiled(line: str) -> _Rule:
    sort, severity, words, pattern = (part.strip() for part in line.split(" | ", 3))
    triggers = tuple(normalise(word) for word in words.split(","))
    source = pattern
    for gap, expression in _GAPS.items():
        source = source.replace(f"(?:{gap})?", f"(?:{expression})?").replace(f"(?:{gap})", expression)
    source = _joined(source).replace("{not}", _NOT)
    return _Rule(sort, severity, triggers, re.compile(_folded(source)), pattern.isascii())  # type: ignore[arg-type]


def _joined(source: str) -> str:
    """Turn each space of a pattern into what may stand between two words; not inside brackets of a class."""
    parts, depth = [], 0
    for at, sign in enumerate(source):
        escaped = at > 0 and source[at - 1] == "\\"
        depth += (sign == "[" and not escaped) - (sign == "]" and not escaped and depth > 0)
        parts.append(_JOIN if sign == " " and not depth and source[at + 1 : at + 2] != "?" else sign)
    return "".join(parts)


def _folded(source: str) -> str:
    """Fold the letters of a pattern that are not ASCII, as the text's are."""
    return "".join(sign if sign.isascii() else normalise(sign) for sign in source)


RULES = tuple(_compiled(line) for line in _RULES.strip().splitlines())


def find_phrases(text: str) -> Iterator[Phrase]:
    """Yield what sounds like an order to a model in normalised text, rule by rule."""
    for rule in RULES:
        if any(trigger in text for trigger in rule.triggers):
            for match in rule.pattern.finditer(text):
                yield Phrase(match.start(), match.end(), rule.sort, rule.severity, rule.is_latin)
