/** Scores the sentiment of texts by a named method. */
export interface SentimentScorer {
  readonly method: string;
  readonly lexiconSha256: string;
  /**
   * Returns a score from -1 (negative) to 1 (positive); 0 for a neutral text. The same text always
   * gives the same score.
   */
  score(text: string): number;
}
