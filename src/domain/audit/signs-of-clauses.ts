import * as words from './clause-words.ts';
import type { Clause } from './clauses.ts';
import { clausesOf, isOwnTask } from './clauses.ts';
import { glossed } from './glossary.ts';
import { pattern } from './pattern.ts';

/** A sign that stands in the shape of a clause, not in a phrase. */
export interface ClauseSign {
  readonly sign: string;
  readonly weight: number;
  readonly excerpt: string;
}

/** Where a text stands, as far as it changes what is ordinary in it. */
export interface TextPlace {
  /** What the tool is named for; asking for that is ordinary. */
  readonly purpose?: string;
  /** A value of a schema, such as a default or an example. */
  readonly isUnusual?: boolean;
  /** Said of a field: what is named there is asked for. */
  readonly isField?: boolean;
  /** Said of results, of which nothing is to be done. */
  readonly isOutput?: boolean;
}

/** Told by itself. */
const STRONG = 5;
/** Told with another sign only. */
const WEAK = 3;

/** Signs of clauses, the heaviest of each kind. */
export function clauseSignsIn(text: string, place: TextPlace = {}): readonly ClauseSign[] {
  const found = new Map<string, ClauseSign>();
  for (const part of clausesOf(glossed(text))) {
    const isOwn = place.isUnusual !== true && place.isOutput !== true && isOwnTask(part);
    const clause: Clause = isOwn ? { ...part, voice: 'own' } : part;
    for (const rule of RULES) {
      const weight = rule.weigh(clause, place);
      const known = found.get(rule.sign)?.weight ?? 0;
      if (weight <= known) continue;
      found.set(rule.sign, { sign: rule.sign, weight, excerpt: clause.sentence.slice(0, 300) });
    }
  }
  return [...found.values()];
}

interface Rule {
  readonly sign: string;
  /** 0 where the clause does not show it. */
  weigh(clause: Clause, place: TextPlace): number;
}

const TALK_PURPOSE =
  pattern(
  'i',
  'conversation|chat|messag|transcript|dialogue|channel|thread|history|summar|memor|note|',
  'prompt|model|support|ticket|case|mail|review|session',
);
const SECRET_PURPOSE =
  pattern(
  'i',
  'secret|token|key|password|credential|login|sign|auth|account|env|vault|cookie|config|',
  'session|wallet|scan|leak|hash',
);
const EXECUTE_PURPOSE = /run|exec|command|script|shell|terminal|deploy|build|install|ssh|process/i;
const MEMORY_PURPOSE =
  /memor|note|remember|knowledge|fact|observation|preference|recall|rule|lint/i;

const RULES: readonly Rule[] = [
  {
    sign: 'has what was said handed on',
    weigh: (clause, { purpose = '', isUnusual, isField }) => {
      if (clause.isNegated || !words.TALK.test(clause.text)) return 0;
      if (isUnusual === true && !TALK_PURPOSE.test(purpose)) return STRONG;
      if (isField === true && OF_MODEL.test(clause.text) && !TALK_PURPOSE.test(purpose))
        return STRONG;
      if (!words.HAND_ON.test(clause.text)) return 0;
      return voiced(clause, TALK_PURPOSE.test(purpose));
    },
  },
  {
    sign: 'has secrets handed on',
    weigh: (clause, { purpose = '', isUnusual }) => {
      if (clause.isNegated || !words.SECRET.test(clause.text)) return 0;
      if (isUnusual === true && /[~/<$]|\S+ \S+ \S+ \S+/.test(clause.text)) return STRONG;
      if (!words.HAND_ON.test(clause.text)) return 0;
      return voiced(clause, SECRET_PURPOSE.test(purpose));
    },
  },
  {
    sign: 'has persons told of',
    weigh: (clause) => {
      if (clause.isNegated || !words.PERSONAL.test(clause.text)) return 0;
      if (!words.HAND_ON.test(clause.text)) return 0;
      return clause.voice === 'own' ? 0 : words.OUTSIDE.test(clause.sentence) ? STRONG : WEAK;
    },
  },
  {
    sign: 'sends the reader to an address',
    weigh: (clause) => {
      if (clause.isNegated || clause.voice === 'own' || !words.OUTSIDE.test(clause.text)) return 0;
      const isMoved = words.HAND_ON.test(clause.text) || words.CHANGE.test(clause.text);
      return isMoved || words.EXECUTE.test(clause.text) ? STRONG - 1 : 0;
    },
  },
  {
    sign: 'meddles with other tools',
    weigh: (clause, { isUnusual }) => {
      const { sentence } = clause;
      if (clause.isNegated || clause.voice === 'own') return 0;
      const isNamed = words.TOOL_NAME.test(sentence) && words.OUTSIDE.test(sentence);
      if (!isNamed && !words.OTHER_TOOL.test(sentence)) return 0;
      const isChanged = words.CHANGE.test(clause.text) && words.CALL_PART.test(sentence);
      const isFed = words.HAND_ON.test(clause.text) && RESULTS.test(sentence);
      if (isChanged || isFed || words.OUTSIDE.test(sentence)) return STRONG;
      return words.EXECUTE.test(clause.text) || isUnusual === true ? STRONG : WEAK - 1;
    },
  },
  {
    sign: 'does away with a guard',
    weigh: (clause) => {
      const { text } = clause;
      if (
        clause.voice === 'own' ||
        /\b(?:cannot|can't|never|not) (?:be )?(?:\w+ )?(?:skip|overrid|bypass|ignor|remov)/i.test(
          text,
        )
      )
        return 0;
      if (
        /^\W*without\b/i.test(text) &&
        /\b(?:nothing|not|never|only|refused|no)\b/i.test(clause.sentence)
      )
        return 0;
      if (text.length < 15 || !words.GUARD.test(clause.sentence) || !words.AWAY.test(text))
        return 0;
      return OF_READER.test(clause.sentence) ? STRONG : WEAK;
    },
  },
  {
    sign: 'keeps from a person what is done',
    weigh: (clause) => {
      const { text, sentence } = clause;
      if (!words.KEEP_FROM.test(text) || clause.voice === 'own') return 0;
      if (/\b(?:until|unless|before (?:they|he|she|the)|but the|except)\b/i.test(sentence))
        return 0;
      const isOfAct = words.OWN_ACT.test(text) && words.PERSON.test(sentence);
      return isOfAct && clause.isNegated === !/\b(?:hide|conceal|withhold)\b/i.test(text)
        ? STRONG
        : 0;
    },
  },
  {
    sign: 'gives rights that are not its own',
    weigh: (clause) => {
      if (
        /\b(?:never|cannot|must not|do not|not) (?:\w+ )?(?:treat|follow|obey|trust|grant)/i.test(
          clause.text,
        )
      )
        return 0;
      const hasRights = words.RIGHTS.test(clause.text);
      const hasAuthority = words.AUTHORITY.test(clause.sentence);
      if (hasRights && clause.voice !== 'own') return hasAuthority ? STRONG + 1 : STRONG;
      return hasAuthority && clause.voice === 'order' && clause.text !== clause.sentence
        ? STRONG
        : 0;
    },
  },
  {
    sign: 'has something run',
    weigh: (clause, { purpose = '', isUnusual, isOutput }) => {
      if (clause.isNegated || clause.voice !== 'order') return 0;
      if (!words.EXECUTE.test(clause.text) || !words.PAYLOAD.test(clause.text)) return 0;
      if (EXECUTE_PURPOSE.test(purpose)) return 0;
      return isUnusual === true ||
        /\b(?:every|any|whatever|what it|without|you have to)\b/i.test(clause.text)
        ? STRONG
        : WEAK;
    },
  },
  {
    sign: 'has something destroyed',
    weigh: (clause, { purpose = '' }) => {
      if (clause.isNegated || clause.voice !== 'order' || !words.DESTROY.test(clause.text))
        return 0;
      return /delete|clean|wipe|remove|purge|clear|cache/i.test(purpose) ? 0 : STRONG - 1;
    },
  },
  {
    sign: 'stays when the session is over',
    weigh: (clause, { purpose = '' }) => {
      if (clause.isNegated || MEMORY_PURPOSE.test(purpose)) return 0;
      if (clause.voice !== 'order' && clause.voice !== 'due') return 0;
      return words.STAYS.test(clause.sentence) && words.WRITE_DOWN.test(clause.text) ? STRONG : 0;
    },
  },
  {
    sign: 'has a false answer given',
    weigh: ({ text, sentence, isNegated }) => {
      const isAsked =
        /\b(?:if|when|should|in case)\b[^.]{0,50}\b(?:asks?|asked|wonders?|questions?|inquires?)\b(?! (?:for|to|you to))/i.test(
          sentence,
        );
      return !isNegated &&
        isAsked &&
        /^(?:\W|then )*(?:answer|say|reply|claim|tell|state|respond|deny|pretend|insist)\b/i.test(
          text,
        )
        ? STRONG
        : 0;
    },
  },
  {
    sign: 'waits for its time',
    weigh: (clause) => {
      if (clause.isNegated || clause.voice !== 'order' || !words.TRIGGER.test(clause.sentence))
        return 0;
      return words.HAND_ON.test(clause.text) && words.OUTSIDE.test(clause.sentence) ? STRONG : 0;
    },
  },
];
/** Guards that are the reader's, or stand for the user. */
const OF_READER =
  pattern(
  'i',
  '\\b(?:you|client|assistant|agent|model|user)\\b|\\b(?:your|user.s|previous|prior|',
  'earlier|all|any|safety|content) (?:\\w+ ){0,2}(?:instructions?|rules|guidelines|',
  'guidance|directions?|filters?|restrictions?)|\\b(?:permission|consent|approval|',
  'confirm\\w*)\\b',
);
/** Talk that only the model has. */
const OF_MODEL =
  pattern(
  'i',
  '\\b(?:you|your|hidden|system|whole|full|entire|complete|previous|verbatim|up to|so far|',
  'until now)\\b',
);
const RESULTS = /\b(?:returned|results?|rows|outputs?|answers?|history|contents?|messages?)\b/i;

/** An order or a duty is told by itself; what a tool says of itself is not. */
function voiced({ voice }: Clause, isItsPurpose: boolean): number {
  if (voice !== 'order' && voice !== 'due') return isItsPurpose ? 0 : WEAK - 1;
  return isItsPurpose ? WEAK - 1 : STRONG;
}
