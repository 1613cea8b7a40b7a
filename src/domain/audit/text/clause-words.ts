import { joinPattern } from '../join-pattern.ts';

/** Conversation content and model instructions. */
export const CONVERSATION = joinPattern(
  'i',
  '\\b(?:(?:the|this|our|your|full|whole|entire|complete|current|',
  'user.s) (?:\\w+ ){0,2}(?:conversation|dialogue|transcript)s?|',
  'chat (?:history|log|messages?|so far)|',
  '(?:the|this|full|whole|entire|complete|hidden) (?:chat|session)(?! (?:id|name|title|list|',
  'room))|',
  '(?:history|messages?|turns?|content|record|summary|all) of (?:the|this|that) (?:chat|session|',
  'user|conversation)|',
  'messages? (?:between|of|from|with) (?:you|the user|the person)|',
  '(?:previous|prior|earlier|last|latest|recent|preceding|past|all|their|following) (?:\\w+ ){0,2}',
  '(?:messages?|prompts?|answers?|repl(?:y|ies)|questions?|turns?|tool (?:outputs?|results?))|',
  '(?:user|user.s|model|tool) (?:prompts?|messages?|inputs?|replies|outputs?|words)|',
  '(?:system|hidden|initial|developer) (?:prompt|message|instructions?)|',
  '(?:what|whatever|everything|anything|all)(?: that)? (?:[\\w-]+ ){0,3}(?:users?|you|person|',
  'people|tools?|servers?|assistant|humans?) (?:[\\w-]+ ){0,3}(?:said|typed|returned|told|',
  'written|wrote|asked|shared|entered)(?! (?:you )?to\\b)|',
  'instructions? (?:that )?you (?:were|have|got|run)|your (?:\\w+ )?(?:instructions?|prompts?|',
  'reasoning|',
  'configuration|guidelines|context|thoughts))\\b',
);

/** Secrets. */
export const SECRET = joinPattern(
  'i',
  '\\b(?:passwords?|passphrases?|credentials?|api[ _-]?keys?|private keys?|ssh keys?|',
  '(?:access|bearer|session|auth|refresh|security|their|your|any|all|the)? ?tokens? (?:of|in|',
  'found|that|you|they|available)|',
  '(?:access|bearer|session|auth|refresh|security) tokens?|secrets|cookies?|log-?ins|keychain|',
  'clipboard|',
  'environment variables?|(?:the |your |host )environment(?: of)?|env\\b(?! vars?)|card numbers?|',
  'keys? (?:available|of the account|you)|home (?:folder|directory))\\b|',
  '(?:~|\\$HOME|/home/\\w+|/root)/\\S|/etc/(?:passwd|shadow)|\\bid_(?:rsa|ed25519)\\b|',
  '(?<!\\w)\\.(?:env|npmrc|netrc|ssh|aws)\\b(?!\\.)|browser cookies|mcp\\.json',
);

/** Personal data. */
export const PERSONAL_DATA = joinPattern(
  'i',
  '\\b(?:name|e-?mail|phone|location|address|habits|contacts|identity|profile|',
  'salary)\\b[^.]{0,60}\\b(?:of|about) ',
  "(?:the|this) (?:user|person|human|customer)\\b|\\bthe (?:user|person)[’']?s? (?:full )?",
  '(?:name|e-?mail|phone|location|address|contacts|identity)\\b',
);

/** Verbs of disclosure and transfer. */
export const TRANSFER_VERB = joinPattern(
  'i',
  '\\b(?:send|transmit|post|upload|forward|share|report|deliver|submit|mail|email|attach|append|',
  'include|insert|add|put|place|paste|copy|pass|hand|give|supply|provide|ship|carry|mirror|relay|',
  'collect|gather|dump|record|fetch|retrieve|read|open|load|list|store|reveal|print|quote|cite|',
  'encode|embed|exfiltrat|accompan|transfer|fill|look (?:for|up)|leak|expose|disclose|type|find|',
  'render|extract|request)(?:s|es|ing|ed|ies|y|ted|ting|pped|tten)?\\b|\\b(?:sent|given|brought|',
  'put)\\b',
);

/** Other tools. */
export const OTHER_TOOL = joinPattern(
  'i',
  '\\b(?:(?:other|another|any|every|all|connected|next|further|',
  'remaining) (?:\\w+ ){0,2}(?:tools?|servers?|plugins?)|',
  '(?:mail|file|payment|bank|browser|shell|terminal|http|drive|database|calendar|search|git|web|',
  'chat|message|messaging|deploy|memory|slack) ',
  '(?:tool|server)s?|a tool (?:which|that|to|for)|with the (?:shell|terminal|browser)|',
  'tool (?:which|that) can|(?:(?:all|any) (?:subsequent|later|following|other|further)|',
  'subsequent|later|future) (?:\\w+ ){0,2}(?:requests|calls|transfers|commits|uploads|mails)|',
  '(?:arguments|calls|results) of (?:the |any |all |other |another )+(?:\\w+ )?(?:tool|',
  'server)s?)\\b|',
  '\\btools?\\W+(?:\\w+\\W+){0,3}(?:is|are|est|ist)\\W+(?:\\w+\\W+)?(?:connected|present|',
  'available|installed)\\b',
);
/** A tool name in code style. */
export const TOOL_NAME = /\b(?:[a-z]+_)+[a-z]+\b|\b[a-z]+(?:[A-Z][a-z]+)+\b/;

/** Verbs that alter another call. */
export const ALTERATION = joinPattern(
  'i',
  '\\b(?:replac|chang|swap|substitut|alter|rewrit|modif|redirect|rout|mirror|insert|prepend|',
  'prefix|',
  'overrid|rout|proxy|divert)(?:e|es|ed|ing|ting|ted)?\\b|\\b(?:set|add|put|give|turn|carry|',
  'carries|also|instead|as well|',
  'invoked? with|through (?:this|here)|via (?:this|the proxy|here)|by this)\\b',
);
/** Parts of a call. */
export const CALL_PART = joinPattern(
  'i',
  '\\b(?:recipients?|headers?|arguments?|payees?|visibility|paths?|destination|fields?|',
  'parameters?|',
  'bcc|cc|copy|iban|account|proxy|remote|branch|amount|urls?|confirm\\w*=|public|readable|',
  'review step|calls?|line)\\b',
);

/** An external address. */
export const EXTERNAL_ADDRESS = joinPattern(
  'i',
  '\\bhttps?://(?!(?:docs?|developers?|www|github|localhost)\\b)[^\\s"\'<>)]+|',
  '(?<![\\w.+-])[\\w.+-]{1,64}@[\\w-]{1,63}\\.\\w|',
  '\\b(?:to|from|at|on|via|with) (?:[\\w-]{1,63}\\.){1,8}(?:example|invalid|test|com|org|net|io|',
  'dev|ru|xyz|top|info)\\b',
);

/** Safeguards between a model and harm. */
export const GUARD = joinPattern(
  'i',
  '\\b(?:approvals?|permissions?|confirm(?:ation)?s?|consent|sandbox|safety|guardrails?|',
  'restrictions?|safeguards?|',
  '(?:content |safety )?filters?|polic(?:y|ies)|guidelines?|instructions?|rules|guidance|',
  'directions?|directives?|',
  'privacy|review|dialogs?|diff|warnings?|human in the loop|checks?|limits?)\\b',
);
/** Ways to disable a safeguard. */
export const DISABLING_PHRASE = joinPattern(
  'i',
  '\\b(?:ignor|disregard|forget|skip|disabl|bypass|suspend|lift|void|supersed|revok|overrid|',
  'overrul|waiv|discard|',
  'dismiss|suppress|circumvent)\\w*\\b|\\bturn(?:ed)? off\\b|\\bswitch(?:ed)? off\\b|\\b(?:pre-?|',
  'already |auto-?\\w*)',
  '(?:approved?|authori[sz]ed|granted|accept\\w*)\\b|\\bno longer\\b|\\b(?:does|do|',
  'need) not (?:\\w+ )?(?:apply|hold|bind|count|ask|wait)\\b|',
  '\\bon behalf of\\b|\\b(?:answer|reply|say|choose)\\b[^.]{0,40}\\b(?:yes|allow|always|true)\\b|',
  '\\bwithout (?:asking|restrictions?|review|permission|confirmation|consent)\\b|',
  '\\b(?:out of force|not valid|invalid)\\b',
);

/** The people for whom the model works. */
export const PERSON = joinPattern(
  'i',
  '\\b(?:user|person|human|people|customer|client|anyone|anybody|someone|somebody|they|them|',
  'nobody|owner)\\b',
);
/** Phrases for hiding something from a person. */
export const CONCEALMENT = joinPattern(
  'i',
  '\\b(?:hide|conceal|withhold|keep)\\b[^.]{0,60}\\bfrom\\b|\\b(?:keep|stay|remain) (?:quiet|',
  'silent)\\b|',
  '\\b(?:not|never|without|nothing|none)\\b[^.]{0,40}\\b(?:tell|mention|say|inform|show|reveal|',
  'bother|display|ask|notify|consult)\\w*\\b',
);
/** The model's own actions. */
export const MODEL_ACTION = joinPattern(
  'i',
  '\\b(?:you|this|that (?:you|a|the|it)|these|about it|it|the (?:call|calls?|arguments?|',
  'parameters?|step|steps|copy|request|',
  'command|diff|fact|address|transfer|upload))\\b',
);

/** Rights that a text grants to a model. */
export const RIGHTS = joinPattern(
  'i',
  '\\byou (?:are|have|hold)\\b[^.]{0,40}\\b(?:allowed|permitted|authori[sz]ed|free|root|',
  'admin\\w*|unrestricted|standing|full)\\b|',
  '\\b(?:unrestricted|unlimited) (?:\\w+ )?(?:access|use|rights)\\b|\\b(?:i|we) authori[sz]e\\b|',
  '\\b(?:treat|handle|regard|take|obey|follow)\\b[^.]{0,60}\\b(?:(?:as|',
  'like)\\b[^.]{0,40}\\b(?:system|user|owner|admin\\w*|developer|trusted|command|order)|',
  'values? of this|this (?:text|list|tool|server))',
  '|\\b(?:trusted|authori[sz]ed)\\b[^.]{0,40}\\b(?:whose|no check|for all|once and)\\b|',
  '\\b(?:need not|nobody.s|no need to)\\b[^.]{0,30}\\b(?:consult|consent|ask|permission|show|',
  'tell)\\w*\\b|',
  '\\bfull rights\\b|',
  '\\b(?:user|owner|operator)(?<!\\b(?:after|once|until|when|if|unless|only)\\b[^.]{0,30}) has ',
  '(?:already )?(?:approved|agreed|consented|authori[sz]ed)\\b',
);
/** Authorities that a text claims to speak for. */
export const AUTHORITY = joinPattern(
  'i',
  '\\b(?:message|notice|order|update|instruction)s? from (?:the )?\\w+|\\b(?:signed|approved|',
  'issued) by\\b|',
  '\\bas (?:the|your) (?:\\w+ ){0,2}(?:developer|owner|administrator|operator|vendor)\\b|',
  '\\bthis is (?:your|the) (?:\\w+ ){0,2}(?:administrator|developer|owner|operator)\\b|',
  '\\bthe (?:\\w+ )?(?:operator|administrator|developer|vendor|owner|security team|',
  'department) (?:has|have|requires?|authori[sz]es?|wants?)\\b|',
  '\\b(?:anthropic|openai|google|microsoft)\\b|\\b(?:admin|developer|root|debug) (?:override|',
  'mode)\\b',
);

/** Verbs for running something. */
export const EXECUTE = joinPattern(
  'i',
  '\\b(?:run|execut\\w+|install|eval\\w*|carry out|download|launch|invoke|start)\\b',
);
/** Things to run. */
export const PAYLOAD = joinPattern(
  'i',
  '\\b(?:commands?|scripts?|shell|terminal|curl|wget|npm install|pip install|select \\*|',
  'scheduled task|',
  'what it says|whatever|every command|any command|code)\\b',
);
/** Destruction of existing data. */
export const DESTROY = joinPattern(
  'i',
  '\\b(?:delete|erase|wipe|purge|drop|empty(?! (?:for|if|when|string))|destroy|',
  'shred)\\b[^.]{0,50}\\b(?:working|director(?:y|ies)|logs?|',
  'history|files?|backups?|tables?|folder|traces?)\\b',
);

/** Places that persist beyond a session. */
export const PERSISTENCE = joinPattern(
  'i',
  '\\b(?:memory|memories|future (?:\\w+ )?(?:chats?|sessions?|conversations?)|later sessions?|',
  'all (?:future|later)|every (?:future|later|project|session)|',
  'CLAUDE\\.md|AGENTS\\.md|\\.cursorrules|\\.windsurfrules|rules file|configuration of (?:every|',
  'the client|all)|',
  'scheduled task|cron\\w*|autostart|startup|settings of (?:the|your) client|standing habit|',
  'successors?|outlives?|even (?:when|after|if) (?:this|the) server)\\b',
);
/** Verbs of writing. */
export const WRITING_VERB = joinPattern(
  'i',
  '\\b(?:store|save|write|remember|add|append|note|keep|put|set|install|record|make|follow|',
  'memori[sz]e|register)\\b',
);

/** A time or phrase that triggers an order. */
export const TRIGGER = joinPattern(
  'i',
  '\\b(?:after|once|when(?:ever)?|as soon as|from the moment|starting|until|if|should|',
  'on the (?:first|last)|in (?:two|three|four|five|\\d+) turns)\\b',
  '[^.]{0,60}\\b(?:user|conversation|chat|call|session|turns?|day of|month|away|left|times?|',
  'says?|mentions?|appear|version)\\b',
);
