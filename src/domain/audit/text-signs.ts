/** A sign of a text that is meant for a model and against its user. */
export interface TextSign {
  readonly sign: string;
  /** How much it weighs; {@link SUSPICION} and above is told. */
  readonly weight: number;
  readonly form: RegExp;
  /** Ordinary where this stands before it, such as "never". */
  readonly isOrdinaryAfter?: RegExp;
}

/** From this weight on a text is suspicious. */
export const SUSPICION = 5;

const NEVER =
  /\b(?:never|do not|don't|don’t|must not|should not|shouldn't|cannot|can't|without|no|not|avoid|refuse[sd]?|reject(?:s|ed)?|block(?:s|ed)?|strip(?:s|ped)?|detects?|redact(?:s|ed)?|instead of)\s+(?:\w+\s+){0,3}$/i;
const USER =
  '(?:the |this |that |your |any )?(?:end[- ]?)?(?:users?|humans?|persons?|people|operators?|customers?|owner|caller|them|him|her|anyone|anybody|someone)';
const MODEL = '(?:assistant|model|llm|agent|ai|language model|chatbot|copilot)';
const SECRET =
  '(?:passwords?|api[ _-]?keys?|(?:access |auth |bearer |session |refresh |security )?tokens?|secrets?|credentials?|private keys?|ssh keys?|id_(?:rsa|ed25519)|\\.env\\b|\\.aws/credentials|\\.ssh\\b|seed phrases?|cookies?|environment variables?|env(?:ironment)? vars?|system prompts?|mcp\\.json|\\.npmrc|\\.netrc|kubeconfig|key ?chains?|wallets?|card numbers?)';
const TALK =
  '(?:(?:full |entire |whole |complete |previous |prior |current |last |recent )*(?:conversations?|chats?|dialogue|messages?|prompts?|context|transcripts?)(?: (?:history|so far|log|window))?|chat history|(?:previous|prior|other|earlier) tool (?:results?|outputs?|calls?))';
const TAKE =
  '(?:include|pass|send|attach|put|append|copy|add|forward|post|upload|insert|embed|encode|place|write|paste|provide|supply|read|fetch|load|collect|gather|extract|dump|transmit|submit|share|reveal|leak|exfiltrate|report|store|prepend|open|cat|retrieve|mirror|relay|quote|echo|list|set|fill)';

/** Signs of one reading of a text. */
export const TEXT_SIGNS: readonly TextSign[] = [
  {
    sign: 'overrides instructions',
    weight: 6,
    form: /\b(?:ignore|disregard|forget|override|bypass|discard|drop|abandon|set aside|pay no attention to|stop following|do not follow|no longer (?:follow|apply))\b.{0,30}\b(?:previous|prior|earlier|above|preceding|existing|other|all|any|your|original|system|safety|developer|user'?s?|current|those|these|old)\b.{0,30}\b(?:instructions?|rules?|guidelines?|prompts?|directions?|polic(?:y|ies)|constraints?|orders?|guardrails?|restrictions?|safeguards?|commands?|limits?|warnings?|requests?|preferences?)\b/i,
    isOrdinaryAfter: NEVER,
  },
  {
    sign: 'claims precedence',
    weight: 4,
    form: /\b(?:supersedes?|overrides?|overrul(?:es?|ing)|takes? (?:precedence|priority) over|(?:higher|highest|top) priority (?:than|over)|outranks?|replaces?|prevails? over|trumps?)\b.{0,50}\b(?:instructions?|system prompt|user|rules?|polic(?:y|ies)|guidelines?|everything|others?|requests?)\b/i,
    isOrdinaryAfter: NEVER,
  },
  {
    sign: 'conceals from the user',
    weight: 6,
    form: new RegExp(
      `\\b(?:do not|don't|don’t|never|must not|should not|without|avoid|no need to|refrain from|needn't)\\s+(?:\\w+\\s+){0,2}?(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|show(?:ing)?|disclos(?:e|ing)|notify(?:ing)?|alert(?:ing)?|let(?:ting)?|explain(?:ing)?|report(?:ing)?|display(?:ing)?|say(?:ing)?|surfac(?:e|ing)|describ(?:e|ing)|announc(?:e|ing)|bother(?:ing)?|involv(?:e|ing)|expos(?:e|ing)|discuss(?:ing)?|acknowledg(?:e|ing)|warn(?:ing)?|worry(?:ing)?|bring(?:ing)?|repeat(?:ing)?|talk(?:ing)? about|narrat(?:e|ing)|summari[sz](?:e|ing))\\b[^.!?\\n]{0,60}\\b${USER}\\b`,
      'i',
    ),
  },
  {
    sign: 'conceals what it does',
    weight: 5,
    form: /\b(?:do not|don't|don’t|never|without)\s+(?:\w+\s+){0,2}?(?:mention|reveal|disclos|tell|show|refer|acknowledg|discuss|describ|explain|expos|includ|repeat|log|display|talk about|bring up|narrat)(?:e|es|ing|ed)?\b[^.!?\n]{0,25}\b(?:this|these|that|the (?:above|following|note|step|instructions?|parameter|field|copy|message|forward(?:ing)?|call|existence))\b(?! (?:error|tool (?:for|to|on|when|if|until|unless))\b)/i,
  },
  {
    sign: 'works in secret',
    weight: 4,
    form: /\b(?:silently|secretly|quietly|covertly|discreetly|invisibly|unobtrusively|in (?:secret|the background without)|behind the scenes|hidden from|out of sight|keep (?:this|it|that|these) (?:\w+ )?(?:secret|hidden|private|quiet|confidential|between us|to yourself|out of)|(?:invisible|unknown) to|must (?:not|never) (?:know|see|notice|learn|find out|be (?:told|shown|informed|aware))|(?:users?|they|he|she) (?:does|do|should|need|must|will|may|can)(?:n't| not|n’t)? (?:not )?(?:need to |have to )?(?:know|see|notice|be (?:told|informed|aware|asked|shown)))\b/i,
    isOrdinaryAfter: /\b(?:never|not|no longer|nothing is|isn't|instead of) (?:\w+ ){0,2}$/i,
  },
  {
    sign: 'speaks as the system',
    weight: 4,
    form: /<\/?(?:important|system|secret|hidden|instructions?|admin|assistant|critical|user|tool_?(?:use|call|result)?|internal|priority|override|mandatory|note_to_\w+|rules?|policy|developer|sys|s|im_start|begin|prompt|context|function_calls?|directive|security|notice|attention|urgent|command|thinking)\b[^<>]{0,60}>|<\|[a-z_]+\|>|\[\/?(?:system|inst|admin|instructions?|important|hidden|override|assistant|developer|internal|note to (?:the )?(?:ai|assistant|model|agent|llm))[^\]]{0,40}\]|(?:^|\n|\. )\s*#{1,4}\s*(?:system|instructions?|new instructions?|hidden|override|admin|important)\b|(?:^|\n|[.!?] )\s*(?:system|assistant|developer|admin)(?: (?:message|prompt|note|override|notice|instructions?|update))?\s*:|\bBEGIN (?:SYSTEM|INSTRUCTIONS?|HIDDEN|ADMIN)|={3,}\s*(?:system|instructions?)|\{\{\s*#?(?:system|instructions?)/i,
  },
  { sign: 'hides in a comment', weight: 4, form: /<!--[\s\S]{12,}?-->|\[\/\/\]: #|<(?:span|div|p|font)[^>]*(?:display:\s*none|font-size:\s*0|color:\s*(?:white|#fff)|hidden)[^>]*>|\/\*[^*]{20,}\*\//i },
  {
    sign: 'addresses the model',
    weight: 2,
    form: new RegExp(
      `\\b(?:(?:note|message|instructions?|reminder|directive|attention|memo|hint|notice|guidance)(?: (?:to|for))? (?:the |all |any |every )?(?:ai |calling |connected |language |reading )?${MODEL}s?\\b|(?:dear|hey|hello) ${MODEL}|as (?:an?|the) (?:ai|${MODEL})\\b|you are (?:now|an? )|you(?:,)? (?:the |as (?:an? |the ))?(?:ai |calling )?${MODEL}\\b|(?:the |every |any |all )?(?:ai |calling |reading |language )?${MODEL}s? (?:must|should|shall|has to|have to|needs? to|is required|are required|will|is expected|reading this)|${MODEL}\\s*[:,]\\s|when(?:ever)? (?:you|the ${MODEL}) (?:read|see|use|call|answer|reply|respond))`,
      'i',
    ),
  },
  {
    sign: 'takes secrets',
    weight: 5,
    form: new RegExp(`\\b${TAKE}\\b[^.!?\\n]{0,70}\\b(?:your|their|all|any|every|the|(?:his|her)|users?['’]?s?|local|stored|available|known|saved|current|found|~/?|contents? of|host)[^.!?\\n]{0,40}${SECRET}`, 'i'),
    isOrdinaryAfter: NEVER,
  },
  {
    sign: 'reads private files',
    weight: 5,
    form: /(?:~|\$HOME|%USERPROFILE%|\/home\/\w+|\/root|\/Users\/\w+)\/?[\\/]?\.(?:ssh|aws|env|npmrc|netrc|kube|config|cursor|gnupg|docker|git-credentials|bash_history|zsh_history|claude|vscode|mcp)|\/etc\/(?:passwd|shadow)|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws\/credentials|\.cursor\/mcp\.json|\bmcp\.json\b|\bcredentials\.json\b/i,
    isOrdinaryAfter: NEVER,
  },
  {
    sign: 'takes the conversation',
    weight: 5,
    form: new RegExp(`\\b${TAKE}\\b[^.!?\\n]{0,60}\\b(?:the|this|your|our|all|any|every|users?['’]?s?|whole|entire|full|complete|verbatim|everything)\\b[^.!?\\n]{0,30}\\b${TALK}\\b(?! (?:id|thread|channel|title|name|list|board|queue|bus|body|template|count))`, 'i'),
    isOrdinaryAfter: NEVER,
  },
  {
    sign: 'takes what was said',
    weight: 5,
    form: /\b(?:everything|anything|all(?: that)?|whatever|what) (?:the |your )?(?:users?|customers?|person|human|they|you) (?:has |have |had )?(?:said|told|asked|typed|wrote|written|shared|pasted|mentioned|entered|uploaded|know)\b|\byour (?:full |entire |complete |own |initial |hidden )?(?:system prompt|reasoning|chain of thought|instructions|context window|memory)\b/i,
    isOrdinaryAfter: NEVER,
  },
  {
    sign: 'skips consent',
    weight: 5,
    form: /\b(?:without|do not|don't|don’t|never|no need to|skip(?:ping)?|bypass(?:ing)?|do not wait for|needn't|not necessary to|instead of) (?:\w+ ){0,3}?(?:ask(?:ing)?|wait(?:ing)?|request(?:ing)?|seek(?:ing)?|confirm(?:ing|ation)?|prompt(?:ing)?|check(?:ing)?|require|requiring|await(?:ing)?|need(?:ing)?)\b[^.!?\n]{0,30}\b(?:confirm(?:ation)?|permission|approval|consent|authori[sz]ation|users?|them|first|human|review|acknowledg\w+)\b|\b(?:auto(?:matically)?[- ]?(?:approve|confirm|accept)s?|pre-?(?:approved|authori[sz]ed|consented)|already (?:consented|approved|agreed|authori[sz]ed|confirmed|given (?:consent|permission)))\b/i,
  },
  {
    sign: 'redirects other tools',
    weight: 5,
    form: /\b(?:when(?:ever)?|before|after|while|if|each time|every time|any ?time|once)\b[^.!?\n]{0,50}\b(?:send|email|mail|write|pay|transfer|commit|push|deploy|messag|post|call|invok|us|shar|order|book|forward|upload|publish)(?:e|es|s|ing|ed|ment)?\b[^.!?\n]{0,80}\b(?:bcc|cc|also (?:send|copy|add|include|forward|call|pass|post)|copy (?:to|of)|(?:change|replace|swap|set|rewrite|substitute|alter) (?:the )?(?:recipient|address|destination|account|amount|url|number|branch|to field|iban|host)|forward (?:it|them|a copy|everything|all)|first send|additionally (?:send|call|copy))\b/i,
    isOrdinaryAfter: NEVER,
  },
  {
    sign: 'displaces other tools',
    weight: 4,
    form: /\b(?:(?:do not|don't|never|no longer|stop|avoid) (?:use|call|using|calling|trust|rely on|invoke|choose|pick)(?:ing)? (?:any |the )?(?:other|another|different|built-?in|similar|remaining|original|official|native|competing|old)\b[^.!?\n]{0,30}\b(?:tools?|servers?|functions?|version|providers?|plugins?|connectors?)|(?:other|all other|remaining|official|built-?in|native|original|existing) (?:\w+ )?(?:tools?|servers?|versions?|connectors?) (?:is|are|have been|has been) (?:deprecated|broken|disabled|unsafe|compromised|insecure|outdated|obsolete|replaced|retired|unreliable|untrusted|infected|defective)|(?:this|use this) (?:tool|server|function|version)? ?(?:replaces|supersedes|instead of|in place of|rather than) (?:all|any|every|the (?:other|built-?in|official|original|native))|(?:must|always) (?:be )?(?:used?|called?|preferred?|chosen?|picked) (?:instead of|in place of|over|rather than|in preference to))\b/i,
  },
  {
    sign: 'sends to a stranger',
    weight: 3,
    form: /\b(?:send|forward|post|upload|copy|bcc|cc|report|submit|transmit|deliver|push|mail|email|exfiltrate|mirror|relay|wire|transfer|pay)\b[^.!?\n]{0,80}(?:https?:\/\/[^\s"'<>)]+|[\w.+-]+@[\w-]+\.[\w.]+|\b0x[0-9a-f]{40}\b|\b[\w-]+\.(?:example|ru|xyz|tk|io|net|top|info)\b)/i,
    isOrdinaryAfter: NEVER,
  },
  {
    sign: 'orders a step before or after',
    weight: 2,
    form: /\b(?:(?:before|prior to|after|in order to|whenever|each time|every time|as soon as)\b[^.!?\n]{0,40}\b(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|run(?:ning)?|answer(?:ing)?|respond(?:ing)?|reply(?:ing)?|any other)\b|(?:must|always|mandatory|required|necessary|compulsory)\b[^.!?\n]{0,20}\b(?:first|before|prior))/i,
  },
  {
    sign: 'presses',
    weight: 1,
    form: /\b(?:important|critical|mandatory|crucial|urgent|warning|attention|must always|strictly|absolutely|immediately|or else|will (?:fail|break|be (?:lost|rejected|deleted|corrupted|suspended|terminated))|otherwise the|essential)\b/i,
  },
  {
    sign: 'plays a role',
    weight: 4,
    form: /\b(?:you are now|from now on(?:,)? (?:you|act|treat|always|every)|act as (?:an?|the|if)|pretend (?:to be|that|you)|enter (?:developer|debug|god|admin|maintenance|unrestricted) mode|(?:developer|debug|god|dan|jailbreak|unrestricted) mode (?:is )?(?:enabled|on|active)|you have (?:been granted|full|root|admin|unrestricted)|your new (?:role|task|goal|objective|instructions?|purpose)|new (?:primary )?(?:objective|goal|instructions?)\s*:)/i,
    isOrdinaryAfter: NEVER,
  },
  {
    sign: 'persists',
    weight: 4,
    form: /\b(?:remember|memori[sz]e|store|save|keep|persist|add|write)\b[^.!?\n]{0,50}\b(?:in|to|into|for) (?:your |the |long[- ]term |all |every |persistent |any )*(?:memory|memories|future (?:sessions?|conversations?|chats?|requests?|tasks?|turns?)|rest of (?:the|this) (?:session|conversation|chat))\b|\b(?:for the rest of|in all (?:future|later|further|subsequent)|for all (?:future|subsequent|later)|throughout|across all) (?:the |this |your )?(?:sessions?|conversations?|chats?|requests?|answers?|tasks?|turns?|tools?)\b/i,
    isOrdinaryAfter: NEVER,
  },
  {
    sign: 'overrides instructions, in another language',
    weight: 6,
    form: /\b(?:ignoriere?|ignora|ignorez|ignore[rz]?|ignoreer|vergiss|oublie[zr]?|olvida|esque[cç]a|negeer|dimentica|missachte)\b.{0,40}\b(?:anweisung\w*|instru\w+|consignes?|reglas|regeln|regole|regras|richtlijnen|aanwijzingen|vorgaben|istruzioni|directives?)|игнориру\w*.{0,40}(?:инструкци|указани|правил)|забудь.{0,40}(?:инструкци|указани|правил)|忽略.{0,20}(?:指令|指示|说明|规则|提示)|無視.{0,20}(?:指示|命令|ルール)|(?:指示|命令|ルール).{0,10}無視|무시/i,
  },
  {
    sign: 'conceals from the user, in another language',
    weight: 6,
    form: /\b(?:nicht|nichts|niemals|ohne)\b.{0,40}\b(?:benutzer|nutzer|anwender|kunden)\b|\b(?:benutzer|nutzer|anwender|kunden)\b.{0,40}\b(?:nicht|nichts|niemals|verschweig\w*)\b.{0,20}(?:sagen|mitteilen|erwähnen|erfahren|informier\w*|zeigen|wissen)?|\b(?:no|nunca|sin)\b.{0,30}\b(?:menciones?|digas?|informes?|reveles?|muestres?|avis\w+|decir\w*|informar)\b.{0,40}\busuari|\b(?:ne|n'|sans)\b.{0,30}\b(?:dis|dites|mentionne[zr]?|informe[zr]?|révèle[zr]?|montre[zr]?|préven\w+|parle[zr]?)\b.{0,40}\butilisateur|\b(?:non|senza)\b.{0,30}\b(?:dire|menzionare|informare|rivelare|avvis\w+|mostrare)\b.{0,40}\butente|\b(?:não|nao|sem)\b.{0,30}\b(?:diga|mencion\w+|inform\w+|revel\w+|avis\w+|contar?|mostr\w+)\b.{0,40}\bus[uú][aá]rio|\b(?:niet|zonder)\b.{0,40}\bgebruiker|не (?:сообща|говори|упомина|показыва|раскрыва|рассказыва)\w*.{0,40}пользовател|(?:不要|别|勿|不得).{0,12}(?:告诉|告知|提及|透露|提示).{0,12}(?:用户|使用者)?|(?:ユーザー|利用者).{0,12}(?:知らせ|伝え|言わ|見せ|教え)\w{0,3}(?:ない|ず)|사용자.{0,12}(?:알리|말하)지/i,
  },
  {
    sign: 'takes secrets, in another language',
    weight: 5,
    form: /\b(?:lies|lese|sende|schick\w*|kopiere|füge|übermittle|hänge|gib)\b.{0,80}(?:passw[oö]rt\w*|schlüssel|zugangsdaten|geheimnis\w*|unterhaltung|gesprächs?verlauf|\.ssh|\.env|token)|\b(?:lee|env[ií]a|incluye|copia|adjunta|lea)\b.{0,80}(?:contraseñas?|claves?|credenciales|secretos?|conversaci[oó]n|\.ssh|\.env|tokens?)|\b(?:lis|lisez|envoie|envoyez|inclu[rst]\w*|copie[zr]?|joins|joignez|ajoute[zr]?)\b.{0,80}(?:mots? de passe|clés?|identifiants|secrets?|conversation|\.ssh|\.env|jetons?)|\b(?:leggi|invia|includi|copia|allega)\b.{0,80}(?:password|chiav[ei]|credenziali|segret[oi]|conversazione|\.ssh|\.env|token)|\b(?:leia|envie|inclua|copie|anexe)\b.{0,80}(?:senhas?|chaves?|credenciais|segredos?|conversa|\.ssh|\.env|tokens?)|(?:прочита|отправ|включи|скопиру|передай|вложи)\w*.{0,60}(?:парол|ключ|секрет|учетн|учётн|переписк|диалог|\.ssh|\.env|токен)|(?:读取|发送|包含|复制|附上|附加|传递).{0,30}(?:密码|密钥|凭据|凭证|对话|聊天记录|\.ssh|\.env|令牌)|(?:読み取|送信|含め|コピー|添付).{0,30}(?:パスワード|鍵|認証情報|会話|\.ssh|\.env|トークン)|(?:パスワード|鍵|認証情報|会話|\.ssh|\.env|トークン).{0,30}(?:読み取|送信|含め|コピー|添付)/i,
  },
];
