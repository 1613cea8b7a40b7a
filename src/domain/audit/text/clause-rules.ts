import { joinPattern } from '../join-pattern.ts';
import * as words from './clause-words.ts';
import type { Clause } from './clauses.ts';

/** Context of a text that changes what is ordinary in it. */
export interface TextContext {
  /** Purpose from the tool's name; a request that fits it is ordinary. */
  readonly purpose?: string;
  /** True for a schema value, such as a default or an example. */
  readonly isUnusual?: boolean;
  /** True for a field description: naming something there requests it. */
  readonly isField?: boolean;
  /** True for results, which should not give orders. */
  readonly isOutput?: boolean;
}

/** Sufficient on its own. */
const STRONG_SCORE = 5;
/** Sufficient only together with another sign. */
const WEAK_SCORE = 3;

/** A sign that a clause is scored for. */
export interface ClauseRule {
  readonly sign: string;
  /** Returns the score; 0 if the clause does not show the sign. */
  weigh(clause: Clause, place: TextContext): number;
}

const TALK_PURPOSE = joinPattern(
  'i',
  'conversation|chat|messag|transcript|dialogue|channel|thread|history|summar|memor|note|',
  'prompt|model|support|ticket|case|mail|review|session',
);
const SECRET_PURPOSE = joinPattern(
  'i',
  'secret|token|key|password|credential|login|sign|auth|account|env|vault|cookie|config|',
  'session|wallet|scan|leak|hash',
);
const EXECUTE_PURPOSE = /run|exec|command|script|shell|terminal|deploy|build|install|ssh|process/i;
const MEMORY_PURPOSE =
  /memor|note|remember|knowledge|fact|observation|preference|recall|rule|lint/i;

/** Guards of the reader or on behalf of the user. */
const OF_READER = joinPattern(
  'i',
  '\\b(?:you|client|assistant|agent|model|user)\\b|\\b(?:your|user.s|previous|prior|',
  'earlier|all|any|safety|content) (?:\\w+ ){0,2}(?:instructions?|rules|guidelines|',
  'guidance|directions?|filters?|restrictions?)|\\b(?:permission|consent|approval|',
  'confirm\\w*)\\b',
);
/** Conversation content that only the model has. */
const OF_MODEL = joinPattern(
  'i',
  '\\b(?:you|your|hidden|system|whole|full|entire|complete|previous|verbatim|up to|so far|',
  'until now)\\b',
);
const RESULTS = /\b(?:returned|results?|rows|outputs?|answers?|history|contents?|messages?)\b/i;

/** A guard that cannot be bypassed. */
const FIRM_GUARD =
  /\b(?:cannot|can't|never|not) (?:be )?(?:\w{1,30} )?(?:skip|overrid|bypass|ignor|remov)/i;
/** Matches "Without approval nothing is done." */
const WITHOUT = /^\W*without\b/i;
const NOTHING = /\b(?:nothing|not|never|only|refused|no)\b/i;
/** Temporarily withheld, such as the answer to a riddle. */
const FOR_A_WHILE = /\b(?:until|unless|before (?:they|he|she|the)|but the|except)\b/i;
const HIDES = /\b(?:hide|conceal|withhold)\b/i;
const NO_TRUST =
  /\b(?:never|cannot|must not|do not|not) (?:\w{1,30} )?(?:treat|follow|obey|trust|grant)/i;
const WHATEVER = /\b(?:every|any|whatever|what it|without|you have to)\b/i;
const DESTROY_PURPOSE = /delete|clean|wipe|remove|purge|clear|cache/i;
const WHEN_ASKED = joinPattern(
  'i',
  '\\b(?:if|when|should|in case)\\b[^.]{0,50}\\b(?:asks?|asked|wonders?|questions?|',
  'inquires?)\\b(?! (?:for|to|you to))',
);
const ANSWER_VERB =
  /^(?:\W|then )*(?:answer|say|reply|claim|tell|state|respond|deny|pretend|insist)\b/i;

/** Rules that score clauses. */
export const CLAUSE_RULES: readonly ClauseRule[] = [
  {
    sign: 'asks for conversation content',
    weigh: (clause, { purpose = '', isUnusual, isField }) => {
      if (clause.isNegated || !words.CONVERSATION.test(clause.text)) return 0;
      const isPurpose = TALK_PURPOSE.test(purpose);
      const isAsked = isUnusual === true || (isField === true && OF_MODEL.test(clause.text));
      if (isAsked && !isPurpose) return STRONG_SCORE;
      return words.TRANSFER_VERB.test(clause.text) ? scoreByVoice(clause, isPurpose) : 0;
    },
  },
  {
    sign: 'asks for secrets',
    weigh: (clause, { purpose = '', isUnusual }) => {
      if (clause.isNegated || !words.SECRET.test(clause.text)) return 0;
      if (isUnusual === true && /[~/<$]|\S \S+ \S+ \S/.test(clause.text)) return STRONG_SCORE;
      if (!words.TRANSFER_VERB.test(clause.text)) return 0;
      return scoreByVoice(clause, SECRET_PURPOSE.test(purpose));
    },
  },
  {
    sign: 'asks for personal data',
    weigh: (clause) => {
      if (clause.isNegated || !words.PERSONAL_DATA.test(clause.text)) return 0;
      if (!words.TRANSFER_VERB.test(clause.text)) return 0;
      return clause.voice === 'own'
        ? 0
        : words.EXTERNAL_ADDRESS.test(clause.sentence)
          ? STRONG_SCORE
          : WEAK_SCORE;
    },
  },
  {
    sign: 'directs the reader to an external address',
    weigh: (clause) => {
      if (clause.isNegated || clause.voice === 'own' || !words.EXTERNAL_ADDRESS.test(clause.text))
        return 0;
      const isMoved = words.TRANSFER_VERB.test(clause.text) || words.ALTERATION.test(clause.text);
      return isMoved || words.EXECUTE.test(clause.text) ? STRONG_SCORE - 1 : 0;
    },
  },
  {
    sign: 'interferes with other tools',
    weigh: (clause, { isUnusual }) => {
      const { sentence } = clause;
      if (clause.isNegated || clause.voice === 'own') return 0;
      const isNamed = words.TOOL_NAME.test(sentence) && words.EXTERNAL_ADDRESS.test(sentence);
      if (!isNamed && !words.OTHER_TOOL.test(sentence)) return 0;
      const isChanged = words.ALTERATION.test(clause.text) && words.CALL_PART.test(sentence);
      const isFed = words.TRANSFER_VERB.test(clause.text) && RESULTS.test(sentence);
      if (isChanged || isFed || words.EXTERNAL_ADDRESS.test(sentence)) return STRONG_SCORE;
      return words.EXECUTE.test(clause.text) || isUnusual === true ? STRONG_SCORE : WEAK_SCORE - 1;
    },
  },
  {
    sign: 'disables a safeguard',
    weigh: (clause) => {
      const { text, sentence, voice } = clause;
      if (voice === 'own' || text.length < 15 || FIRM_GUARD.test(text)) return 0;
      if (WITHOUT.test(text) && NOTHING.test(sentence)) return 0;
      if (!words.GUARD.test(sentence) || !words.DISABLING_PHRASE.test(text)) return 0;
      return OF_READER.test(sentence) ? STRONG_SCORE : WEAK_SCORE;
    },
  },
  {
    sign: 'hides actions from the user',
    weigh: (clause) => {
      const { text, sentence } = clause;
      if (!words.CONCEALMENT.test(text) || clause.voice === 'own') return 0;
      if (FOR_A_WHILE.test(sentence)) return 0;
      const isOfAct = words.MODEL_ACTION.test(text) && words.PERSON.test(sentence);
      return isOfAct && clause.isNegated !== HIDES.test(text) ? STRONG_SCORE : 0;
    },
  },
  {
    sign: 'grants rights without authority',
    weigh: (clause) => {
      const { text, sentence, voice } = clause;
      if (NO_TRUST.test(text)) return 0;
      const hasAuthority = words.AUTHORITY.test(sentence);
      if (words.RIGHTS.test(text) && voice !== 'own')
        return hasAuthority ? STRONG_SCORE + 1 : STRONG_SCORE;
      return hasAuthority && voice === 'order' && text !== sentence ? STRONG_SCORE : 0;
    },
  },
  {
    sign: 'asks to run something',
    weigh: (clause, { purpose = '', isUnusual, isOutput }) => {
      if (clause.isNegated || clause.voice !== 'order') return 0;
      if (!words.EXECUTE.test(clause.text) || !words.PAYLOAD.test(clause.text)) return 0;
      if (EXECUTE_PURPOSE.test(purpose)) return 0;
      const isGrave = isUnusual === true || isOutput === true || WHATEVER.test(clause.text);
      return isGrave ? STRONG_SCORE : WEAK_SCORE;
    },
  },
  {
    sign: 'asks to destroy something',
    weigh: (clause, { purpose = '' }) => {
      const { text, voice, isNegated } = clause;
      if (isNegated || voice !== 'order' || !words.DESTROY.test(text)) return 0;
      return DESTROY_PURPOSE.test(purpose) ? 0 : STRONG_SCORE - 1;
    },
  },
  {
    sign: 'persists beyond the session',
    weigh: (clause, { purpose = '' }) => {
      if (clause.isNegated || MEMORY_PURPOSE.test(purpose)) return 0;
      if (clause.voice !== 'order' && clause.voice !== 'due') return 0;
      return words.PERSISTENCE.test(clause.sentence) && words.WRITING_VERB.test(clause.text)
        ? STRONG_SCORE
        : 0;
    },
  },
  {
    sign: 'asks for a false answer',
    weigh: ({ text, sentence, isNegated }) =>
      !isNegated && WHEN_ASKED.test(sentence) && ANSWER_VERB.test(text) ? STRONG_SCORE : 0,
  },
  {
    sign: 'waits for a trigger',
    weigh: (clause) => {
      const { text, sentence, voice, isNegated } = clause;
      if (isNegated || voice !== 'order' || !words.TRIGGER.test(sentence)) return 0;
      return words.TRANSFER_VERB.test(text) && words.EXTERNAL_ADDRESS.test(sentence)
        ? STRONG_SCORE
        : 0;
    },
  },
];
/** Scores by voice: an order or a duty counts fully; a tool's self-description does not. */
function scoreByVoice({ voice }: Clause, isItsPurpose: boolean): number {
  if (voice !== 'order' && voice !== 'due') return isItsPurpose ? 0 : WEAK_SCORE - 1;
  return isItsPurpose ? WEAK_SCORE - 1 : STRONG_SCORE;
}
