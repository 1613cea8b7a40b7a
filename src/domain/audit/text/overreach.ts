import { isObject } from '../../common/json.ts';
import { joinPattern } from '../join-pattern.ts';
import { inputSchemaOf, listMembers } from '../probe/arguments.ts';
import type { Definition } from '../probe/recon.ts';
import { splitName } from '../probe/tool-verbs.ts';

/** Data or access that a tool needs a reason to request. */
interface SensitiveRequest {
  readonly what: string;
  /** Matches the name of a field. */
  readonly name: RegExp;
  /** Matches a sentence that requests it. */
  readonly words: RegExp;
  /** Matches a stated purpose that justifies the request. */
  readonly reason: RegExp;
}

/** A request of a tool beyond its stated purpose. */
export interface Overreach {
  readonly what: string;
  /** The field, or `description`. */
  readonly place: string;
}

const SENSITIVE_REQUESTS: readonly SensitiveRequest[] = [
  {
    what: 'credentials',
    name: joinPattern(
      'i',
      '\\b(?:password|passwd|passphrase|api key|apikey|secret|credentials?|',
      'private key|ssh key|access token|auth token|bearer|session token|cookies?|',
      'pin|mfa|otp|one time code|2fa|seed phrase|keychain)\\b',
    ),
    words: joinPattern(
      'i',
      '\\b(?:passwords?|passphrases?|api[ -]?keys?|private keys?|ssh keys?|',
      'credentials?|secrets?|access tokens?|session cookies?|cookies?|',
      'log-?in details?|one-time codes?|seed phrases?|recovery (?:phrase|codes?)|',
      'pin codes?)\\b',
    ),
    reason: joinPattern(
      'i',
      'log ?in|sign ?in|auth|password|credential|secret|vault|token|connect|',
      'database|\\bsql\\b|ssh|key|account|encrypt|decrypt|hash|\\bsign (?!of)|signing|signature|',
      'cookie|',
      'certificate|session|vpn|(?:create|add|new|register) (?:a |an )?(?:user|member|employee)|',
      'otp|two-factor|2fa|mfa|breach|rotat|user management|',
      'onboard|provision',
    ),
  },
  {
    what: 'the conversation',
    name: joinPattern(
      'i',
      '\\b(?:conversation|chat history|chat|transcript|dialogue|message history|',
      'prompt history|system prompt|full context|context window|previous messages|',
      'history)\\b',
    ),
    words: joinPattern(
      'i',
      '\\b(?:(?:the|your|this|whole|full|entire|complete|recent|previous|verbatim|',
      'current) (?:conversation|chat)s?(?: history| so far| log| transcript)?|',
      'chat history|system prompt|what the user (?:said|asked|wrote)|',
      'previous messages|everything (?:the user|said))\\b',
    ),
    reason: joinPattern(
      'i',
      'conversation|chat|messag|transcript|dialogue|summari|meeting|memory|history|',
      'thread|support ticket|sentiment|translate|prompt|slack|team|browser|git|note|remember|',
      'recall|',
      'command',
    ),
  },
  {
    what: 'files of the machine',
    name: joinPattern(
      'i',
      '\\b(?:file system|home directory|all files|local files|workspace files|',
      'file contents?|environment|env vars?|env|environment variables|ssh config|',
      'dotfiles)\\b',
    ),
    words: joinPattern(
      'i',
      '\\b(?:(?:local|private|all|home|system|workspace|project|',
      'configuration) (?:files|folders?|director(?:y|ies))|contents? of (?:the |',
      'your )?(?:files?|home|desktop|documents)|file system|filesystem|',
      'environment variables?|dotfiles|hard (?:disk|drive)|desktop|',
      'downloads folder)\\b',
    ),
    reason: joinPattern(
      'i',
      'file|folder|director|backup|sync|upload|workspace|project|repository|',
      '\\bgit\\b|code|build|deploy|environment|config|search|index|editor|document|',
      'storage|archive|lint|format|process|container|shell|command|crash|diagnos|debug|',
      '\\blogs?\\b|error',
    ),
  },
  {
    what: 'work and income',
    name: /\b(?:employer|salary|income|supervisor|job history|net worth|credit score)\b/i,
    words: joinPattern(
      'i',
      '\\b(?:where (?:the user|somebody|you) works?|employer|salary|income|net worth|',
      'credit score)\\b',
    ),
    reason: joinPattern(
      'i',
      'job|work|employ|salary|income|career|candidate|resume|\\bcv\\b|payroll|tax|loan|credit|',
      'mortgage|bank|budget|financ|hr\\b|hire|recruit|people|person|contact|customer|lead|',
      'insurance|pension|rent|survey|visa|contract|staff|wage',
    ),
  },
  {
    what: 'contacts',
    name: /\b(?:contacts?|address book|contact list|friends|phone book|phonebook)\b/i,
    words: joinPattern(
      'i',
      '\\b(?:contacts?(?: list)?|address book|phone ?book|friends? list|',
      'list of (?:friends|colleagues))\\b',
    ),
    reason: joinPattern(
      'i',
      'contact|address book|crm|invite|mail|message|call|phone|calendar|meeting|',
      'customer|lead|share|people|friend|recipient|dial|sms|emergency|support|',
      'sales|company',
    ),
  },
  {
    what: 'messages and mail',
    name: /\b(?:inbox|mailbox|sms|mail contents?|direct messages|private messages)\b/i,
    words: joinPattern(
      'i',
      '\\b(?:(?:access to|read|reading|scan|contents? of|your|',
      "the user'?s) (?:\\w+ )?(?:inbox|mailbox|e?mails|sms|text messages|",
      'direct messages|private messages))\\b',
    ),
    reason: joinPattern(
      'i',
      'mail|inbox|messag|sms|newsletter|notif|chat|communicat|invite|contact|',
      'ticket|support|receipt|invoice|subscri|verification|phish|spam|account|user|',
      'customer|recipient|send|share|login',
    ),
  },
  {
    what: 'money',
    name: joinPattern(
      'i',
      '\\b(?:card number|credit card|cvv|cvc|iban|bank account|account number|',
      'routing number|sort code|wallet|private wallet|payment method)\\b',
    ),
    words: joinPattern(
      'i',
      '\\b(?:(?:credit|debit|payment) cards?(?: number| details)?|card numbers?|',
      'cvv|bank (?:account|details)|iban|wallet (?:key|seed|address)|',
      'payment details)\\b',
    ),
    reason: joinPattern(
      'i',
      'pay|charge|refund|invoice|bank|transfer|card|wallet|checkout|purchase|buy|',
      'order|billing|subscription|iban|account|transaction|donat|crypto|blockchain|',
      'token|booking|budget|expense|payroll|financ|fraud|tax|employee|contract|staff|wage|salary',
    ),
  },
  {
    what: 'identity papers',
    name: joinPattern(
      'i',
      '\\b(?:ssn|social security|social security number|passport number|passport|',
      'national id|driver licen[cs]e|date of birth|birth date|birthday|',
      'mother maiden name|maiden name|tax id)\\b',
    ),
    words: joinPattern(
      'i',
      '\\b(?:social security (?:number)?|passport(?: (?:number|scan|copy))?|national id|',
      "identity card|driver'?s licen[cs]e|date of birth|maiden name|tax (?:id|",
      'number))\\b',
    ),
    reason: joinPattern(
      'i',
      'identity|passport|visa|travel|flight|kyc|verif|tax|payroll|employee|patient|',
      'health|insurance|onboard|booking|birth|age|horoscope|astrolog|driver|',
      'licen[cs]e|person|customer|student|hr\\b|hire|candidate|reservation',
    ),
  },
  {
    what: 'where somebody is',
    name: joinPattern(
      'i',
      '\\b(?:gps|exact location|home address|live location|precise location|home|',
      'geolocation|device location|location history|movements?|whereabouts)\\b',
    ),
    words: joinPattern(
      'i',
      '\\b(?:(?:exact|precise|live|real-?time|current|home|device|gps) (?:location|',
      'address|position|coordinates)|location history|where (?:the user|you|',
      'somebody) (?:is|are|lives?)|nobody is (?:at )?home|whereabouts)\\b',
    ),
    reason: joinPattern(
      'i',
      'location|map|weather|forecast|route|direction|navigation|deliver|ship|near|',
      'distance|travel|taxi|ride|geo|address|place|restaurant|store|timezone|',
      'time zone|sun|tide|traffic|transit|track|fleet|air quality|pollen|emergency|',
      'local|property|real estate|earthquake|parking|hotel|trip',
    ),
  },
  {
    what: 'what somebody reads and does',
    name: joinPattern(
      'i',
      '\\b(?:browsing history|browser history|search history|clipboard|screen|',
      'screenshot|microphone|camera|webcam|keystrokes|installed apps|',
      'running processes|device id|contacts history)\\b',
    ),
    words: joinPattern(
      'i',
      '\\b(?:brows(?:ing|er) history|search history|clipboard|screen(?:shot)?s? of|',
      'microphone|camera|webcam|keystrokes|installed (?:apps|programs|software)|',
      'running processes|device fingerprint)\\b',
    ),
    reason: joinPattern(
      'i',
      'brows|history|clipboard|copy|paste|screen|record|audio|video|voice|speech|',
      'camera|photo|picture|image|monitor|process|system|debug|diagnos|test|',
      'meeting|device|scan|package|software|install|inventory|render|capture',
    ),
  },
  {
    what: 'pictures and plans',
    name: /\b(?:photos?|pictures|gallery|camera roll|calendar|appointments|diary)\b/i,
    words: joinPattern(
      'i',
      '\\b(?:all|every|the|your) (?:\\w+ )?(?:photos|pictures|videos|calendar|appointments|',
      'diary)\\b|',
      '\\b(?:photos|pictures|appointments) of the user\\b',
    ),
    reason: joinPattern(
      'i',
      'photo|picture|image|album|galler|camera|print|video|calendar|appointment|meeting|schedul|',
      'event|diary|plan|book|remind|date|time|travel|agenda|free|busy|reservation|draw|design|post',
    ),
  },
  {
    what: 'rights over the machine',
    name: joinPattern(
      'i',
      '\\b(?:admin rights|root access|sudo|administrator|full access|remote ' +
        'access|permissions?)\\b',
    ),
    words: joinPattern(
      'i',
      '\\b(?:right|role|rights|permission|access)s? (?:\\w+ ){0,3}(?:to|',
      'over) (?:\\w+ ){0,3}(?:all|any|every|change|',
      'control|install)\\b|\\badmin(?:istrator)? rights\\b|\\broot access\\b',
    ),
    reason: joinPattern(
      'i',
      'admin|right|role|permission|access|user|account|install|deploy|config|setting|system|',
      'server|',
      'security|policy|iam|grant|team|member|share|owner|cluster|database|device',
    ),
  },
  {
    what: 'health and beliefs',
    name: joinPattern(
      'i',
      '\\b(?:medical|diagnosis|medications?|health record|medical history|religion|',
      'political|sexual orientation|ethnicity|blood type)\\b',
    ),
    words: joinPattern(
      'i',
      '\\b(?:medical (?:history|records?)|health (?:data|records?|history)|',
      'medications?|diagnos[ei]s|political views?|religio(?:n|us beliefs?)|',
      'sexual orientation|ethnicity)\\b',
    ),
    reason: joinPattern(
      'i',
      'health|medic|patient|diagnos|symptom|drug|doctor|clinic|pharma|fitness|',
      'nutrition|diet|insurance|allerg|hospital|lab|survey|demograph|census|',
      'politic|religio|vote|election|system|error|server|network|care',
    ),
  },
];
/** Names with other meanings; the description of the field decides. */
const AMBIGUOUS = joinPattern(
  'i',
  '^(?:history|env|environment|home|screen|pin|movements|permissions?|calendar|pictures|',
  'contacts)$',
);
/** A sentence that requests something or says that it is collected. */
const REQUEST_WORDS = joinPattern(
  'i',
  '\\b(?:provide|supply|pass|include|attach|give|send|enter|paste|share|',
  'requires?|needs?|asks? for|takes?|expects?|collects?|reads?|accesses|',
  'access to|uploads?|gathers?|looks? (?:at|through|into)|scans?|must be|',
  'should be|along with|together with|as well as|records?|stores?|forwards?|',
  'uses?|wants?|in addition|also)\\b',
);
const NEGATED = joinPattern(
  'i',
  "\\b(?:no|not|never|without|don't|do not|does not|doesn't|nor|neither|",
  'cannot|must not|remov\\w+|mask\\w*|redact\\w*|strip\\w*|(?:leave|left|cut) out)\\b',
);

/**
 * Compares a tool's stated purpose with what it requests; a weather tool has no reason to ask for a
 * password. The result is an indicator, because the purpose may be incomplete.
 */
export function findOverreach(tool: Definition): readonly Overreach[] {
  const purpose = statedPurpose(tool);
  const fields = listMembers(inputSchemaOf(tool));
  const sentences = splitSentences(tool);
  return SENSITIVE_REQUESTS.flatMap((ask) => {
    if (ask.reason.test(purpose)) return [];
    const field = fields.find(({ name, description }) => {
      const words = splitName(name).join(' ');
      const isNamed = ask.name.test(words) && (description === '' || !AMBIGUOUS.test(words));
      return isNamed || isRequesting(ask, description, true);
    });
    if (field !== undefined) return [{ what: ask.what, place: field.path.join('.') }];
    const isAsked = sentences.some((sentence) => isRequesting(ask, sentence, false));
    return isAsked ? [{ what: ask.what, place: 'description' }] : [];
  });
}

function isRequesting(ask: SensitiveRequest, sentence: string, isField: boolean): boolean {
  if (!ask.words.test(sentence) || NEGATED.test(sentence)) return false;
  return isField || REQUEST_WORDS.test(sentence);
}

/** Returns the stated purpose: name, title and first sentence of the description. */
function statedPurpose(tool: Definition): string {
  const { name, title, annotations } = tool;
  const annotatedTitle = isObject(annotations) ? annotations['title'] : undefined;
  const [first = ''] = splitSentences(tool);
  return [splitName(name).join(' '), title, annotatedTitle, firstClause(first)]
    .filter((part) => typeof part === 'string')
    .join(' ');
}

/** The text after "needs", "with" or similar words may be the request itself. */
function firstClause(sentence: string): string {
  return (
    sentence.split(
      joinPattern('', '[,;:]| (?:requires?|needs?|using|given|provided|along with|after|once) '),
    )[0] ?? ''
  );
}

function splitSentences({ description }: Definition): readonly string[] {
  return typeof description === 'string' ? description.split(/(?<=[.!?])\s+|\n+/) : [];
}
