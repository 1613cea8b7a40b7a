import vader from 'vader-sentiment';
import type { SentimentScorer } from '../../domain/sentiment/sentiment-scorer.ts';
import { LEXICON_SHA256, LEXICON_TERMS, replaceTerms } from './finance-lexicon.ts';

/** Most characters of a text that are scored. */
export const SCORED_CHARS_MAX = 2_000;

/**
 * Words that the VADER port only knows in lower case. Without this, "Not bad" would count as bad.
 */
const LOWER_CASE_ONLY = new RegExp(
  [
    '(?<![\\w])(?:aint|arent|cannot|cant|couldnt|darent|didnt|doesnt|dont|hadnt|hasnt|havent|isnt',
    'mightnt|mustnt|neither|neednt|never|none|nope|nor|not|nothing|nowhere|oughtnt|shant|shouldnt',
    "uhuh|wasnt|werent|without|wont|wouldnt|rarely|seldom|despite|but|least|\\w+n't)(?![\\w])",
  ].join('|'),
  'gi',
);

/** Scores English texts with VADER, extended by financial terms and fixes for known bugs. */
export const vaderScorer: SentimentScorer = {
  method: [
    'VADER (vader-sentiment 1.1.3), English; negators in lower case',
    `${LEXICON_TERMS} terms added for finance`,
  ].join('; '),
  lexiconSha256: LEXICON_SHA256,
  score: (text) => {
    const short = text.slice(0, SCORED_CHARS_MAX).replaceAll('\u2019', "'");
    const small = replaceTerms(short).replaceAll(LOWER_CASE_ONLY, (word) => word.toLowerCase());
    const { compound } = vader.SentimentIntensityAnalyzer.polarity_scores(small);
    return Number.isFinite(compound) ? compound : 0;
  },
};
